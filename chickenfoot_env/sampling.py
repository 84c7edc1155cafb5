"""Uniformly random legal actions, for whole batches of action masks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import chance
from chickenfoot_env.jit import compiled


def sample(masks: NDArray[Any], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
    """One legal action for each mask, all of its legal actions equally likely.

    Args:
        masks: (B, A) bool or int8, not 0 where an action is legal.
        seeds: (B,) uint64; action i follows from masks[i] and seeds[i] alone, so every decision
            needs a seed of its own, such as `chance.derive(seeds, number_of_the_step)`.

    Returns:
        (B,) int64 action ids.

    Raises:
        ValueError: for arrays of another kind, or a mask without a legal action.
    """
    if not isinstance(masks, np.ndarray) or masks.dtype not in (np.bool_, np.int8):
        what = masks.dtype if isinstance(masks, np.ndarray) else type(masks).__name__
        raise ValueError(f"masks are {what}: wanted is a bool or int8 array")
    if masks.ndim != 2:
        raise ValueError(f"masks have shape {masks.shape}: wanted is (B, A), one row a decision")
    seeds = chance.check_seeds(seeds, len(masks))
    actions = np.empty(len(masks), np.int64)
    stuck = _sample(np.ascontiguousarray(masks).view(np.int8), seeds, actions)
    if stuck >= 0:
        raise ValueError(f"mask {stuck} has no legal action: wanted is at least one in each row")
    return actions


@compiled
def _sample(masks: NDArray[np.int8], seeds: NDArray[np.uint64], actions: NDArray[np.int64]) -> int:
    """Fill `actions`; the first row without a legal action, or -1."""
    found = np.empty(masks.shape[1], np.int64)  # the legal actions of one mask
    for i in range(len(masks)):
        legal = 0
        for action in range(masks.shape[1]):
            found[legal] = action  # stays if it is legal
            legal += masks[i, action] != 0
        if legal == 0:
            return i
        actions[i] = found[chance.below(seeds[i], legal)[1]]
    return -1
