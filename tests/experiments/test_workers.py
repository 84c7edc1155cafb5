"""Several processes that play: the same results, whatever becomes of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import timeless
from installed import environment, install_bad_agents, wait_for_the_end_of

from chickenfoot_env.rules import Rules
from experiments.isolation.limits import Limits
from experiments.tournament import runner
from experiments.tournament.pace import Pace
from experiments.tournament.runner import run
from experiments.tournament.spec import TournamentError, TournamentSpec
from experiments.tournament.workers import WorkerError, Workers

SMALL = Rules(players=3, max_pip=6, hand_size=5, rounds=(6, 5))


def spec(*names: str, deals: int = 20) -> TournamentSpec:
    return TournamentSpec(names or ("greedy", "random"), SMALL, deals, 3, limits=Limits(5))


@pytest.fixture
def bad_agents(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(install_bad_agents(tmp_path_factory.mktemp("site")))


def timeless_blocks(blocks: Any) -> list[Any]:
    return [
        (b.block, b.deal, b.line_up, b.games, b.seats, b.faults, [c[:3] for c in b.costs])
        for b in blocks
    ]


def both(folder: Path) -> tuple[bytes, bytes]:
    """The results and the records of a run that wrote them there."""
    return timeless.file_bytes(folder / "r"), (folder / "games").read_bytes()


def test_results_and_records_have_the_same_bytes_whoever_plays(tmp_path: Path) -> None:
    found = []
    for number, (workers, size) in enumerate([(0, 4096), (1, 6), (3, 30), (3, 4096)]):
        folder = tmp_path / str(number)
        run(spec(), folder / "r", workers=workers, batch_size=size, games=folder / "games")
        found.append(both(folder))
    assert found == [found[0]] * 4
    assert found[0][1].count(b"\n") == spec().games


def test_a_run_is_resumed_by_another_number_of_workers(tmp_path: Path) -> None:
    """Also where a block has more games than seats."""
    rules = Rules(players=4, max_pip=6, hand_size=5, rounds=(6,))
    asked = TournamentSpec(("greedy", "random"), rules, 10, 3, seatings="permutations")
    assert asked.games_per_block == 6

    def stop(done: int, _: int) -> None:
        if done == 7:
            raise KeyboardInterrupt

    whole, cut = tmp_path / "whole", tmp_path / "cut"
    run(asked, whole / "r", games=whole / "games")
    with pytest.raises(KeyboardInterrupt):
        run(asked, cut / "r", workers=2, batch_size=12, progress=stop, games=cut / "games")
    assert [path.name for path in sorted(cut.iterdir())] == ["games", "r"]
    run(asked, cut / "r", resume=True, games=cut / "games")
    assert both(cut) == both(whole)


def test_lost_workers_are_replaced() -> None:
    """Each in the middle of a chunk; the blocks stay the same and in order."""
    with Workers(spec(), 2) as workers:
        pids = [worker.child.pid for worker in workers._workers]
        whole = timeless_blocks(workers.play(0, 40, 4))
        again = workers.play(0, 40, 4)
        first = [next(again) for _ in range(3)]
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        assert timeless_blocks([*first, *again]) == whole
        assert not {*pids} & {worker.child.pid for worker in workers._workers}
    wait_for_the_end_of(*pids)


@pytest.mark.usefixtures("bad_agents")
def test_blocks_that_end_every_worker_end_the_run(tmp_path: Path) -> None:
    """In one line, and what was finished is kept."""
    with pytest.raises(WorkerError, match="3 worker processes were lost at blocks 0 to 0"):
        run(spec("murders", "random"), tmp_path / "r", workers=1)
    assert list(tmp_path.iterdir()) == []


def test_a_worker_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with Workers(spec(), 1) as workers:
        with pytest.raises(RuntimeError, match="a worker process failed: TypeError"):
            workers._workers[0].begin(None, 1)
            workers._workers[0].report()


def test_agents_that_cannot_be_made(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no agent called 'nobody'"):
        run(spec("nobody", "random"), tmp_path / "out" / "r", workers=2)
    assert list(tmp_path.iterdir()) == []


def test_workers_below_zero(tmp_path: Path) -> None:
    with pytest.raises(TournamentError, match="workers=-1: allowed are whole numbers from 0"):
        run(spec(), tmp_path / "r", workers=-1)


@pytest.mark.usefixtures("bad_agents")
@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_a_stopped_run(tmp_path: Path, kill: signal.Signals) -> None:
    """With workers that play, and an agent in a process of its own that hangs."""
    words = ["tournament", "--agents", "hangs,random", "--decision-seconds", "600", "--workers"]
    words += ["2", "--players", "2", "--rules", "max_pip=6,hand_size=5", "--out", str(tmp_path)]
    whole = subprocess.Popen(
        [sys.executable, "-m", "experiments.cli", *words],
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # even in background
    )
    until = time.monotonic() + 60
    while len(family := descendants(whole.pid)) < 4:  # two workers with a guarded agent each
        assert time.monotonic() < until and whole.poll() is None
        time.sleep(0.02)
    time.sleep(1)
    whole.send_signal(kill)
    _, told = whole.communicate(timeout=30)
    assert whole.returncode == (130 if kill == signal.SIGINT else -kill)
    assert ("interrupted" in told) == (kill == signal.SIGINT)
    wait_for_the_end_of(*family)


def descendants(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            found += [child, *descendants(child)]
    return found


def test_command_line_plays_own_agents_here_and_others_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless it is told how many processes are wanted."""
    from experiments import cli

    asked: list[Any] = []

    def keep(*_: Any, workers: int, **__: Any) -> None:
        asked.append(workers)
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "run", keep)
    for words in ([], ["--guard-all"], ["--workers", "3"], ["--agents", "greedy,other"]):
        monkeypatch.setattr(sys, "argv", ["chickenfoot", "tournament", "--out", "x", *words])
        assert cli._exit_code() == cli.INTERRUPTED
    assert asked == [0, 1, 3, 1]


def test_chunks_take_a_second_or_so() -> None:
    pace = Pace(10)
    sizes = []
    for seconds in (0.1, 0.1, 0.1, 0.1, 0.1, 2, 9, 9, 0.1):
        sizes.append(pace.size)
        pace.took(seconds, pace.size)
    assert sizes == [1, 2, 4, 8, 10, 10, 10, 5, 2]
    pace.took(0.1, pace.size - 1)  # a remainder says little
    assert pace.size == 4
