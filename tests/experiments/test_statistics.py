"""Estimates: against numbers worked out by hand, and against what 95 % promises."""

from __future__ import annotations

import numpy as np
import pytest

from experiments import results, statistics
from experiments.statistics import Estimate


def test_interval_of_hand_computed_numbers() -> None:
    """1, 2, 3, 4: mean 2.5, s = sqrt(5/3), t(0.975, 3) = 3.182446: half width 2.054260."""
    found = statistics.estimate(np.array([1.0, 2.0, 3.0, 4.0]))
    assert found.mean == 2.5
    assert found.low == pytest.approx(2.5 - 2.054260, abs=1e-6)
    assert found.high == pytest.approx(2.5 + 2.054260, abs=1e-6)


def test_one_deal_has_no_interval() -> None:
    assert statistics.estimate(np.array([7.0])) == Estimate(7.0, None, None)


def test_no_deal_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one deal"):
        statistics.estimate(np.array([]))


@pytest.mark.parametrize(
    ("low", "high", "differs"),
    [
        (0.1, 2.0, True),
        (-2.0, -0.1, True),
        (-1.0, 1.0, False),
        (0.0, 0.0, False),
        (None, None, False),
    ],
)
def test_differs_only_if_zero_is_outside(
    low: float | None, high: float | None, differs: bool
) -> None:
    assert Estimate(1.0, low, high).differs is differs


def test_intervals_cover_the_truth_95_times_in_100() -> None:
    """4,000 tournaments of 30 deals; skewed observations, as points are."""
    draws = np.random.default_rng(2).gamma(4.0, 1.0, size=(4000, 30))
    found = [statistics.estimate(row) for row in draws]
    covered = np.mean([e.low <= 4.0 <= e.high for e in found])  # type: ignore[operator]
    assert 0.93 < covered < 0.97


def test_blocks_of_a_deal_are_one_observation() -> None:
    """Three line-ups share each deal's luck: counted as independent, they cover far too rarely."""
    rng = np.random.default_rng(3)
    luck = rng.normal(0, 10, size=(1000, 20, 1))
    points = np.round(100 + luck + rng.normal(0, 1, size=(1000, 20, 3))).astype(np.int64)
    by_deal, by_block = 0, 0
    for tournament in points:
        games = np.ones((20, 3, 1), np.int64)
        own = tournament[:, :, None]
        tally = results.Tally(2, games, own, own + 100, 0 * games)
        margin = statistics.entries(tally)[0].margin
        naive = statistics.estimate((100.0 - tournament).ravel())
        assert margin.mean == pytest.approx(naive.mean)
        by_deal += margin.low <= 0 <= margin.high  # type: ignore[operator]
        by_block += naive.low <= 0 <= naive.high  # type: ignore[operator]
    assert 0.93 < by_deal / 1000 < 0.97
    assert by_block / 1000 < 0.85


def test_entry_figures_of_a_hand_made_table() -> None:
    """One deal, 3 seats, 2 games: entry 0 has 10 and 20 of totals 60 and 80, and one shared win."""
    tally = results.Tally(
        3,
        games=np.array([[[2]]]),
        points=np.array([[[30]]]),
        totals=np.array([[[140]]]),
        win_units=np.array([[[results.WIN_UNITS // 2]]]),
    )
    (entry,) = statistics.entries(tally)
    assert (entry.games, entry.mean_points) == (2, 15.0)
    assert entry.margin.mean == ((50 / 2 - 10) + (60 / 2 - 20)) / 2
    assert entry.win_share.mean == 0.25


def test_win_share_interval_stays_between_0_and_1() -> None:
    wins = np.array([0, 0, 0, 0, 0, 0, 0, 1]) * results.WIN_UNITS
    ones = np.ones((8, 1, 1), np.int64)
    tally = results.Tally(2, ones, ones, 2 * ones, wins.reshape(8, 1, 1))
    share = statistics.entries(tally)[0].win_share
    assert share.low == 0.0
    assert share.high is not None and share.high < 1.0


def test_paired_difference_uses_shared_blocks_only() -> None:
    """Entries 0 and 1 share line-up 0 alone; what 0 does in line-up 1 does not count."""
    games = np.array([[[1, 1, 0], [1, 0, 1]], [[1, 1, 0], [1, 0, 1]]])
    points = np.array([[[10, 14, 0], [99, 0, 5]], [[20, 22, 0], [99, 0, 5]]])
    tally = results.Tally(2, games, points, 0 * points, 0 * points)
    found = statistics.paired(tally, 0, 1)
    assert found is not None
    assert found.mean == 3.0
    assert found.high == pytest.approx(3.0 + 12.7062047, abs=1e-6)  # t(0.975, 1), s = sqrt 2
    assert statistics.paired(tally, 1, 2) is None
