"""Bit rows: sets of pips as uint32, the one unsigned kind inside kernels.

Arithmetic on uint32 widens to 64 bits in compiled code, so what may overflow is masked.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from chickenfoot_env.jit import compiled, count_bits, instruction

EMPTY: Final = np.uint32(0)
_ONE: Final = np.uint32(1)


@compiled
def bit(pip: int) -> np.uint32:
    """The row with this one bit set."""
    return np.uint32(_ONE << np.uint32(pip))


@compiled
def has_bit(row: np.uint32, pip: int) -> bool:
    """Whether the bit is set."""
    return (row >> np.uint32(pip)) & _ONE != EMPTY


@instruction(count_bits)
def ones(row: np.uint32) -> int:
    """The number of bits set."""
    return int(row).bit_count()


@compiled
def nth_bit(row: np.uint32, n: int) -> int:
    """The place of the n-th bit set, counted from 0; the row has more than n."""
    for _ in range(n):
        row = row & (row - _ONE)
    return ones((row & ~(row - _ONE)) - _ONE)
