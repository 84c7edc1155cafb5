"""Single keys from a terminal, without waiting for the Enter key."""

from __future__ import annotations

import contextlib
import os
import re
import select
import sys
from collections.abc import Iterator
from typing import Final

LEFT, RIGHT, UP, DOWN, HOME, END, PAGE_UP, PAGE_DOWN = (
    "left",
    "right",
    "up",
    "down",
    "home",
    "end",
    "page up",
    "page down",
)
END_OF_INPUT: Final = ""  # Ctrl-D, or a terminal that is gone
_SEQUENCES: Final = {  # what terminals send behind Escape
    "[D": LEFT,
    "[C": RIGHT,
    "[A": UP,
    "[B": DOWN,
    "OD": LEFT,
    "OC": RIGHT,
    "OA": UP,
    "OB": DOWN,
    "[H": HOME,
    "OH": HOME,
    "[1~": HOME,
    "[7~": HOME,
    "[F": END,
    "OF": END,
    "[4~": END,
    "[8~": END,
    "[5~": PAGE_UP,
    "[6~": PAGE_DOWN,
}
_CODES: Final = {  # of Windows, behind a zero or 224
    "K": LEFT,
    "M": RIGHT,
    "H": UP,
    "P": DOWN,
    "G": HOME,
    "O": END,
    "I": PAGE_UP,
    "Q": PAGE_DOWN,
}
_CTRL_C, _CTRL_D, _ESCAPE = "\x03", "\x04", "\x1b"
_SEQUENCE_END: Final = re.compile(r"^[^\[O]|.[A-Za-z~]$")
_AT_ONCE: Final = 0.05  # seconds within which a terminal sends all of a sequence


@contextlib.contextmanager
def listening() -> Iterator[None]:
    """While this is entered, keys are handed over one by one and not shown."""
    if sys.platform == "win32":
        yield
        return
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def read_key(wait: float | None = None) -> str | None:
    """The next key: one of the names above, or its character; None after `wait` seconds without.

    Raises:
        KeyboardInterrupt: on Ctrl-C.
    """
    if sys.platform == "win32":
        return _read_windows(wait)
    if not _is_ready(wait):
        return None
    key = _read_byte()
    return _SEQUENCES.get(_read_sequence(), _ESCAPE) if key == _ESCAPE else _known(key)


def _is_ready(wait: float | None) -> bool:
    return bool(select.select([sys.stdin], [], [], wait)[0])


def _read_byte() -> str:
    return os.read(sys.stdin.fileno(), 1).decode("latin-1")


def _read_sequence() -> str:
    """What came with an Escape: nothing, if it was the key of that name."""
    text = ""
    while not _SEQUENCE_END.search(text) and _is_ready(_AT_ONCE):
        text += _read_byte()
    return text


def _known(key: str) -> str:
    if key == _CTRL_C:
        raise KeyboardInterrupt
    return END_OF_INPUT if key == _CTRL_D else key


def _read_windows(wait: float | None) -> str | None:
    import msvcrt
    import time

    end = None if wait is None else time.monotonic() + wait
    while not msvcrt.kbhit():  # type: ignore[attr-defined] # there only on Windows
        if end is not None and time.monotonic() >= end:
            return None
        time.sleep(0.02)
    key: str = msvcrt.getwch()  # type: ignore[attr-defined] # there only on Windows
    if key in ("\x00", "\xe0"):
        return _CODES.get(msvcrt.getwch(), _ESCAPE)  # type: ignore[attr-defined] # as above
    return _known(key)
