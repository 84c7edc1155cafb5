"""The tree search: a right play, its budget, its strength, and bad options."""

from collections.abc import Callable

import numpy as np
import pytest

import agents
from chickenfoot_env import batch, view
from chickenfoot_env.rules import Rules
from experiments import ladder

Choice = Callable[..., str]


def first_decisions(players: int) -> tuple[np.ndarray, np.ndarray]:
    """Views with a real choice, and how many legal actions each has."""
    games = batch.deal(Rules(players=players, rounds=(9,)), np.arange(40, dtype=np.uint64))
    batch.play_forced(games)
    views = view.observe(games, games["seat"])
    return views, view.legal_mask(views).sum(axis=1)


@pytest.mark.parametrize("tree", ["own", "all"])
def test_it_sees_that_the_other_tile_goes_out_later(choice: Choice, tree: str) -> None:
    """The 0-0 would block the round, 13 to 11; after the 5-6 nobody can stop it from going out."""
    position = "OPEN | 0 5 | 0-0 5-6 / 5-8 | - | 0"
    assert choice(f"mcts:tree={tree},endgame=0", position) == "5-6@5"
    assert choice(f"mcts:tree={tree}", position) == "5-6@5"


def test_the_same_seed_gives_the_same_play_and_another_may_not() -> None:
    views, _ = first_decisions(4)
    agent = agents.make("mcts:iterations=8")
    one = agent.act(views, np.arange(40, dtype=np.uint64))
    assert (one == agent.act(views, np.arange(40, dtype=np.uint64))).all()
    assert (one != agent.act(views, np.arange(40, 80, dtype=np.uint64))).any()


def test_it_counts_its_simulations_and_keeps_to_its_budget() -> None:
    views, counts = first_decisions(4)
    agent = agents.make("mcts:iterations=480")
    for row in range(10):
        before = agent.simulations
        agent.act(views[row : row + 1], np.zeros(1, np.uint64))
        spent = agent.simulations - before
        stages = int(counts[row] - 1).bit_length()
        assert spent <= 480 and (spent > 480 - stages * counts[row] or counts[row] == 1)


def test_with_more_time_it_simulates_more() -> None:
    views, counts = first_decisions(2)
    row = int(counts.argmax())
    spent = []
    for ms in (1, 100):
        agent = agents.make(f"mcts:ms={ms}")
        agent.act(views[row : row + 1], np.zeros(1, np.uint64))  # compiled by now
        before = agent.simulations
        agent.act(views[row : row + 1], np.zeros(1, np.uint64))
        spent.append(agent.simulations - before)
    assert 0 < spent[0] < spent[1]


def test_it_beats_heuristic_with_two_seats() -> None:
    found = ladder.answer(ladder.Question("", "mcts:iterations=200", "heuristic", 2, deals=60))
    assert found["margin"] > 0 and found["p"] < 0.01


def test_worlds_without_evidence_give_other_plays() -> None:
    rules = Rules(players=4, rounds=(9,))
    games = batch.deal(rules, np.arange(60, dtype=np.uint64))
    for _ in range(20):
        batch.play_forced(games)
        games = games[games["over"] == 0]
        heuristic = agents.make("heuristic")
        batch.step(games, heuristic.act(view.observe(games, games["seat"]), games["seed"].copy()))
    batch.play_forced(games)
    games = games[games["over"] == 0]
    views, seeds = view.observe(games, games["seat"]), games["seed"].copy()
    before = views.tobytes()
    with_it = agents.make("mcts:iterations=100").act(views, seeds)
    without = agents.make("mcts:iterations=100,evidence=0").act(views, seeds)
    assert (with_it != without).any()
    assert views.tobytes() == before


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mcts:iterations=0", "iterations=0 of mcts: allowed are 1 to 100,000,000"),
        ("mcts:tree=deep", "tree='deep' of mcts: allowed are own, all"),
        ("mcts:rollout=best", "rollout='best' of mcts: allowed are random, greedy, heuristic"),
        ("mcts:ms=-1", "ms=-1 of mcts: allowed are 0 (no limit) to 3,600,000"),
        ("mcts:endgame=99", "endgame=99 of mcts: allowed are 0 to 24"),
        ("mcts:evidence=2", "evidence=2 of mcts: allowed are 0 to 1"),
        ("flat_mc:ms=nan", "ms=nan of flat_mc: allowed are 0 (no limit) to 3,600,000"),
        ("oracle:tree=none", "tree='none' of oracle: allowed are own, all"),
        ("oracle:iterations=0", "iterations=0 of oracle: allowed are 1 to 100,000,000"),
    ],
)
def test_bad_options_are_refused_in_a_line(spec: str, message: str) -> None:
    with pytest.raises(agents.AgentError) as caught:
        agents.make(spec)
    assert message in str(caught.value) and "\n" not in str(caught.value)
