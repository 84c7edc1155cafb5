"""The law of worlds: which of them are possible, and how likely they are."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from core.possible_worlds import (
    Orders,
    World,
    counted,
    deals,
    deviation,
    distance,
    goes_on,
    law,
    tight_view,
    ways,
)
from core.random_play import sample_positions, seeds

from chickenfoot_env import batch
from chickenfoot_env.game import BONEYARD, GAME, GAME_OVER, UNKNOWN
from chickenfoot_env.rules import Rules
from chickenfoot_env.view import observe
from chickenfoot_env.worlds import sample_worlds

SMALL_RULES = {
    "double-two": Rules(players=2, max_pip=2, hand_size=2, starter_arms=1, toes=1, rounds=(2,)),
    "double-three": Rules(players=2, max_pip=3, hand_size=2, starter_arms=1, toes=1, rounds=(3,)),
    "three seats": Rules(players=3, max_pip=3, hand_size=2, starter_arms=1, toes=1, rounds=(3,)),
    "must": Rules(
        players=3,
        max_pip=3,
        hand_size=2,
        starter_arms=2,
        toes=1,
        rounds=(3,),
        drawn_tile="must",
        boneyard_reserve=1,
    ),
    "no": Rules(
        players=2,
        max_pip=3,
        hand_size=2,
        starter_arms=3,
        toes=2,
        rounds=(3,),
        drawn_tile="no",
        draw_when_stuck="may",
    ),
    "until playable": Rules(
        players=3,
        max_pip=3,
        hand_size=2,
        starter_arms=2,
        toes=1,
        rounds=(3,),
        drawn_tile="must",
        draw_count="until_playable",
        block_rule="first_stuck",
    ),
}


@functools.cache
def small_games(name: str, number: int) -> list[tuple[np.void, np.void, dict[World, float]]]:
    """Positions of random games with a view and the true probability of each world."""
    rules, found = SMALL_RULES[name], []
    for seed in range(number):
        games, rng = batch.deal(rules, seeds(1, first=seed)), np.random.default_rng(seed)
        orders = Orders(rules, games, seed % rules.players)
        while games["over"][0] != GAME_OVER:
            seen = observe(games, np.array([orders.observer]))
            found.append((games[0].copy(), seen[0], orders.worlds()))
            legal = np.flatnonzero(batch.legal_mask(games)[0])
            action = int(legal[-1] if rng.random() < 0.6 else rng.choice(legal))
            batch.step(games, np.array([action]))
            orders.see(action, games)
    return found


def law_of(game: np.void, seen: np.void) -> dict[World, float]:
    """The law of worlds, of those in which the round goes on."""
    observer = int(game["seat"] - seen["turn"]) % int(game["players"])
    possible = {w: share for w, share in law(seen).items() if goes_on(game, observer, w)}
    return {world: share / sum(possible.values()) for world, share in possible.items()}


def compare_with_all_orders(name: str, number: int) -> tuple[float, float, float]:
    """The law's mean distance from the truth, that of equal likelihood, and how often it is exact.

    Whatever the distance, it allows exactly the worlds that are possible.
    """
    apart, apart_if_equal = [], []
    for game, seen, truth in small_games(name, number):
        meant = law_of(game, seen)
        assert {*meant} == {*truth}
        apart.append(distance(meant, truth))
        apart_if_equal.append(distance(dict.fromkeys(truth, 1 / len(truth)), truth))
    exact = np.mean(np.less(apart, 1e-9))
    return float(np.mean(apart)), float(np.mean(apart_if_equal)), float(exact)


@pytest.mark.parametrize("name", SMALL_RULES)
def test_the_law_is_that_of_all_orders_that_may_have_been_shuffled(name: str) -> None:
    """The same worlds, and as likely, but where a view leaves out what was laid since."""
    apart, if_equal, exact = compare_with_all_orders(name, 2)
    assert apart < 0.03 and exact > 0.75 and apart < if_equal / 2 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL_RULES)
def test_the_law_is_that_of_all_orders_in_more_games(
    name: str, record_property: pytest.RecordProperty
) -> None:
    """The same with many games."""
    apart, if_equal, exact = compare_with_all_orders(name, 30)
    record_property("distance", (apart, if_equal, exact))
    assert apart < 0.02 and exact > 0.8 and apart < if_equal / 3


@pytest.mark.parametrize("name", SMALL_RULES)
def test_sampled_worlds_are_all_possible_and_as_likely_as_the_law_says(name: str) -> None:
    """Every world that there is, no other, and chi-square over all positions."""
    statistic, freedom, number = 0.0, 0, 3000
    for game, seen, truth in small_games(name, 2):
        meant = law_of(game, seen)
        found = counted(sample_worlds(np.array([seen]), seeds(1, 9), number)[0], 0)
        assert {*found} <= {*truth}
        assert {world for world, share in meant.items() if share * number > 20} <= {*found}
        chi_square, cells = deviation(found, meant)
        statistic, freedom = statistic + chi_square, freedom + cells
    assert statistic < freedom + 4 * np.sqrt(2 * freedom)


def check_tight_views(number: int, samples: int) -> None:
    """Worlds of views with so much evidence that most hands at random contradict it."""
    rng = np.random.default_rng(4)
    statistic, freedom = 0.0, 0
    for n in range(number):
        seats, size, boneyard = [(4, 3, 0), (4, 3, 2), (5, 2, 0), (6, 2, 1), (7, 1, 1)][n % 5]
        seen = tight_view(rng, seats, size, boneyard)
        meant = law(seen)
        found = counted(sample_worlds(np.array([seen]), seeds(1, n), samples)[0], 0)
        assert {*found} <= {*meant}
        chi_square, cells = deviation(found, meant)
        statistic, freedom = statistic + chi_square, freedom + cells
    assert freedom > 10 * number
    assert statistic < freedom + 4 * np.sqrt(2 * freedom)


def test_worlds_are_as_likely_as_the_law_says_with_evidence_against_all_seats() -> None:
    """Where the tiles' choices are entangled, and some have to make room for others."""
    check_tight_views(10, samples=4000)


@pytest.mark.slow
def test_worlds_are_as_likely_as_the_law_says_in_many_more_positions() -> None:
    """The same with many more worlds each."""
    check_tight_views(60, samples=60_000)


def test_the_boneyard_of_a_world_is_in_random_order() -> None:
    """Also where evidence decides which tiles can be in hands: every place is as likely."""
    games = sample_positions(Rules(rounds=(9,)), 8, 0.5)
    known = (games["drawn_since"][:, 1:4, :10] != UNKNOWN).sum(axis=(1, 2))
    (game,) = games[(known > 8) & (games["hand_count"][:, BONEYARD] == 12)][:1]
    found = sample_worlds(observe(np.array([game], GAME), np.array([0])), seeds(1), 20_000)[0]
    order = found["order"][:, 43:55]
    for tile in np.unique(order)[::5]:
        places = np.bincount(np.argmax(order == tile, axis=1)[(order == tile).any(axis=1)])
        expected = places.sum() / 12
        assert ((places - expected) ** 2 / expected).sum() < 11 + 4 * np.sqrt(22)


def test_worlds_of_one_table_are_counted_right() -> None:
    """The counting that these tests rest on: four tiles to two seats."""
    assert len([*deals((0, 1, 2, 3), [2, 1])]) == 12
    assert ways((0, 1), [1, 0]) == 0 and ways((3, 4), [255, 255, 1]) == 0
    assert ways((0, 3), [255, 255, 1]) == 1 and ways((0, 1), [255] * 3) == 2
