"""Lines and branches of the rule code that the tests run, with compilation off.

`python tests/coverage_of_rules.py` prints them and exits with 1 unless all of them are run. The
tests are those made for it: lockstep on tiny sets, cases in text, and what is asked of views.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
RULE_CODE = [f"chickenfoot_env/{name}.py" for name in ("bits", "dealing", "kernels", "view")]
SHOWN_TOO = ["chickenfoot_env/batch.py"]
TESTS = [
    "tests/core/test_rule_coverage.py",
    "tests/core/test_batch_refusals.py",
    "tests/mutation/test_killers.py",
]


def coverage(*words: str, folder: Path) -> int:
    """Run coverage.py with its data in this folder; its exit code."""
    settings = {"NUMBA_DISABLE_JIT": "1", "COVERAGE_FILE": str(folder / "data")}
    command = [sys.executable, "-m", "coverage", *words]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **settings}, check=False).returncode


def main() -> int:
    """Run the tests and report."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        include = f"--include={','.join([*RULE_CODE, *SHOWN_TOO])}"
        tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
        failed = coverage("run", "--branch", include, *tests, folder=folder)
        if failed:
            return failed
        coverage("report", "--show-missing", include, folder=folder)
        rules = f"--include={','.join(RULE_CODE)}"
        coverage("json", "-q", rules, "-o", str(folder / "json"), folder=folder)
        totals = json.loads((folder / "json").read_text(encoding="utf-8"))["totals"]
    lines, branches = totals["num_statements"], totals["num_branches"]
    missing = totals["missing_lines"] + totals["missing_branches"]
    part = 1 - missing / (lines + branches)
    print(f"rule code: {part:.2%} of {lines} lines and {branches} branches are run")
    return int(missing > 0)


if __name__ == "__main__":
    sys.exit(main())
