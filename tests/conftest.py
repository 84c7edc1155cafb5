"""What all tests take for granted."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Ctrl-C interrupts, also where tests run in a shell's background or several at a time.

    Processes that tests start would inherit that it is ignored.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
