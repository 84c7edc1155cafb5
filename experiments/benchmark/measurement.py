"""What a measurement is, what a ratio of two is, and how large a run is."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

Run: TypeAlias = Callable[[], tuple[int, float]]  # one round: steps taken, seconds they took

# Seconds that this process has had a processor, where the system counts them finely (Linux does):
# what other processes take is not in them. Threads at work at once count each for itself.
COUNTS_PROCESSOR: Final = time.get_clock_info("process_time").resolution < 1e-6
clock: Final = time.process_time if COUNTS_PROCESSOR else time.perf_counter


# Goals in steps a second were set on a machine on which this peer made so many.
PACE: Final = "open_spiel_crazy_eights_compiled"
PACE_THERE: Final = 4.2e6


@dataclasses.dataclass(frozen=True)
class Scale:
    """How much work a round of a measurement is.

    Attributes:
        quick: tiny sizes, to see that everything runs; the figures mean nothing.
    """

    quick: bool = False

    def games(self, count: int) -> int:
        """The games of a batch: `count`, or a 64th of them."""
        return max(1, count // 64) if self.quick else count

    def steps(self, count: int) -> int:
        """The steps to take in a round, about: `count`, or a 512th of them."""
        return max(1, count // 512) if self.quick else count

    @property
    def seconds(self) -> float:
        """How long a peer plays in a round; it finishes the game that it is in."""
        return 0.0 if self.quick else 0.3


@dataclasses.dataclass(frozen=True)
class Measurement:
    """Something that takes steps, and how many it should take in a second.

    Attributes:
        name: what `--only` and the JSON call it.
        group: the part of the table that it stands in.
        what: what is done in a step, in a few words.
        prepare: builds what a round needs and returns the round. Nothing in it is timed.
        goal: steps per second that are wanted at least, if any are.
        package: the peer that it measures, by the name that it is installed by; "" for our own.
    """

    name: str
    group: str
    what: str
    prepare: Callable[[Scale], Run]
    goal: float | None = None
    package: str = ""


@dataclasses.dataclass(frozen=True)
class Ratio:
    """How many times as fast one thing is as another, within each round.

    Attributes:
        name: what the JSON calls it.
        what: what it tells, in a few words.
        over: names of measurements; the fastest of them counts.
        under: names of measurements; the slowest of them counts.
        goal: what the ratio should be.
        at_most: whether the goal is the most it may be; it is the least otherwise.
    """

    name: str
    what: str
    over: Sequence[str]
    under: Sequence[str]
    goal: float
    at_most: bool = False

    def of(self, rates: Mapping[str, Sequence[float]]) -> list[float] | None:
        """The ratio in each round, or None if not all that it needs was measured.

        Args:
            rates: steps per second of each measurement, one for each round.
        """
        if not rates.keys() >= {*self.over, *self.under}:
            return None
        fast = [max(round_) for round_ in zip(*(rates[name] for name in self.over), strict=True)]
        slow = [min(round_) for round_ in zip(*(rates[name] for name in self.under), strict=True)]
        return [one / other for one, other in zip(fast, slow, strict=True)]

    def of_best(self, rates: Mapping[str, Sequence[float]]) -> float:
        """The ratio of what each measurement reached in its best round, all of them measured."""
        fast, slow = ([max(rates[name]) for name in names] for names in (self.over, self.under))
        return max(fast) / min(slow)

    def is_reached(self, value: float) -> bool:
        """Whether a ratio of `value` is what is wanted."""
        return value <= self.goal if self.at_most else value >= self.goal
