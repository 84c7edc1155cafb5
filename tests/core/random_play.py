"""Games played at random, and the rule sets that tests play them by."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from chickenfoot_env import batch
from chickenfoot_env.game import GAME_OVER
from chickenfoot_env.rules import Rules

RULE_SETS: dict[str, Rules] = {
    "seed": Rules(rounds=(9, 4, 0)),
    "two seats": Rules(players=2, rounds=(9, 0)),
    "seven seats, must": Rules(players=7, drawn_tile="must", rounds=(9, 5)),
    "three seats, no": Rules(players=3, drawn_tile="no", rounds=(9, 1)),
    "six arms, two toes": Rules(players=3, starter_arms=6, toes=2, rounds=(9,)),
    "double-two": Rules(players=2, max_pip=2, hand_size=2, starter_arms=2, toes=1),
    "one tile each": Rules(players=2, max_pip=2, hand_size=1, starter_arms=1, toes=1),
    "double-three, must": Rules(
        players=3, max_pip=3, hand_size=2, starter_arms=3, toes=2, drawn_tile="must"
    ),
    "no boneyard": Rules(players=4, max_pip=6, double_blank_points=0),
    "twelve seats": Rules(players=12, max_pip=12, rounds=(12, 0)),
    "double-eighteen": Rules(players=5, max_pip=18, hand_size=15, rounds=(18,)),
}

every_rule_set = pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS.keys())


def seeds(count: int, first: int = 0) -> NDArray[np.uint64]:
    """`count` seeds from `first` onward."""
    return np.arange(first, first + count, dtype=np.uint64)


def random_actions(games: NDArray[np.void], chance: np.random.Generator) -> NDArray[np.int64]:
    """One legal action for each game, all equally likely."""
    mask = batch.legal_mask(games)
    return ((1 + chance.random(mask.shape)) * mask).argmax(axis=1)


def random_play(
    rules: Rules, count: int, seed: int = 0, draw_stride: int = 0
) -> Iterator[NDArray[np.void]]:
    """The same `count` games after the deal and after every action, until all of them are over."""
    chance = np.random.default_rng(seed)
    games = batch.deal(rules, seeds(count, 1000 * seed), draw_stride)
    yield games
    while (games["over"] != GAME_OVER).any():
        batch.step(games, random_actions(games, chance))
        yield games


def sample_positions(
    rules: Rules, count: int, share: float, seed: int = 0, draw_stride: int = 0
) -> NDArray[np.void]:
    """The deals of `count` random games and about this share of what follows, until it is over."""
    chance = np.random.default_rng([seed, 1])
    kept: list[NDArray[np.void]] = []
    for games in random_play(rules, count, seed, draw_stride):
        chosen = chance.random(count) < share if kept else np.ones(count, bool)
        kept.append(games[chosen & (games["over"] != GAME_OVER)])
    return np.concatenate(kept)
