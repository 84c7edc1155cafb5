"""Means with intervals: against numbers worked out by hand, and against what 95 % promises."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from experiments import results, statistics
from experiments.statistics import Estimate
from experiments.statistics.entries import skill_index
from experiments.statistics.intervals import expanded, pooled


def test_interval_of_hand_computed_numbers() -> None:
    """1, 2, 3, 4: mean 2.5, s = sqrt(5/3), t(0.975, 3) = 3.182446: half width 2.054260."""
    found = statistics.estimate(np.array([1.0, 2.0, 3.0, 4.0]))
    assert (found.mean, found.method) == (2.5, "t")
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


@pytest.mark.parametrize(
    ("deals", "method"), [(2, "t"), (9, "t"), (10, "BCa"), (500, "BCa"), (501, "t")]
)
def test_the_method_follows_from_the_number_of_deals(deals: int, method: str) -> None:
    draws = np.random.default_rng(1).normal(size=deals)
    assert statistics.estimate(draws).method == method


def test_deals_that_are_all_alike_have_a_point_for_an_interval() -> None:
    assert statistics.estimate(np.full(40, 0.25)) == Estimate(0.25, 0.25, 0.25, "constant")


def test_bootstrap_is_accelerated_for_skewed_deals() -> None:
    """The side of the long tail is the longer one, as it is not in a t-interval."""
    found = statistics.estimate(np.random.default_rng(2).gamma(1.0, 1.0, size=60))
    assert found.high is not None and found.low is not None
    assert found.high - found.mean > 1.1 * (found.mean - found.low)


def test_equal_numbers_have_equal_intervals_and_another_seed_has_others() -> None:
    draws = np.random.default_rng(3).normal(size=50)
    assert statistics.estimate(draws, 7) == statistics.estimate(draws.copy(), 7)
    assert statistics.estimate(draws, 7) != statistics.estimate(draws, 8)


def test_level_of_the_bootstrap_is_raised_for_few_deals() -> None:
    """With n = 10: t(0.975, 9) = 2.262157, times sqrt(10 / 9): 2.384524 normal deviations."""
    assert expanded(10) == pytest.approx(2 * norm.cdf(2.384524) - 1, abs=1e-7)
    assert expanded(500) == pytest.approx(0.95, abs=1e-3)


@pytest.mark.parametrize("count", [3, 500, 501, 1234])
def test_pooled_deals_are_neighbours_and_add_up(count: int) -> None:
    deals = np.arange(2 * count).reshape(count, 2)
    found = pooled(deals)
    assert len(found) == min(count, 500)
    assert found.sum(axis=0).tolist() == deals.sum(axis=0).tolist()
    sizes = pooled(np.ones(count, np.int64))
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("deals", [12, 30])
def test_intervals_cover_the_truth_95_times_in_100(deals: int) -> None:
    """600 tournaments; skewed observations, as points are."""
    draws = np.random.default_rng(2).gamma(4.0, 1.0, size=(600, deals))
    found = [statistics.estimate(row, seed) for seed, row in enumerate(draws)]
    covered = np.mean([e.low <= 4.0 <= e.high for e in found])  # type: ignore[operator]
    assert 0.925 < covered < 0.975


def test_blocks_of_a_deal_are_one_observation() -> None:
    """Three line-ups share each deal's luck: counted as independent, they cover far too rarely."""
    rng = np.random.default_rng(3)
    luck = rng.normal(0, 10, size=(1000, 20, 1))
    points = np.round(100 + luck + rng.normal(0, 1, size=(1000, 20, 3))).astype(np.int64)
    by_deal, by_block = 0, 0
    for tournament in points[:500]:
        games = np.ones((20, 3, 1), np.int64)
        own = tournament[:, :, None]
        tally = results.Tally(2, games, own, own + 100, 0 * games)
        margin = statistics.entries(tally)[0].margin
        naive = statistics.student((100.0 - tournament).ravel())
        assert margin.mean == pytest.approx(naive.mean)
        by_deal += margin.low <= 0 <= margin.high  # type: ignore[operator]
        by_block += naive.low <= 0 <= naive.high  # type: ignore[operator]
    assert 0.92 < by_deal / 500 < 0.98
    assert by_block / 500 < 0.85


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


def test_a_seat_that_is_better_shows_in_its_margin() -> None:
    """Two seats, two games a deal: seat 0 has 10 points less in both."""
    points = np.array([[20, 40], [60, 80], [20, 40]])
    better, worse = statistics.seats(points, games=2)
    assert (better.mean, better.low, worse.mean) == (10.0, 10.0, -10.0)


def test_skill_index_by_hand() -> None:
    """Random -20, oracle 20, the agent 10: three quarters of the way."""
    low, high = np.array([-19.0, -21.0]), np.array([19.0, 21.0])
    found = skill_index(np.array([9.5, 10.5]), low, high)
    assert found is not None and found.mean == 0.75
    for yardstick, index in ((low, 0.0), (high, 1.0)):
        one = skill_index(yardstick, low, high)
        assert one is not None and (one.mean, one.low, one.high) == (index, index, index)


def test_no_skill_index_where_the_yardsticks_are_not_apart() -> None:
    apart = np.array([-1.0, 1.0, 0.5])
    assert skill_index(apart, 0 * apart, apart) is None
    assert skill_index(apart, 0 * apart, -5 + 0.1 * apart) is None


def test_interval_of_a_skill_index_covers_the_truth() -> None:
    """A ratio of two noisy means that share their luck: 0.5."""
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(250):
        luck = rng.normal(0, 10, size=60)
        low, high, agent = (luck + rng.normal(m, 5, size=60) for m in (-10, 10, 0))
        found = skill_index(agent, low, high)
        assert found is not None and found.low is not None and found.high is not None
        covered += found.low <= 0.5 <= found.high
    assert 0.91 < covered / 250 < 0.99
