"""The package where it is installed: beside a cache that it can write, and where it cannot."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
DEAL = """
import json
import numpy
import chickenfoot_env
from chickenfoot_env import batch, rules
games = batch.deal(rules.Rules(players=2, rounds=(9,)), numpy.arange(2, dtype=numpy.uint64))
"""
STEP = """
before = games.copy()
batch.step(games, batch.legal_mask(games).argmax(axis=1))
assert (games != before).all()
"""
TELL = """
stats = batch._deal_due.stats
print(json.dumps({
    "file": chickenfoot_env.__file__,
    "cache": stats.cache_path,
    "hits": sum(stats.cache_hits.values()),
    "misses": sum(stats.cache_misses.values()),
    "points": games["points"][:, :2].tolist(),
}))
"""


def fresh_copy(folder: Path) -> Path:
    """The folder, with a copy of the package in which nothing is compiled."""
    shutil.copytree(
        ROOT / "chickenfoot_env",
        folder / "chickenfoot_env",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    return folder


def run(code: str, folder: Path, **changes: str) -> dict[str, Any]:
    """What the code prints as JSON, run with the package of the folder in a process of its own."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**inherited, "PYTHONPATH": str(folder), **changes},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert Path(told["file"]).parent == folder / "chickenfoot_env"
    return told


def test_a_game_is_played_where_nothing_can_be_written(tmp_path: Path) -> None:
    """Neither beside the source nor in any cache folder: compiled anew, and nothing is left.

    A file where a folder would have to be made stops every user, root included.
    """
    folder = fresh_copy(tmp_path)
    obstacle = folder / "file"
    obstacle.touch()
    (folder / "chickenfoot_env" / "__pycache__").touch()
    below = str(obstacle / "cache")
    before = sorted(folder.rglob("*"))
    told = run(DEAL + STEP + TELL, folder, NUMBA_CACHE_DIR=below, HOME=below, XDG_CACHE_HOME=below)
    assert (told["cache"], told["hits"]) == (None, 0)
    assert sorted(folder.rglob("*")) == before


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package that one process has compiled."""
    folder = fresh_copy(tmp_path_factory.mktemp("compiled"))
    told = run(DEAL + TELL, folder)
    assert (told["hits"], told["misses"]) == (0, 1)
    assert Path(told["cache"]).is_relative_to(folder)
    return folder


def test_a_second_process_compiles_nothing(compiled: Path) -> None:
    """It takes the machine code that the first one left."""
    told = run(DEAL + TELL, compiled)
    assert (told["hits"], told["misses"]) == (1, 0)


def test_a_changed_source_is_compiled_anew(compiled: Path, tmp_path: Path) -> None:
    """Also where another module was compiled with it: `batch` contains the kernels' code."""
    shutil.copytree(compiled / "chickenfoot_env", tmp_path / "chickenfoot_env")
    kernels = tmp_path / "chickenfoot_env" / "kernels.py"
    before = kernels.read_text(encoding="utf-8")
    after = before.replace("        settle(g)\n", "        settle(g)\n        g.points[0] = 7\n")
    assert after != before
    kernels.write_text(after, encoding="utf-8")
    assert run(DEAL + TELL, tmp_path)["points"] == [[7, 0], [7, 0]]
