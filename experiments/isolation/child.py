"""Python processes that are started for one task and cannot outlive whoever started them.

A child imports one module and calls its `serve(socket)`. It starts from nothing, so that it knows
nothing of what its parent holds in memory. It leads a process group: whatever it starts is ended
with it, unless it leaves the group. It has no stdin, and what it prints goes to stderr.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import socket
import subprocess
import sys
from typing import Final

from agents.lifetime import die_with

_CODE: Final = """
import sys
sys.path[:] = {path!r}
from experiments.isolation import child
child.run({module!r}, {descriptor}, {parent})
"""
_LAST_SECONDS: Final = 2.0  # that a process may take to end once it has closed its pipe
_ONE_THREAD: Final = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB", "NUMEXPR")


class Child:
    """A process that runs `serve` of a module.

    Attributes:
        socket: its other end is handed to `serve`; it is closed when the process has ended.
    """

    def __init__(self, module: str) -> None:
        """Start it.

        Args:
            module: by its full name; it has a function `serve(socket) -> None`.

        Raises:
            OSError: if no process can be started here.
        """
        if os.name != "posix":
            raise OSError("worker processes need Linux, macOS or another POSIX system")
        self.socket, theirs = socket.socketpair()
        with theirs:
            path = [os.path.abspath(entry) for entry in sys.path]
            code = _CODE.format(
                path=path, module=module, descriptor=theirs.fileno(), parent=os.getpid()
            )
            threads = {f"{library}_NUM_THREADS": "1" for library in _ONE_THREAD}
            self._process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=2,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                env={**threads, **os.environ},
            )

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def end(self) -> str:
        """Kill it with all that it has started; how it had ended before, if it had, in words."""
        with contextlib.suppress(subprocess.TimeoutExpired):  # one that has just let go of us
            self._process.wait(_LAST_SECONDS if self._has_let_go() else 0)
        before = self._process.poll()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        self.socket.close()
        return "was running" if before is None else ended(before)

    def _has_let_go(self) -> bool:
        with contextlib.suppress(OSError):
            self.socket.setblocking(False)
            return self.socket.recv(1, socket.MSG_PEEK) == b""
        return False

    def __enter__(self) -> Child:
        """The child itself; it is ended with the context."""
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def ended(code: int) -> str:
    """What the exit code of a process says, such as "exited with code 3"."""
    if code >= 0:
        return f"exited with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"was ended by {name}"


def run(module: str, descriptor: int, parent: int) -> None:
    """The life of a child; called in it."""
    die_with(parent)
    with socket.socket(fileno=descriptor) as ours, contextlib.suppress(BrokenPipeError, EOFError):
        importlib.import_module(module).serve(ours)
