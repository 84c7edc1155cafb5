"""The command line, run as a user runs it."""

from __future__ import annotations

import contextlib
import inspect
import json
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
import timeless
from made_results import Made

import agents
from chickenfoot_env.presets import PRESETS
from chickenfoot_env.rules import Rules
from chickenfoot_env.rules_text import describe
from experiments import results
from experiments.cli import progress, tournaments
from experiments.tournament.spec import TournamentSpec

SMALL = ["--players", "3", "--rules", "max_pip=6,hand_size=5,rounds=6/5"]
QUICK = ["tournament", "--agents", "greedy,random,random", "--deals", "4", "--seed", "7", *SMALL]
LONG = ["tournament", "--agents", "greedy,random", "--deals", "60", "--seed", "7"]
FILES = ["report.html", "report.json", "results.sqlite"]
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
    assert sorted(path.name for path in out.iterdir()) == FILES
    for word in ("greedy", "random#2", "95 % interval", "faults", str(out / "report.html")):
        assert word in printed
    assert "12 games" in printed


def test_plan_and_progress_go_to_stderr(first_run: tuple[Path, str, str]) -> None:
    _, _, told = first_run
    assert "12 games of 2 rounds: 4 deals x 1 line-up x 3 rotations" in told
    assert "4/4 blocks" in told and "rounds/s" in told


def test_progress_is_told_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In lines, not too many; half a minute before the first block is not in the rate."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    spec = TournamentSpec(("random", "random"), Rules(players=2, rounds=(9,)), 10, 1)
    with progress.of_blocks(spec) as tell:
        tell(0, 10)
        now[0] += 30
        for done in range(1, 11):
            now[0] += 2
            tell(done, 10)
    told = [line.removeprefix("chickenfoot: ") for line in capsys.readouterr().err.splitlines()]
    assert told[1].startswith("getting ready")
    assert [line.split()[0] for line in told[2:5]] == ["1/10", "4/10", "7/10"]
    assert told[3] == "4/10 blocks 1 rounds/s 0:00:12 left"
    assert "10/10 blocks" in told[-1]


def test_json_is_one_object_on_stdout(tmp_path: Path) -> None:
    figures = json.loads(run(*QUICK, "--out", tmp_path, "--json").stdout)
    assert (figures["players"], figures["deals"], figures["blocks"]) == (3, 4, 4)
    assert figures["rules"]["rounds"] == [6, 5]
    assert {agent["name"] for agent in figures["agents"]} == {"greedy", "random", "random#2"}
    assert figures["results"] == str(tmp_path / "results.sqlite")
    assert all(agent["decisions"] > 0 < agent["ms_per_decision"] for agent in figures["agents"])
    assert {agent["simulations_per_decision"] for agent in figures["agents"]} == {0}


def test_report_json_holds_the_figures(played: tuple[Path, str]) -> None:
    out, _ = played
    held = json.loads((out / "report.json").read_text(encoding="utf-8"))
    printed = json.loads(run("report", out / "results.sqlite", "--json").stdout)
    assert held == {**printed, "results": "results.sqlite"}


def test_a_tournament_that_stops_when_decided_says_so_and_is_played_again(tmp_path: Path) -> None:
    asked = ["tournament", "--agents", "greedy,random", "--deals", "400", "--seed", "7", *SMALL]
    asked += ["--until-decided", "greedy,random", "--margin-bounds", "0,8", "--fewest-deals", "20"]
    printed = run(*asked, "--out", tmp_path / "one").stdout
    (verdict,) = [line for line in printed.splitlines() if line.startswith("Decided after")]
    assert "greedy beats random by 8 points a game rather than 0: LLR" in verdict
    held = json.loads((tmp_path / "one" / "report.json").read_text(encoding="utf-8"))
    assert 20 <= held["decision"]["deals"] == held["deals"] < 400
    assert held["decision"]["verdict"] == verdict
    run(*shlex.split(held["command"])[1:], "--out", tmp_path / "two")
    one, two = (timeless.file_bytes(tmp_path / f / "results.sqlite") for f in ("one", "two"))
    assert one == two
    page = (tmp_path / "one" / "report.html").read_text(encoding="utf-8")
    assert verdict in page and "Interrupted" not in page


@pytest.mark.parametrize(
    ("options", "blocks", "games"),
    [
        (["--format", "gauntlet", "--seatings", "permutations"], 2, 3),
        (["--format", "self-play"], 3, 3),
    ],
)
def test_formats_are_played_again_by_their_command(
    options: list[str], blocks: int, games: int, tmp_path: Path
) -> None:
    asked = ["tournament", "--agents", "greedy,random,heuristic", "--deals", "2", *SMALL]
    found = json.loads(run(*asked, *options, "--out", tmp_path / "one", "--json").stdout)
    assert (found["blocks"], found["games"]) == (2 * blocks, 2 * blocks * games)
    run(*shlex.split(found["command"])[1:], "--out", tmp_path / "two")
    one, two = (timeless.file_bytes(tmp_path / f / "results.sqlite") for f in ("one", "two"))
    assert one == two


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
    again, first = (timeless.file_bytes(f / "results.sqlite") for f in (tmp_path, out))
    assert again == first


def test_agents_are_listed_with_their_options() -> None:
    _, *lines = (line.split(maxsplit=1) for line in run("agents").stdout.splitlines())
    told = dict(lines)
    assert tuple(told) == (*agents.names(), "process")
    assert told.pop("process").rstrip().endswith("cmd=...")
    for name, line in told.items():
        assert agents.DESCRIPTIONS[name] in line
        options = line.removeprefix(agents.DESCRIPTIONS[name]).strip()
        if options == "-":
            assert agents.options(name) == {}
        else:  # as they may be typed, and the defaults
            assert agents.make(f"{name}:{options.replace(' ', '')}").name == agents.make(name).name
            assert options.count("=") == len(agents.options(name))


def test_make_and_the_command_line_have_the_same_tournament() -> None:
    makefile = (Path(__file__).parents[2] / "Makefile").read_text(encoding="utf-8")
    made = dict(re.findall(r"^(AGENTS|PLAYERS|DEALS) +\?= (.*)$", makefile, flags=re.MULTILINE))
    asked = inspect.signature(tournaments.tournament).parameters
    assert made == {name: str(asked[name.lower()].default) for name in made}
    assert len(made) == 3


def test_the_tournament_of_the_command_line_seats_a_search_agent() -> None:
    default = inspect.signature(tournaments.tournament).parameters["agents"].default
    assert default.split(",") == ["mcts", "heuristic", "greedy", "random"]


def test_a_cheat_is_marked_as_the_yardstick(tmp_path: Path) -> None:
    """From the agent by way of the file to the leaderboard, the page and the JSON."""
    names = ["--agents", "oracle:iterations=1,random,random", "--deals", "2"]
    printed = run("tournament", *names, *SMALL, "--out", tmp_path).stdout
    assert "oracle:iterations=1 †" in printed and "random †" not in printed
    assert "\n† sees hidden tiles: a yardstick, no competitor" in printed
    figures = json.loads(run("report", tmp_path / "results.sqlite", "--json").stdout)
    assert [agent["cheats"] for agent in figures["agents"]] == [False, False, True]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "oracle:iterations=1 †</td>" in page


def test_rules_are_listed() -> None:
    lines = run("rules").stdout.splitlines()[1:]
    assert [line.split()[0] for line in lines] == list(PRESETS)
    (line,) = [line for line in lines if line.startswith("puremco ")]
    assert "2 to 8" in line and PRESETS["puremco"].title in line


def test_rules_are_told_with_source_assumptions_and_differences() -> None:
    told = run("rules", "puremco,toes=2", "--players", "5").stdout
    for sentence in describe(Rules.preset("puremco", players=5, toes=2)):
        assert f"- {sentence}\n" in told
    for text in (PRESETS["puremco"].source, *PRESETS["puremco"].assumed, "changed: toes"):
        assert text in told
    for change in ("hand_size is 8, not 7", "toes is 2, not 3", "draw_when_stuck is may, not must"):
        assert f"- {change}\n" in told
    assert "players is" not in told


@pytest.mark.parametrize(
    ("name", "players", "counts"),
    [
        ("seed", 4, "2 to 7"),
        ("pagat_d6", 2, "2 to 3"),
        ("seed,max_pip=12", 4, "2 to 12"),
        ("hand_size=20", 2, "2 to 2"),
    ],
)
def test_rules_are_told_for_four_players_or_the_fewest(
    name: str, players: int, counts: str
) -> None:
    told = run("rules", name).stdout
    assert f"- {players} players with" in told
    assert f"players: {counts}\n" in told


def test_the_seed_rules_are_said_to_be_those_of_seed() -> None:
    assert run("rules", "seed").stdout.endswith("The rules are those of seed.\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["puremco", "--players", "9"], "not for 9 players; it covers 2, 3, 4, 5, 6, 7, 8"),
        (["pagat_d6", "--players", "4"], "pagat_d6 is not for 4 players; it covers 2, 3"),
        (["seed", "--players", "8"], "what fits: at most 7 players"),
        (["seed_large", "--players", "13"], "players=13: allowed are whole numbers from 2 to 12"),
        (["nope"], "no rules called 'nope'; there are seed, "),
        (["pagat_d6,toes=9"], "toes=9"),
        (["seed,plays_per_turn=2"], "plays_per_turn: several plays a turn are not supported"),
        (["--players", "3"], "--players goes with the name of rules"),
    ],
)
def test_rules_that_there_are_not(arguments: list[str], message: str) -> None:
    assert message in error("rules", *arguments)


def test_presets_are_played_at_tables_that_they_are_for(tmp_path: Path) -> None:
    table = ["--rules", "puremco", "--players", "5", "--deals", "1", "--out", tmp_path / "out"]
    figures = json.loads(run("tournament", "--agents", "greedy,random", *table, "--json").stdout)
    assert (figures["rules"]["hand_size"], figures["rules"]["starter_arms"]) == (8, 6)
    table[3] = "9"
    assert "puremco is not for 9 players" in error("tournament", *table)


def test_plan_of_a_game_to_a_target_says_at_most(tmp_path: Path) -> None:
    rules = [*QUICK[:-1], f"{SMALL[-1]},target_points=1"]
    assert "12 games of at most 2 rounds" in run(*rules, "--out", tmp_path).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agents", "greedy,nobody"], "no agent called 'nobody'"),
        (["--format", "swiss"], "format='swiss': allowed are free-for-all"),
        (["--until-decided", "greedy"], "wanted are two agents"),
        (["--until-decided", "greedy,mcts", "--margin-bounds", "2"], "wanted are two numbers"),
        (["--until-decided", "greedy,mcts", "--margin-bounds", "2,0"], "the smaller first"),
        (["--until-decided", "greedy,mcts"], "nothing is decided before 200 deals"),
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
        (["--rules", "pagat_d6"], "pagat_d6 is not for 4 players; it covers 2, 3"),
        (["--rules", "last_tile_call=1"], "last_tile_call: calling the last tile is not supported"),
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
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    assert "schema version 1, and this version of the program reads 2" in error("report", path)


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
        command(*LONG, *ONE_BY_ONE, "--out", cut),
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # even in background
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
    assert sorted(path.name for path in cut.iterdir()) == FILES
    for part, of in ((timeless.file_bytes, "results.sqlite"), (timeless.page, "report.html")):
        assert part(cut / of) == part(whole / of)
    digests = [
        json.loads(run("report", folder / "results.sqlite", "--json").stdout)["digest"]
        for folder in (cut, whole)
    ]
    assert digests[0] == digests[1]


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
