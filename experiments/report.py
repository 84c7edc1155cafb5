"""What a results file shows: the figures as one JSON object, and a page that needs nothing else.

Both are pure functions of the file: the same file gives the same bytes.
"""

from __future__ import annotations

import base64
import io
import json
import os
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from experiments.figures import summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

LABEL: Final = 24  # characters of an agent's name in a plot
THEMES: Final = {
    "light": {"ink": "#1b1f24", "soft": "#c4cad2", "page": "#ffffff", "beside": "#5b6470"},
    "dark": {"ink": "#e6e9ee", "soft": "#4a515c", "page": "#16191d", "beside": "#a2abb7"},
}
WORSE, BETTER = "#d9822b", "#2f7fc1"  # told apart with any colour vision
MARK: Final = "†"  # behind the name of an agent that cheats
YARDSTICK: Final = "sees hidden tiles: a yardstick, no competitor"


def write_html(path: Path, figures: dict[str, Any] | None = None) -> Path:
    """Write report.html beside the results file; it loads nothing from anywhere.

    Args:
        path: of the results file.
        figures: its summary, where the caller has it already.

    Returns:
        The path of the page.

    Raises:
        StoreError: as `summary`.
        OSError: if the page cannot be written.
    """
    import jinja2

    figures = summary(path) if figures is None else figures
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    template = (resources.files("experiments") / "report.html.j2").read_text(encoding="utf-8")
    text = environment.from_string(template).render(
        **{name: value for name, value in figures.items() if name != "results"},
        file=path.name,
        plots={name: _plots(figures, theme) for name, theme in THEMES.items()},
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


def marked(agent: dict[str, Any]) -> str:
    """The name of an agent of a summary, with a mark if it cheats."""
    return f"{agent['name']} {MARK}" if agent["cheats"] else str(agent["name"])


def _write(path: Path, name: str, text: str) -> Path:
    """Write a file beside the results file, whole or not at all."""
    written = path.with_name(name)
    part = path.with_name(name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, written)
    return written


def _plots(figures: dict[str, Any], theme: dict[str, str]) -> dict[str, str]:
    """The plots of the page as data URIs: the same figures always give the same bytes."""
    from matplotlib import style
    from matplotlib.figure import Figure

    rows = len(figures["agents"])
    settings: dict[Any, Any] = {
        "svg.hashsalt": "chickenfoot",
        "font.family": "DejaVu Sans",
        "font.size": 11,
        "text.color": theme["ink"],
        "axes.labelcolor": theme["ink"],
        "axes.edgecolor": theme["soft"],
        "xtick.color": theme["ink"],
        "ytick.color": theme["ink"],
    }
    plots = {}
    for name, size, draw in (
        ("margins", (5.2, 1.0 + 0.42 * rows), _draw_margins),
        ("pairs", (max(5.2, 2.6 + 0.6 * rows), 0.8 + 0.55 * rows), _draw_pairs),
    ):
        with style.context(["default", settings]):
            figure = Figure(figsize=size, layout="constrained")
            draw(figure.add_subplot(), figures, theme)
            drawn = io.BytesIO()
            figure.savefig(drawn, format="svg", transparent=True, metadata={"Date": None})
        code = base64.b64encode(drawn.getvalue()).decode("ascii")
        plots[name] = f"data:image/svg+xml;base64,{code}"
    return plots


def _draw_margins(axes: Axes, figures: dict[str, Any], theme: dict[str, str]) -> None:
    agents = figures["agents"]
    axes.axvline(0, color=theme["soft"], linewidth=1)
    for y, agent in enumerate(agents):
        x, low, high = agent["margin"], agent["margin_low"], agent["margin_high"]
        colour, marker = (theme["beside"], "d") if agent["cheats"] else (BETTER, "o")
        axes.plot([x], [y], marker, color=colour, markersize=5)
        if low is not None:
            axes.errorbar([x], [y], xerr=[[x - low], [high - x]], color=colour, capsize=4)
    axes.set_yticks(range(len(agents)), _short(agents))
    _set_apart(axes.get_yticklabels(), agents, theme)
    axes.set_ylim(len(agents) - 0.5, -0.5)
    axes.set_xlabel("margin, pips a game")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _draw_pairs(axes: Axes, figures: dict[str, Any], theme: dict[str, str]) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    agents = figures["agents"]
    place = {agent["name"]: i for i, agent in enumerate(agents)}
    widest = max((abs(pair["difference"]) for pair in figures["pairs"]), default=0) or 1
    colours = LinearSegmentedColormap.from_list("pairs", [WORSE, theme["page"], BETTER])
    cells = [[float("nan")] * len(agents) for _ in agents]
    for pair in figures["pairs"]:
        a, b = place[pair["agent"]], place[pair["other"]]
        clear = pair["significant"]
        for row, column, value in ((a, b, pair["difference"]), (b, a, -pair["difference"])):
            cells[row][column] = value
            axes.text(
                column,
                row,
                f"{value:+.{1 if abs(value) < 100 else 0}f}{'*' if clear else ''}",
                ha="center",
                va="center",
                weight="bold" if clear else "normal",
                fontsize=9,
            )
    axes.imshow(cells, cmap=colours, vmin=-1.6 * widest, vmax=1.6 * widest, aspect="auto")
    names = [f"{name}  {i}" for i, name in enumerate(_short(agents), 1)]
    columns = [f"{i} {MARK}" if agent["cheats"] else str(i) for i, agent in enumerate(agents, 1)]
    axes.set_xticks(range(len(agents)), columns)
    axes.set_yticks(range(len(agents)), names)
    competitors = sum(not agent["cheats"] for agent in agents)
    if 0 < competitors < len(agents):
        axes.axhline(competitors - 0.5, color=theme["beside"], linewidth=1, linestyle="--")
        axes.axvline(competitors - 0.5, color=theme["beside"], linewidth=1, linestyle="--")
    axes.xaxis.tick_top()
    for axis in (axes.xaxis, axes.yaxis):
        _set_apart(axis.get_ticklabels(), agents, theme)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _set_apart(
    labels: Sequence[Text], agents: Sequence[dict[str, Any]], theme: dict[str, str]
) -> None:
    """Give the labels of agents that cheat a style of their own."""
    for label, agent in zip(labels, agents, strict=True):
        if agent["cheats"]:
            label.set(style="italic", color=theme["beside"])


def _short(agents: Sequence[dict[str, Any]]) -> list[str]:
    names = ((agent["name"], f" {MARK}" if agent["cheats"] else "") for agent in agents)
    return [
        (name if len(name) <= LABEL else name[: LABEL - 1] + "…") + mark for name, mark in names
    ]
