"""The faces of the tiles: where the pips of a half lie, and what colour they have."""

from __future__ import annotations

from typing import Final

IVORY: Final = "#fbf7ea"  # of the tiles
EDGE: Final = "#6b6455"  # of a tile, and of the line between its halves
COLOURS: Final = (  # by pip value; each stands out from IVORY as text must, 4.5 to 1
    "#000000",
    "#1565c0",
    "#1b7a36",
    "#c62222",
    "#7a4a1c",
    "#232f9e",
    "#866500",
    "#c2188f",
    "#00737a",
    "#6a1fb5",
    "#b34700",
    "#4a5560",
    "#5a7000",
    "#96144f",
    "#222222",
    "#8a3fa0",
    "#00785a",
    "#d0124c",
    "#5a3426",
)

_ROWS: Final = (  # pips of the outer columns and of the middle one; 1 to 3 are apart
    *((0, 0), (0, 1), (0, 2), (0, 3), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (3, 3)),
    *((4, 2), (4, 3), (4, 4), (5, 3), (5, 4), (5, 5), (6, 4), (6, 5), (6, 6)),
)
_DIAGONALS: Final = {
    0: (),
    1: ((0.0, 0.0),),
    2: ((-1.0, -1.0), (1.0, 1.0)),
    3: ((-1.0, -1.0), (0.0, 0.0), (1.0, 1.0)),
}
_EDGE: Final = 0.27  # from the middle of the half to the outer pips, where there are few
_FULL_EDGE: Final = 0.34  # and where there are five or six in a column


def pip_places(pips: int) -> tuple[tuple[float, float], ...]:
    """Where the pips of a half lie, from its middle, in units of its side.

    The first coordinate goes along the tile. Half a tile has three columns along it, as usual in
    sets up to the double-eighteen.
    """
    if pips in _DIAGONALS:
        return tuple((_EDGE * x, _EDGE * y) for x, y in _DIAGONALS[pips])
    outer, middle = _ROWS[pips]
    edge = _FULL_EDGE if outer > 4 else _EDGE
    column = _spaced(outer, edge)
    inner = _spaced(middle, edge * (middle - 1) / (outer - 1)) if pips != 8 else column[::2]
    sides = tuple((x, side * _EDGE) for side in (-1, 1) for x in column)
    return sides + tuple((x, 0.0) for x in inner)


def pip_radius(pips: int) -> float:
    """The radius of each pip of a half with so many, in units of its side."""
    return 0.095 if pips <= 9 else 0.076 if pips <= 12 else 0.07 if pips <= 15 else 0.06


def _spaced(count: int, edge: float) -> tuple[float, ...]:
    """So many numbers at equal distances from -edge to edge."""
    if count == 1:
        return (0.0,)
    return tuple(edge * (2 * i / (count - 1) - 1) for i in range(count))
