"""The results of the tests of doors as one table: python tests/doors/report.py RESULTS.xml ...

Each file is what pytest's --junitxml has written in one environment; `make doors` runs them. A
check is a test, over all values of its parameters. It leaves with 1 if any has failed, or if a
library was in none of the environments and is not one of those given by --without.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

OWN = "chickenfoot"  # the library of any other test
LIBRARIES = {  # the file of a test -> its library, as a distribution
    "test_decisions": "pettingzoo",
    "test_env_pettingzoo": "pettingzoo",
    "test_env_presets": "pettingzoo",
    "test_single_env": "gymnasium",
    "test_vector_env": "gymnasium",
    "test_stable_baselines": "stable-baselines3",
    "test_notebook_of_training": "stable-baselines3",
    "test_ray_cluster": "ray",
    "test_ppo_learner": "stable-baselines3",
    "test_ppo_legal_actions": "stable-baselines3",
    "test_ppo_runs": "stable-baselines3",
    "test_ppo_solves": "stable-baselines3",
    "test_rllib": "ray",
    "test_torchrl": "torchrl",
    "test_openspiel": "open-spiel",
    "test_openspiel_core": "open-spiel",
    "test_openspiel_resample": "open-spiel",
}
OUTCOMES = ("failed", "passed", "skipped")


class Row(NamedTuple):
    """One check by one version of a library."""

    library: str
    version: str
    check: str
    result: str


def outcome(case: ElementTree.Element) -> str:
    """One of OUTCOMES."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "passed" if case.find("skipped") is None else "skipped"


def rows(results: Path) -> Iterator[Row]:
    """The checks of one environment, without those of libraries that it has not."""
    suite = ElementTree.parse(results).getroot()
    versions = {one.get("name", ""): one.get("value", "") for one in suite.iter("property")}
    counts: dict[tuple[str, str], Counter[str]] = {}
    for case in suite.iter("testcase"):
        where = f"{case.get('classname', '')}.{case.get('name', '')}"
        found = re.search(r"\b(test_\w+)(?:\.(?:\w+\.)*test_(\w+))?", where)
        if found is None:
            raise ValueError(f"{results}: {where} is no test")
        check = "its tests can be run" if found[2] is None else found[2].replace("_", " ")
        key = LIBRARIES.get(found[1], OWN), check
        counts.setdefault(key, Counter())[outcome(case)] += 1
    for (library, check), count in counts.items():
        if library not in versions and count.keys() == {"skipped"}:
            continue
        told = (f"{name} {count[name]}" for name in OUTCOMES if count[name])
        yield Row(library, versions.get(library, "?"), check, ", ".join(told))


def table(lines: Iterable[Row]) -> str:
    """All rows, with aligned columns; a library and its version stand in its first row."""
    head = Row("library", "version", "check", "result")
    every = [head, *sorted(lines, key=lambda row: row[:2])]
    widths = [max(len(row[column]) for row in every) for column in range(4)]
    text, before = [], ("", "")
    for row in every:
        shown = row if row[:2] != before else row._replace(library="", version="")
        cells = (cell.ljust(width) for cell, width in zip(shown, widths, strict=True))
        text.append("  ".join(cells).rstrip())
        before = row[:2]
    return "\n".join(text)


def read_arguments(words: list[str]) -> argparse.Namespace:
    """The files of results, and the libraries that nobody expects in them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":")[0])
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULTS.xml")
    libraries = sorted({*LIBRARIES.values()})
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        choices=libraries,
        help="a library that may be in none of the environments; can be given several times",
    )
    arguments = parser.parse_args(words)
    for file in arguments.results:
        if not file.is_file():
            parser.error(f"{file}: there is no such file; has pytest ended before it wrote one?")
    return arguments


def main(words: list[str]) -> int:
    """Print the table, and a line on what is not as it should be."""
    arguments = read_arguments(words)
    found = [row for file in arguments.results for row in rows(file)]
    print(table(found))
    failed = [f"{row.library}: {row.check}" for row in found if "failed" in row.result]
    there = {row.library for row in found}
    missing = sorted({*LIBRARIES.values()} - there - {*arguments.without})
    for what, names in (("failed", failed), ("not installed anywhere", missing)):
        if names:
            print(f"{what}: {', '.join(names)}")
    if not failed and not missing:
        skipped = sum(row.result.startswith("skipped") for row in found)
        print(f"{len(found)} checks, none failed, {skipped} skipped")
    return 1 if failed or missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
