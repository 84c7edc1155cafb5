"""What two runs of a tournament have in common, byte for byte: everything but measured time."""

from __future__ import annotations

import contextlib
import re
import shutil
import sqlite3
import tempfile
from pathlib import Path

_PLOT = re.compile(r'<figure class="times">.*?</figure>', re.DOTALL)
_TIME = re.compile(r'(<td class="time"[^>]*>)[\d,.]+ [µm]s(</td>)')


def file_bytes(path: Path) -> bytes:
    """A results file with all seconds set to 0, packed as a finished run packs it."""
    with tempfile.TemporaryDirectory() as folder:
        copy, packed = Path(folder) / "copy", Path(folder) / "packed"
        shutil.copy(path, copy)
        with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as connection:
            connection.execute("UPDATE costs SET seconds = 0")
            connection.execute("VACUUM INTO ?", (str(packed),))
        return packed.read_bytes()


def page(path: Path) -> str:
    """A report without its times."""
    text = _PLOT.sub("", path.read_text(encoding="utf-8"))
    text, count = _TIME.subn(r"\1\2", text)
    assert count
    return text
