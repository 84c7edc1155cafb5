"""Whether 95 % intervals hold the truth 95 times in 100, and how often equal agents are told apart.

Made-up deals have a truth that is known. Real ones come from one long tournament of agents that do
not search, cut into many short ones: the truth is what all of it comes to.

D deals, T tournaments.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.rules import Rules
from experiments import results, statistics
from experiments.results import Results, Tally
from experiments.statistics import Estimate, control_variates, ratings
from experiments.statistics.entries import skill_index
from experiments.statistics.paired import ALPHA, sign_flip
from experiments.tournament import deals, runner
from experiments.tournament.spec import TournamentSpec
from experiments.trust.row import Row, share

COVERAGE: Final = (0.93, 0.97)  # allowed, of intervals of 95 %
FALSE_ALARMS: Final = 0.055  # allowed, of 1,000 tournaments of an agent against itself
AGENTS: Final = ("heuristic", "greedy", "greedy", "random")
RULES: Final = Rules(players=4, rounds=(9,))
SEED: Final = 20_261_201
_LEVELS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
_CHANCES = np.array([0.30, 0.35, 0.20, 0.10, 0.05])

HEAVY: Final = "tails far heavier than those of deals (t, 5 degrees)"
Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]
MADE_UP: Final[dict[str, tuple[Draw, float]]] = {
    "normal": (lambda rng, count: rng.normal(size=count), 0.0),
    "skewed (gamma, shape 4)": (lambda rng, count: rng.gamma(4.0, size=count), 4.0),
    HEAVY: (lambda rng, count: rng.standard_t(5, size=count), 0.0),
    "shares of wins in quarters": (
        lambda rng, count: rng.choice(_LEVELS, size=count, p=_CHANCES),
        float(_LEVELS @ _CHANCES),
    ),
}


def made_up(runs: int) -> Iterator[Row]:
    """Intervals of made-up deals."""
    for deal_count in (12, 40, 100):
        for name, (draw, truth) in MADE_UP.items():
            rng = np.random.default_rng(SEED)
            hits = [
                holds(statistics.estimate(draw(rng, deal_count), seed), truth)
                for seed in range(runs)
            ]
            allowed = (None, None) if name == HEAVY else COVERAGE
            what = f"{deal_count} deals, {name}"
            yield share("intervals, made-up deals", what, hits, *allowed)


def real(runs: int) -> Iterator[Row]:
    """Intervals and false alarms of real games, in tournaments of 40 or 200 deals."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.sqlite"
        runner.run(TournamentSpec(AGENTS, RULES, 40 * runs, SEED), path)
        held = results.load(path)
    yield from _coverage(held)
    yield from _adjusted(held, runs)
    yield from _false_alarms(held)


def holds(found: Estimate, truth: float) -> bool:
    """Whether the interval holds the truth."""
    return found.low is not None and found.high is not None and found.low <= truth <= found.high


def cut(held: Results, size: int) -> Iterator[tuple[Tally, NDArray[np.int64]]]:
    """Tournaments of `size` deals each: their tallies, and the numbers of their deals."""
    tally = held.tally
    for first in range(0, len(tally.games) - size + 1, size):
        those = slice(first, first + size)
        arrays = (tally.games, tally.points, tally.totals, tally.win_units)
        yield (
            Tally(tally.players, *(array[those] for array in arrays)),
            np.arange(first, first + size),
        )


def _coverage(held: Results) -> Iterator[Row]:
    group = "intervals, real games, 40 deals"
    heuristic, greedy, _, random = range(4)
    whole = statistics.margins(held.tally)
    truths = {e: float(whole[:, e].mean()) for e in range(4)}
    wins = float(
        (held.tally.win_units.sum(axis=(0, 1)) / held.tally.games.sum(axis=(0, 1)))[heuristic]
    )
    games = ratings.choices(held.finishes, len(whole), 4)
    rated = [one.mean for one in ratings.ratings(games)]
    low, high = truths[random], truths[heuristic]
    wanted = {
        "margin": truths[heuristic],
        "share of wins": wins / results.WIN_UNITS,
        "paired difference": _difference(held.tally).mean(),
        "skill index": (truths[greedy] - low) / (high - low),
        "rating": rated[heuristic],
    }
    hits: dict[str, list[bool]] = {name: [] for name in wanted}
    for seed, (tally, numbers) in enumerate(cut(held, 40)):
        margins = statistics.margins(tally).T
        won = tally.win_units.sum(axis=1)[:, heuristic] / tally.games.sum(axis=1)[:, heuristic]
        shares = statistics.estimate(won / results.WIN_UNITS, seed)
        skill = skill_index(margins[greedy], margins[random], margins[heuristic], seed)
        margin = statistics.estimate(margins[heuristic], seed)
        hits["margin"].append(holds(margin, wanted["margin"]))
        hits["share of wins"].append(holds(shares, wanted["share of wins"]))
        difference = statistics.estimate(_difference(tally), seed)
        hits["paired difference"].append(holds(difference, wanted["paired difference"]))
        hits["skill index"].append(skill is not None and holds(skill, wanted["skill index"]))
        own = dataclasses.replace(games, counts=games.counts[numbers], seats=games.seats[numbers])
        hits["rating"].append(holds(ratings.ratings(own, seed)[heuristic], wanted["rating"]))
    for name, found in hits.items():
        yield share(group, name, found, *COVERAGE)


def _adjusted(held: Results, runs: int) -> Iterator[Row]:
    """Intervals of margins with luck taken out, and whether taking it out moves the mean."""
    random = statistics.margins(held.tally)[:, 3]
    centred = deals.of(RULES, SEED, len(random)).centred
    centred -= centred.mean(axis=0)  # the whole is what deals are drawn from here
    rng = np.random.default_rng(SEED)
    hits, moved = [], []
    for seed in range(runs):
        drawn = rng.integers(len(random), size=200)
        found = control_variates.adjusted(random[drawn], centred[drawn], seed)
        assert found is not None
        hits.append(holds(found.value, random.mean()))
        moved.append(found.value.mean - random[drawn].mean())
    group = "control variates, real games, 200 deals"
    yield share(group, "margin with luck taken out", hits, *COVERAGE)
    error = np.std(moved) / len(moved) ** 0.5
    yield Row(
        group,
        "bias, in its standard errors",
        len(moved),
        float(abs(np.mean(moved)) / error),
        None,
        3,
        "times",
    )


def _false_alarms(held: Results) -> Iterator[Row]:
    """Two copies of an agent at a table with two others, where they do not cancel."""
    alarms, apart = [], []
    for seed, (tally, _) in enumerate(cut(held, 40)):
        found = statistics.differences(tally, 1, 2)
        assert found is not None
        alarms.append(sign_flip(found, seed) < ALPHA)
        apart.append(statistics.estimate(found, seed).differs)
    group = "an agent against itself, real games, 40 deals"
    yield share(group, "called different by the sign-flip test", alarms, None, FALSE_ALARMS)
    yield share(group, "interval without zero", apart, None, 0.07)


def _difference(tally: Tally) -> NDArray[np.float64]:
    found = statistics.differences(tally, 0, 1)
    assert found is not None
    return found
