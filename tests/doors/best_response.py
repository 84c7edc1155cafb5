"""The exact value of policies in a tiny game against a uniformly random opponent.

All deals are played out, with every action of both seats. The best response chooses one action for
all positions that its seat cannot tell apart, whatever it remembers of its own decisions.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import batch, view
from chickenfoot_env.game import GAME_OVER
from chickenfoot_env.rules import Rules

NOTHING: Final = -1  # in place of an action
Chooser = Callable[[NDArray[np.void]], NDArray[np.int64]]  # views -> actions
Memories = dict[tuple[int, bytes], int]  # an action by memory and view


def every_deal(rules: Rules, orders: int) -> NDArray[np.void]:
    """One game of each order of the tiles; they are equally likely."""
    games = batch.deal(rules, np.arange(20 * orders, dtype=np.uint64))
    first = np.unique(games["order"], axis=0, return_index=True)[1]
    assert len(first) == orders
    return games[first]


@dataclasses.dataclass
class Level:
    """Positions after as many actions. M positions."""

    games: NDArray[np.void]  # (M,)
    weight: NDArray[np.float64]  # (M,) how likely chance and the opponent make it
    parent: NDArray[np.int64]  # (M,) index in the level before
    action: NDArray[np.int64]  # (M,) that led here
    decided: NDArray[np.int64]  # (M,) own decisions before it
    known: NDArray[np.int64]  # (M,) number of what the seat remembers of them
    value: NDArray[np.float64]  # (M,)


class Tree:
    """Everything that can happen in a game of one round between one seat and a random opponent."""

    def __init__(self, deals: NDArray[np.void], seat: int) -> None:
        self.seat = seat
        count, zero = len(deals), np.zeros(len(deals), np.int64)
        weight = np.full(count, 1.0 / count)
        level = Level(deals, weight, zero, zero, zero, zero, np.zeros(count))
        self.levels = [level]
        self.memories: dict[tuple[int, bytes, int], int] = {}
        while (level.games["over"] != GAME_OVER).any():
            level = self._next(level)
            self.levels.append(level)

    def _mine(self, level: Level) -> NDArray[np.bool_]:
        mine: NDArray[np.bool_] = (level.games["seat"] == self.seat) & self._running(level)
        return mine

    def _running(self, level: Level) -> NDArray[np.bool_]:
        running: NDArray[np.bool_] = level.games["over"] != GAME_OVER
        return running

    def views(self, games: NDArray[np.void]) -> NDArray[np.void]:
        """What the seat sees."""
        return view.observe(games, np.full(len(games), self.seat))

    def _next(self, level: Level) -> Level:
        legal = batch.legal_mask(level.games) & self._running(level)[:, None]
        parent, action = np.nonzero(legal)
        mine = self._mine(level)[parent]
        games = level.games[parent]
        batch.step(games, action)
        known = level.known[parent].copy()
        seen = self.views(level.games)
        for child in np.flatnonzero(mine):
            memory = int(known[child]), seen[parent[child]].tobytes(), int(action[child])
            known[child] = self.memories.setdefault(memory, len(self.memories) + 1)
        return Level(
            games,
            np.where(mine, 1.0, 1.0 / legal.sum(axis=1)[parent]) * level.weight[parent],
            parent,
            action,
            level.decided[parent] + mine,
            known,
            np.zeros(len(games)),
        )

    def value(self, choose: Chooser) -> float:
        """The mean margin of a policy, exactly."""

        def chosen(level: Level) -> NDArray[np.int64]:
            mine, actions = self._mine(level), np.full(len(level.games), NOTHING)
            actions[mine] = choose(self.views(level.games[mine]))
            return actions

        return self._backward(chosen)

    def best(self) -> float:
        """The mean margin of the best response."""
        best: Memories = {}

        def chosen(level: Level) -> NDArray[np.int64]:
            return np.array([best.get(key, NOTHING) for key in self._keys(level)])

        for decided in range(max(int(level.decided.max()) for level in self.levels), -1, -1):
            self._backward(chosen)
            best.update(self._best_actions(decided))
        return self._backward(chosen)

    def _backward(self, chosen: Callable[[Level], NDArray[np.int64]]) -> float:
        """Value all positions, the last first, where the seat takes the actions chosen."""
        self.levels[-1].value = self._results(self.levels[-1])
        for level, after in zip(self.levels[-2::-1], self.levels[:0:-1], strict=True):
            mine, actions = self._mine(level)[after.parent], chosen(level)
            share = np.where(mine, 1.0, after.weight / level.weight[after.parent])
            share[mine & (actions[after.parent] != after.action)] = 0.0
            total = np.bincount(after.parent, after.value * share, minlength=len(level.games))
            level.value = np.where(self._running(level), total, self._results(level))
        return float((self.levels[0].value * self.levels[0].weight).sum())

    def _results(self, level: Level) -> NDArray[np.float64]:
        return batch.margins(level.games)[:, self.seat]

    def _keys(self, level: Level) -> list[tuple[int, bytes]]:
        """What the seat knows in each position: its memory, and what it sees."""
        seen = self.views(level.games)
        return [(int(known), each.tobytes()) for known, each in zip(level.known, seen, strict=True)]

    def _best_actions(self, decided: int) -> Memories:
        """The best action wherever so many own decisions have been taken, all behind known."""
        sums: dict[tuple[int, bytes], Counter[int]] = {}
        for level, after in zip(self.levels[:-1], self.levels[1:], strict=True):
            asked, keys = self._mine(level) & (level.decided == decided), self._keys(level)
            for child in np.flatnonzero(asked[after.parent]):
                actions = sums.setdefault(keys[after.parent[child]], Counter())
                actions[int(after.action[child])] += after.weight[child] * after.value[child]
        return {key: actions.most_common(1)[0][0] for key, actions in sums.items()}
