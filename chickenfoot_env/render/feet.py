"""How the toes of a foot and the arms of the starter lie."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.tiles import MAX_PIP

MOST_ARMS: Final = MAX_PIP
TOES: Final = (1, 2, 3)

_TURNS: Final = {  # by the number of toes, how each turns off; the first is the usual way
    1: ((0,), (45,), (-45,), (90,), (-90,)),
    2: ((45, -45), (90, -90), (0, 90), (0, -90), (0, 45), (0, -45)),
    3: ((0, 45, -45), (0, 90, -90), (0, 45, -90), (0, 90, -45)),
}
_UP, _DOWN, _RIGHT, _LEFT = (
    (0.0, -0.5, -90.0),
    (0.0, 0.5, 90.0),
    (1.0, 0.0, 0.0),
    (-1.0, 0.0, 180.0),
)
_CORNERS: Final = ((-1.0, 0.5, 135.0), (1.0, 0.5, 45.0), (-1.0, -0.5, -135.0), (1.0, -0.5, -45.0))
_ARMS: Final = {  # (x, y, angle) where they touch a starter that lies across, by their number
    1: (_UP,),
    2: (_UP, _DOWN),
    3: (_UP, *_CORNERS[:2]),
    4: (_UP, _DOWN, _RIGHT, _LEFT),
    5: (_UP, *_CORNERS),
    6: (_UP, _DOWN, *_CORNERS),
}


def foot_turns(toes: int) -> list[NDArray[np.int64]]:
    """The ways to lay so many toes, for `geometry.write_foot`, the usual one first."""
    return [np.array(turns) for turns in _TURNS[toes]]


def hub(arms: int) -> float:
    """The radius of the disc around which so many arms lie; 0: they have room on the starter.

    It leaves room for a foot on each arm.
    """
    return 0.0 if arms in _ARMS else max(1.25, 0.8 * arms - 4.2)


def starter_rectangles(arms: int, hub: float) -> NDArray[np.float64]:
    """The rectangles of the starter and of the first tile of each arm: (1 + arms, 4).

    `hub` is the radius of the disc around which the arms lie, or 0.
    """
    ports: Sequence[tuple[float, float, float]]
    if hub > 0:
        angles = [-90 + 360 * arm / arms for arm in range(arms)]
        ports = [(hub * cos(angle), hub * sin(angle), angle) for angle in angles]
    else:
        ports = _ARMS[arms]
    return np.array(
        [(0.0, 0.0, 1.0, 0.0), *((x + cos(a), y + sin(a), cos(a), sin(a)) for x, y, a in ports)]
    )


def cos(degrees: float) -> float:
    """The cosine, exactly 0 where it should be."""
    return round(math.cos(math.radians(degrees)), 15)


def sin(degrees: float) -> float:
    """The sine, exactly 0 where it should be."""
    return round(math.sin(math.radians(degrees)), 15)
