"""Keywords, the order of calls, and what importing costs: each mistake is named."""

from __future__ import annotations

import logging
import subprocess
import sys
from typing import Any

import gymnasium
import pytest

import chickenfoot_env
from chickenfoot_env import Rules, RulesError, chickenfoot_v0
from chickenfoot_env.presets import PRESETS
from chickenfoot_env.rules import REFUSED
from chickenfoot_env.rules_text import seat_counts

MAKE = [chickenfoot_v0.env, chickenfoot_v0.raw_env]


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"reward": "score"}, "reward='score': allowed are 'points', 'win'"),
        ({"episode": "match"}, "episode='match': allowed are 'game', 'round'"),
        ({"on_illegal": "ignore"}, "allowed are 'raise', 'forfeit', 'random_legal'"),
        ({"mask_idle": 0}, "mask_idle=0: allowed are 'zeros', 'ones'"),
        ({"render_mode": "png"}, "allowed are None, 'ansi', 'svg', 'rgb_array', 'human'"),
        ({"max_cycles": 0}, "max_cycles=0: allowed are whole numbers from 1, or None"),
        ({"max_cycles": 1.5}, r"max_cycles=1\.5: allowed"),
        ({"players": 8}, "8 players x 7 tiles = 56 tiles, but a double-9 set has 55"),
        ({"seats": 4}, "no keyword 'seats'; there are rules, .*players.*and reward"),
        ({"rules": Rules(), "players": 3}, "both rules and players are given"),
        ({"rules": "seed"}, "rules='seed': wanted is a Rules object"),
        ({"last_double": "costs"}, "last_double='costs': allowed are free, penalty, forbidden"),
        *(({name: 1}, f"^{name}: .*not supported") for name in REFUSED),
    ],
)
@pytest.mark.parametrize("make", MAKE)
def test_a_wrong_keyword_is_named(make: Any, keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        make(**keywords)
    assert "\n" not in str(caught.value)


def test_rules_come_whole_or_by_field() -> None:
    rules = Rules(players=3, toes=2)
    assert chickenfoot_v0.raw_env(rules=rules).rules is rules
    assert chickenfoot_v0.raw_env(players=3, toes=2).rules == rules
    assert chickenfoot_v0.raw_env().rules == Rules.preset("seed")


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_played_to_its_end(name: str) -> None:
    for players in (seat_counts(name)[0], seat_counts(name)[-1]):
        rules = Rules.preset(name, players=players)
        env = chickenfoot_v0.env(rules=rules, episode="round")
        env.reset(seed=1)
        for _ in env.agent_iter():
            observation, _reward, termination, truncation, _info = env.last()
            mask = observation["action_mask"]
            env.step(None if termination or truncation else int(mask.argmax()))
        assert env.outcome in ("went_out", "blocked")
        assert env.possible_agents == [f"player_{seat}" for seat in range(players)]


@pytest.mark.parametrize("name", ["reward", "rules"])
def test_settings_and_rules_cannot_be_changed_later(name: str) -> None:
    env = chickenfoot_v0.raw_env()
    with pytest.raises(AttributeError):
        env.settings.reward = "win"
    with pytest.raises(AttributeError):
        env.rules.players = 2


@pytest.mark.parametrize(
    "call",
    [
        lambda env: env.step(0),
        lambda env: env.observe("player_0"),
        lambda env: env.last(),
        lambda env: env.render(),
        lambda env: env.state(),
        lambda env: env.view("player_0"),
        lambda env: env.action_masks(),
        lambda env: env.returns(),
        lambda env: env.is_over,
        lambda env: env.outcome,
        lambda env: env.get_state(),
        lambda env: env.agents,
        lambda env: env.num_agents,
        lambda env: env.rewards,
        lambda env: next(iter(env.agent_iter())),
    ],
)
@pytest.mark.parametrize("make", MAKE)
def test_before_a_reset_everything_asks_for_one(make: Any, call: Any) -> None:
    env = make(render_mode="ansi")
    errors = (AttributeError, AssertionError, gymnasium.error.ResetNeeded)
    with pytest.raises(errors, match="reset"):
        call(env)


def test_an_unknown_agent_is_named() -> None:
    env = chickenfoot_v0.raw_env(players=3)
    env.reset(seed=1)
    for call in (env.observe, env.view, env.action_space, env.observation_space, env.infoset_key):
        with pytest.raises(ValueError, match="no agent 'player_3': they are player_0 to player_2"):
            call("player_3")


def test_an_unknown_attribute_is_an_attribute_error() -> None:
    env = chickenfoot_v0.raw_env()
    assert not hasattr(env, "board")
    with pytest.raises(AttributeError, match="ChickenFootEnv has no attribute 'board'"):
        _ = env.board


def test_unknown_reset_options_are_logged_and_change_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    env, other = chickenfoot_v0.raw_env(), chickenfoot_v0.raw_env()
    with caplog.at_level(logging.WARNING, "chickenfoot_env"):
        env.reset(seed=1, options={"starter": 9})
    assert "starter" in caplog.text
    other.reset(seed=1)
    assert env.get_state() == other.get_state()


def test_agents_are_named_and_metadata_are_complete() -> None:
    env = chickenfoot_v0.env(players=3)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    assert env.metadata["name"] == "chickenfoot_v0"
    assert env.metadata["is_parallelizable"] is False
    assert type(env.unwrapped).metadata["render_modes"] == ["ansi", "svg", "rgb_array", "human"]
    assert env.metadata["render_fps"] > 0
    assert str(env) == "chickenfoot_v0"


def test_public_methods_are_reached_through_the_wrappers() -> None:
    env = chickenfoot_v0.env()
    env.reset(seed=1)
    assert env.is_over is False
    assert env.action_masks().any()
    assert env.returns().tolist() == [0.0] * 4
    assert env.clone().get_state() == env.get_state()
    assert env.outcome is None


def test_importing_the_package_loads_no_compiler_no_torch_and_no_plots() -> None:
    code = (
        "import sys, chickenfoot_env\n"
        "chickenfoot_env.Rules(), chickenfoot_env.__version__\n"
        "heavy = {'numba', 'llvmlite', 'torch', 'matplotlib', 'pygame', 'scipy'} & {*sys.modules}\n"
        "assert not heavy, heavy\n"
        "env = chickenfoot_env.chickenfoot_v0.env(render_mode='svg')\n"
        "env.reset(seed=1), env.render()\n"
        "heavy = {'torch', 'matplotlib', 'pygame'} & {*sys.modules}\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_package_names_its_modules_and_refuses_others() -> None:
    assert "chickenfoot_v0" in dir(chickenfoot_env)
    assert chickenfoot_env.RulesError is RulesError
    with pytest.raises(AttributeError, match="'chickenfoot_env' has no attribute 'nothing'"):
        _ = chickenfoot_env.nothing
