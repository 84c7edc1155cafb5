"""The oracle: it sees what is hidden, and only that makes the difference."""

import numpy as np
import pytest

import agents
from chickenfoot_env import batch, notation, view
from chickenfoot_env.rules import Rules
from experiments import ladder

RULES = Rules(players=2)


def test_it_plays_by_tiles_that_nobody_else_sees() -> None:
    """The other seat can go out by a 7 in the one game and by an 8 in the other."""
    seven = notation.parse_position("OPEN | 3 | 3-7 3-8 / 7-9 | - | 0", RULES)
    eight = notation.parse_position("OPEN | 3 | 3-7 3-8 / 8-9 | - | 0", RULES)
    plays = [
        notation.format_action(
            int(agents.make("oracle").act(game, np.zeros(1, np.uint64))[0]), RULES
        )
        for game in (seven, eight)
    ]
    assert plays == ["3-8@3", "3-7@3"]


def test_it_answers_games_in_any_batch_and_changes_nothing() -> None:
    games = batch.deal(Rules(players=4, rounds=(9,)), np.arange(20, dtype=np.uint64))
    before = games.tobytes()
    oracle, seeds = agents.make("oracle:iterations=50"), np.arange(20, dtype=np.uint64)
    together = oracle.act(games, seeds)
    alone = [oracle.act(games[i : i + 1], seeds[i : i + 1])[0] for i in range(20)]
    assert together.tolist() == alone
    assert batch.legal_mask(games)[np.arange(20), together].all()
    assert games.tobytes() == before


def test_a_finished_game_is_answered_with_pass() -> None:
    rules = Rules(players=4, rounds=(9,))
    games = batch.deal(rules, np.arange(4, dtype=np.uint64))
    batch.random_playout(games, games["seed"].copy())
    answer = agents.make("oracle").act(games, np.zeros(4, np.uint64))
    assert answer.tolist() == [rules.pass_] * 4


@pytest.mark.parametrize(
    ("tree", "others", "floor"),
    [("own", "heuristic", 15.0), ("all", "heuristic", 5.0), ("all", "mcts:iterations=50", 3.0)],
)
def test_it_is_beyond_fair_agents(tree: str, others: str, floor: float) -> None:
    """With four seats; fair agents earn less than 6 against three heuristics."""
    oracle = f"oracle:iterations=200,tree={tree}"
    found = ladder.answer(ladder.Question("", oracle, others, 4, deals=30))
    assert found["low"] > floor and found["p"] < 0.01


def test_views_are_refused() -> None:
    games = batch.deal(RULES, np.arange(3, dtype=np.uint64))
    with pytest.raises(ValueError, match="wanted is an array of GAME records"):
        agents.make("oracle").act(view.observe(games, games["seat"]), games["seed"].copy())
    with pytest.raises(ValueError, match="1 seeds for 3 records"):
        agents.make("oracle").act(games, np.zeros(1, np.uint64))
