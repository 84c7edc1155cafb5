"""The policy network without PyTorch: compiled loops over NumPy arrays.

It computes what `agents.ppo.network.PolicyNetwork` does, for the legal actions of one view at a
time, in one order and by additions and multiplications alone: the same bytes in every batch and on
every machine. No library with threads of its own takes part. P pips, D the width, H half of it, R
rounds, I inputs a pip, G a table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.ppo.dense import dot, multiply
from agents.ppo.shape import SEATS
from chickenfoot_env import encode
from chickenfoot_env.bits import EMPTY, bit, first_bit, without_first
from chickenfoot_env.jit import Record, compiled, part, whole

Floats = NDArray[np.float32]


class Weights(NamedTuple):
    """Of a policy network, inputs before outputs. D and H + 2 are filled up with zeros to LANES."""

    pip_input: Floats  # (I, D)
    table_input: Floats  # (G, D), in the order of `Shape.table_blocks`
    first_bias: Floats  # (P, D), with what the values of the pips add
    own: Floats  # (R * D, D), one round below the other, as are the next two
    near: Floats  # (R * 2 * D, D), by_hand and by_hidden
    by_all: Floats  # (R * D, D), for the sum over all pips
    round_bias: Floats  # (R, D)
    attach: Floats  # (D, H + 2), whose product with `free` is the logit of a play
    attach_bias: Floats  # (1, H + 2)
    free: Floats  # (D, H + 2)
    free_bias: Floats  # (1, H + 2)
    double_bonus: Floats  # (1, D + 1), the bias last
    no_play: Floats  # (2, D + 1), of DRAW and PASS, the bias last
    table_features: NDArray[np.int64]  # (G,) indices of the features of a table
    pip_features: NDArray[np.int64]  # (6,) where the features of pip 0 are; those of others follow
    lacks: NDArray[np.int64]  # (1,) where the block `lacks` begins


class Room(NamedTuple):
    """What a decision is worked out in, all float32 but the last."""

    x: Floats  # (F,)
    table: Floats  # (1, G) what the first layer is told of the table
    pips: Floats  # (P, I) and of each pip
    joined: Floats  # (2 * P, P) for each pip, 1 for those that tiles of the hand join it to, and
    # then 1 for those that hidden ones do
    ones: Floats  # (1, P)
    vectors: Floats  # (P, D) of the pips
    sums: Floats  # (2 * P, D) of the vectors that each pip is joined to
    seen: Floats  # (P, 2 * D) the same memory
    found: Floats  # (P, D) what a round finds
    total: Floats  # (1, D) the sum of all vectors
    for_all: Floats  # (1, D) what a layer makes of that which all pips have in common
    attach: Floats  # (P, H + 2)
    free: Floats  # (P, H + 2)
    rows: NDArray[np.int64]  # (2 * P,) of some pips


@compiled
def make_room(weights: Weights, features: int) -> Room:
    """Room for decisions with these weights."""
    pips, width = weights.first_bias.shape
    half = weights.attach.shape[1]
    sums = np.zeros((2 * pips, width), np.float32)
    return Room(
        np.zeros(features, np.float32),
        np.zeros((1, len(weights.table_features)), np.float32),
        np.zeros((pips, len(weights.pip_input)), np.float32),
        np.zeros((2 * pips, pips), np.float32),
        np.ones((1, pips), np.float32),
        np.zeros((pips, width), np.float32),
        sums,
        sums.reshape((pips, 2 * width)),
        np.zeros((pips, width), np.float32),
        np.zeros((1, width), np.float32),
        np.zeros((1, width), np.float32),
        np.zeros((pips, half), np.float32),
        np.zeros((pips, half), np.float32),
        np.zeros(2 * pips, np.int64),
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
    attached, freed, needed = EMPTY, EMPTY, EMPTY
    for n in range(count):
        if actions[n] < pips * pips:
            attached |= bit(actions[n] // pips)
            freed |= bit(actions[n] % pips)
            needed |= attached | freed
        else:
            needed = everything
    _write_inputs(v, weights, room)
    _write_first(weights, room, everything)
    rounds = weights.round_bias.shape[0]
    for number in range(rounds):
        _look_around(weights, room, number, needed if number == rounds - 1 else everything)
    _write_halves(room, weights.attach, weights.attach_bias, attached, room.attach)
    _write_halves(room, weights.free, weights.free_bias, freed, room.free)
    for n in range(count):
        if actions[n] < pips * pips:
            logits[n] = _rate_play(weights, room, actions[n] // pips, actions[n] % pips)
        else:
            logits[n] = _rate_no_play(weights, room, actions[n] - pips * pips)


@part
def _write_inputs(v: Record, weights: Weights, room: Room) -> None:
    """What the first layer is told, and which pips are joined."""
    x, told, joined, pips = room.x, room.pips, room.joined, room.vectors.shape[0]
    encode.write_features(v, x)
    for n in range(len(weights.table_features)):
        room.table[0, n] = x[weights.table_features[n]]
    blocks, lacks, players = len(weights.pip_features), weights.lacks[0], whole(v.players)
    for n in range(blocks):
        start = weights.pip_features[n]
        for pip in range(pips):
            told[pip, n] = x[start + pip]
    for pip in range(pips):
        hand, hidden = v.hand[pip], ~(v.hand[pip] | v.laid[pip])
        for other in range(pips):
            joined[2 * pip, other] = (hand >> np.uint32(other)) & np.uint32(1)
        for other in range(pips):
            joined[2 * pip + 1, other] = (hidden >> np.uint32(other)) & np.uint32(1)
        told[pip, blocks] = joined[2 * pip, pip]
        told[pip, blocks + 1] = joined[2 * pip + 1, pip]
        for seat in range(players):
            told[pip, blocks + 4 + seat] = x[lacks + seat * pips + pip]
        for seat in range(players, SEATS):
            told[pip, blocks + 4 + seat] = 0.0


@part
def _write_first(weights: Weights, room: Room, everything: np.uint32) -> None:
    """The vectors before the first round."""
    vectors, for_all, bias, rows = room.vectors, room.for_all, weights.first_bias, room.rows
    for_all[:] = np.float32(0.0)
    rows[0] = 0
    multiply(for_all, room.table, weights.table_input, 0, rows, 1)
    count = _list(everything, rows)
    for pip in range(count):
        for j in range(vectors.shape[1]):
            vectors[pip, j] = bias[pip, j] + for_all[0, j]
    multiply(vectors, room.pips, weights.pip_input, 0, rows, count)
    for pip in range(count):
        for j in range(vectors.shape[1]):
            vectors[pip, j] = max(vectors[pip, j], np.float32(0.0))


@part
def _look_around(weights: Weights, room: Room, number: int, wanted: np.uint32) -> None:
    """One round, for the vectors of the pips that are wanted."""
    vectors, found, for_all, rows = room.vectors, room.found, room.for_all, room.rows
    width = vectors.shape[1]
    _sum_up(room)
    for j in range(width):
        for_all[0, j] = weights.round_bias[number, j]
    multiply(for_all, room.total, weights.by_all, number * width, rows, 1)
    count = _list_twice(wanted, rows)
    room.sums[:] = np.float32(0.0)
    multiply(room.sums, room.joined, vectors, 0, rows, count)
    count = _list(wanted, rows)
    for n in range(count):
        for j in range(width):
            found[rows[n], j] = for_all[0, j]
    multiply(found, vectors, weights.own, number * width, rows, count)
    multiply(found, room.seen, weights.near, 2 * number * width, rows, count)
    for n in range(count):
        for j in range(width):
            kept = vectors[rows[n], j] if number > 0 else np.float32(0.0)
            vectors[rows[n], j] = kept + max(found[rows[n], j], np.float32(0.0))


@part
def _sum_up(room: Room) -> None:
    """The sum of all vectors; `rows` begins with 0 then."""
    room.total[:] = np.float32(0.0)
    room.rows[0] = 0
    multiply(room.total, room.ones, room.vectors, 0, room.rows, 1)


@part
def _list(bits: np.uint32, rows: NDArray[np.int64]) -> int:
    """Write the numbers of the bits that are set; how many they are."""
    count = whole(0)
    while bits != EMPTY:
        rows[count] = first_bit(bits)
        bits = without_first(bits)
        count += 1
    return count


@part
def _list_twice(bits: np.uint32, rows: NDArray[np.int64]) -> int:
    """The same for arrays that have two rows for each pip."""
    count = whole(0)
    while bits != EMPTY:
        rows[count] = 2 * first_bit(bits)
        rows[count + 1] = 2 * first_bit(bits) + 1
        bits = without_first(bits)
        count += 2
    return count


@part
def _write_halves(room: Room, layer: Floats, bias: Floats, pips: np.uint32, out: Floats) -> None:
    """What these pips say to plays that attach by them, or that leave them free."""
    count = _list(pips, room.rows)
    for n in range(count):
        for j in range(out.shape[1]):
            out[room.rows[n], j] = bias[0, j]
    multiply(out, room.vectors, layer, 0, room.rows, count)


@part
def _rate_play(weights: Weights, room: Room, attach: int, free: int) -> np.float32:
    logit = dot(room.attach, attach, room.free, free)
    if attach == free:
        logit += _layer_of_one(weights.double_bonus, 0, room.vectors, free, np.float32(1.0))
    return logit


@part
def _rate_no_play(weights: Weights, room: Room, which: int) -> np.float32:
    _sum_up(room)
    share = np.float32(1.0) / np.float32(room.vectors.shape[0])
    return _layer_of_one(weights.no_play, which, room.total, 0, share)


@part
def _layer_of_one(
    layer: Floats, number: int, inputs: Floats, row: int, share: np.float32
) -> np.float32:
    """The product of two rows, times a share, and the last number of the first, the bias."""
    return np.float32(dot(layer, number, inputs, row) * share + layer[number, inputs.shape[1]])
