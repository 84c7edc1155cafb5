"""Random rounds for the tests of pictures, and where their tiles lie, calculated by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import Rules, batch, notation
from chickenfoot_env.game import GAME_OVER
from chickenfoot_env.render.layout import LaidTile
from chickenfoot_env.render.play_log import PlayLog
from chickenfoot_env.tiles import set_size

Plays = list[tuple[int, int]]


class Position(NamedTuple):
    """A game and the plays of its round."""

    game: np.void
    plays: Plays


def positions(
    rules: Rules, rng: np.random.Generator, doubles_first: bool = False
) -> Iterator[Position]:
    """Every position of a game of random legal actions."""
    games = batch.deal(rules, rng.integers(2**63, size=1).astype(np.uint64))
    log = PlayLog(games[0])
    yield Position(games[0].copy(), [*log.plays])
    while games["over"][0] != GAME_OVER:
        legal = np.flatnonzero(batch.legal_mask(games)[0])
        doubles = legal[(legal < rules.draw) & (legal // rules.pips == legal % rules.pips)]
        action = int(rng.choice(doubles if doubles_first and len(doubles) else legal))
        batch.step(games, np.array([action]))
        log.note(action, games[0])
        yield Position(games[0].copy(), [*log.plays])


def last_position(rules: Rules, rng: np.random.Generator, doubles_first: bool = False) -> Position:
    """The end of a game of random legal actions."""
    *_, last = positions(rules, rng, doubles_first)
    return last


def play(rules: Rules, position: str, *actions: str) -> np.void:
    """The game that these actions lead to from a position."""
    games = notation.parse_position(position, rules)
    for action in actions:
        batch.step(games, np.array([notation.parse_action(action, rules)]))
    return games[0]


def random_rules(rng: np.random.Generator) -> Rules:
    """Rules of one round with any set, any number of seats, and any arms and toes."""
    max_pip = int(rng.integers(2, 19)) if rng.random() < 0.6 else 18
    players = int(min(rng.integers(2, 13), set_size(max_pip)))
    published = [arms for arms in (4, 6, 8) if arms <= max_pip] or [max_pip]
    arms = int(rng.choice(published)) if rng.random() < 0.7 else int(rng.integers(1, max_pip + 1))
    toes = min(3, max_pip - 1)
    return Rules(
        players=players,
        max_pip=max_pip,
        hand_size=int(rng.integers(1, set_size(max_pip) // players + 1)),
        starter_arms=arms,
        toes=toes if rng.random() < 0.7 else int(rng.integers(1, toes + 1)),
        rounds=(int(rng.integers(max_pip + 1)),),
    )


def axes(tile: LaidTile) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The unit vectors along the tile and across it."""
    angle = np.radians(tile.angle)
    return np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])


def corners(tile: LaidTile) -> NDArray[np.float64]:
    """(4, 2)."""
    along, across = axes(tile)
    middle = np.array([tile.x, tile.y])
    return np.array([middle + a * along + b * across for a in (-1, 1) for b in (-0.5, 0.5)])


def gaps(tiles: tuple[LaidTile, ...]) -> NDArray[np.float64]:
    """(N, N) the widest gap between two tiles along an axis of either; below 0: they overlap."""
    points = np.array([corners(tile) for tile in tiles])  # (N, 4, 2)
    directions = np.array([axes(tile) for tile in tiles])  # (N, 2, 2)
    shadows = np.einsum("iad,jcd->iajc", directions, points)  # of j's corners on the axes of i
    low, high = shadows.min(axis=3), shadows.max(axis=3)  # (N, 2, N)
    own_low = np.einsum("iai->ia", low)[:, :, None]
    own_high = np.einsum("iai->ia", high)[:, :, None]
    along_own = np.maximum(low - own_high, own_low - high).max(axis=1)
    return np.maximum(along_own, along_own.T)
