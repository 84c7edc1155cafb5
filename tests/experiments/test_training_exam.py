"""Exams: the same deals each time, none of the training's, and fair to every seat and starter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import agents
from chickenfoot_env import chance, sampling
from chickenfoot_env.rules import Rules
from chickenfoot_env.self_play import SelfPlayVectorEnv
from experiments import match
from experiments.training import curves
from experiments.training.exam import exam


@pytest.fixture
def dealt(monkeypatch: pytest.MonkeyPatch) -> list[tuple[NDArray[np.void], NDArray[np.int64]]]:
    """The games and seating of all that is played in exams."""
    found: list[tuple[NDArray[np.void], NDArray[np.int64]]] = []
    play = match.play

    def watched(line_up: Sequence[Any], games: NDArray[np.void], seeds: Any, **more: Any) -> Any:
        found.append((games.copy(), more["seating"].copy()))
        return play(line_up, games, seeds, **more)

    monkeypatch.setattr(match, "play", watched)
    return found


def test_an_agent_among_its_like_has_exactly_nothing() -> None:
    """Deals are played from every seat, so luck cancels."""
    for players in (2, 4):
        margin, wins = exam(agents.make("greedy"), "greedy", Rules(players=players), 30)
        assert (margin.mean, wins.mean) == pytest.approx((0.0, 1 / players))
        assert margin.high - margin.low == pytest.approx(0.0)


def test_the_better_agent_passes_and_the_worse_one_does_not() -> None:
    better, share = exam(agents.make("heuristic"), "greedy", Rules(players=3), 400)
    worse, _wins = exam(agents.make("random"), "greedy", Rules(players=3), 400)
    assert worse.high < 0.0 < better.low < better.mean < better.high
    assert share.low > 1 / 3


def test_every_exam_has_the_same_deals_whoever_takes_it(dealt: list[Any]) -> None:
    exam(agents.make("greedy"), "greedy", Rules(players=3), 30)
    first = [each[0].tobytes() + each[1].tobytes() for each in dealt]
    dealt.clear()
    exam(agents.make("random"), "heuristic", Rules(players=3), 30)
    assert [each[0].tobytes() + each[1].tobytes() for each in dealt] == first


def test_every_seat_and_every_starter_come_up_equally_often(dealt: list[Any]) -> None:
    exam(agents.make("greedy"), "random", Rules(players=3), 41)
    games = np.concatenate([each[0] for each in dealt])
    seats = np.concatenate([each[1] for each in dealt])
    assert len(games) == 50 * 3  # rounded up to 5 deals of each of 10 starters
    assert {*Counter(games["starters"][:, 0].tolist()).values()} == {15}
    assert (games["rounds"] == 1).all()
    assert seats.sum(axis=0).tolist() == [50, 50, 50] and (seats.sum(axis=1) == 1).all()
    orders = Counter(order.tobytes() for order in games["order"])
    assert {*orders.values()} == {3} and len(orders) == 50  # each deal from every seat, once


def test_whole_games_can_be_asked_for(dealt: list[Any]) -> None:
    margin, _wins = exam(agents.make("random"), "greedy", Rules(players=2), 8, whole_games=True)
    games = np.concatenate([each[0] for each in dealt])
    assert (games["rounds"] == 10).all() and len(games) == 16
    assert margin.mean < -20.0


def test_a_large_exam_is_that_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    from experiments.training import exam as module

    whole = exam(agents.make("heuristic"), "greedy", Rules(players=2), 60)
    monkeypatch.setattr(module, "_AT_ONCE", 5)
    assert exam(agents.make("heuristic"), "greedy", Rules(players=2), 60) == whole


def test_no_training_meets_the_deals_of_exams(dealt: list[Any]) -> None:
    exam(agents.make("greedy"), "greedy", Rules(players=2), 500)
    theirs = {*np.concatenate([each[0]["seed"] for each in dealt]).tolist()}
    assert len(theirs) == 500
    ours: set[int] = set()
    for seed in (0, 1, 2**32 - 1):
        envs = SelfPlayVectorEnv(128, players=2)
        tick = envs.reset(seed)
        for number in range(60):
            ours.update(envs.games()["seed"].tolist())
            rows = np.arange(128, dtype=np.uint64)
            tick = envs.step(sampling.sample(tick.action_mask, chance.derive(rows, number)))
    assert len(ours) > 500
    assert not ours & theirs
    assert min(theirs) > 2**33  # where no training begins: seeds are smaller, games are numbered


# Curves.

HEAD = "time/decisions,exam/greedy/4,train/entropy_loss\n"


def test_curves_follow_the_run_over_interruptions(tmp_path: Any) -> None:
    """Where a sitting began anew from a checkpoint, the lines behind it no longer count."""
    (tmp_path / "progress_1.csv").write_text(HEAD + "100,1.5,-1\n200,,-0.9\n300,,-0.8\n")
    (tmp_path / "progress_2.csv").write_text(HEAD + "250,2.5,-0.7\n350,,-0.6\n")
    (tmp_path / "progress_3.csv").write_text(HEAD)
    rows = curves.read(tmp_path)
    assert [row["time/decisions"] for row in rows] == ["100", "200", "250", "350"]
    curves.draw(tmp_path)
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_there_are_no_curves_of_nothing(tmp_path: Any) -> None:
    curves.draw(tmp_path)
    (tmp_path / "progress_1.csv").write_text(HEAD + "100,1.5,-1\n")
    curves.draw(tmp_path)
    assert not (tmp_path / "curves.png").exists()
