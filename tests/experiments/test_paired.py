"""Differences of pairs: which games count, and how likely chance alone is to make them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from experiments import results, statistics
from experiments.statistics.paired import holm, sign_flip


def tally(games: np.ndarray, points: np.ndarray) -> results.Tally:
    """A tally of two seats with these games and points, each (D, L, E)."""
    return results.Tally(2, games, points, 0 * points, 0 * points)


def test_difference_uses_shared_blocks_only() -> None:
    """Entries 0 and 1 share line-up 0 alone; what 0 does in line-up 1 does not count."""
    games = np.array([[[1, 1, 0], [1, 0, 1]], [[1, 1, 0], [1, 0, 1]]])
    points = np.array([[[10, 14, 0], [99, 0, 5]], [[20, 22, 0], [99, 0, 5]]])
    found = statistics.differences(tally(games, points), 0, 1)
    assert found is not None and found.tolist() == [4.0, 2.0]
    pair, *others = statistics.pairs(tally(games, points), [0, 1, 2])
    assert (pair.one, pair.other, pair.difference.mean) == (0, 1, 3.0)
    assert pair.difference.high == pytest.approx(3.0 + 12.7062047, abs=1e-6)  # t(0.975, 1), sqrt 2
    assert [(one.one, one.other, one.together) for one in others] == [(0, 2, True), (1, 2, False)]


def test_sign_flip_of_few_deals_is_exact() -> None:
    """Of the 32 ways to flip five positive numbers only two have a mean as far from zero."""
    assert sign_flip(np.array([1.0, 2.0, 3.0, 4.0, 5.0])) == 2 / 32
    assert sign_flip(np.array([1.0, 2.0, 3.0, 4.0, -5.0])) == enumerated([1, 2, 3, 4, -5])


def enumerated(numbers: list[int]) -> float:
    """The share of all ways to flip whose sum is as far from zero."""
    ways = [*itertools.product((1, -1), repeat=len(numbers))]
    sums = [abs(sum(s * n for s, n in zip(signs, numbers, strict=True))) for signs in ways]
    return sum(found >= abs(sum(numbers)) for found in sums) / len(ways)


def test_sign_flip_of_many_deals_is_close_to_the_normal_test() -> None:
    """A mean of two standard errors: p = 0.0455; and the same in 1,000 deals, which are pooled."""
    for deals in (100, 1000):
        draws = np.random.default_rng(4).normal(size=deals)
        draws = (draws - draws.mean()) / draws.std()
        assert sign_flip(draws + 2 / deals**0.5) == pytest.approx(0.0455, abs=0.02)


def test_an_agent_against_its_copy_has_p_one() -> None:
    assert sign_flip(np.zeros(40)) == 1.0
    assert sign_flip(np.array([3.0])) == 1.0


def test_an_agent_against_itself_is_called_different_one_time_in_20() -> None:
    draws = np.random.default_rng(6).laplace(size=(300, 30))
    called = sum(sign_flip(row, seed) < 0.05 for seed, row in enumerate(draws))
    assert 4 <= called <= 26  # three standard deviations


def test_holm_by_hand() -> None:
    """0.01 x 3, 0.02 x 2; 0.03 x 1 may not be below the one before."""
    assert holm([0.03, 0.01, 0.02]) == [0.04, 0.03, 0.04]
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_holm_keeps_the_chance_of_any_false_alarm() -> None:
    """Six true nulls, 2,000 times: at most 5 % have any below 0.05; without it, a quarter."""
    chances = np.random.default_rng(7).uniform(size=(2000, 6))
    corrected = np.mean([min(holm(row.tolist())) < 0.05 for row in chances])
    assert 0.035 < corrected < 0.065
    assert np.mean(chances.min(axis=1) < 0.05) > 0.2
