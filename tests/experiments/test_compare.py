"""Two results files side by side, against figures by hand."""

from __future__ import annotations

import io
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_results import Made
from rich.console import Console
from scipy import stats

from experiments import statistics
from experiments.cli import tournaments
from experiments.report import compare, names
from experiments.store import StoreError

RNG = np.random.default_rng(3)
BEFORE = RNG.integers(0, 90, size=(8, 1, 2))  # one game a deal, points of a and b
GAIN = np.array([4, 9, -2, 7, 3, 8, 5, 6])  # points that a is better by later, deal by deal
AFTER = BEFORE - np.stack([GAIN, 0 * GAIN], axis=1)[:, None]


@pytest.fixture
def two(made: Made, tmp_path: Path) -> Any:
    """Writes two results files."""

    def make(before: Any, after: Any, names: Any = ("ab", "ab"), **run: Any) -> tuple[Path, Path]:
        paths = tmp_path / "before.sqlite", tmp_path / "after.sqlite"
        made(list(names[0]), 2, before.tolist(), path=paths[0])
        made(list(names[1]), 2, after.tolist(), path=paths[1], **run)
        return paths

    return make


def test_on_common_deals_the_difference_is_taken_deal_by_deal(two: Any) -> None:
    """Two seats: a's margin grows by what its points fall, b's falls by it."""
    found = compare.comparison(*two(BEFORE, AFTER))
    assert (found["paired"], found["deals"], found["warnings"]) == (True, 8, [])
    rows = {row["name"]: row for row in found["agents"]}
    margins = [(points[:, 0, 1] - points[:, 0, 0]).mean() for points in (BEFORE, AFTER)]
    assert [rows["a"]["before"], rows["a"]["after"]] == pytest.approx(margins)
    assert rows["a"]["difference"] == GAIN.mean() == -rows["b"]["difference"] == 5
    means = [np.dot(signs, GAIN) for signs in itertools.product((1, -1), repeat=8)]
    chance = np.mean([abs(mean) >= GAIN.sum() for mean in means])
    assert rows["a"]["p"] == pytest.approx(chance) == 4 / 256
    assert rows["a"]["holm"] == pytest.approx(2 * chance) and rows["a"]["significant"]
    interval = statistics.student(GAIN.astype(float))
    assert (rows["a"]["difference_low"], rows["a"]["difference_high"]) == pytest.approx(
        (interval.low, interval.high)
    )


def test_of_more_deals_in_one_file_the_common_ones_count(two: Any) -> None:
    found = compare.comparison(*two(BEFORE, AFTER[:5], deals=5))
    assert (found["paired"], found["deals"]) == (True, 5)
    (a,) = [row for row in found["agents"] if row["name"] == "a"]
    assert a["difference"] == pytest.approx(GAIN[:5].mean())
    assert a["before"] == pytest.approx((BEFORE[:, 0, 1] - BEFORE[:, 0, 0]).mean())


def test_on_other_deals_it_is_the_difference_of_two_means(two: Any) -> None:
    found = compare.comparison(*two(BEFORE, AFTER, seed=6))
    assert (found["paired"], found["deals"]) == (False, None)
    (a,) = [row for row in found["agents"] if row["name"] == "a"]
    one, other = ((points[:, 0, 1] - points[:, 0, 0]) for points in (BEFORE, AFTER))
    spread = [points.var(ddof=1) / 8 for points in (one, other)]
    freedom = sum(spread) ** 2 / sum(part**2 / 7 for part in spread)
    half = stats.t.ppf(0.975, freedom) * sum(spread) ** 0.5
    assert (a["difference_low"], a["difference_high"]) == pytest.approx((5 - half, 5 + half))
    assert a["p"] == pytest.approx(2 * stats.t.sf(5 / sum(spread) ** 0.5, freedom))
    assert found["warnings"] == ["the seeds differ, 5 and 6: the deals are not the same"]


def test_only_agents_in_both_files_are_compared_and_what_differs_is_warned_of(two: Any) -> None:
    rules = {"players": 2, "max_pip": 12, "rounds": "all_doubles"}
    changes = {"chickenfoot": "1", "rules": rules, "installed": {"a": "mine 2"}, "format": "ladder"}
    found = compare.comparison(*two(BEFORE, AFTER, ("ab", "ac"), **changes))
    assert [row["name"] for row in found["agents"]] == ["a"] and not found["paired"]
    told = "\n".join(found["warnings"])
    for text in (
        "the rules differ: max_pip 9 before and 12 after",
        "chickenfoot was 0 before and is 1 after",
        "a was none before and is mine 2 after",
        "not in both files: b, c:",
        "the format was None before and ladder after",
    ):
        assert text in told
    assert len(found["warnings"]) == 5


def test_one_deal_has_a_difference_and_no_more(two: Any) -> None:
    for seed in (5, 6):
        paths = two(BEFORE[:1], AFTER[:1], seed=seed)
        (a, _) = sorted(compare.comparison(*paths)["agents"], key=lambda row: row["name"])
        assert a["difference"] == 4
        assert [a[key] for key in ("difference_low", "p", "holm")] == [None] * 3
        assert not a["significant"]
        for path in paths:
            path.unlink()


def test_agents_that_cheat_are_marked_and_come_last(two: Any) -> None:
    found = compare.comparison(*two(BEFORE, AFTER, cheats=["a"]))
    assert [(row["name"], row["cheats"]) for row in found["agents"]] == [("b", False), ("a", True)]
    assert found["agents"][1]["after"] > found["agents"][0]["after"]
    shown = io.StringIO()
    Console(file=shown, width=200).print(compare.table(found))
    assert "a † " in shown.getvalue() and f"† {names.YARDSTICK}" in shown.getvalue()


def test_an_agent_with_many_forfeits_has_no_difference_that_counts(two: Any) -> None:
    paths = two(BEFORE, AFTER, faults=[(0, 0, 4, 17, 3, "raised OSError")])
    found = compare.comparison(*paths)
    rows = {row["name"]: row for row in found["agents"]}
    assert max(row["holm"] for row in rows.values()) < 0.05
    assert [rows[name]["significant"] for name in "ab"] == [False, True]
    assert found["warnings"][0].startswith("a forfeited 1 of its 8 games after, more than 1 %")


def test_a_folder_is_no_results_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder: wanted is a results file"):
        compare.comparison(tmp_path, tmp_path)


def test_files_without_a_common_agent_are_refused(two: Any) -> None:
    with pytest.raises(StoreError, match=r"no agent is in both files: .* a, b, and .* c, d"):
        compare.comparison(*two(BEFORE, AFTER, ("ab", "cd")))


def test_the_command_prints_a_table_or_json(two: Any, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = two(BEFORE, AFTER, chickenfoot="1")
    tournaments.report(before, compare=after)
    printed = capsys.readouterr().out
    assert "on 8 common deals" in printed and "+5.0 (" in printed and "0.031*" in printed
    assert printed.endswith("warning: chickenfoot was 0 before and is 1 after\n")
    assert sorted(file.name for file in before.parent.iterdir()) == [after.name, before.name]
    tournaments.report(before, compare=after, as_json=True)
    assert json.loads(capsys.readouterr().out) == compare.comparison(before, after)
    with pytest.raises(ValueError, match="--compare goes with --json alone"):
        tournaments.report(before, compare=after, csv=True)
