"""Where commands write: what was asked for on stdout, all else on stderr."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


def say(text: str) -> None:
    """Tell whoever runs the command something, in one line on stderr."""
    print(f"chickenfoot: {' '.join(text.split())}", file=sys.stderr, flush=True)


def show(renderable: RenderableType) -> None:
    """Print on stdout; nothing is folded in a file or a pipe."""
    console().print(renderable)


def console(width: int = 200, *, highlight: bool = True) -> Console:
    """Stdout, which takes texts as they are; `width` columns wide in a file or a pipe."""
    from rich.console import Console

    columns = None if sys.stdout.isatty() else width
    return Console(width=columns, markup=False, emoji=False, highlight=highlight)
