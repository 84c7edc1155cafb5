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

from chickenfoot_env.rules import Rules
from experiments.isolation.memory import resident
from experiments.tournament.runner import run
from experiments.tournament.spec import TournamentSpec

MIB = 2**20


def main(rounds: int = 1_000_000, workers: int = 2) -> int:
    """Play about so many rounds, and print a table; the exit code."""
    rules = Rules()
    a_deal = rules.players * len(rules.starters)
    spec = TournamentSpec(("random", "greedy"), rules, -(-rounds // a_deal), 1)
    began, memory = [0.0, 0.0], [0, 0]  # time and memory at a tenth, and at the end

    def look(done: int, blocks: int) -> None:
        if done in (blocks // 10, blocks):
            end = int(done == blocks)
            began[end], memory[end] = time.perf_counter(), resident(os.getpid())

    with tempfile.TemporaryDirectory() as folder:
        run(spec, Path(folder) / "results.sqlite", workers=workers, progress=look)
    played = (spec.deals - spec.blocks // 10) * a_deal
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    spent = sum(one.ru_utime + one.ru_stime for one in usage)
    print(f"| {spec.deals * a_deal:,} rounds, random and greedy, {workers} workers | |")
    print(f"| rounds a second | {played / (began[1] - began[0]):,.0f} |")
    rate = spec.deals * a_deal / spent * workers
    print(f"| rounds for {workers} seconds of processor time | {rate:,.0f} |")
    before, after = (size / MIB for size in memory)
    print(f"| memory after a tenth, at the end | {before:.0f} MiB, {after:.0f} MiB |")
    return int(memory[1] > 1.1 * memory[0])


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
