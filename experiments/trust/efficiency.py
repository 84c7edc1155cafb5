"""How many independent games give the interval that games on common deals give.

Agents that search are compared by what each of them, alone against a table of the field, comes to
on the same deals in all seats. Independent games would have deals of their own: a game's margin has
then the variance of all games, and the difference of two agents the sum of theirs.
"""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.rules import Rules
from experiments import results, statistics
from experiments.statistics import control_variates
from experiments.tournament import deals, runner
from experiments.tournament.spec import TournamentSpec
from experiments.trust.row import Row

FIELD: Final = "heuristic"
STRONG: Final = (
    "mcts:iterations=4000",
    "mcts:iterations=4000,tree=all",
    "mcts:iterations=2000",
    "flat_mc:worlds=500",
)
RULES: Final = Rules(players=4, rounds=(9,))
SEED: Final = 20_261_201
WANTED: Final = 3.0
_MARGINS: Final = """
SELECT entry, (t.total - :n * points) / (:n - 1.0)
FROM seats
JOIN (SELECT block, rotation, SUM(points) AS total FROM seats GROUP BY block, rotation) AS t
    USING (block, rotation)
WHERE entry < :field ORDER BY block, rotation
"""


def factors(deal_count: int, agents: Sequence[str] = STRONG) -> Iterator[Row]:
    """A row for each pair of agents, and one for all of them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.sqlite"
        spec = TournamentSpec((*agents, FIELD), RULES, deal_count, SEED, format="gauntlet")
        runner.run(spec, path)
        tally, games = results.load(path).tally, _games(path, len(agents))
    centred = deals.of(RULES, SEED, deal_count).centred
    group = f"games saved by common deals and control variates, 4 seats, against {FIELD}"
    found = []
    for one, other in itertools.combinations(range(len(agents)), 2):
        alone = (games[one].var(ddof=1) + games[other].var(ddof=1)) / RULES.players
        paired = statistics.differences(tally, one, other)
        assert paired is not None  # they face the same opponents
        adjusted = control_variates.adjusted(paired, centred)
        gain = 1.0 if adjusted is None else adjusted.gain
        plain = float(alone / paired.var(ddof=1))
        found.append(plain * gain)
        note = f"common deals {plain:.2f}, control variates {gain:.2f}"
        yield Row(
            group,
            f"{agents[one]} and {agents[other]}",
            deal_count,
            found[-1],
            None,
            None,
            "times",
            note,
        )
    yield Row(
        group,
        "all pairs, in the median",
        len(found),
        float(np.median(found)),
        WANTED,
        None,
        "times",
    )


def _games(path: Path, agents: int) -> list[NDArray[np.float64]]:
    """The margins of each agent's games, one agent after the other."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        asked = {"n": RULES.players, "field": agents}
        rows = connection.execute(_MARGINS, asked).fetchall()
    entries, margins = np.array(rows).T
    return [margins[entries == entry] for entry in range(agents)]
