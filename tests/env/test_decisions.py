"""The wrapper that asks for decisions alone plays the same games and keeps PettingZoo's books."""

from __future__ import annotations

import doctest
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pettingzoo.test as checks
import pytest
from playing import VARIANTS, pick, turns
from quiet import no_other_warnings

from chickenfoot_env import chickenfoot_v0, decisions
from chickenfoot_env.decisions import Decisions


def made(play_forced: bool = True, **keywords: Any) -> Decisions:
    return Decisions(chickenfoot_v0.raw_env(**keywords), play_forced)


def test_the_example_runs() -> None:
    result = doctest.testmod(decisions)
    assert result.attempted > 4
    assert result.failed == 0


@pytest.mark.parametrize("name", VARIANTS)
def test_pettingzoos_checkers_pass(name: str) -> None:
    with no_other_warnings():
        checks.api_test(made(**VARIANTS[name]), num_cycles=60)
    checks.seed_test(partial(made, **VARIANTS[name]), num_cycles=60)


@pytest.mark.parametrize("play_forced", [True, False])
@pytest.mark.parametrize("name", VARIANTS)
def test_every_step_is_a_decision_and_no_reward_is_lost(
    name: str, play_forced: bool, rng: np.random.Generator
) -> None:
    env = made(play_forced, **VARIANTS[name])
    fewest = 102
    for seed in range(3):
        env.reset(seed=seed)
        seen, at_once = (dict.fromkeys(env.possible_agents, 0.0) for _ in range(2))
        for turn in turns(env, rng):
            seen[turn.agent] += turn.reward
            for agent, earned in env.rewards.items():
                at_once[agent] += earned
            if not turn.termination and not turn.truncation:
                fewest = min(fewest, int(turn.observation["action_mask"].sum()))
        assert list(seen.values()) == pytest.approx(env.returns())
        assert list(at_once.values()) == pytest.approx(env.returns())
    assert fewest == (2 if play_forced else 1)


def test_the_games_are_those_of_the_environment_within(rng: np.random.Generator) -> None:
    env, plain = made(rounds=(9, 8)), chickenfoot_v0.raw_env(rounds=(9, 8))
    env.reset(seed=5)
    plain.reset(seed=5)
    while not env.is_over:
        while plain.action_masks().sum() == 1:
            plain.step(int(plain.action_masks().argmax()))
        assert plain.get_state()[:1000] == env.get_state()[:1000]  # the game
        action = pick(plain.action_masks(), rng)
        env.step(action)
        plain.step(action)


def test_an_illegal_action_changes_nothing() -> None:
    env = made()
    env.reset(seed=1)
    before = env.get_state(), dict(env.rewards), env.last()[1]
    with pytest.raises(ValueError, match="illegal"):
        env.step(int(env.action_masks().argmin()))
    assert (env.get_state(), env.rewards, env.last()[1]) == before


def test_episodes_without_a_decision_are_skipped() -> None:
    """With one tile a seat many a round is over as dealt, or goes on without a choice."""
    keywords = {"max_pip": 4, "hand_size": 1, "players": 3, "episode": "round"}
    plain = chickenfoot_v0.raw_env(**keywords)
    over = 0
    for seed in range(50):
        plain.reset(seed=seed)
        over += plain.is_over
        for play_forced in (True, False):
            env = made(play_forced, **keywords)
            env.reset(seed=seed)
            assert not env.is_over
            assert env.action_masks().sum() > 1 or not play_forced
    assert over > 0


def test_rules_without_any_decision_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "MOST_SKIPPED", 20)
    always_out = {"hand_size": 1, "starter_missing": "redeal"}  # whoever holds the starter lays it
    env = made(max_pip=2, players=2, starter_arms=1, toes=1, episode="round", **always_out)
    with pytest.raises(RuntimeError, match="no decision in 20 episodes"):
        env.reset(seed=1)


def test_wrong_use_is_refused() -> None:
    with pytest.raises(ValueError, match="play_forced='no': allowed are True and False"):
        made("no")  # type: ignore[arg-type]
    with pytest.raises(gymnasium.error.ResetNeeded):
        made().step(0)
