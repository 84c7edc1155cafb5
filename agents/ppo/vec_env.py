"""Self-play games in the form that Stable-Baselines3 wants to hold environments.

B games, F features of a seat, C of the critic.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from agents.ppo import critic
from agents.ppo.standings import Standings
from chickenfoot_env.rules import MAX_PLAYERS
from chickenfoot_env.self_play import SelfPlayVectorEnv, Tick

SCALE: Final = 25.0  # pips that count as a reward of 1; about the spread of a round's margin
WIN_SCALE: Final = 0.1  # the same for changes of the chance to win


class SelfPlayVecEnv(VecEnv):
    """B games in which all seats learn, as Stable-Baselines3 wants to hold them.

    It cannot be stepped as other environments can, for from step to step another seat acts;
    `SelfPlayPPO` ticks the games instead.

    Args:
        games: made with copy=True.
        sees_all: whether observations go on with what only a critic may see.
        standings: by the number of seats, what standings are worth. With it, `games` are of
            episode="game" and reward="win", and each seat is told at its next decision by how much
            its chance to win has changed: whole games are learned from their rounds. Without it,
            rewards are those of `games`.

    Attributes:
        games: as given.
        tick: the last one.
        scale: rewards are divided by it.
    """

    def __init__(
        self,
        games: SelfPlayVectorEnv,
        sees_all: bool = True,
        standings: Mapping[int, Standings] | None = None,
    ) -> None:
        self.games, self.sees_all = games, sees_all
        self.tick: Tick | None = None
        self.scale = SCALE if standings is None else WIN_SCALE
        self._standings = standings
        self._worth = np.zeros((games.num_envs, MAX_PLAYERS))  # of each seat, when it last decided
        features = games.observation_space.shape[0]
        size = features + (critic.size(games.rules[0].max_pip) if sees_all else 0)
        low = np.zeros(size, np.float32)
        low[features:] = -np.inf  # margins
        high = np.where(low == 0.0, 1.0, np.inf).astype(np.float32)
        super().__init__(games.num_envs, spaces.Box(low, high), games.action_space)

    def observation(self) -> NDArray[np.float32]:
        """Of the decisions that the games wait for: (B, F + C) float32, or (B, F)."""
        assert self.tick is not None
        if not self.sees_all:
            return self.tick.observation
        hidden = critic.critic_features(self.games.games())
        return np.concatenate([self.tick.observation, hidden], 1)

    def reset(self) -> NDArray[np.float32]:
        """Deal new games, unless there are some that can be gone on with."""
        if self.tick is None:
            self.tick = self._valued(self.games.reset(self._seeds[0]))
        return self.observation()

    def play(self, actions: NDArray[np.int64]) -> Tick:
        """Take the decision of every game."""
        self.tick = self._valued(self.games.step(actions))
        return self.tick

    def state(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs to go on from here."""
        return {**self.games.state(), "worth": self._worth.copy()}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from a state of games that were made alike.

        Raises:
            ValueError: for anything else than such a state.
        """
        if state["worth"].shape != self._worth.shape:
            raise ValueError(f"a state of {len(state['worth'])} games, not {len(self._worth)}")
        self.tick = self.games.restore(state)
        self._worth = state["worth"].astype(np.float64)

    def _valued(self, tick: Tick) -> Tick:
        """The tick with rewards by what the standings are worth."""
        if self._standings is None:
            return tick
        games, rows, seats = (
            self.games.games(),
            np.arange(len(tick.seat)),
            tick.final_reward.shape[1],
        )
        now = np.zeros((len(rows), MAX_PLAYERS))
        for players in np.unique(tick.players).tolist():
            some = np.flatnonzero(tick.players == players)
            now[some, :players] = self._standings[players](games[some])
        final = np.where(tick.acted, tick.final_reward - self._worth[:, :seats], 0.0)
        reward = np.where(tick.first, 0.0, now[rows, tick.seat] - self._worth[rows, tick.seat])
        self._worth[rows, tick.seat] = now[rows, tick.seat]
        return tick._replace(reward=reward, final_reward=final)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Refused; see above."""
        raise NotImplementedError("all seats learn here: SelfPlayPPO ticks the games by itself")

    def step_wait(self) -> Any:
        """Refused; see above."""
        raise NotImplementedError("all seats learn here: SelfPlayPPO ticks the games by itself")

    def close(self) -> None:
        """Nothing is open."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """None for `render_mode`; there is nothing else."""
        if attr_name != "render_mode":
            raise AttributeError(attr_name)
        return [None] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refused: nothing can be set."""
        raise AttributeError(attr_name)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """Refused: games have no methods."""
        raise AttributeError(method_name)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """They are not."""
        return [False] * self.num_envs
