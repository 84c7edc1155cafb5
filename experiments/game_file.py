"""Files of game records: one line of JSON a game, as `chickenfoot_env.transcript` describes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import batch
from chickenfoot_env.game import GAME_OVER
from chickenfoot_env.notation import NotationError
from chickenfoot_env.rules import Rules
from chickenfoot_env.transcript import Transcript


class GameFileError(ValueError):
    """A file of games that cannot be read, or a game in it that is wrong; one line says why."""


def record_games(
    rules: Rules,
    dealt: NDArray[np.void],
    decisions: Sequence[NDArray[np.int64]],
    line_ups: Sequence[Sequence[str]],
) -> list[Transcript]:
    """The games of a match, each from its deal to its end.

    Args:
        rules: of all games.
        dealt: (B,) GAME as `match.play` was handed them, or finished: seed and stride are read.
        decisions: what `match.play` wrote, (B,) int64 a tick.
        line_ups: the names in seat order, for each game.
    """
    chosen = np.array(decisions, np.int64).reshape(-1, len(dealt))
    return [
        Transcript(
            rules,
            int(game["seed"]),
            int(game["draw_stride"]),
            tuple(names),
            tuple(_with_forced(rules, game, chosen[:, row].tolist())),
        )
        for row, (game, names) in enumerate(zip(dealt, line_ups, strict=True))
    ]


def _with_forced(rules: Rules, game: np.void, decisions: Sequence[int]) -> Iterator[int]:
    """The decisions of one game, and the actions that were forced between them."""
    games = batch.deal(rules, np.array([game["seed"]], np.uint64), int(game["draw_stride"]))
    left = iter(decisions)
    while games["over"][0] != GAME_OVER:
        legal = np.flatnonzero(batch.legal_mask(games)[0])
        action = int(legal[0]) if len(legal) == 1 else next(left)
        yield action
        batch.step(games, np.array([action]))


def read_game(path: Path, number: int) -> Transcript:
    """One game of a file, replayed and checked; games are counted from 1, empty lines are none.

    Raises:
        GameFileError: if there is no such file or game, or its record is wrong.
    """
    count = 0
    for line_number, line in _lines(path):
        count += 1
        if count == number:
            return _game(path, line_number, line)
    if count == 0:
        raise GameFileError(f"{path} holds no game")
    raise GameFileError(f"game {number} of {path}: there are games 1 to {count}")


def read_games(path: Path) -> Iterator[Transcript]:
    """Every game of a file, replayed and checked.

    Raises:
        GameFileError: as `read_game`, at the first record that is wrong.
    """
    for line_number, line in _lines(path):
        yield _game(path, line_number, line)


def write_game(path: Path, game: Transcript) -> None:
    """Write a file with this game alone, in place of the old one if there is one.

    Raises:
        GameFileError: if it cannot be written; the old file is as before.
    """
    part = path.with_name(path.name + ".part")
    with _one_line(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(game.to_json() + "\n", encoding="utf-8")
        os.replace(part, path)


def begin(path: Path, games: int) -> None:
    """Prepare a file for a tournament's records: behind its first `games` lines others will come.

    Lines behind them are cut off; they are of games that will be played again.

    Raises:
        GameFileError: if the file has fewer lines, or there is one where none is wanted.
    """
    if games == 0:
        if path.exists() and (not path.is_file() or path.stat().st_size > 0):
            raise GameFileError(f"{path} exists: give --games a file that does not, or remove it")
        with _one_line(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        return
    size = count = 0
    with _one_line(path), path.open("rb") as file:
        for line in file:
            if count == games or not line.endswith(b"\n"):
                break
            size, count = size + len(line), count + 1
    if count < games:
        raise GameFileError(
            f"{path} has {count} of the {games} games that were played before: go on without "
            "--games, or begin anew elsewhere"
        )
    with _one_line(path):
        os.truncate(path, size)


def append(path: Path, lines: Sequence[str]) -> None:
    """Add records to a file that `begin` has prepared.

    Raises:
        GameFileError: if they cannot be written.
    """
    with _one_line(path), path.open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, with their numbers."""
    with _one_line(path), path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield number, line


def _game(path: Path, line_number: int, line: str) -> Transcript:
    try:
        return Transcript.from_json(line)
    except NotationError as error:
        raise GameFileError(f"{path}, line {line_number}: {error}") from None


@contextlib.contextmanager
def _one_line(path: Path) -> Iterator[None]:
    """Turn what the file system complains of into one GameFileError."""
    try:
        yield
    except OSError as error:
        raise GameFileError(f"cannot use {path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise GameFileError(f"{path} is no file of games: it is not text") from None
