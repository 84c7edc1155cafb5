"""Chicken Foot as a Gymnasium vector environment: many games at once, one learning seat in each.

=================  ==============================================================================
Import             ``import chickenfoot_env``, then ``gymnasium.make_vec("ChickenFoot-v0",
                   num_envs=8)``, or ``chickenfoot_env.vector_env.ChickenFootVectorEnv(8)``
Actions            ``Discrete(A)`` for one game, 102 with a double-nine set
Observations       ``Dict(observation=Box(0, 1, (F,), float32), action_mask=Box(0, 1, (A,), int8))``
                   for one game, or the first alone
=================  ==============================================================================

The learner is asked for its own decisions alone. What the other seats do until its next one, or the
end of the episode, is played inside `step`, and the reward is what the learner has earned over that
whole stretch, whoever acted last in it. Games, action ids and features are those of the page of
`chickenfoot_env.env`. For self-play, where all seats learn, there is `chickenfoot_env.self_play`;
for one game `chickenfoot_env.single_env`.

    >>> import gymnasium, numpy as np
    >>> import chickenfoot_env
    >>> from chickenfoot_env import chance, sampling
    >>> envs = gymnasium.make_vec("ChickenFoot-v0", num_envs=8, players=4, episode="round")
    >>> observations, infos = envs.reset(seed=1)
    >>> seeds, returns = np.arange(8, dtype=np.uint64), []
    >>> for number in range(50):
    ...     masks = observations["action_mask"]
    ...     actions = sampling.sample(masks, chance.derive(seeds, number))
    ...     observations, rewards, terminations, truncations, infos = envs.step(actions)
    ...     if "episode" in infos:
    ...         returns.extend(infos["episode"]["r"][infos["_episode"]])
    >>> len(returns) > 8, envs.metadata["autoreset_mode"].value
    (True, 'NextStep')

Arguments:
    num_envs      B, the number of games
    rules         Rules for all games, or a sequence of them for a mixed batch: game i is played by
                  rules[i % len(rules)]; all have the same max_pip. Or any field of Rules by its
                  name, as in `chickenfoot_env.env`
    reward        "points" or "win", as in `chickenfoot_env.env`
    episode       "game" or "round", as there
    on_illegal    "raise": ValueError, and no game has changed. "forfeit": that game ends alone;
                  under "points" it costs 250 pips, under "win" it is lost. "random_legal": a
                  uniformly random legal action is taken instead. The last two count in the infos
    max_cycles    the number of the learner's decisions after which an episode is truncated; None:
                  no limit
    learner       the learner's seat: a number from 0; "rotating": (game + episode) modulo players,
                  both numbered from 0; "random": drawn anew for each episode
    opponents     who plays the other seats. None: uniformly random legal play. An agent, with
                  act(views, seeds) as in `agents.base`, or a sequence of agents for the seats after
                  the learner, clockwise, over and over. One agent is asked for all games at once
    play_forced   True: a decision with one legal action is taken for the learner. False: it is a
                  step
    observation   "dict": {"observation", "action_mask"}. "flat": the features alone; the masks are
                  in action_masks()
    autoreset_mode  "next_step", "same_step", "disabled" or a gymnasium.vector.AutoresetMode
    copy          True: every array returned is the caller's. False: observations and masks are
                  written into the same arrays by every call, which is faster
    render_mode   what render() returns, all hands open: a tuple of B, each as in
                  `chickenfoot_env.env`. "ansi", "svg", "rgb_array". "human": None; the first game
                  is shown in a window after reset() and every step. None

Rewards are float64: pips under "points", shares of a win under "win". Their sum over an episode is
the learner's margin at its end (`batch.margins`) or its share of the win. What it has earned before
its first decision is paid with the first step. An episode that ends without any decision of the
learner is skipped: the next one is dealt at once, and "skipped_episodes" in the infos counts.

The end of an episode:

    "next_step"   the last observation is returned with the end; the next step deals a new episode,
                  ignores the action of that game, and pays 0
    "same_step"   the observation is the first of the next episode; the last one is in
                  infos["final_obs"], the infos of the ended episode in infos["final_info"]
    "disabled"    the game stays as it is until reset(options={"reset_mask": mask}), and step raises
                  ResetNeeded before

The action mask of a game that is over has PASS alone.

Infos hold arrays over the games and, as usual in Gymnasium, with a `_` before the name where they
apply.

    episode             of episodes that this step has ended: r, the sum of the rewards; l, the
                        learner's decisions; points, the learner's; rank, 1 for the best as
                        in `batch.standings`, last after a forfeit; seat, the learner's; players
    illegal_actions     unless on_illegal="raise": those of the learner in this episode
    skipped_episodes    where an episode was dealt: those skipped before it

Gymnasium's own RecordEpisodeStatistics is not needed and, unless given another `stats_key`, refuses
to add its numbers to these.

Seeds. reset(seed=s) gives game i the seed s + i, from which `chickenfoot_env.env` deals the same,
so that a game does not depend on num_envs. Runs that are to be independent need seeds at least
num_envs apart, or a sequence of one seed for each game. Later episodes follow from it, each with a
new deal; reset() goes on. The opponents' choices follow from the episode's seed, too.

`views()` are what the learners may know, as records for the agents of this project. An opponent
that raises, or answers with an illegal action, breaks off the step: reset() then.

Versions. v0: first version. The number rises with every change of rules, observations, masks,
rewards or dtypes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from chickenfoot_env import ansi, batch, chance, encode, notation, rewards, view
from chickenfoot_env.books import NOBODY
from chickenfoot_env.episode import REPLACEMENT
from chickenfoot_env.episode_infos import of_episodes, tell
from chickenfoot_env.episode_seeds import GivenSeed
from chickenfoot_env.episodes import Episodes
from chickenfoot_env.opponents import Line, Opponents
from chickenfoot_env.render.modes import PICTURES, drawn
from chickenfoot_env.render.picture import Picture, finished, picture_of_game
from chickenfoot_env.render.window import Window, usable
from chickenfoot_env.rules import Rules
from chickenfoot_env.sampling import sample
from chickenfoot_env.settings import Settings, choose_tables
from chickenfoot_env.vector_settings import (
    AutoresetMode,
    IllegalActionError,
    checked_actions,
    choose_autoreset,
    choose_learner,
    one_of,
    reset_rows,
)

_KEYWORDS: Final = (
    *("reward", "episode", "on_illegal", "max_cycles", "learner", "opponents"),
    *("play_forced", "observation", "autoreset_mode", "copy", "render_mode"),
)


class ChickenFootVectorEnv(VectorEnv[Any, NDArray[np.int64], NDArray[Any]]):
    """B games with one learning seat each; the page above describes it.

    Attributes:
        rules: those of each game, B of them.
        settings: reward, episode, on_illegal, max_cycles and render_mode.

    Raises:
        ValueError: for a keyword or a value that is not allowed.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - Gymnasium declares it as an instance's
        "render_modes": ["ansi", "svg", "rgb_array", "human"],
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        *,
        rules: Rules | Sequence[Rules] | None = None,
        reward: str = "points",
        episode: str = "game",
        on_illegal: str = "raise",
        max_cycles: int | None = None,
        learner: int | str = 0,
        opponents: Line = None,
        play_forced: bool = True,
        observation: str = "dict",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        **fields: Any,
    ) -> None:
        self._window = Window("Chicken Foot", self.metadata["render_fps"])
        self.rules = choose_tables(rules, fields, num_envs, _KEYWORDS)
        one_of("observation", observation, ("dict", "flat"))
        for name, value in (("play_forced", play_forced), ("copy", copy)):
            one_of(name, value, (True, False))
        self.settings = Settings(reward, episode, on_illegal, max_cycles, render_mode=render_mode)
        self.num_envs, self.render_mode = num_envs, render_mode
        self._mode = choose_autoreset(autoreset_mode)
        self.metadata = {
            **self.metadata,
            "render_modes": usable(self.metadata["render_modes"]),
            "autoreset_mode": self._mode,
        }
        self._episodes = Episodes(
            self.rules,
            Opponents(opponents),
            np.full(num_envs, choose_learner(learner, self.rules), np.int64),
            episode=episode,
            reward=reward,
            play_forced=play_forced,
            hold_first=True,
            note_plays=render_mode in PICTURES,
        )
        self._flat, self._copy = observation == "flat", copy
        size, actions = encode.size(self.rules[0].max_pip), self.rules[0].actions
        features = spaces.Box(0.0, 1.0, (size,), np.float32)
        self.single_observation_space = features
        if not self._flat:
            masks = spaces.Box(0, 1, (actions,), np.int8)
            self.single_observation_space = spaces.Dict(observation=features, action_mask=masks)
        self.single_action_space = spaces.Discrete(actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._features = np.zeros((num_envs, size), np.float32)
        self._masks = np.zeros((num_envs, actions), np.bool_)
        self._done = np.zeros(num_envs, np.bool_)  # their episodes are over, none is dealt yet
        self._illegal = np.zeros(num_envs, np.int64)
        self._ready = False  # whether every game has been dealt and none is broken off

    # Gymnasium's interface

    def reset(
        self, *, seed: GivenSeed = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Deal new episodes.

        Args:
            seed: 0 to 2**64 - 1, or a sequence of one for each game, where None goes on. None goes
                on from the last one with a new deal, and at the very first reset begins at seeds
                of the system's.
            options: "reset_mask", (B,) bool, resets these games alone; the others stay as they
                are. Unknown ones are named in a warning in the log.

        Returns:
            Observations and infos.

        Raises:
            ValueError: for seeds or a mask that are not allowed.
        """
        chosen = reset_rows(options, self.num_envs, self._ready)
        self._episodes.seed(seed, chosen)
        if isinstance(seed, int):
            super().reset(seed=seed)
        infos: dict[str, Any] = {}
        self._ready = False
        self._deal(np.flatnonzero(chosen), infos)
        self._ready = True
        self._count_illegal(infos)
        if self.render_mode == "human":
            self.render()
        return self._observation(), infos

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take one decision of the learner in each game.

        Args:
            actions: (B,) integers.

        Returns:
            Observations, (B,) float64 rewards, (B,) bool terminations and truncations, infos.

        Raises:
            ValueError: for an action that is not legal, with on_illegal="raise", naming the game
                and what is allowed, or an array of another kind; no game has changed then.
            gymnasium.error.ResetNeeded: before reset(), and with autoreset_mode="disabled" while
                a game is over.
        """
        self._check_ready("step")
        resting = self._done.copy()  # to be dealt in this step
        actions, forfeits = self._accepted(actions, resting)
        self._ready = False
        moved = np.flatnonzero(~(resting | forfeits))
        self._episodes.advance(moved, actions[moved])
        terminated, truncated = self._ends(resting, forfeits)
        earned, infos = self._close(resting, forfeits, terminated, truncated)
        if self._mode is AutoresetMode.SAME_STEP:
            self._deal(np.flatnonzero(self._done), infos)
        else:
            self._deal(np.flatnonzero(resting), infos)
        self._ready = True
        self._count_illegal(infos)
        if self.render_mode == "human":
            self.render()
        return self._observation(), earned, terminated, truncated, infos

    def render(self) -> tuple[str | NDArray[np.uint8], ...] | None:
        """Each table with every hand open, in the form that `render_mode` names.

        Returns:
            B texts in the modes "ansi" and "svg"; B arrays (960, 1280, 3) uint8 in "rgb_array";
            None in "human", where a window shows the first game, and without a mode.

        Raises:
            NoWindowError: in "human" where no window can be opened, as do reset() and step().
        """
        self._check_reset("render")
        if self.render_mode is None:
            gymnasium.logger.warn("render() shows nothing: give render_mode when making the env")
            return None
        if self.render_mode == "human":
            self._window.show(self._picture(0))
            return None
        return tuple(self._rendered(row, self.render_mode) for row in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Close the window of "human", if there is one; `close` calls this."""
        self._window.close()

    # Beyond Gymnasium's interface

    @property
    def seats(self) -> NDArray[np.int64]:
        """The learner's seat in each game: (B,) int64."""
        self._check_reset("seats")
        seats: NDArray[np.int64] = self._episodes.books["learner"].copy()
        return seats

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions of the learners: (B, A) bool, PASS alone where the episode is over."""
        self._check_reset("action_masks")
        return self._masks.copy() if self._copy else self._masks

    def views(self) -> NDArray[np.void]:
        """All that the learners may know, for agents: (B,) VIEW."""
        return view.observe(self._games, self.seats)

    # Pictures

    def _rendered(self, row: int, mode: str) -> str | NDArray[np.uint8]:
        if mode == "ansi":
            return ansi.board(self._games[row], *self._caption(row))
        return drawn(self._picture(row), mode)

    def _picture(self, row: int) -> Picture:
        picture = picture_of_game(self._games[row], self._episodes.plays(row), *self._caption(row))
        return finished(picture) if self._done[row] else picture

    def _caption(self, row: int) -> tuple[list[str], str]:
        """The names of the seats, and what to say about the turn."""
        game = self._games[row]
        names = [f"seat {seat}" for seat in range(game["players"])]
        names[self.seats[row]] = "learner"
        has_drawn = ", has drawn" * int(game["has_drawn"])
        return names, "over" if self._done[row] else f"learner to act{has_drawn}"

    # Parts of a step

    @property
    def _games(self) -> NDArray[np.void]:
        return self._episodes.games

    def _accepted(
        self, actions: NDArray[np.int64], resting: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The actions to take, and the games that are forfeited instead."""
        asked = checked_actions(actions, self.num_envs)
        illegal = self._episodes.illegal(asked) & ~resting
        nothing = np.zeros(self.num_envs, np.bool_)
        if not illegal.any():
            return asked, nothing
        if self.settings.on_illegal == "raise":
            row = int(np.argmax(illegal))
            reason = notation.explain_illegal(self._games[row], int(asked[row]))
            raise IllegalActionError(f"game {row}: {reason}")
        self._illegal += illegal
        if self.settings.on_illegal == "forfeit":
            return asked, illegal
        rows = np.flatnonzero(illegal)
        cycles = self._episodes.books["cycles"][rows]
        seeds = chance.derive(self._games["seed"][rows], REPLACEMENT, cycles)
        taken = asked.copy()
        taken[rows] = sample(batch.legal_mask(self._games[rows]), seeds)
        return taken, nothing

    def _ends(
        self, resting: NDArray[np.bool_], forfeits: NDArray[np.bool_]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which episodes this step has terminated and truncated; `_done` is set to match."""
        books = self._episodes.books
        terminated = forfeits | (~resting & (books["waits_for"] == NOBODY))
        truncated = np.zeros(self.num_envs, np.bool_)
        if self.settings.max_cycles is not None:
            truncated = ~(terminated | resting) & (books["decisions"] > self.settings.max_cycles)
        self._done = terminated | truncated
        return terminated, truncated

    def _close(
        self,
        resting: NDArray[np.bool_],
        forfeits: NDArray[np.bool_],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> tuple[NDArray[np.float64], dict[str, Any]]:
        """The rewards of a step, and the infos on the episodes that it has ended."""
        games, books = self._games, self._episodes.books
        earned = np.where(resting, 0.0, books["earned"])
        infos: dict[str, Any] = {}
        if not self._done.any():
            return earned, infos
        rows = np.flatnonzero(terminated)
        earned[rows] = self._episodes.due(rows)[np.arange(len(rows)), books["learner"][rows]]
        for row in np.flatnonzero(forfeits):
            seat, players = int(books["learner"][row]), self.rules[row].players
            earned[row] += rewards.for_forfeit(seat, players, self.settings.reward)[seat]
        told = of_episodes(games, books, self._done, earned, forfeits, truncated)
        tell("episode", told, self._done, infos)
        if self._mode is AutoresetMode.SAME_STEP:
            final: dict[str, Any] = {}
            tell("episode", told, self._done, final)
            self._count_illegal(final, self._done)
            tell("final_info", final, self._done, infos)
            tell("final_obs", self._final_observations(), self._done, infos)
        return earned, infos

    def _final_observations(self) -> NDArray[np.object_]:
        """The last observations of episodes: (B,) objects, None for the other games."""
        ended = np.flatnonzero(self._done)
        seats = self._episodes.books["learner"][ended]
        features = np.empty((len(ended), self._features.shape[1]), np.float32)
        masks = np.empty((len(ended), self._masks.shape[1]), np.bool_)
        self._episodes.observe(seats, self._done[ended], features, masks, ended)
        final = np.full(self.num_envs, None, dtype=object)
        for row, mine, mask in zip(ended, features, masks.view(np.int8), strict=True):
            final[row] = mine if self._flat else {"observation": mine, "action_mask": mask}
        return final

    def _deal(self, rows: NDArray[np.int64], infos: dict[str, Any]) -> None:
        """Begin new episodes in these rows."""
        if len(rows) == 0:
            return
        skipped = np.zeros(self.num_envs, np.int64)
        skipped[rows] = self._episodes.deal(rows)
        self._done[rows] = False
        self._illegal[rows] = 0
        if skipped.any():
            tell("skipped_episodes", skipped, skipped > 0, infos)

    def _count_illegal(
        self, infos: dict[str, Any], applies: NDArray[np.bool_] | None = None
    ) -> None:
        if self.settings.on_illegal != "raise":
            where = np.ones(self.num_envs, np.bool_) if applies is None else applies
            tell("illegal_actions", self._illegal.copy(), where, infos)

    def _observation(self) -> Any:
        features = np.empty_like(self._features) if self._copy else self._features
        seats = self._episodes.books["learner"].copy()
        self._episodes.observe(seats, self._done, features, self._masks)
        if self._flat:
            return features
        masks = self._masks.copy() if self._copy else self._masks
        return {"observation": features, "action_mask": masks.view(np.int8)}

    # Checks

    def _check_reset(self, what: str) -> None:
        if not self._ready:
            raise gymnasium.error.ResetNeeded(f"{what} before reset(): call reset() first")

    def _check_ready(self, what: str) -> None:
        self._check_reset(what)
        if self._mode is AutoresetMode.DISABLED and self._done.any():
            over = ", ".join(map(str, np.flatnonzero(self._done)[:10]))
            raise gymnasium.error.ResetNeeded(
                f"{what}: the episodes of games {over} are over; reset them by "
                'reset(options={"reset_mask": terminations | truncations})'
            )


def infos_of_games(infos: Mapping[str, Any], rows: NDArray[np.int64]) -> list[dict[str, Any]]:
    """What infos tell of each of these games, its numbers as Python's."""
    told: list[dict[str, Any]] = [{} for _ in rows]
    for name, value in infos.items():
        if name.startswith("_"):
            continue
        values = infos_of_games(value, rows) if isinstance(value, dict) else value[rows].tolist()
        for info, one, applies in zip(told, values, infos[f"_{name}"][rows].tolist(), strict=True):
            if applies:
                info[name] = one
    return told
