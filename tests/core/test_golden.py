"""Pinned hashes: the same seeds give the same games in every version.

They change only with the behaviour, which then gets a new environment version and a line in the
changelog. The hashes are over values field by field, so the layout of the record is free.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest
from core.random_play import seeds
from numpy.typing import NDArray

from chickenfoot_env import batch, chance
from chickenfoot_env.game import BONEYARD, UNKNOWN, rows_of
from chickenfoot_env.rules import Rules


def digest(*arrays: Any) -> str:
    """Start of the SHA-256 of these whole numbers as little-endian 64-bit words."""
    words = hashlib.sha256()
    for array in arrays:
        words.update(np.asarray(array).astype("<u8").tobytes())
    return words.hexdigest()[:16]


def test_streams_are_those_of_every_version() -> None:
    """Derived seeds, and numbers below n."""
    assert chance.derive(seeds(3), 5).tolist() == [
        18074882946671919669,
        16247700015443706586,
        12064417309231021417,
    ]
    assert (
        digest(chance.derive(seeds(1000), 5, 6), chance.derive(seeds(9), -1)) == "f4fc0fa6f8b37bd2"
    )
    stream, numbers = 1, []
    for n in range(1, 1000):
        stream, number = chance.below(np.uint64(stream), n)
        numbers.append(number)
    assert digest(numbers, stream) == "69c57c5e760dbef2"


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, "552ac80bf8283cda"),
        (
            {"players": 2, "max_pip": 2, "hand_size": 2, "toes": 1, "starter_arms": 2},
            "36abafc77456249d",
        ),
        ({"players": 12, "max_pip": 18}, "625bd73c783d59aa"),
    ],
    ids=["seed", "double-two", "double-eighteen"],
)
def test_deals_are_those_of_every_version(changes: dict[str, Any], wanted: str) -> None:
    """Order, finder and length of the hunt of the first round."""
    rules = Rules(**changes)
    games = batch.deal(rules, seeds(100))
    order = games["order"][:, : rules.tiles]
    assert digest(order, games["finder"], games["hunted"]) == wanted


def whole_state(games: NDArray[np.void], rules: Rules) -> list[NDArray[np.generic]]:
    """All that the records hold of seats, pips and tiles that are in the game."""
    seats, pips = slice(rules.players), slice(rules.pips)
    held = rows_of(games["held"])
    bounds = games["drawn_since"].astype(int)
    bounds[bounds == UNKNOWN] = -1
    return [
        *(games[name] for name in ("seed", "round", "starter", "finder", "hunted")),
        *(games[name] for name in ("foot", "owed", "over", "blocked_rounds")),
        *(games[name][:, seats] for name in ("points", "zero_rounds", "best_round", "hand_count")),
        rows_of(games["laid"])[:, pips],
        games["ends"][:, pips],
        held[:, seats, pips],
        bounds[:, seats, pips],
        held[:, BONEYARD, pips],
        games["order"][:, : rules.tiles],
    ]


GAMES: dict[str, tuple[dict[str, Any], str, str]] = {  # changed rules; hash with each draw stride
    "seed": ({}, "a5d80e00bdfeaa2d", "1862caa16a67d874"),
    "two seats": ({"players": 2}, "891d45cf734d7b07", "dab71e2b3a71dc79"),
    "six seats, must": (
        {"players": 6, "drawn_tile": "must"},
        "34e19a1918316626",
        "2a9a657cba91f19e",
    ),
    "six arms, no": (
        {"players": 3, "drawn_tile": "no", "starter_arms": 6, "toes": 2},
        "1c1d287eb27e9d92",
        "21b0bf91074310a3",
    ),
    "double-twelve": (
        {"players": 8, "max_pip": 12, "rounds": (12, 0, 5)},
        "d3cd404871a1d747",
        "532805054bc6b4e5",
    ),
    "double-eighteen": (
        {"players": 12, "max_pip": 18, "double_blank_points": 0},
        "5e69ffc8c3ae99b8",
        "7401ca8266e6283e",
    ),
    "one tile each": (
        {"players": 2, "max_pip": 2, "hand_size": 1, "toes": 1, "starter_arms": 1},
        "ff09807a47772026",
        "b351161a1ca3022f",
    ),
}


@pytest.mark.parametrize(("changes", "shared", "private"), GAMES.values(), ids=GAMES.keys())
def test_random_games_are_those_of_every_version(
    changes: dict[str, Any], shared: str, private: str
) -> None:
    """Whole games played at random, with either way of drawing: their ends and their steps."""
    rules = Rules(**changes)
    for stride, wanted in ((0, shared), (rules.private_stride, private)):
        games = batch.deal(rules, seeds(50), stride)
        steps = batch.random_playout(games, seeds(50, 1000))
        assert digest(*whole_state(games, rules), steps) == wanted
