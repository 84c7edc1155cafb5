"""The results file of a tournament: one SQLite file, one transaction a block.

Tables (schema version 2; the version is in PRAGMA user_version):

    meta(key, value): what was asked for and with which versions, as JSON
    entries(entry, label, spec, cheats): the agents; equal specs have different labels; cheats is 1
        for one that is handed hidden tiles, else 0
    line_ups(line_up, place, entry): who meets
    blocks(block, deal, line_up): one deal under all rotations of a line-up
    games(block, rotation, rounds, blocked_rounds): rounds played, and how many of them ended
        blocked; in rotation r everybody has moved r seats, or it is the r-th permutation
    seats(block, rotation, seat, entry, points, rank): points as charged; rank 0: forfeited
    faults(block, rotation, seat, round, ply, played_points, message): played_points is what the
        stand-in came to in the forfeited game
    costs(block, entry, decisions, simulations, seconds): what an entry of the line-up was asked and
        spent in the games of the block; simulations are 0 for an agent that counts none

and the views of `experiments.views`, which a file of an older version gets when it is resumed.

While a run writes, the file is in WAL mode and may be read. A finished run rewrites it once into
its final form. Everything in it is the same in every run of the tournament, however it was cut into
pieces, but for costs.seconds: time is measured. With these set to 0, the rewritten file has the
same bytes. (Agents that have their budget in time are beyond that: they play differently each run.)
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from experiments import views

APPLICATION_ID: Final = 0x43464F54  # "CFOT", in the header of the file
SCHEMA_VERSION: Final = 2
MEASURED: Final = frozenset({("costs", "seconds")})  # columns that differ from run to run

_SCHEMA: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE entries (entry INTEGER PRIMARY KEY, label TEXT NOT NULL, spec TEXT NOT NULL,
    cheats INTEGER NOT NULL);
CREATE TABLE line_ups (line_up INTEGER, place INTEGER, entry INTEGER NOT NULL,
    PRIMARY KEY (line_up, place)) WITHOUT ROWID;
CREATE TABLE blocks (block INTEGER PRIMARY KEY, deal INTEGER NOT NULL, line_up INTEGER NOT NULL);
CREATE TABLE games (block INTEGER, rotation INTEGER, rounds INTEGER NOT NULL,
    blocked_rounds INTEGER NOT NULL, PRIMARY KEY (block, rotation)) WITHOUT ROWID;
CREATE TABLE seats (block INTEGER, rotation INTEGER, seat INTEGER, entry INTEGER NOT NULL,
    points INTEGER NOT NULL, rank INTEGER NOT NULL,
    PRIMARY KEY (block, rotation, seat)) WITHOUT ROWID;
CREATE TABLE faults (block INTEGER, rotation INTEGER, seat INTEGER, round INTEGER NOT NULL,
    ply INTEGER NOT NULL, played_points INTEGER NOT NULL, message TEXT NOT NULL,
    PRIMARY KEY (block, rotation, seat)) WITHOUT ROWID;
CREATE TABLE costs (block INTEGER, entry INTEGER, decisions INTEGER NOT NULL,
    simulations INTEGER NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (block, entry)) WITHOUT ROWID;
"""


class StoreError(ValueError):
    """A results file that cannot be read or written; one line that says why."""


@dataclass(frozen=True)
class Header:
    """What a results file is about.

    Attributes:
        run: what a resumed run must have in common with the file; JSON values.
        facts: what else is on record; JSON values.
        entries: (label, spec, cheats) of each entry.
        line_ups: the entries that meet, one tuple a line-up.
        blocks: how many blocks the whole run has.
    """

    run: Mapping[str, Any]
    facts: Mapping[str, Any]
    entries: Sequence[tuple[str, str, bool]]
    line_ups: Sequence[tuple[int, ...]]
    blocks: int


@dataclass(frozen=True)
class Block:
    """One deal under all rotations of a line-up; rows as in the tables, without the block.

    `records` are the games as text, see `game_file`, if they are kept; they are not in this file.
    """

    block: int
    deal: int
    line_up: int
    games: Sequence[tuple[int, int, int]]
    seats: Sequence[tuple[int, int, int, int, int]]
    faults: Sequence[tuple[int, int, int, int, int, str]]
    costs: Sequence[tuple[int, int, int, float]]
    records: Sequence[str] = ()


class Writer:
    """Adds blocks to an open results file; made by `writing`.

    `enough` says that the run is finished although there are blocks left to play.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self.enough = False
        self.blocks_done: int = connection.execute("SELECT COUNT(*) FROM blocks").fetchone()[0]

    def add(self, block: Block) -> None:
        """Commit the next block.

        Raises:
            StoreError: if it is not the next one, or cannot be written; the file is as before.
        """
        if block.block != self.blocks_done:
            raise StoreError(f"block {block.block} is out of order: next is {self.blocks_done}")
        try:
            with one_line(self._path), _transaction(self._connection) as execute:
                self._insert(block, execute)
        except StoreError as error:
            raise StoreError(f"{error}; all blocks before are kept, to be resumed") from error
        self.blocks_done += 1

    def _insert(self, block: Block, execute: Any) -> None:
        n = block.block
        execute("INSERT INTO blocks VALUES (?, ?, ?)", [(n, block.deal, block.line_up)])
        execute("INSERT INTO games VALUES (?, ?, ?, ?)", [(n, *row) for row in block.games])
        execute("INSERT INTO seats VALUES (?, ?, ?, ?, ?, ?)", [(n, *r) for r in block.seats])
        execute("INSERT INTO faults VALUES (?,?,?,?,?,?,?)", [(n, *r) for r in block.faults])
        execute("INSERT INTO costs VALUES (?, ?, ?, ?, ?)", [(n, *row) for row in block.costs])

    def close(self) -> None:
        """Gather everything in the one file again, and close it."""
        try:
            self._connection.execute("PRAGMA journal_mode = DELETE")
        finally:
            self._connection.close()


@contextlib.contextmanager
def writing(path: Path, header: Header, *, resume: bool = False) -> Iterator[Writer]:
    """Open the results file at `path` for a run, and leave one whole file behind.

    A run that ends before its first block leaves no file. The folder is made if need be.

    Raises:
        StoreError: if the folder cannot be written, another run writes the file, there are results
            and `resume` is False, or they are of another tournament or version.
    """
    with _lock(path):
        with one_line(path):
            complete = _prepare(path, header, resume)
            connection = _connect(path)
        with contextlib.closing(connection):
            with one_line(path):
                if not complete:
                    connection.execute("PRAGMA journal_mode = WAL")
                    connection.execute("PRAGMA synchronous = NORMAL")
                    views.add(connection)
                writer = Writer(connection, path)
            try:
                yield writer
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # the journal stays beside the file then
                    writer.close()
                if writer.blocks_done == 0:
                    path.unlink()
                raise
            with one_line(path):
                writer.close()
                finished = writer.enough or writer.blocks_done == header.blocks
                if finished and not complete:
                    _finish(path)


def _prepare(path: Path, header: Header, resume: bool) -> bool:
    """Make the file, or check that it is the one to go on with; whether it is finished."""
    if not path.exists() or path.stat().st_size == 0:
        _create(path, header)
        return False
    if not resume:
        raise StoreError(f"{path} already holds results: resume them, or write elsewhere")
    with contextlib.closing(open_results(path)) as connection:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            what = " ".join(found.split())
            raise StoreError(f"{path} is damaged ({what}); nothing was written to it")
        rows = connection.execute("SELECT key, value FROM meta")
        meta = {key: json.loads(value) for key, value in rows}
    mine = json.loads(_json(header.run))
    different = list(_differences({key: meta.get(key) for key in mine}, mine))
    if different:
        raise StoreError(
            f"{path} holds another tournament: {', '.join(different)}; "
            "write elsewhere, or remove it"
        )
    return "complete" in meta


def _connect(path: Path, mode: str = "rw") -> sqlite3.Connection:
    uri = f"{path.resolve().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=5, isolation_level=None)


def open_results(path: Path) -> sqlite3.Connection:
    """A connection that can only read.

    Raises:
        StoreError: if there is no results file at `path`, or one of another schema version.
    """
    if path.is_dir():
        raise StoreError(f"{path} is a folder: wanted is a results file, such as one in it")
    if not path.is_file():
        raise StoreError(f"there is no results file {path}")
    connection = _connect(path, "ro")
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.DatabaseError as error:
        if "not a database" not in str(error):
            connection.close()
            raise
        application, version = None, None
    if (application, version) == (APPLICATION_ID, SCHEMA_VERSION):
        return connection
    connection.close()
    if application != APPLICATION_ID:
        raise StoreError(f"{path} is not a results file of this program")
    raise StoreError(
        f"{path} has schema version {version}, and this version of the program reads "
        f"{SCHEMA_VERSION}: use the version that wrote it, or run the tournament again"
    )


def _create(path: Path, header: Header) -> None:
    with contextlib.closing(_connect(path, "rwc")) as connection:
        connection.execute("PRAGMA page_size = 4096")
        with _transaction(connection) as execute:
            for statement in _SCHEMA.split(";")[:-1]:
                connection.execute(statement)
            views.add(connection)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            meta = {**header.run, **header.facts}
            execute("INSERT INTO meta VALUES (?, ?)", [(k, _json(v)) for k, v in meta.items()])
            execute(
                "INSERT INTO entries VALUES (?, ?, ?, ?)",
                [(entry, *about) for entry, about in enumerate(header.entries)],
            )
            execute(
                "INSERT INTO line_ups VALUES (?, ?, ?)",
                [(i, s, e) for i, up in enumerate(header.line_ups) for s, e in enumerate(up)],
            )


def _differences(theirs: Mapping[str, Any], mine: Mapping[str, Any]) -> Iterator[str]:
    for key in sorted({*theirs, *mine}):
        there, here = theirs.get(key), mine.get(key)
        if isinstance(there, dict) and isinstance(here, dict):
            yield from _differences(there, here)
        elif there != here:
            yield f"{key} is {_json(there)} there and {_json(here)} here"


def _finish(path: Path) -> None:
    """Rewrite the file from its content alone: the pages carry no trace of how it grew."""
    whole = path.with_name(path.name + ".whole")
    whole.unlink(missing_ok=True)
    with contextlib.closing(_connect(path)) as connection:
        connection.execute("VACUUM INTO ?", (str(whole),))
    with contextlib.closing(_connect(whole)) as connection:
        connection.execute("INSERT INTO meta VALUES ('complete', 'true')")
    whole.replace(path)


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[Any]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection.executemany
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Keep other runs off `path`; the operating system frees the lock of a killed process."""
    folder = path.parent
    made = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot write to the folder {folder}: {error.strerror}") from error
    lock = path.with_name(path.name + ".lock")
    connection = sqlite3.connect(lock, timeout=0, isolation_level=None)
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        connection.close()
        if "locked" in str(error):
            raise StoreError(f"{path} is being written by another run") from error
        raise StoreError(f"cannot write to the folder {folder}: {error}") from error
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # where an open file cannot be removed it just stays
            lock.unlink()
        connection.close()
        if made:
            with contextlib.suppress(OSError):  # it is not empty: the results are in it
                folder.rmdir()


@contextlib.contextmanager
def one_line(path: Path) -> Iterator[None]:
    """Turn what the file system or SQLite complains of into one StoreError."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot use {path}: {error.strerror or error}") from error
    except sqlite3.Error as error:
        raise StoreError(f"cannot use {path}: {error}") from error


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
