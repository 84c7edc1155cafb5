"""The oracle: the search of mcts in the true game, hidden tiles and later draws included.

It is a yardstick for what there is to know, never a competitor: it is handed games, not views.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents import search
from agents.playout import policy_number
from agents.tree import nodes_named
from chickenfoot_env.chance import check_seeds
from chickenfoot_env.game import check_games


class OracleAgent:
    """Takes the action with which the round ends best as the tiles really lie."""

    cheats = True

    def __init__(
        self,
        iterations: int = 500,
        rollout: str = "heuristic",
        tree: str = "own",
        ms: float = 0.0,
        endgame: int = 14,
    ) -> None:
        """Set the budget.

        Args:
            iterations: as of mcts.
            rollout: as of mcts.
            tree: whose later choices are searched: own, which knows the future if the others play
                by `rollout`; or all, as if they knew all tiles too.
            ms: as of flat_mc.
            endgame: as of flat_mc, but of the round itself.

        Raises:
            AgentError: for a value that is not allowed.
        """
        search.check_option("oracle", "iterations", iterations, 1, 100_000_000)
        policy = policy_number("oracle", rollout)
        method = search.method("oracle", policy, nodes_named("oracle", tree), endgame)
        budget = search.budget("oracle", ms, total=iterations)
        self._search = search.Search(method, budget)
        limit = f"ms={ms:g}" if ms else f"iterations={iterations}"
        self.name = f"oracle:{limit},rollout={rollout},tree={tree},endgame={endgame}"

    def act(self, games: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """One action for each game.

        Args:
            games: (B,) GAME; a finished one is answered with PASS.
            seeds: (B,) uint64; all that is random about decision i follows from seeds[i].

        Returns:
            (B,) int64 action ids.

        Raises:
            ValueError: for arrays of another kind.
        """
        check_games(games)
        seeds = check_seeds(seeds, len(games))
        return self._search.choose(games, seeds)

    def values(self, games: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.float64]:
        """What it thinks of each action, (B, A); see `base.Evaluator`, with games for views."""
        check_games(games)
        seeds = check_seeds(seeds, len(games))
        return self._search.values(games, seeds)

    @property
    def simulations(self) -> int:
        """How many simulations there have been so far."""
        return self._search.simulations
