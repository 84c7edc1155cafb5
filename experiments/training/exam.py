"""The exam: how a policy does against fixed agents, on the same deals each time.

One policy sits among agents of one kind, and plays each deal from every seat. The deals are none of
those that are trained on, and every starter of the game leads as many of them. Self-play cannot
tell any of this: its mean reward is 0, whatever is learned.
"""

from __future__ import annotations

import dataclasses
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import agents
from chickenfoot_env import batch, chance
from chickenfoot_env.rules import Rules
from experiments import match
from experiments.statistics import Estimate, estimate

SEED: Final = np.uint64(0x45584D)  # of the deals of all exams
_DEALS, _DECISIONS = 1, 2
_AT_ONCE: Final = 4096  # games


class Result(NamedTuple):
    """Of an exam, a round or a game."""

    margin: Estimate  # pips
    wins: Estimate  # share
    p: float  # of a margin as high as this one if the true one were 0: t-test over deals, one-sided


def exam(
    agent: agents.Agent, anchor: str, rules: Rules, deals: int, whole_games: bool = False
) -> Result:
    """The agent's margin and share of wins.

    Args:
        agent: plays one seat.
        anchor: the spec of the agents in all other seats.
        rules: of the table.
        deals: how many, at least; rounded up to a multiple of the starters.
        whole_games: play whole games, not single rounds.
    """
    per_starter = -(-deals // len(rules.starters))
    if whole_games:
        tables, per_starter = [rules], deals
    else:
        tables = [dataclasses.replace(rules, rounds=(pip,)) for pip in rules.starters]
    found = [
        _play(table, [agents.make(anchor), agent], np.arange(per_starter) + number * per_starter)
        for number, table in enumerate(tables)
    ]
    margins, wins = (np.concatenate([part[i] for part in found]) for i in (0, 1))
    p = stats.ttest_1samp(margins, 0.0, alternative="greater").pvalue
    return Result(estimate(margins), estimate(wins), float(p))


def _play(
    rules: Rules, line_up: list[agents.Agent], deals: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The agent's mean margin and share of wins in each deal."""
    seats, margins, wins = rules.players, [], []
    for some in np.array_split(deals, max(1, len(deals) * seats // _AT_ONCE)):
        seeds = np.repeat(chance.derive(np.full(len(some), SEED, np.uint64), some), seats)
        games = batch.deal(rules, chance.derive(seeds, _DEALS), rules.private_stride)
        seating = np.tile(np.eye(seats, dtype=np.int64), (len(some), 1))
        match.play(line_up, games, chance.derive(seeds, _DECISIONS), seating=seating)
        mine = np.arange(len(games)), np.tile(np.arange(seats), len(some))
        ranks = batch.standings(games)
        won = np.where(ranks[mine] == 1, 1.0 / (ranks == 1).sum(axis=1), 0.0)
        margins.append(batch.margins(games)[mine].reshape(-1, seats).mean(axis=1))
        wins.append(won.reshape(-1, seats).mean(axis=1))
    return np.concatenate(margins), np.concatenate(wins)
