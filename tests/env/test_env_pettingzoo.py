"""PettingZoo's own tests and tools accept the environment."""

from __future__ import annotations

import importlib
import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pettingzoo
import pettingzoo.test as checks
import pytest
from pettingzoo.utils import aec_to_parallel
from pettingzoo.utils.wrappers import MultiEpisodeEnv, TerminateIllegalWrapper
from playing import VARIANTS, play, turns
from quiet import no_other_warnings

import chickenfoot_env
from chickenfoot_env import chickenfoot_v0
from chickenfoot_env.env import ChickenFootEnv


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("make", [chickenfoot_v0.env, chickenfoot_v0.raw_env])
def test_api_test_passes_without_other_warnings(make: Any, name: str) -> None:
    with no_other_warnings():
        checks.api_test(make(**VARIANTS[name]), num_cycles=150)


@pytest.mark.parametrize("name", VARIANTS)
def test_seed_test_passes(name: str) -> None:
    checks.seed_test(partial(chickenfoot_v0.env, **VARIANTS[name]), num_cycles=100)


@pytest.mark.parametrize("make", [chickenfoot_v0.env, chickenfoot_v0.raw_env])
def test_render_test_passes(make: Any) -> None:
    checks.render_test(make)


@pytest.mark.parametrize("players", [2, 5, 7])
def test_state_test_passes(players: int) -> None:
    # It samples without a mask and wants a parallel twin, which this game has not.
    state_test = importlib.import_module("pettingzoo.test.state_test")
    env = chickenfoot_v0.env(players=players, on_illegal="random_legal")
    with no_other_warnings():
        state_test.test_state_space(env)
        state_test.test_state(env, num_cycles=100)


def test_save_obs_finds_no_picture_to_save(capsys: pytest.CaptureFixture[str]) -> None:
    checks.test_save_obs(chickenfoot_v0.env())
    assert "did not save" in capsys.readouterr().out


def test_api_test_passes_inside_the_wrapper_that_terminates_illegal_moves() -> None:
    with no_other_warnings():
        checks.api_test(TerminateIllegalWrapper(chickenfoot_v0.raw_env(), -1), num_cycles=150)


def test_the_wrapper_that_terminates_illegal_moves_ends_the_episode_for_all() -> None:
    env = TerminateIllegalWrapper(chickenfoot_v0.raw_env(), -1)
    env.reset(seed=3)
    offender = env.agent_selection
    env.step(int(np.argmin(env.observe(offender)["action_mask"])))
    assert env.unwrapped.is_over
    rewards = {turn.agent: turn.reward for turn in play(env, np.random.default_rng(0))}
    assert rewards == {agent: -1 if agent == offender else 0 for agent in env.possible_agents}
    assert env.agents == []


def test_the_wrapper_of_several_episodes_plays_them_and_loses_no_reward(
    rng: np.random.Generator,
) -> None:
    env = MultiEpisodeEnv(chickenfoot_v0.env(players=3, episode="round"), num_episodes=3)
    env.reset(seed=1)
    told, results = dict.fromkeys(env.possible_agents, 0.0), []
    for turn in turns(env, rng):
        told[turn.agent] += turn.reward
        if turn.termination and len(env.agents) == 1:
            results.append(env.unwrapped.returns())
    assert len(results) == 3 and env.agents == []
    assert list(told.values()) == pytest.approx(sum(results))


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="its registry came with 1.27")
def test_the_registry_makes_the_environment() -> None:
    env = pettingzoo.make("aec", chickenfoot_env.ID, players=3, max_cycles=9)
    assert isinstance(env.unwrapped, ChickenFootEnv)
    assert env.unwrapped.rules.players == 3
    assert env.unwrapped.settings.max_cycles == 9


def test_a_pettingzoo_without_a_registry_is_enough() -> None:
    code = (
        "import pettingzoo; vars(pettingzoo).pop('register', None)\n"
        "from chickenfoot_env import chickenfoot_v0; chickenfoot_v0.env().reset(seed=1)"
    )
    subprocess.run([sys.executable, "-W", "error::DeprecationWarning", "-c", code], check=True)


def test_a_parallel_version_is_refused_with_a_hint() -> None:
    with pytest.raises(AssertionError):
        aec_to_parallel(chickenfoot_v0.env())
    with pytest.raises(AttributeError, match=r"chickenfoot_env\.vector_env"):
        _ = chickenfoot_v0.parallel_env
