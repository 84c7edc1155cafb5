"""The decision that the search agents share: every action tried in the same worlds.

A *world* is a full game that agrees with all that the seat knows (`chickenfoot_env.worlds`); the
oracle has but one, the true game. A *simulation* is one action tried in one world and the round
played on from there: through the tree, if there is one (`agents.tree`), then by one simple policy
for all seats (`agents.playout`), or solved exactly if few tiles are left and none can be drawn
(`agents.endgame`). The actions share their worlds, so that the luck of a world is not what tells
them apart.

The budget is spent by sequential halving (Karnin, Koren, Somekh: Almost optimal exploration in
multi-armed bandits, 2013): in each of ceil(log2 n) stages the remaining actions get equal parts,
and the worse half of them is given up. An action's mean margin of the round counts together with
what the heuristic, or another adviser, thinks of it before, as if that were so many simulations.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents import endgame
from agents.base import AgentError, check_question
from agents.playout import earned, play_on
from agents.tree import (
    MOST_ACTIONS,
    NONE,
    PRIOR,
    Tree,
    believed,
    clear,
    descend,
    learn,
    make_tree,
    rate_actions,
)
from chickenfoot_env import kernels
from chickenfoot_env.chance import fold
from chickenfoot_env.game import BONEYARD, GAME, UNKNOWN
from chickenfoot_env.jit import Record, compiled, part, records, whole
from chickenfoot_env.placing import PLAN, make_plan
from chickenfoot_env.rules import MAX_PLAYERS
from chickenfoot_env.tiles import Rows, action_count
from chickenfoot_env.view import VIEW
from chickenfoot_env.worlds import deal_hidden, write_public

MAX_ENDGAME: Final = 24  # tiles; more take too long
_MEMO: Final = 2**14  # solved endgames that are kept
_STEPS: Final = 20_000  # to solve one
_CHUNK: Final = 0.001  # seconds between two looks at the clock, about


class Method(NamedTuple):
    """How a simulation goes on behind the root's action.

    Attributes:
        policy: of the playout, see `playout`.
        nodes: whose later decisions are searched, see `tree`.
        endgame: tiles that the seats may hold together for an exact solution; 0: never.
        evidence: whether worlds respect what draws and passes have shown.
        prior: simulations that the opinion of an action before any is worth.
    """

    policy: int
    nodes: int
    endgame: int
    evidence: bool
    prior: float = PRIOR


@dataclass(frozen=True)
class Budget:
    """What a decision may cost.

    Attributes:
        each: simulations for each legal action, on average.
        total: simulations in all.
        seconds: of wall time in all. Above 0 it is the only limit.
    """

    each: int = 0
    total: int = 0
    seconds: float = 0.0


def budget(agent: str, ms: float, each: int = 0, total: int = 0) -> Budget:
    """A budget of so many milliseconds or, where that is 0, of so many simulations.

    Raises:
        AgentError: for a time that is not allowed; `agent` is for the message.
    """
    if not 0 <= ms <= 3_600_000:
        raise AgentError(f"ms={ms:g} of {agent}: allowed are 0 (no limit) to 3,600,000")
    return Budget(seconds=ms / 1000) if ms else Budget(each, total)


def method(
    agent: str, policy: int, nodes: int, endgame: int, evidence: int = 1, prior: float = PRIOR
) -> Method:
    """A method, if it is one.

    Raises:
        AgentError: for an option that is not allowed; `agent` is for the message.
    """
    check_option(agent, "endgame", endgame, 0, MAX_ENDGAME)
    check_option(agent, "evidence", evidence, 0, 1)
    return Method(policy, nodes, endgame, evidence == 1, prior)


def check_option(agent: str, option: str, value: int, low: int, high: int) -> None:
    """Refuse an option that is out of range.

    Raises:
        AgentError: if it is.
    """
    if not low <= value <= high:
        raise AgentError(f"{option}={value} of {agent}: allowed are {low:,} to {high:,}")


class Room(NamedTuple):
    """What a decision is worked out in.

    Attributes:
        question: (1,) VIEW, what the seat sees.
        known: (1,) GAME, what is the same in all worlds.
        world, trial: (1,) GAME, the world, and the action tried in it.
        plan: (1,) PLAN, where the hidden tiles may lie.
        actions: (A,) int64, those not given up, ascending.
        opinions: (A,) float64, what is thought of each before, in pips of margin.
        sums: (A,) float64, the margins of each one's simulations, in pips.
        margins: (N,) float64, of each seat in one simulation.
        tree: what is known of later decisions.
        endgame: what endgames are solved in.
    """

    question: NDArray[np.void]
    known: NDArray[np.void]
    world: NDArray[np.void]
    trial: NDArray[np.void]
    plan: NDArray[np.void]
    actions: NDArray[np.int64]
    opinions: NDArray[np.float64]
    sums: NDArray[np.float64]
    margins: NDArray[np.float64]
    tree: Tree
    endgame: endgame.Room


@compiled
def make_room(tiles: int) -> Room:
    """Room for decisions that solve endgames of so many tiles."""
    return Room(
        np.zeros(1, VIEW),
        np.zeros(1, GAME),
        np.zeros(1, GAME),
        np.zeros(1, GAME),
        np.zeros(1, PLAN),
        np.zeros(MOST_ACTIONS, np.int64),
        np.zeros(MOST_ACTIONS),
        np.zeros(MOST_ACTIONS),
        np.zeros(MAX_PLAYERS),
        make_tree(),
        endgame.make_room(tiles, _MEMO),
    )


Adviser = Callable[[NDArray[np.void], int, "Room", int], None]


class Search:
    """Decisions by one method and budget.

    Args:
        method: how a simulation goes on.
        budget: of each decision.
        adviser: given the views, a row, the room and its number of actions, puts other opinions in
            place of the heuristic's.

    Attributes:
        simulations: how many there have been.
    """

    def __init__(self, method: Method, budget: Budget, adviser: Adviser | None = None) -> None:
        """Prepare nothing yet: a room is made, and code compiled, at the first decision."""
        self._method = method
        self._budget = budget
        self._adviser = adviser
        self._rooms: list[Room] = []  # those that no thread is in
        self.simulations = 0

    def choose(self, questions: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """One action for each record.

        Args:
            questions: (B,) VIEW, whose worlds are sampled; or (B,) GAME, each its own world.
            seeds: (B,) uint64; without `seconds` action i follows from row i of both alone.

        Raises:
            ValueError: for a view that no game can give.
        """
        return self._decisions(questions, seeds, None)

    def values(self, questions: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.float64]:
        """What `choose` finds out about each action on the way: see `Evaluator.values`.

        Args:
            questions: as for `choose`.
            seeds: as for `choose`.

        Raises:
            ValueError: as `choose` does.
        """
        most = action_count(int(questions["max_pip"].max(initial=0)))
        values = np.full((len(questions), most), np.nan)
        self._decisions(questions, seeds, values)
        return values

    def _decisions(
        self,
        questions: NDArray[np.void],
        seeds: NDArray[np.uint64],
        values: NDArray[np.float64] | None,
    ) -> NDArray[np.int64]:
        """The actions chosen; the values are filled in if they are wanted."""
        room = self._rooms.pop() if self._rooms else make_room(max(self._method.endgame, 1))
        actions = np.empty(len(questions), np.int64)
        rows = records(questions)
        for i in range(len(rows)):
            found = None if values is None else values[i]
            spent = self._decide_one(rows, i, seeds[i], room, found)
            if spent < 0:
                raise ValueError(f"view {i} is of no game: wanted are views made by view.observe")
            self.simulations += spent
            actions[i] = room.actions[0]
        self._rooms.append(room)
        return actions

    def _decide_one(
        self,
        rows: NDArray[np.void],
        i: int,
        seed: np.uint64,
        room: Room,
        values: NDArray[np.float64] | None,
    ) -> int:
        """Bring the best action for a record to the front; the simulations, below 0 if in vain."""
        sampled = rows.dtype.names != GAME.names
        look_at = look if sampled else look_behind
        count = look_at(rows, i, self._method, room)
        if count < 2:
            return min(count, 0)
        if self._adviser is not None:
            self._adviser(rows, i, room, count)
        return _decide(room, self._method, sampled, count, seed, self._budget, values)


class SearchAgent:
    """An agent that searches in worlds sampled from its view. Its constructor sets `_search`."""

    _search: Search

    def act(self, views: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """One action for each view; see `Agent.act`."""
        views, seeds = check_question(views, seeds)
        return self._search.choose(views, seeds)

    def values(self, views: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.float64]:
        """What it thinks of each action; see `base.Evaluator`."""
        views, seeds = check_question(views, seeds)
        return self._search.values(views, seeds)

    @property
    def simulations(self) -> int:
        """How many simulations there have been so far."""
        return self._search.simulations


def _decide(
    room: Room,
    method: Method,
    sampled: bool,
    count: int,
    seed: np.uint64,
    budget: Budget,
    values: NDArray[np.float64] | None,
) -> int:
    """Bring the best of the room's actions to the front; the number of simulations.

    That is below 0 for a view of no game. With (A,) `values`, each action's mean margin is written
    there when it is given up, or chosen.
    """
    start = time.perf_counter()
    stages = (count - 1).bit_length()
    total = budget.total or budget.each * count
    worlds = simulations = 0
    for stage in range(stages):
        if budget.seconds > 0:
            end = start + budget.seconds * (stage + 1) / stages
            more = _simulate_until(end, room, method, sampled, count, seed, worlds)
        else:
            more = max(1, total // (stages * count))
            if not simulate(room, method, sampled, count, seed, worlds, more):
                more = -1
        if more < 0:
            return -1
        worlds += more
        simulations += more * count
        if values is not None:
            values[room.actions[:count]] = room.sums[:count] / worlds
        count = keep_better_half(room, count, worlds, method.prior)
    return simulations


def _simulate_until(
    end: float,
    room: Room,
    method: Method,
    sampled: bool,
    count: int,
    seed: np.uint64,
    first: int,
) -> int:
    """Simulate in new worlds until the clock shows `end`; how many they were, or -1 as above."""
    worlds, chunk = 0, 1
    now = time.perf_counter()
    while worlds == 0 or now < end:
        before = now
        if not simulate(room, method, sampled, count, seed, first + worlds, chunk):
            return -1
        worlds += chunk
        now = time.perf_counter()
        if now - before < _CHUNK / 2:
            chunk *= 2
    return worlds


@compiled
def look(views: NDArray[np.void], i: int, method: Method, room: Room) -> int:
    """Begin with the decision of a view; the number of legal actions, or -1 if it is of no game."""
    room.question[0] = views[i]
    v = room.question[0]
    count = _list_actions(v, v.hand, v.boneyard, room)
    if count > 1:
        if not method.evidence:
            for seat in range(v.players):
                for pip in range(v.max_pip + 1):
                    v.drawn_since[seat, pip] = UNKNOWN
        if not make_plan(v, room.plan[0]):
            return -1
        blank = np.zeros(1, GAME)
        room.known[0] = blank[0]
        write_public(v, room.known[0])
        _prepare_endgame(room, method)
    return count


@compiled
def look_behind(games: NDArray[np.void], i: int, method: Method, room: Room) -> int:
    """Begin with the decision that a game waits for; the number of legal actions."""
    room.known[0] = games[i]
    g = room.known[0]
    _prepare_endgame(room, method)
    return _list_actions(g, g.held[g.seat], g.hand_count[BONEYARD], room)


@part
def _prepare_endgame(room: Room, method: Method) -> None:
    """Begin with an empty memo, so that a decision depends on nothing solved before."""
    if method.endgame > 0 and endgame.is_solvable(room.known[0], method.endgame):
        endgame.forget(room.endgame)


@part
def _list_actions(r: Record, hand: Rows, boneyard: int, room: Room) -> int:
    """Write all legal actions and forget all else; how many they are."""
    plays = kernels.count_plays(r, hand)
    count = kernels.count_legal(r, plays, boneyard)
    best = rate_actions(r, hand, boneyard, plays, count, room.actions, room.opinions)
    for n in range(count):
        room.opinions[n] = believed(room.opinions[n] - best)
        room.sums[n] = 0.0
    clear(room.tree)
    return count


@compiled
def simulate(
    room: Room,
    method: Method,
    sampled: bool,
    count: int,
    seed: np.uint64,
    first: int,
    worlds: int,
) -> bool:
    """Try the first `count` actions in so many worlds; False if the view is of no game.

    Args:
        room: after `look` or `look_behind`.
        method: how a simulation goes on.
        sampled: whether hidden tiles are to be dealt; else the known game is the world.
        count: actions to try.
        seed: what all worlds of the decision follow from.
        first: the number of the first world.
        worlds: how many of them.
    """
    seat = whole(room.known[0].seat)
    for number in range(first, first + worlds):
        stream = fold(seed, number)
        room.world[0] = room.known[0]
        if sampled and not deal_hidden(room.plan[0], room.world[0], stream):
            return False
        for n in range(count):
            _simulate_one(room, method, seat, room.actions[n], stream)
            room.sums[n] += room.margins[seat]
    return True


@part
def _simulate_one(room: Room, method: Method, seat: int, action: int, stream: np.uint64) -> None:
    """Try an action in the room's world, and write what every seat earns."""
    world, trial = room.world[0], room.trial[0]
    room.trial[0] = world
    kernels.apply(trial, action)
    if method.endgame > 0 and endgame.is_solvable(world, method.endgame):
        if endgame.solve(trial, world, room.endgame, _STEPS, room.margins) != endgame.UNSOLVED:
            return
    depth = whole(0)
    if method.nodes != NONE:
        depth = descend(trial, seat, room.tree, method.nodes, method.policy, action, stream)
    play_on(trial, method.policy, stream)
    for other in range(trial.players):
        room.margins[other] = earned(trial, world, other)
    learn(room.tree, depth, room.margins)


@compiled
def keep_better_half(room: Room, count: int, simulations: int, prior: float) -> int:
    """Put the better half of the actions first, each in its old order; how many these are.

    Args:
        room: after `simulate`.
        count: actions that are left.
        simulations: that each of them has had.
        prior: simulations that its opinion is worth.
    """
    keep = (count + 1) // 2
    while count > keep:
        worst = count - 1
        for n in range(count - 2, -1, -1):
            if _merit(room, n, simulations, prior) < _merit(room, worst, simulations, prior):
                worst = n
        for n in range(worst, count - 1):
            room.actions[n] = room.actions[n + 1]
            room.opinions[n] = room.opinions[n + 1]
            room.sums[n] = room.sums[n + 1]
        count -= 1
    return count


@part
def _merit(room: Room, n: int, simulations: int, prior: float) -> float:
    """An action's mean margin, the opinion of it counted in, but for a common term."""
    return float((room.sums[n] + prior * room.opinions[n]) / (simulations + prior))
