"""Measure promises, print the table, and write it as JSON."""

from __future__ import annotations

import argparse
import itertools
import json
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import scipy

import chickenfoot_env
from experiments.trust import calibration, efficiency, stopping
from experiments.trust.row import Row

QUICK: Final = (100, ("flat_mc:worlds=64", "flat_mc:worlds=40"))  # deals and agents
Parts: TypeAlias = Mapping[str, Callable[[bool], Iterator[Row]]]  # told whether to be quick
PARTS: Final[Parts] = {
    "made-up": lambda quick: calibration.made_up(200 if quick else 1000),
    "real": lambda quick: calibration.real(200 if quick else 1000),
    "stopping": lambda quick: stopping.errors(100 if quick else 5000),
    "efficiency": lambda quick: efficiency.factors(*QUICK) if quick else efficiency.factors(64),
}


def main(words: Sequence[str], parts: Parts = PARTS) -> int:
    """Measure these parts, print and write; 1 if anything is not as promised.

    What the file says of parts that are not measured stays in it.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="JSON")
    parser.add_argument("--quick", action="store_true", help="few runs, in minutes")
    parser.add_argument("--only", choices=parts, help="one part; the others stay as in the file")
    options = parser.parse_args(words)
    chosen = list(parts) if options.only is None else [options.only]
    rows: dict[str, list[dict[str, Any]]] = {part: [] for part in parts}
    if options.file.exists():
        for one in json.loads(options.file.read_text(encoding="utf-8"))["rows"]:
            if one["part"] not in chosen:
                rows.setdefault(one["part"], []).append(one)
    for part in chosen:
        rows[part] = [
            {"part": part, **row.figures()} for row in _printed(parts[part](options.quick))
        ]
        _write(options.file, options.quick, [one for those in rows.values() for one in those])
    measured = [one for those in rows.values() for one in those]
    failed = sum(not one["passed"] for one in measured)
    print(f"\n{len(measured)} measured, {failed} not as promised; {options.file}")
    return int(failed > 0)


def _printed(rows: Iterator[Row]) -> Iterator[Row]:
    """The rows, each printed as soon as it is measured, with its group above the first."""
    for group, measured in itertools.groupby(rows, key=lambda row: row.group):
        print(f"\n{group}")
        for row in measured:
            print(row.line(), flush=True)
            yield row


def _write(file: Path, quick: bool, rows: Sequence[Mapping[str, Any]]) -> None:
    facts = {
        "chickenfoot": chickenfoot_env.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "python": platform.python_version(),
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    told = {"facts": facts, "quick": quick, "rows": rows}
    file.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
