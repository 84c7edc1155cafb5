"""A PettingZoo environment that does nothing: what an AEC environment costs without a game in it.

It keeps PettingZoo's books of rewards as PettingZoo's documentation tells every environment to,
and nothing else happens.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv


class NothingEnv(AECEnv[str, Any, Any]):
    """Agents act in turn, whatever they do changes nothing, and every observation is fresh arrays.

    Args:
        agents: N, how many.
        features: F, the numbers in an observation, all 1.
        actions: A, how many there are, all of them always legal.
        length: steps in an episode.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo declares it as an instance's
        "name": "nothing_v0",
        "render_modes": [],
        "is_parallelizable": False,
    }

    def __init__(self, agents: int, features: int, actions: int, length: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # PettingZoo's has no annotations
        self.possible_agents = [f"player_{seat}" for seat in range(agents)]
        self.render_mode = None
        self._length = length
        self._features, self._actions = features, actions
        self._next = dict(
            zip(
                self.possible_agents,
                [*self.possible_agents[1:], self.possible_agents[0]],
                strict=True,
            )
        )
        self.observation_spaces = {
            agent: spaces.Dict(
                observation=spaces.Box(0.0, 1.0, (features,), np.float32),
                action_mask=spaces.Box(0, 1, (actions,), np.int8),
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode; the seed changes nothing."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._left = self._length

    def step(self, action: int | None) -> None:
        """Go on to the next agent."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._left -= 1
        if self._left == 0:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self._next[agent]
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """The same numbers for everybody."""
        features = np.ones(self._features, np.float32)
        return {"observation": features, "action_mask": np.ones(self._actions, np.int8)}
