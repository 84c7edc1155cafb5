"""Tournaments that stop when they are decided: always at the same deal, whatever the way to it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import timeless

from chickenfoot_env.rules import Rules
from experiments import figures, results, statistics
from experiments.statistics import sequential
from experiments.statistics.sequential import Bounds, SequentialTest
from experiments.tournament.runner import run
from experiments.tournament.spec import TournamentSpec, Until

TINY = Rules(players=2, max_pip=4, hand_size=3, rounds=(4,))
BOUNDS = Bounds(0, 4, fewest=10)


def spec(**more: object) -> TournamentSpec:
    """Two line-ups a deal, so that a run may stop within a deal."""
    chosen = {"until": Until("greedy", "random", BOUNDS), "format": "gauntlet", **more}
    return TournamentSpec(("greedy", "random", "heuristic"), TINY, 400, 3, **chosen)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("until") / "r"
    run(spec(), path)
    return path


def test_the_ratio_by_hand() -> None:
    """1, 3, 5: mean 3, variance 8/3; 3 (2 - 0) (6 - 0 - 2) / (2 8/3) = 4.5."""
    found = sequential.run(Bounds(0, 2, fewest=3), np.array([1.0, 3.0, 5.0]))
    assert found.llr == pytest.approx(4.5)
    assert (found.deals, found.decision) == (3, "high")
    bounds = Bounds(0, 2, alpha=0.1, beta=0.2)
    assert (bounds.accept_low, bounds.accept_high) == pytest.approx((np.log(2 / 9), np.log(8)))


def test_nothing_is_decided_before_the_fewest_deals_and_nothing_after_the_decision() -> None:
    test = SequentialTest(Bounds(0, 1, fewest=30))
    draws = np.random.default_rng(1).normal(5, 1, size=60).tolist()
    decisions, states = [], []
    for draw in draws:
        decisions.append(test.add(draw))
        states.append(test.state)
    assert decisions == [None] * 29 + ["high"] * 31
    assert states[-1] == states[29] and states[28].llr > 100


def test_deals_that_are_all_alike_decide_for_the_nearer_bound() -> None:
    assert sequential.run(Bounds(0, 2, fewest=5), np.zeros(9)).decision == "low"
    assert sequential.run(Bounds(-1, 1, fewest=5), np.zeros(9)).decision is None


def test_it_stops_at_the_deal_that_decides(decided: Path) -> None:
    found = figures.summary(decided)
    held = results.load(decided)
    assert 10 <= found["deals"] < found["deals_planned"] == 400
    assert found["decision"]["deals"] == found["deals"]
    assert found["decision"]["decision"] == "high"
    assert found["decision"]["llr"] >= found["decision"]["accept_high"]
    differences = statistics.differences(held.tally, 0, 1)
    assert differences is not None
    before = sequential.run(BOUNDS, differences[:-1])
    assert before.decision is None
    assert "Decided after" in found["decision"]["verdict"]
    assert held.meta["complete"] is True


@pytest.mark.parametrize(("size", "workers"), [(1, 0), (7, 0), (500, 0), (6, 2)])
def test_it_stops_there_whatever_is_played_at_once(
    decided: Path, size: int, workers: int, tmp_path: Path
) -> None:
    """Also where one process is ahead of the other."""
    run(spec(), tmp_path / "r", batch_size=size, workers=workers)
    assert timeless.file_bytes(tmp_path / "r") == timeless.file_bytes(decided)


@pytest.mark.parametrize("back", [1, 2, 9])
def test_it_stops_there_after_an_interruption(decided: Path, back: int, tmp_path: Path) -> None:
    """Some blocks before the end, in the middle of a deal and between two."""
    blocks = figures.summary(decided)["blocks"]

    def stop(done: int, _: int) -> None:
        if done == blocks - back:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(spec(), tmp_path / "r", progress=stop)
    run(spec(), tmp_path / "r", resume=True)
    assert timeless.file_bytes(tmp_path / "r") == timeless.file_bytes(decided)


def test_a_run_that_ended_right_after_the_decision_is_finished(
    decided: Path, tmp_path: Path
) -> None:
    """The last block was committed, and the file not yet finished."""
    blocks = figures.summary(decided)["blocks"]

    def stop(done: int, _: int) -> None:
        if done == blocks:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(spec(), tmp_path / "r", progress=stop)
    assert "complete" not in results.load(tmp_path / "r").meta
    run(spec(), tmp_path / "r", resume=True)
    assert timeless.file_bytes(tmp_path / "r") == timeless.file_bytes(decided)


def test_a_decided_run_plays_nothing_more(decided: Path) -> None:
    before = decided.read_bytes()
    run(spec(), decided, resume=True)
    assert decided.read_bytes() == before


def test_an_open_tournament_plays_all_deals(tmp_path: Path) -> None:
    close = Until("greedy", "random", Bounds(2.9, 3.0, fewest=10))
    few = TournamentSpec(("greedy", "random"), TINY, 20, 3, until=close)
    run(few, tmp_path / "r")
    found = figures.summary(tmp_path / "r")
    assert (found["deals"], found["decision"]["decision"]) == (20, None)
    assert found["decision"]["verdict"].startswith("Not decided after 20 deals")


def test_copies_are_decided_to_be_equal(tmp_path: Path) -> None:
    twins = Until("greedy", "greedy#2", Bounds(0, 1, fewest=10))
    run(TournamentSpec(("greedy", "greedy"), TINY, 20, 3, until=twins), tmp_path / "r")
    found = figures.summary(tmp_path / "r")["decision"]
    assert (found["decision"], found["deals"], found["llr"]) == ("low", 10, None)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((1, 1), "bounds 1,1: wanted are two numbers, the smaller first"),
        ((0, float("nan")), "wanted are two numbers"),
        ((0, 1, 0.0), "alpha=0: allowed are values between 0 and 0.5"),
        ((0, 1, 0.05, 0.7), "beta=0.7: allowed"),
        ((0, 1, 0.05, 0.05, 1), "fewest=1: allowed are whole numbers from 2"),
    ],
)
def test_bounds_that_no_test_can_have(values: tuple[float, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Bounds(*values)  # type: ignore[arg-type]
