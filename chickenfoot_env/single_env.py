"""Chicken Foot as a Gymnasium environment: one game, in which one seat learns.

    >>> import gymnasium
    >>> import chickenfoot_env
    >>> env = gymnasium.make("ChickenFoot-v0", players=4, learner="rotating")
    >>> observation, info = env.reset(seed=1)
    >>> over, total = False, 0.0
    >>> while not over:
    ...     action = env.action_space.sample(observation["action_mask"])
    ...     observation, reward, terminated, truncated, info = env.step(action)
    ...     over = terminated or truncated
    ...     total += reward
    >>> abs(total - info["episode"]["r"]) < 1e-9
    True

Keywords, observations, rewards and infos are those of `chickenfoot_env.vector_env`, whose page
tells them; this is that environment with one game, plain numbers for arrays, and no autoreset.
reset(seed=s) deals the same game as `chickenfoot_env.env` does.

Libraries that try actions without a mask, as the checkers of Gymnasium and Stable-Baselines3 do,
need on_illegal="forfeit" or "random_legal". `action_masks()` is where sb3-contrib looks for the
mask; through Gymnasium's wrappers it is `env.get_wrapper_attr("action_masks")()`.

Versions. v0: first version, as for the vector environment.
"""

from __future__ import annotations

import operator
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.rules import Rules
from chickenfoot_env.settings import Settings
from chickenfoot_env.vector_env import ChickenFootVectorEnv, infos_of_games
from chickenfoot_env.vector_settings import AutoresetMode

_NO_KEYWORDS = ("num_envs", "autoreset_mode", "copy")
_ONLY = np.zeros(1, np.int64)  # the one game's row


class ChickenFootSingleEnv(gymnasium.Env[Any, np.int64]):
    """One game with one learning seat; the page above describes it.

    Attributes:
        rules: the rules of the game, with all its rounds even if episode="round".
        settings: reward, episode, on_illegal, max_cycles and render_mode.

    Raises:
        ValueError: for a keyword or a value that is not allowed.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - Gymnasium declares it as an instance's
        "render_modes": ["ansi", "svg", "rgb_array", "human"],
        "render_fps": 2,
    }

    def __init__(self, *, render_mode: str | None = None, **keywords: Any) -> None:
        for name in _NO_KEYWORDS:
            if name in keywords:
                raise ValueError(f"no keyword {name!r} for one game: see gymnasium.make_vec")
        self._envs = ChickenFootVectorEnv(
            1, autoreset_mode=AutoresetMode.DISABLED, render_mode=render_mode, **keywords
        )
        self.render_mode = render_mode
        self.metadata = {**self.metadata, "render_modes": self._envs.metadata["render_modes"]}
        self.observation_space = self._envs.single_observation_space
        self.action_space = self._envs.single_action_space

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self._envs.rules[0]

    @property
    def settings(self) -> Settings:
        """The other keywords."""
        return self._envs.settings

    @property
    def seat(self) -> int:
        """The learner's seat in this episode."""
        return int(self._envs.seats[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Deal a new episode.

        Args:
            seed: 0 to 2**64 - 1; everything random follows from it. None goes on from the last
                one with a new deal, and at the very first reset begins at a seed of the system's.
            options: none is known; those given are named in a warning in the log.

        Returns:
            The observation and the info.

        Raises:
            ValueError: for a seed out of range.
        """
        observations, infos = self._envs.reset(seed=seed, options=options)
        super().reset(seed=seed)
        return _first(observations), infos_of_games(infos, _ONLY)[0]

    def step(self, action: np.int64 | int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one decision of the learner.

        Returns:
            The observation, the reward, whether the episode has terminated, whether it was
            truncated, and the info.

        Raises:
            ValueError: for what is no whole number and, with on_illegal="raise", for an action
                that is not legal. Nothing has changed then.
            gymnasium.error.ResetNeeded: before reset(), and once the episode is over.
        """
        try:
            actions = np.array([operator.index(action)])
        except TypeError:
            most = self.rules.actions - 1
            raise ValueError(
                f"action {action!r}: allowed are whole numbers from 0 to {most}"
            ) from None
        observations, earned, terminated, truncated, infos = self._envs.step(actions)
        ends = bool(terminated[0]), bool(truncated[0])
        return _first(observations), float(earned[0]), *ends, infos_of_games(infos, _ONLY)[0]

    def render(self) -> Any:
        """The table with every hand open, in the form that `render_mode` names.

        Returns:
            Text in the modes "ansi" and "svg"; (960, 1280, 3) uint8 in "rgb_array"; None in
            "human", where a window shows the picture, and without a mode.

        Raises:
            NoWindowError: in "human" where no window can be opened, as do reset() and step().
        """
        frames = self._envs.render()
        return None if frames is None else frames[0]

    def close(self) -> None:
        """Close the window of "human", if there is one."""
        self._envs.close()

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions of the learner: (A,) bool, a fresh array."""
        mask: NDArray[np.bool_] = self._envs.action_masks()[0]
        return mask

    def view(self) -> NDArray[np.void]:
        """All that the learner may know, for agents: (1,) VIEW."""
        return self._envs.views()


def _first(observations: Any) -> Any:
    """The observation of the first game."""
    if isinstance(observations, dict):
        return {name: part[0] for name, part in observations.items()}
    return observations[0]
