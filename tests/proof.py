"""Every proof that the rules are played right, one after the other, and a table of what came out.

`python tests/proof.py` takes about half an hour. It writes docs/proof.json, which docs/rules.md
shows, and exits with 1 if any of them failed. What each proof is, and what it cannot show, is in
tests/README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
WRITTEN = ROOT / "docs" / "proof.json"
PASSED, FAILED = "passed", "FAILED"


@dataclass(frozen=True)
class Proof:
    """One run of something that exits with 0 if all is well.

    Attributes:
        what: is proved.
        counted: what the number counts: for pytest the name of a property that the tests record,
            or "tests" for their number; for other commands the words of the line that they end
            with, as a pattern.
        command: arguments for Python.
        settings: of the environment.
    """

    what: str
    counted: str
    command: Sequence[str]
    settings: Sequence[tuple[str, str]] = ()


def tests(*words: str) -> list[str]:
    """A command that runs these tests."""
    return ["-m", "pytest", "-q", "-p", "no:cacheprovider", *words]


def proofs(folder: str) -> list[Proof]:
    """All of them, the quick ones first; `folder` is for compiled code."""
    cases = ["tests/core/test_cases.py", "tests/core/test_rule_coverage.py"]
    checked = [*cases, "tests/mutation/test_killers.py", "tests/core/test_batch_refusals.py"]
    bounds = (("NUMBA_BOUNDSCHECK", "1"), ("NUMBA_CACHE_DIR", folder))
    return [
        Proof("cases worked by hand", "tests", tests(*cases)),
        Proof(
            "printed games as read and pinned", "tests", tests("tests/core/test_playthroughs.py")
        ),
        Proof(
            "perft: both engines count the pinned sequences",
            "sequences",
            tests("tests/core/test_perft.py"),
        ),
        Proof(
            "lockstep: every state as in the reference engine",
            "steps",
            tests("tests/core/test_lockstep.py"),
        ),
        Proof(
            "non-interference: hidden tiles change nothing",
            "pairs",
            tests("tests/core/test_fairness.py", "-k", "hidden"),
        ),
        Proof(
            "evidence never excludes the truth",
            "positions",
            tests("tests/core/test_fairness.py", "tests/core/test_evidence.py", "-k", "evidence"),
        ),
        Proof("kernels stay within their arrays", "tests", tests(*checked), bounds),
        Proof(
            "kernels do the same with compilation off",
            "tests",
            tests("tests/core/test_without_jit.py"),
        ),
        Proof(
            "rule code run by tests",
            r"rule code: (.*) are run",
            ["tests/coverage_of_rules.py"],
        ),
        Proof("mutants killed", r"mutation: (.*)", ["tests/mutation/mutate.py"]),
    ]


def run(proof: Proof) -> dict[str, str]:
    """Run it: what, how many, result."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, *proof.command]
        if "pytest" in proof.command:
            command += [f"--junitxml={report}", "-o", "junit_family=xunit1"]
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **dict(proof.settings)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        count = counted(report, proof.counted) if report.exists() else said(done.stdout, proof)
    passed = done.returncode == 0 and bool(count)
    if not passed:
        print(done.stdout[-6000:])
    return {"what": proof.what, "count": count, "result": PASSED if passed else FAILED}


def counted(report: Path, name: str) -> str:
    """The sum of this property over all tests of a JUnit report, or the number of tests."""
    cases = list(ElementTree.parse(report).iter("testcase"))
    number = len([case for case in cases if case.find("skipped") is None])
    if name != "tests":
        properties = [one for case in cases for one in case.iter("property")]
        number = sum(int(one.get("value", 0)) for one in properties if one.get("name") == name)
    return f"{number:,} {name}" if number else ""


def said(output: str, proof: Proof) -> str:
    """What the last line that matches says."""
    found = re.findall(rf"^{proof.counted}$", output, flags=re.M)
    return str(found[-1]) if found else ""


def table(rows: Sequence[dict[str, str]]) -> str:
    """The rows, in columns."""
    titled = [{"what": "what", "count": "how many", "result": "result"}, *rows]
    widths = {name: max(len(row[name]) for row in titled) for name in titled[0]}
    return "\n".join(
        "  ".join(row[name].ljust(widths[name]) for name in widths).rstrip() for row in titled
    )


def main() -> int:
    """Run those asked for."""
    parser = argparse.ArgumentParser(description="Run every proof and print a table.")
    parser.add_argument("words", nargs="*", help="run only proofs with one of these words")
    words = parser.parse_args().words
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for proof in proofs(folder):
            if words and not any(word in proof.what for word in words):
                continue
            began = time.monotonic()
            rows.append(run(proof))
            spent = f"{time.monotonic() - began:.0f} s"
            print(f"{proof.what}: {rows[-1]['count']}, {rows[-1]['result']} ({spent})", flush=True)
    print(f"\n{table(rows)}")
    if not words:
        WRITTEN.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    return int(any(row["result"] != PASSED for row in rows))


if __name__ == "__main__":
    sys.exit(main())
