"""What is random is exactly as random as it should be, and follows from seeds alone."""

from __future__ import annotations

import random
from typing import Any

import numba
import numpy as np
import pytest
from core import streams
from core.dealing import deal_order
from core.lockstep import TILE_ID
from core.random_play import seeds
from numpy.typing import NDArray
from scipy import stats

from chickenfoot_env import batch, chance, dealing
from chickenfoot_env.game import BONEYARD, rows_of, tiles_of
from chickenfoot_env.jit import records
from chickenfoot_env.rules import Rules
from chickenfoot_env.tiles import MAX_PIP

SOME_SEEDS = [0, 1, 2**32, 2**63, 2**64 - 1, *(random.Random(1).getrandbits(64) for _ in range(20))]


@numba.njit
def many_below(stream: np.uint64, n: int, out: NDArray[np.int64]) -> np.uint64:
    """Fill `out` from one stream."""
    for i in range(len(out)):
        stream, out[i] = chance.below(stream, n)
    return stream


def test_hashes_of_seeds_are_those_of_the_published_generator() -> None:
    """The same by plain integers, for seeds at the edges of 64 bits and parts of either sign."""
    for part in (0, 1, 7, 2**40, -1):
        wanted = [streams.fold(seed, part) for seed in SOME_SEEDS]
        assert chance.derive(np.array(SOME_SEEDS, np.uint64), part).tolist() == wanted


def test_splitmix64_gives_its_published_words() -> None:
    """The first outputs from state 1234567, as in the tables of Rosetta Code and of the JDK."""
    wanted = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    states = [(1234567 + count * streams.GOLDEN) % 2**64 for count in (1, 2, 3)]
    assert [streams.scramble(state) for state in states] == wanted
    assert [int(chance.scramble(np.uint64(state))) for state in states] == wanted


@pytest.mark.parametrize("n", [1, 2, 3, 7, 190, 2**31 + 1, 2**32 - 1])
def test_numbers_below_n_are_those_of_the_published_method(n: int) -> None:
    """Values and streams; with n above 2**31 about every second word is refused."""
    ours, theirs = 99, 99
    for _ in range(200):
        ours, number = chance.below(np.uint64(ours), n)
        theirs, wanted = streams.below(theirs, n)
        assert (int(ours), int(number)) == (theirs, wanted)


@pytest.mark.parametrize("n", [2, 3, 6, 10, 55, 190])
def test_numbers_below_n_are_uniform(n: int) -> None:
    """By a chi-square test of 100,000 of them, singly and in pairs."""
    out = np.zeros(100_000, np.int64)
    many_below(np.uint64(n), n, out)
    assert stats.chisquare(np.bincount(out, minlength=n)).pvalue > 0.001
    if n <= 55:
        pairs = out[::2] * n + out[1::2]
        assert stats.chisquare(np.bincount(pairs, minlength=n * n)).pvalue > 0.001


def test_parts_make_seeds_of_their_own() -> None:
    """Seed, each part and their order count; a part may differ from row to row."""
    one = seeds(1000)
    made = [
        one,
        *(chance.derive(one, part) for part in range(20)),
        *(chance.derive(one, first, second) for first in range(5) for second in range(5)),
    ]
    assert len(set(np.concatenate(made).tolist())) == 1000 * len(made)
    rows = chance.derive(one[:3], np.array([5, 6, 7]), 2)
    alone = [int(chance.derive(one[row : row + 1], 5 + row, 2)[0]) for row in range(3)]
    assert rows.tolist() == alone
    assert chance.derive(one).tolist() == one.tolist()


@pytest.mark.parametrize("part", [2.5, "1", None, True, [1, 2], [[1, 2, 3]]])
def test_a_part_that_is_no_whole_number_is_refused(part: Any) -> None:
    """Or not one for each seed."""
    with pytest.raises(ValueError, match=r"^a part of shape"):
        chance.derive(seeds(3), part)


@pytest.mark.parametrize("max_pip", [2, 9, MAX_PIP])
def test_orders_are_the_shuffles_of_their_seed_and_round(max_pip: int) -> None:
    """The same by plain integers; they do not depend on seats, hands or other rules."""
    for players, hand_size in ((2, 1), (2, 3), (3, 2)):
        rules = Rules(players=players, max_pip=max_pip, hand_size=hand_size, toes=1, starter_arms=2)
        games = batch.deal(rules, np.array(SOME_SEEDS, np.uint64))
        for game in games[games["round"] == 0]:
            order = streams.shuffled(int(game["seed"]), 0, max_pip)
            assert game["order"][: rules.tiles].tolist() == [TILE_ID[tile] for tile in order]
            assert not game["order"][rules.tiles :].any()


def test_seeds_and_rounds_have_deals_of_their_own() -> None:
    """No two of ten thousand games, and no two rounds of a game, are dealt alike."""
    games = batch.deal(Rules(), seeds(10_000))
    assert len({order.tobytes() for order in games["order"]}) == 10_000
    rounds = {tuple(streams.shuffled(3, index, 9)) for index in range(10)}
    assert len(rounds) == 10


def test_every_tile_is_dealt_to_every_place_equally_often() -> None:
    """By a chi-square test over tiles and places of double-three."""
    rules = Rules(players=2, max_pip=3, hand_size=2, starter_arms=2, toes=2, rounds=(3,))
    order = batch.deal(rules, seeds(40_000))["order"][:, :10]
    counts = np.array([np.bincount(order[:, place], minlength=10) for place in range(10)])
    # Rows and columns of a sum of permutation matrices are fixed: 9 x 9 degrees of freedom, and
    # the mean of the sum over all cells is 10 x 9.
    statistic = ((counts - 4000) ** 2 / 4000).sum() * 9 / 10
    assert stats.chi2.sf(statistic, 81) > 0.001
    assert stats.chi2.cdf(statistic, 81) > 0.001


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize("actor", [0, 1])
def test_a_draw_is_uniform_over_the_tiles_that_the_seat_does_not_see(
    private: bool, actor: int
) -> None:
    """Given its hand and the table, by a chi-square test; with either way of drawing."""
    rules = Rules(players=2, max_pip=3, hand_size=2, starter_arms=2, toes=1, rounds=(3,))
    stride = rules.private_stride if private else 0
    games = batch.deal(rules, seeds(150_000), stride)
    games = games[(games["hunted"] == 0) & (games["seat"] == actor)]
    games = games[batch.legal_mask(games)[:, rules.draw]]
    before = games.copy()
    batch.step(games, np.full(len(games), rules.draw))
    drawn = rows_of(games["held"][:, actor] & ~before["held"][:, actor])
    total, freedom = 0.0, 0
    hands = rows_of(before["held"])[:, actor, :4]
    for hand in np.unique(hands, axis=0):
        rows = (hands == hand).all(axis=1)
        found, counts = np.unique(drawn[rows, :4], axis=0, return_counts=True)
        assert len(found) == rules.tiles - 1 - 2  # the starter lies, two are in the hand
        total += stats.chisquare(counts).statistic
        freedom += len(found) - 1
    assert freedom >= 30
    assert stats.chi2.sf(total, freedom) > 0.001


def test_an_extra_draw_shifts_no_draw_of_the_others_with_a_private_stride() -> None:
    """Up to as many draws as there are places between the seats; with one pile it shifts all."""
    rules = Rules(players=4)
    for stride, shifts in ((rules.private_stride, False), (0, True)):
        order = np.random.default_rng(stride).permutation(rules.tiles).tolist()
        order.remove(54)
        game = records(deal_order(rules, [54, *order], draw_stride=stride))[0]
        for seat in range(rules.players):
            others = [other for other in range(rules.players) if other != seat]
            before = [dealing.draw_place(game, other) for other in others]
            twin = records(np.array([game]))[0]
            for _ in range(max(1, stride)):
                dealing.draw_tile(twin, seat)
            after = [dealing.draw_place(twin, other) for other in others]
            assert (before != after) is shifts


@pytest.mark.parametrize("stride", [0, 1, 3, 6])
def test_all_tiles_of_the_boneyard_can_be_drawn_by_one_seat(stride: int) -> None:
    """A seat's place goes round, in the order of the boneyard from its own place on."""
    rules = Rules(players=4)
    order = list(range(rules.tiles))[::-1]  # seat 0 holds the 9-9
    for seat in range(rules.players):
        game = records(deal_order(rules, order, draw_stride=stride))[0]
        yard, hand = order[28:], set(tiles_of(game["held"][seat], 9))
        drawn = []
        while game["hand_count"][BONEYARD]:
            dealing.draw_tile(game, seat)
            tile = (set(tiles_of(game["held"][seat], 9)) - hand).pop()
            drawn.append(tile)
            hand.add(tile)
        assert drawn == yard[seat * stride :] + yard[: seat * stride]
