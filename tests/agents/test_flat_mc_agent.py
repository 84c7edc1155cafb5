"""Flat Monte Carlo: positions with one right play, its budget, and bad options."""

from collections.abc import Callable

import numpy as np
import pytest

import agents
from chickenfoot_env import batch, view
from chickenfoot_env.rules import Rules
from experiments import ladder

Choice = Callable[..., str]


@pytest.mark.parametrize("rollout", ["random", "greedy", "heuristic"])
def test_it_sees_that_the_other_tile_goes_out_later(choice: Choice, rollout: str) -> None:
    """The 0-0 would block the round, 13 to 11; after the 5-6 nobody can stop it from going out."""
    position = "OPEN | 0 5 | 0-0 5-6 / 5-8 | - | 0"
    assert choice("greedy", position) == "0-0@0"
    assert choice(f"flat_mc:rollout={rollout}", position) == "5-6@5"


def test_the_same_seed_gives_the_same_play_and_another_may_not() -> None:
    rules = Rules(players=4, rounds=(9,))
    games = batch.deal(rules, np.arange(40, dtype=np.uint64))
    batch.play_forced(games)
    views = view.observe(games, games["seat"])
    agent = agents.make("flat_mc:worlds=1,rollout=random")
    one = agent.act(views, np.arange(40, dtype=np.uint64))
    assert (one == agent.act(views, np.arange(40, dtype=np.uint64))).all()
    assert (one != agent.act(views, np.arange(40, 80, dtype=np.uint64))).any()


def test_it_is_stronger_than_the_policy_that_it_plays_out_with() -> None:
    found = ladder.answer(
        ladder.Question("", "flat_mc:worlds=16,rollout=greedy", "greedy", 4, deals=60)
    )
    assert found["margin"] > 0 and found["p"] < 0.01


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("flat_mc:worlds=0", "worlds=0 of flat_mc: allowed are 1 to 1,000,000"),
        ("flat_mc:worlds=many", "allowed is a whole number"),
        (
            "flat_mc:rollout=best",
            "rollout='best' of flat_mc: allowed are random, greedy, heuristic",
        ),
        ("flat_mc:depth=3", "no option 'depth'; its options are worlds, rollout"),
    ],
)
def test_bad_options_are_refused_in_a_line(spec: str, message: str) -> None:
    with pytest.raises(agents.AgentError) as caught:
        agents.make(spec)
    assert message in str(caught.value) and "\n" not in str(caught.value)
