"""Chicken Foot for RLlib: a `MultiAgentEnv` in which the seats act in turn, with action masks.

    from ray.rllib.algorithms.ppo import PPOConfig
    from chickenfoot_env.doors.rllib import ChickenFootMultiAgentEnv

    config = PPOConfig().environment(
        ChickenFootMultiAgentEnv, env_config={"players": 4, "episode": "round"}
    )

`docs/doors.md` has a whole configuration that trains. Games, action ids and features are those of
the page of `chickenfoot_env.env`.

**Observations** are {"observations": (F,) float32, "action_mask": (A,) int8}, the names that
RLlib's `ActionMaskingTorchRLModule` wants. Only the seat to act gets one, and when the episode is
over every seat a last one, in whose mask is PASS alone.

**Rewards** come with observations: what a seat has earned since its last decision, whoever acted in
between, and at the end what is left. What it had earned before its first decision is paid with its
next observation, as in `chickenfoot_env.vector_env`; RLlib would drop it. So for every seat that
had a decision the rewards of its RLlib episode add up to its result. Of a seat that had none RLlib
keeps no episode.

**Ends** are the same for all seats, terminated or truncated by max_cycles, so the flags are under
"__all__" alone. RLlib takes an episode for terminated in which every seat is flagged as truncated,
and would not bootstrap.

**Configuration.** `env_config` takes the keywords of `chickenfoot_env.env`, and

    play_forced   True: a decision with one legal action is taken for the seat, and counts for
                  max_cycles; an episode without any other is skipped. False: it is a step
    on_illegal    as there, but "forfeit" unless given: RLlib tries an environment out with actions
                  that no mask has seen. "raise" needs environment(disable_env_checking=True)

**Infos** hold "outcome" when the episode is over and, unless on_illegal="raise", "illegal_actions".

**Seeds.** RLlib gives game i of env runner k the seed s + k + i, so that games of several runners
would have the same deals. A game that knows its runner is dealt from a seed mixed with k. Made by
hand, reset(seed=s) deals the same game as `chickenfoot_env.env`. Later episodes follow from the
seed, each with a new deal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import numpy as np
from gymnasium import spaces

try:
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
except ImportError as error:
    raise ImportError(
        "chickenfoot_env.doors.rllib needs RLlib: pip install 'chickenfoot[ray]'"
    ) from error

from chickenfoot_env import chance
from chickenfoot_env.decisions import Decisions
from chickenfoot_env.env import ChickenFootEnv
from chickenfoot_env.episode_seeds import checked_seed

ByAgent: TypeAlias = dict[str, Any]

ALL: Final = "__all__"
_IN_INFOS: Final = ("outcome", "illegal_actions")


class ChickenFootMultiAgentEnv(MultiAgentEnv):  # type: ignore[misc]  # Any where RLlib is missing
    """One table for RLlib; the page above describes it.

    Attributes:
        env: the PettingZoo environment behind it.
        rules: the rules of the game, with all its rounds even if episode="round".
        agents: all seats; they come and go together.

    Raises:
        ValueError: for a keyword or a value that is not allowed.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        keywords = {"on_illegal": "forfeit", **(config or {})}
        self._play_forced = keywords.pop("play_forced", True)
        self._keywords = keywords
        self._runner: int | None = getattr(config, "worker_index", None)
        self._tried_out = False  # by RLlib, and not reset since
        self.env = self._made()
        table = self.env.unwrapped
        self.rules = table.rules
        self.metadata = dict(table.metadata)  # RLlib writes on it
        self.render_mode = table.render_mode
        self.possible_agents = list(table.possible_agents)
        self.agents = list(self.possible_agents)
        self.observation_spaces = {
            agent: spaces.Dict(observations=space["observation"], action_mask=space["action_mask"])
            for agent, space in table.observation_spaces.items()
        }
        self.action_spaces = dict(table.action_spaces)
        self.observation_space = spaces.Dict({**self.observation_spaces})
        self.action_space = spaces.Dict({**self.action_spaces})
        self._due = dict.fromkeys(self.possible_agents, 0.0)  # earned and not yet paid
        self._acted: set[str] = set()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[ByAgent, ByAgent]:
        """Deal a new episode.

        Args:
            seed: 0 to 2**64 - 1, or None to go on from the last one with a new deal.
            options: none is known.

        Returns:
            The observation of the seat to act, and infos.

        Raises:
            ValueError: for a seed out of range.
            RuntimeError: if there is no decision in many episodes in a row.
        """
        if self._tried_out and seed is None:
            self.env = self._made()
        # RLlib tries every environment out with seed 42 and these options. Were the episodes after
        # it to follow from that, all env runners of a training without a seed would play the same.
        self._tried_out = seed is not None and options == {}
        self.env.reset(seed=self._mixed(seed), options=options)
        self._due = dict(self.env.rewards)
        self._acted.clear()
        return self._observations()

    def step(self, action_dict: ByAgent) -> tuple[ByAgent, ByAgent, ByAgent, ByAgent, ByAgent]:
        """Take the action of the seat to act, and play on to the next decision or the end.

        Args:
            action_dict: the action of the one agent that the last observations were for.

        Returns:
            Observations, rewards (float), terminateds and truncateds ("__all__" alone), infos.

        Raises:
            ValueError: for actions of other agents, and for an illegal one with on_illegal="raise".
            gymnasium.error.ResetNeeded: before reset().
        """
        env = self.env
        agent = None if env.is_over else env.agent_selection
        if agent is None or action_dict.keys() != {agent}:
            wanted = "none, the episode is over: call reset()" if agent is None else f"{agent}'s"
            raise ValueError(f"actions of {sorted(action_dict)}: wanted is {wanted}")
        env.step(action_dict[agent])
        self._acted.add(agent)
        for one, earned in env.rewards.items():
            self._due[one] += earned
        observations, infos = self._observations()
        over, truncated = env.is_over, env.outcome == "truncated"
        terminateds, truncateds = {ALL: over and not truncated}, {ALL: truncated}
        return observations, self._pay(observations), terminateds, truncateds, infos

    def render(self) -> Any:
        """As `chickenfoot_env.env`: what render_mode names."""
        return self.env.render()

    def close(self) -> None:
        """Close the window of render_mode="human", if there is one."""
        self.env.close()

    def _made(self) -> Any:
        return Decisions(ChickenFootEnv(**self._keywords), self._play_forced)

    def _mixed(self, seed: int | None) -> int | None:
        if seed is None or self._runner is None:
            return seed
        seeds = np.array([checked_seed(seed)], np.uint64)
        return int(chance.derive(seeds, self._runner)[0])

    def _pay(self, shown: ByAgent) -> ByAgent:
        """The rewards of the agents shown; before its first decision an agent is paid nothing."""
        paid: ByAgent = dict.fromkeys(shown, 0.0)
        for agent in shown:
            if agent in self._acted or self.env.is_over:
                paid[agent], self._due[agent] = self._due[agent], 0.0
        return paid

    def _observations(self) -> tuple[ByAgent, ByAgent]:
        """What is shown now, and infos."""
        env = self.env
        shown = self.possible_agents if env.is_over else [env.agent_selection]
        observations, infos = {}, {}
        for agent in shown:
            seen = env.observe(agent)
            observations[agent] = {
                "observations": seen["observation"],
                "action_mask": seen["action_mask"],
            }
            told = env.infos[agent]
            infos[agent] = {name: told[name] for name in _IN_INFOS if name in told}
        return observations, infos
