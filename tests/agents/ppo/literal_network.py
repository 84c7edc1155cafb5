"""The policy network as its page tells it, written out in float64 NumPy from the raw arrays."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

import agents
from agents.ppo.policy_file import Policy, parameter_shapes
from agents.ppo.shape import Shape
from chickenfoot_env import batch, chance, encode, view
from chickenfoot_env.game import GAME_OVER
from chickenfoot_env.rules import Rules

Arrays = dict[str, NDArray[np.float32]]


def random_policy(seed: int, **shape: Any) -> Policy:
    """Weights without any meaning, of which none is 0; double-nine unless it is said."""
    made, rng = Shape(**{"max_pip": 9, "width": 8, **shape}), np.random.default_rng(seed)
    arrays = {
        name: rng.normal(0.0, 0.6 * size[-1] ** -0.5, size).astype(np.float32)
        for name, size in parameter_shapes(made).items()
    }
    return Policy(made, arrays, {"seed": seed})


def positions(max_pip: int, per_table: int, tables: range = range(2, 9)) -> NDArray[np.void]:
    """Views of the seats to act in random games, at many stages, with a choice to make."""
    found = []
    for players in tables:
        hand = min(7, ((max_pip + 1) * (max_pip + 2) // 2 - 4) // players)
        rules = Rules(players=players, max_pip=max_pip, hand_size=hand, rounds=(max_pip, 1, 0))
        games = batch.deal(rules, np.arange(per_table, dtype=np.uint64))
        for number in itertools.count():
            legal = batch.legal_mask(games)
            rows = (games["over"] != GAME_OVER) & (legal.sum(axis=1) > 1)
            rows &= np.arange(per_table) % 11 == number % 11
            found.append(view.observe(games[rows], games["seat"][rows].astype(np.int64)))
            if (games["over"] == GAME_OVER).all():
                break
            seeds = chance.derive(np.arange(per_table, dtype=np.uint64), number)
            views = view.observe(games, games["seat"].astype(np.int64))
            batch.step(games, agents.make("random").act(views, seeds))
    return np.concatenate(found)


def literal_logits(policy: Policy, views: NDArray[np.void]) -> NDArray[np.float64]:
    """(B, A) logits of all actions, legal or not."""
    max_pip = int(views["max_pip"][0])
    shape = dataclasses.replace(policy.shape, max_pip=max_pip)
    w = {name: array.astype(np.float64) for name, array in policy.arrays.items()}
    return np.stack([_logits(shape, w, x) for x in encode.features(views).astype(np.float64)])


def _logits(shape: Shape, w: dict[str, Any], x: NDArray[np.float64]) -> NDArray[np.float64]:
    pips, blocks = shape.max_pip + 1, _blocks(shape.max_pip, x)
    hand, laid = (_as_matrix(blocks[name], pips) for name in ("hand", "laid"))
    hidden = 1.0 - hand - laid
    table = [*blocks["owed"], *blocks["has_drawn"], *blocks["boneyard"], *blocks["present"]]
    table += [count * pips / 2 for count in blocks["hand_count"]]
    if shape.standings:
        table += [*blocks["rounds_left"], *blocks["points"]]
    first = []
    for pip in range(pips):
        names = ("hand_pips", "unseen_pips", "open", "ends", "foot", "starter")
        told = [blocks[name][pip] for name in names]
        told += [hand[pip, pip], hidden[pip, pip], pip / 9, float(pip == 0)]
        told += [blocks["lacks"][seat * pips + pip] for seat in range(12)]
        layer = w["pip_input.weight"] @ told + w["pip_input.bias"] + w["table_input.weight"] @ table
        first.append(np.maximum(layer, 0.0))
    one = np.array(first)  # (P, D)
    two = (
        np.einsum("ij,pj->pi", w["own.weight"], one)
        + w["own.bias"]
        + np.einsum("ij,pq,qj->pi", w["by_hand.weight"], hand, one)
        + np.einsum("ij,pq,qj->pi", w["by_hidden.weight"], hidden, one)
        + np.einsum("ij,j->i", w["by_all.weight"], one.mean(axis=0))
    )
    two = np.maximum(two, 0.0)
    attach = np.einsum("ij,pj->pi", w["attach.weight"], two) + w["attach.bias"]
    free = np.einsum("ij,pj->pi", w["free.weight"], two) + w["free.bias"]
    plays = np.einsum("pi,qi->pq", attach[:, 1:], free[:, 1:]) / np.sqrt(shape.width // 2)
    plays += attach[:, :1] + free[:, 0]
    for pip in range(pips):
        plays[pip, pip] += w["double_bonus.weight"][0] @ two[pip] + w["double_bonus.bias"][0]
    others = w["no_play.weight"] @ two.mean(axis=0) + w["no_play.bias"]
    return np.concatenate([plays.reshape(-1), others])


def _blocks(max_pip: int, x: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    return {each.name: x[each.slice] for each in encode.feature_table(max_pip)}


def _as_matrix(tiles: NDArray[np.float64], pips: int) -> NDArray[np.float64]:
    """(T,) by tile -> (P, P)."""
    matrix = np.zeros((pips, pips))
    pairs = [(low, high) for high in range(pips) for low in range(high + 1)]
    for (low, high), value in zip(pairs, tiles, strict=True):
        matrix[low, high] = matrix[high, low] = value
    return matrix


def log_softmax(logits: NDArray[np.float64], legal: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Of the legal actions alone; the others have -inf."""
    masked = np.where(legal, logits, -np.inf)
    masked = masked - masked.max(axis=1, keepdims=True)
    result: NDArray[np.float64] = masked - np.log(np.exp(masked).sum(axis=1, keepdims=True))
    return result
