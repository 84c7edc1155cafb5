"""What a results file says, as arrays.

D deals, L line-ups, E entries, N seats, G games.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from experiments.store import MEASURED, StoreError, one_line, open_results

WIN_UNITS: Final = 27720  # divisible by 1 to 12, so that a win shared by k seats is a whole number

_TALLY: Final = f"""
WITH tables AS (
    SELECT block, rotation, SUM(points) AS total, SUM(rank = 1) AS winners
    FROM seats GROUP BY block, rotation)
SELECT block, entry, COUNT(*), SUM(points), SUM(total),
    SUM(CASE rank WHEN 1 THEN {WIN_UNITS} / winners ELSE 0 END)
FROM seats JOIN tables USING (block, rotation) WHERE block < ? GROUP BY block, entry
"""
_SEATS: Final = """
SELECT block, seat, SUM(points) FROM seats WHERE block < ? GROUP BY block, seat
"""
_FINISHES: Final = """
SELECT block, GROUP_CONCAT(entry || ' ' || rank) FROM seats WHERE block < ?
GROUP BY block, rotation
"""
_OUTCOMES: Final = """
SELECT GROUP_CONCAT(spec || ' ' || points)
FROM (SELECT * FROM seats JOIN blocks USING (block) JOIN entries USING (entry)
    WHERE deal = ? ORDER BY block, rotation, seat)
GROUP BY block, rotation
"""

_BLOCKED: Final = """
WITH tables AS (SELECT block, rotation, SUM(points) AS total FROM seats GROUP BY block, rotation)
SELECT block, entry, COUNT(*), SUM(blocked_rounds), SUM(total - :players * points),
    SUM(blocked_rounds * blocked_rounds), SUM(blocked_rounds * (total - :players * points))
FROM seats JOIN tables USING (block, rotation) JOIN games USING (block, rotation)
WHERE block < :until GROUP BY block, entry
"""
_APART: Final = """
SELECT block, rotation,
    AVG(CASE entry WHEN :one THEN points END) - AVG(CASE entry WHEN :other THEN points END) AS apart
FROM seats WHERE block < :until GROUP BY block, rotation
HAVING MIN(rank) > 0 AND ABS(apart) > 0 ORDER BY ABS(apart) DESC, block, rotation LIMIT :count
"""
_SHEET: Final = """
SELECT entry, points FROM seats WHERE block = ? AND rotation = ? ORDER BY seat
"""

_GAMES: Final = "SELECT COUNT(*), SUM(rounds), SUM(blocked_rounds) FROM games WHERE block < ?"
_FAULTS: Final = """
SELECT label, message, COUNT(*) AS count
FROM faults JOIN seats USING (block, rotation, seat) JOIN entries USING (entry)
WHERE block < ? GROUP BY entry, message ORDER BY count DESC, entry, message
"""
_COSTS: Final = """
SELECT SUM(decisions), SUM(simulations), SUM(seconds)
FROM entries LEFT JOIN costs ON costs.entry = entries.entry AND block < ?
GROUP BY entries.entry ORDER BY entries.entry
"""


@dataclass(frozen=True)
class Tally:
    """Sums over the games of each block; D deals, L line-ups, E entries.

    Attributes:
        players: seats at the table.
        games: (D, L, E) int64, games the entry sat in, once a seat.
        points: (D, L, E) int64, its points.
        totals: (D, L, E) int64, the points of all seats in those games.
        win_units: (D, L, E) int64, its wins in WIN_UNITS.
    """

    players: int
    games: NDArray[np.int64]
    points: NDArray[np.int64]
    totals: NDArray[np.int64]
    win_units: NDArray[np.int64]


Finish = tuple[tuple[int, int], ...]  # (entry, rank) of each seat; rank 0: forfeited


@dataclass(frozen=True)
class Finishes:
    """In which order the seats of each game finished.

    Attributes:
        kinds: the different finishes; each of them once.
        deal: (G,) int64, the deal of each game.
        kind: (G,) int64, which of the kinds it was.
    """

    kinds: list[Finish]
    deal: NDArray[np.int64]
    kind: NDArray[np.int64]


@dataclass(frozen=True)
class Spent:
    """What an entry was asked and spent in all its games; `seconds` are measured."""

    decisions: int
    simulations: int
    seconds: float


@dataclass(frozen=True)
class Results:
    """What a results file says of its complete deals.

    Attributes:
        meta: the header's run and facts.
        labels: of the entries.
        cheats: of each entry, whether it was handed hidden tiles.
        line_ups: how many there are.
        games: games played.
        rounds: rounds played in those games.
        blocked_rounds: rounds of those games that ended blocked.
        faults: of each entry.
        messages: (label, message, count), the most frequent first.
        spent: by each entry.
        digest: SHA-256 of all that is in the file, incomplete deals too, but for what is measured:
            the same for every finished run of the tournament with the same versions.
        tally: sums a block.
        seat_points: (D, N) int64, the points of each seat in all games of the deal.
        blocked: (D, L, E, 5) int64, of the seats that the entry took: how many, the sums of x, of
            y, of x² and of x y. x: blocked rounds of the game; y: the points of all seats less N
            times its own.
        finishes: of each game.
    """

    meta: dict[str, Any]
    labels: list[str]
    cheats: list[bool]
    line_ups: int
    games: int
    rounds: int
    blocked_rounds: int
    faults: list[int]
    messages: list[tuple[str, str, int]]
    spent: list[Spent]
    digest: str
    tally: Tally
    seat_points: NDArray[np.int64]
    blocked: NDArray[np.int64]
    finishes: Finishes


@dataclass(frozen=True)
class Game:
    """One game of a results file.

    Attributes:
        block: its block.
        rotation: its place in the block.
        entries: in seat order.
        points: in seat order.
    """

    block: int
    rotation: int
    entries: tuple[int, ...]
    points: tuple[int, ...]


def load(path: Path) -> Results:
    """Read a results file, finished or not.

    Raises:
        StoreError: if it is none, of another schema version, or holds no complete deal yet.
    """
    with one_line(path), contextlib.closing(open_results(path)) as connection:
        connection.execute("BEGIN")  # one state of the file for all that follows
        rows = connection.execute
        meta = {key: json.loads(value) for key, value in rows("SELECT key, value FROM meta")}
        entries = rows("SELECT label, cheats FROM entries ORDER BY entry").fetchall()
        line_ups, players = rows("SELECT MAX(line_up) + 1, MAX(place) + 1 FROM line_ups").fetchone()
        (deals,) = rows("SELECT COUNT(*) / ? FROM blocks", (line_ups,)).fetchone()
        if deals == 0:
            raise StoreError(f"{path} holds no complete deal yet: resume the tournament first")
        until = (deals * line_ups,)
        games, rounds, blocked_rounds = rows(_GAMES, until).fetchone()
        messages = rows(_FAULTS, until).fetchall()
        spent = [Spent(d or 0, n or 0, s or 0.0) for d, n, s in rows(_COSTS, until)]
        digest = _digest(connection)
        sums = _integers(rows(_TALLY, until), 6)
        by_seat = _integers(rows(_SEATS, until), 3)
        by_blocked = _integers(rows(_BLOCKED, {"until": until[0], "players": players}), 7)
        finishes = _finishes(rows(_FINISHES, until), line_ups)
    labels, cheats = [label for label, _ in entries], [bool(sees) for _, sees in entries]
    tally = np.zeros((4, deals, line_ups, len(labels)), np.int64)
    tally[:, sums[:, 0] // line_ups, sums[:, 0] % line_ups, sums[:, 1]] = sums[:, 2:].T
    blocked = np.zeros((deals * line_ups, len(labels), 5), np.int64)
    blocked[by_blocked[:, 0], by_blocked[:, 1]] = by_blocked[:, 2:]
    faults = [sum(n for who, _, n in messages if who == label) for label in labels]
    return Results(
        meta, labels, cheats, line_ups, games, rounds, blocked_rounds, faults, messages, spent,
        digest,
        Tally(players, *tally),
        by_seat[:, 2].reshape(deals, line_ups, players).sum(axis=1),
        blocked.reshape(deals, line_ups, len(labels), 5),
        finishes,
    )  # fmt: skip


def repeated_games(path: Path, same_as: NDArray[np.int64]) -> int:
    """Games that were played with another deal already: the same agents came to the same points.

    Two equal deals make equal games, if the agents play alike.

    Args:
        path: of a results file.
        same_as: (D,), the first deal that was dealt alike, of each deal.

    Raises:
        StoreError: as `load`.
    """
    repeated = 0
    with one_line(path), contextlib.closing(open_results(path)) as connection:
        for original in np.unique(same_as[same_as != np.arange(len(same_as))]).tolist():
            seen: set[str] = set()
            for deal in np.flatnonzero(same_as == original).tolist():
                games = [outcome for (outcome,) in connection.execute(_OUTCOMES, (deal,))]
                repeated += sum(outcome in seen for outcome in games)
                seen.update(games)
    return repeated


def farthest_apart(path: Path, one: int, other: int, count: int, blocks: int) -> list[Game]:
    """The games in which the points of two entries differ most, the farthest first.

    Games in which an agent forfeited are left out, and those in which the two are level.

    Args:
        path: of a results file.
        one: an entry.
        other: another one.
        count: games, at most.
        blocks: only games of so many blocks, the first ones.

    Raises:
        StoreError: as `load`.
    """
    asked = {"one": one, "other": other, "count": count, "until": blocks}
    with one_line(path), contextlib.closing(open_results(path)) as connection:
        places = [row[:2] for row in connection.execute(_APART, asked)]
        sheets = [connection.execute(_SHEET, place).fetchall() for place in places]
    return [
        Game(*place, *zip(*sheet, strict=True)) for place, sheet in zip(places, sheets, strict=True)
    ]


def _integers(rows: Iterable[tuple[int, ...]], columns: int) -> NDArray[np.int64]:
    """Rows of whole numbers as an array, without a list of them all."""
    return np.fromiter(rows, np.dtype((np.int64, columns)))


def _finishes(rows: Iterable[tuple[int, str]], line_ups: int) -> Finishes:
    number: dict[str, int] = {}
    games = ((block // line_ups, number.setdefault(text, len(number))) for block, text in rows)
    deal, kind = _integers(games, 2).T
    return Finishes([_finish(text) for text in number], deal, kind)


def _finish(text: str) -> Finish:
    pairs = (seat.split() for seat in text.split(","))
    return tuple((int(entry), int(rank)) for entry, rank in pairs)


def _digest(connection: sqlite3.Connection) -> str:
    rows = connection.execute
    found = hashlib.sha256()
    for (table,) in rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"):
        columns = [name for _, name, *_ in rows(f"PRAGMA table_info({table})")]
        kept = [name for name in columns if (table, name) not in MEASURED]
        found.update(f"{table} {kept}\n".encode())
        order = ", ".join(str(place) for place in range(1, len(kept) + 1))
        for row in rows(f"SELECT {', '.join(kept)} FROM {table} ORDER BY {order}"):
            found.update(f"{row}\n".encode())
    return found.hexdigest()
