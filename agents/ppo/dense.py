"""A vector times a matrix, compiled to vector instructions that add in a fixed order.

Sixteen numbers of a row are multiplied and added at a time, and never fused or reordered, so the
result has the same bytes on every machine. Numba's own loops store and load the sum at each step,
and take three times as long.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import extending, types
from numba.core import cgutils
from numba.np import arrayobj
from numpy.typing import NDArray

from chickenfoot_env.jit import COMPILATION_OFF, part

LANES: Final = 16  # numbers a row is a multiple of
_AT_ONCE: Final = 4  # vectors of them that are summed side by side
_FLOAT: Final = ir.FloatType()
_VECTOR: Final = ir.VectorType(_FLOAT, LANES)
_INDEX: Final = ir.IntType(64)

Floats = NDArray[np.float32]


@part
def multiply(out: Floats, row: int, layer: Floats, at: int, inputs: Floats, number: int) -> None:
    """Add to a row of `out` a row of `inputs` times some rows of a layer.

    Args:
        out: (_, N) float32, contiguous; N is a multiple of LANES.
        row: of `out`.
        layer: (_, N) float32, contiguous.
        at: the first row of the layer; K of them are taken.
        inputs: (_, K) float32, contiguous.
        number: the row of `inputs`.
    """
    _multiply(out, row, layer, at, inputs, number)


if COMPILATION_OFF:

    def _multiply(
        out: Floats, row: int, layer: Floats, at: int, inputs: Floats, number: int
    ) -> None:
        for k in range(inputs.shape[1]):
            out[row] += inputs[number, k] * layer[at + k]

else:

    @extending.intrinsic
    def _multiply(
        _context: Any, out: Any, row: Any, layer: Any, at: Any, inputs: Any, number: Any
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            arrays = [
                arrayobj.make_array(signature.args[i])(context, builder, values[i])
                for i in (0, 2, 4)
            ]
            shapes = [cgutils.unpack_tuple(builder, array.shape) for array in arrays]
            width, depth = shapes[0][1], shapes[2][1]
            starts = [
                builder.gep(array.data, [builder.mul(values[2 * i + 1], shapes[i][1])])
                for i, array in enumerate(arrays)
            ]
            done = cgutils.alloca_once_value(builder, _INDEX(0))
            for vectors in (_AT_ONCE, 1):
                _write_blocks(builder, starts, width, depth, done, vectors)
            return context.get_dummy_value()

        wanted = types.void(out, types.int64, layer, types.int64, inputs, types.int64)
        return wanted, generate


def _write_blocks(
    builder: Any, starts: list[Any], width: Any, depth: Any, done: Any, vectors: int
) -> None:
    """While so many vectors of the row are left: sum them over all inputs."""
    out, layer, inputs = starts
    size = _INDEX(vectors * LANES)
    check = builder.append_basic_block("check")
    body = builder.append_basic_block("body")
    after = builder.append_basic_block("after")
    builder.branch(check)
    builder.position_at_end(check)
    begin = builder.load(done)
    fits = builder.icmp_signed("<=", builder.add(begin, size), width)
    builder.cbranch(fits, body, after)

    builder.position_at_end(body)
    places = [builder.add(begin, _INDEX(LANES * n)) for n in range(vectors)]
    targets = [builder.bitcast(builder.gep(out, [p]), _VECTOR.as_pointer()) for p in places]
    sums = [builder.load(target, align=4) for target in targets]
    slots = [cgutils.alloca_once_value(builder, total) for total in sums]
    with cgutils.for_range(builder, depth) as loop:
        factor = builder.load(builder.gep(inputs, [loop.index]))
        spread = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), factor, _INDEX(0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        spread = builder.shuffle_vector(spread, ir.Constant(_VECTOR, ir.Undefined), mask)
        line = builder.mul(loop.index, width)
        for place, slot in zip(places, slots, strict=True):
            source = builder.gep(layer, [builder.add(line, place)])
            weights = builder.load(builder.bitcast(source, _VECTOR.as_pointer()), align=4)
            builder.store(builder.fadd(builder.load(slot), builder.fmul(spread, weights)), slot)
    for target, slot in zip(targets, slots, strict=True):
        builder.store(builder.load(slot), target, align=4)
    builder.store(builder.add(begin, size), done)
    builder.branch(check)
    builder.position_at_end(after)
