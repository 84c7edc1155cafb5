"""The measurements of what tournaments promise, in small; and that they fail where they should."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from experiments import statistics
from experiments.statistics import Estimate, sequential
from experiments.trust import __main__ as trust
from experiments.trust import calibration, efficiency, stopping
from experiments.trust.row import FULL, Row, share


def test_a_row_passes_between_its_limits() -> None:
    rows = [Row("g", "w", 9, value, 0.93, 0.97) for value in (0.92, 0.93, 0.97, 0.98)]
    assert [row.passed for row in rows] == [False, True, True, False]
    assert Row("g", "w", 9, 99.0, None, None).passed
    assert not Row("g", "w", 9, 2.9, 3.0, None).passed
    assert rows[0].line().startswith("FAILED") and "92.0 %" in rows[0].line()
    assert rows[0].allowed() == "93.0 % to 97.0 %"
    assert Row("g", "w", 9, 3.0, 2.5, None, "times").allowed() == "at least 2.50 times"


def test_limits_are_wider_for_few_tries_alone() -> None:
    exact, wide = (share("g", "w", [True] * count, 0.93, 0.97) for count in (FULL, 100))
    assert (exact.low, exact.high) == (0.93, 0.97)
    assert wide.high is not None and wide.high > 0.97
    assert not exact.passed and wide.passed


def test_made_up_deals_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """And intervals of half the width are caught."""
    assert all(row.passed for row in calibration.made_up(40))

    def narrow(deals: np.ndarray, seed: int = 0) -> Estimate:
        found = statistics.student(deals)
        assert found.low is not None and found.high is not None
        quarter = (found.high - found.low) / 4
        return Estimate(found.mean, found.mean - quarter, found.mean + quarter)

    monkeypatch.setattr(statistics, "estimate", narrow)
    bounded = [row for row in calibration.made_up(200) if row.low is not None]
    assert len(bounded) == 9 and not any(row.passed for row in bounded)


def test_real_games_are_measured() -> None:
    rows = list(calibration.real(12))
    assert [row.what for row in rows[:5]] == [
        "margin", "share of wins", "paired difference", "skill index", "rating",
    ]  # fmt: skip
    assert all(row.passed for row in rows)
    assert {row.runs for row in rows if "40 deals" in row.group} == {12}


def test_the_sequential_test_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """And one that decides too soon is caught."""
    monkeypatch.setattr(stopping, "_DEALS", 200)
    assert all(row.passed for row in stopping.errors(40))
    monkeypatch.setattr(sequential.Bounds, "accept_high", 0.5)
    lower, *_ = stopping.errors(60)
    assert not lower.passed


def test_games_saved_are_measured() -> None:
    """Three agents that do not search, one of them that of the field."""
    *pairs, _ = efficiency.factors(30, ("greedy", "heuristic", "random"))
    saved = {row.what: row.value for row in pairs}
    assert len(saved) == 3
    assert all(0.5 < value < 9 for value in saved.values())


def test_the_table_is_printed_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One part measured again leaves the rest of the file."""
    coverage = [share("coverage", "of a margin", [True] * 19 + [False], 0.93, 0.97)]
    saved = [Row("games saved", "all pairs", 3, 2.0, 3.0, None, "times")]
    parts = {"real": lambda quick: iter(coverage), "efficiency": lambda quick: iter(saved)}
    monkeypatch.setattr(trust, "PARTS", parts)
    file = tmp_path / "new" / "trust.json"
    assert trust.main([str(file), "--quick"]) == 1
    held = json.loads(file.read_text(encoding="utf-8"))
    assert held["quick"] is True
    assert [(row["part"], row["passed"]) for row in held["rows"]] == [
        ("real", True),
        ("efficiency", False),
    ]
    printed = capsys.readouterr().out
    assert "\ncoverage\nok          95.0 %" in printed
    assert "2 measured, 1 not as promised" in printed
    saved[0] = Row("games saved", "all pairs", 3, 4.0, 3.0, None, "times")
    assert trust.main([str(file), "--only", "efficiency"]) == 0
    again = json.loads(file.read_text(encoding="utf-8"))
    assert again["rows"][0] == held["rows"][0]
    assert again["rows"][1]["value"] == 4.0
