"""What each ingredient of training gives: runs that differ in one setting, in the same time.

    python -m experiments.training.ablations FILE --minutes 3

Every run is `chickenfoot train ppo` with a change, in a process of its own, on one thread. FILE is
JSON; runs that it holds already are not repeated. docs/training.md is made from it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

RUNS: Final = {  # title -> options that differ from the defaults
    "as it is": "",
    "another seed": "--seed 2",
    "a third seed": "--seed 3",
    "a fourth seed": "--seed 4",
    "a fifth seed": "--seed 5",
    "without the warm-up": "--warm-up 0",
    "the warm-up alone": "--warm-up 1",
    "four worlds in the warm-up": "--worlds 4",
    "a critic that sees what the seat sees": "--no-sees-all",
    "a critic of twice the width": "--value-width 256",
    "without entropy": "--entropy 0",
    "entropy 0.05": "--entropy 0.05",
    "two passes over the decisions": "--epochs 2",
    "a sixth of the games against the pool": "--pool 0.15",
    "pips that look at one another twice": "--rounds 2",
    "pips that look at one another three times": "--rounds 3",
    "vectors of 48": "--width 48",
    "vectors of 64": "--width 64",
    "tables of 2 to 7 seats": "--players 2-7",
    "without the warm-up, plain critic": "--warm-up 0 --no-sees-all",
}


def answer(options: str, minutes: float) -> dict[str, Any]:
    """Run one training with these options; what `--json` says of it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "experiments.cli", "train", "ppo", *options.split()]
        command += ["--minutes", str(minutes), "--out", str(Path(folder) / "run"), "--json"]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return {name: found[name] for name in ("decisions", "seconds", "exam")}


def main(words: list[str]) -> None:
    """Run what the file does not hold yet."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="JSON, made or gone on with")
    parser.add_argument("--minutes", type=float, default=3.0, help="of each run")
    options = parser.parse_args(words)
    known: dict[str, Any] = {"minutes": options.minutes, "runs": {}}
    if options.file.exists():
        known = json.loads(options.file.read_text(encoding="utf-8"))
    for title, changes in RUNS.items():
        if title in known["runs"]:
            continue
        known["runs"][title] = {"options": changes, **answer(changes, known["minutes"])}
        options.file.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
        margin = known["runs"][title]["exam"]["heuristic/4"]["margin"]
        print(f"{title}: {margin:+.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
