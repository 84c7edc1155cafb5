"""Measurements of learned agents: how fast they answer, and how fast they learn."""

from __future__ import annotations

import time
from functools import partial
from typing import Final

import numpy as np

from agents.ppo import policy_file
from agents.ppo.agent import PPOAgent
from agents.ppo.shape import Shape
from chickenfoot_env.self_play import SelfPlayVectorEnv
from experiments.benchmark.measurement import Measurement, Run, Scale, clock
from experiments.training.settings import Settings

BATCH: Final = 1024
DEFAULTS: Final = Settings()


def answers(agent: str, threads: int, scale: Scale) -> Run:
    """Decisions that leave a choice, in rounds of double-nine with four seats.

    Several threads go by the wall clock.
    """
    games = SelfPlayVectorEnv(scale.games(BATCH), players=4)
    player, seeds = _player(agent, threads), np.zeros(games.num_envs, np.uint64)
    watch = clock if threads == 1 else time.perf_counter
    games.reset(seed=1)
    for _ in range(scale.steps(20 * BATCH) // BATCH):
        games.step(player.act(games.views(), seeds))
    views = games.views()
    repeats = max(1, scale.steps(40 * BATCH) // BATCH)

    def run() -> tuple[int, float]:
        began = watch()
        for _ in range(repeats):
            player.act(views, seeds)
        return repeats * len(views), watch() - began

    return run


def _player(agent: str, threads: int) -> PPOAgent:
    """The shipped agent, or one of the size that training makes, with any weights."""
    if agent == "shipped":
        return PPOAgent(threads=threads)
    shape = Shape(9, DEFAULTS.width, DEFAULTS.rounds)
    generator = np.random.default_rng(1)
    arrays = {
        name: generator.normal(0.0, 0.1, size).astype(np.float32)
        for name, size in policy_file.parameter_shapes(shape).items()
    }
    return PPOAgent.of(policy_file.Policy(shape, arrays, {}), threads=threads)


def training(phase: str, part: str, threads: int, scale: Scale) -> Run:
    """Decisions learned from by a training with default settings: rollouts, updates, or both.

    Several threads go by the wall clock.
    """
    import torch
    from stable_baselines3.common.callbacks import CallbackList
    from stable_baselines3.common.logger import Logger

    from agents.ppo.learner import SelfPlayPPO
    from agents.ppo.policy import SeatPolicy
    from agents.ppo.vec_env import SelfPlayVecEnv

    torch.set_num_threads(1)
    games = SelfPlayVectorEnv(scale.games(DEFAULTS.games), players=4)
    model = SelfPlayPPO(
        SeatPolicy,
        SelfPlayVecEnv(games),
        warm_up=float(phase == "warm-up"),
        worlds=DEFAULTS.worlds,
        n_steps=DEFAULTS.ticks,
        batch_size=DEFAULTS.batch,
        n_epochs=DEFAULTS.epochs,
        policy_kwargs={
            "shape": Shape(9, DEFAULTS.width, DEFAULTS.rounds),
            "value_width": DEFAULTS.value_width,
        },
        device="cpu",
    )
    model.set_logger(Logger(None, []))
    _, callback = model._setup_learn(2**40, CallbackList([]))
    watch = clock if threads == 1 else time.perf_counter

    def run() -> tuple[int, float]:
        decisions, began = model.num_timesteps, watch()
        torch.set_num_threads(threads)
        model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps)
        collected = watch()
        model.train()
        done = watch()
        torch.set_num_threads(1)
        seconds = {"rollout": collected - began, "update": done - collected}
        return model.num_timesteps - decisions, seconds.get(part, done - began)

    return run


PLAYING: Final = "learned agents, double-nine, 4 seats, batches of 1,024"
LEARNING: Final = "training by its default settings, double-nine, 4 seats"
_WHOLE: Final = "rollouts and updates"
MEASUREMENTS: Final = (
    Measurement("ppo_shipped", PLAYING, "the shipped network", partial(answers, "shipped", 1)),
    Measurement(
        "ppo_shipped_2", PLAYING, "the shipped network, two threads", partial(answers, "shipped", 2)
    ),
    Measurement("ppo_default", PLAYING, "one by defaults", partial(answers, "default", 1), 200e3),
    Measurement(
        "ppo_default_2",
        PLAYING,
        "one by defaults, two threads",
        partial(answers, "default", 2),
        200e3,
    ),
)
WITH_TORCH: Final = tuple(
    Measurement(name, LEARNING, what, partial(training, *how), goal, package="sb3-contrib")
    for name, what, how, goal in (
        ("train_warm_up", f"warm-up, {_WHOLE}", ("warm-up", "", 1), 10e3),
        ("train", f"PPO, {_WHOLE}", ("ppo", "", 1), 10e3),
        ("train_rollout", "PPO, rollouts", ("ppo", "rollout", 1), None),
        ("train_update", "PPO, updates", ("ppo", "update", 1), None),
        ("train_warm_up_2", f"warm-up, {_WHOLE}, two threads", ("warm-up", "", 2), 15e3),
        ("train_2", f"PPO, {_WHOLE}, two threads", ("ppo", "", 2), 15e3),
    )
)
