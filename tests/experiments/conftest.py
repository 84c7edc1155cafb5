"""Fixtures for the tests of the experiments."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from made_results import Made, block, header

from experiments import store


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Writes a results file; a block is the points of its games, in the order of the line-up."""

    def make(
        agents: Sequence[str],
        seats: int,
        blocks: Sequence[Sequence[Sequence[int]]],
        *,
        deals: int | None = None,
        faults: Sequence[Any] = (),
        costs: Sequence[Any] = (),
        path: Path = tmp_path / "results.sqlite",
        **run: Any,
    ) -> Path:
        count = len(list(itertools.combinations(agents, seats)))
        about = header(agents, seats, deals or len(blocks) // count, **run)
        with store.writing(path, about) as results:
            for number, games in enumerate(blocks):
                results.add(block(about, number, games, faults if number == 0 else (), costs))
        return path

    return make
