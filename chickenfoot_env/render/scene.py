"""A picture as a list of shapes on a canvas, for any way to draw them.

Everything is in pixels from the upper left corner. Shapes cover those before them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from chickenfoot_env.render.feet import cos, sin
from chickenfoot_env.render.layout import LaidTile, Layout, OpenEnd
from chickenfoot_env.render.picture import Hand, Picture
from chickenfoot_env.render.table import ASPECT
from chickenfoot_env.tiles import HIGH, LOW

WIDTH, HEIGHT = 1280, 960

TABLE, PANEL, CELL, ACTING = "#2a5548", "#1d3d34", "#254c41", "#33685a"
INK, SOFT, GOLD, DARK = "#f7f4e8", "#c3d3cb", "#ffcf4a", "#1b1b1b"
LAST, WAITING, HUB = "#ff8a1f", "#9db5ab", "#3d7263"

_MARGIN: Final = 12.0
_TOP: Final = 40.0  # height of the line at the top
_NAME: Final = 26.0  # height of the line with a seat's name
_LARGEST, _SMALLEST = 44.0, 4.0  # pixels of half a tile: at most on the table, at least in a hand
_IN_HAND, _LEGIBLE = 26.0, 20.0  # the same in a hand of few tiles, and of more
_VIEW: Final = 5.0  # half the height of the table that is shown even if it is empty
_SOLID_HUB: Final = 3.5  # a hub larger than this is a ring, for tiles may come to lie inside
_SHARE: Final = 0.3  # of the canvas that the hands may take up
_LONGEST_NAME: Final = 14


@dataclass(frozen=True)
class Box:
    """A rectangle with round corners, turned clockwise by `angle` degrees around its middle."""

    x: float  # of the middle, as y
    y: float
    width: float
    height: float
    angle: float
    radius: float
    fill: str | None
    line: str | None = None
    line_width: float = 0.0
    dashed: bool = False


@dataclass(frozen=True)
class Disc:
    """A filled circle."""

    x: float
    y: float
    radius: float
    fill: str


@dataclass(frozen=True)
class Label:
    """A line of text, its middle at the height y."""

    x: float
    y: float
    size: float
    text: str
    fill: str
    anchor: str = "middle"  # what lies at x: "start", "middle", "end"
    bold: bool = False


@dataclass(frozen=True)
class Face:
    """A tile, face up; `unit` is half its length, `angle` points from the `one` half to `other`."""

    x: float
    y: float
    unit: float
    angle: float
    one: int
    other: int


Shape: TypeAlias = Box | Disc | Label | Face


def shapes(picture: Picture) -> list[Shape]:
    """The picture on a canvas of WIDTH x HEIGHT."""
    panel = _Panel(picture.hands)
    bottom = HEIGHT - panel.height
    return [
        Box(WIDTH / 2, HEIGHT / 2, WIDTH, HEIGHT, 0, 18, TABLE),
        *_table(picture.layout, _TOP, bottom),
        Box(WIDTH / 2, _TOP / 2, WIDTH, _TOP, 0, 18, PANEL),
        *_heading(picture),
        Box(WIDTH / 2, HEIGHT - panel.height / 2, WIDTH, panel.height, 0, 18, PANEL),
        *panel.shapes(bottom, picture.to_act),
    ]


def _heading(picture: Picture) -> Iterator[Shape]:
    y = _TOP / 2
    boneyard = f"boneyard: {_count(picture.boneyard, 'tile')}"
    yield Label(2 * _MARGIN, y, 17, picture.heading, INK, "start")
    yield Label(WIDTH * 0.42, y, 17, picture.phase, GOLD)
    yield Label(WIDTH * 0.63, y, 17, boneyard, INK)
    yield Label(WIDTH - 2 * _MARGIN, y, 17, picture.status, INK, "end", bold=True)


# The table


class _Camera:
    """From the units of a layout to pixels."""

    def __init__(self, layout: Layout, top: float, bottom: float) -> None:
        left, right, low, high = _bounds(layout)
        width, height = WIDTH - 2 * _MARGIN, bottom - top - 2 * _MARGIN
        self.unit = min(width / (right - left), height / (high - low), _LARGEST)
        self._x = WIDTH / 2 - self.unit * (left + right) / 2
        self._y = (top + bottom) / 2 - self.unit * (low + high) / 2

    def at(self, x: float, y: float) -> tuple[float, float]:
        return self._x + self.unit * x, self._y + self.unit * y


def _bounds(layout: Layout) -> tuple[float, float, float, float]:
    """Left, right, upper and lower edge of what is on the table, and of a small empty table."""
    xs, ys = [-_VIEW * ASPECT, _VIEW * ASPECT], [-_VIEW, _VIEW]
    for tile in layout.tiles:
        along_x, along_y = abs(cos(tile.angle)), abs(sin(tile.angle))
        width, height = along_x + 0.5 * along_y, along_y + 0.5 * along_x
        xs += [tile.x - width, tile.x + width]
        ys += [tile.y - height, tile.y + height]
    for end in layout.ends:
        reach = 2.0 if end.owed else 0.9
        x, y = end.x + reach * cos(end.angle), end.y + reach * sin(end.angle)
        xs += [x - 0.4, x + 0.4]
        ys += [y - 0.4, y + 0.4]
    return min(xs), max(xs), min(ys), max(ys)


def _table(layout: Layout, top: float, bottom: float) -> Iterator[Shape]:
    camera = _Camera(layout, top, bottom)
    if layout.hub:
        yield Disc(*camera.at(0, 0), camera.unit * layout.hub, HUB)
        if layout.hub > _SOLID_HUB:
            yield Disc(*camera.at(0, 0), camera.unit * (layout.hub - 0.3), TABLE)
    waits = any(end.owed for end in layout.ends)
    for tile in layout.tiles:
        yield _laid(tile, camera)
    yield _highlight(layout.tiles[-1], camera)
    for end in layout.ends:
        yield from _owed(end, camera) if end.owed else _open(end, camera, waits)


def _laid(tile: LaidTile, camera: _Camera) -> Face:
    return Face(*camera.at(tile.x, tile.y), camera.unit, tile.angle, tile.attach, tile.free)


def _highlight(tile: LaidTile, camera: _Camera) -> Box:
    unit = camera.unit
    x, y = camera.at(tile.x, tile.y)
    width = max(2.0, 0.1 * unit)
    return Box(x, y, 2 * unit, unit, tile.angle, 0.14 * unit, None, LAST, width)


def _owed(end: OpenEnd, camera: _Camera) -> Iterator[Shape]:
    """The outline of a tile that must be laid first."""
    unit = camera.unit
    x, y = camera.at(end.x + cos(end.angle), end.y + sin(end.angle))
    at_x, at_y = camera.at(end.x + 0.5 * cos(end.angle), end.y + 0.5 * sin(end.angle))
    line = max(1.2, 0.06 * unit)
    yield Box(x, y, 1.9 * unit, 0.9 * unit, end.angle, 0.12 * unit, None, GOLD, line, True)
    yield Label(at_x, at_y, 0.6 * unit, str(end.pip), GOLD, bold=True)


def _open(end: OpenEnd, camera: _Camera, waits: bool) -> Iterator[Shape]:
    """A badge where a tile may be laid."""
    x, y = camera.at(end.x + 0.45 * cos(end.angle), end.y + 0.45 * sin(end.angle))
    yield Disc(x, y, 0.35 * camera.unit, WAITING if waits else GOLD)
    size = 0.46 if end.pip < 10 else 0.38
    yield Label(x, y, size * camera.unit, str(end.pip), DARK, bold=True)


# The hands


class _Panel:
    """The hands in cells at the bottom of the canvas."""

    def __init__(self, hands: Sequence[Hand]) -> None:
        self._hands = hands
        seats = len(hands)
        self._columns = 3 if seats in (5, 6) else min(seats, 4)
        self._width = (WIDTH - _MARGIN) / self._columns - _MARGIN  # of a cell
        self._unit = _IN_HAND
        while self._is_crowded() and self._unit > _SMALLEST:
            self._unit -= 1.0
        self.height = self._height()

    def shapes(self, top: float, to_act: int | None) -> Iterator[Shape]:
        """The cells, the first row of them below `top`."""
        y = top + _MARGIN
        for first in range(0, len(self._hands), self._columns):
            row = range(first, min(first + self._columns, len(self._hands)))
            height = self._row_height(first)
            for column, seat in enumerate(row):
                x = _MARGIN + column * (self._width + _MARGIN)
                yield from self._cell(self._hands[seat], x, y, height, seat == to_act)
            y += height + _MARGIN

    def _is_crowded(self) -> bool:
        wraps = self._unit > _LEGIBLE and any(self._lines(hand) > 1 for hand in self._hands)
        return wraps or self._height() > _SHARE * HEIGHT

    def _height(self) -> float:
        rows = range(0, len(self._hands), self._columns)
        return _MARGIN + sum(self._row_height(first) + _MARGIN for first in rows)

    def _row_height(self, first: int) -> float:
        lines = max(self._lines(hand) for hand in self._hands[first : first + self._columns])
        return _NAME + 8 + lines * 2.2 * self._unit

    def _lines(self, hand: Hand) -> int:
        return max(1, math.ceil(hand.count / self._per_line()))

    def _per_line(self) -> int:
        return int((self._width - 16) / (1.15 * self._unit))

    def _cell(self, hand: Hand, x: float, y: float, height: float, acts: bool) -> Iterator[Shape]:
        middle = x + self._width / 2, y + height / 2
        line = (GOLD, 2.5) if acts else (None, 0.0)
        yield Box(*middle, self._width, height, 0, 8, ACTING if acts else CELL, *line)
        right = f"{_count(hand.points, 'point')} · {_count(hand.count, 'tile')}"
        yield Label(x + 10, y + _NAME / 2 + 1, 15, _short(hand.name), INK, "start", bold=True)
        yield Label(x + self._width - 10, y + _NAME / 2 + 1, 14, right, SOFT, "end")
        for index in range(hand.count):
            line_number, place = divmod(index, self._per_line())
            at_x = x + 8 + (0.575 + 1.15 * place) * self._unit
            at_y = y + _NAME + (1.1 + 2.2 * line_number) * self._unit
            if hand.tiles is None:
                yield Box(
                    at_x, at_y, self._unit, 2 * self._unit, 0, 0.14 * self._unit, HUB, SOFT, 1.0
                )
            else:
                tile = hand.tiles[index]
                yield Face(at_x, at_y, self._unit, 90, int(LOW[tile]), int(HIGH[tile]))


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
