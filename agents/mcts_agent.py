"""Information-set Monte Carlo tree search: flat Monte Carlo that also searches its later choices.

A simulation in a sampled world goes through one tree that all worlds of the decision share, so that
what the seat does later in the round depends on what it will know then and not on what it cannot
see. See `agents.search` for the decision and `agents.tree` for the tree.
"""

from __future__ import annotations

from agents import search
from agents.playout import policy_number
from agents.tree import nodes_named


class MCTSAgent(search.SearchAgent):
    """Takes the action with the best mean margin of the round, its own later choices improved."""

    def __init__(
        self,
        iterations: int = 1000,
        rollout: str = "heuristic",
        tree: str = "own",
        ms: float = 0.0,
        endgame: int = 12,
        evidence: int = 1,
    ) -> None:
        """Set the budget.

        Args:
            iterations: simulations of a decision, over all its actions; each action gets one at
                least.
            rollout: how a simulation goes on behind the tree, and the other seats in it: random,
                greedy or heuristic.
            tree: whose later choices are searched: own or all.
            ms: as of flat_mc.
            endgame: as of flat_mc.
            evidence: as of flat_mc.

        Raises:
            AgentError: for a value that is not allowed.
        """
        search.check_option("mcts", "iterations", iterations, 1, 100_000_000)
        policy = policy_number("mcts", rollout)
        method = search.method("mcts", policy, nodes_named("mcts", tree), endgame, evidence)
        budget = search.budget("mcts", ms, total=iterations)
        self._search = search.Search(method, budget)
        limit = f"ms={ms:g}" if ms else f"iterations={iterations}"
        self.name = (
            f"mcts:{limit},rollout={rollout},tree={tree},endgame={endgame},evidence={evidence}"
        )
