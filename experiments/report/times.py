"""The plot of strength against the time of a decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from experiments.report.colours import BESIDE, BETTER, INK, SOFT
from experiments.report.names import marked, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LETTER: Final = 0.024  # width of one in a plot of times, as a share of the axis


def front(figures: dict[str, Any]) -> list[str]:
    """The names of the agents that no competitor beats in margin with as little time, fast first.

    Args:
        figures: a summary.
    """
    best, names = -np.inf, []
    competing = [agent for agent in timed(figures) if not agent["cheats"]]
    for agent in sorted(competing, key=lambda a: (a["ms_per_decision"], -a["margin"])):
        if agent["margin"] > best:
            best = agent["margin"]
            names.append(agent["name"])
    return names


def timed(figures: dict[str, Any]) -> list[dict[str, Any]]:
    """The agents of a summary whose decisions have taken time."""
    return [agent for agent in figures["agents"] if agent["ms_per_decision"]]


def time(ms: float) -> str:
    """A time in a unit that suits it."""
    return f"{1000 * ms:.1f} µs" if ms < 1 else f"{ms:,.1f} ms"


def draw(axes: Axes, figures: dict[str, Any]) -> None:
    """Draw the agents of a summary, and the front through those that are on it."""
    agents = timed(figures)
    best = front(figures)
    place = {agent["name"]: agent for agent in agents}
    axes.axhline(0, color=SOFT, linewidth=1)
    axes.set_xscale("log")
    corner = [(place[name]["ms_per_decision"], place[name]["margin"]) for name in best]
    axes.step(*zip(*corner, strict=True), where="post", color=BETTER, linewidth=1, linestyle="--")
    for agent in agents:
        x, y = agent["ms_per_decision"], agent["margin"]
        colour, marker = (BESIDE, "d") if agent["cheats"] else (BETTER, "o")
        face = colour if agent["name"] in best else "none"
        axes.plot([x], [y], marker, color=colour, markerfacecolor=face, markersize=6)
    _name_points(axes, agents)
    axes.set_xlabel("time a decision")
    axes.xaxis.set_major_formatter(lambda ms, _: _unit(ms))
    axes.xaxis.set_minor_locator(_no_ticks())
    axes.set_ylabel("margin, pips a game")


def _name_points(axes: Axes, agents: Sequence[dict[str, Any]]) -> None:
    """A name beside each point, towards the middle, and above those that it would cover."""
    times, margins = ([a[key] for a in agents] for key in ("ms_per_decision", "margin"))
    left, right = min(times) / 2, max(times) * 2
    line = 0.09 * ((max(margins) - min(margins)) or 1)  # height of a name
    axes.set_xlim(left, right)
    axes.set_ylim(min(margins) - line, max(margins) + 1.5 * line)
    taken: list[tuple[float, float, float]] = []  # where names begin and end, and their height
    named = zip(agents, short(agents), strict=True)
    for agent, name in sorted(named, key=lambda pair: pair[0]["margin"]):
        x, y = agent["ms_per_decision"], agent["margin"]
        place, width = np.log(x / left) / np.log(right / left), LETTER * (len(name) + 1)
        near, side, away = (place, "left", 7) if place < 0.5 else (place - width, "right", -7)
        for begin, end, height in taken:
            if near < end and begin < near + width:
                y = max(y, height + line)
        taken.append((near, near + width, y))
        axes.annotate(
            name,
            (x, y),
            (away, 2),
            textcoords="offset points",
            ha=side,
            fontsize=10,
            color=BESIDE if agent["cheats"] else INK,
        )


def _unit(ms: float) -> str:
    for unit, size in (("s", 1e3), ("ms", 1), ("µs", 1e-3)):
        if ms >= 0.999 * size:
            return f"{ms / size:g} {unit}"
    return f"{ms * 1e6:g} ns"


def _no_ticks() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()


def told(figures: dict[str, Any]) -> str:
    """What the plot shows, in words and figures."""
    best = front(figures)
    return "; ".join(
        f"{marked(a)} {a['margin']:+.1f} in {time(a['ms_per_decision'])}"
        f"{', on the front' if a['name'] in best else ''}"
        for a in timed(figures)
    )
