"""How much memory processes hold, read from /proc; where there is none, it is not known."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def resident(pid: int) -> int:
    """Bytes of resident memory of a process and all its descendants, each page once a process.

    0 where it cannot be known.
    """
    return sum(_pages(one) for one in _with_descendants(pid)) * os.sysconf("SC_PAGE_SIZE")


def _with_descendants(pid: int) -> Iterator[int]:
    yield pid
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [int(word) for task in tasks for word in (task / "children").read_text().split()]
    except (OSError, ValueError):  # it has just ended, or there is no such file here
        return
    for child in children:
        yield from _with_descendants(child)


def _pages(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0
