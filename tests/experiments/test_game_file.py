"""Records of whole matches and tournaments, in files that can be read back and resumed."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest
import recorded
from terminal import run

import agents
from chickenfoot_env import batch
from experiments import game_file, match
from experiments.game_file import GameFileError
from experiments.tournament import runner
from experiments.tournament.spec import TournamentSpec

SPEC = TournamentSpec(("greedy", "random", "random"), recorded.SMALL, 4, 7)


def test_a_match_is_recorded_as_it_was_played() -> None:
    """The same points from the records alone, forced actions and shorter games included."""
    dealt = batch.deal(recorded.SMALL, np.arange(20, dtype=np.uint64), 3)
    line_up = [agents.make(name) for name in recorded.NAMES]
    decisions: list[np.ndarray] = []
    played = dealt.copy()
    match.play(line_up, played, np.arange(20, dtype=np.uint64), decisions=decisions)
    found = game_file.record_games(
        recorded.SMALL, dealt, decisions, [[f"{row}", "b", "c"] for row in range(20)]
    )
    for row, game in enumerate(found):
        *_, last = game.replay()
        assert last.tobytes() == played[row : row + 1].tobytes()
        assert game.line_up == (f"{row}", "b", "c")


class Crashing:
    """Fails on its first question in every game."""

    name = "crashing"

    def act(self, views: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        raise RuntimeError("out of order")


def test_a_game_with_a_forfeit_is_recorded_as_it_was_played() -> None:
    """With what was done in place of the seat at fault."""
    dealt = batch.deal(recorded.SMALL, np.arange(4, dtype=np.uint64))
    line_up = [agents.make("greedy"), Crashing(), agents.make("greedy")]
    decisions: list[np.ndarray] = []
    faults: list[match.Fault] = []
    played = dealt.copy()
    seeds = np.arange(4, dtype=np.uint64)
    match.play(line_up, played, seeds, faults, decisions=decisions)
    assert len(faults) == 4
    found = game_file.record_games(recorded.SMALL, dealt, decisions, [("a", "b", "c")] * 4)
    for row, game in enumerate(found):
        *_, last = game.replay()
        assert last.tobytes() == played[row : row + 1].tobytes()


def test_recording_changes_nothing(tmp_path: Path) -> None:
    dealt = batch.deal(recorded.SMALL, np.arange(5, dtype=np.uint64))
    line_up = [agents.make(name) for name in recorded.NAMES]
    with_record = dealt.copy()
    match.play(line_up, dealt, np.arange(5, dtype=np.uint64))
    match.play(line_up, with_record, np.arange(5, dtype=np.uint64), decisions=[])
    assert dealt.tobytes() == with_record.tobytes()


def points(results: Path) -> dict[tuple[int, int], list[int]]:
    """The points of each game in the results file, by block and rotation."""
    connection = sqlite3.connect(results)
    found: dict[tuple[int, int], list[int]] = {}
    for block, rotation, value in connection.execute(
        "SELECT block, rotation, points FROM seats ORDER BY block, rotation, seat"
    ):
        found.setdefault((block, rotation), []).append(value)
    connection.close()
    return found


def test_a_tournament_writes_a_record_of_every_game(tmp_path: Path) -> None:
    """In the order of blocks and rotations, with the names of the entries."""
    results, file = tmp_path / "results.sqlite", tmp_path / "new" / "games.jsonl"
    runner.run(SPEC, results, games=file)
    found = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [game["points"] for game in found] == list(points(results).values())
    assert {tuple(sorted(game["line_up"])) for game in found} == {("greedy", "random", "random#2")}
    assert len([*game_file.read_games(file)]) == 12


def test_the_command_line_keeps_the_games_of_a_tournament(tmp_path: Path) -> None:
    """And its figures are the same with and without."""
    small = ["--agents", "greedy,random", "--players", "2", "--deals", "2", "--rules", "rounds=9"]
    file = tmp_path / "games.jsonl"
    kept = run("tournament", *small, "--out", tmp_path / "kept", "--games", file, "--json")
    plain = run("tournament", *small, "--out", tmp_path / "plain", "--json")
    digests = [json.loads(done.stdout)["digest"] for done in (kept, plain)]
    assert digests[0] == digests[1]
    assert len([*game_file.read_games(file)]) == 4


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("torn", ["", '{"half a', "whole\n"])
def test_a_resumed_tournament_has_the_same_records(tmp_path: Path, torn: str) -> None:
    """Whatever was behind the last block on record when it stopped."""
    whole, file = tmp_path / "whole.jsonl", tmp_path / "games.jsonl"
    runner.run(SPEC, tmp_path / "whole.sqlite", games=whole)

    def stop(done: int, blocks: int) -> None:
        if done == 2:
            raise StoppedError

    results = tmp_path / "results.sqlite"
    with pytest.raises(StoppedError):
        runner.run(SPEC, results, games=file, progress=stop, batch_size=1)
    with file.open("a", encoding="utf-8") as end:
        end.write(torn)
    runner.run(SPEC, results, games=file, resume=True)
    assert file.read_bytes() == whole.read_bytes()


def test_records_that_do_not_go_with_the_results_are_refused(tmp_path: Path) -> None:
    results, file = tmp_path / "results.sqlite", tmp_path / "games.jsonl"
    file.write_text("something else\n", encoding="utf-8")
    with pytest.raises(GameFileError, match="exists: give --games a file that does not"):
        runner.run(SPEC, results, games=file)
    assert not results.exists() and file.read_text(encoding="utf-8") == "something else\n"
    runner.run(SPEC, results)
    with pytest.raises(GameFileError, match="has 1 of the 12 games that were played before"):
        runner.run(SPEC, results, games=file, resume=True)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Three games, with an empty line between them."""
    path = tmp_path / "games.jsonl"
    lines = [game.to_json() for game in recorded.games(seeds=(1, 2, 3))]
    path.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_games_are_counted_from_one(file: Path) -> None:
    assert [game_file.read_game(file, number).seed for number in (1, 2, 3)] == [1, 2, 3]
    for number in (0, 4):
        with pytest.raises(GameFileError, match=rf"^game {number} of .*: there are games 1 to 3$"):
            game_file.read_game(file, number)


def test_a_wrong_record_is_told_with_its_line_and_action(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    head, middle, tail = text.split("\n\n")
    first = json.loads(middle)["rounds"][0]["actions"].split()[0]
    file.write_text("\n\n".join([head, middle.replace(first, "PASS", 1), tail]), encoding="utf-8")
    assert game_file.read_game(file, 1).seed == 1
    with pytest.raises(GameFileError, match=r", line 3: action 0: action .* \(PASS\) is illegal"):
        game_file.read_game(file, 2)
    with pytest.raises(GameFileError, match="line 3"):
        list(game_file.read_games(file))


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "holds no game"), (b"\xff\xfe", "is not text"), (b"[1]\n", "line 1: no game")],
)
def test_files_of_something_else(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(content)
    with pytest.raises(GameFileError, match=said):
        game_file.read_game(path, 1)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(GameFileError, match="No such file"):
        game_file.read_game(tmp_path / "games.jsonl", 1)
    (tmp_path / "taken").touch()
    with pytest.raises(GameFileError, match="cannot use"):
        game_file.write_game(tmp_path / "taken" / "games.jsonl", recorded.game())


def test_a_game_is_written_in_place_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "new" / "game.jsonl"
    for game in recorded.games(seeds=(1, 2)):
        game_file.write_game(path, game)
        assert [*game_file.read_games(path)] == [game]
    assert [*path.parent.iterdir()] == [path]
