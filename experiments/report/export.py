"""The tables of a results file for other programs: CSV, or Parquet by the extra `parquet`.

    seats: one row a game and seat, of complete deals, as the view `seat_results`
    blocks: one row a block and agent, of complete deals, as the view `block_results`
    agents, pairs: the figures, named as in the JSON

Both views are in `experiments.views`. Yes and no are 1 and 0; what is not known is left empty.
"""

from __future__ import annotations

import contextlib
import csv
import itertools
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from experiments import views
from experiments.figures import summary
from experiments.store import StoreError, one_line, open_results

FOLDER: Final = "tables"  # beside the results file
KINDS: Final = ("csv", "parquet")
SEATS: Final = {
    "game": int,
    "deal": int,
    "block": int,
    "line_up": int,
    "rotation": int,
    "seat": int,
    "agent": str,
    "cheats": int,
    "points": int,
    "rank": int,
    "margin": float,
    "win_share": float,
    "rounds": int,
    "blocked_rounds": int,
    "forfeited": int,
    "fault": str,
}
BLOCKS: Final = {
    "block": int,
    "deal": int,
    "line_up": int,
    "agent": str,
    "cheats": int,
    "games": int,
    "points": float,
    "margin": float,
    "win_share": float,
    "faults": int,
    "decisions": int,
    "simulations": int,
    "seconds": float,
}
_AT_ONCE: Final = 50_000  # rows


@dataclass(frozen=True)
class _Table:
    """Rows, and what their columns are called and hold."""

    name: str
    columns: dict[str, type]
    rows: Iterable[Sequence[Any]]


def write(path: Path, kind: str, figures: dict[str, Any] | None = None) -> list[Path]:
    """Write all tables into a folder `tables` beside the results file.

    Args:
        path: of the results file.
        kind: one of KINDS.
        figures: its summary, where the caller has it already.

    Returns:
        The paths of the tables.

    Raises:
        StoreError: as `summary`, or if a table cannot be written.
        ValueError: for another kind, or for "parquet" where pyarrow is not installed.
    """
    if kind not in KINDS:
        raise ValueError(f"tables as {kind!r}: allowed are {', '.join(KINDS)}")
    if kind == "parquet":
        check_parquet()
    figures = summary(path) if figures is None else figures
    folder, written = path.parent / FOLDER, []
    with _blamed(folder):
        folder.mkdir(exist_ok=True)
    with one_line(path), contextlib.closing(open_results(path)) as connection:
        views.add(connection, temporary=True)
        for table in _tables(connection, figures):
            part = folder / f"{table.name}.{kind}.part"
            written.append(part.with_suffix(""))
            with _blamed(written[-1]):
                (_write_csv if kind == "csv" else _write_parquet)(part, table)
                os.replace(part, written[-1])
    return written


@contextlib.contextmanager
def _blamed(table: Path) -> Iterator[None]:
    """Name the table that cannot be written, not the results file that is read meanwhile."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot write {table}: {error.strerror or error}") from error


def check_parquet() -> None:
    """See that Parquet files can be written.

    Raises:
        ValueError: if they cannot, naming the extra.
    """
    try:
        import pyarrow.parquet  # noqa: F401  # all that Parquet needs
    except ImportError:
        raise ValueError(
            "Parquet needs pyarrow: pip install 'chickenfoot[parquet]', or take --csv"
        ) from None


def _tables(connection: sqlite3.Connection, figures: dict[str, Any]) -> Iterator[_Table]:
    until = (figures["blocks"],)
    for name, view, columns, order in (
        ("seats", "seat_results", SEATS, "game, seat"),
        ("blocks", "block_results", BLOCKS, "block, agent"),
    ):
        select = f"SELECT {', '.join(columns)} FROM {view} WHERE block < ? ORDER BY {order}"
        yield _Table(name, columns, connection.execute(select, until))
    for name in ("agents", "pairs"):
        yield _listed(name, figures[name])


def _listed(name: str, things: Sequence[dict[str, Any]]) -> _Table:
    """Figures as a table; lists among them are left out."""
    flat = [
        {key: int(v) if isinstance(v, bool) else v for key, v in thing.items() if _single(v)}
        for thing in things
    ]
    columns: dict[str, type] = {}
    for key in flat[0] if flat else ():
        known = (type(row[key]) for row in flat if row[key] is not None)
        columns[key] = next(known, float)
    return _Table(name, columns, [list(row.values()) for row in flat])


def _single(value: Any) -> bool:
    return not isinstance(value, list)


def _write_csv(path: Path, table: _Table) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows(table.rows)


def _write_parquet(path: Path, table: _Table) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    types = {int: pa.int64(), float: pa.float64(), str: pa.string()}
    schema = pa.schema([(name, types[kind]) for name, kind in table.columns.items()])
    rows = iter(table.rows)
    with parquet.ParquetWriter(path, schema) as writer:
        while some := list(itertools.islice(rows, _AT_ONCE)):
            columns = [
                pa.array(column, kind)
                for column, kind in zip(zip(*some, strict=True), schema.types, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
