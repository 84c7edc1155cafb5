"""How strong the agents are: each against the one below it, and against three kinds of yardstick.

    python -m experiments.ladder results/ladder.json          # all of it, tens of minutes
    python -m experiments.ladder results/ladder.json --deals 20

One agent sits among opponents of one kind, in every seat of every deal: a deal's mean margin is one
observation. Deals are the same for all agents. Every comparison is written down when it is
finished; the same command goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy import stats

import agents
import chickenfoot_env
from chickenfoot_env import batch, chance
from chickenfoot_env.rules import Rules
from experiments import match
from experiments.costs import Costs
from experiments.statistics import student

SEED: Final = 20_261_130
_DEALS, _DECISIONS = 1, 2  # what a seed is for
_AT_ONCE: Final = 64  # deals played in one batch

TABLES: Final = ("ladder", "plain", "learned", "time", "budget", "gain", "ablation")
FLAT: Final = "flat_mc:worlds=64"
MCTS: Final = "mcts:iterations=1000"
# Heaviest tile, 1.5 pips for each own tile that fits the end it leaves, 3 for a double.
PLAIN: Final = "heuristic:double=3,follow_up=1.5,hidden=0,hidden_double=0,closed=0"


@dataclass(frozen=True)
class Question:
    """One agent among opponents of another kind.

    Attributes:
        table: of the page that it stands in.
        agent: a spec for `agents.make`.
        field: the spec of all its opponents.
        players: seats.
        deals: how many, each played in every seat.
        less: the spec of an agent that is asked about on the same deals; the answer is by how much
            the first is better. "": there is none.
    """

    table: str
    agent: str
    field: str
    players: int
    deals: int
    less: str = ""


def questions(deals: int) -> Iterator[Question]:
    """All comparisons.

    With searchers on `deals` deals, or half as many at the large tables, where games take long and
    have many seats; without, on ten times as many.
    """
    rungs = [("greedy", "random"), ("heuristic", "greedy"), (FLAT, "heuristic")]
    rungs += [(MCTS, "heuristic"), (MCTS, FLAT), ("oracle", MCTS), ("oracle", "heuristic")]
    rungs += [("oracle:tree=all", MCTS)]
    for players in (2, 3, 4, 6, 8):
        for agent, field in rungs:
            quick = {agent, field} <= {"random", "greedy", "heuristic"}
            searched = deals if players < 6 else max(deals // 2, 2)
            yield Question("ladder", agent, field, players, 10 * deals if quick else searched)
    for players in (2, 4):
        yield Question("plain", PLAIN, "random", players, 10 * deals)
        yield Question("plain", PLAIN, "greedy", players, 10 * deals)
        for agent in ("heuristic", "ppo"):
            yield Question("plain", agent, PLAIN, players, 10 * deals)
        for agent in (FLAT, MCTS, "mcts:iterations=6000", "ppo_mcts", "oracle"):
            yield Question("plain", agent, PLAIN, players, deals)
    for players in (2, 3, 4, 6, 8):
        yield Question("learned", "ppo", "heuristic", players, 10 * deals)
    for players in (2, 4):
        yield Question("learned", "ppo", FLAT, players, 2 * deals)
        yield Question("learned", "ppo_mcts", "heuristic", players, deals)
        yield Question("learned", "ppo_mcts", "ppo", players, deals)
        yield Question("learned", "ppo_mcts:ms=5", "mcts:ms=5", players, deals)
    yield Question("learned", "ppo_mcts:iterations=6000", "heuristic", 4, deals)
    for players in (2, 3, 4):
        yield Question("time", "mcts:ms=5", "flat_mc:ms=5", players, deals)
    for players in (2, 4):
        for iterations in (300, 1500, 6000, 30_000):
            spec = f"mcts:iterations={iterations}"
            few = max(deals // 4, 2) if iterations == 30_000 else deals
            yield Question("budget", spec, "heuristic", players, few)
        if players == 4:
            most, less = "mcts:iterations=30000", "mcts:iterations=6000"
            yield Question("gain", most, "heuristic", players, 2 * deals, less)
        for spec in (
            f"{MCTS},evidence=0",
            f"{MCTS},endgame=0",
            f"{MCTS},tree=all",
            f"{MCTS},rollout=greedy",
            f"{MCTS},rollout=random",
            "flat_mc:worlds=240",
            "flat_mc:worlds=240,evidence=0",
        ):
            yield Question("ablation", spec, "heuristic", players, deals)


def answer(question: Question) -> dict[str, Any]:
    """The margin of a round with its interval, the share of wins, and what decisions cost.

    With 8 seats the set is a double-twelve, else a double-nine; one round, its highest starter.
    """
    top = 12 if question.players > 7 else 9
    rules = Rules(players=question.players, max_pip=top, rounds=(top,))
    margins, wins, costs = _observe(rules, question.agent, question.field, question.deals)
    if question.less:
        others = _observe(rules, question.less, question.field, question.deals)
        margins, wins = margins - others[0], wins - others[1]
    decisions, simulations, seconds = costs
    margin, share = student(margins), student(wins)
    return {
        **asdict(question),
        "max_pip": top,
        "margin": margin.mean,
        "low": margin.low,
        "high": margin.high,
        "p": float(stats.ttest_1samp(margins, 0.0, alternative="greater").pvalue),
        "win_share": share.mean,
        "simulations": simulations / decisions,
        "ms": 1000 * seconds / decisions,
    }


def _observe(
    rules: Rules, agent: str, field: str, deals: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each deal the agent's mean margin and share of wins; and its costs in all."""
    line_up = [agents.make(agent), agents.make(field)]
    parts = [
        _play(rules, line_up, np.arange(first, min(first + _AT_ONCE, deals)))
        for first in range(0, deals, _AT_ONCE)
    ]
    margins, wins = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    return margins, wins, np.sum([part[2] for part in parts], axis=0)


def _play(
    rules: Rules, line_up: Sequence[agents.Agent], deals: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each deal the first agent's mean margin and share of wins; and its costs in all."""
    seats = rules.players
    seeds = np.repeat(chance.derive(np.full(len(deals), SEED, np.uint64), deals), seats)
    games = batch.deal(rules, chance.derive(seeds, _DEALS), draw_stride=rules.private_stride)
    seating = np.tile(1 - np.eye(seats, dtype=np.int64), (len(deals), 1))
    costs = Costs.nothing(len(games), 2)
    match.play(line_up, games, chance.derive(seeds, _DECISIONS), seating=seating, costs=costs)
    mine = np.arange(len(games)), np.tile(np.arange(seats), len(deals))
    ranks = batch.standings(games)
    first = (ranks == 1).sum(axis=1)
    wins = np.where(ranks[mine] == 1, 1 / first, 0.0)
    spent = [costs.decisions[:, 0].sum(), costs.simulations[:, 0].sum(), costs.seconds[:, 0].sum()]
    return (
        batch.margins(games)[mine].reshape(-1, seats).mean(axis=1),
        wins.reshape(-1, seats).mean(axis=1),
        np.array(spent, float),
    )


def line(one: dict[str, Any]) -> str:
    """A comparison in a line of text."""
    agent = one["agent"] + (f" less {one['less']}" if one["less"] else "")
    return (
        f"{one['players']} seats  {agent:34} {one['field']:22}"
        f" {one['margin']:+7.2f} ({one['low']:+.2f} to {one['high']:+.2f})  p {one['p']:.1g}"
        f"  wins {one['win_share']:.1%}  {one['simulations']:,.0f} sims {one['ms']:.2f} ms"
    )


def main(words: Sequence[str]) -> None:
    """Answer the questions that the file does not, one after the other."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="JSON, made or gone on with")
    parser.add_argument("--only", choices=TABLES, help="one table; all, if it is not given")
    parser.add_argument("--deals", type=int, default=400, help="of a comparison with searchers")
    options = parser.parse_args(words)
    if options.deals < 2:
        parser.error(f"--deals {options.deals}: wanted are 2 or more")
    known: dict[str, Any] = {"facts": {}, "comparisons": []}
    if options.file.exists():
        known = json.loads(options.file.read_text(encoding="utf-8"))
    done = [{k: one.get(k, "") for k in Question.__annotations__} for one in known["comparisons"]]
    known["facts"] = {
        "chickenfoot": chickenfoot_env.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
    }
    for question in questions(options.deals):
        if asdict(question) in done or options.only not in (None, question.table):
            continue
        found = answer(question)
        known["comparisons"].append(found)
        options.file.parent.mkdir(parents=True, exist_ok=True)
        options.file.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
        print(line(found), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
