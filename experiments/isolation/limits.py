"""What an agent may take before it is stopped from outside."""

from __future__ import annotations

import math
from dataclasses import dataclass

import agents


class LimitsError(ValueError):
    """A limit that cannot be kept; the message says what would be allowed."""


@dataclass(frozen=True)
class Limits:
    """The limits of agents that are played in processes of their own.

    Attributes:
        decision_seconds: wall time of a decision.
        memory_mb: resident memory in MiB of the agent's process and all that it has started.
        guard_all: whether the package's own agents are guarded too. They are trusted otherwise, and
            play where the games are, which is faster.

    Raises:
        LimitsError: for a value that is not allowed.
    """

    decision_seconds: float = 10.0
    memory_mb: int = 2048
    guard_all: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.decision_seconds) and self.decision_seconds > 0):
            raise LimitsError(
                f"decision_seconds={self.decision_seconds}: allowed are numbers above 0"
            )
        if self.memory_mb < 1:
            raise LimitsError(f"memory_mb={self.memory_mb}: allowed are whole numbers from 1")

    def guard(self, spec: str) -> bool:
        """Whether the agent of this spec is guarded."""
        return self.guard_all or not agents.is_own(spec)

    def options(self) -> list[str]:
        """The words of the command line that ask for them, where they are not the usual ones."""
        usual, words = Limits(), []
        if self.decision_seconds != usual.decision_seconds:
            words += ["--decision-seconds", f"{self.decision_seconds:g}"]
        if self.memory_mb != usual.memory_mb:
            words += ["--memory-mb", str(self.memory_mb)]
        return [*words, "--guard-all"] if self.guard_all else words
