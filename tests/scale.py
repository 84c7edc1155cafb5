"""How fast cheap agents play with worker processes, and what memory it takes: `make trust`.

    python tests/scale.py [ROUNDS] [WORKERS]

Memory is that of this process and its workers together, after a tenth of the rounds and at the end.
It leaves with 1 if that has grown by more than a tenth.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from chickenfoot_env.rules import Rules
from experiments.isolation.memory import resident
from experiments.tournament.runner import run
from experiments.tournament.spec import TournamentSpec

MIB = 2**20
MOST = 1.1  # times the memory after a tenth that there may be at the end


class Scale(NamedTuple):
    """What a run came to.

    Attributes:
        rounds: played.
        a_second: rounds, after the first tenth of them.
        a_processor_second: rounds for a second of each worker's processor time, start included.
        memory_before: bytes after a tenth of the rounds.
        memory_after: bytes at the end.
    """

    rounds: int
    a_second: float
    a_processor_second: float
    memory_before: int
    memory_after: int


def measure(rounds: int, workers: int) -> Scale:
    """Play about so many rounds of random and greedy."""
    rules = Rules()
    a_deal = rules.players * len(rules.starters)
    spec = TournamentSpec(("random", "greedy"), rules, -(-rounds // a_deal), 1)
    began, memory = [0.0, 0.0], [0, 0]  # time and memory at a tenth, and at the end

    def look(done: int, blocks: int) -> None:
        if done in (blocks // 10, blocks):
            end = int(done == blocks)
            began[end], memory[end] = time.perf_counter(), resident(os.getpid())

    before = _processor_time()
    with tempfile.TemporaryDirectory() as folder:
        run(spec, Path(folder) / "results.sqlite", workers=workers, progress=look)
    spent = _processor_time() - before
    played = spec.deals * a_deal
    late = played - spec.blocks // 10 * a_deal
    return Scale(played, late / (began[1] - began[0]), played / spent * workers, *memory)


def _processor_time() -> float:
    """Seconds of this process and of all that it has started and that have ended."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in usage)


def main(rounds: int = 1_000_000, workers: int = 2) -> int:
    """Play, and print a table; the exit code."""
    found = measure(rounds, workers)
    print(f"| {found.rounds:,} rounds, random and greedy, {workers} workers | |")
    print(f"| rounds a second | {found.a_second:,.0f} |")
    print(f"| rounds for {workers} seconds of processor time | {found.a_processor_second:,.0f} |")
    before, after = (size / MIB for size in (found.memory_before, found.memory_after))
    print(f"| memory after a tenth, at the end | {before:.0f} MiB, {after:.0f} MiB |")
    return int(found.memory_after > MOST * found.memory_before)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
