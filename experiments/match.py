"""Games between agents, played in lockstep: one question to each agent for a whole batch.

B games, N seats, A action ids, E entries of the line-up. Agents are asked only where they have a
real choice; forced actions are taken for them. The seed of a decision is a hash of the game's seed,
round, seat and ply, so a game is the same alone and in any batch.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents import Agent
from agents.random_agent import RandomAgent
from chickenfoot_env import batch, chance, notation, view
from chickenfoot_env.game import GAME_OVER
from experiments.costs import Costs

MAX_MESSAGE: Final = 200  # characters of a fault's message that are kept
_ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")  # differs from process to process


@dataclass(frozen=True)
class Fault:
    """What an agent did wrong; its seat has forfeited that game, and no other.

    Attributes:
        game: row of the game in the batch.
        seat: the seat at fault.
        round: 0-based round in which it happened.
        ply: steps the game had seen, forced ones included.
        message: one line, the same in every run.
    """

    game: int
    seat: int
    round: int
    ply: int
    message: str


class AgentFailedError(Exception):
    """What an agent did in place of an answer, as the message of its fault says it.

    An agent that stands for another one raises it.
    """


def cheats(agent: Agent) -> bool:
    """Whether the agent is handed game records, hidden tiles included, in place of views."""
    return bool(getattr(agent, "cheats", False))


def play(
    line_up: Sequence[Agent],
    games: NDArray[np.void],
    seeds: NDArray[np.uint64],
    faults: list[Fault] | None = None,
    *,
    seating: NDArray[np.int64] | None = None,
    costs: Costs | None = None,
    decisions: list[NDArray[np.int64]] | None = None,
) -> None:
    """Play every game to its end.

    An agent that raises, answers with anything but one integer a view, or chooses an illegal action
    is at fault. With a list to write to, the fault is appended and the seat forfeits that game:
    uniformly random legal actions take over its remaining decisions there, so that the other seats
    still play a whole game. What a forfeit costs is up to the caller.

    Args:
        line_up: one agent a seat, unless `seating` says otherwise. An agent in several seats or
            games is asked for all of them at once; one with `cheats = True` is handed copies of the
            game records in place of views.
        games: (B,) GAME, changed in place.
        seeds: (B,) uint64; all decisions of game i follow from seeds[i].
        faults: where faults go; None: the first one raises.
        seating: (B, N) integers: line_up[seating[i, s]] sits in seat s of game i. None: line_up[s]
            sits in seat s of every game.
        costs: where it is written what each entry was asked and spent in each game; (B, E). An
            agent that counts simulations is then asked about one game at a time.
        decisions: where what was chosen goes, (B,) int64 a tick, for `game_file.record_games`;
            what is in it for a game that was over has no meaning.

    Raises:
        ValueError: for a line-up that does not fill the tables, costs of another shape, or a fault
            with faults=None.
    """
    seeds = chance.check_seeds(seeds, len(games))
    if seating is None:
        seating = np.tile(np.arange(len(line_up)), (len(games), 1))
    _check_seating(seating, line_up, games)
    if costs is not None and costs.decisions.shape != (len(games), len(line_up)):
        raise ValueError(
            f"costs are of shape {costs.decisions.shape}: wanted is {(len(games), len(line_up))}, "
            "games by entries of the line-up"
        )
    players = list({id(agent): agent for agent in line_up}.values())
    player_of = np.array([[a is b for a in players].index(True) for b in line_up], np.int64)
    forfeited = np.zeros(seating.shape, np.bool_)
    ply = np.zeros(len(games), np.int64)
    all_rows = np.arange(len(games))
    stand_in = RandomAgent()
    while True:
        ply += batch.play_forced(games)
        running = games["over"] != GAME_OVER
        if not running.any():
            return
        tick = _Tick(games, seeds, ply, seating, costs)
        gone = forfeited[all_rows, tick.seat]
        asked = np.where(running & ~gone, player_of[tick.entry], -1)
        for index, player in enumerate(players):
            for fault in tick.decide(player, np.flatnonzero(asked == index)):
                if faults is None:
                    raise ValueError(_explain(player, fault, games))
                faults.append(fault)
                gone[fault.game] = forfeited[fault.game, fault.seat] = True
        for fault in tick.ask(stand_in, np.flatnonzero(running & gone)):
            raise RuntimeError(_explain(stand_in, fault, games))
        batch.step(games, tick.actions)
        ply += 1
        if decisions is not None:
            decisions.append(tick.actions)


class _Tick:
    """The one decision that each running game waits for, and the actions chosen so far."""

    def __init__(
        self,
        games: NDArray[np.void],
        seeds: NDArray[np.uint64],
        ply: NDArray[np.int64],
        seating: NDArray[np.int64],
        costs: Costs | None,
    ) -> None:
        self.games = games
        self.costs = costs
        self.ply = ply
        self.round = games["round"].astype(np.int64)
        self.seat = games["seat"].astype(np.int64)
        self.entry = seating[np.arange(len(games)), self.seat]  # (B,) whose decision it is
        self.seeds = chance.derive(seeds, self.round, self.seat, ply)
        self.legal = batch.legal_mask(games)  # (B, A)
        self.actions = self.legal.argmax(axis=1)  # (B,); right for finished games: PASS alone

    @functools.cached_property
    def _views(self) -> NDArray[np.void]:
        """(B,) VIEW of the seats to act, of finished games too."""
        return view.observe(self.games, self.seat)

    def decide(self, agent: Agent, rows: NDArray[np.int64]) -> list[Fault]:
        """As `ask`, at the agent's cost."""
        if self.costs is None:
            return self.ask(agent, rows)
        self.costs.decisions[rows, self.entry[rows]] += 1
        questions = self.costs.questions(agent, rows)
        return [fault for part in questions for fault in self.ask(agent, part, self.costs)]

    def ask(self, agent: Agent, rows: NDArray[np.int64], costs: Costs | None = None) -> list[Fault]:
        """Let `agent` choose in `rows`; the rows where it failed are in the faults returned."""
        if len(rows) == 0:
            return []
        try:
            chosen = self._answers(agent, rows, costs)
        except AgentFailedError as wrong:
            if len(rows) > 1:  # which rows are at fault shows when each is asked alone
                alone = (self.ask(agent, np.array([row]), costs) for row in rows)
                return [fault for faults in alone for fault in faults]
            return [self._fault(int(rows[0]), str(wrong))]
        known = (chosen >= 0) & (chosen < self.legal.shape[1])
        good = known & self.legal[rows, np.where(known, chosen, 0)]
        self.actions[rows[good]] = chosen[good]
        return [
            self._fault(int(row), f"chose the illegal action {int(action)}")
            for row, action in zip(rows[~good], chosen[~good], strict=True)
        ]

    def _answers(
        self, agent: Agent, rows: NDArray[np.int64], costs: Costs | None
    ) -> NDArray[np.integer[Any]]:
        shown = np.take(self.games if cheats(agent) else self._views, rows)  # a copy of its own
        seeds = self.seeds[rows]
        free = contextlib.nullcontext()
        try:
            with free if costs is None else costs.charge(agent, rows, self.entry[rows]):
                answers = agent.act(shown, seeds)
        except AgentFailedError:
            raise
        except (Exception, SystemExit) as error:
            raise AgentFailedError(raised(error)) from error
        fault = wrong_kind(answers, len(rows))
        if fault is not None:
            raise AgentFailedError(fault)
        return answers

    def _fault(self, row: int, message: str) -> Fault:
        line = _ADDRESS.sub("0x...", " ".join(message.split()))
        if len(line) > MAX_MESSAGE:
            line = line[: MAX_MESSAGE - 3] + "..."
        return Fault(row, int(self.seat[row]), int(self.round[row]), int(self.ply[row]), line)


def raised(error: BaseException) -> str:
    """What an agent that has raised this did."""
    return f"raised {type(error).__name__}: {error}"


def wrong_kind(answers: object, count: int) -> str | None:
    """What an agent did that was asked for `count` actions and returned this; None: all is well."""
    if not isinstance(answers, np.ndarray):
        return f"returned {type(answers).__name__}, not an array of integers"
    if answers.dtype.kind not in "iu" or answers.shape != (count,):
        return (
            f"returned {answers.dtype} of shape {answers.shape} for {count} views, "
            "not one integer a view"
        )
    return None


def _check_seating(
    seating: NDArray[np.int64], line_up: Sequence[Agent], games: NDArray[np.void]
) -> None:
    if seating.dtype.kind not in "iu" or seating.ndim != 2 or len(seating) != len(games):
        raise ValueError(
            f"seating is {seating.dtype} of shape {seating.shape}: wanted are integers, "
            f"one row for each of {len(games)} games"
        )
    if seating.size and not 0 <= seating.min() <= seating.max() < len(line_up):
        raise ValueError(f"seating names agents outside 0 to {len(line_up) - 1}")
    for row in np.flatnonzero(games["players"] != seating.shape[1]):
        raise ValueError(
            f"a line-up of {seating.shape[1]} agents for game {row}, "
            f"which has {games['players'][row]} seats: wanted is one agent a seat"
        )


def _explain(agent: Agent, fault: Fault, games: NDArray[np.void]) -> str:
    position = notation.format_position(games[fault.game])
    return f"agent {agent.name!r} in seat {fault.seat} {fault.message}, at {position}"
