"""Writes docs/training.md and its pictures from what training has measured.

docs/ablations.json is what `make ablations` writes; docs/shipped.json is the description in the
shipped file of weights and its run's progress; docs/performance.json is what the benchmark writes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from agents.ppo import policy_file
from agents.ppo.agent import SHIPPED
from experiments.benchmark import learning, printed
from experiments.training import curves

DOCS = Path(__file__).parent
POINTS = 60  # of a curve


def page(ablations: Mapping[str, Any], performance: Mapping[str, Any]) -> str:
    """The text of docs/training.md."""
    environment = jinja2.Environment(
        trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined, autoescape=False
    )
    template = environment.from_string((DOCS / "training.md.j2").read_text(encoding="utf-8"))
    policy = policy_file.load(SHIPPED)
    return (
        template.render(
            shape=policy.shape,
            training=policy.training,
            runs=runs(policy.training),
            size=SHIPPED.stat().st_size,
            parameters=sum(array.size for array in policy.arrays.values()),
            ablations=ablations,
            speeds={
                title: rows
                for title, rows in printed.groups(performance)
                if title in (learning.PLAYING, learning.LEARNING)
            },
        ).strip()
        + "\n"
    )


def runs(training: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The runs that made some weights, the first one first: each began with those of the last."""
    start = training.get("start")
    return [*runs(start["training"]), training] if start else [training]


def keep(folder: Path) -> None:
    """Take over the curves of the run that made the shipped weights, behind those it began with."""
    rows, earlier, before = curves.read(folder), [], 0
    manifest = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    if manifest["start"]:
        before = sum(run["decisions"] for run in runs(manifest["start"]["training"]))
        known = json.loads((DOCS / "shipped.json").read_text(encoding="utf-8"))
        earlier = [row for row in known if row["time/decisions"] <= before]
    columns = [name for name in rows[-1] if name and name.startswith(("exam/", "train/e", "time/"))]
    step = max(1, len(rows) // POINTS)
    kept = [row for i, row in enumerate(rows) if i % step == 0 or row.get("exam/heuristic/4")]
    told = [{name: round(float(row[name]), 4) for name in columns if row.get(name)} for row in kept]
    for row in told:
        row["time/decisions"] += before
    text = json.dumps([*earlier, *told], indent=0) + "\n"
    (DOCS / "shipped.json").write_text(text, encoding="utf-8")


def picture(rows: list[dict[str, float]], path: Path) -> None:
    """Draw the exams of the runs that made the shipped weights."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "chickenfoot"
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    for axes, anchor in zip(figure.subplots(1, 2), ("greedy", "heuristic"), strict=True):
        for name in sorted({key for row in rows for key in row if f"exam/{anchor}" in key}):
            points = [(row["time/decisions"] / 1e6, row[name]) for row in rows if name in row]
            axes.plot(*zip(*points, strict=True), label=f"{name.rpartition('/')[2]} seats")
        axes.set(title=f"against {anchor} agents", xlabel="decisions, millions")
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylabel("margin, pips a round")
    lines, names = figure.axes[1].get_legend_handles_labels()
    figure.legend(lines, names, loc="outside right center", frameon=False)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) > 1:
        keep(Path(sys.argv[1]))
    run = json.loads((DOCS / "shipped.json").read_text(encoding="utf-8"))
    measured = json.loads((DOCS / "ablations.json").read_text(encoding="utf-8"))
    speeds = json.loads((DOCS / "performance.json").read_text(encoding="utf-8"))
    (DOCS / "training.md").write_text(page(measured, speeds), encoding="utf-8")
    picture(run, DOCS / "images" / "training.svg")
