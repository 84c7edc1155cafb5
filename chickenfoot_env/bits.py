"""Bit rows: sets of pips as uint32, the one unsigned kind inside kernels.

Arithmetic on uint32 widens to 64 bits in compiled code, so what may overflow is masked.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from chickenfoot_env.jit import count_bits, count_zeros, instruction, part

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
