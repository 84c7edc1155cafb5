"""Writes docs/reference/commands.md from the command line itself."""

from __future__ import annotations

import html
import re
from pathlib import Path

import typer
from typer.cli import get_docs_for_click
from typer.main import get_command

from experiments.cli import app

DOCS = Path(__file__).parent


def page() -> str:
    """The text of docs/reference/commands.md."""
    command = get_command(app)
    text = get_docs_for_click(
        obj=command, ctx=typer.Context(command), name="chickenfoot", title="Command line"
    )
    return re.sub(r"\n{3,}", "\n\n", html.unescape(text)).strip() + "\n"


if __name__ == "__main__":
    (DOCS / "reference" / "commands.md").write_text(page(), encoding="utf-8")
