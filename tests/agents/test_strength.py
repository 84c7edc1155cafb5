"""The ladder: each simple agent beats the one below it, on deals played from every seat."""

import pytest

from experiments import ladder


@pytest.mark.parametrize("players", [2, 4, 6])
@pytest.mark.parametrize(("better", "worse"), [("greedy", "random"), ("heuristic", "greedy")])
def test_the_better_agent_wins(better: str, worse: str, players: int) -> None:
    found = ladder.answer(ladder.Question("", better, worse, players, deals=400))
    assert found["margin"] > 0 and found["p"] < 0.01
