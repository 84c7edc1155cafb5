"""What is measured once: memory, and how long the kernels take to compile.

Both need processes of their own. `python -m experiments.benchmark.once memory GAMES STEPS` and
`python -m experiments.benchmark.once compile` are those processes; each prints one JSON object.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from experiments.benchmark.measurement import Scale

_STATM: Final = Path("/proc/self/statm")  # Linux; no other system tells it without a package


def memory(scale: Scale) -> dict[str, int | None]:
    """Bytes of a game and of a view, and what the process holds: resident bytes, None if unknown.

    `resident_bytes` is what `games` dealt games add to the process, `growth_bytes` what `steps`
    steps with masks, views and features add to it after the first tenth of them.
    """
    sizes = str(scale.games(65536)), str(scale.steps(10_000_000))
    figures: dict[str, int | None] = _process("memory", *sizes)
    return figures


def compilation() -> dict[str, float]:
    """Seconds from the start of a process to its first step, playout and features.

    `cold_seconds` with nothing compiled yet, `warm_seconds` with the machine code of that process.
    """
    with tempfile.TemporaryDirectory() as folder:
        empty = {"NUMBA_CACHE_DIR": folder}
        cold, warm = (_process("compile", **empty)["seconds"] for _ in range(2))
    return {"cold_seconds": cold, "warm_seconds": warm}


def _process(*arguments: str, **environment: str) -> Any:
    """What one of these processes prints.

    Raises:
        RuntimeError: if it fails, with the last line of what it said.
    """
    done = subprocess.run(
        [sys.executable, "-m", __name__, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise RuntimeError(f"the process that measures {arguments[0]} failed: {last}")
    return json.loads(done.stdout)


def _resident() -> int | None:
    """Bytes of this process that are in memory."""
    if not _STATM.exists():
        return None
    return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _difference(after: int | None, before: int | None) -> int | None:
    return None if after is None or before is None else after - before


def _memory(count: int, steps: int) -> dict[str, int | None]:
    import numpy as np

    from chickenfoot_env import batch
    from chickenfoot_env.game import GAME
    from chickenfoot_env.view import VIEW
    from experiments.benchmark.core import SEED_RULES

    batch.deal(SEED_RULES, np.arange(1, dtype=np.uint64))
    before = _resident()
    games = batch.deal(SEED_RULES, np.arange(count, dtype=np.uint64))
    dealt = _resident()
    return {
        "game_bytes": GAME.itemsize,
        "view_bytes": VIEW.itemsize,
        "games": len(games),
        "resident_bytes": _difference(dealt, before),
        **_growth(steps),
    }


def _growth(steps: int) -> dict[str, int | None]:
    import numpy as np

    from chickenfoot_env import batch, chance, sampling
    from chickenfoot_env.game import GAME_OVER
    from experiments.benchmark.core import SEED_RULES, mask_and_features

    count = min(4096, steps)
    dealt = batch.deal(SEED_RULES, np.arange(count, dtype=np.uint64))
    games = dealt.copy()
    ticks = -(-steps // count)
    begun: int | None = None
    for tick in range(ticks):
        if tick == ticks // 10:
            begun = _resident()
        mask_and_features(games)
        seeds = chance.derive(games["seed"], tick)
        batch.step(games, sampling.sample(batch.legal_mask(games), seeds))
        over = games["over"] == GAME_OVER
        games[over] = dealt[over]
    return {"steps": ticks * count, "growth_bytes": _difference(_resident(), begun)}


def _compile(began: float) -> dict[str, float]:
    import numpy as np

    from chickenfoot_env import batch
    from experiments.benchmark.core import SEED_RULES, mask_and_features

    seeds = np.arange(2, dtype=np.uint64)
    games = batch.deal(SEED_RULES, seeds)
    mask_and_features(games)
    batch.step(games, batch.legal_mask(games).argmax(axis=1))
    batch.random_playout(games, seeds)
    return {"seconds": time.perf_counter() - began}


if __name__ == "__main__":
    if sys.argv[1] == "memory":
        print(json.dumps(_memory(int(sys.argv[2]), int(sys.argv[3]))))
    else:
        print(json.dumps(_compile(time.perf_counter())))
