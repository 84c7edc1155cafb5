"""Whether the sequential test errs as seldom as it is asked to.

The differences are normal, or drawn from those of real deals; both are shifted to the mean of one
of the hypotheses and have a standard deviation of 1.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.rules import Rules
from experiments import results, statistics
from experiments.statistics import sequential
from experiments.statistics.sequential import Bounds
from experiments.tournament import runner
from experiments.tournament.spec import TournamentSpec
from experiments.trust.row import FULL, Row

NOMINAL: Final = 0.05
SEED: Final = 20_261_201
APART: Final = 0.1  # of the two hypotheses, in standard deviations of a deal
_DEALS: Final = 4000  # real ones to draw from
_MOST: Final = 10_000  # deals of one test

Draw = Callable[[np.random.Generator], NDArray[np.float64]]


def errors(runs: int) -> Iterator[Row]:
    """How often the wrong hypothesis is accepted, and after how many deals in the mean."""
    within = 0.01 if runs >= FULL else 0.01 + 3 * (NOMINAL * (1 - NOMINAL) / runs) ** 0.5
    bounds = Bounds(0.0, APART, NOMINAL, NOMINAL)
    real = _real()
    kinds: dict[str, Draw] = {
        "normal": lambda rng: rng.normal(size=_MOST),
        "real": lambda rng: rng.choice(real, size=_MOST),
    }
    for name, draw in kinds.items():
        for truth, wrong, at in ((0.0, "high", "lower"), (APART, "low", "upper")):
            rng = np.random.default_rng(SEED)
            states = [sequential.run(bounds, draw(rng) + truth) for _ in range(runs)]
            mean = np.mean([state.deals for state in states])
            yield Row(
                f"sequential test, hypotheses {APART:g} standard deviations apart",
                f"wrong decisions of {name} deals where the {at} one is true",
                runs,
                float(np.mean([state.decision == wrong for state in states])),
                NOMINAL - within,
                NOMINAL + within,
                note=f"after {mean:,.0f} deals in the mean",
            )


def _real() -> NDArray[np.float64]:
    """Differences of two agents that do not search, with mean 0 and variance 1."""
    spec = TournamentSpec(("heuristic", "greedy"), Rules(players=4, rounds=(9,)), _DEALS, SEED)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.sqlite"
        runner.run(spec, path)
        found = statistics.differences(results.load(path).tally, 0, 1)
    assert found is not None  # they meet
    return np.asarray((found - found.mean()) / found.std())
