"""Writes docs/agents.md and its picture from the figures of `make ladder`, docs/ladder.json."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from agents import tree
from experiments import ladder

DOCS = Path(__file__).parent
SMALLEST = 1e-9  # p-values below are printed as this


def page(figures: Mapping[str, Any]) -> str:
    """The text of docs/agents.md."""
    environment = jinja2.Environment(
        trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined, autoescape=False
    )
    template = environment.from_string((DOCS / "agents.md.j2").read_text(encoding="utf-8"))
    tables = {
        name: [one for one in figures["comparisons"] if one["table"] == name]
        for name in ladder.TABLES
    }
    return (
        template.render(
            **tables,
            facts=figures["facts"],
            chance=chance,
            mcts=ladder.MCTS,
            plain_rule=ladder.PLAIN,
            rungs=rungs_told(tables["ladder"]),
            prior=f"{tree.PRIOR:g}",
            slope=f"{tree.SLOPE:g}",
        ).strip()
        + "\n"
    )


def chance(p: float) -> str:
    """A p-value in a cell."""
    return f"{p:.2g}" if p >= SMALLEST else f"< {SMALLEST:g}"


def rungs_told(rungs: Sequence[Mapping[str, Any]]) -> str:
    """Which comparisons of the ladder are beyond doubt, in a sentence or two."""
    open_ones = [one for one in rungs if one["p"] >= 0.01]
    clear = len(rungs) - len(open_ones)
    text = f"{clear} of {len(rungs)} comparisons have p < 0.01."
    if open_ones:
        named = [
            f"{one['agent']} against {one['field']} ({one['players']} seats)" for one in open_ones
        ]
        text += f" Those that have not: {'; '.join(named)}."
    return text


def picture(figures: Mapping[str, Any], path: Path) -> None:
    """Draw the margin against the budget, a line for each number of seats."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "chickenfoot"
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    budget = [one for one in figures["comparisons"] if one["table"] == "budget"]
    for players in sorted({one["players"] for one in budget}):
        chosen = [one for one in budget if one["players"] == players]
        margins = [one["margin"] for one in chosen]
        reach = [[m - one["low"] for m, one in zip(margins, chosen, strict=True)]] * 2
        axes.errorbar(
            [one["simulations"] for one in chosen],
            margins,
            yerr=reach,
            marker="o",
            capsize=3,
            label=f"{players} seats",
        )
    axes.set(
        xscale="log",
        xlabel="simulations a decision",
        ylabel="margin against heuristic, pips a round",
        title="mcts: what more budget gives (95 % intervals over deals)",
    )
    axes.set_ylim(bottom=0)
    ticks = sorted({round(one["simulations"], -2) for one in budget})
    axes.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend()
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    measured = json.loads((DOCS / "ladder.json").read_text(encoding="utf-8"))
    (DOCS / "agents.md").write_text(page(measured), encoding="utf-8")
    if any(one["table"] == "budget" for one in measured["comparisons"]):
        picture(measured, DOCS / "images" / "budget.svg")
