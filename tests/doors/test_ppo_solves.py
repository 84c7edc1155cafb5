"""Self-play PPO and stock MaskablePPO find the best response in a tiny game, exactly.

Double-two for two seats, two tiles each, against a uniformly random opponent. All 720 orders of the
tiles are played out, so what a policy earns and what could be earned are known to the last digit.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest
from best_response import Chooser, Tree, every_deal

pytest.importorskip("sb3_contrib")

import torch  # these are not installed everywhere
from sb3_contrib import MaskablePPO

import agents
from agents.ppo.learner import SelfPlayPPO
from agents.ppo.policy import SeatPolicy
from agents.ppo.shape import Shape
from agents.ppo.vec_env import SelfPlayVecEnv
from chickenfoot_env import encode, view
from chickenfoot_env.doors.stable_baselines import ChickenFootVecEnv
from chickenfoot_env.rules import Rules
from chickenfoot_env.self_play import SelfPlayVectorEnv

torch.set_num_threads(1)

RULES = Rules(players=2, max_pip=2, hand_size=2, starter_arms=2, toes=1, rounds=(2,))
BEST = 5.937962962962963  # pips a round, the mean over both seats
TOLERANCE = 1e-6


@functools.cache
def trees() -> tuple[Tree, Tree]:
    deals = every_deal(RULES, 720)
    return Tree(deals, 0), Tree(deals, 1)


def worth(choose: Chooser) -> float:
    """What a policy earns, the mean over both seats."""
    return float(np.mean([tree.value(choose) for tree in trees()]))


def scripted(name: str) -> Chooser:
    agent = agents.make(name)
    return lambda views: agent.act(views, np.zeros(len(views), np.uint64))


def likeliest(model: MaskablePPO, critic_features: int = 0) -> Chooser:
    """The action that a model rates highest, of the legal ones; the critic's columns are 0."""

    def choose(views: np.ndarray) -> np.ndarray:
        padded = np.pad(encode.features(views), ((0, 0), (0, critic_features)))
        legal = view.legal_mask(views)
        actions: np.ndarray = model.predict(padded, action_masks=legal, deterministic=True)[0]
        return actions

    return choose


def test_the_best_response_is_known_and_nobody_else_plays_it() -> None:
    assert np.mean([tree.best() for tree in trees()]) == pytest.approx(BEST, abs=1e-12)
    assert worth(scripted("greedy")) < BEST - 1.0
    assert worth(scripted("heuristic")) < BEST - 1.0
    rng = np.random.default_rng(1)

    def anything(views: np.ndarray) -> np.ndarray:
        return (rng.random((len(views), 11)) * view.legal_mask(views)).argmax(axis=1)

    assert worth(anything) == pytest.approx(0.0, abs=0.5)  # it meets its like


@pytest.mark.parametrize("sees_all", [True, False])
def test_self_play_ppo_finds_it(sees_all: bool) -> None:
    """From decisions against random opponents alone, with no warm-up."""
    games = SelfPlayVectorEnv(64, rules=RULES, share=1.0)
    model = SelfPlayPPO(
        SeatPolicy,
        SelfPlayVecEnv(games, sees_all),
        **{"n_steps": 32, "batch_size": 512, "n_epochs": 4, "learning_rate": 3e-3, "seed": 1},
        entropy=lambda remaining: 0.02 * remaining,
        policy_kwargs={"shape": Shape(2, 16), "value_width": 32},
    )
    extra = model.observation_space.shape[0] - encode.size(2)
    assert (extra > 0) == sees_all
    assert worth(likeliest(model, extra)) < BEST - 0.5
    model.learn(20_000)
    assert worth(likeliest(model, extra)) == pytest.approx(BEST, abs=TOLERANCE)


def stock() -> MaskablePPO:
    env = ChickenFootVecEnv(
        64, rules=RULES, episode="round", learner="rotating", observation="flat"
    )
    return MaskablePPO(
        "MlpPolicy",
        env,
        **{"n_steps": 32, "batch_size": 512, "n_epochs": 4, "learning_rate": 3e-3, "seed": 1},
        **{"ent_coef": 0.02, "gamma": 1.0, "vf_coef": 0.01},
    )


def test_stock_maskable_ppo_finds_the_same() -> None:
    model = stock()
    assert worth(likeliest(model)) < BEST - 0.5
    model.learn(20_000)
    assert worth(likeliest(model)) == pytest.approx(BEST, abs=TOLERANCE)


def test_without_masks_it_cannot_be_played() -> None:
    """A training without them meets an illegal action, and so does the trained network."""
    with pytest.raises(ValueError, match="is illegal"):
        stock().learn(2048, use_masking=False)
    model = stock()
    model.learn(4096)
    views = np.concatenate([tree.views(tree.levels[2].games) for tree in trees()])
    views = views[(views["turn"] == 0) & (views["over"] == 0)]
    chosen = model.predict(encode.features(views), deterministic=True)[0]
    assert not view.legal_mask(views)[np.arange(len(views)), chosen].all()
