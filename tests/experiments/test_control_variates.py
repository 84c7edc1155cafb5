"""Luck taken out of a mean: without bias, and with intervals that hold."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.statistics.control_variates import adjusted, explained

SLOPES = np.array([2.0, 0.0])


def drawn(rng: np.random.Generator, deals: int) -> tuple[np.ndarray, np.ndarray]:
    """Margins with mean 1 that follow the first feature, not only in a line; features of mean 0."""
    centred = rng.exponential(size=(deals, 2)) - 1
    curved = centred[:, 0] ** 2 - 1
    return 1 + centred @ SLOPES + curved + rng.normal(size=deals), centred


def test_luck_that_features_explain_is_taken_out() -> None:
    observations, centred = drawn(np.random.default_rng(1), 2000)
    found = adjusted(observations, centred)
    assert found is not None
    assert found.gain > 3
    assert found.value.mean == pytest.approx(1, abs=0.15)


def test_the_adjusted_mean_is_unbiased_even_where_the_line_is_wrong() -> None:
    """2,000 tournaments of 40 deals. Slopes from the same deals would be off by far."""
    rng = np.random.default_rng(2)
    found, naive = [], []
    for _ in range(2000):
        observations, centred = drawn(rng, 40)
        found.append((observations - explained(observations, centred)).mean())
        line = np.linalg.lstsq(np.column_stack([np.ones(40), centred]), observations, rcond=None)[0]
        naive.append(line[0])
    error = np.std(found) / 2000**0.5
    assert abs(np.mean(found) - 1) < 3 * error
    assert abs(np.mean(naive) - 1) > 5 * np.std(naive) / 2000**0.5


def test_adjusted_intervals_cover_the_truth_and_are_narrower() -> None:
    rng = np.random.default_rng(3)
    covered, narrower = 0, 0
    for seed in range(150):
        observations, centred = drawn(rng, 200)
        found = adjusted(observations, centred, seed)
        assert found is not None and found.value.low is not None and found.value.high is not None
        covered += found.value.low <= 1 <= found.value.high
        narrower += found.gain > 1
    assert 0.90 < covered / 150 < 0.99
    assert narrower > 145


def test_features_that_explain_nothing_cost_next_to_nothing() -> None:
    rng = np.random.default_rng(4)
    found = adjusted(rng.normal(size=400), rng.normal(size=(400, 3)))
    assert found is not None and 0.95 < found.gain < 1.05


@pytest.mark.parametrize(
    ("observations", "centred"),
    [
        (np.arange(199.0), np.arange(199.0)[:, None]),
        (np.arange(200.0), np.zeros((200, 3))),
        (np.arange(200.0), np.zeros((200, 0))),
        (np.zeros(200), np.arange(200.0)[:, None]),
    ],
    ids=["few deals", "constant features", "no features", "nothing to explain"],
)
def test_nothing_is_adjusted_where_nothing_can_be(
    observations: np.ndarray, centred: np.ndarray
) -> None:
    assert adjusted(observations, centred) is None
