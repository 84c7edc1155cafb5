"""Measurements of learned agents: how fast they answer, and how fast they learn."""

from __future__ import annotations

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
TICKS: Final = 24  # decisions of each game in an update here, so that a round is short


def answers(agent: str, scale: Scale) -> Run:
    """Decisions that leave a choice, in rounds of double-nine with four seats."""
    games = SelfPlayVectorEnv(scale.games(BATCH), players=4)
    player, seeds = _player(agent), np.zeros(games.num_envs, np.uint64)
    games.reset(seed=1)
    for _ in range(scale.steps(20 * BATCH) // BATCH):
        games.step(player.act(games.views(), seeds))
    views = games.views()
    repeats = max(1, scale.steps(40 * BATCH) // BATCH)

    def run() -> tuple[int, float]:
        began = clock()
        for _ in range(repeats):
            player.act(views, seeds)
        return repeats * len(views), clock() - began

    return run


def _player(agent: str) -> PPOAgent:
    """The shipped agent, or one of the size that training makes by default, with any weights."""
    if agent == "shipped":
        return PPOAgent()
    default = Settings()
    shape = Shape(9, default.width, default.rounds)
    generator = np.random.default_rng(1)
    arrays = {
        name: generator.normal(0.0, 0.1, size).astype(np.float32)
        for name, size in policy_file.parameter_shapes(shape).items()
    }
    return PPOAgent.of(policy_file.Policy(shape, arrays, {}))


def training(part: str, scale: Scale) -> Run:
    """Decisions learned from: whole updates with default settings, or one part of them.

    The first updates are those of the warm-up, later ones PPO's; here all are PPO's.
    """
    import torch
    from stable_baselines3.common.callbacks import CallbackList
    from stable_baselines3.common.logger import Logger

    from agents.ppo.learner import SelfPlayPPO, SelfPlayVecEnv
    from agents.ppo.policy import SeatPolicy

    torch.set_num_threads(1)
    chosen = Settings()
    games = SelfPlayVectorEnv(scale.games(chosen.games), players=4)
    model = SelfPlayPPO(
        SeatPolicy,
        SelfPlayVecEnv(games),
        n_steps=TICKS,
        batch_size=chosen.batch,
        n_epochs=chosen.epochs,
        policy_kwargs={
            "shape": Shape(9, chosen.width, chosen.rounds),
            "value_width": chosen.value_width,
        },
        device="cpu",
    )
    model.set_logger(Logger(None, []))
    _, callback = model._setup_learn(2**40, CallbackList([]))

    def run() -> tuple[int, float]:
        decisions, began = model.num_timesteps, dict(model.seconds)
        model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps)
        model.train()
        spent = {name: model.seconds[name] - began[name] for name in began}
        seconds = spent[part] if part else sum(spent.values())
        return model.num_timesteps - decisions, seconds

    return run


_PLAYING: Final = "learned agents, double-nine, 4 seats, batches of 1,024"
_LEARNING: Final = "training by its default settings, one thread"
MEASUREMENTS: Final = (
    Measurement(
        "ppo_default", _PLAYING, "a network of the default size", partial(answers, "default"), 200e3
    ),
    Measurement("ppo_shipped", _PLAYING, "the shipped network", partial(answers, "shipped")),
)
WITH_TORCH: Final = (
    Measurement(
        "train", _LEARNING, "whole updates", partial(training, ""), 10e3, package="sb3-contrib"
    ),
    Measurement(
        "train_rollout", _LEARNING, "rollouts", partial(training, "rollout"), package="sb3-contrib"
    ),
    Measurement(
        "train_update", _LEARNING, "updates", partial(training, "update"), package="sb3-contrib"
    ),
)
