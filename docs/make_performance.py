"""Writes docs/performance.md from the figures of a run, docs/performance.json.

chickenfoot bench --peers --json > docs/performance.json
python docs/make_performance.py
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from experiments.benchmark import printed

DOCS = Path(__file__).parent
TOLD_BELOW = ("size of the batch", "seats and sets", "threads")
PARTS = "parts of a step, 1,024 games, each alone"


def page(figures: Mapping[str, Any]) -> str:
    """The text of docs/performance.md."""
    environment = jinja2.Environment(
        trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined, autoescape=False
    )
    template = environment.from_string((DOCS / "performance.md.j2").read_text(encoding="utf-8"))
    seconds = {one["name"]: one["seconds_a_step"] for one in figures["measurements"]}
    text = template.render(
        rounds=figures["rounds"],
        facts=printed.facts_told(figures["facts"]),
        pace=figures["pace"] and printed.pace_told(figures["pace"]),
        busy=(figures["facts"]["load_before"] or 0.0) > 0.5,
        groups=dict(printed.groups(figures)),
        told_below=(*TOLD_BELOW, PARTS),
        ratios=printed.ratios(figures),
        missing=[peer for peer in figures["peers"] if not peer["measured"]],
        memory=printed.memory_told(figures["memory"]),
        record=f"{figures['memory']['game_bytes']:,}",
        compilation=printed.compilation_told(figures["compilation"]),
        same=figures["same_bytes_from_two_threads"],
        batch_games="1,024",
        parts=_parts(figures, seconds),
        choose=printed.duration(seconds["part_choose"]),
        deal=printed.duration(seconds["part_deal"]),
        env=_environment(seconds),
    )
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _parts(figures: Mapping[str, Any], seconds: Mapping[str, float]) -> list[tuple[str, ...]]:
    """What, time and share of the parts of a step with mask and features."""
    names = ("part_mask", "part_step", "part_observe", "part_features")
    told = {one["name"]: one["what"] for one in figures["measurements"]}
    total = sum(seconds[name] for name in names)
    return [
        (told[name], printed.duration(seconds[name]), f"{seconds[name] / total:.0%}")
        for name in names
    ]


def _environment(seconds: Mapping[str, float]) -> dict[str, str]:
    """What a step of the wrapped environment is made of."""
    spent = {
        "ours": seconds["aec"],
        "wrappers": seconds["aec_nothing"] - seconds["aec_raw_nothing"],
        "books": seconds["aec_raw_nothing"],
        "game": seconds["aec"] - seconds["aec_nothing"],
        "observation": seconds["aec_raw"] - seconds["aec_raw_blind"],
    }
    return {name: printed.duration(time) for name, time in spent.items()}


if __name__ == "__main__":
    measured = json.loads((DOCS / "performance.json").read_text(encoding="utf-8"))
    (DOCS / "performance.md").write_text(page(measured), encoding="utf-8")
