"""Measurements of the PettingZoo environment, one table, against one that does nothing.

A step is `env.last()` and `env.step(action)`, with actions from games played beforehand: choosing
is not timed, and both environments get the same actions. `reset()` is timed, once a game.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from chickenfoot_env import chickenfoot_v0
from experiments.benchmark.measurement import Measurement, Ratio, Run, Scale, clock
from experiments.benchmark.nothing_env import NothingEnv

STEPS: Final = 5_000  # in a round of a measurement, about; ten times as many without wrappers


@functools.cache
def played(games: int) -> list[list[int]]:
    """The actions of games 0 to `games` - 1, chosen at random."""
    dice = random.Random(0)
    table = chickenfoot_v0.raw_env()
    chosen: list[list[int]] = []
    for seed in range(games):
        table.reset(seed=seed)
        chosen.append([])
        while not table.is_over:
            chosen[-1].append(int(dice.choice(np.flatnonzero(table.action_masks()))))
            table.step(chosen[-1][-1])
    return chosen


def nothing(length: int = 2**62) -> NothingEnv:
    """The environment that does nothing, in the shape of ours."""
    table = chickenfoot_v0.raw_env()
    space: Any = table.observation_space("player_0")
    features, actions = space["observation"].shape[0], space["action_mask"].shape[0]
    return NothingEnv(len(table.possible_agents), features, actions, length)


def wrapped_nothing() -> Any:
    """The same in the wrappers that `chickenfoot_v0.env` puts around ours."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(nothing()))


def replay(make: Callable[[], Any], steps: int, observe: bool, scale: Scale) -> Run:
    """The played games once more, in the environment that `make` makes."""
    table = make()
    games = played(1 if scale.quick else 8)
    repeats = max(1, scale.steps(steps) // sum(map(len, games)))

    def run() -> tuple[int, float]:
        last, step = table.last, table.step
        began = clock()
        for _ in range(repeats):
            for seed, actions in enumerate(games):
                table.reset(seed=seed)
                for action in actions:
                    last(observe)
                    step(action)
        return repeats * sum(map(len, games)), clock() - began

    return run


def play_at_random(make: Callable[[], Any], scale: Scale) -> Run:
    """Games as a user plays them: agent_iter, last, a random action of the mask, step.

    Every environment of PettingZoo's with an action mask can be measured by it. Steps of agents
    that are done are not counted.
    """
    table = make()
    dice = random.Random(0)

    def run() -> tuple[int, float]:
        steps, began = 0, clock()
        while steps == 0 or clock() - began < scale.seconds:
            table.reset(seed=steps)
            for _ in table.agent_iter():
                observation, _, termination, truncation, info = table.last()
                if termination or truncation:
                    table.step(None)
                    continue
                mask = (
                    observation["action_mask"]
                    if "action_mask" in observation
                    else info["action_mask"]
                )
                table.step(int(dice.choice(mask.nonzero()[0])))
                steps += 1
        return steps, clock() - began

    return run


_GROUP: Final = "one table, PettingZoo AEC, double-nine, 4 seats"
MEASUREMENTS: Final = (
    Measurement(
        "aec", _GROUP, "chickenfoot_v0.env", partial(replay, chickenfoot_v0.env, STEPS, True)
    ),
    Measurement(
        "aec_nothing",
        _GROUP,
        "an environment that does nothing, same wrappers",
        partial(replay, wrapped_nothing, STEPS, True),
    ),
    Measurement(
        "aec_raw",
        _GROUP,
        "chickenfoot_v0.raw_env",
        partial(replay, chickenfoot_v0.raw_env, 10 * STEPS, True),
    ),
    Measurement(
        "aec_raw_nothing",
        _GROUP,
        "an environment that does nothing, no wrapper",
        partial(replay, nothing, 10 * STEPS, True),
    ),
    Measurement(
        "aec_raw_blind",
        _GROUP,
        "chickenfoot_v0.raw_env, last(observe=False)",
        partial(replay, chickenfoot_v0.raw_env, 10 * STEPS, False),
    ),
    Measurement(
        "aec_loop",
        _GROUP,
        "chickenfoot_v0.env, agent_iter and a random legal action",
        partial(play_at_random, chickenfoot_v0.env),
    ),
)
RATIOS: Final = (
    Ratio(
        "aec_to_nothing",
        "chickenfoot_v0.env to one that does nothing",
        ["aec"],
        ["aec_nothing"],
        0.7,
    ),
    Ratio(
        "aec_raw_to_nothing",
        "chickenfoot_v0.raw_env to one that does nothing",
        ["aec_raw"],
        ["aec_raw_nothing"],
        0.4,
    ),
)
