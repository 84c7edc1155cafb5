"""Ratings: against choix, whatever the order of games, with ties shared."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from experiments.results import Finishes
from experiments.statistics import ratings

RNG = np.random.default_rng(8)
STRENGTHS = np.array([4.0, 2.0, 1.0, 0.5])


def played(games: int, ties: bool = False) -> list[tuple[tuple[int, int], ...]]:
    """Finishes of games between all four; with ties, ranks 2 and 3 are shared in each third one."""
    found = []
    for number in range(games):
        order = (RNG.exponential(size=4) / STRENGTHS).argsort()
        shared = ties and number % 3 == 0
        ranks = (1, 2, 2, 4) if shared else (1, 2, 3, 4)
        found.append(tuple(zip(order.tolist(), ranks, strict=True)))
    return found


def finishes(games: list[tuple[tuple[int, int], ...]], deals: int) -> Finishes:
    """The games, shared out among the deals in turn."""
    kinds = [*dict.fromkeys(games)]
    numbers = np.array([kinds.index(game) for game in games])
    return Finishes(kinds, np.arange(len(games)) % deals, numbers)


def fitted(games: list[tuple[tuple[int, int], ...]], prior: float = 0.01) -> np.ndarray:
    """Log strengths of the four entries, (4,)."""
    found = ratings.choices(finishes(games, 1), 1, 4)
    return ratings.fit(found.sets, found.counts, found.seats, prior)[0]


def test_strengths_are_those_that_choix_finds() -> None:
    """Its penalty is alpha times the sum of squares, ours half the prior times it."""
    choix = pytest.importorskip("choix")
    games = played(200)
    theirs = choix.opt_rankings(4, [[e for e, _ in game] for game in games], alpha=0.005)
    np.testing.assert_allclose(fitted(games), theirs, atol=1e-4)


def test_an_agent_in_two_seats_is_fitted_to_the_likelihood_of_choix() -> None:
    """No strength near those found is likelier by its formula; its own search wants no copies."""
    choix = pytest.importorskip("choix")
    orders = [tuple(RNG.permutation([0, 1, 1, 2, 3]).tolist()) for _ in range(100)]
    found = fitted([tuple(zip(order, range(1, 6), strict=True)) for order in orders])

    def likelihood(strengths: np.ndarray) -> float:
        fits = choix.log_likelihood_rankings(orders, strengths)
        return float(fits - 0.005 * (strengths**2).sum())

    for entry, off in itertools.product(range(4), (-0.01, 0.01)):
        assert likelihood(found + off * np.eye(4)[entry]) < likelihood(found)


def test_a_tie_is_the_mean_over_its_orders() -> None:
    """Each game as often as the tie has orders, the tie broken in each of them once."""
    three, twice_two = ((0, 1), (1, 2), (2, 2), (3, 2)), ((3, 1), (0, 1), (2, 3), (1, 3))
    orders = [(0, *rest) for rest in itertools.permutations((1, 2, 3))]
    pairs = itertools.product([(0, 3), (3, 0)], [(1, 2), (2, 1)])
    orders += [first + last for first, last in pairs for _ in range(3)]
    broken = [tuple(zip(order, range(1, 5), strict=True)) for order in orders]
    np.testing.assert_allclose(fitted([three] * 6 + [twice_two] * 12), fitted(broken), atol=1e-8)


def test_tied_entries_rate_alike() -> None:
    found = fitted([((0, 1), (1, 1), (2, 3), (3, 4))] * 5)
    assert found[0] == pytest.approx(found[1], abs=1e-9)
    assert found[0] > found[2] > found[3]


def test_order_of_games_and_of_seats_does_not_matter() -> None:
    games = played(120, ties=True)
    shuffled = [games[i] for i in RNG.permutation(120)]
    shuffled = [tuple(game[i] for i in RNG.permutation(4)) for game in shuffled]
    np.testing.assert_allclose(fitted(shuffled), fitted(games), atol=1e-9)


def test_true_strengths_are_found() -> None:
    wanted = np.log(STRENGTHS) - np.log(STRENGTHS).mean()
    np.testing.assert_allclose(fitted(played(4000)), wanted, atol=0.1)


def test_rock_paper_scissors_rates_all_alike() -> None:
    games = [((0, 1), (1, 2)), ((1, 1), (2, 2)), ((2, 1), (0, 2))] * 20
    found = ratings.ratings(ratings.choices(finishes(games, 20), 20, 3))
    assert [one.mean for one in found] == pytest.approx([0, 0, 0], abs=1e-6)


def test_one_that_never_loses_has_a_finite_rating() -> None:
    found = fitted([((0, 1), (1, 2), (2, 3), (3, 4))] * 40)
    assert np.isfinite(found).all() and found[0] > found[1] > found[2] > found[3]


def test_a_million_games_are_fitted_as_a_hundred() -> None:
    """Rounding is large then beside the prior."""
    games = played(100)
    held = ratings.choices(finishes(games, 1), 1, 4)
    few = ratings.fit(held.sets, held.counts, held.seats, 0.01)
    many = ratings.fit(held.sets, 1e4 * held.counts, 1e4 * held.seats, 100.0)
    np.testing.assert_allclose(many, few, atol=1e-9)
    plain = ratings.fit(held.sets, 1e4 * held.counts, 1e4 * held.seats)
    np.testing.assert_allclose(plain, few, atol=1e-3)


def test_tables_that_never_meet_are_fitted_too() -> None:
    """Two pairs, 3 to 1 each; between them the prior alone decides."""
    games = [((0, 1), (1, 2)), ((2, 1), (3, 2))] * 30_000
    games += [((1, 1), (0, 2)), ((3, 1), (2, 2))] * 10_000
    found = fitted(games)
    half = np.log(3) / 2
    np.testing.assert_allclose(found, [half, -half, half, -half], atol=1e-4)


def test_a_forfeit_is_last() -> None:
    """Rank 0; two forfeits share the last place."""
    forfeited = fitted([((0, 0), (1, 1), (2, 2), (3, 0))] * 9)
    last = fitted([((0, 3), (1, 1), (2, 2), (3, 3))] * 9)
    np.testing.assert_allclose(forfeited, last)


def test_a_rating_of_400_more_is_ten_times_the_strength() -> None:
    """One beats the other ten times in eleven."""
    games = [((0, 1), (1, 2))] * 1000 + [((1, 1), (0, 2))] * 100
    one, other = ratings.ratings(ratings.choices(finishes(games, 11), 11, 2))
    assert one.mean - other.mean == pytest.approx(400, abs=1)
    assert one.mean + other.mean == pytest.approx(0, abs=1e-6)


def test_intervals_resample_deals_and_cover_the_truth() -> None:
    """60 tournaments of 30 deals, each four times the same game: half as wide if they counted."""
    wanted = ratings.SCALE * (np.log(STRENGTHS) - np.log(STRENGTHS).mean())
    covered = 0
    for seed in range(60):
        games = [game for game in played(30) for _ in range(4)]
        kinds = [*dict.fromkeys(games)]
        numbers = np.array([kinds.index(game) for game in games])
        held = Finishes(kinds, np.arange(120) // 4, numbers)
        for one, truth in zip(
            ratings.ratings(ratings.choices(held, 30, 4), seed), wanted, strict=True
        ):
            covered += one.low <= truth <= one.high  # type: ignore[operator]
    assert 0.92 <= covered / 240 <= 0.98


def test_copies_have_the_same_interval() -> None:
    """Entries 0 and 1 always tie."""
    games = [((0, 1), (1, 1), (2, 3)), ((2, 1), (0, 2), (1, 2))] * 10
    one, copy, _ = ratings.ratings(ratings.choices(finishes(games, 20), 20, 3))
    assert (one.low, one.high) == pytest.approx((copy.low, copy.high), abs=1e-6)


def test_few_deals_have_ratings_without_intervals() -> None:
    found = ratings.ratings(ratings.choices(finishes(played(20), 9), 9, 4))
    assert all(one.low is None and one.high is None for one in found)
