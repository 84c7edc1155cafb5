"""Whole tournaments: paired deals, forfeits, and one file whatever the way to it."""

from __future__ import annotations

import shlex
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import timeless

import agents
from chickenfoot_env import batch, view
from chickenfoot_env.game import GAME
from chickenfoot_env.presets import PRESETS
from chickenfoot_env.rules import Rules
from experiments import costs, report, results, statistics, store
from experiments.tournament.blocks import charge, seat_orders
from experiments.tournament.runner import run
from experiments.tournament.spec import TournamentError, TournamentSpec, parse_rules

SMALL = Rules(players=3, max_pip=6, hand_size=5, rounds=(6, 5))


def spec(*names: str, deals: int = 5, seed: int = 3, rules: Rules = SMALL) -> TournamentSpec:
    return TournamentSpec(names or ("greedy", "random"), rules, deals, seed)


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    found = connection.execute(query).fetchall()
    connection.close()
    return found


class Crashing:
    """Fails on its first question in every game."""

    name = "crash"

    def act(self, views: Any, seeds: Any) -> Any:
        raise RuntimeError("out of luck")


class Counting:
    """Takes the first legal action; a decision takes one simulation for each action it has."""

    name = "count"
    made: list[Counting] = []  # noqa: RUF012  # emptied by the fixture

    def __init__(self) -> None:
        self.simulations, self.decisions = 0, 0
        self.made.append(self)

    def act(self, views: Any, seeds: Any) -> Any:
        legal = view.legal_mask(views)
        self.decisions += len(views)
        self.simulations += int(legal.sum())
        return legal.argmax(axis=1)


class Peeking:
    """Is handed true games, and takes the first legal action."""

    name = "peek"
    cheats = True

    def act(self, games: Any, seeds: Any) -> Any:
        assert games.dtype == GAME
        return batch.legal_mask(games).argmax(axis=1)


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the specs "crash", "count" and "peek" known."""
    make, more = agents.make, {"crash": Crashing, "count": Counting, "peek": Peeking}
    monkeypatch.setattr(agents, "make", lambda name: more.get(name, lambda: make(name))())
    Counting.made.clear()


def test_results_have_the_same_bytes_whatever_the_batch_size(tmp_path: Path) -> None:
    names = ("greedy", "count", "random")
    for size in (1, 7, 64):
        run(spec(*names, deals=9), tmp_path / f"{size}.sqlite", batch_size=size)
    one, *others = [timeless.file_bytes(tmp_path / f"{size}.sqlite") for size in (1, 7, 64)]
    assert others == [one, one]


@pytest.mark.parametrize("stop_after", [1, 2, 9])
def test_results_have_the_same_bytes_after_an_interruption(tmp_path: Path, stop_after: int) -> None:
    """Two line-ups a deal, so that a run may stop within a deal; 2 x 5 blocks in all."""
    whole, cut = tmp_path / "whole.sqlite", tmp_path / "cut.sqlite"
    two = spec("count", "random")
    run(two, whole)

    def stop(done: int, _: int) -> None:
        if done == stop_after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(two, cut, progress=stop, batch_size=6)
    assert [p.name for p in tmp_path.glob("cut*")] == ["cut.sqlite"]
    run(two, cut, resume=True)
    assert timeless.file_bytes(cut) == timeless.file_bytes(whole)
    assert results.load(cut).digest == results.load(whole).digest


def test_interruption_before_the_first_block_leaves_nothing(tmp_path: Path) -> None:
    def stop(*_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(spec(), tmp_path / "out" / "results.sqlite", progress=stop)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["random", "greedy", "heuristic"])
def test_copies_of_an_agent_have_margins_of_exactly_zero(tmp_path: Path, name: str) -> None:
    rules = Rules(players=4, max_pip=6, hand_size=5, rounds=(6, 5))
    run(spec(name, name, name, name, deals=6, rules=rules), tmp_path / "r")
    tally = results.load(tmp_path / "r").tally
    assert (tally.totals == 4 * tally.points).all()
    assert (tally.win_units == tally.win_units[:, :, :1]).all()
    for agent in report.summary(tmp_path / "r")["agents"]:
        assert (agent["margin"], agent["margin_low"], agent["margin_high"]) == (0, 0, 0)


def test_copies_of_an_agent_in_unequal_line_ups_cancel_too(tmp_path: Path) -> None:
    """Two entries at three seats: each sits twice in one line-up and once in the other."""
    run(spec("random", "random"), tmp_path / "r")
    assert {agent["margin"] for agent in report.summary(tmp_path / "r")["agents"]} == {0}


def test_every_entry_has_every_seat_equally_often(tmp_path: Path) -> None:
    run(spec("greedy", "random", "heuristic", "random"), tmp_path / "r")
    taken = rows(tmp_path / "r", "SELECT seat, entry, COUNT(*) FROM seats GROUP BY seat, entry")
    assert len(taken) == 3 * 4
    assert len({count for _, _, count in taken}) == 1


def test_blocks_rotate_an_order_that_is_drawn_for_each_deal() -> None:
    """Of the 24 orders of four entries, 240 deals show all, each about 10 times."""
    four = spec("a", "b", "c", "d", deals=240, rules=Rules())
    orders = seat_orders(four, np.arange(240))
    for rotation in range(4):
        np.testing.assert_array_equal(orders[:, rotation], np.roll(orders[:, 0], -rotation, axis=1))
    counts = Counter(tuple(order) for order in orders[:, 0].tolist())
    assert len(counts) == 24
    assert max(counts.values()) < 24


def test_copies_in_a_mixed_field_do_not_differ(tmp_path: Path) -> None:
    """In one fixed order the greedy agent behind the random one would gain from it."""
    run(spec("random", "greedy", "heuristic", "greedy", deals=300, rules=Rules()), tmp_path / "r")
    found = statistics.differences(results.load(tmp_path / "r").tally, 1, 3)
    assert found is not None and not statistics.estimate(found).differs


def test_deals_are_distinct_and_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line-up and rotation plays the same deals; the deals differ from one another."""
    dealt: list[Any] = []
    real = batch.deal

    def keep(*args: Any, **options: Any) -> Any:
        dealt.append(real(*args, **options))
        return dealt[-1].copy()

    monkeypatch.setattr(batch, "deal", keep)
    run(spec("greedy", "random", "heuristic", "random", deals=7), tmp_path / "r", batch_size=7)
    _, *played = dealt  # the first is for the one question to each agent off the record
    games = np.concatenate(played).reshape(7, 4 * 3)  # deals, line-ups x rotations
    assert (games == games[:, :1]).all()
    assert len({game["order"].tobytes() for game in games[:, 0]}) == 7
    assert (games["draw_stride"] == SMALL.private_stride).all()


@pytest.mark.parametrize(
    ("rules", "rounds"),
    [
        (Rules(players=2, max_pip=3, hand_size=2, starter_arms=2, toes=1), {4}),
        (Rules(2, 3, 2, starter_arms=2, toes=1, rounds="down_and_up"), {7}),
        (Rules(2, 3, 2, starter_arms=2, toes=1, rounds="down_and_up", target_points=1), {1}),
    ],
    ids=["all", "down and up", "to one point"],
)
def test_rounds_are_counted_as_they_were_played(
    tmp_path: Path, rules: Rules, rounds: set[int]
) -> None:
    """Somebody has a point after a round, as nobody but the winner of a round has none."""
    run(spec("random", "greedy", deals=20, rules=rules), tmp_path / "r")
    played = rows(tmp_path / "r", "SELECT rounds, blocked_rounds FROM games")
    assert {count for count, _ in played} == rounds
    assert all(0 <= blocked <= count for count, blocked in played)
    figures = report.summary(tmp_path / "r")
    assert figures["rounds"] == sum(count for count, _ in played)
    assert figures["blocked_share"] == sum(blocked for _, blocked in played) / figures["rounds"]


def test_games_to_a_target_have_rounds_of_their_own(tmp_path: Path) -> None:
    """Each ends with the round in which a seat reaches the target, and no later one."""
    rules = Rules(players=3, max_pip=6, hand_size=5, target_points=60)
    run(spec("random", "random", "random", deals=20, rules=rules), tmp_path / "r")
    played = rows(
        tmp_path / "r",
        "SELECT rounds, MAX(points) FROM games JOIN seats USING (block, rotation) "
        "GROUP BY block, rotation",
    )
    assert len({count for count, _ in played}) > 1
    assert all(most >= 60 or count == 7 for count, most in played)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_played_again_by_its_command(tmp_path: Path, name: str) -> None:
    played = spec("random", "greedy", deals=1, rules=Rules.preset(name, players=3))
    run(played, tmp_path / "r")
    words = shlex.split(results.load(tmp_path / "r").meta["command"])
    again = dict(zip(words[2::2], words[3::2], strict=True))
    rules = parse_rules(again.get("--rules", "seed"), int(again["--players"]))
    run(spec("random", "greedy", deals=1, rules=rules), tmp_path / "again")
    assert timeless.file_bytes(tmp_path / "again") == timeless.file_bytes(tmp_path / "r")


def test_another_seed_gives_other_results(tmp_path: Path) -> None:
    run(spec(seed=1), tmp_path / "1")
    run(spec(seed=2), tmp_path / "2")
    query = "SELECT * FROM seats"
    assert rows(tmp_path / "1", query) != rows(tmp_path / "2", query)


def test_more_deals_keep_the_first_ones(tmp_path: Path) -> None:
    run(spec(deals=3), tmp_path / "3")
    run(spec(deals=5), tmp_path / "5")
    first = rows(tmp_path / "5", "SELECT * FROM seats WHERE block < 6")
    assert rows(tmp_path / "3", "SELECT * FROM seats") == first


def test_an_agent_that_crashes_forfeits_alone(tmp_path: Path) -> None:
    run(spec("crash", "greedy", "random"), tmp_path / "r")
    figures = report.summary(tmp_path / "r")
    faults = {agent["name"]: agent["faults"] for agent in figures["agents"]}
    assert faults == {"crash": 15, "greedy": 0, "random": 0}
    assert figures["agents"][-1]["name"] == "crash"
    assert figures["agents"][-1]["win_share"] == 0
    assert sum(agent["win_share"] for agent in figures["agents"]) == pytest.approx(1)
    (fault,) = figures["faults"]
    assert fault == {"agent": "crash", "message": "raised RuntimeError: out of luck", "count": 15}


def test_a_forfeit_costs_the_points_of_the_worst_seat(tmp_path: Path) -> None:
    run(spec("crash", "greedy", "random"), tmp_path / "r")
    path = tmp_path / "r"
    charged = rows(
        path,
        "SELECT s.points, MAX(played_points, (SELECT MAX(points) FROM seats AS o WHERE o.rank > 0 "
        "AND o.block = s.block AND o.rotation = s.rotation)) "
        "FROM faults JOIN seats AS s USING (block, rotation, seat)",
    )
    assert len(charged) == 15
    assert all(points == worst for points, worst in charged)


def test_faults_have_the_same_bytes_whatever_the_batch_size(tmp_path: Path) -> None:
    for size in (1, 5):
        run(spec("crash", "crash", "random"), tmp_path / str(size), batch_size=size)
    assert timeless.file_bytes(tmp_path / "1") == timeless.file_bytes(tmp_path / "5")


def test_file_says_who_cheats(tmp_path: Path) -> None:
    run(spec("peek", "random", "peek"), tmp_path / "r")
    assert results.load(tmp_path / "r").cheats == [True, False, True]
    figures = report.summary(tmp_path / "r")
    told = {agent["name"]: (agent["cheats"], agent["faults"]) for agent in figures["agents"]}
    assert told == {"random": (False, 0), "peek": (True, 0), "peek#2": (True, 0)}
    assert figures["agents"][0]["name"] == "random"


def test_charge_by_hand() -> None:
    """Seats with 5, 9, 9 points; the first forfeits, so the others share the win and it pays 9."""
    points, ranks = charge(
        np.array([[5, 9, 9], [5, 9, 9], [5, 9, 7]]),
        np.array([[1, 2, 2], [1, 2, 2], [1, 3, 2]]),
        np.array([[True, False, False], [False] * 3, [True, True, True]]),
    )
    assert points.tolist() == [[9, 9, 9], [5, 9, 9], [9, 9, 9]]
    assert ranks.tolist() == [[0, 1, 1], [1, 2, 2], [0, 0, 0]]


def test_a_game_that_all_forfeit_has_no_winner(tmp_path: Path) -> None:
    run(spec("crash", "crash", "crash"), tmp_path / "r")
    assert {agent["win_share"] for agent in report.summary(tmp_path / "r")["agents"]} == {0}


def test_progress_counts_every_block(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    run(spec(), tmp_path / "r", progress=lambda done, blocks: told.append((done, blocks)))
    assert told == [(done, 10) for done in range(11)]


def test_results_of_another_tournament_are_not_resumed(tmp_path: Path) -> None:
    run(spec(), tmp_path / "r")
    with pytest.raises(store.StoreError, match="seed is 3 there and 4 here"):
        run(spec(seed=4), tmp_path / "r", resume=True)


def test_unknown_agent_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(agents.AgentError, match="nobody"):
        run(spec("nobody", "random"), tmp_path / "out" / "r")
    assert list(tmp_path.iterdir()) == []


def test_batch_size_below_one(tmp_path: Path) -> None:
    with pytest.raises(TournamentError, match="batch_size=0"):
        run(spec(), tmp_path / "r", batch_size=0)


def test_costs_of_the_blocks_add_up_to_what_the_agents_counted(tmp_path: Path) -> None:
    """Blocks are played in chunks; the one question before the first is off the record."""
    run(spec("count", "random", "count", "greedy", deals=6), tmp_path / "r", batch_size=10)
    spent = results.load(tmp_path / "r").spent
    for agent, entry in zip(Counting.made, (0, 2), strict=True):
        assert spent[entry].decisions == agent.decisions - 1 > 0
        off_record = agent.simulations - spent[entry].simulations
        assert 2 <= off_record <= 10
    assert spent[1].simulations == spent[3].simulations == 0
    assert spent[1].decisions > 0 and spent[3].decisions > 0


def test_each_block_has_costs_of_the_entries_that_sat_in_it(tmp_path: Path) -> None:
    run(spec("count", "random", "count", "greedy", deals=2), tmp_path / "r")
    sat = rows(tmp_path / "r", "SELECT DISTINCT block, entry FROM seats ORDER BY 1, 2")
    assert rows(tmp_path / "r", "SELECT block, entry FROM costs ORDER BY 1, 2") == sat
    least = rows(tmp_path / "r", "SELECT MIN(decisions), MIN(seconds) FROM costs")
    assert all(figure > 0 for figure in least[0])
    kinds = rows(tmp_path / "r", "SELECT COUNT(DISTINCT decisions) FROM costs")
    assert kinds[0][0] > 2


def test_seconds_of_the_blocks_add_up_to_those_within_act(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that moves in the questions to one agent alone, 3 seconds in each."""
    now = [0.0]
    real = Counting.act

    def slow(self: Counting, views: Any, seeds: Any) -> Any:
        now[0] += 3
        return real(self, views, seeds)

    monkeypatch.setattr(Counting, "act", slow)
    monkeypatch.setattr(costs.time, "perf_counter", lambda: now[0])
    run(spec("count", "random", "greedy", deals=5), tmp_path / "r")
    counting, random, greedy = results.load(tmp_path / "r").spent
    assert counting.seconds == 3 * counting.decisions == now[0] - 3  # one was off the record
    assert (random.seconds, greedy.seconds) == (0, 0)


def test_a_finished_run_is_asked_nothing(tmp_path: Path) -> None:
    run(spec("count", "random"), tmp_path / "r")
    before = (tmp_path / "r").read_bytes()
    run(spec("count", "random"), tmp_path / "r", resume=True)
    assert Counting.made[1].decisions == 0
    assert (tmp_path / "r").read_bytes() == before


def test_copies_of_an_agent_cost_the_same_in_a_balanced_line_up(tmp_path: Path) -> None:
    run(spec("count", "count", "count"), tmp_path / "r")
    spent = results.load(tmp_path / "r").spent
    assert len({(one.decisions, one.simulations) for one in spent}) == 1


def test_file_has_no_traces_of_place_and_of_time_only_seconds(tmp_path: Path) -> None:
    path = tmp_path / "r"
    run(spec(), path)
    assert str(tmp_path).encode() not in path.read_bytes()
    counts = Counter(key for (key,) in rows(path, "SELECT key FROM meta"))
    asked = "agents rules deals seed format seatings until limits"
    assert sorted(counts) == sorted(f"{asked} chickenfoot numpy command complete".split())
