"""The cases worked by hand from the rules: positions, and deals, scores and other rule sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from core.dealing import deal_order, order_with
from numpy.typing import NDArray

from chickenfoot_env import batch, notation
from chickenfoot_env.game import GAME_OVER, rows_of
from chickenfoot_env.rules import Rules, RulesError

CASES = json.loads((Path(__file__).parents[1] / "cases" / "positions.json").read_text())["cases"]
Games = NDArray[np.void]


def rules_of(games: Games) -> Rules:
    """Rules of the same set, which is all that the text of an action depends on."""
    return Rules(players=2, max_pip=int(games["max_pip"][0]), hand_size=1, toes=1, starter_arms=1)


def legal(games: Games) -> set[str]:
    """What the seat to act may do, as text."""
    rules = rules_of(games)
    mask = batch.legal_mask(games)[0]
    return {notation.format_action(int(action), rules) for action in np.flatnonzero(mask)}


def plays(games: Games) -> set[str]:
    """The plays among them."""
    return legal(games) - {"DRAW", "PASS"}


def do(games: Games, *words: str) -> None:
    """Take these actions."""
    for word in words:
        batch.step(games, np.array([notation.parse_action(word, rules_of(games))]))


def parts(games: Games) -> list[str]:
    """The position's phase, ends, hands, boneyard and turn as text."""
    return notation.format_position(games[0]).split(" | ")


def hands(games: Games) -> list[set[str]]:
    """The hand of each seat."""
    return [set(hand.split()) - {"-"} for hand in parts(games)[2].split(" / ")]


def points(games: Games) -> list[int]:
    """The points of each seat."""
    return games["points"][0, : games["players"][0]].tolist()


def check_acts(games: Games, expect: dict[str, Any]) -> None:
    """Carry out what the case says is done, checking what is on offer on the way."""
    if "legal" in expect:
        assert plays(games) == set(expect.pop("legal").split())
    if "actions" in expect:
        assert legal(games) == set(expect.pop("actions").split())
    if expect.pop("no_double", False):
        assert all(play[0] != play[2] for play in plays(games))
    if "draw" in expect:
        seat, before = int(games["seat"][0]), hands(games)
        do(games, "DRAW")
        assert hands(games)[seat] - before[seat] == {expect.pop("draw")}
    if "legal_after_draw" in expect:
        assert plays(games) == set(expect.pop("legal_after_draw").split())
    for key in ("do", "then"):
        if key in expect:
            do(games, expect.pop(key))
    if expect.pop("decline", False) or legal(games) == {"PASS"}:
        do(games, "PASS")


def check_after(games: Games, expect: dict[str, Any]) -> None:
    """Compare the state that the case ends in."""
    over = bool(games["over"][0] == GAME_OVER)
    out = [f"P{seat}" for seat, hand in enumerate(hands(games)) if not hand]
    state = {
        "phase": parts(games)[0],
        "ends": [int(end) for end in parts(games)[1].split() if end != "-"],
        "turn": games["seat"][0],
        "turn_after": games["seat"][0],
        "hand0": hands(games)[0],
        "legal_next": plays(games),
        "blocked": over and games["blocked_rounds"][0] == 1,
        "over": out[0] if over and out else None,
        "scores": points(games),
    }
    for key, wanted in expect.items():
        words = key in ("hand0", "legal_next")
        assert state[key] == (set(wanted.split()) if words else wanted), key


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_position_has_the_answer_worked_by_hand(case: dict[str, Any]) -> None:
    """Every key of every position."""
    games = notation.parse_position(case["position"])
    expect = dict(case["expect"])
    check_acts(games, expect)
    check_after(games, expect)


@pytest.mark.parametrize(("players", "turn"), [(2, 0), (3, 2), (4, 2)])
def test_s1_the_holder_of_the_highest_double_lays_it(players: int, turn: int) -> None:
    """R7: seat 1 holds 9-9."""
    rules = Rules(players=players)
    games = deal_order(rules, order_with(rules, ["0-0", "9-9"] + [""] * (players - 2)))
    assert (parts(games)[:2], games["seat"][0]) == (["ARMS 9/4", "-"], turn)
    assert (games["finder"][0], games["hunted"][0], len(hands(games)[1])) == (1, 0, 6)
    assert all("9" in play[:3] and play[-1] == "9" for play in plays(games))


def test_s2_the_second_round_starts_with_the_next_lower_double() -> None:
    """R8: the 9-9 stays in its hand as a double like any other."""
    rules = Rules(players=2)
    games = deal_order(rules, order_with(rules, ["9-9", "8-8"]), round_index=1)
    assert (games["finder"][0], parts(games)[0], games["seat"][0]) == (1, "ARMS 8/4", 0)
    assert "9-9" in hands(games)[0]


def test_s3_seats_draw_in_turn_until_the_starter_is_found() -> None:
    """R9, R10: the fourth tile drawn, by seat 0, is the starter."""
    rules = Rules(players=3)
    games = deal_order(rules, order_with(rules, ["", "", ""], "1-2 3-4 5-6 9-9 0-1"))
    assert [len(hand) for hand in hands(games)] == [8, 8, 8]
    assert all(tile in hand for tile, hand in zip(["1-2", "3-4", "5-6"], hands(games), strict=True))
    assert (games["finder"][0], games["hunted"][0], games["seat"][0]) == (0, 4, 1)
    assert parts(games)[3].split()[0] == "0-1"


def test_s5_the_finder_keeps_what_it_drew_and_lays_the_starter() -> None:
    """R9: two seats, the starter is the third tile of the boneyard."""
    rules = Rules(players=2)
    games = deal_order(rules, order_with(rules, ["", ""], "1-2 3-4 9-9"))
    assert (games["finder"][0], games["hunted"][0]) == (0, 3)
    assert [len(hand) for hand in hands(games)] == [8, 8]


@pytest.mark.parametrize(("round_index", "finder"), [(0, 0), (1, 1), (2, 2), (3, 0)])
def test_the_hunt_begins_one_seat_later_each_round(round_index: int, finder: int) -> None:
    """Q2: the starter is the fourth tile drawn, so the lead seat finds it."""
    rules = Rules(players=3, rounds=(9, 9, 9, 9))
    order = order_with(rules, ["", "", ""], "0-1 1-2 0-2 9-9")
    games = deal_order(rules, order, round_index)
    assert (games["finder"][0], games["hunted"][0]) == (finder, 4)


@pytest.mark.parametrize(
    ("draw_stride", "boneyard", "drawn"),
    [
        (5, "0-1 0-2 0-3 0-4 0-5 9-9 1-1", ["0-1", ""]),
        (5, "0-1 0-2 9-9 0-3 0-4 1-1 1-2", ["0-1 0-2", "1-1 1-2"]),
        (6, "0-1 0-2 1-3 9-9 0-3 0-4 1-1", ["0-1 0-2", "1-1 1-3"]),  # seat 1 goes round
    ],
)
def test_seats_draw_from_their_own_places(
    draw_stride: int, boneyard: str, drawn: list[str]
) -> None:
    """Seat 0 draws from place 0 on, seat 1 from place `draw_stride` on."""
    rules = Rules(players=2, hand_size=24)
    order = order_with(rules, ["", ""], boneyard)
    dealt = [{notation.format_tile(tile) for tile in order[at : at + 24]} for at in (0, 24)]
    games = deal_order(rules, order, draw_stride=draw_stride)
    taken = [hand - start for hand, start in zip(hands(games), dealt, strict=True)]
    assert taken == [set(row.split()) for row in drawn]


@pytest.mark.parametrize(("max_pip", "rounds"), [(9, 10), (6, 7), (12, 13), (15, 16), (18, 19)])
def test_s7_one_round_for_each_double_from_the_highest_down(max_pip: int, rounds: int) -> None:
    """R8, R20: the starter of each round lies on the table."""
    games = batch.deal(Rules(max_pip=max_pip), np.array([7], np.uint64))
    starters: list[int] = []
    for _ in range(10_000):
        if games["over"][0] == GAME_OVER:
            break
        if len(starters) == games["round"][0]:
            starters.append(int(games["starter"][0]))
            assert rows_of(games["laid"])[0, starters[-1]] == 1 << starters[-1]
        batch.step(games, batch.legal_mask(games).argmax(axis=1))
    assert starters == list(range(max_pip, -1, -1))
    assert len(starters) == rounds


def test_s8_turns_go_clockwise_from_the_starter() -> None:
    """R12: seat 3 starts."""
    rules = Rules()
    games = deal_order(rules, order_with(rules, ["", "", "", "9-9"]))
    seats = [int(games["finder"][0]), int(games["seat"][0])]
    for _ in range(12):
        batch.step(games, batch.legal_mask(games).argmax(axis=1))
        if games["seat"][0] != seats[-1]:
            seats.append(int(games["seat"][0]))
    assert seats[:6] == [3, 0, 1, 2, 3, 0]


def test_s10_hands_must_fit_the_set() -> None:
    """R5, Q29: 8 hands of 7 are 56 tiles, 7 of them leave a boneyard of 6."""
    with pytest.raises(RulesError, match=r"56 tiles.*has 55"):
        Rules(players=8)
    assert Rules(players=7).boneyard == 6


@pytest.mark.parametrize(
    ("hand", "double_blank_points", "wanted"),
    [("0-0 0-1 5-5", 50, 61), ("0-0 0-1 5-5", 0, 11), ("0-0 0-1 5-5", 25, 36), ("6-6", 50, 12)],
)
def test_m1_m2_points_of_a_hand(hand: str, double_blank_points: int, wanted: int) -> None:
    """R18, Q24: a blocked round charges pips, and the price of the double-blank alone."""
    rules = Rules(players=2, rounds=(9,), double_blank_points=double_blank_points)
    games = notation.parse_position(f"OPEN | 8 | {hand} / 1-1 | - | 0", rules)
    assert points(games) == [wanted, 2]


V2_V3 = "OPEN | 3 | 1-2 / 4-4 | 3-6 7-7 | 0"


def test_v2_a_drawn_tile_must_not_be_played_at_once() -> None:
    """`drawn_tile="no"`: the draw ends the turn."""
    games = notation.parse_position(V2_V3, Rules(players=2, rounds=(9,), drawn_tile="no"))
    do(games, "DRAW")
    assert notation.format_position(games[0]) == "OPEN | 3 | 1-2 3-6 / 4-4 | 7-7 | 1"


def test_v3_a_drawn_tile_must_be_played() -> None:
    """`drawn_tile="must"`: no keep; without a play the seat passes."""
    rules = Rules(players=2, rounds=(9,), drawn_tile="must")
    games = notation.parse_position(V2_V3, rules)
    do(games, "DRAW")
    assert legal(games) == {"3-6@3"}
    games = notation.parse_position("OPEN | 3 | 1-2 / 4-4 | 5-6 7-7 | 0", rules)
    do(games, "DRAW")
    assert legal(games) == {"PASS"}


def test_v4_six_arms() -> None:
    """`starter_arms=6`: after four arms two are still owed."""
    rules = Rules(players=2, rounds=(9,), starter_arms=6)
    text = "ARMS 9/6 | - | 1-9 3-9 1-1 5-9 / 2-9 4-9 6-6 | 0-0 | 0"
    games = notation.parse_position(text, rules)
    do(games, "1-9@9", "2-9@9", "3-9@9", "4-9@9")
    assert (parts(games)[:2], legal(games)) == (["ARMS 9/2", "1 2 3 4"], {"5-9@9"})


def test_v13_one_toe() -> None:
    """`toes=1`: one tile completes a foot."""
    rules = Rules(players=2, rounds=(8,), toes=1)
    games = notation.parse_position("OPEN | 6 | 6-6 0-1 / 6-8 2-2 | 9-9 | 0", rules)
    do(games, "6-6@6")
    assert (parts(games)[:2], legal(games)) == (["FOOT 6/1", "-"], {"6-8@6"})
    do(games, "6-8@6")
    assert parts(games)[:2] == ["OPEN", "8"]


def test_v18_no_more_arms_than_tiles_for_them() -> None:
    """`starter_arms=8` with a double-six set: only six tiles fit the starter."""
    with pytest.raises(RulesError, match="starter_arms=8: allowed are whole numbers from 1 to 6"):
        Rules(players=2, max_pip=6, starter_arms=8)


def test_a_round_of_one_tile_ends_with_the_starter() -> None:
    """R17: with hands of one tile the holder of the starter goes out by laying it."""
    rules = Rules(players=2, hand_size=1, rounds=(9,))
    games = deal_order(rules, order_with(rules, ["9-9", "1-2"]))
    assert (games["over"][0], points(games)) == (GAME_OVER, [0, 3])
    assert games["zero_rounds"][0, :2].tolist() == [1, 0]
    assert games["best_round"][0, 1] == 3
    assert legal(games) == {"PASS"}
