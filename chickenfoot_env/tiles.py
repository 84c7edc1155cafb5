"""Numbers for tiles and actions.

A tile a-b with a <= b has the id b (b + 1) / 2 + a, so that a double-n set is a prefix of every
larger set. A play is an ordered pair: the tile is laid by its half `attach` on an open end that
shows `attach`, and its half `free` becomes the new end. With P = max_pip + 1 pip values

    action = attach * P + free        DRAW = P * P        PASS = P * P + 1

so a double has one id, any other tile has two, and an id means the same in every state.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

MAX_PIP: Final = 18
MAX_PIPS: Final = MAX_PIP + 1
MAX_TILES: Final = MAX_PIPS * (MAX_PIPS + 1) // 2

# A set of tiles as a bit matrix: bit y of row x, and bit x of row y, for the tile x-y. A GAME keeps
# a row in three bytes, the lowest first, (19, 3) uint8; a VIEW has a number a row, (19,) uint32.
Rows: TypeAlias = NDArray[np.uint8] | NDArray[np.uint32]
ROW_BYTES: Final = 3

LOW: Final[NDArray[np.int64]] = np.array(  # (MAX_TILES,) the smaller pip of each tile id
    [low for high in range(MAX_PIPS) for low in range(high + 1)], dtype=np.int64
)
HIGH: Final[NDArray[np.int64]] = np.array(  # (MAX_TILES,) the larger pip of each tile id
    [high for high in range(MAX_PIPS) for _ in range(high + 1)], dtype=np.int64
)


def set_size(max_pip: int) -> int:
    """T, the number of tiles in a double-`max_pip` set."""
    return (max_pip + 1) * (max_pip + 2) // 2


def tile_id(one: int, other: int) -> int:
    """The id of the tile with these two pips, in either order."""
    low, high = min(one, other), max(one, other)
    return high * (high + 1) // 2 + low


def play_action(attach: int, free: int, max_pip: int) -> int:
    """The action id of laying the tile attach-free by its half `attach`."""
    return attach * (max_pip + 1) + free


def draw_action(max_pip: int) -> int:
    """The action id of DRAW."""
    return (max_pip + 1) ** 2


def pass_action(max_pip: int) -> int:
    """The action id of PASS."""
    return draw_action(max_pip) + 1


def action_count(max_pip: int) -> int:
    """A, the number of action ids with a double-`max_pip` set."""
    return draw_action(max_pip) + 2
