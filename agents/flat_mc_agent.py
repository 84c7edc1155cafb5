"""Flat Monte Carlo: it tries its legal actions in sampled worlds and takes the one that ends best.

All seats play on by one simple policy, so only the choice at hand is searched. See `agents.search`.
"""

from __future__ import annotations

from agents import search
from agents.playout import policy_number
from agents.tree import NONE


class FlatMCAgent(search.SearchAgent):
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
