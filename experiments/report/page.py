"""The page of a results file, and its figures as JSON, beside the file."""

from __future__ import annotations

import json
import os
from importlib import resources
from pathlib import Path
from typing import Any

from experiments.figures import summary
from experiments.report import plots, times
from experiments.report.names import MARK, YARDSTICK, marked


def write_html(
    path: Path, figures: dict[str, Any] | None = None, games: Path | None = None
) -> Path:
    """Write report.html beside the results file; it loads nothing from anywhere.

    Args:
        path: of the results file.
        figures: its summary, where the caller has it already.
        games: the records of its games: the most decisive ones get pages of their own, in a folder
            `replays`, and links to them.

    Returns:
        The path of the page.

    Raises:
        StoreError: as `summary`.
        GameFileError: if the file of games is not of this tournament.
        OSError: if the page cannot be written.
    """
    import jinja2

    figures = summary(path) if figures is None else figures
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    template = resources.files("experiments.report") / "report.html.j2"
    text = environment.from_string(template.read_text(encoding="utf-8")).render(
        **{name: value for name, value in figures.items() if name != "results"},
        file=path.name,
        plots=plots.draw(figures),
        time=times.time,
        replays=_replays(path, figures, games),
        rated=plots.rated(figures),
        skilled=any(agent["skill"] is not None for agent in figures["agents"]),
        marked={agent["name"]: marked(agent) for agent in figures["agents"]},
        yardsticks=[agent["name"] for agent in figures["agents"] if agent["cheats"]],
        mark=MARK,
        yardstick=YARDSTICK,
    )
    return _write(path, "report.html", text)


def write_json(path: Path, figures: dict[str, Any] | None = None) -> Path:
    """Write report.json, the summary, beside the results file, which it names without its folder.

    Args:
        path: of the results file.
        figures: its summary, where the caller has it already.

    Returns:
        The path of report.json.

    Raises:
        StoreError: as `summary`.
        OSError: if it cannot be written.
    """
    figures = summary(path) if figures is None else figures
    told = {**figures, "results": path.name}
    return _write(path, "report.json", json.dumps(told, indent=1, allow_nan=False) + "\n")


def _replays(path: Path, figures: dict[str, Any], games: Path | None) -> dict[int, str]:
    """The links to replays, by the number of the game."""
    if games is None:
        return {}
    from experiments.report import replays

    return replays.write(path, figures, games)


def _write(path: Path, name: str, text: str) -> Path:
    """Write a file beside the results file, whole or not at all."""
    written = path.with_name(name)
    part = path.with_name(name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, written)
    return written
