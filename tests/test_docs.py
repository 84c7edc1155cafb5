"""The generated pages and pictures are what their generators write now."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

import agents
from chickenfoot_env.presets import PRESETS
from experiments import ladder
from experiments.tournament import formats
from experiments.trust.__main__ import PARTS

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def generator() -> dict[str, Any]:
    """The names of docs/make_rules.py."""
    return runpy.run_path(str(DOCS / "make_rules.py"))


def test_the_page_is_up_to_date(generator: dict[str, Any]) -> None:
    """If not: python docs/make_rules.py."""
    assert (DOCS / "rules.md").read_text(encoding="utf-8") == generator["page"]()


def test_the_picture_is_up_to_date() -> None:
    """If not: python docs/make_pictures.py."""
    generator = runpy.run_path(str(DOCS / "make_pictures.py"))
    picture = (DOCS / "images" / "board.svg").read_text(encoding="utf-8")
    assert picture == generator["board"]()
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert "](docs/images/board.svg)" in readme


def test_every_preset_has_a_section(generator: dict[str, Any]) -> None:
    page = generator["page"]()
    assert all(f"### `{name}`\n" in page for name in PRESETS)


def test_the_results_of_the_proof_have_a_row_each() -> None:
    page = (DOCS / "rules.md").read_text(encoding="utf-8")
    rows = json.loads((DOCS / "proof.json").read_text(encoding="utf-8"))
    assert ("Not yet run." in page) == (not rows)
    for row in rows:
        assert f"| {row['what']} | {row['count']} | {row['result']} |\n" in page


def test_the_page_on_speed_is_up_to_date() -> None:
    """If not: python docs/make_performance.py."""
    generator = runpy.run_path(str(DOCS / "make_performance.py"))
    figures = json.loads((DOCS / "performance.json").read_text(encoding="utf-8"))
    assert (DOCS / "performance.md").read_text(encoding="utf-8") == generator["page"](figures)


def test_the_page_on_speed_has_a_row_for_each_figure() -> None:
    page = (DOCS / "performance.md").read_text(encoding="utf-8")
    figures = json.loads((DOCS / "performance.json").read_text(encoding="utf-8"))
    assert not figures["quick"] and figures["rounds"] >= 5
    in_a_sentence = ("part_choose", "part_deal")
    for one in [*figures["measurements"], *figures["ratios"]]:
        assert f"| {one['what']} | " in page or one["name"] in in_a_sentence


def test_the_page_on_agents_is_up_to_date() -> None:
    """If not: python docs/make_agents.py."""
    generator = runpy.run_path(str(DOCS / "make_agents.py"))
    figures = json.loads((DOCS / "ladder.json").read_text(encoding="utf-8"))
    assert (DOCS / "agents.md").read_text(encoding="utf-8") == generator["page"](figures)


def test_the_page_on_agents_names_every_agent_and_every_comparison() -> None:
    page = (DOCS / "agents.md").read_text(encoding="utf-8")
    figures = json.loads((DOCS / "ladder.json").read_text(encoding="utf-8"))
    assert all(f"| `{name}` |" in page for name in agents.names())
    assert f"\n    {ladder.PLAIN}\n" in page
    for one in figures["comparisons"]:
        agent, field = (one[side].replace(ladder.PLAIN, "plain") for side in ("agent", "field"))
        assert f"| {one['players']} | {agent} | {field} |" in page


def test_the_page_on_evaluation_is_up_to_date() -> None:
    """If not: python docs/make_evaluation.py."""
    generator = runpy.run_path(str(DOCS / "make_evaluation.py"))
    measured = json.loads((DOCS / "trust.json").read_text(encoding="utf-8"))
    assert (DOCS / "evaluation.md").read_text(encoding="utf-8") == generator["page"](measured)


def test_the_page_on_evaluation_has_a_row_for_each_measurement_and_all_are_as_promised() -> None:
    page = (DOCS / "evaluation.md").read_text(encoding="utf-8")
    measured = json.loads((DOCS / "trust.json").read_text(encoding="utf-8"))
    assert not measured["quick"]
    assert {row["part"] for row in measured["rows"]} == {"kill", "isolation", "scale", *PARTS}
    for row in measured["rows"]:
        assert f"| {row['what']} | {row['runs']:,} | " in page
        assert row["passed"], row["what"]


def test_the_page_on_evaluation_names_every_format_and_every_figure() -> None:
    page = (DOCS / "evaluation.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in page for name in formats.FORMATS)
    for figure in ("margin_adjusted", "difference_adjusted", "margin_gain", "warnings", "seats"):
        assert f"`{figure}`" in page
