"""All figures of results files with made-up numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_results import Made, header

from experiments import figures, store

RNG = np.random.default_rng(1)


def games(deals: int, handicap: list[int]) -> list[list[list[int]]]:
    """Blocks of as many games as seats, in which each agent has so many points more."""
    seats = len(handicap)
    return (RNG.integers(0, 90, size=(deals, seats, seats)) + np.array(handicap)).tolist()


def test_ratings_and_seats_are_there(made: Made) -> None:
    found = figures.summary(made(["a", "b", "c"], 3, games(20, [0, 20, 60])))
    a, b, c = found["agents"]
    assert a["rating"] > a["rating_low"] > b["rating"] > c["rating"]
    assert [seat["seat"] for seat in found["seats"]] == [0, 1, 2]
    assert sum(seat["margin"] for seat in found["seats"]) == pytest.approx(0)
    assert (found["format"], found["seatings"], found["decision"]) == (
        "free-for-all",
        "rotations",
        None,
    )


def test_pairs_are_significant_by_the_corrected_p_value(made: Made) -> None:
    found = figures.summary(made(["a", "b", "c"], 3, games(20, [0, 0, 60])))
    for pair in found["pairs"]:
        assert pair["p"] <= pair["holm"] <= 3 * pair["p"] or pair["holm"] == 1
        assert pair["significant"] == ("c" in (pair["agent"], pair["other"]))


def test_luck_is_taken_out_from_200_deals_on(made: Made) -> None:
    for deals, adjusted in ((199, False), (200, True)):
        path = made(["a", "b"], 2, games(deals, [0, 9]))
        found = figures.summary(path)
        for figure, name in ((found["agents"][0], "margin"), (found["pairs"][0], "difference")):
            assert (figure[f"{name}_gain"] is not None) == adjusted
            assert (figure[f"{name}_adjusted_low"] is not None) == adjusted
        path.unlink()


def test_skill_runs_from_random_to_the_oracle(made: Made) -> None:
    names = ["random", "a", "oracle:rollouts=9"]
    found = figures.summary(made(names, 3, games(40, [60, 30, 0]), cheats=names[2:]))
    skill = {agent["name"]: agent["skill"] for agent in found["agents"]}
    assert (skill["random"], skill["oracle:rollouts=9"]) == (0.0, pytest.approx(1.0))
    assert 0.3 < skill["a"] < 0.7


def test_skill_is_null_without_both_yardsticks(made: Made) -> None:
    found = figures.summary(made(["random", "a"], 2, games(40, [60, 0])))
    assert {agent["skill"] for agent in found["agents"]} == {None}


def test_an_agent_with_many_faults_is_not_valid_and_nothing_about_it_significant(
    made: Made,
) -> None:
    """One forfeit in 60 games is too many; one in 120 is not."""
    fault = [(0, 1, 4, 17, 3, "raised OSError")]
    for deals, valid in ((20, False), (40, True)):
        path = made(["a", "b", "c"], 3, games(deals, [0, 30, 60]), faults=fault)
        found = figures.summary(path)
        (bad,) = [agent for agent in found["agents"] if agent["faults"]]
        assert bad["valid"] is valid
        told = " ".join(found["warnings"])
        assert ("forfeited 1 of its 60 games, more than 1 %" in told) is not valid
        for pair in found["pairs"]:
            sure = bad["name"] not in (pair["agent"], pair["other"]) or valid
            assert pair["significant"] is sure
        path.unlink()


def test_margins_are_counted_in_bins_of_round_width(made: Made) -> None:
    """One game a block: margins of a are 0, 3, 39 and -3, those of b the negatives."""
    path = made(["a", "b"], 2, [[[9, 9]], [[6, 9]], [[1, 40]], [[8, 5]]])
    found = figures.summary(path)
    a, b = sorted(found["agents"], key=lambda agent: agent["name"])
    edges = found["margin_edges"]
    assert (edges[0], edges[1] - edges[0], edges[-1]) == (-40, 10, 40)
    counted = {edge: n for edge, n in zip(edges, a["margin_counts"], strict=False) if n}
    assert counted == {-10: 1, 0: 2, 30: 1}
    assert (sum(a["margin_counts"]), sum(b["margin_counts"])) == (4, 4)


def test_more_blocks_have_finer_bins() -> None:
    """At most five times the root of the blocks, and 40."""
    margins = np.array([0.0, 3, 39, -39])
    for blocks, width in ((4, 10), (16, 5), (4000, 2)):
        edges = figures._edges([np.resize(margins, blocks), margins])
        assert np.diff(edges).tolist() == [width] * (len(edges) - 1)
        assert edges[0] <= -39 < 39 < edges[-1]


def test_the_decisive_games_are_those_of_the_best_pair_farthest_apart(made: Made) -> None:
    """Without forfeits; agents that cheat are no pair, and level games not apart."""
    blocks = [[[10, 11, 0]] * 3, [[9, 9, 99], [5, 70, 0], [80, 50, 0]], [[8, 9, 0]] * 3]
    path = made(["a", "b", "c"], 3, blocks, cheats=["c"])
    held = figures.summary(path)["decisive"]
    assert {held["agent"], held["other"]} == {"a", "b"}
    assert [game["game"] for game in held["games"]] == [5, 6, 1]
    assert held["games"][0] == {
        "game": 5, "deal": 1, "line_up": ["b", "c", "a"], "points": [70, 0, 5],
    }  # fmt: skip


def test_a_forfeited_game_is_not_decisive(tmp_path: Path) -> None:
    about = header(["a", "b"], 2, 1)
    games = [(0, 1, 0), (1, 1, 0)]
    seats = [(0, 0, 0, 0, 1), (0, 1, 1, 90, 0), (1, 0, 1, 5, 1), (1, 1, 0, 6, 2)]
    with store.writing(tmp_path / "r", about) as writer:
        writer.add(store.Block(0, 0, 0, games, seats, [(0, 1, 1, 1, 9, "raised")], []))
    held = figures.summary(tmp_path / "r")["decisive"]
    assert [game["game"] for game in held["games"]] == [2]


def test_without_two_competitors_at_a_table_no_game_is_decisive(made: Made) -> None:
    path = made(["a", "b"], 2, [[[1, 2]]], cheats=["b"])
    assert figures.summary(path)["decisive"] is None


def test_a_circle_is_warned_of_and_rates_all_alike(made: Made) -> None:
    """Rock, paper and scissors: 30 points less for a against b, b against c, and c against a."""
    one_deal = [[[10, 40], [10, 40]], [[40, 10], [40, 10]], [[10, 40], [10, 40]]]
    found = figures.summary(made(["a", "b", "c"], 2, one_deal * 12))
    assert found["cycles"] == [["a", "b", "c"]]
    (warning,) = found["warnings"]
    assert warning.startswith("a, b, c beat one another in a circle")
    assert [a["rating"] for a in found["agents"]] == pytest.approx([0, 0, 0], abs=1e-6)
    assert np.abs(figures.payoffs(found)).tolist() == (30 * (1 - np.eye(3))).tolist()


def test_alpha_rank_is_added_on_demand(made: Made) -> None:
    pytest.importorskip("open_spiel")
    found = figures.summary(made(["a", "b", "c"], 3, games(20, [0, 20, 60])))
    assert "alpha_rank" not in found["agents"][0]
    ranked = figures.with_alpha_rank(found)["agents"]
    assert ranked[0]["alpha_rank"] > 0.99
    assert sum(agent["alpha_rank"] for agent in ranked) == pytest.approx(1)
