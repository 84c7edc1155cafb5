"""What has happened in a game, and what of it a seat has seen, as text and as numbers.

A log is bytes, four for each event: kind, seat and two numbers. Text and numbers of a seat are both
made from the events that `seen_by` leaves, so that they tell the same: nothing that the seat cannot
know, and all that it ever knew.

    DEAL   the seat was dealt the tile one-other; hidden from the others
    HUNT   it drew this tile in the hunt for the starter; others see that it drew
    DRAW   likewise in its turn
    OPEN   it laid the starter one-one, and seat `other` is to begin
    PLAY   it laid the tile one-other by its half one
    PASS   it passed
    SCORE  the round cost it one * 256 + other points
"""

from __future__ import annotations

import functools
import struct
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import notation
from chickenfoot_env.doors import openspiel_bounds
from chickenfoot_env.rules import Rules
from chickenfoot_env.tiles import tile_id

DEAL, HUNT, DRAW, OPEN, PLAY, PASS, SCORE = range(7)
UNSEEN: Final = 255  # both numbers of a tile that is hidden or still to be drawn
_PRIVATE: Final = DRAW  # kinds up to this one name a tile that the seat alone has seen
_EVENT: Final = struct.Struct("4B")


def event(kind: int, seat: int, one: int = 0, other: int = 0) -> bytes:
    """One entry of a log."""
    return _EVENT.pack(kind, seat, one, other)


def score(seat: int, points: int) -> bytes:
    """The entry of a seat's points of a round."""
    return event(SCORE, seat, *divmod(points, 256))


def events(log: bytes) -> list[tuple[int, ...]]:
    """The entries of a log: kind, seat, one, other."""
    return list(_EVENT.iter_unpack(log))


def seen_by(log: bytes, seat: int) -> bytes:
    """The log without what is hidden from this seat."""
    entries = np.frombuffer(log, np.uint8).reshape(-1, 4)
    hidden = (entries[:, 0] <= _PRIVATE) & (entries[:, 1] != seat)
    seen = entries.copy()
    seen[hidden, 2:] = UNSEEN
    left: bytes = seen[~(hidden & (entries[:, 0] == DEAL))].tobytes()
    return left


def text(log: bytes, seat: int) -> str:
    """All that the seat has seen: `p0 1-2 3-3 | 1 hunts | 1 opens 9-9, 0 begins | 0 3-9@9 ...`."""
    words = [_word(*entry) for entry in _EVENT.iter_unpack(seen_by(log, seat))]
    return " ".join([f"p{seat}", *words])


@functools.cache
def _word(kind: int, seat: int, one: int, other: int) -> str:
    if kind == SCORE:
        return f"| {seat} gets {one * 256 + other}"
    if kind == PASS:
        return f"| {seat} passes"
    if kind == OPEN:
        return f"| {seat} opens {one}-{one}, {other} begins"
    tile = "" if one == UNSEEN else notation.format_tile(tile_id(one, other))
    if kind == DEAL:
        return tile
    if kind == PLAY:
        return f"| {seat} {tile}@{one}"
    verb = "hunts" if kind == HUNT else "draws"
    return f"| {seat} {verb} {tile}".rstrip()


class Piece(NamedTuple):
    """One block of the numbers of a log."""

    name: str
    shape: tuple[int, ...]


def pieces(rules: Rules) -> tuple[Piece, ...]:
    """The blocks of `fill`, with R rounds and L = `openspiel_bounds.actions_in_round`.

    hands     (R, T)                 1 for each tile dealt to the seat
    openings  (R, P + 2 N)           the starter; who laid it; who begins
    history   (R, L, N + 2 P + 3)    an event in order: who; the half attached or the smaller one of
                                     a tile drawn; the other half; is it a draw, a pass, a hunt
    points    (R, N)                 of each seat, of the most that a round can cost
    """
    rounds, seats, pips = len(rules.starters), rules.players, rules.pips
    return (
        Piece("hands", (rounds, rules.tiles)),
        Piece("openings", (rounds, pips + 2 * seats)),
        Piece("history", (rounds, openspiel_bounds.actions_in_round(rules), seats + 2 * pips + 3)),
        Piece("points", (rounds, seats)),
    )


_FLAG: Final = {DRAW: 0, PASS: 1, HUNT: 2}


def fill(
    log: bytes, seat: int, rules: Rules, most: int, into: dict[str, NDArray[np.float32]]
) -> None:
    """Write all that the seat has seen into the blocks of `pieces`, zeroed before.

    Args:
        log: of the game.
        seat: the observer.
        rules: of the game.
        most: `openspiel_bounds.round_points(rules)`.
        into: the blocks by name.
    """
    seats, pips = rules.players, rules.pips
    index = row = scored = 0
    for kind, who, one, other in _EVENT.iter_unpack(seen_by(log, seat)):
        if kind == DEAL:
            into["hands"][index, tile_id(one, other)] = 1
        elif kind == OPEN:
            into["openings"][index, [one, pips + who, pips + seats + other]] = 1
        elif kind == SCORE:
            into["points"][index, who] = (one * 256 + other) / most
            scored += 1
            if scored == seats:
                index, row, scored = index + 1, 0, 0
        else:
            entry = into["history"][index, row]
            row += 1
            entry[who] = 1
            if kind in _FLAG:
                entry[seats + 2 * pips + _FLAG[kind]] = 1
            if kind != PASS and one != UNSEEN:
                entry[[seats + one, seats + pips + other]] = 1
