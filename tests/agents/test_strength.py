"""The ladder: each agent beats the one below it, on deals played from every seat."""

import numpy as np
import pytest
from scipy import stats

import agents
from chickenfoot_env import batch
from chickenfoot_env.rules import Rules
from experiments import match

DEALS = 400


@pytest.mark.parametrize("players", [2, 4, 6])
@pytest.mark.parametrize(("better", "worse"), [("greedy", "random"), ("heuristic", "greedy")])
def test_the_better_agent_wins(better: str, worse: str, players: int) -> None:
    rules = Rules(players=players, rounds=(9,))
    seeds = np.arange(DEALS, dtype=np.uint64)
    others = agents.make(worse)
    total = np.zeros(DEALS)  # a deal's margins, over the seats of the better agent
    for seat in range(players):
        line_up = [others] * players
        line_up[seat] = agents.make(better)
        games = batch.deal(rules, seeds, rules.private_stride)
        match.play(line_up, games, seeds)
        total += batch.margins(games)[:, seat]
    assert stats.ttest_1samp(total / players, 0, alternative="greater").pvalue < 0.01
