"""conftest.py of the folder in which mutants are tried: no test may hang.

A mutant that loops for ever fails its first test after LIMIT seconds of its own processor time,
however busy the machine is.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator

import numpy as np
import pytest

LIMIT = 8.0  # the slowest test of the suite takes less than two


def _stop(*_: object) -> None:
    raise TimeoutError(f"no end after {LIMIT} s")


@pytest.fixture(autouse=True)
def _limit() -> Iterator[None]:
    signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    with np.errstate(over="ignore"):  # as `jit.compiled` has it
        yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
