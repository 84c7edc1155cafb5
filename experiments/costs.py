"""What decisions cost: how many an agent was asked, the simulations it ran for them, and its time.

B games, E entries of a line-up. Decisions and simulations are the same in every run, unless an
agent has its budget in time; seconds are measured, and differ with the machine and with all else
that it does.
"""

from __future__ import annotations

import contextlib
import operator
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents import Agent


@dataclass(frozen=True)
class Costs:
    """A ledger that `match.play` writes to.

    Attributes:
        decisions: (B, E) int64, questions that the entry was asked, one a view; those in which it
            was at fault are among them.
        simulations: (B, E) int64, by how much the agent's `simulations` grew; 0 without it.
        seconds: (B, E) float64, time inside `act`; a question about several games is shared out
            among them in equal parts.
    """

    decisions: NDArray[np.int64]
    simulations: NDArray[np.int64]
    seconds: NDArray[np.float64]

    @classmethod
    def nothing(cls, games: int, entries: int) -> Costs:
        """A ledger in which nothing has been spent yet."""
        shape = (games, entries)
        return cls(np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape))

    def questions(self, agent: Agent, rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """The games of one tick, parted into the questions that the agent is asked.

        An agent that counts simulations is asked about one game at a time: its counter tells what a
        whole question took, and what a game took must not depend on the games beside it.
        """
        if len(rows) == 0 or not hasattr(agent, "simulations"):
            return [rows]
        return list(rows[:, None])

    @contextlib.contextmanager
    def charge(
        self, agent: Agent, rows: NDArray[np.int64], entries: NDArray[np.int64]
    ) -> Iterator[None]:
        """Write down what `agent` spends within this context on games `rows` as `entries`.

        Of an agent that counts simulations, `rows` is one game.

        Raises:
            ValueError: if its counter is no whole number, or has gone down.
        """
        before, began = _counter(agent), time.perf_counter()
        try:
            yield
        finally:
            self.seconds[rows, entries] += (time.perf_counter() - began) / len(rows)
            if before is not None:
                after = _counter(agent)
                if after is None or after < before:
                    raise ValueError(
                        f"its simulations went from {before} to {after}: wanted is a number "
                        "that never goes down"
                    )
                self.simulations[rows, entries] += after - before


def _counter(agent: Agent) -> int | None:
    count = getattr(agent, "simulations", None)
    if count is None:
        return None
    try:
        return operator.index(count)
    except TypeError:
        raise ValueError(f"its simulations are {count!r}: wanted is a whole number") from None
