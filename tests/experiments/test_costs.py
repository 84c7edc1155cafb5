"""What decisions cost: counted against agents that keep their own books."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import agents
from chickenfoot_env import batch, view
from chickenfoot_env.rules import Rules
from experiments import costs, match
from experiments.costs import Costs
from experiments.match import Fault

RULES = Rules(players=3, max_pip=6, hand_size=5, rounds=(6, 5))
GAMES = 7


class Counting:
    """Takes the first legal action; a decision takes one simulation for each action it has."""

    def __init__(self, fail: Callable[[Any], bool] = lambda views: False) -> None:
        self.name = "counting"
        self.simulations = 1000  # what it ran before the match is not charged
        self.asked: list[int] = []
        self._fail = fail

    def act(self, views: Any, seeds: Any) -> Any:
        legal = view.legal_mask(views)
        self.asked.append(len(views))
        self.simulations += int(legal.sum())
        if self._fail(views):
            raise ValueError("not this one")
        return legal.argmax(axis=1)


class Plain:
    """Takes the first legal action, and counts the views it was shown."""

    name = "plain"

    def __init__(self) -> None:
        self.asked: list[int] = []

    def act(self, views: Any, seeds: Any) -> Any:
        self.asked.append(len(views))
        return view.legal_mask(views).argmax(axis=1)


def play(
    line_up: list[Any],
    rows: slice = slice(0, GAMES),
    faults: list[Fault] | None = None,
    seating: Any = None,
) -> Costs:
    """Play some of the same seven games."""
    seeds = np.arange(GAMES, dtype=np.uint64)[rows]
    games = batch.deal(RULES, seeds, RULES.private_stride)
    spent = Costs.nothing(len(games), len(line_up))
    match.play(line_up, games, seeds + 50, faults, seating=seating, costs=spent)
    return spent


def test_decisions_are_the_views_that_an_agent_was_shown() -> None:
    line_up = [Plain(), Counting(), Plain()]
    spent = play(line_up)
    assert spent.decisions.sum(axis=0).tolist() == [sum(agent.asked) for agent in line_up]
    assert (spent.decisions > 0).all()


def test_simulations_are_what_the_counter_grew_by() -> None:
    one, other = Counting(), Counting()
    spent = play([one, Plain(), other])
    sums = spent.simulations.sum(axis=0).tolist()
    assert sums == [one.simulations - 1000, 0, other.simulations - 1000]
    assert (spent.simulations[:, 0] > spent.decisions[:, 0]).all()


def test_a_game_costs_the_same_alone_and_in_a_batch() -> None:
    """Decisions differ in their simulations, so that equal shares of a question would show."""
    together = play([Plain(), Counting(), Counting()])
    assert len(set(together.simulations[:, 1] / together.decisions[:, 1])) > 1
    for row in range(GAMES):
        alone = play([Plain(), Counting(), Counting()], slice(row, row + 1))
        np.testing.assert_array_equal(alone.decisions[0], together.decisions[row])
        np.testing.assert_array_equal(alone.simulations[0], together.simulations[row])


def test_one_agent_as_several_entries_is_charged_as_each() -> None:
    one, apart = Counting(), [Counting() for _ in range(3)]
    together, separate = play([one, one, one]), play(apart)
    np.testing.assert_array_equal(together.decisions, separate.decisions)
    np.testing.assert_array_equal(together.simulations, separate.simulations)
    assert len(set(together.simulations[0])) > 1


def test_an_entry_that_sits_nowhere_is_charged_nothing() -> None:
    seating = np.array([[0, 2, 2]] * GAMES)
    spent = play([Plain(), Counting(), Counting()], seating=seating)
    assert not spent.decisions[:, 1].any() and not spent.seconds[:, 1].any()
    assert (spent.decisions[:, 2] > 0).all()


def test_seconds_are_those_within_act_in_equal_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that moves 12 seconds in each question."""
    now = [0.0]
    monkeypatch.setattr(costs.time, "perf_counter", lambda: now[0])

    class Slow(Plain):
        def act(self, views: Any, seeds: Any) -> Any:
            now[0] += 12
            return super().act(views, seeds)

    slow = Slow()
    spent = play([slow, Plain(), slow])
    assert spent.seconds.sum() == pytest.approx(12 * len(slow.asked))
    assert not spent.seconds[:, 1].any()
    alone = play([Plain(), Plain(), Slow()], slice(0, 1))
    assert alone.seconds[0].tolist() == [0, 0, 12 * alone.decisions[0, 2]]


def test_agents_that_count_nothing_are_asked_at_once() -> None:
    plain, counting = Plain(), Counting()
    play([plain, plain, plain])
    play([counting, counting, counting])
    assert plain.asked[0] == GAMES
    assert set(counting.asked) == {1}


def test_without_costs_all_agents_are_asked_at_once() -> None:
    counting = Counting()
    games = batch.deal(RULES, np.arange(GAMES, dtype=np.uint64), RULES.private_stride)
    match.play([counting] * 3, games, np.arange(GAMES, dtype=np.uint64))
    assert counting.asked[0] == GAMES


def test_a_seat_that_forfeited_costs_no_more() -> None:
    """The stand-in plays on; the question in which the agent failed is its only one."""
    faults: list[Fault] = []
    failing = Counting(lambda views: True)
    spent = play([Plain(), Plain(), failing], faults=faults)
    assert len(faults) == GAMES
    assert spent.decisions[:, 2].tolist() == [1] * GAMES
    assert spent.simulations[:, 2].sum() == failing.simulations - 1000 > 0


@pytest.mark.parametrize("kind", [Counting, Plain])
def test_a_fault_does_not_change_what_the_other_games_cost(kind: Any) -> None:
    """It fails where its first hand holds a certain tile."""
    clean = play([Plain(), Plain(), kind()])

    class Picky(kind):  # type: ignore[misc]  # the base is an argument
        def act(self, views: Any, seeds: Any) -> Any:
            actions = super().act(views, seeds)
            if (views["hand"][:, 0] & 2).any():  # the 0-1
                raise ValueError
            return actions

    faults: list[Fault] = []
    spent = play([Plain(), Plain(), Picky()], faults=faults)
    lost = {fault.game for fault in faults}
    assert 0 < len(lost) < GAMES
    kept = [row for row in range(GAMES) if row not in lost]
    np.testing.assert_array_equal(spent.decisions[kept], clean.decisions[kept])
    np.testing.assert_array_equal(spent.simulations[kept], clean.simulations[kept])


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([5, 4], "its simulations went from 5 to 4: wanted is a number that never goes down"),
        ([5, None], "its simulations went from 5 to None"),
        ([0.5], "its simulations are 0.5: wanted is a whole number"),
        (["many"], "its simulations are 'many'"),
    ],
)
def test_a_counter_that_does_not_count_is_a_fault(counts: list[Any], message: str) -> None:
    class Wrong(Plain):
        simulations = counts[0]

        def act(self, views: Any, seeds: Any) -> Any:
            self.simulations = counts[-1]
            return super().act(views, seeds)

    faults: list[Fault] = []
    play([Plain(), Plain(), Wrong()], slice(0, 1), faults)
    assert message in faults[0].message


def test_numpy_counters_count() -> None:
    class Numpy(Counting):
        def __init__(self) -> None:
            super().__init__()
            self.simulations = np.int64(0)  # type: ignore[assignment]  # what NumPy sums give

    assert play([Plain(), Plain(), Numpy()]).simulations[:, 2].all()


def test_costs_must_be_games_by_entries() -> None:
    games = batch.deal(RULES, np.arange(2, dtype=np.uint64))
    with pytest.raises(ValueError, match=r"of shape \(2, 4\): wanted is \(2, 3\)"):
        match.play([Plain()] * 3, games, games["seed"], costs=Costs.nothing(2, 4))


def test_search_agents_count_simulations() -> None:
    """Every decision has two actions or more, and each is tried at least once."""
    spent = play([agents.make("flat_mc:worlds=4"), Plain(), Plain()], slice(0, 1))
    assert spent.simulations[0, 0] >= 2 * spent.decisions[0, 0]
