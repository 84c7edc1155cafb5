"""Intervals for a mean over deals."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

CONFIDENCE: Final = 0.95
FEWEST, MOST = 10, 500  # deals that are resampled; below too few, above the t-interval is as good
RESAMPLES: Final = 9999


@dataclass(frozen=True)
class Estimate:
    """A mean over deals with its interval; `low` and `high` are None for a single deal.

    `method` says how the interval was made: "BCa", "t", "constant" where all deals gave the same
    number, or "none".
    """

    mean: float
    low: float | None
    high: float | None
    method: str = "none"

    @property
    def differs(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


def estimate(observations: NDArray[np.float64], seed: int = 0) -> Estimate:
    """The mean of observations with its BCa bootstrap interval.

    Bias-corrected and accelerated: Efron, Better bootstrap confidence intervals, 1987, by
    `scipy.stats.bootstrap`. A bootstrap interval is too narrow for few observations, as it has the
    variance with divisor D and normal quantiles; its level is raised as much as turns one into
    the other for normal data: Hesterberg, What teachers should know about the bootstrap, 2015.

    Below FEWEST and above MOST deals, and where BCa is undefined, it is the t-interval.

    Args:
        observations: (D,), one a deal.
        seed: of the resamples. The same numbers with the same seed have the same interval.

    Raises:
        ValueError: if there is no observation.
    """
    found = student(observations)
    count = len(observations)
    if found.method != "t" or not FEWEST <= count <= MOST:
        return found
    ends = _bootstrap(observations, expanded(count), seed)
    if not np.isfinite(ends).all():
        return found
    return Estimate(found.mean, float(ends[0]), float(ends[1]), "BCa")


def student(observations: NDArray[np.float64]) -> Estimate:
    """The mean of observations with its t-interval.

    Args:
        observations: (D,), one a deal.

    Raises:
        ValueError: if there is no observation.
    """
    count = len(observations)
    if count == 0:
        raise ValueError("no observations: an estimate needs at least one deal")
    mean = float(observations.mean())
    if count == 1:
        return Estimate(mean, None, None)
    if np.ptp(observations) == 0:
        return Estimate(mean, mean, mean, "constant")
    half = _reach(count) * float(observations.std(ddof=1)) / count**0.5
    return Estimate(mean, mean - half, mean + half, "t")


def expanded(count: int) -> float:
    """The level at which a bootstrap interval of `count` observations holds CONFIDENCE."""
    return float(2 * stats.norm.cdf(_reach(count) * (count / (count - 1)) ** 0.5) - 1)


def pooled(observations: NDArray[Any], most: int = MOST) -> NDArray[Any]:
    """Sums over at most `most` groups of neighbouring deals, for what resampling deals costs.

    Args:
        observations: (D, ...), one row a deal.
        most: groups.

    Returns:
        (min(D, most), ...); groups differ by one deal at most.
    """
    count = len(observations)
    if count <= most:
        return observations
    starts = np.arange(most) * count // most
    return np.add.reduceat(observations, starts, axis=0)


def _reach(count: int) -> float:
    return float(stats.t.ppf((1 + CONFIDENCE) / 2, count - 1))


def _bootstrap(observations: NDArray[np.float64], level: float, seed: int) -> NDArray[np.float64]:
    """The two ends, not finite where BCa is undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scipy, where BCa is undefined
        interval = stats.bootstrap(
            (observations,),
            np.mean,
            n_resamples=RESAMPLES,
            confidence_level=level,
            method="BCa",
            rng=np.random.default_rng(seed),
        ).confidence_interval
    return np.array([interval.low, interval.high])
