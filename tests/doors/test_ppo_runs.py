"""Training runs in their folders: interrupted, gone on with, damaged, and what they leave."""

from __future__ import annotations

import csv
import dataclasses
import gc
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch  # these are not installed everywhere

import agents
from agents.ppo import policy_file
from agents.ppo.agent import SHIPPED
from experiments import cli
from experiments.training import checkpoint, run
from experiments.training.run import Run
from experiments.training.settings import Settings

torch.set_num_threads(1)

SMALL = (
    "--players 2-3 --games 16 --ticks 24 --width 8 --value-width 16 --batch 64 --worlds 2 "
    "--pool 0.5 --snapshots 3 --seed 5 --steps 3000"
)
SETTINGS = Settings(
    **{"players": "2-3", "games": 16, "ticks": 24, "width": 8, "value_width": 16, "batch": 64},
    **{"worlds": 2, "pool": 0.5, "snapshots": 3, "seed": 5, "steps": 3000},
)
SHORT = dataclasses.replace(SETTINGS, steps=500)
# A run as a user starts it, but for exams that take no time and a checkpoint before each update.
PROGRAM = """
import sys
from experiments import cli
from experiments.training import run
run.SAVE_EVERY, run.EXAM_EVERY, run.FINAL_DEALS = 0.0, 1e9, 10
cli.main()
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exams of few deals."""
    monkeypatch.setattr(run, "EXAM_DEALS", 10)
    monkeypatch.setattr(run, "FINAL_DEALS", 10)


def weights(folder: Path) -> dict[str, bytes]:
    arrays = policy_file.load(folder / "policy.npz").arrays
    return {name: array.tobytes() for name, array in arrays.items()}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that was never interrupted."""
    folder = tmp_path_factory.mktemp("finished") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "FINAL_DEALS", 10)
        Run(SETTINGS, folder).train()
    return folder


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a short run."""
    folder = tmp_path_factory.mktemp("saved")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "FINAL_DEALS", 10)
        Run(SHORT, folder).train()
    return folder


def started(words: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told_until(process: subprocess.Popen[str], percent: int) -> list[str]:
    """The lines on stderr up to the first that says that so much is done."""
    lines = []
    assert process.stderr is not None
    for line in process.stderr:
        lines.append(line)
        if (match := re.match(r" *(\d+)%", line)) and int(match[1]) >= percent:
            return lines
    raise AssertionError(f"it has ended too early: {lines}")


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """The command line in this process: exit code, stdout, stderr."""

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["chickenfoot", "train", "ppo", *words])
        code = cli._exit_code()
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


def refused(told: tuple[int, str, str]) -> str:
    """The one line of a command that is refused."""
    code, out, err = told
    assert (code, out) == (2, ""), err
    (line,) = err.splitlines()
    assert line.startswith("chickenfoot: error: ")
    return line


# Interruptions.


def test_interrupted_and_killed_it_ends_with_the_same_weights(
    finished: Path, tmp_path: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    """Ctrl-C in the warm-up, as it says on from there, and kill -9 behind it."""
    folder = tmp_path / "out"
    words = ["train", "ppo", *shlex.split(SMALL), "--out", str(folder)]
    process = started(words)
    told_until(process, 20)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130 and out == "" and "Traceback" not in err
    last = err.strip().splitlines()[-1]
    assert last.startswith("chickenfoot: interrupted. To go on from the last checkpoint: ")
    again = shlex.split(last.partition("checkpoint: ")[2])
    assert {*again} == {"chickenfoot", *words, "--resume"}
    process = started(again[1:])
    told_until(process, 60)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not (folder / "policy.npz").exists()
    code, out, _err = command(*again[3:])
    assert code == 0
    assert f"play it as ppo:path={folder / 'policy.npz'}" in out
    assert weights(folder) == weights(finished)
    sittings = [read_csv(folder / f"progress_{number}.csv") for number in (1, 2, 3)]
    begun = [float(rows[0]["time/decisions"]) for rows in sittings]
    assert begun == sorted({*begun})  # none began anew
    whole = read_csv(finished / "progress_1.csv")
    left = [row for row in whole if float(row["time/decisions"]) >= begun[2]]
    assert 1 < len(left) < len(whole)
    for mine, theirs in zip(sittings[2], left, strict=True):
        assert mine["rollout/return"] == theirs["rollout/return"]
        assert mine["train/loss"] == theirs["train/loss"]


def read_csv(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["time/decisions"]]


def test_a_run_without_a_checkpoint_yet_is_gone_on_with_from_its_beginning(
    saved: Path, tmp_path: Path
) -> None:
    Run(SHORT, tmp_path)
    Run(SHORT, tmp_path, resume=True).train()
    assert weights(tmp_path) == weights(saved)


def test_a_run_that_has_no_time_learns_once(tmp_path: Path) -> None:
    hurried = Run(dataclasses.replace(SETTINGS, steps=0, minutes=1e-6), tmp_path)
    before = {name: array.copy() for name, array in hurried.policy().arrays.items()}
    hurried.train()
    assert hurried.model.num_timesteps > 0
    assert any((array != before[name]).any() for name, array in hurried.policy().arrays.items())


def test_seeds_make_different_runs(saved: Path, tmp_path: Path) -> None:
    Run(dataclasses.replace(SHORT, seed=6), tmp_path).train()
    assert weights(tmp_path) != weights(saved)


@pytest.mark.parametrize(
    "settings",
    [
        Settings(learning_rate=0.000123456789, minutes=2.5, sees_all=False),
        Settings(rules="max_pip=6,hand_size=5,rounds=6/5", players="2-3", steps=7, entropy=0.0),
        SETTINGS,
    ],
    ids=range(3),
)
def test_the_command_makes_the_run_again(
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    command: Callable[..., tuple[int, str, str]],
) -> None:
    asked = []

    def stop(settings: Settings, folder: Path, **_more: Any) -> None:
        asked.append((settings, folder))
        raise ValueError("enough")

    monkeypatch.setattr(run, "Run", stop)
    words = settings.command().split(" ", 3)[3:]
    refused(command(*shlex.split(" ".join(words)), "--out", "some where"))
    assert asked == [(settings, Path("some where"))]


# The folder.


def test_a_run_leaves_what_its_page_names(finished: Path) -> None:
    names = {path.name for path in finished.iterdir()}
    assert names - {"tensorboard"} == {
        *("settings.json", "progress_1.csv", "checkpoint.pt", "policy.npz", "curves.png")
    }
    manifest = json.loads((finished / "settings.json").read_text(encoding="utf-8"))
    assert manifest["settings"] == dataclasses.asdict(SETTINGS)
    assert manifest["command"] == SETTINGS.command()
    assert {"chickenfoot", "torch", "sb3-contrib"} <= manifest["versions"].keys()
    assert manifest["machine"]["cores"] == os.cpu_count()
    rows = read_csv(finished / "progress_1.csv")
    decisions = [float(row["time/decisions"]) for row in rows]
    assert decisions == sorted(decisions) and decisions[-1] >= 3000
    for column in ("rollout/return", "train/entropy_loss", "train/explained_variance"):
        assert all(np.isfinite(float(row[column])) for row in rows if row[column])
        assert rows[-1][column]
    assert (finished / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_the_policy_tells_what_made_it_and_plays(finished: Path) -> None:
    policy = policy_file.load(finished / "policy.npz")
    told = policy.training
    assert (policy.shape.max_pip, policy.shape.width) == (9, 8)
    assert told["command"] == SETTINGS.command()
    assert 3000 <= told["decisions"] < 3400
    assert {*told["exam"]} == {f"{name}/{n}" for name in run.ANCHORS for n in (2, 3)}
    assert agents.make(f"ppo:path={finished / 'policy.npz'}").name.startswith("ppo:path=")


def test_json_is_one_object_on_stdout(
    tmp_path: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    words = shlex.split(SHORT.command())[3:]
    code, out, _err = command(*words, "--out", str(tmp_path / "out"), "--json")
    told = json.loads(out)
    assert code == 0
    assert told.keys() == {"out", "decisions", "seconds", "exam"}
    assert told["decisions"] >= 500
    assert {*told["exam"]["greedy/2"]} == {"margin", "low", "high", "p", "win_share", "deals"}


def test_exams_during_the_run_are_written_and_change_nothing(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "EXAM_EVERY", 0.0)
    monkeypatch.setattr(run, "EXAM_COSTS", 0.0)
    figures: list[dict[str, float]] = []
    Run(SHORT, tmp_path, tell=figures.append).train()
    assert weights(tmp_path) == weights(saved)
    rows = read_csv(tmp_path / "progress_1.csv")
    assert all(row["exam/greedy/2"] and row["exam/heuristic/3"] for row in rows)
    assert len(figures) == len(rows)
    assert figures[-1]["progress"] == 1.0 and "exam/greedy/2" in figures[-1]


# Folders that are not to be gone on with.


def test_a_folder_with_a_run_needs_resume_and_the_same_settings(
    finished: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    before = {path.name: path.read_bytes() for path in finished.iterdir() if path.is_file()}
    line = refused(command(*shlex.split(SMALL), "--out", str(finished)))
    assert "already holds a run; add --resume to go on with it, or choose another folder" in line
    for words, message in (
        ("--width 9", "holds a run with width=8, not 9: give it the same, or choose another"),
        ("--seed 6", "holds a run with seed=5, not 6"),
        ("--no-sees-all", "holds a run with sees_all=True, not False"),
        ("--rules puremco", "holds a run with rules='seed', not 'puremco'"),
    ):
        line = refused(
            command(*shlex.split(f"{SMALL} {words}"), "--out", str(finished), "--resume")
        )
        assert message in line
    after = {path.name: path.read_bytes() for path in finished.iterdir() if path.is_file()}
    assert after == before


@pytest.mark.parametrize("text", ["", "{", "[]", '{"settings": 3}', "{}", "\0"])
def test_damaged_settings_are_refused(
    text: str, tmp_path: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    (tmp_path / "settings.json").write_text(text, encoding="utf-8")
    line = refused(command(*shlex.split(SMALL), "--out", str(tmp_path), "--resume"))
    assert "settings.json is damaged: choose another folder" in line
    assert (tmp_path / "settings.json").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("place", "message"), [("file", "is no folder: "), ("file/in", "cannot be written, Not a dir")]
)
def test_a_folder_that_cannot_be_is_refused(
    place: str, message: str, tmp_path: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    line = refused(command(*shlex.split(SMALL), "--out", str(tmp_path / place)))
    assert f"{tmp_path / place} {message}" in line and line.endswith("with --out")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def test_a_run_that_cannot_be_made_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_memory(*arguments: object, **options: object) -> None:
        raise MemoryError

    monkeypatch.setattr("experiments.training.run.SelfPlayPPO", no_memory)
    with pytest.raises(MemoryError):
        Run(SHORT, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_more_steps_go_on_with_a_finished_run(tmp_path: Path) -> None:
    Run(SHORT, tmp_path).train()
    before = weights(tmp_path)
    again = Run(dataclasses.replace(SHORT, steps=1200), tmp_path, resume=True)
    assert again.model.num_timesteps >= 500
    again.train()
    assert again.model.num_timesteps >= 1200
    assert weights(tmp_path) != before
    assert (tmp_path / "progress_2.csv").exists()


# Checkpoints.


@pytest.fixture
def damaged(saved: Path, tmp_path: Path) -> Path:
    """A copy of it, whose checkpoint is to be spoilt."""
    for name in ("settings.json", checkpoint.FILE):
        (tmp_path / name).write_bytes((saved / name).read_bytes())
    return tmp_path


def resume(folder: Path, command: Callable[..., tuple[int, str, str]]) -> str:
    line = refused(command(*shlex.split(SHORT.command())[3:], "--out", str(folder), "--resume"))
    assert f"{folder / checkpoint.FILE} is no checkpoint of this run" in line
    return line


class Harm:
    """What runs a command when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self._marker = str(marker)

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self._marker,)


def test_nothing_in_a_checkpoint_is_executed(
    damaged: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    marker, file = damaged / "executed", damaged / checkpoint.FILE
    state = torch.load(file, weights_only=True)
    torch.save({**state, "counters": Harm(marker)}, file)
    torch.load(file, weights_only=False)
    assert marker.exists()  # so it would have been
    marker.rmdir()
    resume(damaged, command)
    assert not marker.exists()


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.999])
def test_a_truncated_checkpoint_is_refused(
    share: float, damaged: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    file = damaged / checkpoint.FILE
    whole = file.read_bytes()
    file.write_bytes(whole[: int(share * len(whole))])
    resume(damaged, command)


def fewer_games(state: dict[str, Any]) -> None:
    for name, rows in state["games"].items():
        state["games"][name] = rows[: len(rows) // 2]


def wider(state: dict[str, Any]) -> None:
    state["policy"] = {name: torch.cat([value] * 2) for name, value in state["policy"].items()}


@pytest.mark.parametrize(
    "spoil",
    [
        *(lambda s, k=key: s.pop(k) for key in ("format", "policy", "optimizer", "random")),
        *(lambda s, k=key: s.pop(k) for key in ("games", "pool", "counters", "decisions")),
        lambda state: state.update(format=2),
        lambda state: state.update(games={"games": 1, "books": 2}),
        lambda state: state.update(random=torch.zeros(3)),
        lambda state: state.update(pool=[3]),
        lambda state: state.update(optimizer={}),
        lambda state: state["games"].update(games=state["games"]["games"] * 0),
        fewer_games,
        wider,
    ],
    ids=range(16),
)
def test_a_checkpoint_of_something_else_is_refused(
    spoil: Callable[[dict[str, Any]], Any],
    damaged: Path,
    command: Callable[..., tuple[int, str, str]],
) -> None:
    file = damaged / checkpoint.FILE
    state = torch.load(file, weights_only=True)
    spoil(state)
    torch.save(state, file)
    resume(damaged, command)


def test_no_checkpoint_is_lost_while_the_next_one_is_written(
    saved: Path, monkeypatch: pytest.MonkeyPatch, damaged: Path
) -> None:
    going = Run(SHORT, damaged, resume=True)

    def full(_state: Any, path: Path) -> None:
        path.write_bytes(b"half of it")
        raise OSError("no space left")

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(OSError, match="no space left"):
        going.save()
    file = checkpoint.FILE
    assert (damaged / file).read_bytes() == (saved / file).read_bytes()


def test_a_checkpoint_brings_everything_back(tmp_path: Path) -> None:
    first = Run(dataclasses.replace(SETTINGS, steps=1500), tmp_path)
    first.train()
    random = torch.get_rng_state()
    torch.manual_seed(99)
    second = Run(dataclasses.replace(SETTINGS, steps=1500), tmp_path, resume=True)
    assert (torch.get_rng_state() == random).all()
    assert second.model.num_timesteps == first.model.num_timesteps
    assert second.model._n_updates == first.model._n_updates
    remaining = [each.model._current_progress_remaining for each in (first, second)]
    assert remaining[0] == remaining[1] < 0.2
    assert second.counters.update == first.counters.update
    assert second.counters.snapshots == first.counters.snapshots
    assert second.counters.seconds == pytest.approx(first.seconds(), abs=30.0)
    assert as_bytes(second) == as_bytes(first)
    for name, rows in first.env.games.state().items():
        assert second.env.games.state()[name].tobytes() == rows.tobytes()
    mine, theirs = (r.model.policy.optimizer.state_dict()["state"] for r in (first, second))
    assert mine.keys() == theirs.keys() and mine
    for number, each in mine.items():
        assert all((each[key] == theirs[number][key]).all() for key in each)


def as_bytes(one: Run) -> list[bytes]:
    """The policy and the snapshots."""
    every = [one.policy(), *one.pool.snapshots]
    return [b"".join(array.tobytes() for array in each.arrays.values()) for each in every]


def test_snapshots_stay_as_they_were_and_members_change(tmp_path: Path) -> None:
    seen: dict[int, bytes] = {}
    line_ups: list[tuple[str, ...]] = []

    def watch(_figures: dict[str, float]) -> None:
        for each in going.pool.snapshots:
            now = b"".join(array.tobytes() for array in each.arrays.values())
            assert seen.setdefault(id(each), now) == now
            kept.append(each)
        line_ups.append(tuple(member.name for member in going.pool.members))

    kept: list[Any] = []  # so that no number is used twice
    going = Run(SETTINGS, tmp_path, tell=watch)
    going.train()
    assert len(going.pool.snapshots) == 3
    assert len(set(seen.values())) >= 4
    assert len(set(line_ups)) >= 4 and any("ppo" in each for each in line_ups)


# Many runs in one process.


def resident() -> int:
    """Bytes of this process in memory."""
    pages = Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("count", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_runs_leave_nothing_behind_in_memory(count: int, tmp_path: Path) -> None:
    left: list[weakref.ref[Any]] = []
    sizes = []
    for number in range(count):
        one = Run(SHORT, tmp_path / str(number))
        one.train()
        left += [weakref.ref(each) for each in (one, one.model, one.env.games)]
        del one
        gc.collect()
        if Path("/proc/self/statm").exists():
            sizes.append(resident())
    assert all(each() is None for each in left)
    if len(sizes) > 3:
        assert sizes[-1] - sizes[2] < 40 * 2**20


# Beginning with weights


def test_a_run_begins_with_the_weights_of_a_file(finished: Path, tmp_path: Path) -> None:
    path = tmp_path / "first.npz"
    path.write_bytes((finished / "policy.npz").read_bytes())
    settings = dataclasses.replace(SHORT, start=str(path))
    again = Run(settings, tmp_path / "out")
    for name, array in policy_file.load(path).arrays.items():
        assert (again.policy().arrays[name] == array).all()
    again.train()
    start = policy_file.load(tmp_path / "out/policy.npz").training["start"]
    assert start["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert start["training"]["command"] == SETTINGS.command()
    path.unlink()  # not needed to go on
    longer = dataclasses.replace(settings, steps=1000)
    after = Run(longer, tmp_path / "out", resume=True)
    assert after.start == start
    assert after.model.num_timesteps >= 500


def test_a_run_from_scratch_says_so(finished: Path) -> None:
    assert policy_file.load(finished / "policy.npz").training["start"] is None


def test_a_run_can_begin_with_the_shipped_weights(tmp_path: Path) -> None:
    shape = policy_file.load(SHIPPED).shape
    settings = dataclasses.replace(SHORT, start="shipped", width=shape.width, rounds=shape.rounds)
    begun = Run(settings, tmp_path / "out").policy().arrays
    assert all((begun[name] == a).all() for name, a in policy_file.load(SHIPPED).arrays.items())


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"start": "no/such.npz"}, "no/such.npz: there is no such file of weights"),
        (
            {"start": "shipped", "width": 24, "rounds": 2},
            "but the settings ask for a network of width 24, rounds 2, horizon round, for double-9",
        ),
    ],
)
def test_weights_that_do_not_fit_are_refused_in_one_line(
    tmp_path: Path, changes: dict[str, Any], part: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(part)) as error:
        Run(dataclasses.replace(SHORT, **changes), tmp_path / "out")
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()
