"""Whether a tournament is decided, told block by block.

The decision is taken on the blocks in their order, so it is the same however they were played: at
once, cut into pieces, or by several processes, of which one is ahead of the others.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from experiments import store
from experiments.spec import TournamentSpec
from experiments.statistics.sequential import SequentialTest

_HELD: Final = "SELECT entry, points FROM seats WHERE block = ? ORDER BY rotation, seat"


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
        self._line_ups = len(spec.line_ups())
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
            self._take(block.block, [(entry, points) for _, _, entry, points, _ in block.seats])
        return self.decided

    def _take(self, block: int, seats: Sequence[tuple[int, int]]) -> None:
        """Take the (entry, points) of all seats of a block."""
        if {*self._pair} <= {entry for entry, _ in seats}:
            for i, entry in enumerate(self._pair):
                mine = [points for other, points in seats if other == entry]
                self._points[i] += sum(mine)
                self._games[i] += len(mine)
        if block % self._line_ups == self._line_ups - 1 and self._test is not None:
            one, other = (p / n for p, n in zip(self._points, self._games, strict=True))
            self._test.add(other - one)
            self._begin_deal()

    def _begin_deal(self) -> None:
        self._points, self._games = [0, 0], [0, 0]
