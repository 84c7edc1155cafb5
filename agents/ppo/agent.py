"""The agent that plays by a trained policy; it answers in microseconds and needs no PyTorch."""

from __future__ import annotations

import dataclasses
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.base import AgentError, check_question
from agents.ppo import policy_file
from agents.ppo.forward import Room, Weights, make_room, write_logits
from agents.threads import spread
from chickenfoot_env import kernels
from chickenfoot_env.chance import fold
from chickenfoot_env.game import GAME_OVER
from chickenfoot_env.jit import Record, compiled, part, records, whole
from chickenfoot_env.tiles import MAX_PIPS, action_count

SHIPPED: Final = Path(__file__).with_name("weights") / "double9.npz"
MOST_THREADS: Final = 256
MOST_ACTIONS: Final = 2 * MAX_PIPS * MAX_PIPS  # legal ones in one decision, and more
_TO_UNIT: Final = 2.0**-53


class PPOAgent:
    """Takes the action that the policy rates highest, or one by its probabilities.

    Args:
        path: a file of weights; "": the shipped ones. They play any set, and best the one that they
            were trained with, double-nine.
        temperature: 0 takes the best action, 1 samples from the policy as it was trained, more is
            nearer to uniform.
        threads: that share the views of a question; the answers are the same.

    Attributes:
        shape: of the network.
        training: how the weights were made, as the file tells it.

    Raises:
        AgentError: for a file that is not usable, or another value that is not allowed.
    """

    def __init__(self, path: str = "", temperature: float = 0.0, threads: int = 1) -> None:
        if not 1 <= threads <= MOST_THREADS:
            raise AgentError(f"threads={threads} of ppo: allowed are 1 to {MOST_THREADS}")
        if not 0.0 <= temperature <= 1000.0:
            raise AgentError(f"temperature={temperature:g} of ppo: allowed are 0 to 1,000")
        self.name = f"ppo:temperature={temperature:g}"
        if path:
            self.name = f"ppo:path={path},temperature={temperature:g}"
        self._take(policy_file.load(path or SHIPPED), temperature, threads)

    @classmethod
    def of(cls, policy: policy_file.Policy, temperature: float = 0.0, threads: int = 1) -> PPOAgent:
        """An agent that plays by these weights."""
        made = cls.__new__(cls)
        made.name = "ppo"
        made._take(policy, temperature, threads)
        return made

    def _take(self, policy: policy_file.Policy, temperature: float, threads: int) -> None:
        self.shape, self.training = policy.shape, policy.training
        self._arrays = policy.arrays
        self._prepared: dict[int, tuple[Weights, int]] = {}  # by set, and the features there
        self._temperature, self._threads = temperature, threads

    def act(self, views: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """One action for each view; see `Agent.act`."""
        views, seeds = check_question(views, seeds)
        actions = np.empty(len(views), np.int64)
        for max_pip in np.unique(views["max_pip"]).tolist():
            rows = np.flatnonzero(views["max_pip"] == max_pip)
            spread(partial(self._answer, views, seeds, max_pip, actions), rows, self._threads)
        return actions

    def _answer(
        self,
        views: NDArray[np.void],
        seeds: NDArray[np.uint64],
        max_pip: int,
        actions: NDArray[np.int64],
        rows: NDArray[np.int64],
    ) -> None:
        weights, room = self.for_set(max_pip)
        _act(records(views), rows, seeds, weights, room, self._temperature, actions)

    def policy(self, views: NDArray[np.void]) -> NDArray[np.float32]:
        """How likely each action is at temperature 1.

        Args:
            views: (B,) VIEW, each of a seat that is to act, all of one set.

        Returns:
            (B, A) float32; rows add up to 1, illegal actions have 0.

        Raises:
            ValueError: if the views mix sets, and as `act`.
        """
        views, _ = check_question(views, np.zeros(len(views), np.uint64))
        sets = np.unique(views["max_pip"]).tolist()
        if len(sets) > 1:
            raise ValueError(f"views of double-{sets[0]} and double-{sets[1]} sets: ask apart")
        out = np.zeros((len(views), action_count(sets[0]) if sets else 0), np.float32)
        if sets:
            _write_policy(records(views), *self.for_set(sets[0]), out)
        return out

    def for_set(self, max_pip: int) -> tuple[Weights, Room]:
        """The weights as they are for a set, and room for decisions."""
        if max_pip not in self._prepared:
            shape = dataclasses.replace(self.shape, max_pip=max_pip)
            self._prepared[max_pip] = policy_file.prepare(shape, self._arrays), shape.features
        weights, features = self._prepared[max_pip]
        return weights, make_room(weights, features)


@compiled
def _act(
    views: NDArray[np.void],
    rows: NDArray[np.int64],
    seeds: NDArray[np.uint64],
    weights: Weights,
    room: Room,
    temperature: float,
    actions: NDArray[np.int64],
) -> None:
    legal, logits = np.zeros(MOST_ACTIONS, np.int64), np.zeros(MOST_ACTIONS, np.float32)
    for i in rows:
        count = list_and_rate(views[i], weights, room, legal, logits)
        if temperature == 0.0:
            actions[i] = legal[best(logits, count)]
        else:
            unit = (fold(seeds[i], 0) >> np.uint64(11)) * _TO_UNIT
            actions[i] = legal[_sample(logits, count, temperature, unit)]


@compiled
def _write_policy(
    views: NDArray[np.void], weights: Weights, room: Room, out: NDArray[np.float32]
) -> None:
    legal, logits = np.zeros(MOST_ACTIONS, np.int64), np.zeros(MOST_ACTIONS, np.float32)
    for i in range(len(views)):
        count = list_and_rate(views[i], weights, room, legal, logits)
        highest = logits[best(logits, count)]
        total = 0.0
        for n in range(count):
            total += np.exp(logits[n] - highest)
        for n in range(count):
            out[i, legal[n]] = np.exp(logits[n] - highest) / total


@part
def list_and_rate(
    v: Record,
    weights: Weights,
    room: Room,
    legal: NDArray[np.int64],
    logits: NDArray[np.float32],
) -> int:
    """Write all legal actions of a view, ascending, and their logits; how many they are."""
    plays = kernels.count_plays(v, v.hand)
    count = kernels.count_legal(v, plays, v.boneyard)
    for n in range(count):
        legal[n] = kernels.nth_legal(v, v.hand, plays, v.boneyard, n)
    logits[0] = 0.0
    if count > 1 and v.over != GAME_OVER:
        write_logits(v, weights, room, legal, count, logits)
    return whole(count)


@part
def best(logits: NDArray[np.float32], count: int) -> int:
    """The index of the highest of the first `count`, the first among equals."""
    found = 0
    for n in range(1, count):
        if logits[n] > logits[found]:
            found = n
    return found


@part
def _sample(logits: NDArray[np.float32], count: int, temperature: float, unit: float) -> int:
    """An index with the probabilities of the logits, by a number from 0 to 1."""
    highest = logits[best(logits, count)]
    total = 0.0
    for n in range(count):
        total += np.exp((logits[n] - highest) / temperature)
    left = unit * total
    for n in range(count):
        left -= np.exp((logits[n] - highest) / temperature)
        if left < 0.0:
            return n
    return best(logits, count)
