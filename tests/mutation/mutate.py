"""Mutation testing: does the suite notice when a line of the rules is wrong?

`python tests/mutation/mutate.py` copies package and tests into a folder of their own, has mutmut
make and try the mutants there, and prints how many were killed and what survived. mutmut passes
over decorated functions, so `@compiled` and `@part` are taken off in the copy; they do nothing but
silence overflow when compilation is off, which limits.py does there.

It exits with 1 if fewer than WANTED of the mutants are killed, or if one survived that
equivalent.txt does not explain.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXPLAINED = Path(__file__).with_name("equivalent.txt")
WANTED = 0.95
MODULES = ("bits", "dealing", "kernels", "view")  # all functions of these
FUNCTIONS = {"batch": ("standings", "margins", "_points")}  # and these of others
TESTS = (
    "tests/core/test_rule_coverage.py",
    "tests/mutation/test_killers.py",
    "tests/core/test_cases.py",
)
SKIPPED = "not s7"  # whole games of the largest sets, which nothing else needs
CONFIG = """
[tool.pytest.ini_options]
pythonpath = ["tests"]
markers = ["slow: left out here"]
filterwarnings = ["error", "ignore::pytest.PytestConfigWarning"]

[tool.mutmut]
source_paths = ["chickenfoot_env"]
only_mutate = {only}
also_copy = ["chickenfoot_env", "tests"]
pytest_add_cli_args = ["-q", "-p", "no:cacheprovider", "-k", "{skipped}"]
pytest_add_cli_args_test_selection = {tests}
timeout_multiplier = 5.0
timeout_constant = 10.0
use_git_change_detection = false
"""


@dataclass(frozen=True)
class Mutant:
    """One change of one function.

    Attributes:
        name: as mutmut calls it.
        status: "killed", "timeout", "survived" or another word of mutmut's.
        change: module, function, the line before and after, in the form of equivalent.txt.
    """

    name: str
    status: str
    change: str = ""


def copy_sources(folder: Path) -> None:
    """Package and tests, the decorator taken off where mutants are made."""
    ignore = shutil.ignore_patterns("__pycache__", "golden")
    for name in ("chickenfoot_env", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    for module in (*MODULES, *FUNCTIONS):
        path = folder / "chickenfoot_env" / f"{module}.py"
        text = path.read_text(encoding="utf-8")
        bare = re.sub(r"^@(compiled|part|instruction\(.*\))\n", "", text, flags=re.M)
        path.write_text(bare, encoding="utf-8")
    shutil.copy(ROOT / "tests" / "mutation" / "limits.py", folder / "tests" / "conftest.py")
    only = [f"chickenfoot_env/{module}.py" for module in (*MODULES, *FUNCTIONS)]
    tests = [test for test in TESTS if (ROOT / test).exists()]
    config = CONFIG.format(only=json.dumps(only), tests=json.dumps(tests), skipped=SKIPPED)
    (folder / "pyproject.toml").write_text(config, encoding="utf-8")


def run_mutmut(folder: Path, processes: int) -> None:
    """Make the mutants and try them all."""
    names = [f"chickenfoot_env.{module}.*" for module in MODULES]
    for module, functions in FUNCTIONS.items():
        names += [f"chickenfoot_env.{module}.x_{function}__mutmut_*" for function in functions]
    subprocess.run(
        [sys.executable, "-m", "mutmut", "run", "--max-children", str(processes), *names],
        cwd=folder,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
    )


def results(folder: Path) -> list[Mutant]:
    """What became of every mutant that was tried."""
    done = subprocess.run(
        [sys.executable, "-m", "mutmut", "results", "--all", "true"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    mutants = []
    for line in done.stdout.splitlines():
        name, colon, status = line.strip().partition(": ")
        if colon and wanted(name):
            change = "" if status in ("killed", "timeout") else change_of(folder, name)
            mutants.append(Mutant(name, status, change))
    return mutants


def wanted(name: str) -> bool:
    """Whether this mutant is of a function that was to be mutated."""
    module, _, function = name.removeprefix("chickenfoot_env.").partition(".")
    function = function.removeprefix("x_").partition("__mutmut_")[0]
    return module in MODULES or function in FUNCTIONS.get(module, ())


def change_of(folder: Path, name: str) -> str:
    """The mutant as one line: module.function: line before -> line after."""
    shown = subprocess.run(
        [sys.executable, "-m", "mutmut", "show", name],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    before = [line[1:].strip() for line in shown if re.match(r"-(?!--)", line)]
    after = [line[1:].strip() for line in shown if re.match(r"\+(?!\+\+)", line)]
    where = name.removeprefix("chickenfoot_env.").partition("__mutmut_")[0].replace(".x_", ".")
    return f"{where}: {' '.join(before)} -> {' '.join(after)}"


def explanations() -> dict[str, str]:
    """For each mutant that nothing can tell from the original, why that is so."""
    reasons: dict[str, str] = {}
    change = ""
    for line in EXPLAINED.read_text(encoding="utf-8").splitlines():
        if line.startswith("    "):
            reasons[change] = f"{reasons.get(change, '')} {line.strip()}".strip()
        elif line and not line.startswith("#"):
            change = line
    return reasons


def report(mutants: list[Mutant]) -> int:
    """Print the numbers and the survivors; 0 if they are as wanted."""
    reasons = explanations()
    survivors = [mutant for mutant in mutants if mutant.status not in ("killed", "timeout")]
    for module in (*MODULES, *FUNCTIONS):
        mine = [m for m in mutants if m.name.startswith(f"chickenfoot_env.{module}.")]
        left = [m for m in survivors if m in mine]
        print(f"{module:<8} {len(mine):>5} mutants {len(mine) - len(left):>5} killed")
    unexplained = 0
    for mutant in survivors:
        why = reasons.get(mutant.change)
        unexplained += why is None
        print(f"{mutant.status} {mutant.change}\n    {why or 'UNEXPLAINED'} ({mutant.name})")
    gone = set(reasons) - {mutant.change for mutant in survivors}
    for change in sorted(gone):
        print(f"explained, but no survivor: {change}")
    killed = len(mutants) - len(survivors)
    share = killed / max(len(mutants), 1)
    print(
        f"mutation: {len(mutants)} mutants, {killed} killed ({share:.1%}), "
        f"{len(survivors)} survived, {unexplained} of them unexplained"
    )
    return int(share < WANTED or unexplained > 0)


def main() -> int:
    """Run it all."""
    parser = argparse.ArgumentParser(description="Try mutants of the rule code.")
    parser.add_argument("--processes", type=int, default=2, help="mutants tried at a time")
    parser.add_argument("--keep", type=Path, help="an empty folder to work in, and to leave behind")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        copy_sources(folder)
        run_mutmut(folder, options.processes)
        return report(results(folder))


if __name__ == "__main__":
    sys.exit(main())
