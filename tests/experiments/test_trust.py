"""The measurements of what tournaments promise, in small; and that they fail where they should."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scale
import trust as tried
from test_guard import FAULTS

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
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One part measured again leaves the rest of the file, as do parts that are not known."""
    coverage = [share("coverage", "of a margin", [True] * 19 + [False], 0.93, 0.97)]
    saved = [Row("games saved", "all pairs", 3, 2.0, 3.0, None, "times")]
    parts = {"real": lambda quick: iter(coverage), "efficiency": lambda quick: iter(saved)}
    file = tmp_path / "new" / "trust.json"
    assert trust.main([str(file), "--quick"], parts) == 1
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
    assert trust.main([str(file), "--only", "efficiency"], parts) == 0
    again = json.loads(file.read_text(encoding="utf-8"))
    assert again["rows"][0] == held["rows"][0]
    assert again["rows"][1]["value"] == 4.0
    assert trust.main([str(file)], {"efficiency": parts["efficiency"]}) == 0
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert sorted(row["part"] for row in rows) == ["efficiency", "real"]


REPORT = """<testsuites><testsuite>
<testcase classname="tests.experiments.test_mishaps" name="{killed}[3]" />
<testcase classname="tests.experiments.test_mishaps" name="{killed}[20]">{inside}</testcase>
<testcase classname="tests.experiments.test_mishaps" name="test_locked" />
<testcase classname="tests.experiments.test_mishaps" name="test_full"><skipped /></testcase>
<testcase classname="tests.experiments.test_guard" name="{fails}[raises-cheats-exits]" />
<testcase classname="tests.experiments.test_guard" name="{fails}[hangs-leaves-stops]">
    {inside}</testcase>
<testcase classname="tests.experiments.test_guard" name="test_memory" />
</testsuite></testsuites>"""


def found(folder: Path, inside: str = "") -> list[tried.Case]:
    path = folder / "report.xml"
    path.write_text(REPORT.format(killed=tried.KILLED, fails=tried.FAILS, inside=inside))
    return tried.cases(path)


def test_kills_are_counted(tmp_path: Path) -> None:
    """A kill that lost something, or fewer than 20 kills, are not as promised."""
    row, others = tried.kills(found(tmp_path)[:3], quick=False)
    assert (row.runs, row.value, row.allowed(), row.passed) == (23, 23, "at least 23 passed", True)
    assert (others.runs, others.passed) == (1, True)
    row, _ = tried.kills(found(tmp_path, "<failure />"), quick=False)
    assert (row.runs, row.value, row.passed) == (23, 3, False)
    row, others = tried.kills(found(tmp_path)[:1], quick=False)
    assert (row.runs, row.allowed(), row.passed) == (3, "at least 20 passed", False)
    assert not others.passed  # nothing was tried


def test_ways_to_fail_are_counted(tmp_path: Path) -> None:
    """Each is one try; where some were not tried, or the others suffered, it is not as promised."""
    rows = {row.what: row for row in tried.isolation(found(tmp_path), quick=False)}
    assert [(row.runs, row.passed) for row in rows.values()] == [
        (2, True), (1, False), (2, False), (0, False), (1, True), (0, False), (4, True),
    ]  # fmt: skip
    assert rows["raise"].note == "raises, leaves"
    quick = {row.what: row for row in tried.isolation(found(tmp_path, "<error />"), quick=True)}
    assert "eat all memory" not in quick
    assert (quick["raise"].runs, quick["raise"].value, quick["raise"].passed) == (2, 1, False)


def test_every_way_to_fail_has_its_row() -> None:
    assert sorted(way for ways in tried.WAYS.values() for way in ways) == sorted(FAULTS)


def test_the_tests_that_are_counted_are_there() -> None:
    folder = Path(__file__).parent
    for file, test in (("test_mishaps.py", tried.KILLED), ("test_guard.py", tried.FAILS)):
        assert f"def {test}(" in (folder / file).read_text(encoding="utf-8")


def test_memory_that_grows_is_not_as_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(rounds: int, workers: int) -> scale.Scale:
        return scale.Scale(rounds, 9e3, 8e3, 100 * scale.MIB, 111 * scale.MIB)

    monkeypatch.setattr(scale, "measure", measured)
    speed, memory = tried.measured_scale(1000)
    assert (speed.shown(speed.value), speed.passed) == ("9,000 a second", True)
    assert (memory.note, memory.passed) == ("100 MiB, then 111 MiB", False)


def test_scale_is_measured() -> None:
    found = scale.measure(400, workers=1)
    assert found.rounds == 400 and found.a_second > 0 and found.a_processor_second > 0
    assert 0 < found.memory_before <= found.memory_after * 1.5
