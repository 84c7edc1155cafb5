"""docs/tournaments.md: its code runs on a tournament's results."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from chickenfoot_env.rules import Rules
from experiments import figures, views
from experiments.report import export
from experiments.tournament import runner
from experiments.tournament.spec import TournamentSpec

PAGE = (Path(__file__).parent.parent / "docs" / "tournaments.md").read_text(encoding="utf-8")
PANDAS, ALONE = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the results that the page reads."""
    folder = tmp_path_factory.mktemp("page")
    rules = Rules(players=2, max_pip=6, hand_size=5, rounds=(6, 5))
    spec = TournamentSpec(("greedy", "random", "heuristic"), rules, 4, 1)
    runner.run(spec, folder / "results" / "mine" / "results.sqlite")
    return folder


def test_python_alone_reads_the_margins(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = _run(ALONE, played, monkeypatch)["rows"]
    wanted = [
        (agent["name"], pytest.approx(agent["mean_points"]), pytest.approx(agent["margin"]))
        for agent in figures.summary(played / "results/mine/results.sqlite")["agents"]
    ]
    assert rows == wanted


def test_pandas_reads_the_margins(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = _run(PANDAS, played, monkeypatch)["by_agent"]["mean"]
    for agent in figures.summary(played / "results/mine/results.sqlite")["agents"]:
        assert found[agent["name"]] == pytest.approx(agent["margin"])


def test_every_column_of_the_views_is_told() -> None:
    for column in {*export.SEATS, *export.BLOCKS}:
        assert f"`{column}`" in PAGE
    assert all(f"`{name}`" in PAGE for name in views.VIEWS)


def _run(code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    exec(compile(code, "tournaments.md", "exec"), names)
    names["results"].close()
    return names
