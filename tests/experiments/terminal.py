"""The command line, run with pipes or in a terminal of its own."""

from __future__ import annotations

import contextlib
import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

needs_terminal = pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals")
PATIENCE = 60.0  # seconds until a terminal is taken to be stuck
_ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[=>])")
ROOT = Path(__file__).parents[2]


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "experiments.cli", *map(str, arguments)]


def run(
    *arguments: str | Path, code: int = 0, text: str = "", cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end with this on its standard input."""
    done = subprocess.run(
        command(*arguments),
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


class Terminal:
    """A command in a terminal of 80 columns.

    Attributes:
        text: all that it has shown so far, without colours.
    """

    def __init__(self, *arguments: str | Path) -> None:
        import pty

        self._master, slave = pty.openpty()
        env = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "50"}
        self._process = subprocess.Popen(
            command(*arguments),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**env, "PYTHONPATH": str(ROOT)},
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(slave)
        self.text = ""
        self._seen = 0

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._master)

    def send(self, keys: str) -> None:
        """Press keys; what is shown from now on is what `wait_for` looks at."""
        self._seen = len(self.text)
        os.write(self._master, keys.encode())

    def wait_for(self, *words: str) -> str:
        """What has been shown since the last key, once all of these are in it."""
        end = time.monotonic() + PATIENCE
        while not all(word in self.text[self._seen :] for word in words):
            assert time.monotonic() < end and self._read(), f"no {words} in {self.text}"
        return self.text[self._seen :]

    def end(self) -> int:
        """The exit code, once the command has ended."""
        while self._read():
            pass
        return self._process.wait(timeout=PATIENCE)

    def _read(self) -> bool:
        """Read what is there; False if the command has ended."""
        if not select.select([self._master], [], [], PATIENCE)[0]:
            return False
        data = b""
        with contextlib.suppress(OSError):  # which is how a pseudo-terminal says so
            data = os.read(self._master, 65536)
        self.text += _ESCAPES.sub("", data.decode(errors="replace"))
        return bool(data)


def _take_terminal() -> None:
    """Make standard input the terminal that Ctrl-C comes from."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
