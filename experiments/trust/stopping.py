"""Whether the sequential test errs as seldom as it is asked to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from experiments.statistics import sequential
from experiments.statistics.sequential import Bounds
from experiments.trust.row import FULL, Row

NOMINAL: Final = 0.05
SEED: Final = 20_261_201
APART: Final = (0.05, 0.1)  # of the two hypotheses, in standard deviations of a deal
_MOST: Final = 20_000  # deals of one test


def errors(runs: int) -> Iterator[Row]:
    """How often the wrong hypothesis is accepted, of deals that are skewed as points are."""
    within = 0.01 if runs >= FULL else 3 * (NOMINAL * (1 - NOMINAL) / runs) ** 0.5 + 0.01
    for apart in APART:
        bounds = Bounds(0.0, apart, NOMINAL, NOMINAL)
        for truth, wrong in ((0.0, "high"), (apart, "low")):
            rng = np.random.default_rng(SEED)
            states = []
            for _ in range(runs):
                draws = (rng.gamma(4.0, size=_MOST) - 4.0) / 2.0 + truth
                states.append(sequential.run(bounds, draws))
            group = f"sequential test, hypotheses {apart:g} standard deviations apart"
            at = "lower" if wrong == "high" else "upper"
            missed = float(np.mean([state.decision == wrong for state in states]))
            mean = float(np.mean([state.deals for state in states]))
            yield Row(
                group,
                f"wrong decisions where the {at} one is true",
                runs,
                missed,
                NOMINAL - within,
                NOMINAL + within,
                note=f"after {mean:,.0f} deals in the mean",
            )
