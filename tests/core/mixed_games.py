"""Batches that mix rule sets, seat counts and double-n sets."""

from __future__ import annotations

import numpy as np
from core.random_play import RULE_SETS, sample_positions, seeds
from numpy.typing import NDArray

from chickenfoot_env import batch, chance
from chickenfoot_env.game import GAME

Games = NDArray[np.void]


def mixed_games(count: int) -> Games:
    """New games of all the rule sets in turn, seat counts and sets mixed."""
    games = np.zeros(count, GAME)
    for index, rules in enumerate(RULE_SETS.values()):
        rows = games[index :: len(RULE_SETS)]
        stride = rules.private_stride if index % 2 else 0
        rows[:] = batch.deal(rules, seeds(len(rows), 1000 * index), stride)
    return games


def positions() -> Games:
    """Positions of random games of all the rule sets."""
    return np.concatenate([sample_positions(rules, 4, 0.1) for rules in RULE_SETS.values()])


def same(some: Games, others: Games) -> bool:
    """Whether all fields of all rows are equal."""
    return len(some) == len(others) and bool((some == others).all())


def run(play: str, games: Games) -> NDArray[np.int64]:
    """Play with the batch function of this name."""
    if play == "play_forced":
        return batch.play_forced(games)
    return batch.random_playout(games, chance.derive(games["seed"], 5))
