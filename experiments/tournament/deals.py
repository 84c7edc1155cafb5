"""The deals of a tournament, dealt anew from its seed: their features, and whether any came twice.

D deals, R rounds, N seats, T tiles that are dealt from, h tiles a hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import batch, chance
from chickenfoot_env.rules import Rules
from chickenfoot_env.tiles import HIGH, LOW, tile_id

DEALS: Final = 1  # what a seed is for
FEATURES: Final = ("points", "doubles", "spread")
TOLD: Final = (  # FEATURES in words
    "the points of all tiles in hands",
    "the doubles among them",
    "how much the points of the hands differ (sum of squares around their mean)",
)
_AT_ONCE: Final = 4096


@dataclass(frozen=True)
class Deals:
    """What is known of all deals of a tournament.

    Attributes:
        centred: (D, 3) float64, FEATURES less their means, summed over the rounds: the points of
            all tiles in hands, the doubles among them, and the sum of squares of the hands' points
            around their mean. Over all rotations of a block every entry has every hand, so that no
            single hand matters. No column, where the hands are no uniform sample of the tiles:
            where they are dealt again until somebody has the starter.
        same_as: (D,) int64, the first deal with the same tiles in the same order in all rounds: its
            own number, unless the deal came before.
    """

    centred: NDArray[np.float64]
    same_as: NDArray[np.int64]


def seeds(seed: int, deals: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The seed of each deal's games, from that of the tournament: (D,) uint64."""
    return chance.derive(np.full(len(deals), seed, np.uint64), deals, DEALS)


def of(rules: Rules, seed: int, count: int) -> Deals:
    """The first `count` deals of the tournament with this seed."""
    uniform = rules.starter_source == "set_aside" or rules.starter_missing != "redeal"
    centred = np.zeros((count, len(FEATURES) if uniform else 0))
    first: dict[bytes, int] = {}
    same_as = np.empty(count, np.int64)
    for start in range(0, count, _AT_ONCE):
        deals = np.arange(start, min(start + _AT_ONCE, count))
        orders = list(_orders(rules, seeds(seed, deals)))  # R of (D, tiles)
        for number, order in enumerate(orders):
            if uniform:
                hands, values = _hands(rules, order), _values(rules)
                centred[deals] += _features(hands, values) - mean(rules, number)
        together = np.concatenate(orders, axis=1)
        for deal, row in zip(deals.tolist(), together, strict=True):
            same_as[deal] = first.setdefault(row.tobytes(), deal)
    return Deals(centred, same_as)


def mean(rules: Rules, number: int) -> NDArray[np.float64]:
    """The exact mean of each feature in a round: (3,).

    Hands are a sample without replacement. With S the variance of a tile's points, that of a hand
    is h S (T - h) / (T - 1) and the covariance of two hands -h h S / (T - 1), so the squares around
    the mean add up to (N - 1) h S T / (T - 1).
    """
    dealt_from = np.ones(rules.tiles, np.bool_)
    if rules.starter_source == "set_aside":
        starter = rules.starters[number]
        dealt_from[tile_id(starter, starter)] = False
    points, doubles = (values[dealt_from] for values in _values(rules))
    hand, tiles = rules.hand_size, len(points)
    in_hands = rules.players * hand
    spread = (rules.players - 1) * hand * points.var() * tiles / (tiles - 1)
    return np.array([in_hands * points.mean(), in_hands * doubles.mean(), spread])


def _orders(rules: Rules, of_deals: NDArray[np.uint64]) -> Iterator[NDArray[np.uint8]]:
    """For each round the tile ids in the order in which they are dealt: (D, tiles)."""
    for number in range(len(rules.starters)):
        games = batch.undealt(rules, len(of_deals))
        games["seed"] = of_deals
        games["round"] = number
        batch.deal_due(games)
        yield games["order"][:, : rules.tiles]


def _hands(rules: Rules, order: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The tiles dealt to each seat: (D, N, h)."""
    first = 1 if rules.starter_source == "set_aside" else 0
    dealt = order[:, first : first + rules.players * rules.hand_size]
    return dealt.reshape(-1, rules.players, rules.hand_size)


def _values(rules: Rules) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """By tile id: the points that it costs in a hand, and whether it is a double."""
    low, high = LOW[: rules.tiles], HIGH[: rules.tiles]
    points = (low + high + rules.blank_half_points * (low == 0)).astype(float)
    points[0] = rules.double_blank_points
    return points, (low == high).astype(float)


def _features(
    hands: NDArray[np.uint8], values: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """The FEATURES of a round: (D, 3)."""
    points, doubles = (value[hands].sum(axis=2) for value in values)  # (D, N)
    spread = points.var(axis=1) * points.shape[1]
    return np.stack([points.sum(axis=1), doubles.sum(axis=1), spread], axis=1)
