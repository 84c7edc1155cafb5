"""Copies, pickles and saved states go on as the original does, and share nothing with it."""

from __future__ import annotations

import copy
import hashlib
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import VARIANTS, absorb, pick, play, turns

from chickenfoot_env import chickenfoot_v0, saved_state
from chickenfoot_env.game import bit_matrix
from chickenfoot_env.tiles import tile_id


def through_pickle(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))


def through_bytes(env: Any) -> Any:
    keywords = {**env.rules.__dict__, **env.settings.__dict__}
    twin = chickenfoot_v0.raw_env(**keywords)
    twin.set_state(env.get_state())
    return twin


def rest(env: Any, seed: int = 3) -> list[Any]:
    """All that is told from here to the end, and in the episode after it."""
    digest, rng = hashlib.sha256(), np.random.default_rng(seed)
    for turn in turns(env, rng):
        absorb(digest, turn)
        absorb(digest, env.rewards)
    env.reset()
    for turn in turns(env, rng, limit=30):
        absorb(digest, turn)
    return [digest.hexdigest(), env.returns().tolist(), env.outcome]


WAYS: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": through_pickle,
    "clone": lambda env: env.clone(),
    "bytes": through_bytes,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", VARIANTS)
def test_a_copy_in_mid_game_goes_on_as_the_original(
    name: str, way: str, rng: np.random.Generator
) -> None:
    env = chickenfoot_v0.raw_env(**VARIANTS[name])
    for steps in (0, 31):
        env.reset(seed=21)
        play(env, rng, limit=steps)
        twin = WAYS[way](env)
        before = env.get_state()
        told = rest(twin)
        assert env.get_state() == before  # whatever the copy did
        assert rest(env) == told


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_at_the_end_and_while_the_seats_leave(way: str, rng: np.random.Generator) -> None:
    env = chickenfoot_v0.raw_env(players=3, rounds=(9,))
    env.reset(seed=22)
    while not env.is_over:
        env.step(pick(env.action_masks(), rng))
    for _ in range(4):
        twin = WAYS[way](env)
        assert twin.agents == env.agents
        assert twin.rewards == env.rewards
        assert twin.infos == env.infos
        assert rest(twin) == rest(WAYS[way](env))
        if env.agents:
            env.step(None)
    assert env.agents == []


@pytest.mark.parametrize("way", ["deepcopy", "pickle"])
def test_copies_keep_the_wrappers(way: str, rng: np.random.Generator) -> None:
    env = chickenfoot_v0.env(players=3, rounds=(9, 8), render_mode="ansi")
    unstarted = WAYS[way](env)
    with pytest.raises(AssertionError, match="reset"):
        unstarted.step(0)
    env.reset(seed=23)
    play(env, rng, limit=25)
    twin = WAYS[way](env)
    assert type(twin) is type(env)
    assert twin.render() == env.render()
    with pytest.raises(AssertionError, match="not in action space"):
        twin.step(102)
    assert rest(twin) == rest(env)


def test_a_clone_does_not_sample_for_the_original() -> None:
    env = chickenfoot_v0.raw_env()
    env.reset(seed=1)
    env.action_space("player_0").seed(5)
    twin = env.clone()
    expected = [twin.action_space("player_0").sample() for _ in range(20)]
    twin.action_space("player_0").sample()
    assert [env.action_space("player_0").sample() for _ in range(20)] == expected


def test_a_clone_with_a_seed_resets_from_it() -> None:
    env, other = chickenfoot_v0.raw_env(), chickenfoot_v0.raw_env()
    env.reset(seed=1)
    twin = env.clone(seed=9)
    assert twin.observe("player_0")["observation"].tobytes() == (
        env.observe("player_0")["observation"].tobytes()
    )
    other.reset(seed=9)
    for _ in range(3):
        twin.reset()
        assert twin.view("player_0").tobytes() == other.view("player_0").tobytes()
        other.reset()


@given(st.sampled_from(sorted(VARIANTS)), st.integers(0, 2**64 - 1), st.integers(0, 300))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_a_state_put_back_is_the_same_state(name: str, seed: int, steps: int) -> None:
    env = chickenfoot_v0.raw_env(**VARIANTS[name])
    env.reset(seed=seed)
    play(env, np.random.default_rng(seed), limit=steps)
    data = env.get_state()
    other = chickenfoot_v0.raw_env(**VARIANTS[name])
    other.set_state(data)
    assert other.get_state() == data
    assert len(data) < 4000


def test_a_state_can_be_put_back_many_times(rng: np.random.Generator) -> None:
    env = chickenfoot_v0.raw_env(players=2, rounds=(9,))
    env.reset(seed=1)
    data = env.get_state()
    results = []
    for _ in range(3):
        env.set_state(data)
        results.append(rest(env))
    assert results[0] == results[1] == results[2]


def edited(env: Any, change: Callable[[Any], Any]) -> bytes:
    state = saved_state.from_bytes(env.get_state(), env.rules, env.settings)
    change(state[0])
    return saved_state.to_bytes(state, env.settings)


def give_a_second_copy(state: Any) -> None:
    state["game"]["held"][0] |= bit_matrix([tile_id(9, 9)])
    state["game"]["hand_count"][0] += 1


def change_plays(change: Callable[[Any], Any]) -> Callable[[Any], bytes]:
    """What makes a state of a round that is under way, with its plays changed."""

    def broken(env: Any) -> bytes:
        twin = env.clone()
        play(twin, np.random.default_rng(0), limit=12)
        assert (
            saved_state.from_bytes(twin.get_state(), env.rules, env.settings)["plays"] >= 0
        ).any()
        return edited(twin, lambda state: change(state["plays"]))

    return broken


BROKEN: dict[str, tuple[Callable[[Any], bytes], str]] = {
    "text": (lambda env: "abc", "wanted are bytes from get_state"),
    "pickle": (lambda env: pickle.dumps(1), "wanted are bytes from get_state"),
    "empty": (lambda env: b"", "wanted are bytes from get_state"),
    "short": (lambda env: env.get_state()[:-1], "damaged"),
    "one bit": (lambda env: env.get_state()[:-100] + b"\xff" + env.get_state()[-99:], "damaged"),
    "version": (
        lambda env: env.get_state()[:20] + b"\0" * 8 + env.get_state()[28:],
        "another version",
    ),
    "a tile twice": (lambda env: edited(env, give_a_second_copy), "tile 9-9 is in"),
    "no such seat": (
        lambda env: edited(env, lambda s: s["game"].__setitem__("seat", 7)),
        "seat is 7: allowed are 0 to 2",
    ),
    "no such foot": (
        lambda env: edited(env, lambda s: s["game"].__setitem__("foot", 500)),
        "foot is 500: allowed are -1 to 9",
    ),
    "a shuffle": (
        lambda env: edited(env, lambda s: s["game"]["order"].__setitem__(0, 99)),
        "does not name every tile once",
    ),
    "a play of another tile": (
        change_plays(lambda plays: plays.__setitem__(0, 5 if plays[0] != 5 else 4)),
        r"\d+ plays do not lay the \d+ tiles on the table",
    ),
    "a play too few": (
        change_plays(lambda plays: plays.__setitem__((plays >= 0).sum() - 1, -1)),
        r"\d+ plays do not lay the \d+ tiles on the table",
    ),
    "a gap in the plays": (
        change_plays(lambda plays: plays.__setitem__(1, -1)),
        r"plays are \[\d+, -1, .* allowed are actions that lay a tile",
    ),
    "a draw among the plays": (
        change_plays(lambda plays: plays.__setitem__(1, 100)),
        r"plays are \[\d+, 100, .* allowed are actions that lay a tile",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_state_that_is_broken_is_refused_and_changes_nothing(name: str) -> None:
    make, message = BROKEN[name]
    env = chickenfoot_v0.raw_env(players=3, rounds=(9,))
    env.reset(seed=1)
    before = env.get_state()
    with pytest.raises(ValueError, match=message) as caught:
        env.set_state(make(env))
    assert "\n" not in str(caught.value)
    assert env.get_state() == before


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"players": 4}, "players is 3 there and 4 here"),
        ({"toes": 2}, "toes is 3 there and 2 here"),
        ({"rounds": (8,)}, r"starters are \[9\] there and \[8\] here"),
        ({"rounds": (9, 8)}, "rounds is 1 there and 2 here"),
        ({"reward": "win"}, "reward='win'"),
        ({"episode": "round"}, "episode='round'"),
    ],
)
def test_a_state_of_other_rules_is_refused(keywords: dict[str, Any], message: str) -> None:
    env = chickenfoot_v0.raw_env(players=3, rounds=(9,))
    env.reset(seed=1)
    other = chickenfoot_v0.raw_env(**{"players": 3, "rounds": (9,), **keywords})
    with pytest.raises(ValueError, match=message):
        other.set_state(env.get_state())
