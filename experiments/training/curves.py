"""The learning curves of a run, from its progress files to curves.png."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

FIGURES: Final = (  # title, column, label of the axis
    ("Exam: margin against three greedy", "exam/greedy", "pips a round"),
    ("Exam: margin against three heuristic", "exam/heuristic", "pips a round"),
    ("Entropy of the policy", "train/entropy_loss", "nats"),
    ("Share of the returns that the critic foresees", "train/explained_variance", ""),
)
Rows = list[dict[str, str]]


def read(folder: Path) -> Rows:
    """The lines of all sittings; where one began anew from a checkpoint, those behind it go."""
    rows: Rows = []
    for number in range(1, len(list(folder.glob("progress_*.csv"))) + 1):
        with open(folder / f"progress_{number}.csv", newline="", encoding="utf-8") as file:
            more = [row for row in csv.DictReader(file) if row.get("time/decisions")]
        if more:
            begin = float(more[0]["time/decisions"])
            rows = [row for row in rows if float(row["time/decisions"]) < begin] + more
    return rows


def draw(folder: Path) -> None:
    """Write curves.png; nothing if there is nothing to show yet."""
    rows = read(folder)
    if len(rows) < 2:
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), layout="constrained")
    for axes, (title, column, label) in zip(figure.subplots(2, 2).flat, FIGURES, strict=True):
        for name in sorted({key for row in rows for key in row if key and key.startswith(column)}):
            points = [
                (float(row["time/decisions"]) / 1e6, float(row[name]))
                for row in rows
                if row.get(name)
            ]
            if points:
                sign = -1.0 if name.endswith("entropy_loss") else 1.0
                x, y = zip(*points, strict=True)
                seats = name.partition("/")[2].partition("/")[2]
                axes.plot(x, [sign * each for each in y], label=f"{seats} seats" if seats else None)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False)
        axes.axhline(0.0, color="0.7", linewidth=0.8)
        axes.set(title=title, xlabel="decisions learned from, millions", ylabel=label)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(folder / "curves.png", dpi=110)
