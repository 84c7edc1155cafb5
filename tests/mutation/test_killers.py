"""A small, fast suite that is run once for every mutant, with compilation off.

The reference engine beside the kernels on tiny sets, each number of seats for itself so that most
mutants fall within a second; what the lockstep does not ask of the kernels follows behind it. The
same questions are put to far more games by the tests in core.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from core import lockstep
from core.random_play import seeds
from core.tables import some_rules, some_table
from core.test_scores import game_with
from core.test_view import expected_view
from numpy.typing import NDArray
from reference import ranks_of

from chickenfoot_env import batch, bits, kernels, view
from chickenfoot_env.game import BONEYARD, GAME, GAME_OVER, UNKNOWN
from chickenfoot_env.jit import compiled, records
from chickenfoot_env.rules import Rules
from chickenfoot_env.view import VIEW

SIZES = [(4, 60), (8, 200), (16, 400), *[(30, 600)] * 6]  # tables and steps of each batch


@pytest.fixture(autouse=True)
def _no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody reads the shortest way to a mutant's mistake."""
    monkeypatch.setattr(lockstep, "shortest_way", lambda table: None)


@pytest.mark.parametrize("number", range(len(SIZES)))
def test_kernels_agree_with_the_reference(number: int) -> None:
    """Random rules; two to four seats with a double-two to a double-five set."""
    chance = random.Random(number)
    tables, steps = SIZES[number]
    some = [some_rules(chance, *some_table_size(chance)) for _ in range(tables)]
    lockstep.Pairing([some_table(chance, rules) for rules in some]).play(chance, most=steps)


def test_kernels_agree_with_the_reference_on_the_largest_set() -> None:
    """Where one pip too many is behind the end of a row."""
    chance = random.Random(1)
    some = [some_rules(chance, 18, players) for players in (2, 5, 12)]
    lockstep.Pairing([some_table(chance, rules) for rules in some]).play(chance, most=60)


@pytest.mark.parametrize("last_double", ["forbidden", "penalty"])
def test_whole_games_of_the_largest_set_end(last_double: str) -> None:
    """The same for what is asked at the end of a round, and for evidence."""
    rules = Rules(players=2, max_pip=18, hand_size=4, rounds=(18,), last_double=last_double)
    games = batch.deal(rules, seeds(2), rules.private_stride)
    assert (batch.random_playout(games, seeds(2)) > 20).all()
    assert (games["drawn_since"][:, :2] != UNKNOWN).any()


def some_table_size(chance: random.Random) -> tuple[int, int]:
    """Highest pip and seats."""
    return chance.choice([2, 3, 4, 4, 5]), chance.choice([2, 2, 3, 4])


def positions(number: int) -> NDArray[np.void]:
    """Some positions of random games of random rules, finished ones among them."""
    chance = random.Random(f"positions {number}")
    kept = []
    for _ in range(6):
        rules = some_rules(chance, *some_table_size(chance))
        games = some_table(chance, rules).dealt()
        for _ in range(8):
            kept.append(games.copy())
            actions = np.flatnonzero(batch.legal_mask(games)[0])
            batch.step(games, np.array([chance.choice(actions.tolist())]))
        batch.random_playout(games, seeds(1, chance.getrandbits(32)))
        kept.append(games)
    return np.concatenate(kept).astype(GAME)


@pytest.mark.parametrize("number", range(3))
def test_legal_actions_are_told_in_one_voice(number: int) -> None:
    """The mask, the question about one action, the number of actions and the n-th are the same."""
    games = positions(number)
    before = games.tobytes()
    for game, mask in zip(records(games), batch.legal_mask(games), strict=True):
        hand, boneyard = game["held"][game["seat"]], game["hand_count"][BONEYARD]
        wanted = np.flatnonzero(mask).tolist()
        asked = [a for a in range(-3, 42) if kernels.is_legal(game, hand, boneyard, a)]
        plays = kernels.count_plays(game, hand)
        count = kernels.count_legal(game, plays, boneyard)
        nth = [kernels.nth_legal(game, hand, plays, boneyard, n) for n in range(count)]
        assert asked == wanted == nth
        plays = kernels.count_plays(game, hand)
        most = (game["max_pip"] + 1) ** 2
        assert game["over"] == GAME_OVER or plays == sum(action < most for action in nth)
    assert games.tobytes() == before


@pytest.mark.parametrize("number", range(3))
def test_every_seat_sees_what_it_may(number: int) -> None:
    """All fields from all seats, and the mask of the seat to act alone."""
    games = positions(number)
    games["points"][:, 4:] = games["drawn_since"][:, 4:] = 7
    masks = batch.legal_mask(games)
    for row, game in enumerate(games):
        for seat in range(game["players"]):
            views = view.observe(games[row : row + 1], np.array([seat]))
            wanted = expected_view(game, seat)
            assert [n for n in VIEW.names or () if np.any(views[0][n] != wanted[n])] == []
            mask = view.legal_mask(views)[0]
            acts = masks[row, : len(mask)] if seat == game["seat"] else np.zeros(len(mask), bool)
            assert np.array_equal(mask, acts)


def test_seats_that_are_not_at_the_table_are_refused() -> None:
    """One too many, one too few, the wrong kind and the wrong shape."""
    games = np.concatenate([batch.deal(Rules(players=n), seeds(1)) for n in (2, 4)])
    for seats, message in (
        ([0, 4], "^seat 4 of game 1: allowed are 0 to 3$"),
        ([2, 3], "^seat 2 of game 0: allowed are 0 to 1$"),
        ([-1, 0], "^seat -1 of game 0: allowed are 0 to 1$"),
        ([0.0, 1.0], r"^seats are float64 of shape \(2,\): wanted is an int64 array of shape \(2,"),
        ([0], r"^seats are int64 of shape \(1,\): wanted is an int64 array of shape \(2,\)$"),
    ):
        with pytest.raises(ValueError, match=message):
            view.observe(games, np.array(seats))
    assert view.observe(games, np.array([1, 3], np.uint8))["turn"].dtype == np.int16
    with pytest.raises(ValueError, match=r"^views are "):
        view.legal_mask(games)
    with pytest.raises(ValueError, match=r"^games are "):
        view.observe(np.zeros(1, VIEW), np.array([0]))
    assert view.legal_mask(np.zeros(0, VIEW)).shape == (0, 3)
    assert len(view.observe(games[:0], np.zeros(0, np.int64))) == 0


def test_masks_of_several_sets_have_the_width_of_the_largest() -> None:
    """And unaligned seats are taken."""
    small = Rules(players=2, max_pip=2, hand_size=1, starter_arms=2, toes=1)
    games = np.concatenate([batch.deal(rules, seeds(1)) for rules in (small, Rules())])
    views = view.observe(games, games["seat"])
    mask = view.legal_mask(views)
    assert (mask.shape, mask.dtype) == ((2, 102), np.bool_)
    assert view.observe(games, games["seat"].astype(np.uint64)).tobytes() == views.tobytes()


def test_a_view_has_nothing_above_the_highest_pip() -> None:
    """Whatever the record has there."""
    games = batch.deal(Rules(players=2, max_pip=3, hand_size=2, starter_arms=2, toes=1), seeds(1))
    games["held"][:, :, 4:] = games["laid"][:, 4:] = games["ends"][:, 4:] = 5
    games["drawn_since"][:, :, 4:] = 5
    for seat in range(2):
        seen = view.observe(games, np.array([seat]))
        for name in ("hand", "laid", "ends", "drawn_since"):
            assert not seen[name][..., 4:].any(), name


@compiled
def count(row: np.uint32) -> int:
    """`bits.ones`, which compiled code alone can call."""
    return bits.ones(row)


def test_bits() -> None:
    """Rows of 19 and single bits."""
    for pip in range(19):
        assert bits.bit(pip) == 1 << pip
    for row in (0, 1, 0b1011, 0x7FFFF, 0x55555, 0x2AAAA, 0x40001):
        places = [pip for pip in range(32) if row >> pip & 1]
        word = np.uint32(row)
        assert count(word) == len(places)
        assert [pip for pip in range(32) if bits.has_bit(word, pip)] == places
        assert [bits.nth_bit(word, n) for n in range(len(places))] == places


def test_standings_and_margins_of_score_sheets() -> None:
    """Ties of every depth at tables of two to four, in one batch."""
    chance = random.Random(1)
    sheets = []
    for _ in range(400):
        players = chance.choice([2, 3, 4])
        sheet = [[chance.choice([1, 2, 3]) for _ in range(players)] for _ in range(3)]
        for row in sheet:
            row[chance.randrange(players)] *= chance.randint(0, 1)
        sheets.append(sheet)
    games = np.concatenate([game_with(sheet) for sheet in sheets])
    ranks = [ranks_of(sheet) + [0] * (4 - len(sheet[0])) for sheet in sheets]
    assert batch.standings(games).tolist() == ranks
    games["points"][:, 4:] = 99  # what lies behind the last seat counts for nothing
    for sheet, row in zip(sheets, batch.margins(games), strict=True):
        points = [sum(column) for column in zip(*sheet, strict=True)]
        mean = [(sum(points) - own) / (len(points) - 1) - own for own in points]
        assert row[: len(points)] == pytest.approx(mean)
        assert np.isnan(row[len(points) :]).all() and len(row) == 4
    assert batch.standings(games[:0]).shape == batch.margins(games[:0]).shape == (0, 0)
    with pytest.raises(ValueError, match=r"^games are "):
        batch.standings(np.zeros(1, VIEW))
