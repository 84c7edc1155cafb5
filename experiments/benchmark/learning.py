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
SMALL: Final = Settings(width=48, rounds=1)
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
    """The shipped agent, or one with a small network, with any weights."""
    if agent == "shipped":
        return PPOAgent()
    shape = Shape(9, SMALL.width, SMALL.rounds)
    generator = np.random.default_rng(1)
    arrays = {
        name: generator.normal(0.0, 0.1, size).astype(np.float32)
        for name, size in policy_file.parameter_shapes(shape).items()
    }
    return PPOAgent.of(policy_file.Policy(shape, arrays, {}))


def training(part: str, small: bool, scale: Scale) -> Run:
    """Decisions learned from: whole updates with default settings, or one part of them.

    The first updates are those of the warm-up, later ones PPO's; here all are PPO's.
    """
    import torch
    from stable_baselines3.common.callbacks import CallbackList
    from stable_baselines3.common.logger import Logger

    from agents.ppo.learner import SelfPlayPPO, SelfPlayVecEnv
    from agents.ppo.policy import SeatPolicy

    torch.set_num_threads(1)
    chosen = SMALL if small else Settings()
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
_LEARNING_SMALL: Final = "training with --width 48 --rounds 1, one thread"
MEASUREMENTS: Final = (
    Measurement("ppo_shipped", _PLAYING, "the shipped network", partial(answers, "shipped")),
    Measurement("ppo_small", _PLAYING, "--width 48 --rounds 1", partial(answers, "small"), 200e3),
)
WITH_TORCH: Final = tuple(
    Measurement(
        f"train{suffix}{'_' + part if part else ''}",
        group,
        {"": "whole updates", "rollout": "rollouts", "update": "updates"}[part],
        partial(training, part, small),
        10e3 if not part else None,
        package="sb3-contrib",
    )
    for suffix, group, small in (("", _LEARNING, False), ("_small", _LEARNING_SMALL, True))
    for part in ("", "rollout", "update")
)
