"""What could be hidden from a seat, counted: every order that may have been shuffled, and the law.

A world is the hands of all seats but the observer's, the next seat's first.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import batch, dealing, kernels
from chickenfoot_env.game import (
    GAME,
    GAME_OVER,
    NO_ROUND,
    NO_SEAT,
    PLAYING,
    bit_matrix,
    rows_of,
    tiles_of,
)
from chickenfoot_env.jit import records
from chickenfoot_env.rules import Rules
from chickenfoot_env.tiles import HIGH, LOW, set_size
from chickenfoot_env.view import observe

Hand = tuple[int, ...]  # tile ids, ascending
World = tuple[Hand, ...]


def counted(games: NDArray[np.void], observer: int) -> Counter[World]:
    """How many of the games, (B,) GAME of one table, have each world."""
    players, max_pip = int(games["players"][0]), int(games["max_pip"][0])
    tiles = np.arange(set_size(max_pip))
    others = [(observer + n) % players for n in range(1, players)]
    has = rows_of(games["held"])[:, others][:, :, LOW[tiles]] >> HIGH[tiles].astype(np.uint32) & 1
    rows = np.packbits(has.astype(np.uint8).reshape(len(games), -1), axis=1)
    _, first, number = np.unique(rows, axis=0, return_index=True, return_counts=True)
    return Counter(
        {
            tuple(tuple(np.flatnonzero(hand).tolist()) for hand in has[row]): int(count)
            for row, count in zip(first, number, strict=True)
        }
    )


def deals(unseen: Hand, counts: list[int]) -> Iterator[World]:
    """Every way to deal hands of these sizes from the unseen tiles."""
    if not counts:
        yield ()
        return
    for hand in itertools.combinations(unseen, counts[0]):
        for rest in deals(tuple(tile for tile in unseen if tile not in hand), counts[1:]):
            yield (hand, *rest)


class Orders:
    """Every order that may have been shuffled for round 0 by what the observer has seen since.

    Orders that differ only within the hand of a seat are one. All were equally likely; nothing is
    assumed of how a seat chooses among its legal actions.

    Attributes:
        games: (K,) GAME, what each order has led to by now.
    """

    def __init__(self, rules: Rules, deal: NDArray[np.void], observer: int) -> None:
        """Begin with a deal, (1,) GAME."""
        self.rules = rules
        self.observer = observer
        size = rules.hand_size
        hands = deal["order"][0, : rules.players * size].reshape(-1, size).tolist()
        unseen = tuple(tile for tile in range(rules.tiles) if tile not in hands[observer])
        orders = []
        for world in deals(unseen, [size] * (rules.players - 1)):
            row: list[list[int]] = [*map(list, world)]
            row.insert(observer, hands[observer])
            dealt = [tile for hand in row for tile in hand]
            left = [tile for tile in unseen if tile not in dealt]
            orders += [[*dealt, *rest] for rest in itertools.permutations(left)]
        self.games = self._deal(orders)
        self._keep(deal)

    def _deal(self, orders: list[list[int]]) -> NDArray[np.void]:
        games = np.repeat(batch.deal(self.rules, np.zeros(1, np.uint64)), len(orders)).astype(GAME)
        for name in ("points", "zero_rounds", "blocked_rounds", "has_drawn", "round", "opened"):
            games[name] = 0
        games["best_round"][:, : self.rules.players] = NO_ROUND
        games["winner"] = NO_SEAT
        games["order"][:, : self.rules.tiles] = orders
        for game in records(games):
            dealing.hand_out(game)
            dealing.lay_starter(game, dealing.find_starter(game))
            kernels.settle(game)
        return games

    def see(self, action: int, after: NDArray[np.void]) -> None:
        """Keep the orders in which the action was legal and the observer sees what it does."""
        self.games = self.games[batch.legal_mask(self.games)[:, action]]
        batch.step(self.games, np.full(len(self.games), action))
        self._keep(after)

    def _keep(self, game: NDArray[np.void]) -> None:
        seen = observe(game, np.array([self.observer])).tobytes()
        views = observe(self.games, np.full(len(self.games), self.observer))
        raw = views.view(np.uint8).reshape(len(views), -1)
        self.games = self.games[(raw == np.frombuffer(seen, np.uint8)).all(axis=1)]

    def worlds(self) -> dict[World, float]:
        """The probability of each world."""
        return shares(counted(self.games, self.observer))


def shares(weights: dict[World, int]) -> dict[World, float]:
    """The same in proportion, with the sum 1."""
    total = sum(weights.values())
    return {world: weight / total for world, weight in weights.items()}


def ways(hand: Hand, bounds: list[int]) -> int:
    """The ways to say in which order a hand came, by the bounds of a seat."""
    caps = sorted(min(bounds[LOW[tile]], bounds[HIGH[tile]], len(hand)) for tile in hand)
    return math.prod(max(cap - k, 0) for k, cap in enumerate(caps))


def law(view: np.void) -> dict[World, float]:
    """The probability of each world that `chickenfoot_env.worlds` is meant to sample by."""
    players, max_pip = int(view["players"]), int(view["max_pip"])
    known = {*tiles_of(view["hand"], max_pip), *tiles_of(view["laid"], max_pip)}
    unseen = tuple(tile for tile in range(set_size(max_pip)) if tile not in known)
    return shares(dict(_weighted(view, 1, players, unseen)))


def _weighted(view: np.void, seat: int, players: int, unseen: Hand) -> Iterator[tuple[World, int]]:
    if seat == players:
        yield (), 1
        return
    bounds = view["drawn_since"][seat].tolist()
    for hand in itertools.combinations(unseen, int(view["hand_count"][seat])):
        if weight := ways(hand, bounds):
            left = tuple(tile for tile in unseen if tile not in hand)
            for rest, other in _weighted(view, seat + 1, players, left):
                yield (hand, *rest), weight * other


def goes_on(game: np.void, observer: int, world: World) -> bool:
    """Whether the round would not be over with these hands."""
    other = np.array([game], GAME)
    players = int(game["players"])
    for n, hand in enumerate(world, 1):
        other["held"][0, (observer + n) % players] = bit_matrix(hand)
    return game["over"] != PLAYING or not kernels.is_blocked(records(other)[0])


def distance(one: dict[World, float], other: dict[World, float]) -> float:
    """The total variation distance: 0 for the same law, 1 for two that share no world."""
    return sum(abs(one.get(w, 0.0) - other.get(w, 0.0)) for w in {*one, *other}) / 2


def tight_view(rng: np.random.Generator, seats: int, size: int, boneyard: int) -> np.void:
    """A view with as much evidence as some hidden hands of double-six tiles allow.

    Of a game that is over, so that nothing follows from its going on.
    """
    rules = Rules(players=seats, max_pip=6, hand_size=3, rounds=(6,))
    seen = observe(batch.deal(rules, np.zeros(1, np.uint64)), np.array([0]))[0]
    tiles = rng.permutation(rules.tiles)
    hands = tiles[: seats * size].reshape(seats, size)
    seen["hand"], seen["laid"], seen["over"] = 0, 0, GAME_OVER
    seen["hand_count"][:seats], seen["boneyard"] = size, boneyard
    for rows, some in ((seen["hand"], hands[0]), (seen["laid"], tiles[seats * size + boneyard :])):
        for tile in some:
            rows[LOW[tile]] |= np.uint32(1 << int(HIGH[tile]))
            rows[HIGH[tile]] |= np.uint32(1 << int(LOW[tile]))
    for seat in range(1, seats):
        order = rng.permutation(7)
        bound, within = 0, 0
        for pip in order[: rng.integers(3, 7)]:
            within |= 1 << int(pip)
            bound = sum(
                within >> int(LOW[t]) & 1 or within >> int(HIGH[t]) & 1 for t in hands[seat]
            )
            seen["drawn_since"][seat, pip] = bound
    return seen


def deviation(found: Counter[World], expected: dict[World, float]) -> tuple[float, int]:
    """Chi-square of the sampled worlds and its degrees of freedom.

    Worlds expected fewer than five times are counted as one.
    """
    number = sum(found.values())
    statistic, cells, rare, seen = 0.0, 0, 0.0, 0
    for world, share in expected.items():
        if number * share < 5:
            rare, seen = rare + number * share, seen + found[world]
        else:
            statistic += (found[world] - number * share) ** 2 / (number * share)
            cells += 1
    if rare >= 5:
        statistic, cells = statistic + (seen - rare) ** 2 / rare, cells + 1
    return statistic, max(cells - 1, 0)
