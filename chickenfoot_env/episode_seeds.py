"""The seeds of the episodes that one environment deals, one after the other."""

from __future__ import annotations

import operator
import secrets
from typing import Final

import numpy as np

from chickenfoot_env import chance

_LATER_EPISODE: Final = 100  # what a seed is derived for; a game's rounds have the low numbers


class EpisodeSeeds:
    """Seeds that all follow from the last one given.

    Attributes:
        given: the last seed given, or one of the system's if there was none; None before that.
        number: episodes dealt since; -1 when the next one is the first from `given`.
    """

    def __init__(self, given: int | None = None, number: int = -1) -> None:
        """Go on behind the episode with this number."""
        self.given = None if given is None else checked_seed(given)
        self.number = number

    def next(self, given: int | None) -> int:
        """The seed of the next episode: `given` itself, or one that follows from the last given."""
        if given is not None:
            self.given, self.number = checked_seed(given), -1
        elif self.given is None:
            self.given = secrets.randbits(64)
        self.number += 1
        if self.number == 0:
            return self.given
        seeds = np.array([self.given], np.uint64)
        return int(chance.derive(seeds, _LATER_EPISODE, self.number)[0])


def checked_seed(seed: int) -> int:
    """The seed as an int.

    Raises:
        ValueError: if it is no whole number from 0 to 2**64 - 1.
    """
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if not 0 <= number < 2**64:
        raise ValueError(f"seed={seed!r}: allowed are whole numbers from 0 to 2**64 - 1, and None")
    return number
