"""Nothing that was finished is lost: killed runs, full disks, and files that others have."""

from __future__ import annotations

import contextlib
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import timeless
from made_results import Made, header

from experiments import report, results, store

PLAY = ["tournament", "--agents", "greedy,random", "--seed", "7", "--players", "3"]
PLAY += ["--rules", "max_pip=6,hand_size=5,rounds=6/5", "--deals", "400"]


def command(*arguments: Any) -> list[str]:
    return [sys.executable, "-m", "experiments.cli", *map(str, arguments)]


def run(*arguments: Any, **options: Any) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command(*arguments), capture_output=True, text=True, **options)
    assert "Traceback" not in done.stderr
    return done


def error(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 2 and done.stdout == ""
    (line,) = [line for line in done.stderr.splitlines() if "error: " in line]
    return line


def same_results(one: Path, other: Path) -> None:
    """Files, pages and figures, all but measured times."""
    for path in (one, other):
        names = sorted(file.name for file in path.iterdir() if "lock" not in file.name)
        assert names == ["report.html", "report.json", "results.sqlite"]
    for part, of in ((timeless.file_bytes, "results.sqlite"), (timeless.page, "report.html")):
        assert part(one / of) == part(other / of)
    assert summary(one) == summary(other)


def summary(folder: Path) -> dict[str, Any]:
    """The figures of a results file, without measured times and its own path."""
    told = report.summary(folder / "results.sqlite")
    for agent in told["agents"]:
        del agent["ms_per_decision"]
    del told["results"]
    return told


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """The folder of a run that nothing happened to, and how many seconds it took."""
    out, began = tmp_path_factory.mktemp("whole") / "out", time.monotonic()
    assert run(*PLAY, "--out", out).returncode == 0
    return out, time.monotonic() - began


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_at_any_moment_the_run_is_resumed_to_the_same_report(
    tmp_path: Path, whole: tuple[Path, float], kills: int
) -> None:
    """By SIGKILL at random moments of its life, alone and with workers, again and again."""
    cut, life = tmp_path / "cut", whole[1]
    moments, killed = random.Random(kills), 0
    while killed < kills:
        workers = ["--workers", "2"] if killed % 3 == 2 else []
        process = subprocess.Popen(
            command(*PLAY, "--out", cut, "--batch-size", 30, "--resume", *workers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(moments.uniform(0.3, 1.0) * life)
        process.kill()
        killed += process.wait() == -signal.SIGKILL
    assert run(*PLAY, "--out", cut, "--resume").returncode == 0
    same_results(cut, whole[0])


@pytest.mark.parametrize("share", [pytest.param(0.3, marks=pytest.mark.slow), 0.97])
def test_a_full_disk_is_one_line_and_the_run_goes_on_when_there_is_room(
    tmp_path: Path, whole: tuple[Path, float], share: float
) -> None:
    """A limit on the size of files, as on a full disk: a write fails, the last in the rewrite."""
    cut = tmp_path / "cut"
    most = int(share * (whole[0] / "results.sqlite").stat().st_size)

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    told = error(run(*PLAY, "--out", cut, preexec_fn=little_room))
    assert "cannot use" in told and "results.sqlite" in told
    assert run(*PLAY, "--out", cut, "--resume").returncode == 0
    same_results(cut, whole[0])


def test_a_disk_with_no_room_left_is_said_to_be_full(
    tmp_path: Path, whole: tuple[Path, float]
) -> None:
    """On a file system of 200 KB that is mounted for it, where that is allowed."""
    disk = tmp_path / "disk"
    disk.mkdir()
    words = " ".join(f"'{word}'" for word in command(*PLAY, "--out", disk / "out"))
    script = (
        f"mount -t tmpfs -o size=200k tmpfs '{disk}' || exit 99\n"
        f"{words}; echo code $?\n"
        f"mount -o remount,size=20m tmpfs '{disk}'; {words} --resume && cp -r '{disk}/out' "
        f"'{tmp_path}/out'"
    )
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True)
    if done.returncode in (1, 99) and "code" not in done.stdout:
        pytest.skip("nothing may be mounted here")
    assert "code 2" in done.stdout and "database or disk is full" in done.stderr
    assert "all blocks before are kept, to be resumed" in done.stderr
    same_results(tmp_path / "out", whole[0])


@pytest.fixture
def begun(made: Made) -> Path:
    """A results file with 500 of 501 blocks."""
    return made(["a", "b"], 2, [[[10, 20], [30, 5]]] * 500, deals=501)


def resume(path: Path) -> Any:
    return store.writing(path, header(["a", "b"], 2, 501), resume=True)


def test_a_file_that_another_program_has_locked(begun: Path) -> None:
    before = begun.read_bytes()
    other = sqlite3.connect(begun, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(store.StoreError, match=r"cannot use .*: database is locked"), resume(begun):
        pass
    other.execute("ROLLBACK")
    other.close()
    assert begun.read_bytes() == before
    with resume(begun) as writer:
        assert writer.blocks_done == 500


@pytest.mark.parametrize(
    "harm",
    [
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole[:8192] + bytes(4096) + whole[12288:],
        lambda whole: whole[:40960] + b"\xff" * 8192 + whole[49152:],
    ],
    ids=["cut", "zeros", "ones"],
)
def test_a_damaged_file_is_left_alone(begun: Path, harm: Callable[[bytes], bytes]) -> None:
    """Wherever it is damaged: a run that goes on would hide it."""
    begun.write_bytes(harm(begun.read_bytes()))
    before = begun.read_bytes()
    with pytest.raises(store.StoreError, match=r"damaged|malformed") as raised, resume(begun):
        pass
    assert "\n" not in str(raised.value)
    assert begun.read_bytes() == before


def test_a_file_of_a_later_version_is_left_alone(begun: Path) -> None:
    connection = sqlite3.connect(begun)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = begun.read_bytes()
    with pytest.raises(store.StoreError, match="schema version 99, and this"), resume(begun):
        pass
    assert begun.read_bytes() == before


def test_a_second_run_on_the_same_file_is_refused(tmp_path: Path) -> None:
    """And the first one goes on as if nothing had been."""
    first = subprocess.Popen(command(*PLAY, "--out", tmp_path, "--resume"))
    path = tmp_path / "results.sqlite"
    until = time.monotonic() + 60
    while not path.exists() or path.stat().st_size == 0:
        assert time.monotonic() < until and first.poll() is None
        time.sleep(0.01)
    first.send_signal(signal.SIGSTOP)
    told = error(run(*PLAY, "--out", tmp_path, "--resume"))
    first.send_signal(signal.SIGCONT)
    assert "being written by another run" in told
    assert first.wait(120) == 0
    assert results.load(path).games == 400 * 2 * 3
