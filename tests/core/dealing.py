"""Games whose shuffled order is written down by the test instead of following from a seed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import batch, dealing, kernels, notation
from chickenfoot_env.game import NO_ROUND, NO_SEAT
from chickenfoot_env.jit import records
from chickenfoot_env.rules import Rules


def order_with(rules: Rules, hands: Sequence[str], boneyard: str = "") -> list[int]:
    """The tile ids of an order that deals the named tiles; the others fill up hands, then boneyard.

    Args:
        rules: of the game.
        hands: for each seat the first tiles of its hand, such as "9-9 0-1".
        boneyard: its first tiles in drawing order.
    """
    rows = [[notation.parse_tile(word) for word in row.split()] for row in (*hands, boneyard)]
    named = {tile for row in rows for tile in row}
    rest = iter([tile for tile in range(rules.tiles) if tile not in named])
    filled = [
        tile
        for row in rows[:-1]
        for tile in (*row, *(next(rest) for _ in range(rules.hand_size - len(row))))
    ]
    return [*filled, *rows[-1], *rest]


def deal_order(
    rules: Rules, order: Sequence[int], round_index: int = 0, draw_stride: int = 0
) -> NDArray[np.void]:
    """The game, (1,) GAME, in which this round was dealt from this order."""
    games = batch.deal(rules, np.zeros(1, np.uint64), draw_stride)
    game = records(games)[0]
    for name in ("points", "zero_rounds", "blocked_rounds", "has_drawn"):
        games[name] = 0
    games["best_round"][0, : rules.players] = NO_ROUND
    games["opened"], games["winner"] = 0, NO_SEAT
    games["round"] = round_index
    games["order"][0, : rules.tiles] = order
    dealing.hand_out(game)
    dealing.lay_starter(game, dealing.find_starter(game))
    kernels.settle(game)
    kernels.deal_due(game)
    return games
