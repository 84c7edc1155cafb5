"""Tiles as rectangles in the plane, and the ports where the next tile may lie.

The unit of length is half a tile, x grows to the right and y downwards, as in pictures.

    rectangle   (x, y, dx, dy): its centre and the unit vector along it; all are 2 long, 1 wide
    port        (x, y, dx, dy): the point where the next tile touches, and where it points

A tile has five ports: one in front of it, two at the corners of its free half, turned by 45
degrees, and two at the sides of that half, turned by 90. The next tile touches the point with the
middle of its short side or, if it is a double, of its long side. R rectangles.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.jit import compiled, part

PORTS: Final = 5  # of a tile
TURNS: Final = (0, 45, -45, 90, -90)  # degrees by which each turns
GAP: Final = 0.12  # kept between tiles of which neither is laid on the other

_DIAGONAL: Final = 0.5**0.5
_REACH: Final = 5**0.5  # two tiles farther apart than this cannot meet
_ROUNDING: Final = 1e-9


@part
def meet(a: NDArray[np.float64], b: NDArray[np.float64], gap: float) -> bool:
    """Whether two rectangles lie nearer to each other than `gap`: no axis of a side parts them."""
    x, y = b[0] - a[0], b[1] - a[1]
    if x * x + y * y >= (_REACH + 2 * gap) ** 2:
        return False
    along = abs(a[2] * b[2] + a[3] * b[3])
    across = abs(a[2] * b[3] - a[3] * b[2])
    lengthwise = 1.0 + along + 0.5 * across + gap - _ROUNDING
    sideways = 0.5 + across + 0.5 * along + gap - _ROUNDING
    if abs(x * a[2] + y * a[3]) >= lengthwise or abs(x * b[2] + y * b[3]) >= lengthwise:
        return False
    return bool(abs(x * a[3] - y * a[2]) < sideways and abs(x * b[3] - y * b[2]) < sideways)


@part
def put(out: NDArray[np.float64], x: float, y: float, dx: float, dy: float) -> None:
    """Fill one rectangle or port."""
    out[0], out[1], out[2], out[3] = x, y, dx, dy


@part
def write_tile(port: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """The rectangle of a tile, no double, laid on the port."""
    put(out, port[0] + port[2], port[1] + port[3], port[2], port[3])


@part
def write_next(tile: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """The rectangle of a tile that goes straight on from another."""
    put(out, tile[0] + 2 * tile[2], tile[1] + 2 * tile[3], tile[2], tile[3])


@part
def write_turned(
    x: float, y: float, dx: float, dy: float, turn: int, out: NDArray[np.float64]
) -> None:
    """A port at (x, y) that points along (dx, dy) turned by 0, 45, -45, 90 or -90 degrees."""
    side = 1.0 if turn > 0 else -1.0
    if turn == 0:
        put(out, x, y, dx, dy)
    elif abs(turn) == 45:
        put(out, x, y, (dx - side * dy) * _DIAGONAL, (dy + side * dx) * _DIAGONAL)
    else:
        put(out, x, y, -side * dy, side * dx)


@compiled
def write_ports(tile: NDArray[np.float64], ports: NDArray[np.float64]) -> None:
    """Fill (PORTS, 4) with the ports of a tile that points from its attached half to its free one.

    The order is that of TURNS.
    """
    x, y, dx, dy = tile[0], tile[1], tile[2], tile[3]
    for index in range(PORTS):
        turn = TURNS[index]
        side = 0.5 * np.sign(turn)
        forward = 0.5 if abs(turn) == 90 else 1.0
        at_x, at_y = x + forward * dx - side * dy, y + forward * dy + side * dx
        write_turned(at_x, at_y, dx, dy, turn, ports[index])


@compiled
def write_foot(
    port: NDArray[np.float64], turns: NDArray[np.int64], out: NDArray[np.float64]
) -> None:
    """Fill (1 + toes, 4) with a double laid crosswise on the port, and its toes.

    Args:
        port: (4,).
        turns: (toes,) how far each toe turns off the way the port points, as in TURNS.
        out: the double's rectangle, whose long side is across, then one for each toe.
    """
    x, y, dx, dy = port[0], port[1], port[2], port[3]
    put(out[0], x + 0.5 * dx, y + 0.5 * dy, -dy, dx)
    for toe in range(len(turns)):
        turn = turns[toe]
        side = np.sign(turn)
        forward = 0.5 if abs(turn) == 90 else 1.0
        at_x, at_y = x + forward * dx - side * dy, y + forward * dy + side * dx
        write_turned(at_x, at_y, dx, dy, turn, out[1 + toe])
        write_tile(out[1 + toe].copy(), out[1 + toe])


@compiled
def is_free(new: NDArray[np.float64], placed: NDArray[np.float64], count: int, parent: int) -> bool:
    """Whether the rectangles `new` keep their distance from the first `count` of `placed`.

    The first of `new` lies on the rectangle `parent`, from which it keeps no distance.
    """
    for i in range(len(new)):
        for j in range(count):
            if meet(new[i], placed[j], GAP) and not (i == 0 and j == parent):
                return False
    return True


@compiled
def spread(tiles: NDArray[np.float64], edges: NDArray[np.float64], aspect: float) -> float:
    """How far the table spreads once it is widened by these tiles: half its height, or more.

    Args:
        tiles: (R, 4).
        edges: (4,) left, right, upper and lower edge of the table; widened.
        aspect: what a width is divided by to be compared with a height.
    """
    for i in range(len(tiles)):
        x, y, dx, dy = tiles[i]
        across, down = abs(dx) + 0.5 * abs(dy), abs(dy) + 0.5 * abs(dx)
        edges[0], edges[1] = min(edges[0], x - across), max(edges[1], x + across)
        edges[2], edges[3] = min(edges[2], y - down), max(edges[3], y + down)
    return float(0.5 * max((edges[1] - edges[0]) / aspect, edges[3] - edges[2]))
