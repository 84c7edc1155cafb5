"""Chicken Foot for self-play: many games at once, in which all seats learn.

    >>> import numpy as np
    >>> from chickenfoot_env import chance, sampling, self_play, trajectories
    >>> envs = self_play.SelfPlayVectorEnv(64, players=4)
    >>> ticks, actions, seeds = [envs.reset(seed=1)], [], np.arange(64, dtype=np.uint64)
    >>> for number in range(100):
    ...     chosen = sampling.sample(ticks[-1].action_mask, chance.derive(seeds, number))
    ...     actions.append(chosen)
    ...     ticks.append(envs.step(chosen))
    >>> data = trajectories.trajectories(ticks, actions)
    >>> data.reward.shape, sum(int(tick.ended.sum()) for tick in ticks) > 64
    ((6400,), True)

A tick shows one decision of every game, of whichever seat is to act there. `step` takes it and
plays on to the next one. Where that ends an episode the next one is dealt at once, and the tick
shows its first decision beside what the ended one has brought.

Credit. Every seat is told what it has earned from one of its own decisions to the next, whoever
acted between; `trajectories` strings the decisions of each seat together. For every seat the
`reward` of all its ticks in an episode and its `final_reward` add up to its result: its margin
(`batch.margins`) or its share of the win. What a seat had earned before its first decision is in
the reward of that tick, which is marked as `first` and pays for no action. All that a seat has
earned that was never asked is in its final reward.

Arguments:
    num_envs      B, the number of games
    rules         Rules for all games, a sequence of them, or single fields, as in
                  `chickenfoot_env.vector_env`
    reward        "points" or "win", as in `chickenfoot_env.env`
    episode       "round" or "game", as there
    play_forced   True: decisions with one legal action are no ticks. False: they are
    opponents     agents for a share of the games, as in `chickenfoot_env.vector_env`
    share         0 to 1: in this share of the games, evenly spread over their numbers, one seat
                  learns, (game + episode) modulo players, and the opponents play the others, whose
                  decisions are no ticks
    copy          True: every array of a tick is the caller's. False: its observation and
                  action_mask are written into the same arrays by every call, which is faster

Seeds are as in `chickenfoot_env.vector_env`. An illegal action raises ValueError and changes
nothing. Observations, action ids and versions are those of that environment, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from chickenfoot_env import encode, notation, view
from chickenfoot_env.books import EVERY_SEAT, NOBODY, ROTATING
from chickenfoot_env.episode_seeds import GivenSeed
from chickenfoot_env.episodes import Episodes
from chickenfoot_env.opponents import Line, Opponents
from chickenfoot_env.rules import Rules
from chickenfoot_env.settings import Settings, choose_tables
from chickenfoot_env.vector_settings import IllegalActionError, checked_actions, one_of

_KEYWORDS: Final = ("reward", "episode", "play_forced", "opponents", "share", "copy")


class Tick(NamedTuple):
    """One decision of every game: B games, N seats of the largest table, F features, A actions."""

    seat: NDArray[np.int64]  # (B,) the seat to act
    observation: NDArray[np.float32]  # (B, F) what it may know
    action_mask: NDArray[np.bool_]  # (B, A) its legal actions
    reward: NDArray[np.float64]  # (B,) what it has earned since its last decision
    first: NDArray[np.bool_]  # (B,) there was none: earned since the deal, and due to no action
    ended: NDArray[np.bool_]  # (B,) an episode has ended; all above is of the next one
    final_reward: NDArray[np.float64]  # (B, N) what its seats have earned since their last decision
    acted: NDArray[np.bool_]  # (B, N) whether they had one in it; False and 0 unless it has ended
    players: NDArray[np.int64]  # (B,) seats at the table
    skipped: NDArray[np.int64]  # (B,) episodes without any decision, dealt before this one


class SelfPlayVectorEnv:
    """B games in which all seats learn; the page above describes it.

    Attributes:
        num_envs: B.
        rules: those of each game, B of them.
        observation_space: of one decision.
        action_space: of one decision.

    Raises:
        ValueError: for a keyword or a value that is not allowed.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        rules: Rules | Sequence[Rules] | None = None,
        reward: str = "points",
        episode: str = "round",
        play_forced: bool = True,
        opponents: Line = None,
        share: float = 0.0,
        copy: bool = True,
        **fields: Any,
    ) -> None:
        self.rules = choose_tables(rules, fields, num_envs, _KEYWORDS)
        Settings(reward, episode)
        for name, value in (("play_forced", play_forced), ("copy", copy)):
            one_of(name, value, (True, False))
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
            raise ValueError(f"share={share!r}: allowed are numbers from 0 to 1")
        self.num_envs, self._copy = num_envs, copy
        # The whole part of (i + 1) * share rises with the games i that opponents play in.
        played = np.diff(np.floor(np.arange(num_envs + 1) * share + 1e-9)) > 0
        self._episodes = Episodes(
            self.rules,
            Opponents(opponents),
            np.where(played, ROTATING, EVERY_SEAT).astype(np.int64),
            episode=episode,
            reward=reward,
            play_forced=play_forced,
            hold_first=False,
        )
        size, actions = encode.size(self.rules[0].max_pip), self.rules[0].actions
        self.observation_space = spaces.Box(0.0, 1.0, (size,), np.float32)
        self.action_space = spaces.Discrete(actions)
        self._features = np.zeros((num_envs, size), np.float32)
        self._masks = np.zeros((num_envs, actions), np.bool_)
        self._ready = False  # whether every game has been dealt and none is broken off

    def reset(self, seed: GivenSeed = None) -> Tick:
        """Deal new episodes.

        Args:
            seed: 0 to 2**64 - 1, or a sequence of one for each game, where None goes on. None goes
                on from the last one with a new deal, and at the very first reset begins at seeds
                of the system's.

        Raises:
            ValueError: for seeds that are not allowed.
        """
        everything = np.ones(self.num_envs, np.bool_)
        self._episodes.seed(seed, everything)
        self._ready = False
        skipped = self._episodes.deal(np.flatnonzero(everything))
        self._ready = True
        nothing = np.zeros((self.num_envs, self._episodes.seats))
        return self._tick(~everything, nothing, nothing.astype(np.bool_), skipped)

    def step(self, actions: NDArray[np.int64]) -> Tick:
        """Take the decision of every game.

        Args:
            actions: (B,) integers.

        Raises:
            ValueError: for an action that is not legal, naming the game and what is allowed, or an
                array of another kind; no game has changed then.
            gymnasium.error.ResetNeeded: before reset().
        """
        episodes = self._current("step")
        actions = checked_actions(actions, self.num_envs)
        illegal = episodes.illegal(actions)
        if illegal.any():
            row = int(np.argmax(illegal))
            reason = notation.explain_illegal(episodes.games[row], int(actions[row]))
            raise IllegalActionError(f"game {row}: {reason}")
        self._ready = False
        episodes.advance(np.arange(self.num_envs), actions)
        ended = episodes.books["waits_for"] == NOBODY
        final = np.zeros((self.num_envs, episodes.seats))
        acted = np.zeros((self.num_envs, episodes.seats), np.bool_)
        skipped = np.zeros(self.num_envs, np.int64)
        rows = np.flatnonzero(ended)
        if len(rows) > 0:
            final[rows] = episodes.due(rows)
            acted[rows] = episodes.books["acted"][rows, : episodes.seats] == 1
            skipped[rows] = episodes.deal(rows)
        self._ready = True
        return self._tick(ended, final, acted, skipped)

    def views(self) -> NDArray[np.void]:
        """All that the seats to act may know, for agents: (B,) VIEW."""
        games = self._current("views").games
        return view.observe(games, games["seat"].astype(np.int64))

    def games(self) -> NDArray[np.void]:
        """The games themselves, hidden tiles included, for a central critic only: (B,) GAME."""
        return self._current("games").games.copy()

    def state(self) -> dict[str, NDArray[np.void]]:
        """All that `restore` needs to go on from here: plain arrays, safe to save and to load."""
        episodes = self._current("state")
        return {"games": episodes.games.copy(), "books": episodes.books.copy()}

    def restore(self, state: dict[str, NDArray[np.void]]) -> Tick:
        """Go on from a state of an environment that was made with the same arguments.

        Returns:
            The tick as it was then, but for what only the step before it tells: `ended`,
            `final_reward`, `acted` and `skipped` are 0.

        Raises:
            ValueError: for anything else than such a state.
        """
        self._episodes.restore(state)
        self._ready = True
        nothing = np.zeros((self.num_envs, self._episodes.seats))
        none = np.zeros(self.num_envs, np.int64)
        return self._tick(none == 1, nothing, nothing.astype(np.bool_), none)

    def critic_features(self) -> NDArray[np.float32]:
        """Everything, for a central critic only: (B, N * F + T) float32 from 0 to 1.

        The features of each seat, from the one to act on clockwise and 0 where there is none, then
        for each of T tiles 1 if it is in the boneyard. A policy that sees this cheats.
        """
        return self._current("critic_features").everything()

    def _tick(
        self,
        ended: NDArray[np.bool_],
        final: NDArray[np.float64],
        acted: NDArray[np.bool_],
        skipped: NDArray[np.int64],
    ) -> Tick:
        episodes, running = self._episodes, np.zeros(self.num_envs, np.bool_)
        features, masks = self._features, self._masks
        if self._copy:
            features, masks = np.empty_like(features), np.empty_like(masks)
        seat = episodes.games["seat"].astype(np.int64)
        episodes.observe(seat, running, features, masks)
        return Tick(
            seat=seat,
            observation=features,
            action_mask=masks,
            reward=episodes.books["earned"].copy(),
            first=episodes.books["first"] == 1,
            ended=ended,
            final_reward=final,
            acted=acted,
            players=episodes.games["players"].astype(np.int64),
            skipped=skipped,
        )

    def _current(self, what: str) -> Episodes:
        if not self._ready:
            raise gymnasium.error.ResetNeeded(f"{what} before reset(): call reset() first")
        return self._episodes
