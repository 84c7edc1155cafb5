"""Games in mid-play with random actions to take in them, chosen beforehand.

What is measured then holds no choosing: the actions come from outside, ready to be taken. B games,
T ticks in each of which every game takes one action, A action ids.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import batch, chance, sampling
from chickenfoot_env.game import GAME_OVER
from chickenfoot_env.rules import Rules

TICKS: Final = 128


@dataclasses.dataclass(frozen=True)
class Recorded:
    """A batch and actions to take in it.

    Attributes:
        start: (B,) GAME, each somewhere in its first rounds, no two in step; never changed.
        games: (B,) GAME, what the actions are taken in.
        actions: T arrays of (B,) int64.
        steps: actions in all that are taken in games which are not over.
    """

    start: NDArray[np.void]
    games: NDArray[np.void]
    actions: list[NDArray[np.int64]]
    steps: int

    def rewind(self) -> None:
        """Put the games back to where the actions begin."""
        self.games[:] = self.start


@functools.lru_cache(maxsize=8)
def record(rules: Rules, count: int, ticks: int = TICKS) -> Recorded:
    """`ticks` random actions in each of `count` games."""
    start = mid_game(rules, count)
    games, steps = start.copy(), 0
    actions: list[NDArray[np.int64]] = []
    for tick in range(ticks):
        steps += int((games["over"] != GAME_OVER).sum())
        actions.append(_random_actions(games, tick))
        batch.step(games, actions[-1])
    return Recorded(start, games, actions, steps)


@functools.lru_cache(maxsize=8)
def record_whole(rules: Rules, seed: int) -> Recorded:
    """One game from its deal to its end."""
    start = batch.deal(rules, np.array([seed], np.uint64))
    games = start.copy()
    actions: list[NDArray[np.int64]] = []
    while games["over"][0] != GAME_OVER:
        actions.append(_random_actions(games, len(actions)))
        batch.step(games, actions[-1])
    return Recorded(start, games, actions, len(actions))


def mid_game(rules: Rules, count: int) -> NDArray[np.void]:
    """Games that have gone on for 0 to four times as many ticks as the set has tiles: (B,) GAME.

    So each tick sees its fair share of rounds that end and are dealt.
    """
    games = batch.deal(rules, np.arange(count, dtype=np.uint64))
    longest = 4 * rules.tiles
    for tick in range(longest):
        behind = games[: count * (longest - tick) // longest]  # games i with more ticks to go
        if len(behind):
            batch.step(behind, _random_actions(behind, tick))
    shuffled: NDArray[np.void] = games[np.random.default_rng(0).permutation(count)]
    return shuffled


def _random_actions(games: NDArray[np.void], tick: int) -> NDArray[np.int64]:
    return sampling.sample(batch.legal_mask(games), chance.derive(games["seed"], tick))
