"""Work that threads share."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.threads import spread


@pytest.mark.parametrize("count", [0, 1, 2, 10])
@pytest.mark.parametrize("threads", [1, 2, 3, 16])
def test_every_row_is_worked_on_once(count: int, threads: int) -> None:
    rows, done = np.arange(5, 5 + count), np.zeros(5 + count, np.int64)

    def work(part: NDArray[np.int64]) -> None:
        done[part] += 1

    spread(work, rows, threads)
    assert done.tolist() == [0] * 5 + [1] * count


def test_parts_are_worked_on_at_the_same_time() -> None:
    meeting = threading.Barrier(3, timeout=20)
    spread(lambda part: meeting.wait() and None, np.arange(3), 3)


def test_one_thread_is_the_callers() -> None:
    names: list[str] = []
    spread(lambda part: names.append(threading.current_thread().name), np.arange(3), 1)
    assert names == [threading.current_thread().name]


@pytest.mark.parametrize("threads", [1, 2])
def test_what_a_part_raises_is_raised(threads: int) -> None:
    def work(part: NDArray[np.int64]) -> None:
        if 3 in part:
            raise ArithmeticError("3")

    with pytest.raises(ArithmeticError, match="3"):
        spread(work, np.arange(4), threads)
