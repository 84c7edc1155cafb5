"""What the infos of many games tell of the episodes that a step has ended.

B games. As usual in Gymnasium a value is an array over all games, or a dictionary of such arrays,
with a mask of the games that it applies to beside it, under its name behind a `_`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import batch
from chickenfoot_env.jit import compiled, records, whole

FACTS: Final = np.dtype(  # of an episode that has ended, under the names of the infos
    [
        ("r", "f8"),  # the sum of its rewards
        ("l", "i8"),  # the learner's decisions
        ("points", "i8"),  # the learner's
        ("rank", "i8"),  # the learner's, last after a forfeit
        ("seat", "i8"),  # the learner's
        ("players", "i8"),
    ]
)


def tell(name: str, value: Any, applies: NDArray[np.bool_], infos: dict[str, Any]) -> None:
    """Put a value into infos, with a mask of its own, a copy of `applies`: (B,) bool."""
    infos[name], infos[f"_{name}"] = value, applies.copy()


def of_episodes(
    games: NDArray[np.void],
    books: NDArray[np.void],
    ended: NDArray[np.bool_],
    earned: NDArray[np.float64],
    forfeits: NDArray[np.bool_],
    truncated: NDArray[np.bool_],
) -> dict[str, Any]:
    """The facts of the episodes that have ended, 0 for the other games.

    Args:
        games: (B,) GAME.
        books: (B,) BOOK, each with one seat that learns.
        ended: (B,) bool.
        earned: (B,) float64, the rewards of the last step.
        forfeits: (B,) bool, which of them the learner has ended by an illegal action.
        truncated: (B,) bool, which of them wait for one more decision of the learner.
    """
    facts = np.zeros(len(games), FACTS)
    _find(records(games), records(books), ended, earned, forfeits, truncated, records(facts))
    told: dict[str, Any] = {}
    for name in FACTS.names or ():
        tell(name, facts[name].copy(), ended, told)
    return told


@compiled
def _find(
    games: NDArray[np.void],
    books: NDArray[np.void],
    ended: NDArray[np.bool_],
    earned: NDArray[np.float64],
    forfeits: NDArray[np.bool_],
    truncated: NDArray[np.bool_],
    facts: NDArray[np.void],
) -> None:
    for i in np.flatnonzero(ended):
        g, book, fact = games[i], books[i], facts[i]
        seat, paid = whole(book.learner), book.paid[book.learner]
        fact.r = paid if truncated[i] else paid + earned[i]  # it is paid already if truncated
        fact.l = book.decisions - (1 if truncated[i] else 0)
        fact.points = g.points[seat]
        fact.rank = g.players if forfeits[i] else batch.rank(g, seat)
        fact.seat = seat
        fact.players = g.players
