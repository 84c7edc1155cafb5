"""Chicken Foot as a PettingZoo environment: one table, the seats act in turn (AEC).

=================  ==============================================================================
Import             ``from chickenfoot_env import chickenfoot_v0``, or ``pettingzoo.make("aec",
                   "chickenfoot_env/chickenfoot-v0")`` after ``import chickenfoot_env``
Agents             ``player_0`` ... ``player_{N-1}``, 2 to 12, clockwise
Actions            ``Discrete(A)``, 102 with a double-nine set
Observations       ``Dict(observation=Box(0, 1, (F,), float32), action_mask=Box(0, 1, (A,), int8))``
State              ``Box(0, 1, (N * F + T,), float32)``: everything, for a central critic only
=================  ==============================================================================

The rules are told in `chickenfoot_env.rules`. A game is a number of rounds, ten with a double-nine
set, and the fewest points win. Dealing, the hunt for the starter and laying it hold no decision and
are no steps; DRAW and PASS are steps even where they are the only legal action.

    >>> from chickenfoot_env import chickenfoot_v0
    >>> env = chickenfoot_v0.env(players=4, rounds=(9,))
    >>> env.reset(seed=1)
    >>> for agent in env.agent_iter():
    ...     observation, reward, termination, truncation, info = env.last()
    ...     if termination or truncation:
    ...         action = None
    ...     else:
    ...         action = env.action_space(agent).sample(observation["action_mask"])
    ...     env.step(action)
    >>> env.is_over, env.outcome in ("went_out", "blocked"), env.returns().shape
    (True, True, (4,))

`is_over` turns True with the step that ends the episode. PettingZoo's loop then visits every seat
once more, so that it sees its last reward, and `agents` is empty only after that.

Arguments:
    Any field of `Rules`, or all of them as `rules=Rules(...)` or as a published rule set,
    `rules=Rules.preset("puremco", players=5)`. The fields are players, max_pip, hand_size,
    boneyard_reserve, starter_rule, starter_source, starter_missing, hunt_first, lead_rule,
    starter_uses_turn, starter_arms, toes, draw_count, draw_when_stuck, drawn_tile, block_rule,
    last_double, last_double_points, double_blank_points, blank_half_points, rounds and
    target_points; see `chickenfoot_env.rules`. And

    reward        "points": when a round ends, the mean of the others' points in it less one's own,
                  in pips. "win": when the game ends, 1 shared evenly among the winners, 0 for the
                  others. Nothing is paid for a round or a game that was not played to its end.
    episode       "game", or "round": each episode is one round, with a starter drawn evenly from
                  those of the rules. Seat 0 then leads the hunt for the starter.
    on_illegal    "raise": ValueError, and nothing has changed. "forfeit": the episode ends for all;
                  under "points" the offender pays 250 pips to the others in equal parts, under
                  "win" the others share the win. "random_legal": a uniformly random legal action is
                  taken instead. The last two count in `infos[agent]["illegal_actions"]`. Anything
                  but a whole number raises ValueError in every mode.
    max_cycles    the number of actions after which all seats are truncated together; None: no limit
    mask_idle     "zeros" or "ones": the action mask of seats that are not to act
    render_mode   what render() returns, all hands open. "ansi": the board as text. "svg": a picture
                  of the table, the text of an SVG file. "rgb_array": the same picture in pixels,
                  always (960, 1280, 3) uint8, for videos. "human": None; the picture is shown in a
                  window after reset() and every step, two a second at most, where there is a
                  display. None

Actions, with P = max_pip + 1; a play lays a tile by its half `attach` on an open end showing the
same, and leaves its half `free` open. An id means the same in every position.

    id                  action          with a double-nine set
    attach * P + free   lay the tile    0 to 99; 57 lays the tile 5-7 on a 5, 75 lays it on a 7
    P * P               DRAW            100; legal if nothing can be laid, once a turn
    P * P + 1           PASS            101; legal if nothing else is, or to keep a tile just drawn

The action mask is 1 for the legal actions of the seat to act, never all 0, and is in its info too.
A seat that is done has PASS alone in its mask, though the only step it takes is `step(None)`.

Observations are features of `encode`, each from 0 to 1. Seats are counted from the observer: it is
seat 0, the next one clockwise seat 1. With a double-nine set they are:

    hand           0:55   for each tile: 1 if it is in the observer's hand
    laid          55:110  for each tile: 1 if it is on the table
    hand_pips    110:120  for each pip: share of its tiles in the observer's hand
    unseen_pips  120:130  for each pip: share of its tiles the observer has not seen
    open         130:140  for each pip: 1 if a tile may be laid on it now
    ends         140:150  for each pip: open ends showing it, of max_pip + 3 or more: 1
    foot         150:160  for each pip: 1 if the starter or a double of it is being filled
    starter      160:170  for each pip: 1 if it is the starter of this round
    owed         170:171  arms or toes still wanted, of max_pip
    has_drawn    171:172  1 if the seat to act has drawn in this turn
    boneyard     172:173  tiles left in the boneyard, of the whole set
    rounds_left  173:174  rounds after this one, of all rounds
    present      174:186  for each seat: 1 if somebody sits there
    turn         186:198  for each seat: 1 if it is to act
    hand_count   198:210  for each seat: tiles in its hand, of the whole set
    points       210:222  for each seat: its points less the observer's, squashed
    lacks        222:342  for each seat and pip: 1 / (1 + tiles drawn since it had none)

Rewards, three ways to read them, of which the second is the one to train on:

                        env.rewards[agent]     env.last()[1], on its turn    env.returns()[seat]
    after reset()       0.0                    0.0                           0.0
    after a step        what that step         what the agent was brought    everything so far in
                        brought the agent,     since it last acted           this episode
                        0.0 on most steps
    after the step      the same, for every    what it was brought since it  the final result
    that ends it        seat, not only for     last acted: its last reward,
                        the one that acted     seen on its dead step
    after a dead step   0.0; the agent that    as above for those left; a    the final result
                        left is gone           dead step brings nothing

A dead step is `step(None)`, which PettingZoo asks of each agent once it is done, so that everyone
sees its last reward in `last()`; the agent then leaves `agents` and all the books.

A round's rewards are paid to all seats by the step that ends it. With hand_size=1 a round can end
as it is dealt, with nobody having acted: it is paid with the next step, or by reset() if the
episode is over with it.

Infos hold "action_mask" for the seat to act; for every seat "round_outcome" on the step that ends a
round ("went_out" or "blocked"), and "outcome" when the episode is over: how its last round ended,
or "forfeit" or "truncated".

Seeds. Everything random follows from `reset(seed=...)`. Later resets without a seed go on from it,
each with a new deal. reset(seed=s) deals the same game as `batch.deal(rules, [s])`.

Copies. `copy.deepcopy` and `pickle` work at any moment, through wrappers too; `clone()` is a copy
without them. `get_state()` gives 2.7 KB to keep on disk; `set_state()` checks them and goes there.

Pictures. `seat_svg(agent)` is the table as that seat may see it, with no hidden tile anywhere in
its text, in any render_mode. Tiles lie as their plays allow; which of two equal ends a tile was
laid on is no part of the game. Where no window can be opened, `metadata["render_modes"]` of an
environment leaves "human" out. close() closes the window; copies have none.

For search. `view(agent)` is all that a seat may know, as a record for the agents of this project;
`infoset_key(agent)` tells such views apart. `clone`, `state`, `get_state` and `render` show
everything: an agent that sees them cheats.

Many games. The seats do not act at once, so PettingZoo refuses `aec_to_parallel`; for many games at
once there are `chickenfoot_env.vector_env`, `chickenfoot_env.self_play` and, without observations
and rewards, `chickenfoot_env.batch`.

Versions. v0: first version. The number rises with every change of rules, observations, masks,
rewards or dtypes.
"""

from __future__ import annotations

import copy
import logging
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from chickenfoot_env import ansi, encode, saved_state
from chickenfoot_env import view as views
from chickenfoot_env.episode import Episode
from chickenfoot_env.episode_seeds import EpisodeSeeds
from chickenfoot_env.game import BONEYARD, tiles_of
from chickenfoot_env.jit import Direct, compiled
from chickenfoot_env.render.modes import drawn
from chickenfoot_env.render.picture import Picture, finished, picture_of_game, picture_of_view
from chickenfoot_env.render.svg import svg
from chickenfoot_env.render.window import Window, usable
from chickenfoot_env.rules import Rules
from chickenfoot_env.settings import Settings, choose_rules

Observation: TypeAlias = dict[str, NDArray[Any]]

_FROM_RESET: Final = (
    "agents",
    "agent_selection",
    "rewards",
    "terminations",
    "truncations",
    "infos",
    "num_agents",
)
_log = logging.getLogger(__name__)


def env(**keywords: Any) -> AECEnv[str, Any, Any]:
    """The environment in PettingZoo's usual wrappers; the page above tells the keywords."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(ChickenFootEnv(**keywords)))


def raw_env(**keywords: Any) -> ChickenFootEnv:
    """The environment itself. It checks its input as strictly as the wrapped one, and is faster."""
    return ChickenFootEnv(**keywords)


class ChickenFootEnv(AECEnv[str, Any, Any]):
    """One table of Chicken Foot; the page above describes it.

    Attributes:
        rules: the rules of the game, with all its rounds even if episode="round".
        settings: the other keywords.

    Raises:
        ValueError: for a keyword or a value that is not allowed.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo declares it as an instance's
        "name": "chickenfoot_v0",
        "render_modes": ["ansi", "svg", "rgb_array", "human"],
        "render_fps": 2,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        *,
        rules: Rules | None = None,
        reward: str = "points",
        episode: str = "game",
        on_illegal: str = "raise",
        max_cycles: int | None = None,
        mask_idle: str = "zeros",
        render_mode: str | None = None,
        **fields: Any,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # PettingZoo's has no annotations
        self.rules = choose_rules(rules, fields)
        self.settings = Settings(reward, episode, on_illegal, max_cycles, mask_idle, render_mode)
        self.render_mode = render_mode
        self.metadata = {**self.metadata, "render_modes": usable(self.metadata["render_modes"])}
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._size = encode.size(self.rules.max_pip)  # F
        self._actions = actions = self.rules.actions  # A
        self.observation_spaces = {
            agent: spaces.Dict(
                observation=spaces.Box(0.0, 1.0, (self._size,), np.float32),
                action_mask=spaces.Box(0, 1, (actions,), np.int8),
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        everything = self.rules.players * self._size + self.rules.tiles
        self.state_space = spaces.Box(0.0, 1.0, (everything,), np.float32)
        self._seeds = EpisodeSeeds()
        self._window = Window("Chicken Foot", self.metadata["render_fps"])

    # PettingZoo's interface

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the agent's observations, the same object at every call."""
        self._seat(agent)  # or ValueError
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the agent's actions, the same object at every call."""
        self._seat(agent)  # or ValueError
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the first round of a new episode.

        Args:
            seed: 0 to 2**64 - 1; everything random follows from it. None goes on from the last
                one with a new deal, and at the very first reset begins at a seed of the system's.
            options: none is known; those given are named in a warning in the log.

        Raises:
            ValueError: for a seed out of range.
        """
        episode_seed = self._seeds.next(seed)
        if options:
            _log.warning("reset options %s are not known and change nothing", list(options))
        self._episode = Episode(self.rules, self.settings, episode_seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None  # type: ignore[assignment] # PettingZoo does so too
        # With hand_size=1 a game can be over as soon as it is dealt.
        self._close_books(self._episode.settle() if self._episode.is_over else None)

    def step(self, action: int | None) -> None:
        """Take the action of `agent_selection`, or let it leave with None once it is done.

        Raises:
            ValueError: for an action that is not legal or no whole number; nothing has changed.
            gymnasium.error.ResetNeeded: before reset(), and when every seat has left.
        """
        episode = self._current("step")
        if not self.agents:
            raise gymnasium.error.ResetNeeded(
                f"step({action!r}) after the episode: every seat has left, call reset() first"
            )
        agent = self.agent_selection
        if self._is_done(agent):
            if action is not None:
                raise ValueError(f"step({action!r}): {agent} is done, its only action is None")
            self._was_dead_step(action)
            return
        number = episode.accepted(action)
        # The order of PettingZoo's books: what the agent was brought is forgotten as it acts, then
        # the step's rewards are filled in for all, then they are added up.
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._close_books(episode.forfeit() if number is None else episode.play(number))

    def observe(self, agent: str) -> Observation:
        """What the agent may see, in fresh arrays: for any possible agent, at any time."""
        games = self._current("observe").games
        features = np.empty(self._size, np.float32)
        _OBSERVE.call(games, self._seat(agent), features)
        return {"observation": features, "action_mask": self._mask(agent)}

    def state(self) -> NDArray[np.float32]:
        """Everything: each seat's features in seat order, then 1 for each tile in the boneyard."""
        seats = [self.observe(agent)["observation"] for agent in self.possible_agents]
        boneyard = np.zeros(self.rules.tiles, np.float32)
        boneyard[tiles_of(self._episode.games["held"][0, BONEYARD], self.rules.max_pip)] = 1.0
        return np.concatenate([*seats, boneyard])

    def render(self) -> str | NDArray[np.uint8] | None:
        """The table with every hand open, in the form that `render_mode` names.

        Returns:
            Text in the modes "ansi" and "svg"; (960, 1280, 3) uint8 in "rgb_array"; None in
            "human", where a window shows the picture, and without a mode.

        Raises:
            ValueError: for a picture of a position whose plays are not known; see `set_state`.
            NoWindowError: in "human" where no window can be opened, as do reset() and step().
        """
        episode = self._current("render")
        if self.render_mode is None:
            gymnasium.logger.warn("render() shows nothing: give render_mode when making the env")
            return None
        names, status = self.possible_agents, self._status()
        if self.render_mode == "ansi":
            return ansi.board(episode.games[0], names, status)
        picture = self._shown(picture_of_game(episode.games[0], episode.plays(), names, status))
        if self.render_mode == "human":
            self._window.show(picture)
            return None
        return drawn(picture, self.render_mode)

    def close(self) -> None:
        """Close the window of "human", if there is one."""
        self._window.close()

    # Beyond PettingZoo's interface

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended, from the step that ends it on."""
        self._current("is_over")
        return all(map(self._is_done, self.agents))

    @property
    def outcome(self) -> str | None:
        """How the episode's last round ended: "went_out", "blocked", "forfeit", "truncated"."""
        return self._current("outcome").outcome

    def returns(self) -> NDArray[np.float64]:
        """The sum of each seat's rewards in this episode so far: (N,) float64 in seat order."""
        return self._current("returns").returns.copy()

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions of `agent_selection`: (A,) bool, a fresh array."""
        self._current("action_masks")
        return self._mask(self.agent_selection).view(np.bool_)

    def view(self, agent: str) -> NDArray[np.void]:
        """All that the agent may know, for search: (1,) VIEW."""
        games = self._current("view").games
        return views.observe(games, np.array([self._seat(agent)]))

    def seat_svg(self, agent: str) -> str:
        """The table as the agent may see it, as the text of an SVG file, whatever the render_mode.

        It is drawn from `view(agent)`: no hidden tile is in it. The agent's own hand comes first.

        Raises:
            ValueError: if there is no such agent, and as `render` does.
        """
        seat, names = self._seat(agent), self.possible_agents
        plays = self._current("seat_svg").plays()
        names = [*names[seat:], *names[:seat]]
        return svg(self._shown(picture_of_view(self.view(agent)[0], plays, names, self._status())))

    def infoset_key(self, agent: str) -> bytes:
        """A key of what the agent knows: the same for two positions that it cannot tell apart.

        The seat is part of it, for the seats lead the hunt in different rounds. Keys from
        environments with other rules cannot be compared.
        """
        return bytes([self._seat(agent)]) + self.view(agent).tobytes()

    def clone(self, seed: int | None = None) -> ChickenFootEnv:
        """A copy, without wrappers, that shares nothing with this environment.

        Args:
            seed: what the copy's later resets follow from, as if given to the first of them; None:
                they go on as this environment's do.
        """
        twin = copy.deepcopy(self)
        if seed is not None:
            twin._seeds = EpisodeSeeds(seed)
        return twin

    def get_state(self) -> bytes:
        """The episode, and what later resets follow from, as bytes of a fixed length."""
        episode = self._current("get_state")
        packed = np.zeros(1, saved_state.STATE)
        state = packed[0]
        episode.write(state)
        state["seed"], state["episode_number"] = self._seeds.given, self._seeds.number
        state["selection"] = self._seats[self.agent_selection]
        state["resume"] = self._seats.get(self._skip_agent_selection or "", saved_state.NOBODY)
        saved_state.write_books(state["books"], self, self._seats)
        return saved_state.to_bytes(packed, self.settings)

    def set_state(self, data: bytes) -> None:
        """Go to a state that `get_state` of an environment like this one has returned.

        A state that was put together by hand may leave out the plays of its round. Then there are
        no pictures until the next round is dealt.

        Raises:
            ValueError: if the bytes are damaged, or from another version, other rules, or another
                `reward` or `episode`; nothing has changed then.
        """
        state = saved_state.from_bytes(data, self.rules, self.settings)[0]
        self._episode = Episode.restored(self.rules, self.settings, state)
        self._seeds = EpisodeSeeds(int(state["seed"]), int(state["episode_number"]))
        saved_state.read_books(state["books"], self, self._seats)
        self.agent_selection = self.possible_agents[state["selection"]]
        self._skip_agent_selection = None  # type: ignore[assignment] # as in reset
        resume = int(state["resume"])
        if resume != saved_state.NOBODY:
            self._skip_agent_selection = self.possible_agents[resume]
        self._inform()

    # Books and checks

    def _close_books(self, earned: NDArray[np.float64] | None) -> None:
        """Enter what a step has brought and whom it has ended."""
        episode = self._episode
        if earned is not None:
            self.rewards = dict(zip(self.agents, earned.tolist(), strict=True))
            self._accumulate_rewards()
        if episode.outcome is not None:
            over = self.truncations if episode.outcome == "truncated" else self.terminations
            over.update(dict.fromkeys(self.agents, True))
        self.agent_selection = self.possible_agents[episode.seat]
        self._inform()
        if self.render_mode == "human":
            self.render()

    def _inform(self) -> None:
        episode = self._episode
        self.infos = {agent: {} for agent in self.agents}
        if episode.outcome is None:
            self.infos[self.agent_selection]["action_mask"] = episode.mask.copy()
            if episode.round_outcome is None and self.settings.on_illegal == "raise":
                return
        for agent, info in self.infos.items():
            if episode.round_outcome is not None:
                info["round_outcome"] = episode.round_outcome
            if episode.outcome is not None:
                info["outcome"] = episode.outcome
            if self.settings.on_illegal != "raise":
                info["illegal_actions"] = int(episode.illegal_actions[self._seats[agent]])

    def _status(self) -> str:
        if self.is_over:
            return f"over: {self.outcome or 'stopped'}"
        has_drawn = ", has drawn" * int(self._episode.games["has_drawn"][0])
        return f"{self.agent_selection} to act{has_drawn}"

    def _shown(self, picture: Picture) -> Picture:
        return finished(picture) if self.is_over else picture

    def _clear_rewards(self) -> None:
        self.rewards = dict.fromkeys(self.rewards, 0.0)  # PettingZoo's own puts int here

    def _mask(self, agent: str) -> NDArray[np.int8]:
        if not self._is_done(agent):
            if agent == self.agent_selection:
                return self._episode.mask.copy()
            return np.full(self._actions, self.settings.mask_idle == "ones", np.int8)
        mask = np.zeros(self._actions, np.int8)
        mask[self.rules.pass_] = 1
        return mask

    def _is_done(self, agent: str) -> bool:
        return self.terminations.get(agent, True) or self.truncations.get(agent, True)

    def _seat(self, agent: str) -> int:
        try:
            return self._seats[agent]
        except (KeyError, TypeError):
            last = self.possible_agents[-1]
            raise ValueError(f"no agent {agent!r}: they are player_0 to {last}") from None

    def _current(self, what: str) -> Episode:
        try:
            return self._episode
        except AttributeError:
            raise gymnasium.error.ResetNeeded(
                f"{what} before reset(): call reset() first"
            ) from None

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in _FROM_RESET:
                raise AttributeError(f"{name} is not known before reset(): call reset() first")
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")


@compiled
def _observe(games: NDArray[np.void], seat: int, features: NDArray[np.float32]) -> None:
    """Fill the features with what the seat may know."""
    seen = np.zeros(1, views.VIEW)
    views.write_view(games[0], seat, seen[0])
    encode.write_features(seen[0], features)


_OBSERVE: Final = Direct(_observe)
