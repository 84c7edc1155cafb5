"""Advantages, beside a literal version in plain Python, one stream of one seat after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import agents
from agents.ppo.streams import advantages
from chickenfoot_env import chance, sampling
from chickenfoot_env.rules import Rules
from chickenfoot_env.self_play import SelfPlayVectorEnv
from chickenfoot_env.trajectories import NONE, Trajectories, trajectories

GAMES, TICKS = 6, 90
KINDS: list[dict[str, Any]] = [
    {"players": 2},
    {"rules": [Rules(players=2), Rules(players=5), Rules(players=7)]},
    {"players": 4, "opponents": agents.make("greedy"), "share": 0.5},
    {"players": 3, "episode": "game", "rounds": (9, 4)},
]


def self_play(**keywords: Any) -> Trajectories:
    """A stretch of random play."""
    envs = SelfPlayVectorEnv(GAMES, **keywords)
    ticks, actions = [envs.reset(seed=3)], []
    for number in range(TICKS):
        seeds = chance.derive(np.arange(GAMES, dtype=np.uint64), number)
        actions.append(sampling.sample(ticks[-1].action_mask, seeds))
        ticks.append(envs.step(actions[-1]))
    return trajectories(ticks, actions)


def literal(data: Trajectories, reward: Any, value: Any, trace: float) -> list[float]:
    """A = sum over the later decisions k of trace**k * error_k, within the episode of a seat."""
    result = [0.0] * len(reward)
    for game in range(GAMES):
        for seat in range(12):
            rows = data.stream(game, seat).tolist()
            for start, row in enumerate(rows):
                factor = 1.0
                for each in rows[start:]:
                    if data.terminated[each]:
                        result[row] += factor * (reward[each] - value[each])
                        break
                    following = data.next_row[each]
                    if following == NONE:
                        break
                    assert data.seat[following] == seat and following % GAMES == game
                    result[row] += factor * (reward[each] + value[following] - value[each])
                    factor *= trace
    return result


@pytest.mark.parametrize("trace", [0.0, 0.9, 1.0])
@pytest.mark.parametrize("keywords", KINDS)
def test_advantages_are_those_of_each_seats_own_stream(
    keywords: dict[str, Any], trace: float
) -> None:
    data, rng = self_play(**keywords), np.random.default_rng(5)
    reward, value = rng.normal(size=TICKS * GAMES), rng.normal(size=(TICKS + 1) * GAMES)
    found = advantages(data, reward, value, trace)
    assert (found.shape, found.dtype) == ((TICKS * GAMES,), np.float64)
    assert found == pytest.approx(literal(data, reward, value, trace))
    assert (found[~data.complete] == 0.0).all()
    assert data.terminated.sum() > 10 and (~data.complete).any()


def test_with_trace_1_a_decision_is_worth_what_the_seat_earns_from_it_on() -> None:
    """The values cancel but for the first, so the rewards to the end of the episode remain."""
    data = self_play(players=4)
    value = np.random.default_rng(6).normal(size=(TICKS + 1) * GAMES)
    found = advantages(data, data.reward, value, 1.0)
    for start in np.flatnonzero(data.complete):
        row, total = int(start), 0.0
        while row < len(data.reward) and data.next_row[row] != NONE:
            total += data.reward[row]
            row = int(data.next_row[row])
        if row < len(data.reward) and data.terminated[row]:
            assert found[start] == pytest.approx(total + data.reward[row] - value[start])
