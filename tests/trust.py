"""All that a tournament promises, tried and measured: `python tests/trust.py docs/trust.json`.

To what `experiments.trust` measures this adds what only tests can try: runs that are killed, agents
that fail, and a million rounds on two workers. The table of all of it is printed, and written as
JSON, which docs/evaluation.md shows; the other words are those of `python -m experiments.trust`.
"""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import scale

from experiments.benchmark.runner import processor
from experiments.trust.__main__ import PARTS, Parts, main
from experiments.trust.row import Row

HERE = Path(__file__).parent
KILLED = "test_killed_at_any_moment_the_run_is_resumed_to_the_same_report"
FAILS = "test_every_way_to_fail_costs_that_game_alone"
WAYS = {  # what agents do -> those of tests/experiments/test_guard.py that do it
    "raise": ("raises", "leaves"),
    "exit or crash": ("exits", "crashes"),
    "hang, or stop answering": ("hangs", "spins", "stops"),
    "return nonsense": ("floats", "shapes", "words", "nothing", "closes", "garbles"),
    "choose an illegal action": ("cheats",),
    "eat all memory": ("eats",),
}


class Case(NamedTuple):
    """A test that was run.

    Attributes:
        test: its name.
        values: of its parameters, as pytest shows them.
        passed: whether it did.
    """

    test: str
    values: str
    passed: bool


def cases(report: Path) -> list[Case]:
    """The tests of a JUnit report, without those that were skipped."""
    found = []
    for one in ElementTree.parse(report).iter("testcase"):
        if one.find("skipped") is None:
            test, _, values = one.get("name", "").partition("[")
            passed = one.find("failure") is None and one.find("error") is None
            found.append(Case(test, values.rstrip("]"), passed))
    return found


def run(quick: bool, *files: str) -> list[Case]:
    """Run these files of tests/experiments, in short without the slow ones."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        words = [f"--junitxml={report}", *(str(HERE / "experiments" / file) for file in files)]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
        done = subprocess.run(
            [*command, *["-m", "not slow"] * quick], cwd=HERE.parent, capture_output=True, text=True
        )
        if done.returncode:
            print(done.stdout[-6000:])
        return cases(report) if report.exists() else []


def count(group: str, what: str, results: list[bool], least: int = 1, note: str = "") -> Row:
    """A row for something that must succeed every time, and be tried `least` times."""
    wanted = max(len(results), least)
    return Row(group, what, len(results), sum(results), wanted, None, "passed", note)


def kills(found: list[Case], quick: bool) -> Iterator[Row]:
    """Rows on runs that are killed or disturbed in other ways."""
    group = "runs that are killed and go on by --resume"
    killed = [case for case in found if case.test == KILLED]
    results = [case.passed for case in killed for _ in range(int(case.values))]
    what = "SIGKILL at a random moment: file and report have the same bytes in the end"
    yield count(group, what, results, 3 if quick else 20)
    others = [case.passed for case in found if case.test != KILLED]
    yield count(group, "full disks, damaged and locked files, lost workers", others)


def isolation(found: list[Case], quick: bool) -> Iterator[Row]:
    """Rows on agents that fail, a way to fail being one try."""
    group = "agents that fail forfeit that game alone, and are restarted and counted"
    passed = {
        way: case.passed for case in found if case.test == FAILS for way in case.values.split("-")
    }
    for what, ways in WAYS.items():
        tried = [way for way in ways if way in passed]
        if tried or not quick:  # some are slow in all their ways
            results = [passed[way] for way in tried]
            yield count(group, what, results, 1 if quick else len(ways), ", ".join(tried))
    others = [case.passed for case in found if case.test != FAILS]
    yield count(group, "limits, restarts, counters and checks of agents", others)


def measured_scale(rounds: int) -> Iterator[Row]:
    """Rows on cheap agents on two workers."""
    found = scale.measure(rounds, workers=2)
    group = "random and greedy on 2 workers"
    cores = os.cpu_count()
    where = f"{processor()}, {cores} cores, {datetime.date.today().isoformat()}"
    yield Row(group, "rounds played", found.rounds, found.a_second, None, None, "a second", where)
    yield Row(
        group,
        "memory at the end, of that after a tenth of the rounds",
        found.rounds,
        found.memory_after / found.memory_before,
        None,
        scale.MOST,
        "times",
        f"{found.memory_before / scale.MIB:.0f} MiB, then {found.memory_after / scale.MIB:.0f} MiB",
    )


TRIED: Parts = {
    "kill": lambda quick: kills(run(quick, "test_mishaps.py", "test_workers.py"), quick),
    "isolation": lambda quick: isolation(run(quick, "test_guard.py", "test_compliance.py"), quick),
    "scale": lambda quick: measured_scale(20_000 if quick else 1_000_000),
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], {**TRIED, **PARTS}))
