"""The command line, run as a user runs it."""

from __future__ import annotations

import contextlib
import json
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from made_results import Made

from experiments import results

SMALL = ["--players", "3", "--rules", "max_pip=6,hand_size=5,rounds=6/5"]
QUICK = ["tournament", "--agents", "greedy,random,random", "--deals", "4", "--seed", "7", *SMALL]
LONG = ["tournament", "--agents", "greedy,random", "--deals", "60", "--seed", "7"]
ONE_BY_ONE = ["--batch-size", "1"]


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "experiments.cli", *map(str, arguments)]


def run(*arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture(scope="module")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """The folder of a finished tournament, and what it printed on stdout and stderr."""
    out = tmp_path_factory.mktemp("played") / "out"
    done = run(*QUICK, "--out", out)
    return out, done.stdout, done.stderr


@pytest.fixture
def played(first_run: tuple[Path, str, str]) -> tuple[Path, str]:
    """The folder of a finished tournament, and the leaderboard that it printed."""
    return first_run[:2]


def error(*arguments: str | Path) -> str:
    """The one line of a command that is refused."""
    done = run(*arguments, code=2)
    assert done.stdout == ""
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("chickenfoot: error: ")
    return line


def test_tournament_shows_a_leaderboard(played: tuple[Path, str]) -> None:
    out, printed = played
    assert sorted(path.name for path in out.iterdir()) == ["report.html", "results.sqlite"]
    for word in ("greedy", "random#2", "95 % interval", "faults", str(out / "report.html")):
        assert word in printed
    assert "12 games" in printed


def test_plan_and_progress_go_to_stderr(first_run: tuple[Path, str, str]) -> None:
    _, _, told = first_run
    assert "12 games of 2 rounds: 4 deals x 1 line-up x 3 rotations" in told
    assert "4/4 blocks" in told and "rounds/s" in told


def test_json_is_one_object_on_stdout(tmp_path: Path) -> None:
    figures = json.loads(run(*QUICK, "--out", tmp_path, "--json").stdout)
    assert (figures["players"], figures["deals"], figures["blocks"]) == (3, 4, 4)
    assert figures["rules"]["rounds"] == [6, 5]
    assert {agent["name"] for agent in figures["agents"]} == {"greedy", "random", "random#2"}
    assert figures["results"] == str(tmp_path / "results.sqlite")


def test_report_of_a_file(played: tuple[Path, str]) -> None:
    out, printed = played
    page = out / "report.html"
    before = page.read_bytes()
    page.unlink()
    figures = json.loads(run("report", out / "results.sqlite", "--json").stdout)
    assert not page.exists()
    assert len(figures["agents"]) == 3
    assert run("report", out / "results.sqlite").stdout == printed
    assert page.read_bytes() == before


def test_the_command_of_a_report_gives_the_same_file(
    played: tuple[Path, str], tmp_path: Path
) -> None:
    out, _ = played
    words = shlex.split(results.load(out / "results.sqlite").meta["command"])
    run(*words[1:], "--out", tmp_path)
    assert (tmp_path / "results.sqlite").read_bytes() == (out / "results.sqlite").read_bytes()


def test_agents_are_listed() -> None:
    printed = run("agents").stdout
    assert all(name in printed for name in ("random", "greedy", "heuristic"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agents", "greedy,nobody"], "no agent called 'nobody'"),
        (["--agents", "greedy"], "repeat it: greedy,greedy"),
        (["--agents", "greedy:x=1,random"], "option"),
        (["--players", "8"], "8 players x 7 tiles"),
        (["--players", "1"], "players=1"),
        (["--deals", "0"], "deals=0"),
        (["--deals", "many"], "--deals"),
        (["--seed", "-1"], "seed=-1"),
        (["--batch-size", "0"], "batch_size=0"),
        (["--rules", "toes=9"], "toes=9"),
        (["--rules", "nonsense"], "no rules called 'nonsense'"),
        (["--color", "red"], "--color"),
    ],
)
def test_bad_options_are_one_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    assert message in error("tournament", "--out", tmp_path / "out", *arguments)
    assert list(tmp_path.iterdir()) == []


def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot write to the folder" in error(*QUICK, "--out", tmp_path / "file" / "out")


def test_existing_results_without_resume(played: tuple[Path, str]) -> None:
    out, _ = played
    before = (out / "results.sqlite").read_bytes()
    assert "add --resume to go on" in error(*QUICK, "--out", out)
    assert (out / "results.sqlite").read_bytes() == before


def test_results_of_other_rules(played: tuple[Path, str]) -> None:
    out, _ = played
    rules = ["--rules", "max_pip=6,hand_size=5,rounds=6/5,toes=2"]
    assert "toes is 3 there and 2 here" in error(*QUICK, *rules, "--out", out, "--resume")


def test_results_of_another_version(made: Made) -> None:
    path = made(["a", "b"], 2, [[[1, 2]]])
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 7")
    connection.close()
    assert "schema version 7" in error("report", path)


def test_file_that_is_no_results_file(tmp_path: Path) -> None:
    assert "there is no results file" in error("report", tmp_path / "none.sqlite")
    (tmp_path / "text").write_text("points " * 99)
    assert "not a results file" in error("report", tmp_path / "text")


def test_finished_run_is_only_shown_when_resumed(played: tuple[Path, str]) -> None:
    out, printed = played
    before = (out / "results.sqlite").read_bytes()
    assert run(*QUICK, "--out", out, "--resume").stdout == printed
    assert (out / "results.sqlite").read_bytes() == before


@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGKILL])
def test_stopped_run_is_resumed_to_the_same_bytes(tmp_path: Path, kill: signal.Signals) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    run(*LONG, "--out", whole)
    stopped = subprocess.Popen(
        command(*LONG, *ONE_BY_ONE, "--out", cut), stderr=subprocess.PIPE, text=True
    )
    _wait_for_blocks(stopped, cut / "results.sqlite", 3)
    stopped.send_signal(kill)
    _, told = stopped.communicate(timeout=60)
    assert stopped.returncode == (130 if kill == signal.SIGINT else -kill)
    assert 3 <= len(results.load(cut / "results.sqlite").tally.games) < 60
    assert not (cut / "report.html").exists()
    if kill == signal.SIGINT:
        assert [path.name for path in cut.iterdir()] == ["results.sqlite"]
        (line,) = [line for line in told.splitlines() if "To go on: " in line]
        assert line.endswith(f"--seed 7 --out {cut} --resume")
    run(*LONG, "--out", cut, "--resume")
    assert sorted(path.name for path in cut.iterdir()) == ["report.html", "results.sqlite"]
    for name in ("results.sqlite", "report.html"):
        assert (cut / name).read_bytes() == (whole / name).read_bytes()


def test_help_imports_nothing_slow() -> None:
    code = (
        "import sys; from experiments import cli; sys.argv = ['chickenfoot', '--help']; "
        "cli._exit_code(); slow = {'numpy', 'numba', 'scipy', 'matplotlib', 'torch'}; "
        "sys.exit(str(slow & set(sys.modules)) if slow & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_tournament_runs_without_matplotlib_until_its_report() -> None:
    """Plots are drawn by the report alone."""
    code = (
        "import sys, experiments.tournament, experiments.report; "
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unexpected_errors_are_one_line_too(made: Made) -> None:
    """A page that cannot be written is no bad input, and no traceback."""
    path = made(["a", "b"], 2, [[[1, 2]]])
    (path.parent / "report.html").mkdir()
    done = run("report", path, code=1)
    assert done.stderr.startswith("chickenfoot: error: IsADirectoryError")


def _wait_for_blocks(process: subprocess.Popen[str], path: Path, blocks: int) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(sqlite3.Error):
            connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
            with contextlib.closing(connection):
                if connection.execute("SELECT COUNT(*) FROM blocks").fetchone()[0] >= blocks:
                    return
        time.sleep(0.01)
    pytest.fail(f"no {blocks} blocks in {path}; exit code {process.poll()}")
