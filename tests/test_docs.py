"""The generated pages are what their generators write now."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from chickenfoot_env.presets import PRESETS

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def generator() -> dict[str, Any]:
    """The names of docs/make_rules.py."""
    return runpy.run_path(str(DOCS / "make_rules.py"))


def test_the_page_is_up_to_date(generator: dict[str, Any]) -> None:
    """If not: python docs/make_rules.py."""
    assert (DOCS / "rules.md").read_text(encoding="utf-8") == generator["page"]()


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
