"""Loops over large batches wait for main memory; here they ask in time for what they will read.

A step reads up to seven places of its game, far apart, and where the last ones are is only known
when the first have come. Asked for a few games ahead, they come while others are played: with
65,536 games a check of the actions takes a third of the time, with 1,024 it takes no longer. Lines
that are written cost the most, for they go back to memory as well.

A loop that does much with each game, such as playing it up to a seat's next decision, touches most
lines of its record. With 1,024 games, which the nearest caches do not hold, it takes about a tenth
less time if whole games are asked for.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import extending, types
from numpy.typing import NDArray

from chickenfoot_env.game import BONEYARD, GAME
from chickenfoot_env.jit import COMPILATION_OFF, part, whole
from chickenfoot_env.tiles import ROW_BYTES

_LINE: Final = 64  # bytes of a cache line
_SIZE: Final = GAME.itemsize
_PLACES: Final[Any] = GAME.fields
_TURN: Final[int] = _PLACES["showing"][1]  # what every turn asks for begins here
_HELD: Final[int] = _PLACES["held"][1]
_ROWS: Final = GAME["held"].itemsize // (BONEYARD + 1)  # bytes of one holder's rows
_YARD: Final = _HELD + _ROWS * BONEYARD
_SHOWN: Final[int] = _PLACES["drawn_since"][1]
_BOUNDS: Final = GAME["drawn_since"].itemsize // BONEYARD  # bytes of one seat's bounds
_ORDER: Final[int] = _PLACES["order"][1]
_FIRST, _SECOND = 16, 8  # games ahead
AHEAD: Final = 4  # how many games before it is at hand a whole game is to be asked for


@part
def fetch_hand(games: NDArray[np.void], i: int) -> None:
    """Ask for what the legal actions of the games a little behind game `i` depend on."""
    _ask(games, i + _FIRST, _TURN)
    near = i + _SECOND
    if near < len(games):
        g = games[near]
        rows = _HELD + _ROWS * g.seat
        _ask(games, near, rows)
        _ask(games, near, rows + ROW_BYTES * g.max_pip)


@part
def fetch_ahead(games: NDArray[np.void], i: int) -> None:
    """Ask for what a turn in the games a little behind game `i` will read and write."""
    _ask(games, i + _FIRST, _TURN)
    _ask(games, i + _FIRST, _TURN + _LINE)
    near = i + _SECOND
    if near < len(games):
        g = games[near]
        pips = whole(g.max_pip) + 1
        rows = _HELD + _ROWS * g.seat
        last = ROW_BYTES * g.max_pip
        _ask(games, near, rows)
        _ask(games, near, rows + last)
        _ask(games, near, _SHOWN + _BOUNDS * g.seat)
        _ask(games, near, _YARD)
        _ask(games, near, _YARD + last)
        _ask(games, near, _ORDER + pips * (pips + 1) // 2 - g.hand_count[BONEYARD])


@part
def fetch_game(games: NDArray[np.void], i: int) -> None:
    """Ask for all of game `i`, if there is such a game."""
    if i < len(games):
        for byte in range(0, _SIZE, _LINE):
            _ask(games, i, byte)


def _ask_for(context: Any, array: Any, row: Any, byte: Any) -> Any:
    """Have the cache line with this byte of this row fetched, if there is such a row."""

    def generate(target: Any, builder: Any, signature: Any, values: Any) -> Any:
        data = target.make_array(signature.args[0])(target, builder, values[0]).data
        start = builder.mul(values[1], values[1].type(array.dtype.size))
        address = builder.gep(
            builder.bitcast(data, ir.IntType(8).as_pointer()), [builder.add(start, values[2])]
        )
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        ask = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
        to_write, keep, data_cache = number(1), number(3), number(1)
        builder.call(ask, [address, to_write, keep, data_cache])
        return target.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


_ask: Final[Any] = (lambda *_: None) if COMPILATION_OFF else extending.intrinsic(_ask_for)
