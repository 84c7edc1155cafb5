"""Search advised by a trained policy: its opinion of each action counts as so many simulations.

The policy has learned what an action earns on average over all that a seat cannot see; simulations
tell what it earns in worlds like this one, but with the heuristic playing on. They err in different
places, so that both together are better than either. See `agents.search` for the decision.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents import search
from agents.base import AgentError
from agents.playout import HEURISTIC
from agents.ppo.agent import PPOAgent
from agents.ppo.forward import Room, Weights, write_logits
from agents.tree import OWN
from chickenfoot_env.jit import compiled

PIPS: Final = 2.0  # of margin that a logit is worth


class PPOMCTSAgent(search.SearchAgent):
    """Takes the action that policy and simulations together rate highest."""

    def __init__(
        self,
        iterations: int = 1000,
        path: str = "",
        prior: float = 400.0,
        ms: float = 0.0,
        endgame: int = 12,
    ) -> None:
        """Load the policy and set the budget.

        Args:
            iterations: as of mcts.
            path: a file of weights; "": the shipped ones.
            prior: simulations that the policy's opinion of an action is worth; 0: none.
            ms: as of flat_mc.
            endgame: as of flat_mc.

        Raises:
            AgentError: for a value that is not allowed, or a file that is not usable.
        """
        search.check_option("ppo_mcts", "iterations", iterations, 1, 100_000_000)
        if not 0.0 <= prior <= 1e6:
            raise AgentError(f"prior={prior:g} of ppo_mcts: allowed are 0 to 1,000,000")
        method = search.method("ppo_mcts", HEURISTIC, OWN, endgame, prior=prior)
        budget = search.budget("ppo_mcts", ms, total=iterations)
        self._ppo = PPOAgent(path)
        self._search = search.Search(method, budget, self._advise)
        limit = f"ms={ms:g}" if ms else f"iterations={iterations}"
        place = f"path={path}," if path else ""
        self.name = f"ppo_mcts:{limit},{place}prior={prior:g},endgame={endgame}"

    def _advise(self, views: NDArray[np.void], i: int, room: search.Room, count: int) -> None:
        weights, own_room = self._ppo.for_set(int(views[i]["max_pip"]))
        _write_opinions(views, i, weights, own_room, room.actions, count, room.opinions)


@compiled
def _write_opinions(
    views: NDArray[np.void],
    i: int,
    weights: Weights,
    own_room: Room,
    actions: NDArray[np.int64],
    count: int,
    opinions: NDArray[np.float64],
) -> None:
    logits = np.zeros(count, np.float32)
    write_logits(views[i], weights, own_room, actions, count, logits)
    highest = logits.max()
    for n in range(count):
        opinions[n] = PIPS * (logits[n] - highest)
