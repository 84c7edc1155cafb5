"""Opponents in a share of the games: frozen snapshots of the policy, and scripted agents.

Which of them plays is drawn anew for each update, from the run's seed and the number of the update
alone, so that a run that is gone on with draws the same.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

import agents
from agents.ppo.agent import PPOAgent
from agents.ppo.policy_file import Policy
from chickenfoot_env import chance
from experiments.training.settings import SCRIPTED

MEMBERS: Final = 3  # different opponents at a time
_PICK: Final = 7


class Member:
    """A seat's player that can be exchanged between two updates."""

    def __init__(self) -> None:
        self.player: agents.Agent = agents.make(SCRIPTED[0])

    @property
    def name(self) -> str:
        """Of whoever plays now."""
        return self.player.name

    def act(self, views: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """See `Agent.act`."""
        return self.player.act(views, seeds)


class Pool:
    """The snapshots, and the members that play now.

    Attributes:
        members: for the environment.
        snapshots: frozen policies, oldest first.
    """

    def __init__(self, size: int, seed: int) -> None:
        self.members = [Member() for _ in range(MEMBERS)]
        self.snapshots: list[Policy] = []
        self._size, self._seed = size, np.array([seed], np.uint64)

    def add(self, policy: Policy) -> None:
        """Freeze a policy; the oldest goes if there are too many."""
        copied = {name: array.copy() for name, array in policy.arrays.items()}
        self.snapshots.append(policy._replace(arrays=copied))
        del self.snapshots[: max(0, len(self.snapshots) - self._size)]

    def pick(self, update: int) -> None:
        """Draw the members for an update: half of them scripted agents, half snapshots."""
        for number, member in enumerate(self.members):
            drawn = int(chance.derive(self._seed, _PICK, update, number)[0] >> np.uint64(33))
            index, scripted = drawn // 2, drawn % 2 == 0 or not self.snapshots
            if scripted:
                member.player = agents.make(SCRIPTED[index % len(SCRIPTED)])
            else:
                snapshot = self.snapshots[index % len(self.snapshots)]
                member.player = PPOAgent.of(snapshot, temperature=1.0)
