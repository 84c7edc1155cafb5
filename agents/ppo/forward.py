"""The policy network without PyTorch: compiled loops over NumPy arrays.

It computes what `agents.ppo.network.PolicyNetwork` does, for the legal actions of one view at a
time, in one order and by additions and multiplications alone: the same bytes in every batch and on
every machine. No library with threads of its own takes part. P pips, D the width, H half of it, R
rounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.ppo.dense import multiply
from chickenfoot_env import encode
from chickenfoot_env.bits import EMPTY, bit, first_bit, has_bit, without_first
from chickenfoot_env.jit import Record, compiled, part, whole

Floats = NDArray[np.float32]

# Rows of Room.common and Room.near, see there.
FROM_TABLE, TOTAL, FROM_ALL = 0, 1, 2
IN_HAND, HIDDEN = 0, 1


class Weights(NamedTuple):
    """Of a policy network, inputs before outputs. D and 1 + H are filled up with zeros to LANES."""

    pip_input: Floats  # (PIP_INPUTS, D)
    table_input: Floats  # (G, D), in the order of `Shape.table_blocks`
    first_bias: Floats  # (P, D), with what the values of the pips add
    own: Floats  # (R * D, D), one round below the other, as are the next three
    by_hand: Floats
    by_hidden: Floats
    by_all: Floats  # for the sum over all pips
    round_bias: Floats  # (R, D)
    attach: Floats  # (D, 1 + H)
    attach_bias: Floats  # (1, 1 + H)
    free: Floats  # (D, 1 + H)
    free_bias: Floats  # (1, 1 + H)
    double_bonus: Floats  # (1, D + 1), the bias last
    no_play: Floats  # (2, D + 1), of DRAW and PASS, the bias last
    scale: Floats  # (1,) of the products of two halves
    table_features: NDArray[np.int64]  # (G,) indices of the features of a table
    pip_features: NDArray[np.int64]  # (6,) where the features of pip 0 are; those of others follow
    lacks: NDArray[np.int64]  # (1,) where the block `lacks` begins


class Room(NamedTuple):
    """What a decision is worked out in, all float32."""

    x: Floats  # (F,)
    vectors: Floats  # (P, D) of the pips
    found: Floats  # (P, D) what a round finds of them
    common: (
        Floats  # (3, D) what all have in common: FROM_TABLE the first layer's part of the table,
    )
    # TOTAL the sum of all vectors, FROM_ALL what a round makes of that
    near: Floats  # (2, D) sums of the vectors that tiles lead to, IN_HAND and HIDDEN ones
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
        np.zeros((pips, width), np.float32),
        np.zeros((3, width), np.float32),
        np.zeros((2, width), np.float32),
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
    everything = np.uint32(2**pips - 1)
    encode.write_features(v, room.x)
    _write_first(v, weights, room, pips)
    attached, freed, needed = EMPTY, EMPTY, EMPTY
    for n in range(count):
        if actions[n] < pips * pips:
            attached |= bit(actions[n] // pips)
            freed |= bit(actions[n] % pips)
            needed |= attached | freed
        else:
            needed = everything
    rounds = weights.round_bias.shape[0]
    for number in range(rounds):
        _look_around(v, weights, room, number, needed if number == rounds - 1 else everything)
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
def _rectify(out: Floats, row: int) -> None:
    for j in range(out.shape[1]):
        out[row, j] = max(out[row, j], np.float32(0.0))


@part
def _write_first(v: Record, weights: Weights, room: Room, pips: int) -> None:
    """The vectors before the first round."""
    zero, one = np.float32(0.0), np.float32(1.0)
    vectors, common, blocks = room.vectors, room.common, len(weights.pip_features)
    common[:] = zero
    for n in range(len(weights.table_features)):
        value = room.x[weights.table_features[n]]
        if value != zero:
            _add(common, FROM_TABLE, value, weights.table_input, n)
    for pip in range(pips):
        _set(vectors, pip, weights.first_bias, pip)
        _add(vectors, pip, one, common, FROM_TABLE)
        for n in range(blocks):
            value = room.x[weights.pip_features[n] + pip]
            if value != zero:
                _add(vectors, pip, value, weights.pip_input, n)
        if has_bit(v.hand[pip], pip):
            _add(vectors, pip, one, weights.pip_input, blocks)
        elif not has_bit(v.laid[pip], pip):
            _add(vectors, pip, one, weights.pip_input, blocks + 1)
        for seat in range(v.players):
            value = room.x[weights.lacks[0] + seat * pips + pip]
            if value != zero:
                _add(vectors, pip, value, weights.pip_input, blocks + 4 + seat)
        _rectify(vectors, pip)


@part
def _look_around(v: Record, weights: Weights, room: Room, number: int, wanted: np.uint32) -> None:
    """One round, for the vectors of the pips that are wanted."""
    vectors, found, common, near, one = (
        room.vectors, room.found, room.common, room.near, np.float32(1.0),
    )  # fmt: skip
    pips, width = vectors.shape
    at = number * width
    common[TOTAL] = np.float32(0.0)
    for pip in range(pips):
        _add(common, TOTAL, one, vectors, pip)
    _set(common, FROM_ALL, weights.round_bias, number)
    multiply(common, FROM_ALL, weights.by_all, at, common, TOTAL)
    left = wanted
    while left != EMPTY:
        pip = first_bit(left)
        left = without_first(left)
        near[:] = np.float32(0.0)
        for other in range(pips):
            if has_bit(v.hand[pip], other):
                _add(near, IN_HAND, one, vectors, other)
            elif not has_bit(v.laid[pip], other):
                _add(near, HIDDEN, one, vectors, other)
        _set(found, pip, common, FROM_ALL)
        multiply(found, pip, weights.own, at, vectors, pip)
        if v.hand[pip] != EMPTY:
            multiply(found, pip, weights.by_hand, at, near, IN_HAND)
        multiply(found, pip, weights.by_hidden, at, near, HIDDEN)
        _rectify(found, pip)
    left = wanted
    while left != EMPTY:
        pip = first_bit(left)
        left = without_first(left)
        if number == 0:
            _set(vectors, pip, found, pip)
        else:
            _add(vectors, pip, one, found, pip)


@part
def _write_halves(weights: Weights, room: Room, attached: np.uint32, freed: np.uint32) -> None:
    """What these pips say to plays that attach by them, and that leave them free."""
    while attached != EMPTY:
        pip = first_bit(attached)
        attached = without_first(attached)
        _set(room.attach, pip, weights.attach_bias, 0)
        multiply(room.attach, pip, weights.attach, 0, room.vectors, pip)
    while freed != EMPTY:
        pip = first_bit(freed)
        freed = without_first(freed)
        _set(room.free, pip, weights.free_bias, 0)
        multiply(room.free, pip, weights.free, 0, room.vectors, pip)


@part
def _rate_play(weights: Weights, room: Room, attach: int, free: int) -> np.float32:
    product = np.float32(0.0)
    for j in range(1, room.attach.shape[1]):
        product += room.attach[attach, j] * room.free[free, j]
    logit = product * weights.scale[0] + room.attach[attach, 0] + room.free[free, 0]
    if attach == free:
        logit += _dot(weights.double_bonus, 0, room.vectors, free)
    return np.float32(logit)


@part
def _rate_no_play(weights: Weights, room: Room, which: int) -> np.float32:
    logit, pips = np.float32(0.0), room.vectors.shape[0]
    for pip in range(pips):
        logit += _dot(weights.no_play, which, room.vectors, pip)
    return np.float32(logit / np.float32(pips))


@part
def _dot(layer: Floats, number: int, inputs: Floats, row: int) -> np.float32:
    """The product of two rows, and the last number of the first, which is longer: the bias."""
    width = inputs.shape[1]
    result = layer[number, width]
    for j in range(width):
        result += layer[number, j] * inputs[row, j]
    return np.float32(result)
