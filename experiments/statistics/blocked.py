"""Who gains when rounds end blocked.

D deals, L line-ups, E entries.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from experiments.statistics.intervals import Estimate, estimate


def gains(sums: NDArray[np.int64], players: int, seed: int = 0) -> list[Estimate | None]:
    """By how much the margin of each entry is higher for each blocked round more in the game.

    It is the common slope of least-squares lines through its games, one line a line-up: tables
    differ in both. Its interval is that of its linear part (delta method): with x the blocked
    rounds of a game, y the margin and b the slope, a deal's share is the sum over its games of
    (x - mean x) (y - mean y - b (x - mean x)), means being those of the line-up.

    Args:
        sums: (D, L, E, 5), as `Results.blocked`.
        players: seats at the table.
        seed: of the resamples.

    Returns:
        None for an entry whose games all had equally many blocked rounds in each line-up.
    """
    return [_slope(sums[:, :, entry], players - 1, seed) for entry in range(sums.shape[2])]


def _slope(sums: NDArray[np.int64], others: int, seed: int) -> Estimate | None:
    """Of one entry: (D, L, 5), as `Results.blocked`; y is `others` times the margin."""
    sums = sums[:, sums[0, :, 0] > 0]  # the line-ups that it sits in
    count, x, _, xx, _ = np.moveaxis(sums.sum(axis=0), -1, 0)  # each (L,)
    if (count * xx == x * x).all():
        return None
    count, x, y, xx, xy = np.moveaxis(sums / [1, 1, others, 1, others], -1, 0)  # each (D, L)
    mean_x, mean_y = (part.sum(axis=0) / count.sum(axis=0) for part in (x, y))  # each (L,)
    spread = xx - 2 * mean_x * x + mean_x**2 * count  # sums of (x - mean x)²
    shared = xy - mean_x * y - mean_y * x + mean_x * mean_y * count
    slope = shared.sum() / spread.sum()
    by_deal = (shared - slope * spread).sum(axis=1)
    return estimate(slope + by_deal / spread.sum(axis=1).mean(), seed)
