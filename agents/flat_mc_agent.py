"""Flat Monte Carlo: it tries its legal actions in sampled worlds and takes the one that ends best.

All seats play on by one simple policy, so only the choice at hand is searched. See `agents.search`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents import search
from agents.base import check_question
from agents.playout import policy_number
from agents.tree import NONE


class FlatMCAgent:
    """Takes the action with the best mean margin of the round over sampled worlds."""

    def __init__(
        self,
        worlds: int = 64,
        rollout: str = "heuristic",
        ms: float = 0.0,
        endgame: int = 12,
        evidence: int = 1,
    ) -> None:
        """Set the budget.

        Args:
            worlds: simulations for each legal action, on average.
            rollout: how all seats play on in a simulation: random, greedy or heuristic.
            ms: wall time of a decision in milliseconds instead, where it is not 0; what the agent
                does then depends on the machine.
            endgame: tiles in all hands from which on worlds are solved exactly once no tile can be
                drawn; 0: never.
            evidence: 1, or 0 for worlds that take no note of what draws and passes have shown.

        Raises:
            AgentError: for a value that is not allowed.
        """
        search.check_option("flat_mc", "worlds", worlds, 1, 1_000_000)
        policy = policy_number("flat_mc", rollout)
        method = search.method("flat_mc", policy, NONE, endgame, evidence)
        budget = search.budget("flat_mc", ms, each=worlds)
        self._search = search.Search(method, budget)
        limit = f"ms={ms:g}" if ms else f"worlds={worlds}"
        self.name = f"flat_mc:{limit},rollout={rollout},endgame={endgame},evidence={evidence}"

    def act(self, views: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """One action for each view; see `Agent.act`."""
        views, seeds = check_question(views, seeds)
        return self._search.choose(views, seeds)

    def values(self, views: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.float64]:
        """What it thinks of each action; see `base.Evaluator`."""
        views, seeds = check_question(views, seeds)
        return self._search.values(views, seeds)

    @property
    def simulations(self) -> int:
        """How many simulations there have been so far."""
        return self._search.simulations
