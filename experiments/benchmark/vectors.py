"""Measurements of the vector environments.

A step is one decision in one game: in ChickenFootVectorEnv the learner's, with all that the other
seats do until its next one; in SelfPlayVectorEnv that of any seat. Forced actions are played on the
way and are no steps, and nor is what deals a new episode. The actions are chosen at random from the
masks outside the timing; `part_choose` is what that costs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from chickenfoot_env import chance, sampling
from chickenfoot_env.self_play import SelfPlayVectorEnv
from chickenfoot_env.vector_env import ChickenFootVectorEnv
from experiments.benchmark.measurement import Measurement, Run, Scale, clock

STEPS: Final = 200_000  # in a round of a measurement, about


def gymnasium_steps(make: Callable[[int], Any], count: int, scale: Scale) -> Run:
    """`step` of a vector environment of `count` games, on and on through their episodes.

    It must deal a new episode in the step after the one that ends an episode ("next_step").
    """
    envs = make(scale.games(count))
    observations, _ = envs.reset(seed=0)
    seeds = np.arange(envs.num_envs, dtype=np.uint64)
    ticks = max(1, scale.steps(STEPS) // envs.num_envs)
    masks = observations["action_mask"]
    resting = np.zeros(envs.num_envs, np.bool_)  # whose next step only deals a new episode
    number = 0

    def run() -> tuple[int, float]:
        nonlocal masks, number
        steps, seconds = 0, 0.0
        for _ in range(ticks):
            actions = sampling.sample(masks, chance.derive(seeds, number))
            number += 1
            steps += int((~resting).sum())
            began = clock()
            observations, _, terminations, truncations, _ = envs.step(actions)
            seconds += clock() - began
            masks = observations["action_mask"]
            resting[:] = terminations | truncations
        return steps, seconds

    return run


def self_play_steps(make: Callable[[int], Any], count: int, scale: Scale) -> Run:
    """`step` of a self-play environment of `count` games, on and on through their episodes."""
    envs = make(scale.games(count))
    seeds = np.arange(envs.num_envs, dtype=np.uint64)
    ticks = max(1, scale.steps(STEPS) // envs.num_envs)
    masks = envs.reset(seed=0).action_mask
    number = 0

    def run() -> tuple[int, float]:
        nonlocal masks, number
        seconds = 0.0
        for _ in range(ticks):
            actions = sampling.sample(masks, chance.derive(seeds, number))
            number += 1
            began = clock()
            tick = envs.step(actions)
            seconds += clock() - began
            masks = tick.action_mask
        return ticks * envs.num_envs, seconds

    return run


_GROUP: Final = "vector environments, double-nine, 4 seats, 1,024 games"
MEASUREMENTS: Final = tuple(
    Measurement(
        f"{name}{'' if copy else '_in_place'}",
        _GROUP,
        f"{told}, copy={copy}",
        partial(steps, partial(make, episode="game", copy=copy), 1024),
        1e6,
    )
    for name, told, make, steps in (
        ("vector", "ChickenFootVectorEnv, random opponents", ChickenFootVectorEnv, gymnasium_steps),
        ("self_play", "SelfPlayVectorEnv", SelfPlayVectorEnv, self_play_steps),
    )
    for copy in (True, False)
)
