"""The plays of a round, which a game record does not keep."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


class PlayLog:
    """The plays of the current round of one game, noted as they are made.

        log = PlayLog(games[0])
        batch.step(games, actions)
        log.note(actions[0], games[0])

    Where steps are to cost next to nothing, append to `actions`, and call `follow` after a step
    that has ended a round.

    Attributes:
        actions: of the round so far, in order; DRAW and PASS may be among them.
    """

    def __init__(self, game: np.void, actions: Sequence[int] = ()) -> None:
        """Begin with a round just dealt, or go on from the actions of this one."""
        self._pips = int(game["max_pip"]) + 1
        self._begin(game)
        self.actions += actions

    def note(self, action: int, game: np.void) -> None:
        """Note an action that has led to this GAME record; a new round begins the log anew."""
        self.actions.append(int(action))
        self.follow(game)

    def follow(self, game: np.void) -> None:
        """Begin the log anew if a new round has been dealt."""
        if game["round"] != self._round:
            self._begin(game)

    @property
    def laid(self) -> list[int]:
        """The actions that have laid a tile; the starter's is none of them."""
        draw = self._pips**2
        return [action for action in self.actions if action < draw]

    @property
    def plays(self) -> list[tuple[int, int]]:
        """(attach, free) in the order they were made, the starter's first."""
        starter = self._starter, self._starter
        return [starter, *(divmod(action, self._pips) for action in self.laid)]

    def _begin(self, game: np.void) -> None:
        self._round, self._starter = int(game["round"]), int(game["starter"])
        self.actions: list[int] = []
