"""Rows times a matrix, compiled to vector instructions that add in a fixed order.

Sixteen numbers of a row are multiplied and added at a time, and never fused or reordered, so the
result has the same bytes on every machine and whichever rows are worked out together. Up to four
rows are, for reading a matrix takes longer than multiplying by it. Numba's own loops store and load
the sum at each step, and take several times as long.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import extending, types
from numba.core import cgutils
from numba.np import arrayobj
from numpy.typing import NDArray

from chickenfoot_env.jit import COMPILATION_OFF, part

LANES: Final = 16  # numbers a row is a multiple of
# How many rows, and how many vectors of each, are summed at once.
_BLOCKS: Final = ((4, 1), (2, 2), (2, 1), (1, 4), (1, 2), (1, 1))
_FLOAT: Final = ir.FloatType()
_VECTOR: Final = ir.VectorType(_FLOAT, LANES)
_INDEX: Final = ir.IntType(64)

Floats = NDArray[np.float32]


@part
def multiply(
    out: Floats, inputs: Floats, layer: Floats, at: int, rows: NDArray[np.int64], count: int
) -> None:
    """Add to some rows of `out` the same rows of `inputs` times a matrix.

    Args:
        out: (_, N) float32, contiguous; N is a multiple of LANES.
        inputs: (_, K) float32, contiguous.
        layer: (_, N) float32, contiguous, whose rows from `at` to `at + K` are the matrix.
        at: see there.
        rows: contiguous; the first `count` are taken.
        count: see there.
    """
    _multiply(out, inputs, layer, at, rows, count)


@part
def dot(one: Floats, row: int, other: Floats, number: int) -> np.float32:
    """The product of two rows, as far as that of `other` goes, whose length is one of LANES."""
    result: np.float32 = _dot(one, row, other, number)
    return result


if COMPILATION_OFF:

    def _multiply(
        out: Floats, inputs: Floats, layer: Floats, at: int, rows: NDArray[np.int64], count: int
    ) -> None:
        for row in rows[:count]:
            for k in range(inputs.shape[1]):
                out[row] += inputs[row, k] * layer[at + k]

    def _dot(one: Floats, row: int, other: Floats, number: int) -> np.float32:
        sums = np.zeros(LANES, np.float32)
        for start in range(0, other.shape[1], LANES):
            sums += one[row, start : start + LANES] * other[number, start : start + LANES]
        while len(sums) > 1:
            sums = sums[: len(sums) // 2] + sums[len(sums) // 2 :]
        return np.float32(sums[0])

else:

    @extending.intrinsic
    def _multiply(
        _context: Any, out: Any, inputs: Any, layer: Any, at: Any, rows: Any, count: Any
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            arrays = [_Array(context, builder, signature, values, i) for i in (0, 1, 2, 4)]
            done = cgutils.alloca_once_value(builder, _INDEX(0))
            for together in (4, 2, 1):
                with _while_left(builder, done, together, values[5]) as begin:
                    targets = [
                        builder.load(builder.gep(arrays[3].data, [builder.add(begin, _INDEX(n))]))
                        for n in range(together)
                    ]
                    _write_rows(builder, arrays[0], arrays[1], arrays[2], values[3], targets)
            return context.get_dummy_value()

        wanted = types.void(out, inputs, layer, types.int64, rows, types.int64)
        return wanted, generate

    @extending.intrinsic
    def _dot(_context: Any, one: Any, row: Any, other: Any, number: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            first = _Array(context, builder, signature, values, 0)
            second = _Array(context, builder, signature, values, 2)
            total = cgutils.alloca_once_value(builder, ir.Constant(_VECTOR, [0.0] * LANES))
            done = cgutils.alloca_once_value(builder, _INDEX(0))
            with _while_left(builder, done, LANES, second.width) as begin:
                product = builder.fmul(
                    first.vector(values[1], begin), second.vector(values[3], begin)
                )
                builder.store(builder.fadd(builder.load(total), product), total)
            sums, size = builder.load(total), LANES
            while size > 1:
                size //= 2
                lanes = ir.VectorType(ir.IntType(32), size)
                halves = [
                    builder.shuffle_vector(
                        sums, sums, ir.Constant(lanes, [*range(start, start + size)])
                    )
                    for start in (0, size)
                ]
                sums = builder.fadd(*halves)
            return builder.extract_element(sums, ir.IntType(32)(0))

        return types.float32(one, types.int64, other, types.int64), generate


class _Array:
    """A contiguous array of two dimensions, or of one, among the arguments of an intrinsic."""

    def __init__(self, context: Any, builder: Any, signature: Any, values: Any, i: int) -> None:
        array = arrayobj.make_array(signature.args[i])(context, builder, values[i])
        self.builder, self.data = builder, array.data
        self.width = cgutils.unpack_tuple(builder, array.shape)[-1]

    def place(self, row: Any, column: Any) -> Any:
        """Where this number is."""
        start = self.builder.mul(row, self.width)
        return self.builder.gep(self.data, [self.builder.add(start, column)])

    def places(self, row: Any, column: Any) -> Any:
        """Where LANES numbers from this one on are."""
        return self.builder.bitcast(self.place(row, column), _VECTOR.as_pointer())

    def vector(self, row: Any, column: Any) -> Any:
        """LANES numbers from this one on."""
        return self.builder.load(self.places(row, column), align=4)


@contextmanager
def _while_left(builder: Any, done: Any, step: int, end: Any) -> Iterator[Any]:
    """A loop that goes on in steps from where `done` is for as long as a whole one is left."""
    check = builder.append_basic_block("check")
    body = builder.append_basic_block("body")
    after = builder.append_basic_block("after")
    builder.branch(check)
    builder.position_at_end(check)
    begin = builder.load(done)
    following = builder.add(begin, _INDEX(step))
    builder.cbranch(builder.icmp_signed("<=", following, end), body, after)
    builder.position_at_end(body)
    yield begin
    builder.store(following, done)
    builder.branch(check)
    builder.position_at_end(after)


def _write_rows(
    builder: Any, out: _Array, inputs: _Array, layer: _Array, at: Any, rows: list[Any]
) -> None:
    """Some rows together: as many vectors of each as there is room for, over all inputs."""
    done = cgutils.alloca_once(builder, _INDEX)
    builder.store(_INDEX(0), done)
    for together, vectors in _BLOCKS:
        if together != len(rows):
            continue
        with _while_left(builder, done, vectors * LANES, out.width) as begin:
            columns = [builder.add(begin, _INDEX(LANES * n)) for n in range(vectors)]
            places = [out.places(row, column) for row in rows for column in columns]
            slots = [cgutils.alloca_once(builder, _VECTOR) for _ in places]
            for place, slot in zip(places, slots, strict=True):
                builder.store(builder.load(place, align=4), slot)
            with cgutils.for_range(builder, inputs.width) as loop:
                line = builder.add(at, loop.index)
                weights = [layer.vector(line, column) for column in columns]
                for number, row in enumerate(rows):
                    factor = _spread(builder, builder.load(inputs.place(row, loop.index)))
                    for n, weight in enumerate(weights):
                        slot = slots[number * vectors + n]
                        product = builder.fmul(factor, weight)
                        builder.store(builder.fadd(builder.load(slot), product), slot)
            for place, slot in zip(places, slots, strict=True):
                builder.store(builder.load(slot), place, align=4)


def _spread(builder: Any, number: Any) -> Any:
    """The number in every lane."""
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    one = builder.insert_element(nothing, number, _INDEX(0))
    return builder.shuffle_vector(one, nothing, mask)
