"""Chicken Foot for Stable-Baselines3 and sb3-contrib: a VecEnv of many games, one learner in each.

    from sb3_contrib import MaskablePPO
    from chickenfoot_env.doors.stable_baselines import ChickenFootVecEnv

    env = ChickenFootVecEnv(64, players=4, episode="round", learner="rotating")
    MaskablePPO("MultiInputPolicy", env, gamma=1.0, ent_coef=0.02).learn(200_000)

With observation="flat" it is "MlpPolicy". Needs `pip install "chickenfoot[train]"`. The games are
those of `chickenfoot_env.vector_env`, whose page tells keywords, observations and rewards; there
are no keywords `copy` and `autoreset_mode`. All games are one batch in one process, which is faster
than one process for each; where that is wanted nonetheless,
`stable_baselines3.common.env_util.make_vec_env` takes the class
`chickenfoot_env.single_env.ChickenFootSingleEnv`.

Masks. `env_method("action_masks")`, where sb3-contrib looks for them, is answered from the arrays
that the last observations came from. MaskablePPO asks by itself in learn(). predict() does not, and
without `action_masks=` it chooses illegal actions; the same is true of Stable-Baselines3's
EvalCallback and evaluate_policy. They end in a ValueError that names what to use instead:
`sb3_contrib.common.maskable.callbacks.MaskableEvalCallback` and
`sb3_contrib.common.maskable.evaluation.evaluate_policy`. With on_illegal="forfeit" or
"random_legal" algorithms without masks run, too.

Rewards are float32, those of algorithms; the sums below are not rounded to it. A new episode is
dealt in the step that ends the old one. Infos, one for each game:

    TimeLimit.truncated    whether max_cycles has ended the episode
    terminal_observation   at the end: the last observation of the episode
    episode                at the end: r, l and t, seconds since the environment was made, as of
                           Monitor, for ep_rew_mean and ep_len_mean in the log; then points, rank,
                           seat and players. Neither Monitor nor VecMonitor is needed
    illegal_actions        unless on_illegal="raise": the learner's in this episode

`reset_infos` holds what the vector environment tells of a deal: skipped_episodes, illegal_actions.

Attributes of a game for get_attr: action_space, metadata, observation_space, render_mode, rules,
seat (the learner's), settings. Methods for env_method: action_masks, render, view. Nothing of a
game can be set. seed(s) and a model's seed count from the next reset() on; game i follows from
s + i.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from chickenfoot_env.vector_env import ChickenFootVectorEnv, infos_of_games
from chickenfoot_env.vector_settings import AutoresetMode, IllegalActionError

_NO_KEYWORDS: Final = ("autoreset_mode", "copy")
_ATTRIBUTES: Final = (
    *("action_space", "metadata", "observation_space", "render_mode"),
    *("rules", "seat", "settings"),
)
_METHODS: Final = ("action_masks", "render", "view")
_OF_A_DEAL: Final = ("illegal_actions", "skipped_episodes")  # what is told of one
_HINT: Final = (
    "no action masks were asked for before this step: evaluate with MaskableEvalCallback or "
    "sb3_contrib.common.maskable.evaluation.evaluate_policy in place of EvalCallback and "
    "evaluate_policy, and give predict() action_masks=get_action_masks(env)"
)


class ChickenFootVecEnv(VecEnv):
    """B games with one learning seat each; the page above describes it.

    Args:
        num_envs: B.
        keywords: those of `chickenfoot_env.vector_env`.

    Raises:
        ValueError: for a keyword or a value that is not allowed.
    """

    def __init__(self, num_envs: int = 1, **keywords: Any) -> None:
        for name in _NO_KEYWORDS:
            if name in keywords:
                raise ValueError(f"no keyword {name!r} for Stable-Baselines3, which has one way")
        self._envs = ChickenFootVectorEnv(
            num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **keywords
        )
        self._actions: NDArray[np.int64] | None = None  # given to step_async
        self._asked = False  # whether the masks of the last observations have been asked for
        self._started = time.monotonic()
        super().__init__(
            num_envs, self._envs.single_observation_space, self._envs.single_action_space
        )

    # What an algorithm calls

    def reset(self) -> Any:
        """Deal new episodes, after seed() or set_options() with what was given there.

        Returns:
            (B, F) float32, or {"observation": that, "action_mask": (B, A) int8}; fresh arrays.

        Raises:
            ValueError: for a seed out of range.
        """
        options = {name: value for each in self._options for name, value in each.items()}
        seeds = list(self._seeds)
        self._reset_seeds()
        self._reset_options()
        observations, infos = self._envs.reset(seed=seeds, options=options)
        self._actions, self._asked = None, False
        self.reset_infos = infos_of_games(infos, np.arange(self.num_envs))
        return observations

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take note of (B,) integers, the actions that step_wait() takes."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Take one decision of the learner in each game.

        Returns:
            Observations as of reset(), (B,) float32 rewards, (B,) bool whether an episode has
            ended, B infos; all of them the caller's.

        Raises:
            ValueError: for an illegal action with on_illegal="raise", or an array of another kind;
                no game has changed then.
            RuntimeError: without step_async().
            gymnasium.error.ResetNeeded: before reset().
        """
        actions, self._actions = self._actions, None
        if actions is None:
            raise RuntimeError("step_wait() without actions: call step_async(actions) first")
        try:
            observations, earned, terminated, truncated, infos = self._envs.step(actions)
        except IllegalActionError as error:
            if self._asked:
                raise
            raise IllegalActionError(f"{error}; {_HINT}") from None
        self._asked = False
        done = terminated | truncated
        return observations, earned.astype(np.float32), done, self._told(done, truncated, infos)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """One answer a game: action_masks (A,) bool, render text, view (1,) VIEW.

        Raises:
            AttributeError: for any other method.
            TypeError: for arguments; none of these takes any.
        """
        if method_name not in _METHODS:
            raise AttributeError(f"no method {method_name!r} of a game: {', '.join(_METHODS)}")
        if method_args or method_kwargs:
            raise TypeError(f"{method_name} takes no arguments")
        answers: Sequence[Any]
        if method_name == "action_masks":
            self._asked = True
            answers = list(self._envs.action_masks())
        elif method_name == "view":
            answers = np.split(self._envs.views(), self.num_envs)
        else:
            answers = self._envs.render() or [None] * self.num_envs
        return list(answers) if indices is None else [answers[row] for row in self._rows(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Whether a game has this attribute or method."""
        return attr_name in _ATTRIBUTES or attr_name in _METHODS

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute, or the method, of each game.

        Raises:
            AttributeError: if games have none of this name.
        """
        rows = self._rows(indices)
        if attr_name in _METHODS:
            return [functools.partial(self._call, attr_name, row) for row in rows]
        if attr_name not in _ATTRIBUTES:
            known = ", ".join((*_ATTRIBUTES, *_METHODS))
            raise AttributeError(f"no attribute {attr_name!r} of a game: {known}")
        if attr_name == "rules":
            return [self._envs.rules[row] for row in rows]
        if attr_name == "seat":
            return [int(seat) for seat in self._envs.seats[rows]]
        source = f"single_{attr_name}" if attr_name.endswith("_space") else attr_name
        return [getattr(self._envs, source)] * len(rows)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(
            f"{attr_name!r} cannot be set: games have the keywords they were made with"
        )

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """True for Monitor alone: its statistics are in the infos."""
        return [wrapper_class is Monitor] * len(self._rows(indices))

    def render(self, mode: str | None = None) -> Any:
        """The tables with every hand open, in the form that `render_mode` names.

        Returns:
            B texts in the modes "ansi" and "svg"; all pictures beside one another in "rgb_array",
            (H, W, 3) uint8, as VecVideoRecorder wants them; None in "human", where a window shows
            the first game. With no mode a warning and None.
        """
        if self.render_mode in ("ansi", "svg", "human") and mode in (None, self.render_mode):
            return self._envs.render()
        return super().render(mode)

    def get_images(self) -> list[NDArray[np.uint8] | None]:
        """The pictures of the games in mode "rgb_array", B of them: (960, 1280, 3) uint8."""
        if self.render_mode != "rgb_array":
            return [None] * self.num_envs
        frames: Any = self._envs.render()
        return list(frames)

    def close(self) -> None:
        """Close the games."""
        self._envs.close()

    # Parts

    def _rows(self, indices: Any) -> list[int]:
        """The games meant: all, one, or several."""
        if indices is None:
            return list(range(self.num_envs))
        return [range(self.num_envs)[row] for row in np.atleast_1d(np.asarray(indices)).tolist()]

    def _call(self, method: str, row: int) -> Any:
        return self.env_method(method, indices=row)[0]

    def _told(
        self, done: NDArray[np.bool_], truncated: NDArray[np.bool_], infos: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        """The infos of a step, one for each game; `reset_infos` where a new episode was dealt."""
        told: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in range(len(done))]
        if "illegal_actions" in infos:
            for info, count in zip(told, infos["illegal_actions"].tolist(), strict=True):
                info["illegal_actions"] = count
        ended = np.flatnonzero(done)
        finals = infos_of_games(infos["final_info"], ended) if len(ended) else []
        dealt = {name: value for name, value in infos.items() if name.endswith(_OF_A_DEAL)}
        seconds = round(time.monotonic() - self._started, 6)
        for row, final, fresh in zip(
            ended.tolist(), finals, infos_of_games(dealt, ended), strict=True
        ):
            told[row] |= final
            told[row]["TimeLimit.truncated"] = bool(truncated[row])
            told[row]["terminal_observation"] = infos["final_obs"][row]
            told[row]["episode"]["t"] = seconds
            self.reset_infos[row] = fresh
        return told
