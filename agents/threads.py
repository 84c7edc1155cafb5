"""Compiled work spread over threads, which let go of Python's lock for it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray


def spread(
    work: Callable[[NDArray[np.int64]], None], rows: NDArray[np.int64], threads: int
) -> None:
    """Do a piece of work for all rows, in as many parts as there are threads.

    Args:
        work: done for some of the rows; parts must not write to the same memory.
        rows: (M,) int64.
        threads: 1 or more; with one nothing is started.
    """
    parts = np.array_split(rows, max(1, min(threads, len(rows))))
    if len(parts) == 1:
        work(parts[0])
        return
    with ThreadPoolExecutor(len(parts)) as pool:
        for _ in pool.map(work, parts):  # raises what a part has raised
            pass
