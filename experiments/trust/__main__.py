"""Measure all promises, print the table, and write it as JSON."""

from __future__ import annotations

import argparse
import itertools
import json
import platform
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import scipy

import chickenfoot_env
from experiments.trust import calibration, efficiency, stopping
from experiments.trust.row import Row


def rows(quick: bool) -> Iterator[Row]:
    """All measurements; quick ones see that everything runs, and allow for chance."""
    runs = 200 if quick else 1000
    yield from calibration.made_up(runs)
    yield from calibration.real(runs)
    yield from stopping.errors(100 if quick else 2000)
    if quick:
        yield from efficiency.factors(100, ("flat_mc:worlds=64", "flat_mc:worlds=40"))
    else:
        yield from efficiency.factors(100)


def main(words: Sequence[str]) -> int:
    """Measure, print and write; 1 if anything is not as promised."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="JSON")
    parser.add_argument("--quick", action="store_true", help="few runs, in a minute")
    options = parser.parse_args(words)
    done: list[Row] = []
    for group, measured in itertools.groupby(rows(options.quick), key=lambda row: row.group):
        print(f"\n{group}")
        for row in measured:
            print(row.line(), flush=True)
            done.append(row)
    facts = {
        "chickenfoot": chickenfoot_env.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "python": platform.python_version(),
    }
    told = {"facts": facts, "quick": options.quick, "rows": [row.figures() for row in done]}
    options.file.parent.mkdir(parents=True, exist_ok=True)
    options.file.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    failed = sum(not row.passed for row in done)
    print(f"\n{len(done)} measured, {failed} not as promised; {options.file}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
