"""What each entry and each seat came to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.results import WIN_UNITS, Tally
from experiments.statistics.intervals import Estimate, estimate


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


def entries(tally: Tally, seed: int = 0) -> list[EntryStatistics]:
    """The statistics of each entry, in the order of the tally."""
    games, points, wins = (
        array.sum(axis=1) for array in (tally.games, tally.points, tally.win_units)
    )  # each (D, E) int64
    by_deal, shares = margins(tally), wins / (WIN_UNITS * games)
    return [
        EntryStatistics(
            games=int(games[:, e].sum()),
            mean_points=float(points[:, e].sum() / games[:, e].sum()),
            margin=estimate(by_deal[:, e], seed),
            win_share=_within(estimate(shares[:, e], seed), 0.0, 1.0),
        )
        for e in range(games.shape[1])
    ]


def margins(tally: Tally) -> NDArray[np.float64]:
    """Mean of the others' points minus the entry's own, pips a game: (D, E)."""
    games, points, totals = (
        array.sum(axis=1) for array in (tally.games, tally.points, tally.totals)
    )  # each (D, E) int64
    return _margin(games, points, totals, tally.players)


def block_margins(tally: Tally, entry: int) -> NDArray[np.float64]:
    """The entry's margin in each block that it sat in, pips a game: (B,)."""
    games, points, totals = (
        array[..., entry].ravel() for array in (tally.games, tally.points, tally.totals)
    )
    sat = games > 0
    return _margin(games[sat], points[sat], totals[sat], tally.players)


def _margin(
    games: NDArray[np.int64], points: NDArray[np.int64], totals: NDArray[np.int64], players: int
) -> NDArray[np.float64]:
    """Of entries with these sums over games, pips a game; totals are the points of all seats."""
    return np.asarray((totals - players * points) / ((players - 1) * games))


def seats(points: NDArray[np.int64], games: int, seed: int = 0) -> list[Estimate]:
    """The margin of each seat, whoever sits in it: zero, if seats were alike.

    Args:
        points: (D, N), the points of each seat in all games of the deal.
        games: played with each deal.
        seed: of the resamples.
    """
    count = points.shape[1]
    by_deal = (points.sum(axis=1, keepdims=True) - count * points) / ((count - 1) * games)
    return [estimate(by_deal[:, seat], seed) for seat in range(count)]


def skill_index(
    agent: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    seed: int = 0,
) -> Estimate | None:
    """(agent - low) / (high - low): 0 for the lower yardstick, 1 for the upper one.

    A ratio of means; its interval is that of its linear part (delta method), a deal's share of
    which is (agent - low - index (high - low)) / mean(high - low).

    Args:
        agent: (D,) margins of the agent.
        low: (D,) margins of the lower yardstick, such as random play.
        high: (D,) margins of the upper yardstick, such as an oracle.
        seed: of the resamples.

    Returns:
        None where the upper yardstick is not clearly above the lower one.
    """
    gained, range_ = agent - low, high - low
    if not (whole := estimate(range_, seed)).differs or whole.mean < 0:
        return None
    index = gained.mean() / whole.mean
    return estimate(index + (gained - index * range_) / whole.mean, seed)


def _within(value: Estimate, lowest: float, highest: float) -> Estimate:
    """Cut an interval to the values that its quantity can take; that never lowers its coverage."""
    if value.low is None or value.high is None:
        return value
    return Estimate(value.mean, max(value.low, lowest), min(value.high, highest), value.method)
