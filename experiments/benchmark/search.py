"""Measurements of what search agents do most: sampling worlds, and simulating in them.

The positions are decisions with a choice in a round of double-nine with four seats, played by the
heuristic: for worlds late in it, for simulations at all its times.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

import agents
from chickenfoot_env import batch, chance, view, worlds
from chickenfoot_env.game import GAME_OVER
from chickenfoot_env.rules import Rules
from experiments.benchmark.measurement import Measurement, Run, Scale, clock

RULES: Final = Rules(players=4, rounds=(9,))
POSITIONS: Final = 64
LATE: Final = 10  # real choices before a position is late
WORLDS: Final = 64  # of a view, sampled at once


def positions(count: int, ticks: Callable[[int], int]) -> NDArray[np.void]:
    """Views of seats that have a choice: of game i, dealt by seed i, after ticks(i) choices."""
    heuristic = agents.make("heuristic")
    found: list[NDArray[np.void]] = []
    seed = 0
    while len(found) < count:
        games = batch.deal(RULES, np.array([seed], np.uint64))
        for _ in range(ticks(seed) + 1):
            batch.play_forced(games)
            seen = view.observe(games, games["seat"])
            batch.step(games, heuristic.act(seen, np.zeros(1, np.uint64)))
        if seen["over"][0] != GAME_OVER:
            found.append(seen)
        seed += 1
    return np.concatenate(found)


def sampled_worlds(scale: Scale) -> Run:
    """Worlds of late positions; here a step is a world."""
    views = positions(scale.games(POSITIONS), lambda seed: LATE)
    seeds = np.arange(len(views), dtype=np.uint64)
    repeats = max(1, scale.steps(200_000) // (WORLDS * len(views)))

    def run() -> tuple[int, float]:
        began = clock()
        for number in range(repeats):
            worlds.sample_worlds(views, chance.derive(seeds, number), WORLDS)
        return repeats * WORLDS * len(views), clock() - began

    return run


def simulations(spec: str, scale: Scale) -> Run:
    """Decisions of a search agent; here a step is a simulation, played to the round's end."""
    views = positions(scale.games(POSITIONS), lambda seed: seed % (2 * LATE))
    seeds = np.arange(len(views), dtype=np.uint64)
    agent = agents.make(spec)

    def run() -> tuple[int, float]:
        before, began = agent.simulations, clock()  # type: ignore[attr-defined]  # searchers count
        agent.act(views, seeds)
        return agent.simulations - before, clock() - began  # type: ignore[attr-defined]

    return run


_GROUP: Final = "search, double-nine, 4 seats"
MEASUREMENTS: Final = (
    Measurement("worlds", _GROUP, "worlds of late positions", sampled_worlds, 50e3),
    Measurement(
        "flat_mc", _GROUP, "simulations of flat_mc", partial(simulations, "flat_mc"), 100e3
    ),
    Measurement(
        "mcts", _GROUP, "simulations of mcts, tree and playout", partial(simulations, "mcts"), 100e3
    ),
)
