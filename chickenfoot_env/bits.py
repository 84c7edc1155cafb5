"""Bit rows: sets of pips as uint32, the one unsigned kind inside kernels.

Arithmetic on uint32 widens to 64 bits in compiled code, so what may overflow is masked.

The rows of bit matrices, see `tiles.Rows`, are read and written here.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import extending, types
from numpy.typing import NDArray

from chickenfoot_env.jit import COMPILATION_OFF, count_bits, count_zeros, instruction, part
from chickenfoot_env.tiles import ROW_BYTES, Rows

EMPTY: Final = np.uint32(0)
_ONE: Final = np.uint32(1)


@part
def bit(pip: int) -> np.uint32:
    """The row with this one bit set."""
    return np.uint32(_ONE << np.uint32(pip))


@part
def has_bit(row: np.uint32, pip: int) -> bool:
    """Whether the bit is set."""
    return (row >> np.uint32(pip)) & _ONE != EMPTY


@instruction(count_bits)
def ones(row: np.uint32) -> int:
    """The number of bits set."""
    return int(row).bit_count()


@instruction(count_zeros)
def first_bit(row: np.uint32) -> int:
    """The place of the lowest bit set; there is one."""
    return (int(row) & -int(row)).bit_length() - 1


@part
def without_first(row: np.uint32) -> np.uint32:
    """The row without its lowest bit set."""
    return row & np.uint32(row - _ONE)


@part
def nth_bit(row: np.uint32, n: int) -> int:
    """The place of the n-th bit set, counted from 0; the row has more than n."""
    for _ in range(n):
        row = without_first(row)
    return first_bit(row)


def _read_row(rows: Rows, pip: int) -> np.uint32:
    row = rows[pip]
    return np.uint32(row if rows.ndim == 1 else int(row[0]) | int(row[1]) << 8 | int(row[2]) << 16)


def _load_row(_context: Any, rows: Any, pip: Any) -> Any:
    """The same in one instruction, which reads the byte behind a row of three as well."""
    size = rows.dtype.bitwidth // 8 if rows.ndim == 1 else ROW_BYTES

    def generate(target: Any, builder: Any, signature: Any, values: Any) -> Any:
        data = target.make_array(signature.args[0])(target, builder, values[0]).data
        first = builder.bitcast(data, ir.IntType(8).as_pointer())
        place = builder.gep(first, [builder.mul(values[1], values[1].type(size))])
        row = builder.load(builder.bitcast(place, ir.IntType(32).as_pointer()), align=1)
        return builder.and_(row, row.type(256**size - 1))

    return types.uint32(rows, types.int64), generate


# The row of a pip in a bit matrix; what is behind a GAME's is still the GAME's.
row_of: Final[Any] = _read_row if COMPILATION_OFF else extending.intrinsic(_load_row)


_SPREAD: Final = 24  # numbers that `spread_row` writes; no row is longer
_EIGHT: Final = ir.VectorType(ir.IntType(32), 8)
_FLOATS: Final = ir.VectorType(ir.FloatType(), 8)


def _spread_in_steps(x: NDArray[np.float32], at: int, row: np.uint32) -> None:
    for n in range(_SPREAD):
        x[at + n] = int(row) >> n & 1


def _spread_at_once(_context: Any, x: Any, at: Any, row: Any) -> Any:
    """The same by instructions for eight bits each."""

    def generate(target: Any, builder: Any, signature: Any, values: Any) -> Any:
        data = target.make_array(signature.args[0])(target, builder, values[0]).data
        nothing, first = ir.Constant(_EIGHT, ir.Undefined), ir.Constant(_EIGHT, [0] * 8)
        word = builder.insert_element(nothing, values[2], ir.IntType(32)(0))
        word = builder.shuffle_vector(word, nothing, first)
        for start in range(0, _SPREAD, 8):
            bits = ir.Constant(_EIGHT, [1 << start + n for n in range(8)])
            is_set = builder.icmp_unsigned("==", builder.and_(word, bits), bits)
            ones, zeros = (ir.Constant(_FLOATS, [each] * 8) for each in (1.0, 0.0))
            place = builder.gep(data, [builder.add(values[1], values[1].type(start))])
            place = builder.bitcast(place, _FLOATS.as_pointer())
            builder.store(builder.select(is_set, ones, zeros), place, align=4)
        return target.get_dummy_value()

    return types.void(x, types.int64, types.uint32), generate


# Write 1 for each bit of a row that is set, and 0 for the others up to _SPREAD, from x[at] on.
spread_row: Final[Any] = (
    _spread_in_steps if COMPILATION_OFF else extending.intrinsic(_spread_at_once)
)


@part
def put_row(rows: NDArray[np.uint8], pip: int, row: np.uint32) -> None:
    """Write the row of a pip in a bit matrix of a GAME."""
    rows[pip, 0] = row & np.uint32(255)
    rows[pip, 1] = (row >> np.uint32(8)) & np.uint32(255)
    rows[pip, 2] = row >> np.uint32(16)


@part
def include(rows: NDArray[np.uint8], one: int, other: int) -> None:
    """Set the two bits of a tile in a bit matrix of a GAME."""
    rows[np.uint32(one), byte_of(other)] |= np.uint8(bit(other & 7))
    rows[np.uint32(other), byte_of(one)] |= np.uint8(bit(one & 7))


@part
def exclude(rows: NDArray[np.uint8], one: int, other: int) -> None:
    """Clear the two bits of a tile in a bit matrix of a GAME."""
    rows[np.uint32(one), byte_of(other)] &= ~np.uint8(bit(other & 7))
    rows[np.uint32(other), byte_of(one)] &= ~np.uint8(bit(one & 7))


@part
def byte_of(pip: int) -> np.uint32:
    """The byte of a row that has this bit; an unsigned place is not asked whether it is below 0."""
    return np.uint32(np.uint32(pip) >> np.uint32(3))


@part
def clear_rows(rows: NDArray[np.uint8], count: int) -> None:
    """Clear the first rows of a bit matrix of a GAME."""
    for pip in range(count):
        for byte in range(ROW_BYTES):
            rows[pip, byte] = 0
