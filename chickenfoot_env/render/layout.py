"""Where each tile of a round lies on the table.

    >>> layout = lay_out([(9, 9), (9, 4), (9, 2), (9, 0), (9, 7), (4, 4), (4, 1)])
    >>> len(layout.tiles), sorted((end.pip, end.owed) for end in layout.ends)
    (7, [(0, False), (1, False), (2, False), (4, True), (4, True), (7, False)])

A round is the list of its plays, so the arms are grown again from the first play on. Ends of equal
value are the same to the rules, and a tile may go straight on or bend off, so each play has a
number of options; `table` takes the one that is best for the picture. What lies stays where it is
when tiles are added. Only if a play has no option left, the tiles from the one on that took its
room are laid anew, each cost changed a little by chance, then from earlier ones on until all have
room, and at last around a large hub.

The unit of length is half a tile, x grows to the right and y downwards, the starter is at (0, 0).
Angles are in degrees, clockwise from the right.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from chickenfoot_env.render import feet
from chickenfoot_env.render.table import ARM, STARTER, TOE, Disorder, Table
from chickenfoot_env.tiles import MAX_PIP

__all__ = [
    "ARM",
    "STARTER",
    "TOE",
    "LaidTile",
    "Layout",
    "LayoutError",
    "OpenEnd",
    "lay_out",
    "lay_out_each",
]

_ATTEMPTS: Final = 100  # to lay all tiles, and four times as many with a large hub
_LARGE_HUBS: Final = (6.0, 12.0, 18.0, 24.0, 30.0)  # tried if there is no room otherwise
_DISORDER: Final = 4.0  # what chance adds to a cost at most, at the first trial


@dataclass(frozen=True)
class LaidTile:
    """One tile on the table.

    Attributes:
        attach: the pip of the half that lies against the parent, or against the hub.
        free: the pip of the other half; the same for the starter and for doubles.
        x: where its middle is.
        y: where its middle is.
        angle: which way the line from the `attach` half to the `free` half points. A double lies
            across the way that its arm goes.
        parent: index of the tile that it was laid on; None for the starter.
        kind: STARTER, TOE for a tile laid on a foot, ARM for any other.
    """

    attach: int
    free: int
    x: float
    y: float
    angle: float
    parent: int | None
    kind: str

    @property
    def is_double(self) -> bool:
        """Whether both halves are the same."""
        return self.attach == self.free


@dataclass(frozen=True)
class OpenEnd:
    """A place where a tile may come to lie.

    Attributes:
        pip: what the tile must show there.
        x: where it will touch.
        y: where it will touch.
        angle: which way it will point. Unless it is owed, it may bend off another way.
        tile: index of the tile that it will be laid on.
        owed: whether it is an arm or toe that must be laid before anything else may be.
    """

    pip: int
    x: float
    y: float
    angle: float
    tile: int
    owed: bool


@dataclass(frozen=True)
class Layout:
    """The table after some plays of a round.

    Attributes:
        tiles: in the order they were laid, the starter first.
        ends: those that are owed, then the others.
        hub: radius of the disc around the starter against which the arms lie; 0: they lie against
            the starter.
    """

    tiles: tuple[LaidTile, ...]
    ends: tuple[OpenEnd, ...]
    hub: float


class LayoutError(RuntimeError):
    """No arrangement was found in which all tiles have room."""


def lay_out(
    plays: Sequence[tuple[int, int]], arms: int = 4, toes: int = 3, max_pip: int = MAX_PIP
) -> Layout:
    """The table after these plays of one round. The same arguments always give the same table.

    Args:
        plays: (attach, free) in the order they were made, the starter's first.
        arms: arms on the starter, 1 to 18. From 7 on they lie around a disc, the hub, as around
            the centrepiece that comes with some sets. Fewer do only if nothing else has room.
        toes: toes on a foot, 1 to 3.
        max_pip: highest pip of the set, which tells for which ends there are tiles left.

    Raises:
        ValueError: for plays that no round can have, naming the first of them.
        LayoutError: if no arrangement is found, which no random round has been seen to do.
    """
    return _lay_out(plays, arms, toes, max_pip, each=False)[-1]


def lay_out_each(
    plays: Sequence[tuple[int, int]], arms: int = 4, toes: int = 3, max_pip: int = MAX_PIP
) -> list[Layout]:
    """The table after each play of a round, every tile where it lies in the end.

    So nothing is laid anew on the way; the last table is that of `lay_out`, which has the same
    arguments and raises the same errors.
    """
    return _lay_out(plays, arms, toes, max_pip, each=True)


def _lay_out(
    plays: Sequence[tuple[int, int]], arms: int, toes: int, max_pip: int, *, each: bool
) -> list[Layout]:
    """The table after the last play, or after each."""
    if not 1 <= arms <= feet.MOST_ARMS or toes not in feet.TOES:
        raise ValueError(
            f"{arms} arms and {toes} toes: allowed are 1 to {feet.MOST_ARMS} arms, 1 to 3 toes"
        )
    if not plays or plays[0][0] != plays[0][1]:
        raise ValueError(f"plays begin with {list(plays[:1])}: wanted is the starter, a double")
    hubs = [(feet.hub(arms), _ATTEMPTS), *((hub, 4 * _ATTEMPTS) for hub in _LARGE_HUBS)]
    for hub, attempts in hubs:
        found = _arranged(plays, arms, toes, max_pip, hub, attempts, each=each)
        if found:
            return found
    raise LayoutError(f"no room for the {len(plays)} tiles {list(plays)}")


def _arranged(
    plays: Sequence[tuple[int, int]],
    arms: int,
    toes: int,
    max_pip: int,
    hub: float,
    attempts: int,
    *,
    each: bool,
) -> list[Layout]:
    """As `_lay_out`; nothing if no arrangement was found."""
    disorder: dict[int, Disorder] = {}  # and the play that each begins with
    furthest = trials = 0
    for attempt in range(attempts):
        table = Table(plays[0][0], arms, toes, max_pip, hub)
        layouts = [_layout(table, hub)] if each else []
        tell = functools.partial(_note, layouts, table, hub) if each else None
        if table.lay_all(plays, disorder, tell):
            return layouts or [_layout(table, hub)]
        stuck = len(table.tiles)
        trials = 1 if stuck > furthest else trials + 1
        furthest = max(furthest, stuck)
        back = max(1, table.cause(*plays[stuck]) + 1 - 4 ** (trials - 1))
        disorder = {play: before for play, before in disorder.items() if play < back}
        disorder[back] = Disorder(attempt, _DISORDER * min(trials, 8))
    return []


def _note(layouts: list[Layout], table: Table, hub: float) -> None:
    layouts.append(_layout(table, hub))


def _layout(table: Table, hub: float) -> Layout:
    tiles = []
    for attach, free, row, parent, kind in table.tiles:
        x, y, dx, dy = table.placed[row].tolist()
        tiles.append(LaidTile(attach, free, x, y, _angle(dx, dy), parent, kind))
    ends = []
    for end in table.owed:
        x, y, dx, dy = table.placed[end.row].tolist()
        ends.append(OpenEnd(end.pip, x - dx, y - dy, _angle(dx, dy), end.tile, True))
    for index, end in enumerate(table.ends):
        x, y, dx, dy = table.best_port(index).tolist()
        ends.append(OpenEnd(end.pip, x, y, _angle(dx, dy), end.tile, False))
    return Layout(tuple(tiles), tuple(ends), hub)


def _angle(dx: float, dy: float) -> float:
    return round(math.degrees(math.atan2(dy, dx)), 9) + 0.0
