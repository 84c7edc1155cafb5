"""The ladder: what it asks, that it can be gone on with, and its figures."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments import ladder


def test_a_comparison_is_the_same_whenever_it_is_made() -> None:
    question = ladder.Question("ladder", "greedy", "random", 3, 70)
    one, other = ladder.answer(question), ladder.answer(question)
    assert {**one, "ms": 0} == {**other, "ms": 0}
    assert one["low"] < one["margin"] < one["high"]
    assert one["p"] < 0.01 and one["win_share"] > 1 / 3 and one["simulations"] == 0


def test_an_agent_among_its_own_kind_has_margin_zero() -> None:
    found = ladder.answer(ladder.Question("ladder", "heuristic", "heuristic", 4, 5))
    assert abs(found["margin"]) < 1e-9
    assert found["win_share"] == pytest.approx(0.25)


def test_two_agents_are_compared_on_the_same_deals() -> None:
    def ask(agent: str, less: str = "") -> dict[str, Any]:
        return ladder.answer(ladder.Question("gain", agent, "random", 3, 70, less))

    one, other, both = ask("heuristic"), ask("greedy"), ask("heuristic", "greedy")
    assert both["margin"] == pytest.approx(one["margin"] - other["margin"])
    assert both["win_share"] == pytest.approx(one["win_share"] - other["win_share"])
    assert both["high"] - both["low"] < np.hypot(
        one["high"] - one["low"], other["high"] - other["low"]
    )
    assert both["p"] < 0.01
    assert ask("greedy", "greedy")["margin"] == 0.0
    assert "heuristic less greedy" in ladder.line(both)


def test_the_worse_agent_has_a_high_p() -> None:
    found = ladder.answer(ladder.Question("ladder", "random", "greedy", 2, 50))
    assert found["margin"] < 0 and found["p"] > 0.99


def test_a_file_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [
        ladder.Question("ladder", "greedy", "random", 2, 4),
        ladder.Question("ladder", "heuristic", "greedy", 2, 4),
    ]
    file = tmp_path / "new" / "ladder.json"
    monkeypatch.setattr(ladder, "questions", lambda deals: iter(asked[:1]))
    ladder.main([str(file), "--deals", "4"])
    first = json.loads(file.read_text())["comparisons"]
    monkeypatch.setattr(ladder, "questions", lambda deals: iter(asked))
    ladder.main([str(file), "--deals", "4"])
    both = json.loads(file.read_text())["comparisons"]
    assert both[:1] == first and len(both) == 2
    assert [{k: one[k] for k in asdict(asked[0])} for one in both] == [asdict(q) for q in asked]
    assert capsys.readouterr().out.count("seats") == 2


def test_one_table_can_be_asked_for_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [
        ladder.Question("ladder", "greedy", "random", 2, 4),
        ladder.Question("budget", "heuristic", "greedy", 2, 4),
    ]
    monkeypatch.setattr(ladder, "questions", lambda deals: iter(asked))
    file = tmp_path / "ladder.json"
    ladder.main([str(file), "--only", "budget"])
    found = json.loads(file.read_text())["comparisons"]
    assert [one["table"] for one in found] == ["budget"]
    assert {question.table for question in ladder.questions(4)} <= set(ladder.TABLES)


def test_it_asks_about_every_rung_at_every_table() -> None:
    asked = list(ladder.questions(10))
    rungs = {(q.agent, q.field) for q in asked if q.table == "ladder"}
    order = ["random", "greedy", "heuristic", ladder.FLAT, ladder.MCTS, "oracle"]
    assert set(zip(order[1:], order[:-1], strict=True)) <= rungs
    for players in (2, 3, 4, 6, 8):
        assert sum(q.players == players and q.table == "ladder" for q in asked) == len(rungs)
    assert len(set(asked)) == len(asked)


def test_too_few_deals_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        ladder.main([str(tmp_path / "ladder.json"), "--deals", "1"])
    assert "--deals 1: wanted are 2 or more" in capsys.readouterr().err
