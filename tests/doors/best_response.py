"""The exact value of policies in a tiny game against a uniformly random opponent.

All deals are played out, with every action of both seats. The best response chooses one action for
all positions that its seat cannot tell apart, whatever it remembers of its own decisions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import batch, view
from chickenfoot_env.game import GAME_OVER
from chickenfoot_env.rules import Rules

Chooser = Callable[[NDArray[np.void]], NDArray[np.int64]]  # views -> actions


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
        self._memories: dict[tuple[int, bytes, int], int] = {}
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
            known[child] = self._memories.setdefault(memory, len(self._memories) + 1)
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

        def rate(level: Level, index: int) -> None:
            after, mine = self.levels[index + 1], self._mine(level)
            chosen = np.full(len(level.games), -1)
            chosen[mine] = choose(self.views(level.games[mine]))
            kept = (chosen[after.parent] == after.action) | ~mine[after.parent]
            self._sum(level, after, kept, mine)

        return self._backward(rate)

    def _sum(
        self,
        level: Level,
        after: Level,
        kept: NDArray[np.bool_],
        mine: NDArray[np.bool_],
    ) -> None:
        """The value of each position from those behind it that are kept."""
        share = np.where(mine[after.parent], 1.0, after.weight / level.weight[after.parent])
        total = np.bincount(after.parent, after.value * share * kept, minlength=len(level.games))
        level.value = np.where(self._running(level), total, self._ends(level))

    def _ends(self, level: Level) -> NDArray[np.float64]:
        return batch.margins(level.games)[:, self.seat]

    def _backward(self, rate: Callable[[Level, int], None]) -> float:
        self.levels[-1].value = self._ends(self.levels[-1])
        for index in range(len(self.levels) - 2, -1, -1):
            rate(self.levels[index], index)
        return float((self.levels[0].value * self.levels[0].weight).sum())

    def best(self) -> float:
        """The mean margin of the best response."""
        best: dict[tuple[int, bytes], int] = {}
        for decided in range(max(int(level.decided.max()) for level in self.levels), -1, -1):
            self._backward(lambda level, index: self._rate_best(level, index, best))
            best |= self._improve(decided)
        return self._backward(lambda level, index: self._rate_best(level, index, best))

    def _keys(self, level: Level) -> list[tuple[int, bytes]]:
        seen = self.views(level.games)
        return [(int(known), each.tobytes()) for known, each in zip(level.known, seen, strict=True)]

    def _rate_best(self, level: Level, index: int, best: dict[tuple[int, bytes], int]) -> None:
        after, mine = self.levels[index + 1], self._mine(level)
        chosen = np.array([best.get(key, -1) for key in self._keys(level)])
        kept = (chosen[after.parent] == after.action) | ~mine[after.parent]
        self._sum(level, after, kept, mine)

    def _improve(self, decided: int) -> dict[tuple[int, bytes], int]:
        """The best action wherever so many own decisions have been taken, all behind known."""
        sums: dict[tuple[int, bytes], dict[int, float]] = {}
        for level, after in zip(self.levels[:-1], self.levels[1:], strict=True):
            mine, keys = self._mine(level), self._keys(level)
            for child, parent in enumerate(after.parent):
                if mine[parent] and level.decided[parent] == decided:
                    actions = sums.setdefault(keys[parent], {})
                    action, gain = (
                        int(after.action[child]),
                        after.weight[child] * after.value[child],
                    )
                    actions[action] = actions.get(action, 0.0) + gain
        return {key: max(actions, key=lambda a: actions[a]) for key, actions in sums.items()}
