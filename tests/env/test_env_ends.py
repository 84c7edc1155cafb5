"""How episodes end, and how the seats leave."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playing import VARIANTS, act, pick, place, play, turns

import chickenfoot_env
from chickenfoot_env import chickenfoot_v0

BOTH = [chickenfoot_v0.env, chickenfoot_v0.raw_env]


@pytest.mark.parametrize("name", VARIANTS)
def test_is_over_with_the_last_action_and_empty_once_all_have_left(
    name: str, rng: np.random.Generator
) -> None:
    env = chickenfoot_v0.env(**VARIANTS[name])
    env.reset(seed=8)
    assert env.unwrapped.is_over is False
    while not env.unwrapped.is_over:
        assert env.agents == env.possible_agents
        assert env.agent_selection in env.agents
        assert not any(env.terminations.values()) and not any(env.truncations.values())
        env.step(pick(env.unwrapped.action_masks(), rng))
    assert env.agents == env.possible_agents
    for left in range(len(env.agents), 0, -1):
        assert len(env.agents) == left
        assert env.agent_selection in env.agents
        env.step(None)
    assert env.agents == []
    assert env.unwrapped.is_over is True


@pytest.mark.parametrize("name", VARIANTS)
def test_all_seats_end_in_the_same_way(name: str, rng: np.random.Generator) -> None:
    env = chickenfoot_v0.raw_env(**VARIANTS[name])
    env.reset(seed=9)
    for _ in turns(env, rng):
        flags = {*zip(env.terminations.values(), env.truncations.values(), strict=True)}
        assert len(flags) == 1
        assert flags != {(True, True)}
        assert (env.outcome is not None) == env.is_over == (flags != {(False, False)})
        for flag in (*env.terminations.values(), *env.truncations.values()):
            assert type(flag) is bool


def test_the_last_tile_is_a_win_even_where_nobody_else_could_play() -> None:
    env = chickenfoot_v0.raw_env(players=2, rounds=(9,))
    env.reset(seed=1)
    place(env, "OPEN | 3 | 3-4 / 1-2 | - | 0")
    act(env, "3-4@3")
    assert env.outcome == "went_out"
    assert {info["outcome"] for info in env.infos.values()} == {"went_out"}
    assert env.rewards == {"player_0": 3.0, "player_1": -3.0}


def test_a_round_is_blocked_when_the_boneyard_is_empty_and_nobody_can_play() -> None:
    env = chickenfoot_v0.raw_env(players=2, rounds=(9,))
    env.reset(seed=1)
    place(env, "OPEN | 3 | 3-4 0-8 / 1-2 | - | 0")
    act(env, "3-4@3")
    assert env.outcome == "blocked"
    assert env.infos["player_1"] == {"round_outcome": "blocked", "outcome": "blocked"}


@pytest.mark.parametrize("cycles", [1, 2, 50])
def test_max_cycles_truncates_all_after_exactly_so_many_actions(
    cycles: int, rng: np.random.Generator
) -> None:
    env = chickenfoot_v0.env(max_cycles=cycles)
    for seed in range(5):
        env.reset(seed=seed)
        played = [turn for turn in turns(env, rng) if not turn.truncation]
        assert len(played) == cycles
        assert env.unwrapped.outcome == "truncated"


def test_a_game_that_ends_with_the_last_cycle_is_not_truncated() -> None:
    env = chickenfoot_v0.raw_env(players=2, rounds=(9,), max_cycles=1)
    hands = {"3-4 0-9 / 1-2 4-4": "truncated", "3-4 / 1-2 4-4": "went_out"}
    for hand, outcome in hands.items():
        env.reset(seed=1)
        place(env, f"OPEN | 3 | {hand} | - | 0")
        act(env, "3-4@3")
        assert env.outcome == outcome
        assert set(env.truncations.values()) == {outcome == "truncated"}
        assert set(env.terminations.values()) == {outcome == "went_out"}


@pytest.mark.parametrize("make", BOTH)
def test_a_seat_that_is_done_takes_none_only_and_a_playing_one_never(make: Any) -> None:
    env = make(players=2, max_cycles=1)
    env.reset(seed=1)
    with pytest.raises((ValueError, AssertionError)):
        env.step(None)
    env.step(pick(env.unwrapped.action_masks(), np.random.default_rng(0)))
    with pytest.raises(ValueError, match=r"step\(101\): player_\d is done.*None"):
        env.step(101)
    assert len(env.agents) == 2


def test_after_the_last_has_left_only_a_reset_goes_on() -> None:
    env = chickenfoot_v0.raw_env(players=2, max_cycles=1)
    env.reset(seed=1)
    play(env, np.random.default_rng(0))
    with pytest.raises(Exception, match=r"step\(None\) after the episode.*reset\(\)"):
        env.step(None)
    env.reset()
    assert env.agents == env.possible_agents


def test_a_reset_in_mid_leaving_starts_afresh(rng: np.random.Generator) -> None:
    env = chickenfoot_v0.env(max_cycles=3)
    env.reset(seed=1)
    while not env.unwrapped.is_over:
        env.step(pick(env.unwrapped.action_masks(), rng))
    env.step(None)
    env.reset(seed=1)
    assert env.agents == env.possible_agents
    assert len(play(env, rng)) == 3 + 4


def test_the_turn_order_is_the_games_own() -> None:
    for path in Path(chickenfoot_env.__file__).parent.rglob("*.py"):
        assert "AgentSelector" not in path.read_text(), path
        assert "EzPickle" not in path.read_text(), path


@pytest.mark.parametrize("name", VARIANTS)
def test_episodes_end_within_the_proven_bound(name: str, rng: np.random.Generator) -> None:
    env = chickenfoot_v0.raw_env(**VARIANTS[name])
    rules = env.rules
    plays = rules.tiles - (rules.players - 1)  # in one round; a turn may take a draw and a pass
    bound = len(rules.starters) * (rules.players * plays + 2 * rules.boneyard)
    for seed in range(5):
        env.reset(seed=seed)
        assert sum(not turn.termination for turn in turns(env, rng)) <= bound


def test_importing_warns_of_nothing_deprecated() -> None:
    code = "import chickenfoot_env.chickenfoot_v0"
    subprocess.run([sys.executable, "-W", "error::DeprecationWarning", "-c", code], check=True)
