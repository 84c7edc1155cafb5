"""The reference engine against the cases worked by hand from the rules."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from reference import (
    DRAW,
    PASS,
    Action,
    ReferenceGame,
    action_id,
    parse_tile,
    parse_tiles,
)
from reference_rules import Tile, all_doubles, down_and_up, full_set, ranks_of

CASES = json.loads((Path(__file__).parent / "cases" / "positions.json").read_text())["cases"]


def new_game(**changes: Any) -> ReferenceGame:
    """A game under the seed rules, with `changes`; `orders` is a list of orders, one a round."""
    rules = dict(changes)
    rules.setdefault("rounds", all_doubles(rules.get("max_pip", 9)))
    if "orders" in rules:
        orders = rules.pop("orders")
        rules["order_of_round"] = lambda index, attempt: orders[index]
    rules.setdefault("order_of_round", shuffled(rules.get("max_pip", 9), seed=1))
    return ReferenceGame(**rules)


def shuffled(max_pip: int, seed: int) -> Callable[[int, int], list[Tile]]:
    """Orders of every round, drawn from `seed`."""

    def order_of_round(index: int, attempt: int) -> list[Tile]:
        chance = random.Random(f"{seed}/{index}/{attempt}")
        return chance.sample(full_set(max_pip), len(full_set(max_pip)))

    return order_of_round


def order_with(
    hands: Sequence[str], boneyard: str, max_pip: int = 9, hand_size: int = 7
) -> list[Tile]:
    """An order that deals the named tiles; the rest fills up the hands, then the boneyard."""
    rows = [parse_tiles(hand) for hand in (*hands, boneyard)]
    named = [tile for row in rows for tile in row]
    rest = iter([tile for tile in full_set(max_pip) if tile not in named])
    order = [
        tile
        for row in rows[:-1]
        for tile in [*row, *(next(rest) for _ in range(len(row), hand_size))]
    ]
    return [*order, *rows[-1], *rest]


def play(text: str) -> Action:
    """The action written as "5-7@5"."""
    tile, _, value = text.partition("@")
    return ("play", parse_tile(tile), int(value))


def actions(text: str) -> set[Action]:
    """The actions written as "5-7@5 5-7@7 DRAW"."""
    return {{"DRAW": DRAW, "PASS": PASS}.get(word) or play(word) for word in text.split()}


def plays_of(game: ReferenceGame) -> set[Action]:
    """The plays among the legal actions."""
    return set(game.legal_actions()) - {DRAW, PASS}


def finish_round(game: ReferenceGame) -> None:
    """Take the first legal action until the round on the table is over."""
    finished = len(game.results)
    while len(game.results) == finished:
        game.step(game.legal_actions()[0])


def check_acts(game: ReferenceGame, expect: dict[str, Any]) -> None:
    """Carry out what the case says is done, checking what is on offer on the way."""
    if "legal" in expect:
        assert plays_of(game) == actions(expect.pop("legal"))
    if "actions" in expect:
        assert set(game.legal_actions()) == actions(expect.pop("actions"))
    if expect.pop("no_double", False):
        assert all(low != high for _, (low, high), _ in plays_of(game))
    if "draw" in expect:
        seat = game.seat
        game.step(DRAW)
        assert game.hands[seat][-1] == parse_tile(expect.pop("draw"))
    if "legal_after_draw" in expect:
        assert plays_of(game) == actions(expect.pop("legal_after_draw"))
    for key in ("do", "then"):
        if key in expect:
            game.step(play(expect.pop(key)))
    if expect.pop("decline", False) or game.legal_actions() == [PASS]:
        game.step(PASS)


def check_after(game: ReferenceGame, expect: dict[str, Any]) -> None:
    """Compare the state that the case ends in."""
    name, value, owed = game.phase()
    last = game.results[-1] if game.over else None
    state = {
        "phase": name if value is None else f"{name} {value}/{owed}",
        "ends": sorted(game.end_values().elements()),
        "turn": game.seat,
        "turn_after": game.seat,
        "hand0": {*game.hands[0]},
        "legal_next": plays_of(game),
        "blocked": last is not None and last.outcome == "BLOCKED",
        "over": f"P{last.hands.index([])}" if last and last.outcome == "WENT_OUT" else None,
        "scores": game.points,
    }
    read = {"hand0": lambda text: {*parse_tiles(text)}, "legal_next": actions}
    for key, wanted in expect.items():
        assert state[key] == read.get(key, lambda same: same)(wanted), key


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_position_has_the_answer_worked_by_hand(case: dict[str, Any]) -> None:
    """Every key of every position."""
    game = ReferenceGame.from_position(case["position"])
    expect = dict(case["expect"])
    check_acts(game, expect)
    check_after(game, expect)


@pytest.mark.parametrize(("players", "turn"), [(2, 0), (3, 2), (4, 2)])
def test_s1_holder_of_the_highest_double_lays_it(players: int, turn: int) -> None:
    """R7: seat 1 holds 9-9."""
    game = new_game(players=players, orders=[order_with(["0-0", "9-9"], "")], rounds=(9,))
    assert (game.phase(), game.end_values(), game.seat) == (("ARMS", 9, 4), {}, turn)
    assert (game.finder, game.hunted, game.table, len(game.hands[1])) == (1, 0, [(9, 9)], 6)


def test_s2_second_round_starts_with_the_next_lower_double() -> None:
    """R8: the 9-9 stays in its hand as a double like any other."""
    order = order_with(["9-9", "8-8"], "")
    game = new_game(players=2, orders=[order, order])
    finish_round(game)
    assert (game.round, game.finder, game.phase(), game.seat) == (1, 1, ("ARMS", 8, 4), 0)
    assert (9, 9) in game.hands[0]


def test_s3_seats_draw_in_turn_until_the_starter_is_found() -> None:
    """R9, R10: the fourth tile drawn, by seat 0, is the starter."""
    order = order_with(["", "", ""], "1-2 3-4 5-6 9-9 0-1")
    game = new_game(players=3, orders=[order])
    assert [hand[7:] for hand in game.hands] == [[(1, 2)], [(3, 4)], [(5, 6)]]
    assert (game.finder, game.hunted, game.seat, game.boneyard[0]) == (0, 4, 1, (0, 1))


def test_s5_finder_keeps_what_it_drew_and_lays_the_starter() -> None:
    """R9: two seats, the starter is the third tile of the boneyard."""
    game = new_game(players=2, orders=[order_with(["", ""], "1-2 3-4 9-9")])
    assert (game.finder, game.hunted, [len(hand) for hand in game.hands]) == (0, 3, [8, 8])


def test_hunt_begins_one_seat_later_each_round() -> None:
    """Q2: the same order is found by seat 0, then by seat 1."""
    orders = [order_with(["", "", ""], f"0-1 1-2 0-2 {pip}-{pip}") for pip in (9, 8)]
    game = new_game(players=3, orders=orders)
    finish_round(game)
    assert (game.results[0].finder, game.results[0].hunted) == (0, 4)
    assert (game.finder, game.hunted) == (1, 4)


@pytest.mark.parametrize(
    ("draw_stride", "boneyard", "drawn"),
    [
        (5, "0-1 0-2 0-3 0-4 0-5 9-9 1-1", ["0-1", "-"]),
        (5, "0-1 0-2 9-9 0-3 0-4 1-1 1-2", ["0-1 0-2", "1-1 1-2"]),
        (6, "0-1 0-2 1-3 9-9 0-3 0-4 1-1", ["0-1 0-2", "1-1 1-3"]),  # seat 1 goes round
    ],
)
def test_seats_draw_from_their_own_places(
    draw_stride: int, boneyard: str, drawn: list[str]
) -> None:
    """Seat 0 draws from place 0 on, seat 1 from place `draw_stride` on."""
    order = order_with(["", ""], boneyard, hand_size=24)
    game = new_game(players=2, hand_size=24, orders=[order], draw_stride=draw_stride)
    assert [hand[24:] for hand in game.hands] == [parse_tiles(row) for row in drawn]
    left = set(parse_tiles(boneyard)) - {(9, 9)} - {tile for hand in game.hands for tile in hand}
    assert game.boneyard == [tile for tile in parse_tiles(boneyard) if tile in left]


@pytest.mark.parametrize(("max_pip", "rounds"), [(9, 10), (6, 7), (12, 13), (15, 16), (18, 19)])
def test_s7_one_round_for_each_double_from_the_highest_down(max_pip: int, rounds: int) -> None:
    """R8, R20."""
    game = new_game(max_pip=max_pip)
    while not game.over:
        finish_round(game)
    assert [result.starter for result in game.results] == list(range(max_pip, -1, -1))
    assert [result.table[0] for result in game.results] == [
        (pip, pip) for pip in range(max_pip, -1, -1)
    ]
    assert len(game.results) == rounds


def test_s8_turns_go_clockwise_from_the_starter() -> None:
    """R12: seat 3 starts."""
    game = new_game(orders=[order_with(["", "", "", "9-9"], "")])
    seats = [game.seat]
    while len(seats) < 5:
        seat = game.seat
        game.step(game.legal_actions()[0])
        seats += [game.seat] if game.seat != seat else []
    assert seats == [0, 1, 2, 3, 0]


def test_s10_hands_must_fit_the_set() -> None:
    """R5, Q29: 8 hands of 7 are 56 tiles."""
    with pytest.raises(ValueError, match="exceed"):
        new_game(players=8)
    assert len(new_game(players=7).hands) == 7


def test_round_of_one_tile_ends_with_the_starter() -> None:
    """R17: with hands of one tile the holder of the starter goes out by laying it."""
    orders = [order_with(["9-9", "1-2"], "", hand_size=1), order_with(["", ""], "8-8", hand_size=1)]
    game = new_game(players=2, hand_size=1, orders=orders, rounds=(9, 8))
    assert (game.results[0].scores, game.results[0].outcome) == ([0, 3], "WENT_OUT")
    assert (game.round, game.phase(), game.zero_rounds) == (1, ("ARMS", 8, 4), [1, 0])


@pytest.mark.parametrize(
    ("hand", "double_blank_points", "blank_half_points", "points"),
    [
        ("0-0 0-1 5-5", 50, 0, 61),
        ("0-0 0-1 5-5", 0, 0, 11),
        ("0-0 0-1 5-5", 25, 0, 36),
        ("0-0 0-1 5-5", 50, 25, 86),
        ("0-0 0-1 0-9 5-5", 0, 10, 40),
        ("6-6", 50, 25, 12),
    ],
)
def test_m1_m2_points_of_a_hand(
    hand: str, double_blank_points: int, blank_half_points: int, points: int
) -> None:
    """R18, Q24: pips, the price of the double-blank and that of every other blank half."""
    position = f"OPEN | 3 | 3-9 / {hand} | 7-7 | 0"
    prices = {
        "double_blank_points": double_blank_points,
        "blank_half_points": blank_half_points,
    }
    game = ReferenceGame.from_position(position, **prices)
    game.step(play("3-9@3"))
    assert game.points == [0, points]


@pytest.mark.parametrize(
    ("score_sheet", "ranks"),
    [
        ([[0, 0, 5], [10, 0, 5], [30, 40, 30]], [2, 1, 3]),  # M3: most zero rounds
        ([[0, 30], [10, 0], [30, 10]], [1, 1]),  # M5: the same keys share the rank
        ([[9, 10, 100, 2]], [2, 3, 4, 1]),  # M6: by number
        ([[0, 0], [10, 15], [30, 25]], [1, 2]),  # lowest nonzero round
    ],
)
def test_m3_m5_m6_ranks(score_sheet: list[list[int]], ranks: list[int]) -> None:
    """R19, Q25."""
    assert ranks_of(score_sheet) == ranks


@pytest.mark.parametrize(
    ("text", "expected"), [("3-9@3", 39), ("3-9@9", 93), ("4-4@4", 44), ("0-0@0", 0)]
)
def test_action_id_of_a_play(text: str, expected: int) -> None:
    """Attach times ten plus free, for double-nine."""
    assert action_id(play(text), 9) == expected
    assert (action_id(DRAW, 9), action_id(PASS, 9)) == (100, 101)


def test_tile_goes_on_the_foot_although_another_end_fits() -> None:
    """R15, R16: the open 6 elsewhere stays; the fresh toe is an end, to be used once all lie."""
    game = ReferenceGame.from_position("FOOT 6/3 | 1 2 6 | 6-9 9-9 1-1 / 2-2 | 0-0 | 0")
    game.step(play("6-9@6"))
    assert (game.phase(), game.end_values()) == (("FOOT", 6, 2), {1: 1, 2: 1, 6: 1, 9: 1})


def test_illegal_action_changes_nothing() -> None:
    """An error, and the same state as before."""
    game = ReferenceGame.from_position("OPEN | 3 | 3-4 1-2 / 5-5 | 6-6 | 0")
    for action in (DRAW, PASS, play("1-2@1"), play("3-4@4"), play("5-5@5")):
        with pytest.raises(ValueError, match="not legal"):
            game.step(action)
    assert (game.hands, game.seat, game.facts) == ([[(3, 4), (1, 2)], [(5, 5)]], 0, [[], []])


def test_finished_game_has_pass_alone_which_does_nothing() -> None:
    """After the last round."""
    game = ReferenceGame.from_position("OPEN | 3 | 3-5 / 5-5 5-6 | 9-9 | 0")
    game.step(play("3-5@3"))
    assert (game.over, game.ranks(), game.legal_actions()) == (True, [1, 2], [PASS])
    before = (game.seat, game.facts, game.points)
    game.step(PASS)
    assert (game.seat, game.facts, game.points) == before


def drawn_since(game: ReferenceGame, seat: int) -> dict[int, int]:
    """What `drawn_since` says of a seat, pips never shown left out."""
    known = {pip: game.drawn_since(seat, pip) for pip in range(game.max_pip + 1)}
    return {pip: count for pip, count in known.items() if count is not None}


@pytest.mark.parametrize(
    ("drawn_tile", "after_draw", "after_turn"),
    [("may", 1, 1), ("must", 1, 0), ("no", 1, 1)],
)
def test_evidence_of_a_draw(drawn_tile: str, after_draw: int, after_turn: int) -> None:
    """The draw shows 3 and 8 absent; the pass after it proves more only where play is forced."""
    position = "OPEN | 3 8 | 1-2 / 4-4 | 5-6 7-7 | 0"
    game = ReferenceGame.from_position(position, drawn_tile=drawn_tile)
    game.step(DRAW)
    assert drawn_since(game, 0) == {3: after_draw, 8: after_draw}
    if drawn_tile != "no":
        game.step(PASS)
    assert (drawn_since(game, 0), drawn_since(game, 1)) == ({3: after_turn, 8: after_turn}, {})


def test_evidence_of_a_pass_without_a_draw() -> None:
    """With the boneyard empty the pass shows that every open pip is absent, or the foot's alone."""
    game = ReferenceGame.from_position("OPEN | 3 8 | 1-2 / 3-4 4-4 | - | 0")
    game.step(PASS)
    assert drawn_since(game, 0) == {3: 0, 8: 0}
    game = ReferenceGame.from_position("FOOT 6/2 | 3 8 | 1-3 / 4-6 4-4 | - | 0")
    game.step(PASS)
    assert drawn_since(game, 0) == {6: 0}


@pytest.mark.parametrize(
    ("opened", "played", "known"), [("0-3", "3-7@3", {3: 1, 5: 1}), ("0-5", "5-6@5", {3: 1, 5: 0})]
)
def test_evidence_is_used_up_by_playing_a_drawn_tile(
    opened: str, played: str, known: dict[int, int]
) -> None:
    """Seat 0 lacks 3 and draws, lacks 5 and draws: a 3 spends one draw, a 5 one of the second."""
    position = f"OPEN | 3 | 0-4 1-1 / 3-5 4-5 9-9 {opened} | 3-7 5-6 8-8 | 0"
    game = ReferenceGame.from_position(position)
    turns = [DRAW, PASS, play("3-5@3"), DRAW, PASS, play("4-5@5"), play("0-4@4")]
    for action in (*turns, play(f"{opened}@0")):
        game.step(action)
    assert drawn_since(game, 0) == {3: 2, 5: 1}
    game.step(play(played))
    assert (drawn_since(game, 0), drawn_since(game, 1)) == (known, {})


# Other rule sets: one row of the cases each, the field that differs is named.


def test_v1_a_seat_draws_until_it_can_play() -> None:
    """`draw_count="until_playable"`: nothing but drawing while nothing fits."""
    position = "OPEN | 3 | 1-2 / 4-4 | 4-5 3-6 7-7 | 0"
    game = ReferenceGame.from_position(position, draw_count="until_playable")
    for tile in ("4-5", "3-6"):
        assert (game.legal_actions(), game.seat) == ([DRAW], 0)
        game.step(DRAW)
        assert game.hands[0][-1] == parse_tile(tile)
    assert (plays_of(game), game.boneyard) == (actions("3-6@3"), [(7, 7)])


def test_v2_drawn_tile_must_not_be_played_at_once() -> None:
    """`drawn_tile="no"`: the draw ends the turn."""
    position = "OPEN | 3 | 1-2 / 4-4 | 3-6 7-7 | 0"
    game = ReferenceGame.from_position(position, drawn_tile="no")
    game.step(DRAW)
    assert (game.hands[0], game.seat, game.has_drawn) == ([(1, 2), (3, 6)], 1, False)


def test_v3_drawn_tile_must_be_played() -> None:
    """`drawn_tile="must"`: no keep."""
    position = "OPEN | 3 | 1-2 / 4-4 | 3-6 7-7 | 0"
    game = ReferenceGame.from_position(position, drawn_tile="must")
    game.step(DRAW)
    assert game.legal_actions() == [play("3-6@3")]


def test_v4_six_arms() -> None:
    """`starter_arms=6`: after four arms two are still owed."""
    position = "ARMS 9/6 | - | 1-9 3-9 1-1 5-9 / 2-9 4-9 6-6 | 0-0 | 0"
    game = ReferenceGame.from_position(position, starter_arms=6)
    for text in ("1-9@9", "2-9@9", "3-9@9", "4-9@9"):
        game.step(play(text))
    assert (game.phase(), game.legal_actions()) == (("ARMS", 9, 2), [play("5-9@9")])


def test_v6_highest_double_held_opens() -> None:
    """`starter_rule="highest_held"`: 6-6, though 9-9 is in the boneyard; no hunt."""
    orders = [order_with(["3-3", "2-2 6-6"], "9-9")]
    game = new_game(players=2, starter_rule="highest_held", orders=orders)
    assert (game.starter, game.finder, game.hunted, game.phase()) == (6, 1, 0, ("ARMS", 6, 4))


def test_v7_highest_unplayed_double_held_opens() -> None:
    """`starter_rule="highest_unplayed_held"`: 8-8, 9-9, then 7-7 though both are held again."""
    orders = [
        order_with(["", "8-8"], "9-9", hand_size=10),
        order_with(["9-9", ""], "", hand_size=10),
        order_with(["9-9", "8-8 7-7"], "", hand_size=10),
    ]
    doubles = " ".join(f"{pip}-{pip}" for pip in range(10))
    orders += [order_with([doubles, ""], "", hand_size=10)] * 7
    game = new_game(players=2, hand_size=10, starter_rule="highest_unplayed_held", orders=orders)
    while not game.over:
        finish_round(game)
    assert [result.starter for result in game.results] == [8, 9, 7, 6, 5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize(("block_rule", "scores"), [("first_stuck", [3, 7]), ("all_stuck", [])])
def test_v9_first_stuck_seat_ends_the_round(block_rule: str, scores: list[int]) -> None:
    """`block_rule="first_stuck"`: seat 0 is stuck; by default seat 1 goes on."""
    position = "OPEN | 3 8 | 1-2 / 3-4 | - | 0"
    game = ReferenceGame.from_position(position, block_rule=block_rule)
    assert [score for result in game.results for score in result.scores] == scores
    assert game.over == bool(scores)


def test_v11_going_out_with_a_double_costs_points() -> None:
    """`last_double="penalty"`: out, but no round of zero points."""
    position = "OPEN | 6 | 6-6 / 0-0 6-7 | 9-9 | 0"
    game = ReferenceGame.from_position(position, last_double="penalty")
    game.step(play("6-6@6"))
    assert (game.results[0].outcome, game.results[0].winner) == ("WENT_OUT", 0)
    assert (game.points, game.zero_rounds, game.best_round) == ([50, 63], [0, 0], [50, 63])


def test_v13_one_toe() -> None:
    """`toes=1`: one tile completes a foot."""
    position = "OPEN | 6 | 6-6 0-1 / 6-8 2-2 | 9-9 | 0"
    game = ReferenceGame.from_position(position, toes=1)
    game.step(play("6-6@6"))
    assert game.phase() == ("FOOT", 6, 1)
    game.step(play("6-8@6"))
    assert (game.phase(), game.end_values()) == (("OPEN", None, 0), {8: 1})


def test_v14_down_and_up() -> None:
    """`rounds="down_and_up"`: 19 rounds, the double-blank once."""
    game = new_game(players=2, rounds=down_and_up(9))
    while not game.over:
        finish_round(game)
    starters = [result.starter for result in game.results]
    assert starters == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_v15_target_ends_the_game() -> None:
    """`target_points=100`: 40, 105 and 70 after the third of ten rounds.

    With hands of one tile the holder of the starter goes out at once.
    """
    hands = [["9-9", "0-0", "0-4"], ["0-9", "0-8", "8-8"], ["7-7", "7-9", "0-4"]]
    orders = [order_with(row, "", hand_size=1) for row in hands]
    game = new_game(players=3, hand_size=1, orders=orders, blank_half_points=31, target_points=100)
    assert [result.scores for result in game.results] == [[0, 50, 35], [40, 39, 0], [0, 16, 35]]
    assert (game.over, game.points, game.ranks()) == (True, [40, 105, 70], [1, 3, 2])


def test_v16_drawing_is_optional() -> None:
    """`draw_when_stuck="may"`: draw or pass."""
    position = "OPEN | 3 | 1-2 / 5-5 | 4-5 | 0"
    game = ReferenceGame.from_position(position, draw_when_stuck="may")
    assert set(game.legal_actions()) == {DRAW, PASS}


def test_v17_starter_does_not_use_up_the_turn() -> None:
    """`starter_uses_turn=False`: who lays the starter acts again."""
    order = order_with(["9-9 4-9 1-1", ""], "", hand_size=3)
    game = new_game(players=2, hand_size=3, rounds=(9,), starter_uses_turn=False, orders=[order])
    assert (game.seat, game.legal_actions()) == (0, [play("4-9@9")])


def test_v18_more_arms_than_tiles_for_them() -> None:
    """`starter_arms=8` with a double-six set."""
    with pytest.raises(ValueError, match="8 arms"):
        new_game(max_pip=6, starter_arms=8)
