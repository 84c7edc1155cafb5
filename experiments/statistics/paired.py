"""Whether one entry beats another: differences a deal, and how likely chance alone is to make them.

Where two agents are the same in law, a deal's difference is as likely as its negative. So the signs
of all differences are flipped in all ways, and the p-value is the share of ways that give a mean
at least as far from zero (Fisher, The design of experiments, 1935).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from experiments.results import Tally
from experiments.statistics.entries import margins
from experiments.statistics.intervals import Estimate, estimate, pooled

FLIPS: Final = 9999  # at random; all of them, where there are not more
GROUPS: Final = 250  # of neighbouring deals, if there are more deals: they are flipped together
ALPHA: Final = 0.05  # a difference with a smaller p-value, after Holm's correction, is significant


@dataclass(frozen=True)
class Pair:
    """Two entries that met.

    Attributes:
        one: an entry.
        other: another one.
        difference: points a game by which `one` is better, as in `differences`.
        together: whether both sat at the same tables.
        p: of the sign-flip test, two-sided.
        holm: the same, corrected for the number of pairs.
    """

    one: int
    other: int
    difference: Estimate
    together: bool
    p: float
    holm: float

    @property
    def significant(self) -> bool:
        """Whether the pair differs at the level ALPHA, all pairs considered."""
        return self.holm < ALPHA


def pairs(tally: Tally, order: Sequence[int], seed: int = 0) -> list[Pair]:
    """Every pair of entries that can be compared, the one first in `order` in front."""
    met = [
        (a, b, found)
        for a, b in itertools.combinations(order, 2)
        if (found := differences(tally, a, b)) is not None
    ]
    chances = [sign_flip(found, seed) for _, _, found in met]
    return [
        Pair(a, b, estimate(found, seed), together(tally, a, b), p, corrected)
        for (a, b, found), p, corrected in zip(met, chances, holm(chances), strict=True)
    ]


def differences(tally: Tally, one: int, other: int) -> NDArray[np.float64] | None:
    """What entry `one` is better than entry `other` on each deal, points a game: (D,).

    Where both sit at the table it is the difference of their points there. Where they never meet
    but face the same opponents, on the same deals, it is that of their margins. What is luck of the
    deal cancels in it. None if there is neither.
    """
    met = [line_ups_of(tally, entry) for entry in (one, other)]
    both = met[0] & met[1]  # (L,)
    if both.any():
        scores = [
            -tally.points[:, both, e].sum(axis=1) / tally.games[:, both, e].sum(axis=1)
            for e in (one, other)
        ]
    elif _opponents(tally, one) == _opponents(tally, other):
        scores = [margins(tally)[:, e] for e in (one, other)]
    else:
        return None
    return np.asarray(scores[0] - scores[1])


def together(tally: Tally, one: int, other: int) -> bool:
    """Whether the two sit at the same table in any line-up."""
    return bool((line_ups_of(tally, one) & line_ups_of(tally, other)).any())


def line_ups_of(tally: Tally, entry: int) -> NDArray[np.bool_]:
    """The line-ups that the entry sits in: (L,)."""
    return np.asarray(tally.games[0, :, entry] > 0)


def _opponents(tally: Tally, entry: int) -> list[tuple[int, tuple[int, ...]]]:
    """The seats of the entry and of all others in each of its line-ups, in any order."""
    seats = tally.games[0, line_ups_of(tally, entry)]  # a copy
    own = seats[:, entry].copy()
    seats[:, entry] = 0
    return sorted(zip(own.tolist(), map(tuple, seats.tolist()), strict=True))


def sign_flip(observations: NDArray[np.float64], seed: int = 0) -> float:
    """The two-sided p-value for a mean of zero of (D,) differences.

    Exact where there are at most FLIPS ways to flip, else from FLIPS random ones; the smallest
    value is then 2 / (FLIPS + 1).
    """
    if not observations.any() or len(observations) == 1:
        return 1.0
    found = stats.permutation_test(
        (pooled(observations, GROUPS),),
        np.mean,
        permutation_type="samples",
        n_resamples=FLIPS,
        rng=np.random.default_rng(seed),
    )
    return float(found.pvalue)


def holm(chances: Sequence[float]) -> list[float]:
    """P-values corrected for their number: Holm, A simple sequentially rejective procedure, 1979.

    The chance that any true null falls below a level is at most that level.
    """
    corrected, highest = [1.0] * len(chances), 0.0
    for rank, i in enumerate(np.argsort(chances, kind="stable").tolist()):
        highest = max(highest, min(1.0, (len(chances) - rank) * chances[i]))
        corrected[i] = highest
    return corrected
