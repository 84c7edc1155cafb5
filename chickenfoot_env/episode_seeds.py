"""The seeds of the episodes that environments deal, one after the other."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import chance

LATER_EPISODE: Final = 100  # what a seed is derived for; a game's rounds have the low numbers

GivenSeed: TypeAlias = int | Sequence[int | None] | NDArray[Any] | None  # for many games


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
        return int(chance.derive(seeds, LATER_EPISODE, self.number)[0])


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


def seeds_of_games(
    given: GivenSeed, known: NDArray[np.bool_]
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """The seed that each of B games is given, and whether it is given one.

    Args:
        given: a whole number s, of which game i is given s + i; a sequence of one for each game, of
            which None lets a game go on; or None, which lets all go on.
        known: (B,) bool, the games that have something to go on from. The others are given seeds of
            the system's.

    Returns:
        (B,) uint64 and (B,) bool.

    Raises:
        ValueError: for seeds that are not from 0 to 2**64 - 1, or not one for each game.
    """
    count = len(known)
    if given is None or (isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, str)):
        each = [None] * count if given is None else list(given)
        if len(each) != count:
            raise ValueError(f"{len(each)} seeds for {count} games: wanted is one each, or one")
        is_given = np.array([one is not None for one in each]) | ~known
        seeds = _behind(secrets.randbits(64), count)
        for row, one in enumerate(each):
            if one is not None:
                seeds[row] = checked_seed(one)
        return seeds, is_given
    return _behind(checked_seed(given), count), np.ones(count, np.bool_)


def _behind(first: int, count: int) -> NDArray[np.uint64]:
    """`count` seeds from `first` on; behind the largest comes 0."""
    return np.arange(count, dtype=np.uint64) + np.uint64(first)
