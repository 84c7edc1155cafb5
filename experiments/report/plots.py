"""The plots of the page, drawn from a summary: the same figures always give the same bytes.

A plot is drawn once, in the colours of the light page; the dark one has others in their place.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from experiments.report import times
from experiments.report.colours import BESIDE, BETTER, DARK, INK, SOFT, WORSE
from experiments.report.names import MARK, marked, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

WIDTH: Final = 4.7  # inches
FEWEST_BLOCKS: Final = 10  # of an agent, for its margins to be a distribution


@dataclass(frozen=True)
class Plot:
    """A picture of the page.

    Attributes:
        light: data URI for a light page.
        dark: data URI for a dark one.
        alt: what it shows, in words and figures.
    """

    light: str
    dark: str
    alt: str


Dot = tuple[str, float, float | None, float | None]  # label, value, and its interval


def draw(figures: dict[str, Any]) -> dict[str, Plot]:
    """Every plot by its name; one that would show nothing is left out.

    Args:
        figures: a summary.
    """
    rows, seats = len(figures["agents"]), len(figures["seats"])
    high = 1.0 + 0.42 * rows
    return {
        "margins": _plot(_margins, high, figures, _told(_dots(figures["agents"], "margin"))),
        **_if(figures["pairs"], "pairs", _pairs, 0.8 + 0.55 * rows, figures, _told_pairs),
        **_if(rated(figures), "ratings", _ratings, high, figures, _told_ratings),
        **_if(_spreads(figures), "spread", _spread, high + 0.2 * rows, figures, _told_spread),
        **_if(len(times.timed(figures)) > 1, "times", times.draw, 3.4, figures, times.told),
        **_if(_seated(figures), "seats", _seats, 1.0 + 0.42 * seats, figures, _told_seats),
        **_if(gained(figures), "blocked", _blocked, high, figures, _told_blocked),
    }


def gained(figures: dict[str, Any]) -> list[dict[str, Any]]:
    """The agents of a summary of which it is known how blocked rounds go with their margin."""
    return [agent for agent in figures["agents"] if agent["blocked_gain_low"] is not None]


def rated(figures: dict[str, Any]) -> bool:
    """Whether the ratings of a summary have intervals."""
    return any(agent["rating_low"] is not None for agent in figures["agents"])


def _if(
    wanted: Any,
    name: str,
    drawn: Callable[[Axes, dict[str, Any]], None],
    height: float,
    figures: dict[str, Any],
    told: Callable[[dict[str, Any]], str],
) -> dict[str, Plot]:
    return {name: _plot(drawn, height, figures, told(figures))} if wanted else {}


def _plot(
    drawn: Callable[[Axes, dict[str, Any]], None], height: float, figures: dict[str, Any], alt: str
) -> Plot:
    from matplotlib import style
    from matplotlib.figure import Figure

    settings: dict[Any, Any] = {
        "svg.hashsalt": "chickenfoot",
        "font.family": "DejaVu Sans",
        "font.size": 11,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": SOFT,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "xtick.color": INK,
        "ytick.color": INK,
    }
    with style.context(["default", settings]):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        drawn(figure.add_subplot(), figures)
        code = io.StringIO()
        figure.savefig(code, format="svg", transparent=True, metadata={"Date": None})
    light = code.getvalue()
    dark = light
    for one, other in DARK.items():
        dark = dark.replace(one, other)
    return Plot(_uri(light), _uri(dark), alt)


def _uri(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode('ascii')}"


def _dots(agents: Sequence[dict[str, Any]], name: str) -> list[Dot]:
    return [(marked(a), a[name], a[f"{name}_low"], a[f"{name}_high"]) for a in agents]


def _told(dots: Sequence[Dot], form: str = "+.1f") -> str:
    """Values with intervals in words."""
    return "; ".join(
        f"{label} {value:{form}}" + ("" if low is None else f" ({low:{form}} to {high:{form}})")
        for label, value, low, high in dots
    )


def _draw_dots(axes: Axes, dots: Sequence[Dot], labels: Sequence[str], title: str) -> None:
    """A row for each value, with its interval, and a line at zero."""
    axes.axvline(0, color=SOFT, linewidth=1)
    for y, (label, x, low, high) in enumerate(dots):
        colour, marker = (BESIDE, "d") if label.endswith(MARK) else (BETTER, "o")
        axes.plot([x], [y], marker, color=colour, markersize=5)
        if low is not None and high is not None:
            axes.plot([low, high], [y, y], "-|", color=colour, markersize=9)
    _rows(axes, labels, title)


def _rows(axes: Axes, labels: Sequence[str], title: str) -> None:
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlabel(title)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _draw_agents(axes: Axes, agents: Sequence[dict[str, Any]], name: str, title: str) -> None:
    _draw_dots(axes, _dots(agents, name), short(agents), title)
    _set_apart(axes.get_yticklabels(), agents)


def _margins(axes: Axes, figures: dict[str, Any]) -> None:
    _draw_agents(axes, figures["agents"], "margin", "margin, pips a game")


def _ratings(axes: Axes, figures: dict[str, Any]) -> None:
    _draw_agents(axes, figures["agents"], "rating", "rating")


def _told_ratings(figures: dict[str, Any]) -> str:
    return _told(_dots(figures["agents"], "rating"), "+.0f")


def _blocked(axes: Axes, figures: dict[str, Any]) -> None:
    _draw_agents(axes, gained(figures), "blocked_gain", "margin a blocked round, pips")


def _told_blocked(figures: dict[str, Any]) -> str:
    return _told(_dots(gained(figures), "blocked_gain"))


def _seat_dots(figures: dict[str, Any]) -> list[Dot]:
    return [
        (f"seat {seat['seat']}", seat["margin"], seat["margin_low"], seat["margin_high"])
        for seat in figures["seats"]
    ]


def _seated(figures: dict[str, Any]) -> bool:
    return all(seat["margin_low"] is not None for seat in figures["seats"])


def _seats(axes: Axes, figures: dict[str, Any]) -> None:
    dots = _seat_dots(figures)
    _draw_dots(axes, dots, [label for label, *_ in dots], "margin of whoever sits there, pips")


def _told_seats(figures: dict[str, Any]) -> str:
    return _told(_seat_dots(figures))


def _pairs(axes: Axes, figures: dict[str, Any]) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    agents = figures["agents"]
    place = {agent["name"]: i for i, agent in enumerate(agents)}
    widest = max(abs(pair["difference"]) for pair in figures["pairs"]) or 1
    size = 9.5 if len(agents) <= 5 else 7.5
    for pair in figures["pairs"]:
        a, b = place[pair["agent"]], place[pair["other"]]
        clear = pair["significant"]
        for row, column, value in ((a, b, pair["difference"]), (b, a, -pair["difference"])):
            colour = to_rgba(BETTER if value > 0 else WORSE, 0.65 * abs(value) / widest)
            axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=colour))
            text = f"{value:+.{1 if abs(value) < 10 else 0}f}{'*' if clear else ''}"
            weight = "bold" if clear else "normal"
            axes.text(column, row, text, ha="center", va="center", weight=weight, fontsize=size)
    axes.set_xlim(-0.5, len(agents) - 0.5)
    _rows(axes, [f"{name}  {i}" for i, name in enumerate(short(agents), 1)], "")
    columns = [f"{i} {MARK}" if agent["cheats"] else str(i) for i, agent in enumerate(agents, 1)]
    axes.set_xticks(range(len(agents)), columns)
    competitors = sum(not agent["cheats"] for agent in agents)
    if 0 < competitors < len(agents):
        axes.axhline(competitors - 0.5, color=BESIDE, linewidth=1, linestyle="--")
        axes.axvline(competitors - 0.5, color=BESIDE, linewidth=1, linestyle="--")
    axes.xaxis.tick_top()
    for axis in (axes.xaxis, axes.yaxis):
        _set_apart(axis.get_ticklabels(), agents)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _told_pairs(figures: dict[str, Any]) -> str:
    return "; ".join(
        f"{pair['agent']} against {pair['other']} {pair['difference']:+.1f}"
        f"{', significant' if pair['significant'] else ''}"
        for pair in figures["pairs"]
    )


def _spreads(figures: dict[str, Any]) -> bool:
    """Whether any agent has blocks enough, and their margins differ."""
    counts = [agent["margin_counts"] for agent in figures["agents"]]
    return len(figures["margin_edges"]) > 2 and max(map(sum, counts)) >= FEWEST_BLOCKS


def _spread(axes: Axes, figures: dict[str, Any]) -> None:
    agents, edges = figures["agents"], figures["margin_edges"]
    shares = [np.array(a["margin_counts"]) / sum(a["margin_counts"]) for a in agents]
    scale = 0.85 / max(share.max() for share in shares)
    axes.axvline(0, color=SOFT, linewidth=1)
    for y, (agent, share) in enumerate(zip(agents, shares, strict=True)):
        foot = y + 0.4
        colour = BESIDE if agent["cheats"] else BETTER
        axes.stairs(foot - scale * share, edges, baseline=foot, fill=True, color=colour, alpha=0.6)
        axes.plot(edges[:: len(edges) - 1], [foot, foot], color=SOFT, linewidth=0.8)
        axes.plot([agent["margin"]] * 2, [foot, foot - 0.85], color=INK, linewidth=1.2)
    _rows(axes, short(agents), "margin in a block, pips a game")
    _set_apart(axes.get_yticklabels(), agents)


def _told_spread(figures: dict[str, Any]) -> str:
    return "; ".join(f"{marked(a)}: {_middle(a, figures)}" for a in figures["agents"])


def _middle(agent: dict[str, Any], figures: dict[str, Any]) -> str:
    """Between which edges at least the middle half of an agent's blocks lies."""
    passed = np.cumsum(agent["margin_counts"]) / sum(agent["margin_counts"])
    first, last = int(np.argmax(passed > 0.25)), int(np.argmax(passed >= 0.75))
    low, high = figures["margin_edges"][first], figures["margin_edges"][last + 1]
    return f"half of its blocks between {low:+g} and {high:+g}"


def _set_apart(labels: Sequence[Text], agents: Sequence[dict[str, Any]]) -> None:
    """Give the labels of agents that cheat a style of their own."""
    for label, agent in zip(labels, agents, strict=True):
        if agent["cheats"]:
            label.set(style="italic", color=BESIDE)
