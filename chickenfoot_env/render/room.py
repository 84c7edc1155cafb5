"""What has room at the ends of a table, and what it costs an end to have little.

An end has five ports, see `geometry`. To have room for a foot is to have it for a double, its toes
splayed in the usual way, and one more tile behind each toe. E ends, R rectangles.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.jit import compiled, part
from chickenfoot_env.render.geometry import (
    GAP,
    PORTS,
    meet,
    write_foot,
    write_next,
    write_ports,
    write_tile,
)

CLOSED, TILE, FOOT = 0, 1, 2  # what has room at a port: nothing, a tile, a foot

_FAR: Final = 7.0  # a tile farther than this from a port takes no room there
_FEW: Final = (1.0, 0.2, 0.06, 0.02, 0.01, 0.0)  # share of the full price, by the ports left
_NARROW: Final = 0.2  # the same for a tile instead of a foot, if there is a port left
_ENCLOSED: Final = 0.1  # the same for an end with room but no way out
_CLEARANCE: Final = 1.2  # of a way from the tiles beside it
_WALL, _WAY = 1, 2


@compiled
def write_room(
    ports: NDArray[np.float64],
    room: NDArray[np.int64],
    turns: NDArray[np.int64],
    placed: NDArray[np.float64],
    first: int,
    last: int,
    parent: int,
) -> None:
    """Lower the `room` at ports of one tile to what `placed[first:last]` leaves.

    Args:
        ports: (PORTS, 4).
        room: (PORTS,) CLOSED, TILE or FOOT at each port.
        turns: (toes,) the toes of a foot, as for `write_foot`.
        placed: (R, 4) rectangles.
        first: the first one that counts.
        last: the one behind the last.
        parent: which of them is the tile that has the ports.
    """
    tile = np.empty(4)
    foot = np.empty((1 + 2 * len(turns), 4))
    for index in range(PORTS):
        if room[index] == CLOSED:
            continue
        write_tile(ports[index], tile)
        write_foot(ports[index], turns, foot[: 1 + len(turns)])
        for toe in range(len(turns)):
            write_next(foot[1 + toe], foot[1 + len(turns) + toe])
        for j in range(first, last):
            x, y = placed[j, 0] - ports[index, 0], placed[j, 1] - ports[index, 1]
            if x * x + y * y > _FAR * _FAR:
                continue
            if j != parent and meet(tile, placed[j], GAP):
                room[index] = CLOSED
                break
            for i in range(len(foot)):
                if room[index] == FOOT and not (i == 0 and j == parent):
                    if meet(foot[i], placed[j], GAP):
                        room[index] = TILE


@part
def need(room: NDArray[np.int64], price: NDArray[np.float64]) -> float:
    """The cost of an end with this room, (PORTS,): much if little is left.

    `price` is (2,): the cost of having room for no tile, and for no foot.
    """
    feet, tiles = 0, 0
    for index in range(PORTS):
        feet += 1 if room[index] == FOOT else 0
        tiles += 1 if room[index] != CLOSED else 0
    if tiles == 0:
        return float(price[0] + price[1])
    return float(_NARROW * _FEW[tiles] * price[0] + _FEW[feet] * price[1])


@compiled
def crowding(
    ports: NDArray[np.float64],
    room: NDArray[np.int64],
    prices: NDArray[np.float64],
    ends: int,
    closed: int,
    turns: NDArray[np.int64],
    placed: NDArray[np.float64],
    first: int,
    last: int,
) -> float:
    """What the ends would need in all, if `placed[first:last]` were added to the table.

    Args:
        ports: (E, PORTS, 4).
        room: (E, PORTS); not changed.
        prices: (E, 2) as for `need`.
        ends: how many of them there are.
        closed: the end that the new tile is laid on, or -1.
        turns: (toes,) as for `write_room`, as are the others.
        placed: (R, 4).
        first: the first new rectangle.
        last: the one behind the last.
    """
    total = 0.0
    left = np.empty(PORTS, np.int64)
    for end in range(ends):
        if end != closed:
            for index in range(PORTS):
                left[index] = room[end, index]
            write_room(ports[end], left, turns, placed, first, last, -1)
            total += need(left, prices[end])
    return total


@compiled
def new_need(
    tile: int,
    ports: NDArray[np.float64],
    room: NDArray[np.int64],
    price: NDArray[np.float64],
    turns: NDArray[np.int64],
    placed: NDArray[np.float64],
    last: int,
) -> float:
    """What the end of `placed[tile]` needs; fills its `ports`, (PORTS, 4), and `room`, (PORTS,)."""
    write_ports(placed[tile], ports)
    for index in range(PORTS):
        room[index] = FOOT
    write_room(ports, room, turns, placed, 0, last, tile)
    return need(room, price)


@compiled
def enclosure(
    ports: NDArray[np.float64],
    room: NDArray[np.int64],
    prices: NDArray[np.float64],
    ends: int,
    closed: int,
    placed: NDArray[np.float64],
    count: int,
) -> float:
    """The cost of the ends from which no way leads out from among the tiles.

    A way is as wide as twice `_CLEARANCE`, on a grid whose cells are as wide as a tile.

    Args:
        ports: (E, PORTS, 4).
        room: (E, PORTS).
        prices: (E, 2) as for `need`.
        ends: how many of them there are.
        closed: an end that does not count, or -1.
        placed: (R, 4).
        count: how many of them there are.
    """
    right = down = 5
    for i in range(count):
        right, down = max(right, 5 + int(abs(placed[i, 0]))), max(down, 5 + int(abs(placed[i, 1])))
    grid = np.zeros((2 * right + 1, 2 * down + 1), np.int8)  # _WALL, or _WAY, or not yet known
    for i in range(count):
        wall_off(grid, right, down, placed[i])
    flood(grid)
    total = 0.0
    for end in range(ends):
        if end != closed and not leads_out(grid, right, down, ports[end], room[end]):
            total += _ENCLOSED * prices[end, 0]
    return total


@part
def wall_off(grid: NDArray[np.int8], right: int, down: int, tile: NDArray[np.float64]) -> None:
    """Mark the cells near a tile."""
    x, y = round(tile[0]) + right, round(tile[1]) + down
    for column in range(x - 3, x + 4):
        for row in range(y - 3, y + 4):
            off_x, off_y = column - right - tile[0], row - down - tile[1]
            along = max(abs(off_x * tile[2] + off_y * tile[3]) - 1.0, 0.0)
            across = max(abs(off_x * tile[3] - off_y * tile[2]) - 0.5, 0.0)
            if along * along + across * across < _CLEARANCE * _CLEARANCE:
                grid[column, row] = _WALL


@compiled
def flood(grid: NDArray[np.int8]) -> None:
    """Mark the cells that can be reached from the first one, step by step."""
    columns, rows = grid.shape
    stack = np.empty((columns * rows, 2), np.int64)
    stack[0, 0] = stack[0, 1] = 0
    grid[0, 0] = _WAY
    waiting = 1
    while waiting > 0:
        waiting -= 1
        column, row = stack[waiting, 0], stack[waiting, 1]
        for step in range(4):
            x, y = column + (1, 0, -1, 0)[step], row + (0, 1, 0, -1)[step]
            if 0 <= x < columns and 0 <= y < rows and grid[x, y] == 0:
                grid[x, y] = _WAY
                stack[waiting, 0], stack[waiting, 1] = x, y
                waiting += 1


@part
def leads_out(
    grid: NDArray[np.int8],
    right: int,
    down: int,
    ports: NDArray[np.float64],
    room: NDArray[np.int64],
) -> bool:
    """Whether the end of a tile laid on one of these ports is beside a way."""
    for index in range(PORTS):
        if room[index] == CLOSED:
            continue
        x, y, dx, dy = ports[index]
        column, row = round(x + 2 * dx) + right, round(y + 2 * dy) + down
        for at_x in range(max(column - 1, 0), min(column + 2, grid.shape[0])):
            for at_y in range(max(row - 1, 0), min(row + 2, grid.shape[1])):
                if grid[at_x, at_y] == _WAY:
                    return True
    return False
