"""Estimates with error bars, from the blocks of a tournament.

One observation is one deal: the mean of an entry over all games of that deal. Games of a deal share
its luck, so they are not independent of one another, and an interval over single games would be too
narrow or too wide; different deals are independent. Intervals are 95 % t-intervals over deals.

D deals, L line-ups, E entries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from experiments.results import WIN_UNITS, Tally

CONFIDENCE: Final = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean over deals with its interval; `low` and `high` are None for a single deal."""

    mean: float
    low: float | None
    high: float | None

    @property
    def differs(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


@dataclass(frozen=True)
class EntryStatistics:
    """How one entry did.

    Attributes:
        games: games it sat in; a game with the entry in two seats counts twice.
        mean_points: points a game.
        margin: mean of the others' points minus its own, pips a game.
        win_share: 1 for a win, 1/k for a win shared by k seats, else 0; mean a game.
    """

    games: int
    mean_points: float
    margin: Estimate
    win_share: Estimate


def estimate(observations: NDArray[np.float64]) -> Estimate:
    """The mean of (D,) observations, one a deal, with its t-interval.

    Raises:
        ValueError: if there is no observation.
    """
    count = len(observations)
    if count == 0:
        raise ValueError("no observations: an estimate needs at least one deal")
    mean = float(observations.mean())
    if count == 1:
        return Estimate(mean, None, None)
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, count - 1))
    half = reach * float(observations.std(ddof=1)) / count**0.5
    return Estimate(mean, mean - half, mean + half)


def entries(tally: Tally) -> list[EntryStatistics]:
    """The statistics of each entry, in the order of the tally."""
    games, points, totals, wins = (
        array.sum(axis=1) for array in (tally.games, tally.points, tally.totals, tally.win_units)
    )  # each (D, E) int64
    margins = (totals - tally.players * points) / ((tally.players - 1) * games)
    shares = wins / (WIN_UNITS * games)
    return [
        EntryStatistics(
            games=int(games[:, e].sum()),
            mean_points=float(points[:, e].sum() / games[:, e].sum()),
            margin=estimate(margins[:, e]),
            win_share=_within(estimate(shares[:, e]), 0.0, 1.0),
        )
        for e in range(games.shape[1])
    ]


def paired(tally: Tally, one: int, other: int) -> Estimate | None:
    """Points a game by which entry `one` beats entry `other` where both sit at the table.

    Each deal gives one difference, over the blocks that the two share; what is luck of the deal
    cancels in it. None if they never meet.
    """
    together = (tally.games[:, :, one] > 0) & (tally.games[:, :, other] > 0)  # (D, L)
    if not together.any():
        return None
    means = []
    for e in (one, other):
        points = np.where(together, tally.points[:, :, e], 0).sum(axis=1)
        means.append(points / np.where(together, tally.games[:, :, e], 0).sum(axis=1))
    return estimate(means[1] - means[0])


def _within(value: Estimate, lowest: float, highest: float) -> Estimate:
    """Cut an interval to the values that its quantity can take; that never lowers its coverage."""
    if value.low is None or value.high is None:
        return value
    return Estimate(value.mean, max(value.low, lowest), min(value.high, highest))
