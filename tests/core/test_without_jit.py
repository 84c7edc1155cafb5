"""The kernels do the same as plain Python, and stay within their arrays."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
from core.lockstep import Pairing
from core.tables import some_tables

from chickenfoot_env import batch, chance, encode, view

ROOT = Path(__file__).parents[2]
PROGRAM = "from core.test_without_jit import short_play; print(short_play())"


def short_play() -> str:
    """Play 3000 steps beside the reference, then on at random; a hash of all that came of it."""
    dice = random.Random(3)
    tables = [table for max_pip in (2, 3, 6, 9, 18) for table in some_tables(dice, max_pip)]
    pairing = Pairing(tables)
    pairing.play(dice, most=3000)
    games = pairing.games
    views = view.observe(games, games["seat"].astype(np.int64))
    digest = hashlib.sha256(view.legal_mask(views).tobytes())
    for max_pip in np.unique(views["max_pip"]):
        digest.update(encode.features(views[views["max_pip"] == max_pip]).tobytes())
    for records in (views, games):
        digest.update(repr(records.tolist()).encode())
    digest.update(batch.play_forced(games).tobytes())
    some = games[::7].copy()
    digest.update(batch.random_playout(some, chance.derive(some["seed"], 1)).tobytes())
    digest.update(repr((games.tolist(), some.tolist())).encode())
    return digest.hexdigest()


def run_with(**settings: str) -> str:
    """The hash of the short play in another process with these settings of Numba."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": path, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_kernels_do_the_same_with_compilation_off() -> None:
    """Compiled integers and bit rows behave as Python's, and overflow is as silent."""
    assert run_with(NUMBA_DISABLE_JIT="1") == short_play()


def test_kernels_stay_within_their_arrays(tmp_path: Path) -> None:
    """Compiled anew with bounds checks."""
    assert run_with(NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path)) == short_play()
