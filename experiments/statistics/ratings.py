"""Ratings from the order in which seats finished: Plackett-Luce, fitted to all games at once.

An agent with strength w is the first of those still in play with chance w / (their total), then the
next one of the rest, and so on (Plackett, The analysis of permutations, 1975). All that the fit
needs of the games is therefore how often each *choice set*, the multiset of entries still in play,
was chosen from, and how often each entry sat down; neither depends on the order of the games. Ties
are shared: over all orders of k tied seats, each subset of size s of them is what is left of the
tie in one order out of C(k, s).

The ratings have a weak prior, normal around zero, so that one that never loses is finite. The fit
is Newton's method on a concave function. Intervals are percentiles of fits to resampled deals.

D deals, E entries, K choice sets, R resamples.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from experiments.results import Finish, Finishes
from experiments.statistics.intervals import FEWEST, Estimate, expanded, pooled

SCALE: Final = 400 / math.log(10)  # points: 400 more is ten times the strength
PRIOR: Final = 0.01  # 1 / variance of the natural logarithm of a strength
RESAMPLES: Final = 2000
_AT_ONCE: Final = 500  # resamples fitted in one batch
_STEP: Final = 2.0  # Newton's step in a log strength, at most
_STEPS: Final = 50  # at most; a dozen do, unless counts are so large that rounding hides the end
_PRECISE: Final = 1e-7  # in a log strength


@dataclass(frozen=True)
class Choices:
    """What the ratings need of the games.

    Attributes:
        sets: (K, E) int64, how often each entry is in the choice set.
        counts: (D, K) float64, how often it was chosen from, by deal.
        seats: (D, E) float64, seats that the entry took.
    """

    sets: NDArray[np.int64]
    counts: NDArray[np.float64]
    seats: NDArray[np.float64]


def choices(finishes: Finishes, deals: int, entries: int) -> Choices:
    """Count the choice sets of games.

    Args:
        finishes: of the games, in any order.
        deals: D.
        entries: E.
    """
    places: dict[tuple[int, ...], int] = {}
    rows, columns, weights = [], [], []
    seats = np.zeros((len(finishes.kinds), entries))
    for row, finish in enumerate(finishes.kinds):
        for entry, _ in finish:
            seats[row, entry] += 1
        for chosen_from, weight in _choice_sets(finish, entries):
            rows.append(row)
            columns.append(places.setdefault(chosen_from, len(places)))
            weights.append(weight)
    kinds = np.zeros((len(seats), len(places)))
    np.add.at(kinds, (rows, columns), weights)
    ones = np.ones(len(finishes.deal))
    played = sparse.csr_array((ones, (finishes.deal, finishes.kind)), shape=(deals, len(seats)))
    sets = np.array(list(places), np.int64).reshape(len(places), entries)
    return Choices(sets, np.asarray(played @ kinds), np.asarray(played @ seats))


def ratings(games: Choices, seed: int = 0) -> list[Estimate]:
    """The rating of each entry: its mean is 0, and 400 more is ten times the strength.

    Below FEWEST deals there is no interval.
    """
    best = SCALE * fit(games.sets, games.counts.sum(axis=0)[None], games.seats.sum(axis=0)[None])[0]
    deals = len(games.counts)
    if deals < FEWEST:
        return [Estimate(float(rating), None, None) for rating in best]
    counts, seats = pooled(games.counts), pooled(games.seats)
    rng = np.random.default_rng(seed)
    groups = len(counts)
    fits = []
    for _ in range(0, RESAMPLES, _AT_ONCE):
        times = rng.multinomial(groups, np.full(groups, 1 / groups), size=_AT_ONCE)  # (R, D)
        fits.append(fit(games.sets, times @ counts, times @ seats))
    tail = (1 - expanded(deals)) / 2
    low, high = np.quantile(SCALE * np.concatenate(fits), [tail, 1 - tail], axis=0)
    return [
        Estimate(float(rating), float(below), float(above), "percentile")
        for rating, below, above in zip(best, low, high, strict=True)
    ]


def fit(
    sets: NDArray[np.int64],
    counts: NDArray[np.float64],
    seats: NDArray[np.float64],
    prior: float = PRIOR,
) -> NDArray[np.float64]:
    """Natural logarithms of the strengths that maximise the posterior: (R, E).

    The log posterior is sum_e seats_e t_e - sum_k counts_k log(sum_e sets_ke exp(t_e))
    - prior / 2 sum_e t_e^2.

    Args:
        sets: (K, E).
        counts: (R, K), one fit a row.
        seats: (R, E).
        prior: 1 / variance.
    """
    entries = sets.shape[1]
    products = (sets[:, :, None] * sets[:, None, :]).reshape(len(sets), -1)  # (K, E E)
    found = np.zeros(seats.shape)
    for _ in range(_STEPS):
        strength = np.exp(found)
        share = counts / (strength @ sets.T)  # (R, K)
        expected = strength * (share @ sets)  # (R, E), times that the entry comes first
        slope = seats - expected - prior * found
        both = (share**2 / np.where(counts > 0, counts, 1)) @ products  # (R, E E)
        bend = -strength[:, :, None] * strength[:, None, :] * both.reshape(-1, entries, entries)
        bend += np.eye(entries) * (expected + prior)[:, :, None]
        step = np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
        step *= np.minimum(1, _STEP / np.maximum(np.abs(step).max(axis=1, keepdims=True), _PRECISE))
        step -= step.mean(axis=1, keepdims=True)  # the best have a mean of 0; what else is rounding
        found = found + step
        if np.abs(step).max() < _PRECISE:
            break
    return found


def _choice_sets(finish: Finish, entries: int) -> Iterator[tuple[tuple[int, ...], float]]:
    """Each choice set of a game, as counts by entry, with its weight."""
    last = max(rank for _, rank in finish) + 1
    groups: dict[int, list[int]] = {}
    for entry, rank in finish:
        groups.setdefault(rank or last, []).append(entry)
    behind: list[int] = []
    for rank in sorted(groups, reverse=True):
        tied = groups[rank]
        for size in range(1, len(tied) + 1):
            for left in itertools.combinations(tied, size):
                yield _counted([*behind, *left], entries), 1 / math.comb(len(tied), size)
        behind += tied


def _counted(those: Sequence[int], entries: int) -> tuple[int, ...]:
    counts = [0] * entries
    for entry in those:
        counts[entry] += 1
    return tuple(counts)
