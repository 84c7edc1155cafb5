"""Whether a tournament is decided, told block by block.

The decision is taken on the blocks in their order, so it is the same however they were played: at
once, cut into pieces, or by several processes, of which one is ahead of the others.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from experiments import store
from experiments.results import Tally
from experiments.statistics.paired import differences
from experiments.statistics.sequential import SequentialTest
from experiments.tournament.spec import TournamentSpec

_HELD: Final = "SELECT rotation, entry, points FROM seats WHERE block = ?"


class Watch:
    """Follows the two entries of a tournament that ends when they are told apart.

    Args:
        spec: the tournament.
        path: the results file, with the blocks that are in it already.
    """

    def __init__(self, spec: TournamentSpec, path: Path) -> None:
        self._test: SequentialTest | None = None
        if spec.until is None:
            return
        self._test = SequentialTest(spec.until.bounds)
        self._pair = [spec.labels.index(who) for who in (spec.until.one, spec.until.other)]
        self._players = spec.rules.players
        self._shape = (1, len(spec.line_ups()), len(spec.agents))
        self._begin_deal()
        with store.one_line(path), contextlib.closing(store.open_results(path)) as connection:
            for (block,) in connection.execute("SELECT block FROM blocks ORDER BY block"):
                self._take(block, connection.execute(_HELD, (block,)).fetchall())

    @property
    def decided(self) -> bool:
        """Whether nothing more needs to be played."""
        return self._test is not None and self._test.state.decision is not None

    def add(self, block: store.Block) -> bool:
        """Take the next block; whether the tournament is decided now."""
        if self._test is not None:
            seats = [(rotation, entry, points) for rotation, _, entry, points, _ in block.seats]
            self._take(block.block, seats)
        return self.decided

    def _take(self, block: int, seats: Sequence[tuple[int, int, int]]) -> None:
        """Take the (rotation, entry, points) of all seats of a block."""
        assert self._test is not None
        table, line_ups = self._deal, self._shape[1]
        line_up = block % line_ups
        totals: Counter[int] = Counter()
        for rotation, _, points in seats:
            totals[rotation] += points
        for rotation, entry, points in seats:
            at = 0, line_up, entry
            table.games[at] += 1
            table.points[at] += points
            table.totals[at] += totals[rotation]
        if line_up == line_ups - 1:
            found = differences(table, *self._pair)
            assert found is not None  # the tournament has them compared
            self._test.add(float(found[0]))
            self._begin_deal()

    def _begin_deal(self) -> None:
        self._deal = Tally(self._players, *np.zeros((4, *self._shape), np.int64))
