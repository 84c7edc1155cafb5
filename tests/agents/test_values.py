"""What the agents that search say of each action."""

from __future__ import annotations

import numpy as np
import pytest

import agents
from agents.base import Evaluator
from chickenfoot_env import batch, notation, view
from chickenfoot_env.rules import Rules

SEARCHERS = (
    "flat_mc:worlds=8",
    "mcts:iterations=100",
    "ppo_mcts:iterations=100",
    "oracle:iterations=100",
)


def questions(name: str, games: np.ndarray) -> np.ndarray:
    return games.copy() if name.startswith("oracle") else view.observe(games, games["seat"])


@pytest.fixture(scope="module")
def games() -> np.ndarray:
    """Positions with a real choice or none, of two sets."""
    dealt = [
        batch.deal(Rules(players=4, max_pip=pips, rounds=(pips,)), np.arange(8, dtype=np.uint64))
        for pips in (6, 9)
    ]
    return np.concatenate(dealt)


@pytest.mark.parametrize("name", SEARCHERS)
def test_every_legal_action_has_a_value_where_there_is_a_choice(
    name: str, games: np.ndarray
) -> None:
    agent = agents.make(name)
    assert isinstance(agent, Evaluator)
    asked, seeds = questions(name, games), np.arange(len(games), dtype=np.uint64)
    before = asked.tobytes()
    values = agent.values(asked, seeds)
    legal = batch.legal_mask(games)
    choice = legal.sum(axis=1) > 1
    assert 0 < choice.sum() < len(games)
    assert (~np.isnan(values) == (legal & choice[:, None])).all()
    assert asked.tobytes() == before


@pytest.mark.parametrize("name", SEARCHERS)
def test_asking_for_values_does_not_change_what_is_done(name: str, games: np.ndarray) -> None:
    agent = agents.make(name)
    asked, seeds = questions(name, games), np.arange(len(games), dtype=np.uint64)
    values = agent.values(asked, seeds)
    actions = agents.make(name).act(asked, seeds)
    assert (agent.act(asked, seeds) == actions).all()
    assert np.array_equal(agent.values(asked, seeds), values, equal_nan=True)
    taken = values[np.arange(len(games)), actions]
    assert np.nanmean(taken) > np.nanmean(values)


def test_the_values_of_a_solved_endgame_are_its_margins() -> None:
    """In any order both tiles go out, and the 6-6 is left; stages of the search do not show."""
    games = notation.parse_position("OPEN | 1 2 3 | 1-2 3-5 / 6-6 | - | 0", Rules(players=2))
    views = view.observe(games, games["seat"])
    for name in ("mcts", "flat_mc"):
        values = agents.make(name).values(views, np.zeros(1, np.uint64))
        assert values[~np.isnan(values)].tolist() == [12.0, 12.0, 12.0]


def test_agents_without_search_give_none() -> None:
    assert not any(
        isinstance(agents.make(name), Evaluator) for name in ("random", "greedy", "heuristic")
    )
