"""A state of self-play: what goes on from it, and what is no such state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray
from one_seat import GREEDY

from agents import make
from chickenfoot_env import Rules, chance, sampling
from chickenfoot_env.self_play import SelfPlayVectorEnv, Tick

State = dict[str, NDArray[np.void]]
KINDS: list[dict[str, Any]] = [
    {"players": 4},
    {
        "rules": [Rules(players=2), Rules(players=5)],
        "opponents": [GREEDY, make("random")],
        "share": 0.5,
    },
    {"players": 3, "episode": "game", "reward": "win", "rounds": (9, 4), "play_forced": False},
    {"players": 2, "copy": False},
]
ONLY_OF_THE_STEP = ("ended", "final_reward", "acted", "skipped")


def go_on(envs: SelfPlayVectorEnv, tick: Tick, steps: int, first: int = 0) -> list[bytes]:
    """The ticks of a stretch, as bytes, with actions that depend on their numbers alone."""
    told = []
    for number in range(first, first + steps):
        rows = np.arange(envs.num_envs, dtype=np.uint64)
        actions = sampling.sample(tick.action_mask, chance.derive(rows, number))
        tick = envs.step(actions)
        told.append(b"".join(part.tobytes() for part in tick))
    return told


@pytest.mark.parametrize("keywords", KINDS)
@pytest.mark.parametrize("steps", [0, 7, 45])
def test_from_a_state_everything_goes_on_the_same(keywords: dict[str, Any], steps: int) -> None:
    envs = SelfPlayVectorEnv(6, **keywords)
    tick = envs.reset(3)
    for number in range(steps):
        seeds = chance.derive(np.arange(6, dtype=np.uint64), 100 + number)
        tick = envs.step(sampling.sample(tick.action_mask, seeds))
    state = envs.state()
    kept = {name: rows.tobytes() for name, rows in state.items()}
    now = Tick(*(part.copy() for part in tick))
    wanted = go_on(envs, tick, 60)
    assert {name: rows.tobytes() for name, rows in state.items()} == kept
    for other in (SelfPlayVectorEnv(6, **keywords), envs):
        again = other.restore(state)
        for name, part in again._asdict().items():
            if name in ONLY_OF_THE_STEP:
                assert not part.any() and part.shape == getattr(now, name).shape
            else:
                assert part.tobytes() == getattr(now, name).tobytes(), name
        assert go_on(other, again, 60) == wanted
    assert {name: rows.tobytes() for name, rows in state.items()} == kept


def test_after_a_restore_resets_go_on_from_the_old_seeds() -> None:
    first, second = SelfPlayVectorEnv(3), SelfPlayVectorEnv(3)
    first.reset(5)
    second.restore(first.state())
    assert (first.reset().observation == second.reset().observation).all()


def test_there_is_no_state_before_a_reset() -> None:
    with pytest.raises(gymnasium.error.ResetNeeded):
        SelfPlayVectorEnv(2).state()


def stop(state: State) -> None:
    state["books"]["waits_for"][1] = -1


def duplicate(state: State) -> None:
    state["games"]["held"][1, 1] = state["games"]["held"][1, 0]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda state: state.update(games=state["games"][:2], books=state["books"][:2]), "2 games"),
        (lambda state: state.update(books=state["books"][:2]), "a state of 3 games: wanted are 3"),
        (lambda state: state.update(games=state["books"]), "games"),
        (lambda state: state.update(books=state["games"]), "books"),
        (lambda state: state.update(games=np.zeros(3)), "games"),
        (lambda state: state["games"]["toes"].fill(2), "a state under other rules: toes differs"),
        (lambda state: state["games"]["players"].fill(3), "under other rules: players differs"),
        (duplicate, "game 1 of the state cannot be: "),
        (stop, "a state in which a game does not wait for a learning seat"),
    ],
    ids=range(9),
)
def test_what_is_no_such_state_is_refused_and_changes_nothing(
    spoil: Callable[[State], None], message: str
) -> None:
    envs = SelfPlayVectorEnv(3, players=4)
    tick = envs.reset(1)
    state = envs.state()
    spoil(state)
    with pytest.raises(ValueError, match=message) as caught:
        envs.restore(state)
    assert "\n" not in str(caught.value)
    twin = SelfPlayVectorEnv(3, players=4)
    assert go_on(envs, tick, 5) == go_on(twin, twin.reset(1), 5)
