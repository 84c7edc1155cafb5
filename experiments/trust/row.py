"""One measurement of a promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

FULL: Final = 400  # tries that make a measurement


@dataclass(frozen=True)
class Row:
    """A measurement.

    Attributes:
        group: what it is about.
        what: was measured.
        runs: how often, or on how much.
        value: what came out.
        low: the least that is allowed; None: nothing is too little.
        high: the most that is allowed; None: nothing is too much.
        unit: of the value: "%" for a share, "times", "deals".
        note: what else there is to say.
    """

    group: str
    what: str
    runs: int
    value: float
    low: float | None
    high: float | None
    unit: str = "%"
    note: str = ""

    @property
    def passed(self) -> bool:
        """Whether the value is allowed."""
        enough = self.low is None or self.value >= self.low
        return enough and (self.high is None or self.value <= self.high)

    def figures(self) -> dict[str, Any]:
        """The row as JSON values."""
        return {**asdict(self), "passed": self.passed}

    def line(self) -> str:
        """The row as a line of text."""
        verdict = "ok" if self.passed else "FAILED"
        note = f"; {self.note}" if self.note else ""
        return f"{verdict:7}{self.shown(self.value):>11}  {self.allowed():20} {self.what}{note}"

    def allowed(self) -> str:
        """What is allowed, as text."""
        if self.low is None and self.high is None:
            return "-"
        if self.low is None or self.high is None:
            end, bound = ("at most", self.high) if self.low is None else ("at least", self.low)
            assert bound is not None
            return f"{end} {self.shown(bound)}"
        return f"{self.shown(self.low)} to {self.shown(self.high)}"

    def shown(self, value: float) -> str:
        """A value with its unit."""
        if self.unit == "%":
            return f"{100 * value:.1f} %"
        if self.unit == "times":
            return f"{value:,.2f} times" if value < 100 else f"{value:,.0f} times"
        return f"{value:,.0f} {self.unit}"


def share(
    group: str, what: str, hits: Sequence[bool], low: float | None, high: float | None
) -> Row:
    """A row for how often something happened.

    The limits are for FULL tries and more. With fewer they are wider by three standard errors, so
    that a short run fails by what is wrong, not by chance.
    """
    runs = len(hits)
    slack = 0.0 if runs >= FULL else 3 * (0.05 * 0.95 / runs) ** 0.5
    return Row(
        group,
        what,
        runs,
        float(np.mean(hits)),
        None if low is None else low - slack,
        None if high is None else high + slack,
    )
