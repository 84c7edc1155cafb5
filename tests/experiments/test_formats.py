"""Who meets whom: line-ups and seatings of every format, and runs that play them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from chickenfoot_env import batch
from chickenfoot_env.rules import Rules
from experiments import figures, ladder, results, statistics, store
from experiments.statistics.sequential import Bounds
from experiments.tournament import formats
from experiments.tournament.blocks import seat_orders
from experiments.tournament.runner import run
from experiments.tournament.spec import TournamentError, TournamentSpec, Until, copies

TINY = Rules(players=3, max_pip=4, hand_size=3, rounds=(4,))


def spec(names: str, players: int = 3, deals: int = 4, **more: object) -> TournamentSpec:
    rules = Rules(players=players, max_pip=6, hand_size=3, rounds=(6,))
    return TournamentSpec(tuple(names.split()), rules, deals, 5, **more)  # type: ignore[arg-type]


def test_round_robin_has_every_pair_share_the_seats() -> None:
    assert formats.round_robin(3, 4) == [(0, 1, 0, 1), (0, 2, 0, 2), (1, 2, 1, 2)]
    assert formats.round_robin(2, 3) == [(0, 1, 0), (1, 0, 1)]


def test_ladder_has_neighbours_alone() -> None:
    assert formats.ladder(3, 2) == [(0, 1), (1, 2)]


def test_gauntlet_has_one_agent_against_a_table_of_the_last() -> None:
    assert formats.gauntlet(3, 4) == [(0, 2, 2, 2), (1, 2, 2, 2)]


def test_self_play_has_tables_of_copies() -> None:
    assert formats.self_play(6, 3) == [(0, 1, 2), (3, 4, 5)]


@pytest.mark.parametrize("seats", range(2, 13))
@pytest.mark.parametrize("name", formats.FORMATS)
def test_line_ups_fill_the_table_and_all_have_as_many_seatings(name: str, seats: int) -> None:
    entries = 2 * seats if name == "self-play" else 4
    line_ups = formats.FORMATS[name](entries, seats)
    assert all(len(line_up) == seats for line_up in line_ups)
    assert {entry for line_up in line_ups for entry in line_up} == {*range(entries)}
    if seats <= 4:
        assert len({len(formats.permutations(line_up)) for line_up in line_ups}) == 1


@pytest.mark.parametrize("seatings", formats.SEATINGS)
@pytest.mark.parametrize("name", formats.FORMATS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_entry_of_a_line_up_has_each_seat_equally_often(
    name: str, seatings: str, players: int
) -> None:
    names = ("a", "b", "c")
    entered = copies(names, players) if name == "self-play" else names
    rules = Rules(players=players, max_pip=6, hand_size=3)
    played = TournamentSpec(entered, rules, 6, 1, format=name, seatings=seatings)
    orders = seat_orders(played, np.arange(played.blocks))
    assert orders.shape == (played.blocks, played.games_per_block, players)
    for block, seating in enumerate(orders):
        line_up = played.line_ups()[block % len(played.line_ups())]
        for column in seating.T:
            taken = Counter(column.tolist())
            seats_of = Counter(line_up)
            assert all(taken[e] * players == seats_of[e] * played.games_per_block for e in seats_of)


def test_permutations_are_all_different_orders() -> None:
    assert formats.permutations((0, 1, 0, 1)) == [
        (0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 1, 0), (1, 0, 0, 1), (1, 0, 1, 0), (1, 1, 0, 0),
    ]  # fmt: skip
    assert len(formats.permutations((0, 1, 2, 3))) == 24


@pytest.mark.parametrize("name", formats.FORMATS)
def test_deals_are_the_same_for_all_pairings(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dealt = []
    real = batch.deal
    monkeypatch.setattr(batch, "deal", lambda *a, **o: dealt.append(real(*a, **o)) or real(*a, **o))
    entered = (
        copies(("greedy", "random"), 3) if name == "self-play" else ("greedy", "random", "random")
    )
    played = TournamentSpec(entered, TINY, 5, 2, format=name, seatings="permutations")
    run(played, tmp_path / "r")
    orders = np.concatenate([games["order"] for games in dealt[1:]])
    by_deal = orders.reshape(5, -1, orders.shape[1])
    assert by_deal.shape[1] == len(played.line_ups()) * played.games_per_block
    assert (by_deal == by_deal[:, :1]).all()
    assert len(np.unique(by_deal[:, 0], axis=0)) == 5


@pytest.mark.parametrize("seatings", formats.SEATINGS)
def test_self_play_cancels_to_exactly_zero(seatings: str, tmp_path: Path) -> None:
    entered = copies(("greedy", "random"), 3)
    run(TournamentSpec(entered, TINY, 5, 2, format="self-play", seatings=seatings), tmp_path / "r")
    found = figures.summary(tmp_path / "r")
    assert {(a["margin"], a["margin_low"], a["margin_high"]) for a in found["agents"]} == {
        (0, 0, 0)
    }
    assert {pair["p"] for pair in found["pairs"]} == {1.0}
    assert found["warnings"] == []


def test_self_play_tells_of_an_agent_that_its_seed_does_not_decide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import agents
    from agents.random_agent import RandomAgent

    class Careless(RandomAgent):
        asked = 0

        def act(self, views, seeds):  # type: ignore[no-untyped-def]
            Careless.asked += 1
            return super().act(views, seeds + np.uint64(Careless.asked))

    real = agents.make
    monkeypatch.setattr(agents, "make", lambda s: Careless() if s == "careless" else real(s))
    entered = copies(("careless",), 3)
    run(TournamentSpec(entered, TINY, 9, 2, format="self-play"), tmp_path / "r")
    warnings = figures.summary(tmp_path / "r")["warnings"]
    assert any("careless does not tie with its copies" in text for text in warnings)


def test_a_gauntlet_of_one_is_a_comparison_of_the_ladder(tmp_path: Path) -> None:
    """The same deals, seats and decisions; only the order of the games of a deal differs."""
    question = ladder.Question("ladder", "heuristic", "greedy", 3, 30)
    theirs = ladder.answer(question)
    rules = Rules(players=3, max_pip=9, rounds=(9,))
    played = TournamentSpec(("heuristic", "greedy"), rules, 30, ladder.SEED, format="gauntlet")
    run(played, tmp_path / "r")
    tally = results.load(tmp_path / "r").tally
    found = statistics.student(statistics.margins(tally)[:, 0])
    assert (found.mean, found.low, found.high) == pytest.approx(
        (theirs["margin"], theirs["low"], theirs["high"]), abs=1e-9
    )


def test_challengers_of_a_gauntlet_are_compared_by_margins_on_the_same_deals(
    tmp_path: Path,
) -> None:
    run(spec("greedy random heuristic", deals=20, format="gauntlet"), tmp_path / "r")
    tally = results.load(tmp_path / "r").tally
    margins = statistics.margins(tally)
    found = statistics.differences(tally, 0, 1)
    assert found is not None
    np.testing.assert_array_equal(found, margins[:, 0] - margins[:, 1])
    pairs = figures.summary(tmp_path / "r")["pairs"]
    assert {(p["agent"], p["other"], p["together"]) for p in pairs} == {
        ("heuristic", "greedy", True), ("heuristic", "random", True), ("greedy", "random", False),
    }  # fmt: skip


def test_agents_with_other_opponents_are_not_compared(tmp_path: Path) -> None:
    """Of four on a ladder the first meets the second alone, the third has two neighbours."""
    run(spec("greedy random greedy heuristic", format="ladder"), tmp_path / "r")
    tally = results.load(tmp_path / "r").tally
    assert statistics.differences(tally, 0, 2) is None
    assert statistics.differences(tally, 0, 3) is None
    assert not formats.comparable(0, 2, formats.ladder(4, 3))
    assert formats.comparable(0, 2, formats.ladder(3, 3))
    assert formats.comparable(0, 1, formats.gauntlet(4, 3))


def test_rounds_of_many_agents_still_resume(tmp_path: Path) -> None:
    """The format is on record, and another one is another tournament."""
    played = spec("greedy random", format="round-robin")
    run(played, tmp_path / "r")
    run(played, tmp_path / "r", resume=True)
    with pytest.raises(store.StoreError, match=r'format is "round-robin" there and "ladder" here'):
        run(spec("greedy random", format="ladder"), tmp_path / "r", resume=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "swiss"}, "format='swiss': allowed are free-for-all, round-robin"),
        ({"seatings": "all"}, "seatings='all': allowed are rotations, permutations"),
        ({"format": "self-play"}, "every agent is listed 3 times"),
        ({"until": Until("a", "z", Bounds(0, 1, fewest=2))}, "names 'z': allowed are a, b, c"),
        ({"until": Until("a", "a", Bounds(0, 1, fewest=2))}, "two agents that meet"),
        ({"until": Until("a", "b", Bounds(0, 1))}, "nothing is decided before 200 deals"),
    ],
)
def test_formats_that_do_not_fit(changes: dict[str, object], message: str) -> None:
    with pytest.raises(TournamentError, match=message):
        spec("a b c", **changes)


def test_many_permutations_are_refused() -> None:
    with pytest.raises(TournamentError, match="more than 24 games a block; allowed is rotations"):
        spec("a b c d e", players=5, seatings="permutations")
