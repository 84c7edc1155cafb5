"""Who gains when rounds end blocked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_results import header

from experiments import figures, store
from experiments.statistics import blocked
from experiments.statistics.intervals import MOST

RNG = np.random.default_rng(4)
DEALS, GAMES = 30, 2


def write(path: Path, blocked_rounds: np.ndarray, points: np.ndarray) -> Path:
    """Three agents at two seats: (D, 3, 2) blocked rounds, (D, 3, 2, 2) points by place."""
    about = header(["a", "b", "c"], 2, DEALS)
    with store.writing(path, about) as results:
        for number in range(3 * DEALS):
            deal, line_up = divmod(number, 3)
            entries = about.line_ups[line_up]
            games = [(r, 10, int(blocked_rounds[deal, line_up, r])) for r in range(GAMES)]
            seats = [
                (r, place, entries[place], int(points[deal, line_up, r, place]), 1)
                for r in range(GAMES)
                for place in range(2)
            ]
            results.add(store.Block(number, deal, line_up, games, seats, [], []))
    return path


def test_the_gain_is_the_slope_within_line_ups(tmp_path: Path) -> None:
    """Against least squares with a constant for each line-up; tables differ in both figures."""
    rounds = RNG.integers(0, 6, (DEALS, 3, GAMES)) + np.array([0, 3, 0])[:, None]
    points = RNG.integers(0, 90, (DEALS, 3, GAMES, 2))
    points[..., 0] -= 4 * rounds + np.array([0, 50, 0])[:, None]  # a gains, and so does b against c
    found = figures.summary(write(tmp_path / "r", rounds, points + 300))
    gains = {agent["name"]: agent for agent in found["agents"]}
    margin = points[..., 1] - points[..., 0]  # of the first place
    sits = {"a": [(0, 1), (1, 1)], "b": [(0, -1), (2, 1)], "c": [(1, -1), (2, -1)]}
    for name, seats in sits.items():  # its line-ups, and the sign of its margin there
        x = np.concatenate([rounds[:, line_up].ravel() for line_up, _ in seats])
        y = np.concatenate([sign * margin[:, line_up].ravel() for line_up, sign in seats])
        table = np.repeat(np.eye(2), DEALS * GAMES, axis=0)
        (slope, *_), *_ = np.linalg.lstsq(np.column_stack([x, table]), y, rcond=None)
        agent = gains[name]
        assert agent["blocked_gain"] == pytest.approx(slope)
        assert agent["blocked_gain_low"] < slope < agent["blocked_gain_high"]
    assert gains["a"]["blocked_gain_low"] > 0 > gains["c"]["blocked_gain_high"]


def test_without_any_difference_in_blocked_rounds_there_is_no_gain(tmp_path: Path) -> None:
    """Within a line-up; that the line-ups differ does not matter."""
    rounds = np.broadcast_to(np.array([1, 2, 3])[:, None], (DEALS, 3, GAMES))
    found = figures.summary(
        write(tmp_path / "r", rounds, RNG.integers(0, 90, (DEALS, 3, GAMES, 2)))
    )
    assert {agent["blocked_gain"] for agent in found["agents"]} == {None}


def test_the_interval_is_as_wide_as_chance_makes_it() -> None:
    """Of 300 made-up tournaments without any gain, about 95 % have 0 in it."""
    rng, held = np.random.default_rng(5), 0
    for _ in range(300):
        luck = rng.normal(0, 9, (MOST + 1, 1, 1))  # of the deal, in all of its games
        x = rng.integers(0, 5, (MOST + 1, 1, 4))
        y = (rng.normal(0, 9, x.shape) + luck).round().astype(np.int64)
        parts = (np.ones_like(x), x, y, x * x, x * y)
        sums = np.stack([part.sum(axis=2) for part in parts], axis=-1)
        (found,) = blocked.gains(sums[:, :, None], 2)
        assert found is not None and found.low is not None and found.high is not None
        held += found.low <= 0 <= found.high
    assert 275 <= held <= 294
