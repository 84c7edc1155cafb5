"""The plays of a round, which a game record does not keep."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


class PlayLog:
    """The plays of the current round of one game, noted as they are made.

        log = PlayLog(games[0])
        batch.step(games, actions)
        log.note(actions[0], games[0])

    Attributes:
        plays: (attach, free) in the order they were made, the starter's first.
    """

    def __init__(self, game: np.void, plays: Sequence[tuple[int, int]] = ()) -> None:
        """Begin with the starter of a round just dealt, or go on from `plays`."""
        self._round = int(game["round"])
        self.plays = [*plays] or [_starter(game)]

    def note(self, action: int, game: np.void) -> None:
        """Note an action that has led to this GAME record; a new round begins the log anew."""
        pips = int(game["max_pip"]) + 1
        if game["round"] != self._round:
            self._round = int(game["round"])
            self.plays = [_starter(game)]
        elif action < pips * pips:
            self.plays.append(divmod(int(action), pips))


def _starter(game: np.void) -> tuple[int, int]:
    pip = int(game["starter"])
    return pip, pip
