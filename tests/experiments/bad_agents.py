"""Agents that fail in every way that there is, as the module of a distribution.

Each takes the first legal action until it fails: in the games whose views show `points` with an odd
sum, so that the other games of a tournament show what the fault has done to them.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from typing import Any

import numpy as np

from chickenfoot_env import view

KEPT: list[Any] = []


class First:
    """Takes the first legal action, and never fails."""

    def __init__(self) -> None:
        self.name = "first"

    def act(self, views: Any, seeds: Any) -> Any:
        return view.legal_mask(views).argmax(axis=1)


class _Failing(First):
    def act(self, views: Any, seeds: Any) -> Any:
        actions = super().act(views, seeds)
        bad = views["points"].sum(axis=1) % 2 == 1
        return self.fail(actions, bad) if bad.any() else actions

    def fail(self, actions: Any, bad: Any) -> Any:
        raise NotImplementedError


class Raises(_Failing):
    def fail(self, actions: Any, bad: Any) -> Any:
        raise KeyError("lost")


class Leaves(_Failing):
    def fail(self, actions: Any, bad: Any) -> Any:
        sys.exit(3)


class Exits(_Failing):
    def fail(self, actions: Any, bad: Any) -> Any:
        os._exit(3)


class Crashes(_Failing):
    def fail(self, actions: Any, bad: Any) -> Any:
        ctypes.string_at(0)


class Hangs(_Failing):
    def fail(self, actions: Any, bad: Any) -> Any:
        time.sleep(1e6)


class Spins(_Failing):
    """Holds the interpreter's lock in compiled code, where no signal of Python's gets in."""

    def fail(self, actions: Any, bad: Any) -> Any:
        return 10**10**9


class Eats(_Failing):
    def fail(self, actions: Any, bad: Any) -> Any:
        while True:
            KEPT.append(np.ones(2**20))


class Cheats(_Failing):
    def fail(self, actions: Any, bad: Any) -> Any:
        return np.where(bad, 0, actions) + np.where(bad, 10**6, 0)


class Floats(_Failing):
    def fail(self, actions: Any, bad: Any) -> Any:
        return np.where(bad, np.nan, actions)


class Shapes(_Failing):
    def fail(self, actions: Any, bad: Any) -> Any:
        return actions[:, None]


class Words(_Failing):
    def fail(self, actions: Any, bad: Any) -> Any:
        return "5-7@5"


class Closes(_Failing):
    """Closes all pipes, that to whoever asks among them, and stays."""

    def fail(self, actions: Any, bad: Any) -> Any:
        os.closerange(3, 100)
        time.sleep(1e6)


class Garbles(_Failing):
    """Writes to whatever is open, that to whoever asks among it."""

    def fail(self, actions: Any, bad: Any) -> Any:
        for number in range(3, 100):
            with contextlib.suppress(OSError):
                os.write(number, (3).to_bytes(8, "little") + b"{{{")
        return actions


class Stops(_Failing):
    def fail(self, actions: Any, bad: Any) -> Any:
        os.kill(os.getpid(), signal.SIGSTOP)
        return actions


class Nothing(_Failing):
    def fail(self, actions: Any, bad: Any) -> Any:
        return None


class Prints(First):
    """Prints, which is no fault and must not get into anybody's output."""

    def act(self, views: Any, seeds: Any) -> Any:
        print("thinking")
        os.write(1, b"thinking aloud\n")
        return super().act(views, seeds)


class Unmakeable(First):
    def __init__(self) -> None:
        raise OSError("no weights")


class Counts(First):
    """Counts a simulation for each legal action."""

    def __init__(self, scale: int = 1) -> None:
        super().__init__()
        self.simulations, self._scale = 0, scale

    def act(self, views: Any, seeds: Any) -> Any:
        self.simulations += self._scale * int(view.legal_mask(views).sum())
        return super().act(views, seeds)


class Murders(_Failing):
    """Ends the process that asks it."""

    def fail(self, actions: Any, bad: Any) -> Any:
        os.kill(os.getppid(), 9)
        return actions
