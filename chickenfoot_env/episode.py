"""One episode of the environment: its game, what the seats have earned, and how it ended.

The environment keeps PettingZoo's books around an episode; seats are numbers here. N seats, A
actions.
"""

from __future__ import annotations

import dataclasses
import operator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import batch, chance, kernels, notation, rewards
from chickenfoot_env.game import BONEYARD, GAME_OVER, PLAYING
from chickenfoot_env.jit import Direct, compiled, records, whole
from chickenfoot_env.render.play_log import PlayLog
from chickenfoot_env.rules import MAX_PLAYERS, Rules
from chickenfoot_env.settings import Settings

OUTCOMES: Final = (None, "went_out", "blocked", "forfeit", "truncated")
NO_PLAY: Final = -1  # in a saved state: no further play
STARTER, REPLACEMENT = 101, 102  # what a seed is derived for; rounds have the low numbers


class Episode:
    """One game, or one round of it, from the deal to the end.

    Attributes:
        games: (1,) GAME.
        mask: (A,) int8, 1 for what the seat to act may do; PASS alone once the episode is over.
        seat: the seat to act.
        is_over: whether the game is over; it is not after a forfeit or a truncation.
        cycles: actions taken.
        returns: (N,) float64, the sum of each seat's rewards.
        illegal_actions: (12,) int32, those that were forfeited for or replaced.
        outcome: how the episode ended, one of OUTCOMES; None before.
        round_outcome: how the round ended that the last action ended; None if it ended none.
    """

    def __init__(self, rules: Rules, settings: Settings, seed: int) -> None:
        """Deal an episode from `seed`, 0 to 2**64 - 1."""
        self._rules, self._settings = rules, settings
        seeds = np.array([seed], np.uint64)
        if settings.episode == "round":
            which = _uniform(chance.derive(seeds, STARTER), len(rules.starters))
            rules = dataclasses.replace(rules, rounds=(rules.starters[which],))
        self.games = batch.deal(rules, seeds)
        self._log = PlayLog(self.games[0])
        self.cycles = 0
        self.returns = np.zeros(rules.players)
        self.illegal_actions = np.zeros(MAX_PLAYERS, np.int32)
        self.outcome: str | None = None
        self.round_outcome: str | None = None
        self._paid_points = np.zeros(MAX_PLAYERS, np.int32)
        self._paid_rounds = self._paid_blocked = 0
        self.mask = np.zeros(rules.actions, np.int8)
        self._look()

    @classmethod
    def restored(cls, rules: Rules, settings: Settings, state: np.void) -> Episode:
        """The episode whose fields `write` has put in `state`."""
        self = cls.__new__(cls)
        self._rules, self._settings = rules, settings
        self.games = np.array([state["game"]])
        plays = state["plays"]
        self._log = PlayLog(self.games[0], plays[plays != NO_PLAY].tolist())
        self.cycles = int(state["cycles"])
        self.returns = state["returns"][: rules.players].copy()
        self.illegal_actions = state["illegal_actions"].copy()
        self.outcome = OUTCOMES[state["outcome"]]
        self.round_outcome = OUTCOMES[state["round_outcome"]]
        self._paid_points = state["paid_points"].copy()
        self._paid_rounds = int(state["paid_rounds"])
        self._paid_blocked = int(state["paid_blocked"])
        self.mask = np.zeros(rules.actions, np.int8)
        self._look()
        return self

    def write(self, state: np.void) -> None:
        """Put everything that `restored` needs into the fields of `state`."""
        state["game"] = self.games[0]
        state["plays"] = NO_PLAY
        laid = self._log.laid
        if 1 + len(laid) == self._tiles_on_table():
            state["plays"][: len(laid)] = laid
        state["cycles"] = self.cycles
        state["returns"][: self._rules.players] = self.returns
        state["illegal_actions"] = self.illegal_actions
        state["outcome"] = OUTCOMES.index(self.outcome)
        state["round_outcome"] = OUTCOMES.index(self.round_outcome)
        state["paid_points"] = self._paid_points
        state["paid_rounds"] = self._paid_rounds
        state["paid_blocked"] = self._paid_blocked

    def plays(self) -> list[tuple[int, int]]:
        """(attach, free) of this round's plays in the order they were made, the starter's first.

        Raises:
            ValueError: if they are not known, as in a state that was made without them.
        """
        plays, tiles = self._log.plays, self._tiles_on_table()
        if len(plays) != tiles:
            raise ValueError(
                f"{tiles} tiles are on the table, but the state that was set does not "
                "say how they came there, so no picture can be made until the next round is dealt; "
                'render_mode="ansi" shows any position'
            )
        return plays

    def play(self, action: int) -> NDArray[np.float64] | None:
        """Take a legal action: (N,) rewards that it brings, or None if it brings none."""
        self.cycles += 1
        self.round_outcome = None
        self._log.actions.append(action)
        seat = _TURN.call(self.games, action, self.mask)
        if seat >= 0:
            self.seat = seat
        else:
            batch.deal_due(self.games)
            self._log.follow(self.games[0])
            self._look()
        return self.settle()

    def settle(self) -> NDArray[np.float64] | None:
        """Pay for the rounds that have ended and see whether the episode has."""
        earned = self._pay_rounds() if self._rounds > self._paid_rounds else None
        if self.is_over:
            self.outcome = self.round_outcome
        elif self.cycles == self._settings.max_cycles:
            self.outcome = "truncated"
            self._stop()
        return earned

    def forfeit(self) -> NDArray[np.float64]:
        """End the episode at the cost of the seat to act: (N,) rewards."""
        self.cycles += 1
        self.round_outcome = None
        penalty = rewards.for_forfeit(self.seat, self._rules.players, self._settings.reward)
        self.returns += penalty
        self.outcome = "forfeit"
        self._stop()
        return penalty

    def accepted(self, action: object) -> int | None:
        """The action to play when this one is asked for, or None if the seat to act forfeits.

        Raises:
            ValueError: for what is no whole number and, with on_illegal="raise", for an action
                that is not legal. Nothing has changed then.
        """
        try:
            number = operator.index(action)  # type: ignore[arg-type] # that is what is tested
        except TypeError:
            raise ValueError(
                f"action {action!r}: allowed are whole numbers from 0 to {self._rules.actions - 1}"
            ) from None
        if 0 <= number < len(self.mask) and self.mask[number]:
            return number
        if self._settings.on_illegal == "raise":
            raise ValueError(notation.explain_illegal(self.games[0], number))
        self.illegal_actions[self.seat] += 1
        if self._settings.on_illegal == "forfeit":
            return None
        legal = np.flatnonzero(self.mask)
        seeds = chance.derive(self.games["seed"], REPLACEMENT, self.cycles)
        return int(legal[_uniform(seeds, len(legal))])

    def _tiles_on_table(self) -> int:
        return self._rules.tiles - int(self.games["hand_count"].sum())

    def _look(self) -> None:
        self.seat, over, self._rounds, self._blocked = _look(records(self.games), self.mask)
        self.is_over = over == GAME_OVER
        if self.outcome is not None:
            self._stop()

    def _stop(self) -> None:
        self.mask[:] = 0
        self.mask[self._rules.pass_] = 1

    def _pay_rounds(self) -> NDArray[np.float64] | None:
        # An action ends one round. Further rounds can only end as they are dealt, by going out.
        blocked = self._blocked > self._paid_blocked and self._rounds == self._paid_rounds + 1
        self.round_outcome = "blocked" if blocked else "went_out"
        earned = None
        if self._settings.reward == "points":
            earned = rewards.for_points(self.games, self._paid_points)
        elif self.is_over:
            earned = rewards.for_winning(self.games)
        self._paid_points = self.games["points"][0].copy()
        self._paid_rounds, self._paid_blocked = self._rounds, self._blocked
        if earned is not None:
            self.returns += earned
        return earned


def _uniform(seeds: NDArray[np.uint64], count: int) -> int:
    return int(chance.below(seeds[0], count)[1])


@compiled
def _turn(games: NDArray[np.void], action: int, mask: NDArray[np.int8]) -> int:
    """Take a legal action: the seat to act then, with its `mask`, or -1 if a round has ended."""
    g = games[0]
    kernels.apply(g, action)
    if g.over != PLAYING:
        return -1
    mask[:] = 0
    kernels.write_legal_mask(g, g.held[g.seat], g.hand_count[BONEYARD], mask.view(np.bool_))
    return whole(g.seat)


_TURN: Final = Direct(_turn)


@compiled
def _look(games: NDArray[np.void], mask: NDArray[np.int8]) -> tuple[int, int, int, int]:
    """Set `mask`; the seat to act, `over`, and the rounds that have ended and were blocked."""
    g = games[0]
    mask[:] = 0
    kernels.write_legal_mask(g, g.held[g.seat], g.hand_count[BONEYARD], mask.view(np.bool_))
    ended = g.round + (1 if g.over == GAME_OVER else 0)
    return g.seat, g.over, ended, g.blocked_rounds
