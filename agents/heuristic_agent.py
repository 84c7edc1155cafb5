"""The heuristic agent: heavy tiles and doubles first, on ends that suit its own hand alone.

The rule:

1. It lays the play with the highest score, the lowest action id among equals, and draws or passes
   only when it has no play.
2. A play scores the points of its tile, as greedy counts them.
3. A double scores `DOUBLE` more, so that it gets out while its foot can be filled.
4. Any other tile scores `FOLLOW_UP` for each tile of the own hand that fits the end it leaves, and
   loses `HIDDEN` for each hidden tile that fits it, and `HIDDEN_DOUBLE` more if one is its double.
5. Where it covers the last end of its pip, it scores `CLOSED` for each hidden tile that would have
   fitted there.

Hidden tiles are those neither in the own hand nor on the table. A starved foot stops all seats
alike, so a double is worth as much when few of its toes are left.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.base import check_question
from agents.greedy_agent import best_play, tile_points
from chickenfoot_env.bits import has_bit, ones, row_of
from chickenfoot_env.jit import Record, compiled, part, records
from chickenfoot_env.tiles import Rows

DOUBLE: Final = 8  # these weigh against points, so they are in pips
FOLLOW_UP: Final = 3
HIDDEN: Final = 2
HIDDEN_DOUBLE: Final = 4
CLOSED: Final = 1


class HeuristicAgent:
    """Lays its best play by the five-part rule of this module."""

    name = "heuristic"

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
def score(r: Record, hand: Rows, attach: int, free: int) -> int:
    """How good it is to lay the tile attach-free by `attach`, in pips; higher is better.

    Args:
        r: a GAME or VIEW record.
        hand: (19,) uint32, the rows of the seat to act, with this tile.
        attach: the pip that is laid on an end.
        free: the pip that becomes an end.
    """
    result = tile_points(r, attach, free)
    if attach == free:
        return result + DOUBLE
    result += FOLLOW_UP * (ones(row_of(hand, free)) - 1)
    result -= HIDDEN * count_hidden(r, hand, free)
    if not has_bit(row_of(hand, free) | row_of(r.laid, free), free):
        result -= HIDDEN_DOUBLE
    if r.ends[attach] == 1:
        result += CLOSED * count_hidden(r, hand, attach)
    return result


@part
def count_hidden(r: Record, hand: Rows, pip: int) -> int:
    """The number of tiles with this pip that are neither in the hand nor on the table."""
    return int(r.max_pip) + 1 - ones(row_of(hand, pip) | row_of(r.laid, pip))


choose: Final = best_play(score)
