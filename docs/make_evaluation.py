"""Writes docs/evaluation.md from the measurements of `make trust`, docs/trust.json."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from experiments import figures
from experiments.statistics import control_variates, intervals, paired, ratings, sequential
from experiments.tournament import deals, formats
from experiments.trust.row import Row

DOCS = Path(__file__).parent


def page(measured: Mapping[str, Any]) -> str:
    """The text of docs/evaluation.md."""
    environment = jinja2.Environment(
        trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined, autoescape=False
    )
    template = environment.from_string((DOCS / "evaluation.md.j2").read_text(encoding="utf-8"))
    rows = [told(one) for one in measured["rows"]]
    by_group = itertools.groupby(rows, key=lambda row: row["group"])
    return (
        template.render(
            facts=measured["facts"],
            quick=measured["quick"],
            rows=rows,
            groups_of_rows=[(group, list(those)) for group, those in by_group],
            most_permutations=formats.MOST_PERMUTATIONS,
            resamples=intervals.RESAMPLES,
            fewest=intervals.FEWEST,
            most=intervals.MOST,
            flips=paired.FLIPS,
            groups=paired.GROUPS,
            alpha=paired.ALPHA,
            faults=figures.MOST_FAULTS,
            prior=ratings.PRIOR,
            rating_resamples=ratings.RESAMPLES,
            features="; ".join(deals.TOLD),
            folds=control_variates.FOLDS,
            fewest_adjusted=control_variates.FEWEST,
            fewest_deals=sequential.FEWEST,
        ).strip()
        + "\n"
    )


def told(one: Mapping[str, Any]) -> dict[str, Any]:
    """A measurement with its figures as text."""
    row = Row(**{name: value for name, value in one.items() if name not in ("part", "passed")})
    return {**one, "measured": row.shown(row.value), "allowed": row.allowed()}


if __name__ == "__main__":
    measured = json.loads((DOCS / "trust.json").read_text(encoding="utf-8"))
    (DOCS / "evaluation.md").write_text(page(measured), encoding="utf-8")
