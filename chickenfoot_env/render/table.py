"""A table that tiles are laid on one by one, each where that costs the picture least.

It costs something to widen the table, to go far from the starter, to bend off, and above all to
leave an end without room for what may have to be laid there: a tile, and a double with its toes if
that double is not on the table yet. Ends that share their pip with others cost less.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.render import feet, geometry, room
from chickenfoot_env.render.geometry import PORTS, TURNS
from chickenfoot_env.tiles import MAX_PIP, MAX_TILES

STARTER, ARM, TOE = "starter", "arm", "toe"  # kinds of tiles

ASPECT: Final = 1.8  # width to height of the table that is aimed at
_WIDER, _SMALL = 20.0, 7.0  # cost of a table with half its height over _SMALL
_FARTHER, _NEAR = 4.0, 3.0  # cost of a distance from the starter over _NEAR, in heights
_BEND: Final = {0: 0.0, 45: 3.0, 90: 4.0}  # for a double twice as much
_ODD_FOOT: Final = 30.0  # a foot whose toes do not lie in the usual way
_SOLE, _SHARED = (600.0, 100.0), (120.0, 25.0)  # an end with no room for a tile, for a foot

_MOST_ENDS: Final = feet.MOST_ARMS + 2 * MAX_PIP + 1
_MOST_TOES: Final = max(feet.TOES)
_USUAL: Final = np.array(_SHARED)


class Disorder(NamedTuple):
    """Chance that changes costs."""

    seed: int
    most: float  # that it adds to a cost


class Tile(NamedTuple):
    """A tile on the table; its rectangle is `placed[row]`."""

    attach: int
    free: int
    row: int
    parent: int | None  # index of the tile that it lies on
    kind: str


class End(NamedTuple):
    """An open end: of the tile whose rectangle is in this row, or a toe that is owed there."""

    pip: int
    tile: int  # index of the tile that the next one will lie on
    row: int


class _Option(NamedTuple):
    cost: float
    end: int  # index of the end that the tile is laid on
    rectangles: NDArray[np.float64]  # (R, 4) of the tile and, if it is a double, of its toes


class Table:
    """The tiles laid so far, and the ends.

    Attributes:
        tiles: in the order they were laid.
        placed: (R, 4) rectangles of the tiles, and of the toes that are owed.
        ends: the open ends that are not owed.
        owed: the arms or toes that must be laid first.
    """

    def __init__(self, starter: int, arms: int, toes: int, max_pip: int, hub: float) -> None:
        """Lay the starter on a hub; the other arguments are those of `layout.lay_out`."""
        self.tiles: list[Tile] = []
        self.placed = np.zeros((MAX_TILES + _MOST_ENDS + 1 + _MOST_TOES, 4))
        self.ends: list[End] = []
        self.owed: list[End] = []
        self._count = 0  # rectangles in use
        self._feet = feet.foot_turns(toes)
        self._max_pip = max_pip
        self._with_pip = [0] * (MAX_PIP + 1)  # tiles on the table with each pip
        self._has_double = [False] * (MAX_PIP + 1)
        # Of each end, and behind the last one of up to three that are tried.
        self._ports = np.zeros((_MOST_ENDS + _MOST_TOES, PORTS, 4))
        self._room = np.zeros((_MOST_ENDS + _MOST_TOES, PORTS), np.int64)
        self._prices = np.zeros((_MOST_ENDS + _MOST_TOES, 2))
        self._lost = np.zeros((_MOST_ENDS, 2), np.int64)  # play that took the room for tile, foot
        self._edges = np.zeros(4)
        self._spread = _SMALL
        self._chance: np.random.Generator | None = None
        self._disorder = 0.0
        self._place(feet.starter_rectangles(arms, hub))
        self._add(Tile(starter, starter, 0, None, STARTER))
        self.owed = [End(starter, 0, 1 + arm) for arm in range(arms)]

    def lay_all(
        self,
        plays: Sequence[tuple[int, int]],
        disorder: dict[int, Disorder],
        tell: Callable[[], None] | None = None,
    ) -> bool:
        """Lay the tiles behind the starter, as far as they have room; whether all have.

        Args:
            plays: (attach, free), that of the starter included.
            disorder: the chance from each of these plays on.
            tell: called behind each tile.

        Raises:
            ValueError: for a play that the rules do not allow.
        """
        for index, (attach, free) in enumerate(plays[1:], start=1):
            if index in disorder:
                seed, self._disorder = disorder[index]
                self._chance = np.random.default_rng(seed)
            if not self._lay(attach, free):
                return False
            if tell is not None:
                tell()
        return True

    def cause(self, attach: int, free: int) -> int:
        """The play that took the room for this one."""
        what = int(attach == free)
        fitting = [index for index, end in enumerate(self.ends) if end.pip == attach]
        return int(self._lost[fitting, what].max())

    def best_port(self, end: int) -> NDArray[np.float64]:
        """The port of an end with most room, straight on if it can be: (4,)."""
        best: NDArray[np.float64] = self._ports[end, int(np.argmax(self._room[end]))]
        return best

    def _lay(self, attach: int, free: int) -> bool:
        is_double = attach == free
        if self.owed and (attach != self.owed[0].pip or is_double):
            raise ValueError(
                self._refusal(attach, free, f"first {self.owed[0].pip} is owed a tile")
            )
        if not self.owed and all(end.pip != attach for end in self.ends):
            raise ValueError(self._refusal(attach, free, f"no end shows {attach}"))
        self._set_prices(attach, free)
        if self.owed:
            self._lay_toe(free)
            return True
        option = self._best_option(attach, is_double)
        if option is not None:
            self._lay_on_end(option, attach, free)
        return option is not None

    def _refusal(self, attach: int, free: int, reason: str) -> str:
        return f"play {len(self.tiles)} lays {attach}-{free} on a {attach}, but {reason}"

    # What a play costs

    def _set_prices(self, attach: int, free: int) -> None:
        """Say what the room at each end is worth once this tile lies."""
        pips = [end.pip for end in self.ends]
        for end, pip in enumerate(pips):
            others = pips.count(pip) - 1 - (pip == attach) + (pip == free != attach)
            self._prices[end] = self._price(pip, others > 0)
        new = _SOLE if attach == free else self._price(free, free in pips)
        self._prices[len(pips) : len(pips) + _MOST_TOES] = new

    def _price(self, pip: int, is_shared: bool) -> tuple[float, float]:
        if self._with_pip[pip] > self._max_pip:  # all of them, so that no tile is left for the end
            return 0.0, 0.0
        tile, foot = _SHARED if is_shared else _SOLE
        return tile, 0.0 if self._has_double[pip] else foot

    def _best_option(self, attach: int, is_double: bool) -> _Option | None:
        """The cheapest way to lay a tile, if any has room."""
        best = None
        for index, end in enumerate(self.ends):
            if end.pip != attach:
                continue
            for port in np.flatnonzero(self._room[index] != room.CLOSED).tolist():
                for rectangles, extra in self._shapes(self._ports[index, port], is_double):
                    if geometry.is_free(rectangles, self.placed, self._count, end.row):
                        extra += _BEND[abs(TURNS[port])] * (2 if is_double else 1)
                        most = best.cost if best else math.inf
                        cost = self._cost(index, rectangles, extra, most)
                        if cost < most:
                            best = _Option(cost, index, rectangles)
        return best

    def _shapes(
        self, port: NDArray[np.float64], is_double: bool
    ) -> Iterator[tuple[NDArray[np.float64], float]]:
        """What may be laid on a port: (R, 4) rectangles, and what that costs more than usual."""
        if not is_double:
            x, y, dx, dy = port
            yield np.array([[x + dx, y + dy, dx, dy]]), 0.0
            return
        for number, turns in enumerate(self._feet):
            rectangles = np.empty((1 + len(turns), 4))
            geometry.write_foot(port, turns, rectangles)
            yield rectangles, _ODD_FOOT if number else 0.0

    def _cost(self, end: int, rectangles: NDArray[np.float64], extra: float, most: float) -> float:
        """The cost of tiles laid on an end; if it is over `most`, anything that is."""
        first, last, ends = self._count, self._count + len(rectangles), len(self.ends)
        self.placed[first:last] = rectangles
        cost = (
            extra
            + self._noise()
            + room.crowding(
                self._ports,
                self._room,
                self._prices,
                ends,
                end,
                self._feet[0],
                self.placed,
                first,
                last,
            )
        )
        for row in range(first + (len(rectangles) > 1), last):  # a double itself is no end
            cost += self._write_end(ends, row, self._prices[ends], last)
            ends += 1
        distance = math.hypot(rectangles[0, 0] / ASPECT, rectangles[0, 1])
        spread = geometry.spread(rectangles, self._edges.copy(), ASPECT)
        cost += _FARTHER * max(0.0, distance - _NEAR) + _WIDER * max(0.0, spread - self._spread)
        if cost < most:
            cost += room.enclosure(
                self._ports, self._room, self._prices, ends, end, self.placed, last
            )
        return cost

    def _write_end(self, end: int, row: int, price: NDArray[np.float64], count: int) -> float:
        """Note ports and room of the tile in a row, as those of this end; what it needs."""
        return room.new_need(
            row, self._ports[end], self._room[end], price, self._feet[0], self.placed, count
        )

    def _noise(self) -> float:
        return self._disorder * self._chance.random() if self._chance is not None else 0.0

    # What a play does

    def _lay_toe(self, free: int) -> None:
        """Lay a tile as one of the toes that are owed.

        The more it may need room, the more room there is, measured by what any tile needs there.
        """
        end, costs = len(self.ends), []
        for slot in self.owed:
            need = self._write_end(end, slot.row, self._prices[end], self._count)
            need -= self._write_end(end, slot.row, _USUAL, self._count)
            costs.append(need + self._noise())
        slot = self.owed.pop(int(np.argmin(costs)))
        self._add(Tile(slot.pip, free, slot.row, slot.tile, TOE if slot.tile else ARM))
        self._open(free, slot.row)

    def _lay_on_end(self, option: _Option, attach: int, free: int) -> None:
        parent = self.ends[option.end].tile
        self._close(option.end)
        row = self._count
        self._place(option.rectangles)
        self._add(Tile(attach, free, row, parent, ARM))
        if attach == free:
            self.owed = [End(free, len(self.tiles) - 1, toe) for toe in range(row + 1, self._count)]
        else:
            self._open(free, row)

    def _place(self, rectangles: NDArray[np.float64]) -> None:
        """Take up room."""
        first, self._count = self._count, self._count + len(rectangles)
        self.placed[first : self._count] = rectangles
        self._spread = max(self._spread, geometry.spread(rectangles, self._edges, ASPECT))
        for end in range(len(self.ends)):
            left = self._room[end]
            before = left.max()
            room.write_room(
                self._ports[end], left, self._feet[0], self.placed, first, self._count, -1
            )
            self._lost[end, left.max() : before] = len(self.tiles)

    def _add(self, tile: Tile) -> None:
        self.tiles.append(tile)
        for pip in {tile.attach, tile.free}:
            self._with_pip[pip] += 1
        self._has_double[tile.free] |= tile.attach == tile.free

    def _open(self, pip: int, row: int) -> None:
        """Add the end of the last tile."""
        end, tile = len(self.ends), len(self.tiles) - 1
        self.ends.append(End(pip, tile, row))
        self._write_end(end, row, self._prices[end], self._count)
        parent = self.tiles[tile].parent or 0
        self._lost[end] = parent if self.tiles[tile].kind == TOE else tile  # when room was taken

    def _close(self, end: int) -> None:
        """Take an end away; the last one gets its place."""
        last = self.ends.pop()
        if end < len(self.ends):
            self.ends[end] = last
            for rows in (self._ports, self._room, self._lost):
                rows[end] = rows[len(self.ends)]
