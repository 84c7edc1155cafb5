"""A PettingZoo wrapper that asks for decisions alone: what is forced is played within a step.

    >>> from chickenfoot_env import chickenfoot_v0
    >>> from chickenfoot_env.decisions import Decisions
    >>> env = Decisions(chickenfoot_v0.raw_env(players=4, rounds=(9,)))
    >>> env.reset(seed=1)
    >>> fewest = 102
    >>> while not env.is_over:
    ...     mask = env.observe(env.agent_selection)["action_mask"]
    ...     fewest = min(fewest, int(mask.sum()))
    ...     env.step(env.action_space(env.agent_selection).sample(mask))
    >>> fewest
    2

With four seats and random play two steps in five are decisions. The books are PettingZoo's:
`rewards` is what a step has brought, forced actions within it included, and `last()` what an agent
was brought since its last decision. Infos are those of the last action taken, forced or not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pettingzoo.utils.wrappers import BaseWrapper

from chickenfoot_env.env import ChickenFootEnv
from chickenfoot_env.episodes import MOST_SKIPPED


class Decisions(BaseWrapper[str, Any, Any]):
    """The environment without steps that have one legal action; the page above describes it.

    Episodes in which nobody is asked for anything are skipped.

    Attributes:
        env: the environment.
        play_forced: False shows the forced actions too, so that only those episodes are skipped.

    Raises:
        ValueError: for another value of `play_forced`.
    """

    env: ChickenFootEnv

    def __init__(self, env: ChickenFootEnv, play_forced: bool = True) -> None:
        super().__init__(env)
        if not isinstance(play_forced, bool):
            raise ValueError(f"play_forced={play_forced!r}: allowed are True and False")
        self.play_forced = play_forced

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new episode and play up to its first decision.

        Raises:
            ValueError: for a seed out of range.
            RuntimeError: if there is no decision in many episodes in a row.
        """
        self.env.reset(seed=seed, options=options)
        for _ in range(MOST_SKIPPED):
            self._play_on()
            if not self.env.is_over:
                self._cumulative_rewards = dict(self.rewards)
                return
            self.env.reset()
        raise RuntimeError(
            f"no decision in {MOST_SKIPPED} episodes in a row; with these rules there may be none"
            + (", and play_forced=False shows the forced ones" if self.play_forced else "")
        )

    def step(self, action: int | None) -> None:
        """Take a decision and play on to the next one, or let an agent leave with None.

        Raises:
            ValueError: as the environment does; nothing has changed then.
            gymnasium.error.ResetNeeded: before reset(), and when every seat has left.
        """
        was_over, agent = self.env.is_over, self.env.agent_selection
        self.env.step(action)
        if was_over:
            self.rewards = self.env.rewards
            del self._cumulative_rewards[agent]
            return
        self._cumulative_rewards[agent] = 0.0
        self._play_on()
        for one, earned in self.rewards.items():
            self._cumulative_rewards[one] += earned

    def _play_on(self) -> None:
        """Play up to a decision or the end; the rewards then are those of all steps since."""
        total = dict(self.env.rewards)
        while self.play_forced and not self.env.is_over:
            legal = np.flatnonzero(self.env.action_masks())
            if len(legal) > 1:
                break
            self.env.step(int(legal[0]))
            for agent, earned in self.env.rewards.items():
                total[agent] += earned
        self.rewards = total
