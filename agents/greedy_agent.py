"""The greedy agent: the heaviest tile first.

It lays the tile that would cost it most points at the end of the round; the double-blank counts
what the rules charge for it. Equally heavy plays go to the lowest action id: the one that is laid
on the end with fewer pips, and so leaves the heavier half of its tile open. Greedy draws or passes
only when it has no play, so it always lays a drawn tile that fits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agents.base import check_question
from chickenfoot_env import kernels
from chickenfoot_env.bits import EMPTY, first_bit, row_of, without_first
from chickenfoot_env.game import GAME_OVER
from chickenfoot_env.jit import Record, compiled, part, records, whole
from chickenfoot_env.tiles import Rows

Score: TypeAlias = Callable[[Record, Rows, int, int, Any], Any]
Choose: TypeAlias = Callable[[Record, Rows, int, Any], int]
_LOWEST: Final = -(2**31)  # below every score


class GreedyAgent:
    """Lays its heaviest playable tile."""

    name = "greedy"

    def act(self, views: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """One action for each view, whatever its seed; see `Agent.act`."""
        views, _ = check_question(views, seeds)
        actions = np.empty(len(views), np.int64)
        _act(records(views), actions)
        return actions


@compiled
def _act(views: NDArray[np.void], actions: NDArray[np.int64]) -> None:
    for i in range(len(views)):
        v = views[i]
        actions[i] = choose(v, v.hand, v.boneyard)


@part
def tile_points(r: Record, one: int, other: int) -> int:
    """What holding this tile costs at the end of a round (R18)."""
    if one + other == 0:
        return int(r.double_blank_points)
    return one + other


@part
def _score(r: Record, _hand: Rows, attach: int, free: int, _weights: int) -> int:
    return tile_points(r, attach, free)


def best_play(score: Score) -> Choose:
    """A function for compiled code: the play with the highest score, else DRAW or PASS.

    Its arguments are a GAME or VIEW record, the rows of the tiles of the seat to act, the number of
    tiles left in the boneyard, and what the score takes for weights. Among equals it takes the
    lowest action id.

    Args:
        score: a part; the higher it is, the better is laying the tile attach-free by `attach`.
    """

    @part
    def choose_by(r: Record, hand: Rows, boneyard: int, weights: Any) -> int:
        pips = whole(r.max_pip) + 1
        best, highest = -1, _LOWEST
        ends = EMPTY
        if r.over != GAME_OVER and not kernels.is_barred(r, hand):
            ends = kernels.open_row(r)
        while ends != EMPTY:
            attach = first_bit(ends)
            ends = without_first(ends)
            tiles = row_of(hand, attach)
            while tiles != EMPTY:
                free = first_bit(tiles)
                tiles = without_first(tiles)
                points = score(r, hand, attach, free, weights)
                if points > highest:
                    best, highest = attach * pips + free, points
        return best if best >= 0 else kernels.nth_legal(r, hand, whole(0), boneyard, whole(0))

    return choose_by


_choose_by: Final = best_play(_score)


@part
def choose(r: Record, hand: Rows, boneyard: int) -> int:
    """Greedy's action, in compiled code; the arguments are those of `best_play`."""
    return _choose_by(r, hand, boneyard, 0)
