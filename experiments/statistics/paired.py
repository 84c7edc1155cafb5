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
        difference: points a game by which `one` beats `other`.
        p: of the sign-flip test, two-sided.
        holm: the same, corrected for the number of pairs.
    """

    one: int
    other: int
    difference: Estimate
    p: float
    holm: float

    @property
    def significant(self) -> bool:
        """Whether the pair differs at the level ALPHA, all pairs considered."""
        return self.holm < ALPHA


def pairs(tally: Tally, order: Sequence[int], seed: int = 0) -> list[Pair]:
    """Every pair of entries that met, the one first in `order` in front."""
    met = [
        (a, b, found)
        for a, b in itertools.combinations(order, 2)
        if (found := differences(tally, a, b)) is not None
    ]
    chances = [sign_flip(found, seed) for _, _, found in met]
    return [
        Pair(a, b, estimate(found, seed), p, corrected)
        for (a, b, found), p, corrected in zip(met, chances, holm(chances), strict=True)
    ]


def differences(tally: Tally, one: int, other: int) -> NDArray[np.float64] | None:
    """Points a game by which entry `one` beats entry `other` where both sit at the table: (D,).

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
    return np.asarray(means[1] - means[0])


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
