"""Whether an agent keeps to what `agents.base.Agent` asks of it, tried on random positions.

The agent plays in a process of its own, so that it may fail in any way. It is asked about views of
several rule sets in several ways, and the answers are compared.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents import AgentError
from chickenfoot_env import batch, chance, notation, sampling, view
from chickenfoot_env.game import GAME_OVER
from chickenfoot_env.rules import Rules
from experiments.isolation.guard import Guard
from experiments.isolation.limits import Limits
from experiments.match import AgentFailedError

TABLES: Final = {  # rules that differ in set, seats and what a seat may do
    "seed, 4 seats": Rules(),
    "seed, 2 seats": Rules(players=2),
    "puremco, 5 seats": Rules.preset("puremco", players=5),
    "seed_large, 12 seats": Rules.preset("seed_large", players=12),
    "double-eighteen, 3 seats": Rules(players=3, max_pip=18, hand_size=12),
}
_LATEST: Final = 40  # plies into a game of a position, at most
_ALONE: Final = 5  # of the positions of a table, how many are asked about one at a time
PASSED, FAILED = "passed", "failed"


@dataclass(frozen=True)
class Finding:
    """One check: what was tried, how it came out, and what there is to say."""

    check: str
    result: str
    detail: str = ""


def examine(
    spec: str,
    limits: Limits,
    positions: int = 24,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> list[Finding]:
    """All findings about the agent of a spec.

    Args:
        spec: for `agents.make`.
        limits: what it may take.
        positions: for each of TABLES, at least 1.
        progress: told what is tried, how many checks came before it, and how many there are.

    Raises:
        ValueError: for positions below 1.
    """
    if positions < 1:
        raise ValueError(f"positions={positions}: allowed are whole numbers from 1")
    try:
        guard = Guard(spec, limits, at_once=len(TABLES) * positions)
    except AgentError as error:
        return [Finding("it can be made", FAILED, str(error))]
    findings = [Finding("it can be made", PASSED)]
    with guard:
        examination = _Examination(guard, positions)
        checks = list(examination.checks())
        for number, (name, check) in enumerate(checks):
            progress(name, number, len(checks))
            findings.append(_result(name, check))
    return findings


def _result(name: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(name, PASSED, check())
    except AgentFailedError as failed:
        return Finding(name, FAILED, f"it {failed}")


class _Examination:
    """One agent and the questions that it is asked."""

    def __init__(self, guard: Guard, positions: int) -> None:
        self._guard = guard
        self._games = {
            name: _positions(rules, positions, number)
            for number, (name, rules) in enumerate(TABLES.items())
        }
        self._answers: dict[str, NDArray[np.int64]] = {}  # to whole batches, by table
        self._decisions, self._seconds = 0, 0.0

    def checks(self) -> Iterator[tuple[str, Callable[[], str]]]:
        """What is tried, in order; each raises what is wrong, or tells something."""
        for name in TABLES:
            yield f"its actions are legal: {name}", functools.partial(self._legal, name)
        yield "one view at a time, it answers the same", self._alone
        yield "in another order, it answers the same", self._reversed
        yield "asked again, it answers the same", self._again
        yield "in a new process, it answers the same", self._anew
        yield "views of several rule sets may come together", self._mixed
        yield "a finished game is answered with PASS", self._finished
        yield "no views get no answers", self._none
        yield "it leaves what it is shown as it is", self._unchanged
        yield "its answers depend on seeds", self._seeds
        yield "time for a decision", self._time

    def _ask(self, games: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        seats = games["seat"].astype(np.int64)
        shown = games.copy() if self._guard.cheats else view.observe(games, seats)
        began = time.perf_counter()
        answers = self._guard.act(shown, seeds)
        self._seconds += time.perf_counter() - began
        self._decisions += len(games)
        return answers

    def _legal(self, name: str) -> str:
        games = self._games[name]
        try:
            answers = self._ask(games, _seeds(games))
        except AgentFailedError:  # which views it fails at shows when each is asked about alone
            for row in range(len(games)):
                one = games[row : row + 1]
                try:
                    self._ask(one, _seeds(games)[row : row + 1])
                except AgentFailedError as failed:
                    raise AgentFailedError(f"{failed}, {_at(one[0])}") from failed
            raise
        legal = batch.legal_mask(games)
        for row, action in enumerate(answers.tolist()):
            if not (0 <= action < legal.shape[1] and legal[row, action]):
                raise AgentFailedError(
                    f"chose {action}, {_at(games[row])}; legal are "
                    f"{', '.join(notation.legal_actions(games[row]))}"
                )
        self._answers[name] = answers
        return f"{len(games)} positions"

    def _alone(self) -> str:
        for name, answers in self._known():
            games, seeds = self._games[name], _seeds(self._games[name])
            for row in range(min(len(games), _ALONE)):
                one = slice(row, row + 1)
                _compare(self._ask(games[one], seeds[one]), answers[one], games[one])
        return ""

    def _reversed(self) -> str:
        for name, answers in self._known():
            games, seeds = self._games[name], _seeds(self._games[name])
            _compare(self._ask(games[::-1].copy(), seeds[::-1].copy())[::-1], answers, games)
        return ""

    def _again(self) -> str:
        for name, answers in self._known():
            games = self._games[name]
            _compare(self._ask(games, _seeds(games)), answers, games)
        return ""

    def _anew(self) -> str:
        self._guard.close()
        return self._again()

    def _mixed(self) -> str:
        known = list(self._known())
        games = np.concatenate([self._games[name] for name, _ in known])
        seeds = np.concatenate([_seeds(self._games[name]) for name, _ in known])
        answers = np.concatenate([answers for _, answers in known])
        order = np.argsort(chance.derive(seeds, 1), kind="stable")
        _compare(self._ask(games[order], seeds[order]), answers[order], games[order])
        return ""

    def _finished(self) -> str:
        for name, rules in TABLES.items():
            games = self._games[name][:3].copy()
            batch.random_playout(games, _seeds(games))
            answers = self._ask(games, _seeds(games))
            if (answers != rules.pass_).any():
                raise AgentFailedError(f"answered {answers.tolist()}; PASS is {rules.pass_}")
        return ""

    def _none(self) -> str:
        nothing = self._games[next(iter(TABLES))][:0]
        self._ask(nothing, _seeds(nothing))
        return ""

    def _unchanged(self) -> str:
        if self._guard.changed:
            raise AgentFailedError("has written to its arguments")
        return ""

    def _seeds(self) -> str:
        other = 0
        for name, answers in self._known():
            games = self._games[name]
            seeds = chance.derive(_seeds(games), 2)
            other += int((self._ask(games, seeds) != answers).sum())
        total = sum(len(answers) for _, answers in self._known())
        return f"other seeds, other action: {other} of {total} positions"

    def _time(self) -> str:
        return f"{1000 * self._seconds / max(self._decisions, 1):.3g} ms on average"

    def _known(self) -> Iterator[tuple[str, NDArray[np.int64]]]:
        """The tables with answers that others can be compared with.

        Raises:
            AgentFailedError: if there is none.
        """
        if not self._answers:
            raise AgentFailedError("has answered at no table with legal actions")
        yield from self._answers.items()


def _positions(rules: Rules, count: int, number: int) -> NDArray[np.void]:
    """Running games after random plays: (count,) GAME, each waiting for a choice."""
    found: list[Any] = []
    seed = 0
    while len(found) < count:
        seeds = chance.derive(np.arange(seed, seed + count, dtype=np.uint64), number)
        games = batch.deal(rules, seeds)
        plies = (chance.derive(seeds, 3) % np.uint64(_LATEST)).astype(np.int64)
        for ply in range(_LATEST):
            batch.play_forced(games)
            actions = sampling.sample(batch.legal_mask(games), chance.derive(seeds, 4, ply))
            due = np.flatnonzero(plies > ply)
            going = games[due]
            batch.step(going, actions[due])
            games[due] = going
        batch.play_forced(games)
        found += list(games[games["over"] != GAME_OVER])
        seed += count
    return np.array(found[:count], games.dtype)


def _seeds(games: NDArray[np.void]) -> NDArray[np.uint64]:
    return chance.derive(np.arange(len(games), dtype=np.uint64), 5)


def _compare(
    answers: NDArray[np.int64], expected: NDArray[np.int64], games: NDArray[np.void]
) -> None:
    different = np.flatnonzero(answers != expected)
    if len(different):
        row = int(different[0])
        raise AgentFailedError(
            f"answered {len(different)} of {len(games)} otherwise, first {answers[row]} after "
            f"{expected[row]}, {_at(games[row])}"
        )


def _at(game: np.void) -> str:
    return f"at {notation.format_position(game)}"
