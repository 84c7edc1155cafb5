"""Tables for other programs: they hold what the results file holds."""

from __future__ import annotations

import contextlib
import csv
import sqlite3
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_results import Made

from experiments import figures
from experiments.cli import tournaments
from experiments.report import export, plots
from experiments.store import StoreError

BLOCKS = np.random.default_rng(2).integers(0, 90, size=(7, 2, 2)).tolist()
FAULT = (0, 1, 4, 17, 3, 'raised OSError: "a, b"\nfor – once')
NAMES = ["seats", "blocks", "agents", "pairs"]


@pytest.fixture
def path(made: Made) -> Path:
    """Three line-ups, two complete deals, and a third that is not."""
    return made(["a", "b", "c"], 2, BLOCKS, deals=3, faults=[FAULT])


def test_csv_is_what_the_file_holds(path: Path) -> None:
    written = export.write(path, "csv")
    assert written == [path.parent / "tables" / f"{name}.csv" for name in NAMES]
    for name, wanted in _wanted(path).items():
        with (path.parent / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            found = list(csv.DictReader(file))
        assert [[_text(value) for value in row.values()] for row in wanted] == [
            list(row.values()) for row in found
        ]
        assert list(found[0]) == list(wanted[0])
    assert len(_wanted(path)["seats"]) == 2 * 3 * 2 * 2


def test_csv_has_the_same_bytes_again(path: Path) -> None:
    first = [table.read_bytes() for table in export.write(path, "csv")]
    assert [table.read_bytes() for table in export.write(path, "csv")] == first


def test_parquet_is_what_the_file_holds(path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    export.write(path, "parquet")
    for name, wanted in _wanted(path).items():
        table = parquet.read_table(path.parent / "tables" / f"{name}.parquet")
        assert table.to_pylist() == wanted
    kinds = {field.name: str(field.type) for field in table.schema}
    assert (kinds["agent"], kinds["together"], kinds["p"]) == ("string", "int64", "double")
    assert kinds["difference_gain"] == "double"  # known of no pair


def test_parquet_without_its_library_names_the_extra(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ValueError, match=r"pip install 'chickenfoot\[parquet\]'"):
        tournaments.report(path, parquet=True)
    assert [file.name for file in path.parent.iterdir()] == ["results.sqlite"]


@pytest.mark.parametrize(
    ("place", "told"), [("tables", "tables"), ("tables/blocks.csv/in", "blocks")]
)
def test_a_table_that_cannot_be_written_is_named(path: Path, place: str, told: str) -> None:
    taken = path.parent / place
    taken.parent.mkdir(parents=True, exist_ok=True)
    taken.write_text("mine", encoding="utf-8")
    with pytest.raises(StoreError, match=rf"^cannot write \S*{told}(\.csv)?: "):
        export.write(path, "csv")
    assert taken.read_text(encoding="utf-8") == "mine"


def test_another_kind_of_table_is_refused(path: Path) -> None:
    with pytest.raises(ValueError, match="'xlsx': allowed are csv, parquet"):
        export.write(path, "xlsx")


def test_the_command_says_where_the_tables_are(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = plots.Plot("data:,", "data:,", "")  # drawing takes longest
    monkeypatch.setattr(plots, "draw", lambda _: {"margins": nothing})
    tournaments.report(path, csv=True)
    printed = capsys.readouterr().out.splitlines()
    assert printed[-4:] == [f"table: {path.parent / 'tables' / name}.csv" for name in NAMES]


@pytest.mark.parametrize("options", [{"csv": True}, {"games": Path("games.jsonl")}])
def test_json_alone_writes_nothing(path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="--json writes nothing"):
        tournaments.report(path, as_json=True, **options)


def _wanted(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of every table, from the file and from the figures."""
    held = figures.summary(path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        seats = connection.execute("SELECT * FROM seat_results WHERE deal < 2 ORDER BY game, seat")
        blocks = connection.execute(
            "SELECT * FROM block_results WHERE deal < 2 ORDER BY block, agent"
        )
        tables = {"seats": [dict(row) for row in seats], "blocks": [dict(row) for row in blocks]}
    for name in ("agents", "pairs"):
        tables[name] = [
            {key: value for key, value in row.items() if key != "margin_counts"}
            for row in held[name]
        ]
    return tables


def _text(value: Any) -> str:
    """A value as a cell."""
    return "" if value is None else str(int(value) if isinstance(value, bool) else value)
