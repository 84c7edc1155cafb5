"""Whole games asked for in time, for loops that do much with each of them.

Playing a game up to a seat's next decision, or showing it to the seat, touches most lines of its
record: while one game is at hand, a later one comes from main memory or a far cache. With 1,024
games, which the nearest caches do not hold, such a loop takes about a tenth less time.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.game import GAME
from chickenfoot_env.jit import part
from chickenfoot_env.prefetch import _LINE, _ask

AHEAD: Final = 4  # how many games before it is at hand a game is to be asked for
_SIZE: Final = GAME.itemsize


@part
def fetch_game(games: NDArray[np.void], i: int) -> None:
    """Ask for all of game `i`, if there is such a game."""
    if i < len(games):
        for byte in range(0, _SIZE, _LINE):
            _ask(games, i, byte)
