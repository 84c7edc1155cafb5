"""The heuristic agent: heavy tiles and doubles first, on ends that suit its own hand alone.

The rule:

1. It lays the play with the highest score, the lowest action id among equals, and draws or passes
   only when it has no play.
2. A play scores the points of its tile, as greedy counts them.
3. A double scores `double` more, so that it gets out while its foot can be filled.
4. Any other tile scores `follow_up` for each tile of the own hand that fits the end it leaves, and
   loses `hidden` for each hidden tile that fits it, and `hidden_double` more if one is its double.
5. Where it covers the last end of its pip, it scores `closed` for each hidden tile that would have
   fitted there.

Hidden tiles are those neither in the own hand nor on the table. A starved foot stops all seats
alike, so a double is worth as much when few of its toes are left.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.base import AgentError, check_question
from agents.greedy_agent import best_play, tile_points
from chickenfoot_env.bits import has_bit, ones, row_of
from chickenfoot_env.jit import Record, compiled, part, records
from chickenfoot_env.tiles import Rows


class Weights(NamedTuple):
    """What the parts of the rule weigh, in pips, for they weigh against points."""

    double: float
    follow_up: float
    hidden: float
    hidden_double: float
    closed: float


WEIGHTS: Final = Weights(double=8, follow_up=3, hidden=2, hidden_double=4, closed=1)
MOST: Final = 1000.0  # of a weight, either way


class HeuristicAgent:
    """Lays its best play by the five-part rule of this module.

    Args:
        double: in pips, as are the other weights; -1000 to 1000.
        follow_up: a tile of the own hand.
        hidden: a hidden tile.
        hidden_double: once more for a hidden double.
        closed: a hidden tile.

    Raises:
        AgentError: for a weight that is not allowed.
    """

    def __init__(
        self,
        double: float = WEIGHTS.double,
        follow_up: float = WEIGHTS.follow_up,
        hidden: float = WEIGHTS.hidden,
        hidden_double: float = WEIGHTS.hidden_double,
        closed: float = WEIGHTS.closed,
    ) -> None:
        given = (double, follow_up, hidden, hidden_double, closed)
        self._weights = Weights(*map(float, given))
        for name, weight in self._weights._asdict().items():
            if not abs(weight) <= MOST:
                raise AgentError(
                    f"{name}={weight:g} of heuristic: allowed are -{MOST:g} to {MOST:g}"
                )
        changed = [
            f"{name}={weight:.15g}"
            for name, weight in self._weights._asdict().items()
            if weight != getattr(WEIGHTS, name)
        ]
        self.name = f"heuristic:{','.join(changed)}" if changed else "heuristic"

    def act(self, views: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """One action for each view, whatever its seed; see `Agent.act`."""
        views, _ = check_question(views, seeds)
        actions = np.empty(len(views), np.int64)
        _act(records(views), self._weights, actions)
        return actions


@compiled
def _act(views: NDArray[np.void], weights: Weights, actions: NDArray[np.int64]) -> None:
    for i in range(len(views)):
        v = views[i]
        actions[i] = _choose_by(v, v.hand, v.boneyard, weights)


@part
def _score_by(r: Record, hand: Rows, attach: int, free: int, weights: Weights) -> float:
    result: float = tile_points(r, attach, free)
    if attach == free:
        return result + weights.double
    result += weights.follow_up * (ones(row_of(hand, free)) - 1)
    result -= weights.hidden * count_hidden(r, hand, free)
    if not has_bit(row_of(hand, free) | row_of(r.laid, free), free):
        result -= weights.hidden_double
    if r.ends[attach] == 1:
        result += weights.closed * count_hidden(r, hand, attach)
    return result


@part
def score(r: Record, hand: Rows, attach: int, free: int) -> int:
    """How good it is to lay the tile attach-free by `attach`, in pips; higher is better.

    Args:
        r: a GAME or VIEW record.
        hand: the rows of the seat to act, with this tile.
        attach: the pip that is laid on an end.
        free: the pip that becomes an end.
    """
    return int(_score_by(r, hand, attach, free, WEIGHTS))


@part
def count_hidden(r: Record, hand: Rows, pip: int) -> int:
    """The number of tiles with this pip that are neither in the hand nor on the table."""
    return int(r.max_pip) + 1 - ones(row_of(hand, pip) | row_of(r.laid, pip))


_choose_by: Final = best_play(_score_by)


@part
def choose(r: Record, hand: Rows, boneyard: int) -> int:
    """The heuristic's action, in compiled code; the arguments are those of `best_play`."""
    return _choose_by(r, hand, boneyard, WEIGHTS)
