"""The views of a results file: what they say, and in files that were written without them."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_results import Made, block, header

from experiments import store, views

GAMES = [[10, 20, 60], [30, 30, 90]]  # points of a, b and c
FAULT = (1, 1, 4, 17, 3, "raised OSError")  # of c: in rotation 1 place 2 sits in seat 1


@contextlib.contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        yield connection


def rows(connection: sqlite3.Connection, query: str) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.execute(query)]


def test_a_row_a_game_and_seat(made: Made) -> None:
    path = made(["a", "b", "c"], 3, [GAMES, GAMES], cheats=["c"], faults=[FAULT])
    with opened(path) as connection:
        found = rows(connection, "SELECT * FROM seat_results ORDER BY game, seat")
    assert [row["game"] for row in found] == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]
    assert [row["agent"] for row in found[:6]] == ["a", "b", "c", "b", "c", "a"]
    first, tied, at_fault = found[0], found[3], found[4]
    assert first == {
        "game": 1, "deal": 0, "block": 0, "line_up": 0, "rotation": 0, "seat": 0, "agent": "a",
        "cheats": 0, "points": 10, "rank": 1, "margin": 30.0, "win_share": 1.0, "rounds": 10,
        "blocked_rounds": 3, "forfeited": 0, "fault": None,
    }  # fmt: skip
    assert (tied["margin"], tied["win_share"], tied["cheats"]) == (30.0, 0.5, 0)
    assert (at_fault["margin"], at_fault["cheats"], at_fault["fault"]) == (-60.0, 1, FAULT[-1])


def test_a_row_a_block_and_agent(made: Made) -> None:
    path = made(["a", "b", "c"], 3, [GAMES, GAMES])
    with opened(path) as connection:
        found = rows(connection, "SELECT * FROM block_results ORDER BY block, agent")
    assert len(found) == 6
    assert found[1] == {
        "block": 0, "deal": 0, "line_up": 0, "agent": "b", "cheats": 0, "games": 2, "points": 25.0,
        "margin": 22.5, "win_share": 0.25, "faults": 0, "decisions": 10, "simulations": 30,
        "seconds": 5.0,
    }  # fmt: skip


def test_forfeits_are_told_and_counted(made: Made) -> None:
    path = made(["a", "b", "c"], 3, [GAMES])
    with opened(path) as connection:
        connection.execute("UPDATE seats SET rank = 0 WHERE rotation = 1 AND seat = 1")
        by_seat = rows(connection, "SELECT game, seat FROM seat_results WHERE forfeited")
        by_agent = rows(connection, "SELECT agent, faults FROM block_results ORDER BY agent")
    assert by_seat == [{"game": 2, "seat": 1}]
    assert [(row["agent"], row["faults"]) for row in by_agent] == [("a", 0), ("b", 0), ("c", 1)]


def test_a_file_without_views_has_them_on_reading(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(views, "VIEWS", {})
        path = made(["a", "b", "c"], 3, [GAMES])
    before = path.read_bytes()
    with contextlib.closing(store.open_results(path)) as connection:
        views.add(connection, temporary=True)
        assert connection.execute("SELECT COUNT(*) FROM block_results").fetchone() == (3,)
    assert path.read_bytes() == before and b"block_results" not in before


def test_an_unfinished_file_without_views_has_them_when_it_is_resumed(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And is then the same file, to the byte."""
    whole = made(["a", "b", "c"], 3, [GAMES, GAMES])
    path, about = tmp_path / "cut", header(["a", "b", "c"], 3, 2)
    with monkeypatch.context() as older:
        older.setattr(views, "VIEWS", {})
        with pytest.raises(KeyError), store.writing(path, about) as writer:
            writer.add(block(about, 0, GAMES))
            raise KeyError
    assert b"block_results" not in path.read_bytes()
    with store.writing(path, about, resume=True) as writer:
        writer.add(block(about, 1, GAMES))
    assert path.read_bytes() == whole.read_bytes()
