"""The results file: what it keeps, and what it refuses."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest
from made_results import Made, block, header

from experiments import results, store

GAMES = [[10, 20], [30, 5]]


def test_what_is_written_is_read(made: Made) -> None:
    path = made(["a", "b"], 2, [GAMES, [[7, 7], [1, 2]]])
    held = results.load(path)
    assert held.labels == ["a", "b"]
    assert held.meta["seed"] == 5
    assert (held.games, held.rounds, held.blocked_rounds) == (4, 40, 12)
    np.testing.assert_array_equal(held.tally.points, [[[40, 25]], [[8, 9]]])
    np.testing.assert_array_equal(held.tally.totals, [[[65, 65]], [[17, 17]]])
    wins = held.tally.win_units / results.WIN_UNITS
    np.testing.assert_array_equal(wins, [[[1, 1]], [[1.5, 0.5]]])


def test_who_cheats_is_read_as_written(made: Made) -> None:
    path = made(["a", "b"], 2, [GAMES], cheats=["b"])
    assert results.load(path).cheats == [False, True]


def test_forfeited_seat_has_no_part_in_a_win(made: Made, tmp_path: Path) -> None:
    about = header(["a", "b"], 2, 1)
    rows = [(0, 0, 0, 9, 0), (0, 1, 1, 9, 1)]
    fault = [(0, 0, 4, 17, 3, "raised OSError: x")]
    with store.writing(tmp_path / "r.sqlite", about) as writer:
        writer.add(store.Block(0, 0, 0, [(0, 1, 0)], rows, fault, []))
    held = results.load(tmp_path / "r.sqlite")
    assert held.tally.win_units.tolist() == [[[0, results.WIN_UNITS]]]
    assert held.faults == [1, 0]
    assert held.messages == [("a", "raised OSError: x", 1)]


def test_costs_are_added_up_for_each_entry(made: Made) -> None:
    path = made(["a", "b", "c"], 2, [GAMES] * 3)  # each sits in two of three line-ups
    assert results.load(path).spent == [
        results.Spent(20, 0, 10.0),
        results.Spent(20, 60, 10.0),
        results.Spent(20, 120, 10.0),
    ]


def test_costs_of_an_incomplete_deal_are_left_out(made: Made) -> None:
    path = made(["a", "b", "c"], 2, [GAMES] * 4, deals=2)
    assert [spent.decisions for spent in results.load(path).spent] == [20, 20, 20]


def test_entry_without_costs_has_spent_nothing(made: Made) -> None:
    path = made(["a", "b"], 2, [GAMES], costs=[(1, 4, 8, 0.25)])
    assert results.load(path).spent == [results.Spent(0, 0, 0.0), results.Spent(4, 8, 0.25)]


def test_failed_costs_leave_no_block(tmp_path: Path) -> None:
    """Costs are written with the rest of the block or not at all."""
    path, about = tmp_path / "r.sqlite", header(["a", "b"], 2, 2)
    with (
        pytest.raises(store.StoreError, match="UNIQUE"),
        store.writing(path, about) as writer,
    ):
        writer.add(block(about, 0, GAMES))
        writer.add(block(about, 1, GAMES, costs=[(0, 1, 1, 1.0)] * 2))
    connection = sqlite3.connect(path)
    counts = [
        connection.execute(f"SELECT COUNT(DISTINCT block) FROM {table}").fetchone()[0]
        for table in ("blocks", "games", "seats", "costs")
    ]
    connection.close()
    assert counts == [1, 1, 1, 1]


def test_digest_is_of_everything_but_seconds(made: Made) -> None:
    path = made(["a", "b"], 2, [GAMES], faults=[(0, 1, 4, 17, 3, "raised OSError")])
    first = results.load(path).digest
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("UPDATE costs SET seconds = seconds + 1")
    assert results.load(path).digest == first
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    digests = [first]
    for (table,) in tables:
        for _, column, kind, *_ in connection.execute(f"PRAGMA table_info({table})").fetchall():
            if kind == "INTEGER" and (table, column) != ("costs", "seconds"):
                connection.execute("BEGIN")
                connection.execute(f"UPDATE {table} SET {column} = {column} + 100")
                digests.append(results._digest(connection))
                connection.execute("ROLLBACK")
    connection.execute("UPDATE faults SET message = 'x'")
    digests.append(results.load(path).digest)
    connection.close()
    assert len(digests) > 20
    assert len(set(digests)) == len(digests)


def test_incomplete_deal_is_left_out(made: Made) -> None:
    """Three agents at two seats: three line-ups a deal; the fourth block begins the second deal."""
    path = made(["a", "b", "c"], 2, [GAMES] * 4, deals=2)
    held = results.load(path)
    assert held.tally.games.shape == (1, 3, 3)
    assert held.games == 6


def test_no_complete_deal_is_an_error(made: Made) -> None:
    path = made(["a", "b", "c"], 2, [GAMES] * 2, deals=1)
    with pytest.raises(store.StoreError, match="no complete deal yet"):
        results.load(path)


def test_one_file_remains(made: Made) -> None:
    path = made(["a", "b"], 2, [GAMES])
    assert [p.name for p in path.parent.iterdir()] == ["results.sqlite"]


def test_run_that_fails_before_its_first_block_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "new" / "results.sqlite"
    with pytest.raises(KeyError), store.writing(path, header(["a", "b"], 2, 1)):
        raise KeyError
    assert list(tmp_path.iterdir()) == []


def test_failed_block_leaves_the_earlier_ones(tmp_path: Path) -> None:
    path, about = tmp_path / "r.sqlite", header(["a", "b"], 2, 3)
    twice = store.Block(1, 1, 0, [(0, 1, 0), (0, 1, 0)], [], [], [])
    with (
        pytest.raises(store.StoreError, match="UNIQUE"),
        store.writing(path, about) as writer,
    ):
        writer.add(block(about, 0, GAMES))
        writer.add(twice)
    assert results.load(path).games == 2
    with store.writing(path, about, resume=True) as writer:
        assert writer.blocks_done == 1


def test_blocks_come_in_order(tmp_path: Path) -> None:
    about = header(["a", "b"], 2, 3)
    with (
        pytest.raises(store.StoreError, match="out of order"),
        store.writing(tmp_path / "r.sqlite", about) as writer,
    ):
        writer.add(block(about, 1, GAMES))


def test_existing_results_are_not_overwritten(made: Made) -> None:
    path = made(["a", "b"], 2, [GAMES])
    before = path.read_bytes()
    with pytest.raises(store.StoreError, match="already holds results"):
        made(["a", "b"], 2, [GAMES])
    assert path.read_bytes() == before


def test_finished_file_stays_as_it_is_when_resumed(made: Made) -> None:
    path = made(["a", "b"], 2, [GAMES])
    before = path.read_bytes()
    with store.writing(path, header(["a", "b"], 2, 1), resume=True) as writer:
        assert writer.blocks_done == 1
    assert path.read_bytes() == before


def test_resuming_another_tournament_names_what_differs(made: Made) -> None:
    path = made(["a", "b"], 2, [GAMES])
    rules = {"players": 2, "max_pip": 12, "rounds": "all_doubles"}
    other = header(["a", "b"], 2, 4, rules=rules)
    with (
        pytest.raises(store.StoreError) as raised,
        store.writing(path, other, resume=True),
    ):
        pass
    text = str(raised.value)
    assert "deals is 1 there and 4 here" in text
    assert "max_pip is 9 there and 12 here" in text
    assert "players" not in text and "seed" not in text


def test_two_runs_on_one_file(tmp_path: Path) -> None:
    path, about = tmp_path / "r.sqlite", header(["a", "b"], 2, 2)
    with store.writing(path, about) as writer:
        writer.add(block(about, 0, GAMES))
        with (
            pytest.raises(store.StoreError, match="being written by another run"),
            store.writing(path, about, resume=True),
        ):
            pass
        writer.add(block(about, 1, GAMES))
    assert results.load(path).games == 4


def test_running_file_can_be_read(tmp_path: Path) -> None:
    path, about = tmp_path / "r.sqlite", header(["a", "b"], 2, 2)
    with store.writing(path, about) as writer:
        writer.add(block(about, 0, GAMES))
        assert results.load(path).games == 2
        writer.add(block(about, 1, GAMES))
    assert [p.name for p in tmp_path.iterdir()] == ["r.sqlite"]


@pytest.mark.parametrize("version", [1, 99])
def test_file_of_another_schema_version(made: Made, version: int) -> None:
    path = made(["a", "b"], 2, [GAMES])
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    message = rf"schema version {version}, and this .* reads 2: use the version that wrote it"
    with pytest.raises(store.StoreError, match=message):
        results.load(path)
    with (
        pytest.raises(store.StoreError, match=message),
        store.writing(path, header(["a", "b"], 2, 1), resume=True),
    ):
        pass


@pytest.mark.parametrize("content", [b"not a database, but a long enough text " * 99, b"x"])
def test_file_that_is_no_results_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "results.sqlite"
    path.write_bytes(content)
    with pytest.raises(store.StoreError, match="not a results file"):
        results.load(path)
    with (
        pytest.raises(store.StoreError, match="not a results file"),
        store.writing(path, header(["a", "b"], 2, 1), resume=True),
    ):
        pass
    assert path.read_bytes() == content


def test_other_sqlite_database(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    with pytest.raises(store.StoreError, match="not a results file"):
        results.load(path)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(store.StoreError, match="there is no results file"):
        results.load(tmp_path / "results.sqlite")


def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """A path below a regular file is refused to every user."""
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(store.StoreError, match="cannot write to the folder"),
        store.writing(tmp_path / "file" / "out" / "r.sqlite", header(["a", "b"], 2, 1)),
    ):
        pass


def test_cut_file_is_reported_in_one_line(made: Made) -> None:
    path = made(["a", "b"], 2, [GAMES] * 500)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(store.StoreError, match="malformed"):
        results.load(path)
