"""Blocks of a tournament: who sits where, the games, and what is kept of them.

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
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents import Agent
from chickenfoot_env import batch, chance, view
from experiments import game_file, match, store
from experiments.costs import Costs
from experiments.isolation.guard import Guard
from experiments.tournament import deals as dealing
from experiments.tournament import formats
from experiments.tournament.spec import TournamentSpec

DECISIONS, SEATS = 2, 3  # what a seed is for; 1 is for deals


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
