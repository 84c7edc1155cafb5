"""Agents in processes of their own: however one fails, it forfeits that game, and no other."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import timeless
from installed import environment, install_bad_agents, wait_for_the_end_of

import agents
from chickenfoot_env import batch, view
from chickenfoot_env.rules import Rules
from experiments import report
from experiments.isolation.guard import Guard
from experiments.isolation.limits import Limits, LimitsError
from experiments.isolation.memory import resident
from experiments.match import AgentFailedError
from experiments.tournament.runner import run
from experiments.tournament.spec import TournamentSpec

RULES = Rules(players=4, max_pip=6, hand_size=5, rounds=(6, 5))
SHORT = Limits(decision_seconds=0.5)
SMALL = Limits(decision_seconds=60, memory_mb=400)
TIME = "took longer than 0.5 s"
FAULTS = {  # agent -> what its faults say
    "raises": "raised KeyError: 'lost'",
    "leaves": "raised SystemExit: 3",
    "exits": "exited with code 3",
    "crashes": "was ended by SIGSEGV",
    "hangs": TIME,
    "spins": TIME,
    "eats": "took more than 400 MiB of memory",
    "cheats": "chose the illegal action 1000000",
    "floats": "returned float64 of shape (1,) for 1 views, not one integer a view",
    "shapes": "returned int64 of shape (1, 1) for 1 views, not one integer a view",
    "words": "returned str, not an array of integers",
    "nothing": "returned NoneType, not an array of integers",
    "closes": "closed its pipe",
    "garbles": "its process answered nonsense",
    "stops": TIME,
}
QUICK = [("raises", "cheats", "exits"), ("hangs", "spins", "stops")]
SLOW = [
    ("leaves", "floats", "shapes"),
    ("eats", "crashes", "words"),
    ("closes", "garbles", "nothing"),
]
TABLES = [
    *(pytest.param(names, id="-".join(names)) for names in QUICK),
    *(pytest.param(names, id="-".join(names), marks=pytest.mark.slow) for names in SLOW),
]


@pytest.fixture(autouse=True, scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The bad agents are installed, under their names in small letters."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(install_bad_agents(tmp_path_factory.mktemp("site")))
        yield


def spec(*names: str, deals: int = 1, limits: Limits = SMALL) -> TournamentSpec:
    return TournamentSpec(names, RULES, deals, 3, limits=limits)


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    found = connection.execute(query).fetchall()
    connection.close()
    return found


def question(count: int = 3) -> tuple[Any, Any]:
    games = batch.deal(RULES, np.arange(count, dtype=np.uint64))
    batch.play_forced(games)
    return view.observe(games, games["seat"].astype(np.int64)), np.arange(count, dtype=np.uint64)


@pytest.fixture(scope="module")
def raising(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What becomes of a table where three agents raise, played without any process."""
    path = tmp_path_factory.mktemp("raising") / "r"
    run(spec("raises", "raises", "raises", "random"), path)
    return path


@pytest.mark.parametrize("names", TABLES)
def test_every_way_to_fail_costs_that_game_alone(
    tmp_path: Path, raising: Path, names: tuple[str, ...]
) -> None:
    """The same games are forfeited, at the same ply and price, as if the agents had just raised."""
    limits = SHORT if "hangs" in names else SMALL
    run(spec(*names, "random", limits=limits), tmp_path / "r", workers=1)
    figures = report.summary(tmp_path / "r")
    told = {(fault["agent"], fault["message"]) for fault in figures["faults"]}
    assert told == {(name, FAULTS[name]) for name in names}
    for query in (
        "SELECT * FROM seats ORDER BY block, rotation, seat",
        "SELECT * FROM games ORDER BY block, rotation",
        "SELECT block, rotation, seat, round, ply, played_points FROM faults ORDER BY 1, 2, 3",
        "SELECT block, entry, decisions FROM costs ORDER BY 1, 2",
    ):
        assert rows(tmp_path / "r", query) == rows(raising, query)
    forfeited = rows(raising, "SELECT COUNT(DISTINCT rotation) FROM faults")[0][0]
    assert 0 < forfeited < 4  # the other games were played on by the same agents


def test_every_way_to_fail_has_its_table() -> None:
    assert sorted(name for names in QUICK + SLOW for name in names) == sorted(FAULTS)


def test_what_an_agent_prints_is_in_nobodys_way(tmp_path: Path) -> None:
    """Neither in the answers nor on the standard output of the command."""
    words = ["tournament", "--agents", "prints,random", "--deals", "1", "--json", "--rules"]
    words += ["rounds=9", "--players", "2", "--out", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "experiments.cli", *words],
        capture_output=True,
        text=True,
        env=environment(),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("{") and done.stdout.count("\n") == 1
    assert "thinking aloud" in done.stderr
    assert {agent["faults"] for agent in report.summary(tmp_path / "results.sqlite")["agents"]} == {
        0
    }


def test_an_agent_that_cannot_be_made_is_one_line_and_no_file(tmp_path: Path) -> None:
    with pytest.raises(agents.AgentError, match="'unmakeable' cannot be made: OSError: no weights"):
        run(spec("unmakeable", "random"), tmp_path / "out" / "r", workers=1)
    assert list(tmp_path.iterdir()) == []


def test_versions_of_others_are_on_record(tmp_path: Path) -> None:
    run(spec("first", "random", "counts:scale=2"), tmp_path / "r", workers=1)
    meta = dict(rows(tmp_path / "r", "SELECT key, value FROM meta"))
    assert meta["installed"] == '{"counts": "bad_agents 1.2", "first": "bad_agents 1.2"}'


def test_guarded_agents_play_as_they_do_unguarded(tmp_path: Path) -> None:
    """Points, decisions, simulations and records; each process counts anew."""
    names = ("counts", "greedy", "flat_mc:worlds=2", "oracle:iterations=5")
    guarded = spec(*names, limits=Limits(guard_all=True))
    for name, workers in (("guarded", 1), ("free", 0)):
        run(guarded, tmp_path / name, workers=workers, games=tmp_path / f"{name}.jsonl")
    one, other = (timeless.file_bytes(tmp_path / name) for name in ("guarded", "free"))
    assert one == other
    records = [(tmp_path / f"{name}.jsonl").read_bytes() for name in ("guarded", "free")]
    assert records[0] == records[1]


def test_a_program_plays_a_tournament(tmp_path: Path) -> None:
    """The example lays its heaviest tile, as greedy does: the results are the same."""
    program = Path(__file__).parents[2] / "examples" / "heaviest_agent.py"
    run(spec(f'process:cmd="{sys.executable} {program}"', "random"), tmp_path / "a", workers=1)
    run(spec("greedy", "random"), tmp_path / "b")
    query = "SELECT * FROM seats ORDER BY block, rotation, seat"
    assert rows(tmp_path / "a", query) == rows(tmp_path / "b", query)
    assert {agent["faults"] for agent in report.summary(tmp_path / "a")["agents"]} == {0}


def test_a_guard_goes_on_after_a_lost_process() -> None:
    views, seeds = question()
    with Guard("counts", Limits()) as guard:
        first = guard.act(views, seeds)
        counted = guard.simulations
        assert counted > 0 and guard.restarts == 0
        os.kill(guard._child.pid, 9)
        with pytest.raises(AgentFailedError, match="was ended by SIGKILL"):
            guard.act(views, seeds)
        np.testing.assert_array_equal(guard.act(views, seeds), first)
        assert guard.restarts == 1
        assert guard.simulations > counted


def test_a_counter_that_goes_down_is_a_fault() -> None:
    with Guard("counts:scale=-1", Limits()) as guard:
        with pytest.raises(AgentFailedError, match="never goes down"):
            guard.act(*question())


def test_no_views_are_no_question() -> None:
    views, seeds = question()
    with Guard("greedy", Limits()) as guard:
        assert guard.act(views[:0], seeds[:0]).shape == (0,)


def test_long_questions_are_cut_into_parts() -> None:
    views, seeds = question(3000)
    with Guard("random", Limits()) as guard:
        answers = guard.act(views, seeds)
        assert guard._at_once > 1
    np.testing.assert_array_equal(answers, agents.make("random").act(views, seeds))


def test_a_guarded_process_ends_with_whoever_started_it() -> None:
    """Also where it hangs in compiled code, and its parent is killed."""
    code = (
        "import test_guard as t; from experiments.isolation.guard import Guard\n"
        "guard = Guard('spins', t.Limits(60, 4000)); print(guard._child.pid, flush=True)\n"
        "views, seeds = t.question(); views['points'][:, 0] = 1; guard.act(views, seeds)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        env=environment(Path(__file__).parent),
        text=True,
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.communicate()
    wait_for_the_end_of(pid)


def test_memory_of_descendants_counts() -> None:
    code = "x = bytearray(80 << 20); print(1, flush=True); input()"
    shell = f"{sys.executable} -c '{code}'; true"
    with subprocess.Popen(
        ["sh", "-c", shell], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert 80 << 20 < resident(process.pid) < 200 << 20
        process.communicate(b"\n")
    assert resident(process.pid) == 0


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"decision_seconds": 0}, "decision_seconds=0: allowed are numbers above 0"),
        ({"decision_seconds": float("nan")}, "decision_seconds=nan"),
        ({"memory_mb": 0}, "memory_mb=0: allowed are whole numbers from 1"),
    ],
)
def test_limits_that_nothing_can_keep(limits: dict[str, Any], message: str) -> None:
    with pytest.raises(LimitsError, match=message):
        Limits(**limits)
