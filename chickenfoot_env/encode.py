"""Features: a view as float32 numbers in [0, 1] for a network.

The vector is egocentric (seat 0 is the observer) and its length depends on the set alone: there is
room for twelve seats, and a feature says which are present. `FEATURES` is the table for a
double-nine set, `feature_table(max_pip)` for any other. Pips are unbounded over a long game, so
point differences are squashed: d pips become (1 + d / (100 + |d|)) / 2.
"""

from __future__ import annotations

import functools
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.bits import ones, spread_row
from chickenfoot_env.game import NO_PIP, UNKNOWN
from chickenfoot_env.jit import Record, compiled, part, records, whole
from chickenfoot_env.kernels import open_row
from chickenfoot_env.rules import MAX_PLAYERS
from chickenfoot_env.tiles import set_size
from chickenfoot_env.view import check_views


class Feature(NamedTuple):
    """One block of the feature vector."""

    name: str
    slice: slice
    meaning: str
    low: float
    high: float


_SEAT: Final = MAX_PLAYERS
_USUAL_SET: Final = 9  # loops of a known length take a quarter less time
_LACKS: Final = np.float32(1) / np.arange(1, UNKNOWN + 2, dtype=np.float32)  # by drawn_since
_LACKS[UNKNOWN] = 0.0
_BLOCKS: Final = (  # name, size as (tiles, pips, plain) multiples, meaning
    ("hand", (1, 0, 0), "for each tile: 1 if it is in the observer's hand"),
    ("laid", (1, 0, 0), "for each tile: 1 if it is on the table"),
    ("hand_pips", (0, 1, 0), "for each pip: share of its tiles in the observer's hand"),
    ("unseen_pips", (0, 1, 0), "for each pip: share of its tiles the observer has not seen"),
    ("open", (0, 1, 0), "for each pip: 1 if a tile may be laid on it now"),
    ("ends", (0, 1, 0), "for each pip: open ends showing it, of max_pip + 3 or more: 1"),
    ("foot", (0, 1, 0), "for each pip: 1 if the starter or a double of it is being filled"),
    ("starter", (0, 1, 0), "for each pip: 1 if it is the starter of this round"),
    ("owed", (0, 0, 1), "arms or toes still wanted, of max_pip"),
    ("has_drawn", (0, 0, 1), "1 if the seat to act has drawn in this turn"),
    ("boneyard", (0, 0, 1), "tiles left in the boneyard, of the whole set"),
    ("rounds_left", (0, 0, 1), "rounds after this one, of all rounds"),
    ("present", (0, 0, _SEAT), "for each seat: 1 if somebody sits there"),
    ("turn", (0, 0, _SEAT), "for each seat: 1 if it is to act"),
    ("hand_count", (0, 0, _SEAT), "for each seat: tiles in its hand, of the whole set"),
    ("points", (0, 0, _SEAT), "for each seat: its points less the observer's, squashed"),
    ("lacks", (0, _SEAT, 0), "for each seat and pip: 1 / (1 + tiles drawn since it had none)"),
)


@functools.cache
def feature_table(max_pip: int) -> tuple[Feature, ...]:
    """Where each block of the vector lies and what it means, for a double-`max_pip` set."""
    table, start = [], 0
    for name, (tiles, pips, plain), meaning in _BLOCKS:
        stop = start + tiles * set_size(max_pip) + pips * (max_pip + 1) + plain
        table.append(Feature(name, slice(start, stop), meaning, 0.0, 1.0))
        start = stop
    return tuple(table)


def size(max_pip: int) -> int:
    """F, the length of the feature vector for a double-`max_pip` set."""
    return int(feature_table(max_pip)[-1].slice.stop)


FEATURES: Final = feature_table(9)


def features(views: NDArray[np.void]) -> NDArray[np.float32]:
    """The features of each view, in the order of the feature table.

    Args:
        views: (B,) VIEW, all of one set.

    Returns:
        (B, F) float32.

    Raises:
        ValueError: if the views mix sets, or are an array of another kind.
    """
    check_views(views)
    if len(views) == 0:
        return np.zeros((0, 0), np.float32)
    smallest, largest = int(views["max_pip"].min()), int(views["max_pip"].max())
    if smallest < largest:
        raise ValueError(f"views of double-{smallest} and double-{largest} sets: encode them apart")
    out = np.empty((len(views), size(largest)), np.float32)
    _features(records(views), out)
    return out


@compiled
def _features(views: NDArray[np.void], out: NDArray[np.float32]) -> None:
    for i in range(len(views)):
        write_features(views[i], out[i])


@part
def write_features(v: Record, x: NDArray[np.float32]) -> None:
    """Fill the vector `x` with the blocks of the feature table, in its order."""
    if v.max_pip == _USUAL_SET:
        _write_blocks(v, x, _USUAL_SET + 1)
    else:
        _write_blocks(v, x, whole(v.max_pip) + 1)


@part
def _write_blocks(v: Record, x: NDArray[np.float32], pips: int) -> None:
    """All blocks, for a set of so many pips; some write more than their own, so order counts."""
    tiles = pips * (pips + 1) // 2
    at = _write_tiles(v.hand, x, 0, pips)
    at = _write_tiles(v.laid, x, at, pips)
    at = _write_pips(v, x, at, pips)
    x[at] = _share(v.owed, pips - 1)
    x[at + 1] = v.has_drawn
    x[at + 2] = _share(v.boneyard, tiles)
    x[at + 3] = _share(v.rounds - 1 - v.round, v.rounds)
    _write_seats(v, x, at + 4, pips, tiles)


@part
def _share(number: int, of: int) -> np.float32:
    return np.float32(number) / np.float32(of)


@part
def _write_tiles(rows: NDArray[np.uint32], x: NDArray[np.float32], at: int, pips: int) -> int:
    """Write 1 for each tile of the bit matrix; where the next block begins."""
    for high in range(pips):
        spread_row(x, at, rows[high])
        at += high + 1
    return at


@part
def _write_pips(v: Record, x: NDArray[np.float32], at: int, pips: int) -> int:
    """Write the blocks that have one number a pip, in short loops, which compile to vectors."""
    for pip in range(pips):
        mine = ones(v.hand[pip])
        x[at + pip] = _share(mine, pips)
        x[at + pips + pip] = _share(pips - mine - ones(v.laid[pip]), pips)
    spread_row(x, at + 2 * pips, open_row(v))
    for pip in range(pips):
        x[at + 3 * pips + pip] = min(np.float32(1.0), _share(v.ends[pip], pips + 2))
    foot = v.foot if v.owed > 0 else NO_PIP
    for pip in range(pips):
        x[at + 4 * pips + pip] = pip == foot
    for pip in range(pips):
        x[at + 5 * pips + pip] = pip == v.starter
    return at + 6 * pips


@part
def _write_seats(v: Record, x: NDArray[np.float32], at: int, pips: int, tiles: int) -> None:
    x[at : at + _SEAT * (4 + pips)] = 0.0
    x[at + _SEAT + v.turn] = 1.0
    for seat in range(v.players):
        x[at + seat] = 1.0
        x[at + 2 * _SEAT + seat] = _share(v.hand_count[seat], tiles)
        ahead = float(v.points[seat]) - float(v.points[0])
        x[at + 3 * _SEAT + seat] = 0.5 + 0.5 * ahead / (100.0 + abs(ahead))
        for pip in range(pips):
            x[at + 4 * _SEAT + seat * pips + pip] = _LACKS[v.drawn_since[seat, pip]]
