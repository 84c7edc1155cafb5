"""The policy network without PyTorch: compiled loops over NumPy arrays.

It computes what `agents.ppo.network.PolicyNetwork` does, for the legal actions of one view at a
time, in one order and by additions and multiplications alone: the same bytes in every batch and on
every machine. No library with threads of its own takes part. P pips, D the width, H half of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import encode
from chickenfoot_env.bits import EMPTY, first_bit, has_bit, without_first
from chickenfoot_env.jit import Record, compiled, part, whole

Floats = NDArray[np.float32]

FROM_TABLE, TOTAL, FROM_ALL = 0, 1, 2  # first layer's part of the table; sum of all pips' first
# vectors; what the second layer makes of that
IN_HAND, HIDDEN = 0, 1


class Weights(NamedTuple):
    """Of a policy network, all float32, inputs before outputs."""

    pip_input: Floats  # (PIP_INPUTS, D)
    table_input: Floats  # (G, D), in the order of `Shape.table_blocks`
    first_bias: Floats  # (P, D), with what the values of the pips add
    own: Floats  # (D, D)
    by_hand: Floats  # (D, D)
    by_hidden: Floats  # (D, D)
    by_all: Floats  # (D, D), for the sum over all pips
    second_bias: Floats  # (1, D)
    attach: Floats  # (D, 1 + H)
    attach_bias: Floats  # (1, 1 + H)
    free: Floats  # (D, 1 + H)
    free_bias: Floats  # (1, 1 + H)
    double_bonus: Floats  # (1, D + 1), the bias last
    no_play: Floats  # (2, D + 1), of DRAW and PASS, the bias last
    table_features: NDArray[np.int64]  # (G,) indices of the features of a table
    pip_features: NDArray[np.int64]  # (6,) where the features of pip 0 are; those of others follow
    lacks: NDArray[np.int64]  # (1,) where the block `lacks` begins


class Room(NamedTuple):
    """What a decision is worked out in, all float32."""

    x: Floats  # (F,)
    first: Floats  # (P, D)
    common: Floats  # (3, D) what the vectors of all pips have in common: see FROM_TABLE
    near: Floats  # (2, D) sums of the pips that tiles lead to: IN_HAND and HIDDEN ones
    second: Floats  # (P, D)
    attach: Floats  # (P, 1 + H)
    free: Floats  # (P, 1 + H)


@compiled
def make_room(weights: Weights, features: int) -> Room:
    """Room for decisions with these weights."""
    pips, width = weights.first_bias.shape
    half = weights.attach.shape[1]
    return Room(
        np.zeros(features, np.float32),
        np.zeros((pips, width), np.float32),
        np.zeros((3, width), np.float32),
        np.zeros((2, width), np.float32),
        np.zeros((pips, width), np.float32),
        np.zeros((pips, half), np.float32),
        np.zeros((pips, half), np.float32),
    )


@part
def write_logits(
    v: Record,
    weights: Weights,
    room: Room,
    actions: NDArray[np.int64],
    count: int,
    logits: NDArray[np.float32],
) -> None:
    """Rate the first `count` of some legal actions of a view, whose seat is to act."""
    pips = whole(v.max_pip) + 1
    encode.write_features(v, room.x)
    _write_first(v, weights, room, pips)
    attached, freed, needed = EMPTY, EMPTY, EMPTY
    for n in range(count):
        if actions[n] < pips * pips:
            attached |= np.uint32(1) << np.uint32(actions[n] // pips)
            freed |= np.uint32(1) << np.uint32(actions[n] % pips)
            needed |= attached | freed
        else:
            needed = np.uint32(2**pips - 1)
    _write_second(v, weights, room, needed)
    _write_halves(weights, room, attached, freed)
    for n in range(count):
        if actions[n] < pips * pips:
            logits[n] = _rate_play(weights, room, actions[n] // pips, actions[n] % pips)
        else:
            logits[n] = _rate_no_play(weights, room, actions[n] - pips * pips)


# Rows are named by array and index: taking one out of its array costs as much as adding it.


@part
def _add(out: Floats, row: int, factor: np.float32, layer: Floats, number: int) -> None:
    """Add to a row of `out` so many times a row of a layer."""
    for j in range(layer.shape[1]):
        out[row, j] += factor * layer[number, j]


@part
def _set(out: Floats, row: int, layer: Floats, number: int) -> None:
    for j in range(layer.shape[1]):
        out[row, j] = layer[number, j]


@part
def _multiply(out: Floats, row: int, layer: Floats, inputs: Floats, number: int) -> None:
    """Add to a row of `out` what a layer makes of a row of inputs."""
    for k in range(layer.shape[0]):
        value = inputs[number, k]
        if value != np.float32(0.0):
            for j in range(layer.shape[1]):
                out[row, j] += value * layer[k, j]


@part
def _rectify(out: Floats, row: int) -> None:
    for j in range(out.shape[1]):
        out[row, j] = max(out[row, j], np.float32(0.0))


@part
def _write_first(v: Record, weights: Weights, room: Room, pips: int) -> None:
    """The first layer: a vector for each pip; and what the second begins with."""
    zero, one = np.float32(0.0), np.float32(1.0)
    first, common, blocks = room.first, room.common, len(weights.pip_features)
    common[:] = zero
    for n in range(len(weights.table_features)):
        value = room.x[weights.table_features[n]]
        if value != zero:
            _add(common, FROM_TABLE, value, weights.table_input, n)
    for pip in range(pips):
        _set(first, pip, weights.first_bias, pip)
        _add(first, pip, one, common, FROM_TABLE)
        for n in range(blocks):
            value = room.x[weights.pip_features[n] + pip]
            if value != zero:
                _add(first, pip, value, weights.pip_input, n)
        if has_bit(v.hand[pip], pip):
            _add(first, pip, one, weights.pip_input, blocks)
        elif not has_bit(v.laid[pip], pip):
            _add(first, pip, one, weights.pip_input, blocks + 1)
        for seat in range(v.players):
            value = room.x[weights.lacks[0] + seat * pips + pip]
            if value != zero:
                _add(first, pip, value, weights.pip_input, blocks + 4 + seat)
        _rectify(first, pip)
        _add(common, TOTAL, one, first, pip)
    _set(common, FROM_ALL, weights.second_bias, 0)
    _multiply(common, FROM_ALL, weights.by_all, common, TOTAL)


@part
def _write_second(v: Record, weights: Weights, room: Room, pips: np.uint32) -> None:
    """The second layer's vectors of these pips."""
    near, one = room.near, np.float32(1.0)
    while pips != EMPTY:
        pip = first_bit(pips)
        pips = without_first(pips)
        near[:] = np.float32(0.0)
        for other in range(v.max_pip + 1):
            if has_bit(v.hand[pip], other):
                _add(near, IN_HAND, one, room.first, other)
            elif not has_bit(v.laid[pip], other):
                _add(near, HIDDEN, one, room.first, other)
        _set(room.second, pip, room.common, FROM_ALL)
        _multiply(room.second, pip, weights.own, room.first, pip)
        _multiply(room.second, pip, weights.by_hand, near, IN_HAND)
        _multiply(room.second, pip, weights.by_hidden, near, HIDDEN)
        _rectify(room.second, pip)


@part
def _write_halves(weights: Weights, room: Room, attached: np.uint32, freed: np.uint32) -> None:
    """What these pips say to plays that attach by them, and that leave them free."""
    while attached != EMPTY:
        pip = first_bit(attached)
        attached = without_first(attached)
        _set(room.attach, pip, weights.attach_bias, 0)
        _multiply(room.attach, pip, weights.attach, room.second, pip)
    while freed != EMPTY:
        pip = first_bit(freed)
        freed = without_first(freed)
        _set(room.free, pip, weights.free_bias, 0)
        _multiply(room.free, pip, weights.free, room.second, pip)


@part
def _rate_play(weights: Weights, room: Room, attach: int, free: int) -> np.float32:
    product, half = np.float32(0.0), room.attach.shape[1] - 1
    for j in range(1, half + 1):
        product += room.attach[attach, j] * room.free[free, j]
    logit = product * np.float32(half**-0.5) + room.attach[attach, 0] + room.free[free, 0]
    if attach == free:
        logit += _dot(weights.double_bonus, 0, room.second, free)
    return np.float32(logit)


@part
def _rate_no_play(weights: Weights, room: Room, which: int) -> np.float32:
    logit, pips = np.float32(0.0), room.second.shape[0]
    for pip in range(pips):
        logit += _dot(weights.no_play, which, room.second, pip)
    return np.float32(logit / np.float32(pips))


@part
def _dot(layer: Floats, number: int, inputs: Floats, row: int) -> np.float32:
    """The product of two rows, and the last number of the first, which is longer: the bias."""
    width = inputs.shape[1]
    result = layer[number, width]
    for j in range(width):
        result += layer[number, j] * inputs[row, j]
    return np.float32(result)
