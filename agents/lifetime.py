"""Processes that do not outlive whoever started them."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Final

_PR_SET_PDEATHSIG: Final = 1  # of prctl(2)


def die_with(parent: int) -> None:
    """Have the kernel kill this process once the process `parent` has ended; on Linux alone.

    Elsewhere a process notices when it next reads from whoever started it.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it has ended before
            os.kill(os.getpid(), signal.SIGKILL)
