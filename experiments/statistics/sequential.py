"""A test that stops as soon as it is decided: the generalised sequential probability ratio test.

Two hypotheses on the mean m of a deal's difference: H0, m = low, and H1, m = high. With the mean x
and the variance s^2 (divisor n) of the first n differences, the log likelihood ratio of normal data
with that variance is

    LLR = n (high - low) (2 x - low - high) / (2 s^2).

It accepts H1 once LLR >= log((1 - beta) / alpha) and H0 once LLR <= log(beta / (1 - alpha)). Then
H1 is accepted under H0 with a chance of about alpha, and H0 under H1 with one of about beta.

Sources: Wald, Sequential tests of statistical hypotheses, 1945; for the variance estimated as one
goes, Li, Liu and Ying, Generalized sequential probability ratio test for separate families of
hypotheses, 2014. The variance of few differences is uncertain, so nothing is decided before
`fewest` of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

FEWEST: Final = 200  # differences before the first decision, unless another number is asked for


@dataclass(frozen=True)
class Bounds:
    """What is to be decided, and with which chances of error.

    Attributes:
        low: the mean under H0.
        high: the mean under H1.
        alpha: chance of accepting H1 under H0.
        beta: chance of accepting H0 under H1.
        fewest: differences before the first decision.

    Raises:
        ValueError: for values that no test can have.
    """

    low: float
    high: float
    alpha: float = 0.05
    beta: float = 0.05
    fewest: int = FEWEST

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(
                f"bounds {self.low:g},{self.high:g}: wanted are two numbers, the smaller first"
            )
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(
                    f"{name}={getattr(self, name):g}: allowed are values between 0 and 0.5"
                )
        if self.fewest < 2:
            raise ValueError(f"fewest={self.fewest}: allowed are whole numbers from 2")

    @property
    def accept_low(self) -> float:
        """The LLR at and below which H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def accept_high(self) -> float:
        """The LLR at and above which H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)


@dataclass(frozen=True)
class State:
    """How far a test has come.

    Attributes:
        deals: differences seen.
        llr: the log likelihood ratio; 0 for fewer than two differences.
        decision: "high" or "low", the hypothesis accepted; None while it is open.
    """

    deals: int
    llr: float
    decision: str | None


class SequentialTest:
    """Takes the differences one by one, in the order of the deals, and keeps its first decision.

    Whoever feeds it must keep to that order, however the deals were finished: short games are
    finished first, and are not like the others.
    """

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self._accept_low, self._accept_high = bounds.accept_low, bounds.accept_high
        self._deals, self._mean, self._squares = 0, 0.0, 0.0  # Welford's sums
        self._decision: str | None = None

    def add(self, difference: float) -> str | None:
        """Take one more difference, unless it is decided; the decision as in `State`."""
        if self._decision is None:
            self._deals += 1
            off = difference - self._mean
            self._mean += off / self._deals
            self._squares += off * (difference - self._mean)
            if self._deals >= self.bounds.fewest:
                llr = self._llr()
                if llr >= self._accept_high:
                    self._decision = "high"
                elif llr <= self._accept_low:
                    self._decision = "low"
        return self._decision

    @property
    def state(self) -> State:
        """How far it has come."""
        return State(self._deals, self._llr(), self._decision)

    def _llr(self) -> float:
        if self._deals < 2:
            return 0.0
        lean = 2 * self._mean - self.bounds.low - self.bounds.high
        if self._squares == 0:  # all alike, such as those of an agent against itself
            return math.copysign(math.inf, lean) if lean else 0.0
        variance = self._squares / self._deals
        return self._deals * (self.bounds.high - self.bounds.low) * lean / (2 * variance)


def run(bounds: Bounds, differences: NDArray[np.float64]) -> State:
    """The test on (D,) differences, in order."""
    test = SequentialTest(bounds)
    for difference in differences.tolist():
        if test.add(difference) is not None:
            break
    return test.state
