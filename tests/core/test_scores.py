"""Margins and standings, from score sheets written down round by round."""

from __future__ import annotations

import random

import numpy as np
import pytest
from core.random_play import RULE_SETS, seeds
from numpy.typing import NDArray
from reference import ranks_of

from chickenfoot_env import batch
from chickenfoot_env.game import GAME, NO_ROUND
from chickenfoot_env.rules import MAX_PLAYERS

Sheet = list[list[int]]  # the points of each seat, one row a round


def game_with(sheet: Sheet) -> NDArray[np.void]:
    """A record, (1,) GAME, with this score sheet and nothing else."""
    games = np.zeros(1, GAME)
    games["players"], games["best_round"] = len(sheet[0]), NO_ROUND
    for seat, scores in enumerate(zip(*sheet, strict=True)):
        games["points"][0, seat] = sum(scores)
        games["zero_rounds"][0, seat] = scores.count(0)
        games["best_round"][0, seat] = min((s for s in scores if s > 0), default=NO_ROUND)
    return games


@pytest.mark.parametrize(
    ("sheet", "ranks"),
    [
        ([[0, 0, 5], [10, 0, 5], [30, 40, 30]], [2, 1, 3]),  # M3: most zero rounds
        ([[0, 30], [10, 0], [30, 10]], [1, 1]),  # M5: the same keys share the rank
        ([[9, 10, 100, 2]], [2, 3, 4, 1]),  # M6: by number
        ([[0, 0], [10, 15], [30, 25]], [1, 2]),  # lowest round above zero
        ([[7, 5, 5, 1]], [4, 2, 2, 1]),  # the rank behind a shared one is skipped
        ([[0, 0]], [1, 1]),  # no round above zero
    ],
)
def test_standings_of_a_score_sheet(sheet: Sheet, ranks: list[int]) -> None:
    """R19, Q25."""
    assert batch.standings(game_with(sheet)).tolist() == [ranks]


def test_standings_of_random_score_sheets() -> None:
    """Against the reference, with few values so that ties of every depth come up."""
    chance = random.Random(1)
    sheets = [random_sheet(chance) for _ in range(3000)]
    games = np.concatenate([game_with(sheet) for sheet in sheets])
    wanted = [ranks_of(sheet) + [0] * (MAX_PLAYERS - len(sheet[0])) for sheet in sheets]
    assert batch.standings(games).tolist() == wanted
    shared = sum(sorted(ranks_of(sheet))[1] == 1 for sheet in sheets)
    assert 300 < shared < 2700


def random_sheet(chance: random.Random) -> Sheet:
    """One to four rounds of 2 to 12 seats; at most one zero a round."""
    players = chance.choice([2, 2, 3, 4, MAX_PLAYERS])
    sheet = []
    for _ in range(chance.randint(1, 4)):
        row = [chance.choice([1, 2, 3]) for _ in range(players)]
        row[chance.randrange(players)] *= chance.randint(0, 1)
        sheet.append(row)
    return sheet


@pytest.mark.parametrize(
    ("points", "margins"),
    [
        ([10, 30], [20.0, -20.0]),
        ([10, 20, 60], [30.0, 15.0, -45.0]),
        ([0, 0, 0, 8], [8 / 3, 8 / 3, 8 / 3, -8.0]),
    ],
)
def test_margins_worked_by_hand(points: list[int], margins: list[float]) -> None:
    """Mean of the others' points minus own."""
    assert batch.margins(game_with([points]))[0] == pytest.approx(margins)


def test_seats_that_are_not_there_have_no_margin_and_no_rank() -> None:
    """In a batch of tables of two and of four."""
    games = np.concatenate([game_with([[1, 3]]), game_with([[1, 3, 5, 7]])])
    margins = batch.margins(games)
    assert margins[0, :2].tolist() == [2.0, -2.0] and np.isnan(margins[0, 2:]).all()
    assert not np.isnan(margins[1]).any()
    assert batch.standings(games).tolist() == [[1, 2, 0, 0], [1, 2, 3, 4]]


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS.keys())
def test_margins_sum_to_zero_and_the_best_rank_is_one(rules: object) -> None:
    """After random games."""
    games = batch.deal(rules, seeds(64))
    batch.random_playout(games, seeds(64))
    margins, ranks = batch.margins(games), batch.standings(games)
    assert margins.sum(axis=1) == pytest.approx(np.zeros(64), abs=1e-9)
    assert (ranks.min(axis=1) == 1).all()
    best = np.take_along_axis(margins, ranks.argmin(axis=1)[:, None], axis=1)[:, 0]
    assert best == pytest.approx(margins.max(axis=1))


def test_before_the_first_round_ends_all_are_first() -> None:
    """Nobody has points, so everybody shares the rank."""
    games = batch.deal(RULE_SETS["seed"], seeds(3))
    assert (batch.standings(games) == 1).all()
    assert (batch.margins(games) == 0).all()
