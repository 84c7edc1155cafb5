"""The board as text."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from playing import VARIANTS, act, place, turns

from chickenfoot_env import chickenfoot_v0

BOARD = """\
Round 1 of 1, starter 9-9             player_1 to act
FOOT 6/2: 2 more on the 6             boneyard 2 tiles

Open ends: 2 3 5 6 6 8

  player_0     0 points   1 tile     2-9
> player_1     0 points   2 tiles    1-1 4-8
"""


def test_the_board_shows_the_position() -> None:
    env = chickenfoot_v0.env(players=2, rounds=(9,), render_mode="ansi")
    env.reset(seed=1)
    place(env.unwrapped, "FOOT 6/2 | 2 3 5 8 | 2-9 / 1-1 4-8 | 3-5 0-6 | 1")
    assert env.render() == BOARD
    act(env.unwrapped, "DRAW")
    assert "player_1 to act, has drawn" in env.render()


def test_the_board_says_how_the_game_ended() -> None:
    env = chickenfoot_v0.raw_env(players=2, rounds=(9,), render_mode="ansi")
    env.reset(seed=1)
    place(env, "OPEN | 3 | 3-4 / 1-2 | - | 0")
    act(env, "3-4@3")
    board = env.render()
    assert "over: went_out" in board
    assert "player_0     0 points   0 tiles    -" in board
    assert "player_1     3 points   1 tile     1-2" in board
    assert ">" not in board


@pytest.mark.parametrize("name", VARIANTS)
def test_the_board_fits_80_columns(name: str, rng: np.random.Generator) -> None:
    env = chickenfoot_v0.raw_env(render_mode="ansi", **VARIANTS[name])
    env.reset(seed=31)
    for _ in turns(env, rng, limit=300):
        lines = env.render().splitlines()
        assert max(map(len, lines)) <= 80
        assert len(lines) >= 5 + env.rules.players


def test_without_a_mode_render_warns_and_shows_nothing() -> None:
    env = chickenfoot_v0.raw_env()
    env.reset(seed=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert env.render() is None
    assert any("render_mode" in str(warning.message) for warning in caught)
