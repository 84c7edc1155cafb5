"""The leaderboard of a tournament, as a terminal shows it."""

from __future__ import annotations

from typing import Any, Final

from rich import box
from rich.table import Table

from experiments import report
from experiments.report import times

ROOMY: Final = 100  # columns of a terminal that hold the table with costs, a line an agent


def table(figures: dict[str, Any], width: int) -> Table:
    """The leaderboard of a summary, for a terminal of `width` columns.

    On a narrow one it has costs only if simulations were counted. Agents that cheat are marked, in
    a style of their own, and told of below the table.
    """
    yardsticks = any(agent["cheats"] for agent in figures["agents"])
    counted = any(agent["simulations_per_decision"] for agent in figures["agents"])
    costs = counted or width >= ROOMY
    gap = " " if width >= ROOMY or not costs else "\n"  # narrow cells have two lines each
    title = f"{figures['deals']:,} deals, {figures['games']:,} games, {figures['players']} seats"
    board = Table(
        title=title,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
        caption=f"{report.MARK} {report.YARDSTICK}" if yardsticks else None,
        caption_justify="left",
    )
    board.add_column("agent", overflow="fold")
    names = ["games", "points", "margin\n(95 % interval)", "wins %\n(95 % interval)", "faults"]
    for name in [*names, "cost of a\ndecision"] if costs else names:
        board.add_column(name, justify="right", no_wrap=True)
    for agent in figures["agents"]:
        board.add_row(
            report.marked(agent),
            f"{agent['games']:,}",
            f"{agent['mean_points']:.1f}",
            _with_interval(agent, "margin", "margin", "+.1f", 1, gap),
            _with_interval(agent, "win_share", "win", ".1f", 100, gap),
            f"{agent['faults']:,}",
            *([_cost(agent, gap)] if costs else []),
            style="dim italic" if agent["cheats"] else None,
        )
    return board


def remarks(figures: dict[str, Any]) -> list[str]:
    """What is said below the table, a line each: the decision, alpha-rank, and warnings."""
    lines = [] if figures["decision"] is None else [figures["decision"]["verdict"]]
    if any("alpha_rank" in agent for agent in figures["agents"]):
        shares = (
            f"{report.marked(agent)} {agent['alpha_rank']:.1%}" for agent in figures["agents"]
        )
        lines.append(f"alpha-rank: {', '.join(shares)}")
    return lines + [f"warning: {text}" for text in figures["warnings"]]


def _with_interval(
    agent: dict[str, Any], name: str, stem: str, form: str, scale: int, gap: str
) -> str:
    low, high = agent[f"{stem}_low"], agent[f"{stem}_high"]
    interval = "-" if low is None else f"{scale * low:{form}} to {scale * high:{form}}"
    return f"{scale * agent[name]:{form}}{gap}({interval})"


def _cost(agent: dict[str, Any], gap: str) -> str:
    """Simulations, if any were counted, and time."""
    simulations, ms = agent["simulations_per_decision"], agent["ms_per_decision"]
    if ms is None:
        return "-"
    taken = times.time(ms)
    if not simulations:
        return taken
    return f"{simulations:,.{1 if simulations < 10 else 0}f} sims{gap}{taken}"
