"""The run that plays a tournament into its results file.

A *block* is one deal under all rotations of one line-up, so that each entry has each seat and each
hand equally often. Rotations keep who sits behind whom, and that matters: it pays to sit behind a
weak agent. So the order of a line-up is drawn anew for each deal, the same for all its rotations.
Where a block is a deal under all permutations of the line-up, there is nothing to draw.

The deals and the seeds of decisions depend on the tournament's seed and the deal alone. Copies of
one agent therefore play the same game in every rotation, and their margins are exactly zero in
every block.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import agents
import chickenfoot_env
from agents import Agent, plugins
from chickenfoot_env import batch, chance, view
from experiments import deals as dealing
from experiments import formats, game_file, match, store
from experiments.costs import Costs
from experiments.guard import Guard
from experiments.pace import Pace
from experiments.spec import TournamentError, TournamentSpec
from experiments.until import Watch
from experiments.workers import Workers

DECISIONS, SEATS = 2, 3  # what a seed is for; 1 is for deals


def run(
    spec: TournamentSpec,
    path: Path,
    *,
    resume: bool = False,
    batch_size: int = 4096,
    workers: int = 0,
    ray: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    games: Path | None = None,
) -> None:
    """Play a tournament into the results file at `path`.

    Args:
        spec: what to play.
        path: the file; its folder is made if need be.
        resume: go on behind the last block in the file, if there is one.
        batch_size: games played at once, at most; the results do not depend on it. At least one
            block is played at once.
        workers: processes that play; the results do not depend on it. 0: this process, and then
            no agent is guarded; see `experiments.limits`.
        ray: address of a Ray cluster that plays instead; see `experiments.ray_cluster`.
        progress: told the finished blocks and all blocks, at the start and after each commit.
        games: a file for the record of every game, in the order of blocks and rotations.

    Raises:
        ValueError: for an unknown agent or a batch size below 1, or a file of games that cannot be
            written or does not go with the results.
        StoreError: if the file cannot be written, or is not one to go on with.
    """
    if batch_size < 1:
        raise TournamentError(f"batch_size={batch_size}: allowed are whole numbers from 1")
    if workers < 0:
        raise TournamentError(f"workers={workers}: allowed are whole numbers from 0")
    most = max(batch_size // spec.games_per_block, 1)
    with contextlib.ExitStack() as stack:
        crew = stack.enter_context(_crew(spec, workers, ray, record=games is not None))
        results = stack.enter_context(
            store.writing(path, _header(spec, crew.cheats), resume=resume)
        )
        if games is not None:
            game_file.begin(games, results.blocks_done * spec.games_per_block)
        if progress is not None:
            progress(results.blocks_done, spec.blocks)
        watch = Watch(spec, path)
        results.enough = watch.decided
        left = () if results.enough else crew.play(results.blocks_done, spec.blocks, most)
        for block in left:
            if games is not None:
                game_file.append(games, block.records)
            results.add(block)
            if progress is not None:
                progress(results.blocks_done, spec.blocks)
            results.enough = watch.add(block)
            if results.enough:
                break  # what else was played is not in the file


def _crew(spec: TournamentSpec, workers: int, ray: str | None, *, record: bool) -> _Crew:
    if ray is not None:
        from experiments.ray_cluster import RayCluster

        return RayCluster(spec, ray, record=record)
    return Workers(spec, workers, record=record) if workers else _Alone(spec, record=record)


class _Crew(contextlib.AbstractContextManager["_Crew"], Protocol):
    """Whoever plays the blocks; `cheats` says which entries are handed game records."""

    cheats: list[bool]

    def play(self, first: int, stop: int, most: int) -> Iterator[store.Block]:
        """The blocks from `first` to before `stop`, in order; at most `most` of them at once."""


class _Alone(contextlib.AbstractContextManager["_Alone"]):
    """This process."""

    def __init__(self, spec: TournamentSpec, *, record: bool) -> None:
        self._spec = spec
        self._record = record
        self._players = [agents.make(agent) for agent in spec.agents]
        self.cheats = [match.cheats(player) for player in self._players]

    def __exit__(self, *_: object) -> None:
        """Nothing has to be ended."""

    def play(self, first: int, stop: int, most: int) -> Iterator[store.Block]:
        if first < stop:
            warm_up(self._spec, self._players)
        pace = Pace(most)
        while first < stop:
            began = time.perf_counter()
            end = min(first + pace.size, stop)
            blocks = np.arange(first, end)
            yield from play_blocks(self._spec, self._players, blocks, record=self._record)
            pace.took(time.perf_counter() - began, end - first)
            first = end


def warm_up(spec: TournamentSpec, players: Sequence[Agent]) -> None:
    """One question to each agent, off the record: what it compiles or loads is no decision's cost.

    An agent that fails here will fail on the record too. A guarded one has had its question.
    """
    game = batch.deal(spec.rules, np.zeros(1, np.uint64), draw_stride=spec.rules.private_stride)
    batch.play_forced(game)
    for player in players:
        if isinstance(player, Guard):
            continue
        seat = game["seat"].astype(np.int64)
        shown = game.copy() if match.cheats(player) else view.observe(game, seat)
        with contextlib.suppress(Exception, SystemExit):
            player.act(shown, np.zeros(1, np.uint64))


def seat_orders(spec: TournamentSpec, blocks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Who sits where: (B, G, N) int64, the entry in each seat, by block and seating.

    There are G = N rotations, or as many permutations as there are.
    """
    line_ups = np.array(spec.line_ups(), np.int64)  # (L, N)
    deals, line_up = np.divmod(blocks, len(line_ups))
    if spec.seatings == "permutations":
        return np.array([formats.permutations(one) for one in line_ups.tolist()])[line_up]
    seeds = chance.derive(np.full(len(blocks), spec.seed, np.uint64), deals, SEATS)
    seats = np.arange(spec.rules.players)
    keys = np.stack([chance.derive(seeds, int(seat)) for seat in seats], axis=1)
    order = np.take_along_axis(line_ups[line_up], keys.argsort(axis=1, kind="stable"), axis=1)
    return order[:, (seats[:, None] + seats) % len(seats)]


def play_blocks(
    spec: TournamentSpec,
    players: Sequence[Agent],
    blocks: NDArray[np.int64],
    *,
    record: bool = False,
) -> Iterator[store.Block]:
    """Play these blocks at once, and give them back in order."""
    line_ups, per_block = len(spec.line_ups()), spec.games_per_block
    seating = seat_orders(spec, blocks).reshape(-1, spec.rules.players)  # (B G, N)
    deals = np.repeat(blocks // line_ups, per_block)
    seeds = np.full(len(deals), spec.seed, np.uint64)
    games = batch.deal(
        spec.rules, dealing.seeds(spec.seed, deals), draw_stride=spec.rules.private_stride
    )
    faults: list[match.Fault] = []
    costs = Costs.nothing(len(games), len(players))
    decisions: list[NDArray[np.int64]] | None = [] if record else None
    match.play(
        players,
        games,
        chance.derive(seeds, deals, DECISIONS),
        faults,
        seating=seating,
        costs=costs,
        decisions=decisions,
    )
    records = _records(spec, games, decisions, seating) if decisions is not None else []
    rows = list(_rows(seating, games, faults))
    for i, number in enumerate(blocks.tolist()):
        its_games = slice(i * per_block, (i + 1) * per_block)
        mine = rows[its_games]
        yield store.Block(
            block=number,
            deal=number // line_ups,
            line_up=number % line_ups,
            games=[(r, *rounds) for r, (rounds, _, _) in enumerate(mine)],
            seats=[(r, *seat) for r, (_, sheet, _) in enumerate(mine) for seat in sheet],
            faults=[(r, *fault) for r, (_, _, wrong) in enumerate(mine) for fault in wrong],
            costs=_spent(costs, its_games, np.unique(seating[its_games]).tolist()),
            records=records[its_games],
        )


def _records(
    spec: TournamentSpec,
    games: NDArray[np.void],
    decisions: Sequence[NDArray[np.int64]],
    seating: NDArray[np.int64],
) -> list[str]:
    """The games as text."""
    names = [[spec.labels[entry] for entry in row] for row in seating.tolist()]
    played = game_file.record_games(spec.rules, games, decisions, names)
    return [game.to_json() for game in played]


def _spent(costs: Costs, games: slice, entries: Sequence[int]) -> list[Any]:
    """Rows of the table costs: the sums over these games, for each of these entries."""
    kinds = (costs.decisions, costs.simulations, costs.seconds)
    sums = [kind[games].sum(axis=0).tolist() for kind in kinds]  # each (E,)
    return [(e, *(kind[e] for kind in sums)) for e in entries]


def charge(
    points: NDArray[np.int64], ranks: NDArray[np.int64], forfeited: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What forfeits cost: no share of the win, and at least as many points as any other seat.

    Args:
        points: (B, N) as played, with a stand-in for the seat that forfeited.
        ranks: (B, N) as played.
        forfeited: (B, N).

    Returns:
        points (B, N), and ranks (B, N): 0 where forfeited, elsewhere among the seats that did not.
    """
    worst = points.max(axis=1, keepdims=True, initial=0)
    ahead = (ranks[:, None, :] < ranks[:, :, None]) & ~forfeited[:, None, :]
    return np.where(forfeited, worst, points), np.where(forfeited, 0, 1 + ahead.sum(axis=2))


def _rows(
    seating: NDArray[np.int64], games: NDArray[np.void], faults: Sequence[match.Fault]
) -> Iterator[tuple[tuple[int, int], list[Any], list[Any]]]:
    """For each game its rounds and blocked rounds, and its rows of the tables seats and faults."""
    played = games["points"][:, : seating.shape[1]].astype(np.int64)
    forfeited = np.zeros(played.shape, np.bool_)
    wrong: list[list[Any]] = [[] for _ in games]
    for f in sorted(faults, key=lambda fault: fault.seat):
        forfeited[f.game, f.seat] = True
        wrong[f.game].append((f.seat, f.round, f.ply, int(played[f.game, f.seat]), f.message))
    points, ranks = charge(played, batch.standings(games), forfeited)
    rounds = (games["round"].astype(np.int64) + 1).tolist()
    blocked = games["blocked_rounds"].tolist()
    sheets = np.stack([seating, points, ranks], axis=2).tolist()
    for g, sheet in enumerate(sheets):
        yield (rounds[g], blocked[g]), [(seat, *row) for seat, row in enumerate(sheet)], wrong[g]


def _installed(spec: TournamentSpec) -> dict[str, dict[str, str]]:
    """The distributions of the agents that are not of this package, with their versions."""
    names = {name.partition(":")[0] for name in spec.agents if not agents.is_own(name)}
    origins = {name: origin for name in sorted(names) if (origin := plugins.origin(name))}
    return {"installed": origins} if origins else {}


def _header(spec: TournamentSpec, cheats: Sequence[bool]) -> store.Header:
    return store.Header(
        run={
            "agents": list(spec.agents),
            "rules": dataclasses.asdict(spec.rules),
            "deals": spec.deals,
            "seed": spec.seed,
            **spec.design(),
            **_installed(spec),
            "chickenfoot": chickenfoot_env.__version__,
        },
        facts={"numpy": np.__version__, "command": spec.command()},
        entries=list(zip(spec.labels, spec.agents, cheats, strict=True)),
        line_ups=spec.line_ups(),
        blocks=spec.blocks,
    )
