"""What a results file shows: the figures as one JSON object, and a page that needs nothing else.

Both are pure functions of the file: the same file gives the same bytes.
"""

from __future__ import annotations

import base64
import io
import itertools
import os
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from experiments import results, statistics
from experiments.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

MOST_FAULTS: Final = 0.01  # above this share of forfeited games an agent's figures are invalid
LABEL: Final = 24  # characters of an agent's name in a plot
THEMES: Final = {
    "light": {"ink": "#1b1f24", "soft": "#c4cad2", "page": "#ffffff", "beside": "#5b6470"},
    "dark": {"ink": "#e6e9ee", "soft": "#4a515c", "page": "#16191d", "beside": "#a2abb7"},
}
WORSE, BETTER = "#d9822b", "#2f7fc1"  # told apart with any colour vision
MARK: Final = "†"  # behind the name of an agent that cheats
YARDSTICK: Final = "sees hidden tiles: a yardstick, no competitor"


def summary(path: Path) -> dict[str, Any]:
    """The figures of a results file; agents are listed best first, behind them those that cheat.

    Returns:
        JSON values. Intervals of 95 % are in `..._low` and `..._high`, None after a single deal.
        "decisions" are all those that an agent was asked, "simulations_per_decision" and
        "ms_per_decision" means over them, None if there was none; milliseconds are measured and
        differ from run to run. "digest" is that of `Results`.
        "valid" is false for an agent that forfeited more than MOST_FAULTS of its games.
        "cheats" says that an agent was handed hidden tiles: a yardstick, no competitor.
        "pairs" holds each pair once, the agent listed first in front: points a game by which it
        beats the other in the games that both sit in.

    Raises:
        StoreError: if the file is no results file, or holds no complete deal.
    """
    held = results.load(path)
    meta, tally = held.meta, held.tally
    figures = statistics.entries(tally)
    order = sorted(range(len(figures)), key=lambda e: (held.cheats[e], -figures[e].margin.mean))
    pairs = ((a, b, statistics.paired(tally, a, b)) for a, b in itertools.combinations(order, 2))
    return {
        "rules": meta["rules"],
        "seed": meta["seed"],
        "players": tally.players,
        "deals": len(tally.games),
        "deals_planned": meta["deals"],
        "line_ups": held.line_ups,
        "blocks": len(tally.games) * held.line_ups,
        "games": held.games,
        "rounds": held.rounds,
        "blocked_share": held.blocked_rounds / held.rounds,
        "agents": [_agent(held, e, figures[e]) for e in order],
        "pairs": [
            {"agent": held.labels[a], "other": held.labels[b], **_interval("difference", found)}
            for a, b, found in pairs
            if found is not None
        ],
        "faults": [
            {"agent": label, "message": message, "count": count}
            for label, message, count in held.messages
        ],
        "versions": {"chickenfoot": meta["chickenfoot"], "numpy": meta["numpy"]},
        "command": meta["command"],
        "digest": held.digest,
        "results": str(path),
    }


def write_html(path: Path) -> Path:
    """Write report.html beside the results file; it loads nothing from anywhere.

    Returns:
        The path of the page.

    Raises:
        StoreError: as `summary`.
        OSError: if the page cannot be written.
    """
    import jinja2

    figures = summary(path)
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    template = (resources.files("experiments") / "report.html.j2").read_text(encoding="utf-8")
    text = environment.from_string(template).render(
        **{name: value for name, value in figures.items() if name != "results"},
        file=path.name,
        plots={name: _plots(figures, theme) for name, theme in THEMES.items()},
        most_faults=MOST_FAULTS,
        marked={agent["name"]: marked(agent) for agent in figures["agents"]},
        yardsticks=[agent["name"] for agent in figures["agents"] if agent["cheats"]],
        mark=MARK,
        yardstick=YARDSTICK,
    )
    page = path.with_name("report.html")
    part = page.with_name(page.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, page)
    return page


def marked(agent: dict[str, Any]) -> str:
    """The name of an agent of a summary, with a mark if it cheats."""
    return f"{agent['name']} {MARK}" if agent["cheats"] else str(agent["name"])


def _agent(
    held: results.Results, entry: int, figures: statistics.EntryStatistics
) -> dict[str, Any]:
    spent = held.spent[entry]
    asked = spent.decisions
    return {
        "name": held.labels[entry],
        "cheats": held.cheats[entry],
        "games": figures.games,
        "mean_points": figures.mean_points,
        **_interval("margin", figures.margin, "margin"),
        **_interval("win_share", figures.win_share, "win"),
        "faults": held.faults[entry],
        "valid": held.faults[entry] <= MOST_FAULTS * figures.games,
        "decisions": asked,
        "simulations_per_decision": spent.simulations / asked if asked else None,
        "ms_per_decision": 1000 * spent.seconds / asked if asked else None,
    }


def _interval(name: str, value: Estimate, stem: str = "") -> dict[str, Any]:
    low, high = (f"{stem}_{end}" if stem else end for end in ("low", "high"))
    return {name: value.mean, low: value.low, high: value.high}


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
        found = Estimate(pair["difference"], pair["low"], pair["high"])
        for row, column, value in ((a, b, found.mean), (b, a, -found.mean)):
            cells[row][column] = value
            axes.text(
                column,
                row,
                f"{value:+.{1 if abs(value) < 100 else 0}f}{'*' if found.differs else ''}",
                ha="center",
                va="center",
                weight="bold" if found.differs else "normal",
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
