"""The figures and the page, from results files with made-up figures."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_results import Made
from matplotlib.figure import Figure

from experiments import report
from experiments.report import names, plots

POINTS = np.random.default_rng(1).integers(0, 90, size=(20, 3, 3))
BLOCKS = (POINTS + np.array([0, 20, 60])).tolist()  # agent a is best, then b, then c
KEYS = (
    "name games mean_points margin margin_low margin_high win_share win_low win_high faults "
    "decisions simulations_per_decision ms_per_decision cheats valid rating rating_low rating_high "
    "skill skill_low skill_high blocked_gain blocked_gain_low blocked_gain_high margin_counts "
    "margin_adjusted margin_adjusted_low margin_adjusted_high margin_gain"
)
EMPTY = plots.Plot("data:,", "data:,", "")
TOP = {"rules", "seed", "players", "deals", "blocks", "agents", "results"}


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """No plots, which take longest; test_report_page.py has them."""
    monkeypatch.setattr(plots, "draw", lambda _: {"margins": EMPTY, "pairs": EMPTY})


def test_summary_has_the_promised_shape(made: Made) -> None:
    path = made(["a", "b", "c"], 3, BLOCKS)
    figures = report.summary(path)
    assert set(figures) >= TOP
    assert all(set(agent) == set(KEYS.split()) for agent in figures["agents"])
    assert (figures["players"], figures["deals"], figures["blocks"]) == (3, 20, 20)
    assert figures["results"] == str(path)
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures


def test_agents_come_best_first(made: Made) -> None:
    figures = report.summary(made(["z", "y", "x"], 3, (POINTS + np.array([60, 20, 0])).tolist()))
    assert [agent["name"] for agent in figures["agents"]] == ["x", "y", "z"]
    (first, *_) = figures["pairs"]
    assert (first["agent"], first["other"]) == ("x", "y")
    assert first["difference"] == pytest.approx(20 + (POINTS[..., 1] - POINTS[..., 2]).mean())


def test_a_cheat_stands_behind_all_competitors(made: Made) -> None:
    """Agent a would be best, and is never named before another."""
    figures = report.summary(made(["a", "b", "c"], 3, BLOCKS, cheats=["a"]))
    told = [(agent["name"], agent["cheats"]) for agent in figures["agents"]]
    assert told == [("b", False), ("c", False), ("a", True)]
    assert max(figures["agents"], key=lambda agent: agent["margin"])["name"] == "a"
    pairs = [(pair["agent"], pair["other"]) for pair in figures["pairs"]]
    assert pairs == [("b", "c"), ("b", "a"), ("c", "a")]


def test_page_marks_a_cheat_wherever_agents_are_listed(made: Made) -> None:
    """In its own style in the leaderboard, the costs and the pairs; places are of the others."""
    faults = [(0, 1, 4, 17, 3, "raised OSError")]  # of entry b, as it sits there
    page = _page(made(["a", "b", "c"], 3, BLOCKS, cheats=["b"], faults=faults))
    assert _cells(page, "Agent") == 2 * ["1. a", "2. c", "b †"]
    listed = re.findall(r'<tr( class="yardstick")?>\s*<td class="name"[^>]*>([^<]*)', page)
    styled = [bool(style) for style, _ in listed]
    assert [name for style, name in listed if style] == ["b †", "a", "c", "b †"]
    assert len(styled) == 3 + 3 + 3 + 1  # leaderboard, pairs, costs, faults
    assert re.search(r'<td class="name">b †</td><td class="name">raised OSError', page)
    assert '<td class="name">c</td><td class="name">b †</td>' in page
    text = " ".join(page.split())
    assert f'<p class="yardstick">† {report.YARDSTICK}.' in text
    assert ".yardstick {" in page


def test_page_without_cheats_tells_of_none(made: Made) -> None:
    page = _page(made(["a", "b", "c"], 3, BLOCKS))
    assert "†" not in page and "hidden tiles" not in page and 'class="yardstick"' not in page


@pytest.mark.parametrize("plot", [plots._margins, plots._pairs, plots._ratings, plots._spread])
def test_plots_set_a_cheat_apart(made: Made, plot: Any) -> None:
    figures = report.summary(made(["a", "b", "c"], 3, BLOCKS, cheats=["a"]))
    axes = Figure().add_subplot()
    plot(axes, figures)
    *others, cheat = axes.get_yticklabels()
    assert cheat.get_text().startswith("a †")
    assert (cheat.get_style(), cheat.get_color()) == ("italic", plots.BESIDE)
    assert {label.get_style() for label in others} == {"normal"}
    assert not any("†" in label.get_text() for label in others)


def test_margins_draw_a_cheat_as_a_diamond_of_another_colour(made: Made) -> None:
    figures = report.summary(made(["a", "b", "c"], 3, BLOCKS, cheats=["a"]))
    axes = Figure().add_subplot()
    plots._margins(axes, figures)
    points = [(p.get_marker(), p.get_color()) for p in axes.lines if p.get_marker() in ("o", "d")]
    cheat = ("d", plots.BESIDE)
    assert points == [("o", plots.BETTER), ("o", plots.BETTER), cheat]


def test_pairs_have_a_cheat_behind_a_line(made: Made) -> None:
    figures = report.summary(made(["a", "b", "c"], 3, BLOCKS, cheats=["a"]))
    axes = Figure().add_subplot()
    plots._pairs(axes, figures)
    columns = [(label.get_text(), label.get_style()) for label in axes.get_xticklabels()]
    assert columns == [("1", "normal"), ("2", "normal"), ("3 †", "italic")]
    across, down = axes.lines
    assert set(across.get_ydata()) == set(down.get_xdata()) == {1.5}


def test_a_mark_is_kept_when_a_name_is_cut() -> None:
    (name,) = names.short([{"name": "x" * 99, "cheats": True}])
    assert len(name) <= names.LABEL + 2 and name.endswith("… †")


def test_blocked_share_is_that_of_the_rounds_played(made: Made) -> None:
    """Made-up games have ten rounds, three of them blocked."""
    figures = report.summary(made(["a", "b", "c"], 3, BLOCKS))
    assert (figures["rounds"], figures["blocked_share"]) == (20 * 3 * 10, 0.3)


def test_page_shows_a_rule_without_a_value_as_a_dash(made: Made) -> None:
    page = _page(made(["a", "b", "c"], 3, BLOCKS, rules={"players": 3, "target_points": None}))
    assert "<dt>target points</dt><dd>–</dd>" in page


def test_costs_are_means_over_decisions(made: Made) -> None:
    """Made-up decisions take half a second, and 0, 3 or 6 simulations."""
    figures = report.summary(made(["a", "b", "c"], 3, BLOCKS))
    costs = [
        (a["decisions"], a["simulations_per_decision"], a["ms_per_decision"])
        for a in figures["agents"]
    ]
    assert costs == [(200, 0.0, 500.0), (200, 3.0, 500.0), (200, 6.0, 500.0)]


def test_costs_of_no_decision_are_null(made: Made) -> None:
    path = made(["a", "b"], 2, [[[1, 2]]], costs=[(0, 0, 0, 0.0), (1, 8, 20, 0.001)])
    none, some = report.summary(path)["agents"]
    assert (none["decisions"], none["simulations_per_decision"]) == (0, None)
    assert none["ms_per_decision"] is None
    assert (some["simulations_per_decision"], some["ms_per_decision"]) == (2.5, 0.125)
    page = _page(path)
    assert _cells(page, "Time a decision") == ["–", "125.0 µs"]
    assert "None" not in page


def test_page_shows_costs_and_how_to_read_them(made: Made) -> None:
    """Agent a counts no simulations; a thousand and more are grouped."""
    costs = [(0, 1000, 0, 0.0042), (1, 1000, 500, 1.0), (2, 1000, 1_234_500, 9.0)]
    page = _page(made(["a", "b", "c"], 3, BLOCKS, costs=costs))
    assert _cells(page, "Decisions") == ["20,000"] * 3
    assert _cells(page, "Simulations a decision") == ["–", "0.5", "1,234.5"]
    assert _cells(page, "Time a decision") == ["4.2 µs", "1.0 ms", "9.0 ms"]
    text = " ".join(page.split())
    assert "agents with the same number had equal budgets, on every machine" in text
    assert "measured on the machine that played" in text


def test_report_json_is_the_summary_without_the_folder(made: Made) -> None:
    path = made(["a", "b", "c"], 3, BLOCKS)
    written = report.write_json(path)
    assert written == path.with_name("report.json")
    held = json.loads(written.read_text(encoding="utf-8"))
    assert held == {**report.summary(path), "results": path.name}


def test_page_says_what_to_know_first(made: Made) -> None:
    """Each warning once, the circle among them."""
    circle = [[[10, 40], [10, 40]], [[40, 10], [40, 10]], [[10, 40], [10, 40]]]
    page = _page(made(["a", "b", "c"], 2, circle * 12))
    assert page.count('class="warn"') == page.count("beat one another in a circle") == 1


def test_page_shows_the_digest(made: Made) -> None:
    path = made(["a", "b", "c"], 3, BLOCKS)
    digest = report.summary(path)["digest"]
    assert len(digest) == 64 and digest in _page(path)


def test_margins_cancel_at_the_table(made: Made) -> None:
    figures = report.summary(made(["a", "b", "c"], 3, BLOCKS))
    assert sum(agent["margin"] for agent in figures["agents"]) == pytest.approx(0)
    assert sum(agent["win_share"] for agent in figures["agents"]) == pytest.approx(1)


def test_single_deal_has_null_intervals(made: Made) -> None:
    path = made(["a", "b", "c"], 3, BLOCKS[:1])
    agent = report.summary(path)["agents"][0]
    assert agent["margin_low"] is None and agent["win_high"] is None
    assert "None" not in _page(path)


def test_page_shows_figures_and_facts(made: Made) -> None:
    path = made(["a", "b", "c"], 3, BLOCKS)
    page = _page(path)
    for agent in report.summary(path)["agents"]:
        assert f"{agent['margin']:+.2f}" in page
    assert "chickenfoot tournament" in page


def test_page_escapes_what_agents_said(made: Made) -> None:
    faults = [(0, 1, 4, 17, 3, "raised <OSError>")]
    page = _page(made(["a", "b", "c"], 3, BLOCKS, faults=faults))
    assert "raised &lt;OSError&gt;" in page and "<OSError>" not in page


def test_figures_of_an_agent_with_many_faults_are_invalid(made: Made) -> None:
    """With more than 1 % of its games: of 60 it may forfeit none, of 300 three."""
    fault = (0, 1, 4, 17, 3, "raised OSError")
    path = made(["a", "b", "c"], 3, BLOCKS, faults=[fault])
    assert [agent["valid"] for agent in report.summary(path)["agents"]] == [True, False, True]
    assert "its figures are invalid" in _page(path)


@pytest.mark.parametrize(("count", "valid"), [(3, True), (4, False)])
def test_a_hundredth_of_the_games_may_be_forfeited(made: Made, count: int, valid: bool) -> None:
    blocks = [[[10, 20, 30]] * 100, [[10, 20, 30]] * 200]
    faults = [(game, (1 - game) % 3, 0, 1, 30, "raised OSError") for game in range(count)]
    path = made(["a", "b", "c"], 3, blocks, faults=faults)
    told = {a["name"]: (a["faults"], a["valid"]) for a in report.summary(path)["agents"]}
    assert told == {"a": (0, True), "b": (count, valid), "c": (0, True)}


def test_page_says_that_a_run_was_interrupted(made: Made) -> None:
    assert "20 of 30 deals" in _page(made(["a", "b", "c"], 3, BLOCKS, deals=30))


def test_failed_page_leaves_the_old_one(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(["a", "b", "c"], 3, BLOCKS)
    page = report.write_html(path)
    before = page.read_bytes()
    monkeypatch.setattr(plots, "draw", lambda *_: {}["no plot"])
    with pytest.raises(KeyError):
        report.write_html(path)
    assert page.read_bytes() == before


def _cells(page: str, label: str) -> list[str]:
    return re.findall(rf'data-label="{label}">([^<]*)</td>', page)


def _page(path: Path) -> str:
    return report.write_html(path).read_text(encoding="utf-8")
