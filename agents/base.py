"""What an agent is.

An agent is asked for many decisions at once and answers each from its own view and seed alone. It
is never shown a game.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.chance import check_seeds
from chickenfoot_env.game import GAME_OVER
from chickenfoot_env.view import check_views


class AgentError(ValueError):
    """An agent that cannot be made; the message says what would be allowed."""


class Agent(Protocol):
    """A decision maker.

    An agent may have an attribute `simulations: int`: how many simulations (playouts, or whatever
    its budget is in) it has run since it was made. It has it from the start, and the number never
    goes down. Tournaments report it as what a decision cost; an agent without it counts none.
    """

    @property
    def name(self) -> str:
        """The spec that makes this agent again, with every option it has written out."""

    def act(self, views: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """One legal action for each view.

        Row i of the answer depends on row i of the arguments alone, and nothing is changed.

        Args:
            views: (B,) VIEW, each of a seat that is to act; tables and sets may differ. A view of a
                finished game is answered with PASS.
            seeds: (B,) uint64; all that is random about decision i follows from seeds[i].

        Returns:
            (B,) int64 action ids.

        Raises:
            ValueError: for arrays of another kind, or a view of a seat that is not to act.
        """


@runtime_checkable
class Evaluator(Agent, Protocol):
    """An agent that can also say what it thinks of each action, for replays and hints."""

    def values(self, views: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.float64]:
        """What each action of each view is worth to its seat.

        Args:
            views: (B,) VIEW, as for `Agent.act`.
            seeds: (B,) uint64; with the same ones `act` takes the action that it finds best, which
                need not have the highest value where it weighs other things too.

        Returns:
            (B, A) float64, A action ids of the largest set among the views: the margin that the
            seat expects of the round, in pips. NaN for what is not legal, and in the whole row
            where only one action is.

        Raises:
            ValueError: as `Agent.act` does.
        """


def check_question(
    views: NDArray[np.void], seeds: NDArray[np.uint64]
) -> tuple[NDArray[np.void], NDArray[np.uint64]]:
    """The arguments of `Agent.act`, contiguous, if they are what it asks for.

    Raises:
        ValueError: if they are not, naming the first view that cannot be answered.
    """
    check_views(views)
    seeds = check_seeds(seeds, len(views))
    waiting = (views["turn"] != 0) & (views["over"] != GAME_OVER)
    if waiting.any():
        row = int(np.argmax(waiting))
        raise ValueError(
            f"view {row} is of a seat that is not to act (turn={views['turn'][row]}): wanted are "
            'views with turn=0, such as observe(games, games["seat"])'
        )
    return views, seeds
