"""Perft: the number of ways to play the first so many actions from a deal, by both engines.

A finished game has no further way. Kernels go level by level over arrays of records; the reference
goes depth first over copies of itself.
"""

from __future__ import annotations

import copy
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray
from reference import Laid, ReferenceGame

from chickenfoot_env import batch
from chickenfoot_env.game import GAME_OVER

AT_ONCE = 8192  # records held at one level


def kernel_counts(games: NDArray[np.void], depth: int) -> list[int]:
    """Action sequences of the lengths 1 to `depth` from all these games; zeros at the end left out.

    Args:
        games: (B,) GAME.
        depth: 1 or more.
    """
    games = games[games["over"] != GAME_OVER]
    rows, actions = np.nonzero(batch.legal_mask(games))
    counts = [len(rows)] if len(rows) else []
    if depth > 1 and counts:
        further: list[int] = []
        for first in range(0, len(rows), AT_ONCE):
            after = games[rows[first : first + AT_ONCE]]
            batch.step(after, actions[first : first + AT_ONCE])
            further = total(further, kernel_counts(after, depth - 1))
        counts += further
    return counts


def reference_counts(game: ReferenceGame, depth: int) -> list[int]:
    """The same for one game of the reference."""
    if game.over:
        return []
    actions = game.legal_actions()
    further: list[int] = []
    if depth > 1:
        for action in actions:
            after = fork(game)
            after.step(action)
            further = total(further, reference_counts(after, depth - 1))
    return [len(actions), *further]


def total(some: list[int], others: list[int]) -> list[int]:
    """The sums, place by place; a place that only one has counts."""
    return [one + other for one, other in zip_longest(some, others, fillvalue=0)]


def fork(game: ReferenceGame) -> ReferenceGame:
    """A copy to be played on by itself; it forgets which tile was joined to which."""
    twin = copy.copy(game)
    twin.hands = [list(hand) for hand in game.hands]
    twin.board = [Laid(laid.tile, laid.shows, laid.places, laid.role) for laid in game.board]
    twin.table = list(game.table)
    twin.facts = [list(facts) for facts in game.facts]
    twin.results = list(game.results)
    twin._gone = set(game._gone)
    return twin
