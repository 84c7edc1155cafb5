"""Everything random: hashes of seeds, and the streams that start from them.

There is no generator object. A stream is one uint64 that each draw returns advanced, and every
stream starts from `fold(seed, part)`, so that what is random about one thing never depends on how
often something else was drawn. The generator is SplitMix64 (Steele, Lea, Flood: Fast splittable
pseudorandom number generators, 2014); whole numbers below n are exactly uniform (Lemire: Fast
random integer generation in an interval, 2019).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chickenfoot_env.jit import compiled, part, whole

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio, odd
_LOW_32: Final = np.uint64(0xFFFFFFFF)
_MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2: Final = np.uint64(0x94D049BB133111EB)
_27, _30, _31, _32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@part
def scramble(x: np.uint64) -> np.uint64:
    """A bijection of 64-bit words in which every input bit moves every output bit."""
    x = (x ^ (x >> _30)) * _MIX_1
    x = (x ^ (x >> _27)) * _MIX_2
    return x ^ (x >> _31)


@part
def fold(seed: np.uint64, part: int) -> np.uint64:
    """A new seed from `seed` and the number `part` of what it is for."""
    return scramble(seed + _GOLDEN + scramble(np.uint64(part) + _GOLDEN))


@part
def below(stream: np.uint64, n: int) -> tuple[np.uint64, int]:
    """The advanced stream, and a whole number uniform over 0 to n - 1, for 1 <= n < 2**32."""
    bound = np.uint64(n)
    stream = stream + _GOLDEN
    product = (scramble(stream) >> _32) * bound
    if (product & _LOW_32) < bound:  # at most one case in 2**32 / n
        threshold = (_LOW_32 + np.uint64(1) - bound) % bound
        while (product & _LOW_32) < threshold:
            stream = stream + _GOLDEN
            product = (scramble(stream) >> _32) * bound
    return stream, whole(product >> _32)


@compiled
def _fold_all(seeds: NDArray[np.uint64], part: NDArray[np.int64], out: NDArray[np.uint64]) -> None:
    for i in range(len(seeds)):
        out[i] = fold(seeds[i], part[i])


def derive(seeds: NDArray[np.uint64], *parts: ArrayLike) -> NDArray[np.uint64]:
    """One new seed for each of `seeds`, for the purpose that `parts` number.

    Args:
        seeds: (B,) uint64.
        parts: each one whole number, or (B,) of them.

    Returns:
        (B,) uint64; row i depends on row i of the arguments alone.

    Raises:
        ValueError: if seeds are not a one-dimensional uint64 array, or a part has another shape.
    """
    result = check_seeds(seeds).copy()
    for purpose in parts:
        numbers = np.asarray(purpose)
        if numbers.dtype.kind not in "iu" or numbers.shape not in ((), result.shape):
            raise ValueError(
                f"a part of shape {numbers.shape} and dtype {numbers.dtype}: allowed are a whole "
                f"number or {len(result)} of them"
            )
        spread = np.broadcast_to(numbers, result.shape).astype(np.int64)
        _fold_all(result, spread, result)
    return result


def check_seeds(seeds: NDArray[np.uint64], count: int | None = None) -> NDArray[np.uint64]:
    """`seeds` as a contiguous array, if they are (B,) uint64, with B = `count` where given.

    Raises:
        ValueError: if they are not.
    """
    if not isinstance(seeds, np.ndarray) or seeds.dtype != np.uint64 or seeds.ndim != 1:
        kind = (
            f"{seeds.dtype} of shape {seeds.shape}"
            if isinstance(seeds, np.ndarray)
            else type(seeds).__name__
        )
        raise ValueError(
            f"seeds are {kind}: wanted is a one-dimensional uint64 array, such as "
            "numpy.arange(8, dtype=numpy.uint64)"
        )
    if count is not None and len(seeds) != count:
        raise ValueError(f"{len(seeds)} seeds for {count} records: one each is wanted")
    return np.ascontiguousarray(seeds)
