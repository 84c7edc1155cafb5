"""The random agent: every legal action is equally likely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.base import check_question
from chickenfoot_env import kernels
from chickenfoot_env.chance import below
from chickenfoot_env.jit import Record, compiled, part, records
from chickenfoot_env.tiles import Rows


class RandomAgent:
    """Takes one of the legal actions uniformly at random, keeping a drawn tile included."""

    name = "random"

    def act(self, views: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """One action for each view; see `Agent.act`."""
        views, seeds = check_question(views, seeds)
        actions = np.empty(len(views), np.int64)
        _act(records(views), seeds, actions)
        return actions


@compiled
def _act(views: NDArray[np.void], seeds: NDArray[np.uint64], actions: NDArray[np.int64]) -> None:
    for i in range(len(views)):
        v = views[i]
        actions[i] = choose(v, v.hand, v.boneyard, seeds[i])


@part
def choose(r: Record, hand: Rows, boneyard: int, stream: np.uint64) -> int:
    """An action for the seat to act.

    Args:
        r: a GAME or VIEW record.
        hand: (19,) uint32, the rows of that seat's tiles.
        boneyard: tiles left in the boneyard.
        stream: what the choice follows from.
    """
    plays = kernels.count_plays(r, hand)
    choices = kernels.count_legal(r, plays, boneyard)
    choice = below(stream, choices)[1]
    return kernels.nth_legal(r, hand, plays, boneyard, choice)
