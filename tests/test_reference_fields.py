"""The reference engine: what each rule field does beyond the rows of the cases."""

from __future__ import annotations

from typing import Any

import pytest
from reference import DRAW, PASS, ReferenceGame, parse_tiles
from reference_rules import Tile, full_set, is_double
from test_reference import actions, drawn_since, finish_round, new_game, play


def dealing(hands: str, boneyard: str = "-") -> list[Tile]:
    """An order that deals exactly these hands; after the named tiles the doubles come last."""
    named = [tile for row in (*hands.split("/"), boneyard) for tile in parse_tiles(row)]
    rest = [tile for tile in full_set(9) if tile not in named]
    return [*named, *sorted(rest, key=is_double)]


def one_round(hands: str, boneyard: str = "-", **changes: Any) -> ReferenceGame:
    """A game of one round that deals exactly these hands."""
    rows = [parse_tiles(row) for row in hands.split("/")]
    game = {"players": len(rows), "hand_size": len(rows[0]), "rounds": (9,), **changes}
    if "order_of_round" not in game:
        game.setdefault("orders", [dealing(hands, boneyard)])
    return new_game(**game)


# Where the starter comes from.


def test_set_aside_starter_changes_places_with_the_first_tile() -> None:
    """`starter_source="set_aside"`: place 0 goes where the 9-9 lay; the deal begins at place 1."""
    order = dealing("0-1 0-2 0-3 / 0-4 9-9", "0-5 0-6")
    aside = {"starter_source": "set_aside", "lead_rule": "rotate"}
    game = one_round("0-1 0-2 / 0-3 0-4", orders=[order], **aside)
    assert game.hands == [parse_tiles("0-2 0-3"), parse_tiles("0-4 0-1")]
    assert (game.boneyard[:2], len(game.boneyard)) == (parse_tiles("0-5 0-6"), 50)
    assert (game.table, game.phase(), game.seat) == ([(9, 9)], ("ARMS", 9, 4), 1)
    assert (game.finder, game.hunted, game.facts) == (0, 0, [[], []])


def test_draw_places_do_not_count_a_starter_set_aside() -> None:
    """`starter_source="set_aside"`: with a stride of 2 seat 1 draws from the boneyard's place 2."""
    order = dealing("9-9 1-2 / 0-1", "0-2 0-3 0-4 0-5")
    aside = {"starter_source": "set_aside", "lead_rule": "rotate", "hand_size": 1}
    game = one_round("1-2 / 0-1", orders=[order], draw_stride=2, **aside)
    game.step(DRAW)
    assert (game.seat, game.hands[1][-1]) == (1, (0, 4))


def test_seats_draw_together_before_they_look() -> None:
    """`starter_missing="draw_together"`: seat 2 draws although seat 1 has found the 9-9."""
    game = one_round("0-1/0-2/0-3", "0-4 9-9 0-5", starter_missing="draw_together")
    assert (game.finder, game.hunted, game.seat) == (1, 3, 2)
    assert game.hands == [parse_tiles("0-1 0-4"), [(0, 2)], parse_tiles("0-3 0-5")]


def test_highest_of_the_doubles_drawn_together_opens() -> None:
    """`starter_missing="draw_together"`: the 7-7 of seat 2, not the 3-3 of seat 0."""
    together = {"starter_missing": "draw_together", "starter_rule": "highest_held"}
    game = one_round("0-1/0-2/0-3", "3-3 0-4 7-7 9-9", **together)
    assert (game.starter, game.finder, game.hunted) == (7, 2, 3)


def test_drawing_together_ends_with_the_boneyard() -> None:
    """`starter_missing="draw_together"`: two tiles are left for three seats."""
    order = parse_tiles("0-0 0-1 1-1 0-2 1-2 2-2")
    rules = {"players": 4, "max_pip": 2, "hand_size": 1, "starter_arms": 2, "rounds": (2,)}
    game = new_game(**rules, orders=[order], starter_missing="draw_together")
    assert (game.finder, game.hunted, game.boneyard) == (1, 2, [])


@pytest.mark.parametrize(
    ("hands", "boneyard", "opened"),
    [
        ("4-4 0-1 / 2-2 0-2", "-", (4, 0, 0)),  # the highest of the lower ones held
        ("7-7 0-1 / 8-8 2-2", "-", (2, 1, 0)),  # a lower one before a higher one
        ("7-7 0-1 / 8-8 0-2", "-", (8, 1, 0)),  # none is lower
        ("0-3 0-1 / 0-4 0-2", "0-5 7-7 5-5", (7, 1, 2)),  # none is held: any is drawn for
    ],
)
def test_next_lower_double_held_opens(
    hands: str, boneyard: str, opened: tuple[int, int, int]
) -> None:
    """`starter_missing="next_lower_held"`: nobody holds the 5-5."""
    game = one_round(hands, boneyard, starter_missing="next_lower_held", rounds=(5,))
    assert (game.starter, game.finder, game.hunted) == opened


def test_next_lower_held_draws_where_several_doubles_are_wanted() -> None:
    """`starter_missing="next_lower_held"`: in round 2 the 9-9 has been played, so it is no help."""
    orders = [dealing("9-9 / 0-1"), dealing("0-1 / 9-9", "0-2 0-3 4-4")]
    rules = {"starter_missing": "next_lower_held", "starter_rule": "highest_unplayed_held"}
    game = one_round("9-9 / 0-1", orders=orders, rounds=(9, 8), **rules)
    assert (game.results[0].starter, game.starter, game.hunted, game.finder) == (9, 4, 3, 1)


@pytest.mark.parametrize("starter_rule", ["descending", "highest_held", "highest_unplayed_held"])
def test_redeal_until_a_wanted_double_is_held(starter_rule: str) -> None:
    """`starter_missing="redeal"`: the third deal is played, and nothing is left of the others."""
    deals = [
        dealing("0-1 0-2 / 0-3 0-4"),
        dealing("1-3 1-2 / 0-3 0-4"),
        dealing("0-4 0-5 / 9-9 0-6"),
    ]
    game = one_round(
        "0-1 0-2 / 0-3 0-4",
        starter_missing="redeal",
        starter_rule=starter_rule,
        order_of_round=lambda index, attempt: deals[attempt],
    )
    assert (game.redeals, game.finder, game.hunted, len(game.boneyard)) == (2, 1, 0, 51)
    assert game.hands == [parse_tiles("0-4 0-5"), [(0, 6)]]


# Who draws first, who leads, who begins.


@pytest.mark.parametrize(
    ("hunt_first", "hands", "finder"),
    [
        ("lead_seat", "0-1 0-2 / 0-3 0-5 / 0-6 0-7", 1),
        ("previous_winner", "0-1 0-2 / 0-3 0-5 / 0-6 0-7", 1),  # in round 1 the lead seat
        ("highest_tile", "4-5 0-2 / 3-6 0-3 / 0-9 0-1", 0),  # all 9 pips: the larger half
        ("highest_tile", "0-9 0-2 / 6-7 0-3 / 0-8 0-1", 2),
        ("random", "0-1 0-2 / 0-3 0-5 / 0-6 0-7", 0),
    ],
)
def test_second_in_the_hunt_finds_the_starter(hunt_first: str, hands: str, finder: int) -> None:
    """`hunt_first`: the seat before the finder drew first."""
    game = one_round(hands, "0-4 9-9", hunt_first=hunt_first, random_hunter=lambda index: 2)
    assert (game.finder, game.hunted) == (finder, 2)


def test_previous_winner_draws_first() -> None:
    """`hunt_first="previous_winner"`: seat 2 went out; seat 1 is the lead seat of round 2."""
    orders = [dealing("0-1 / 0-2 / 9-9"), dealing("0-1 / 0-2 / 0-3", "0-4 0-5 8-8")]
    game = one_round("0-1/0-2/9-9", orders=orders, rounds=(9, 8), hunt_first="previous_winner")
    assert (game.results[0].winner, game.lead, game.finder, game.hunted) == (2, 1, 1, 3)


@pytest.mark.parametrize(("lead", "winner"), [(0, 0), (1, 2), (2, 2)])
def test_winner_of_a_blocked_round_is_the_first_of_the_lowest(lead: int, winner: int) -> None:
    """Nobody may draw and nobody has a 9: points 3, 9, 3, counted from the lead seat on."""
    game = one_round(
        "9-9 0-3 / 0-4 0-5 / 0-1 0-2",
        boneyard_reserve=49,
        lead_rule="lot",
        lot=lambda: lead,
    )
    result = game.results[0]
    assert (result.outcome, result.scores, result.winner) == ("BLOCKED", [3, 9, 3], winner)


@pytest.mark.parametrize(
    ("lead_rule", "leads"),
    [
        ("starter_holder", [0, 1, 2, 0]),
        ("rotate", [0, 1, 2, 0]),
        ("lot", [2, 0, 1, 2]),
        ("random", [1, 1, 0, 2]),
    ],
)
def test_lead_seats_of_the_rounds(lead_rule: str, leads: list[int]) -> None:
    """`lead_rule`: one seat on each round, from a seat by lot, or any seat."""
    game = new_game(
        players=3,
        rounds=(9, 8, 7, 6),
        lead_rule=lead_rule,
        lot=lambda: 2,
        random_lead=[1, 1, 0, 2].__getitem__,
    )
    while not game.over:
        finish_round(game)
    assert [result.lead for result in game.results] == leads


@pytest.mark.parametrize(
    ("lead_rule", "starter_source", "beginner", "finder"),
    [
        ("starter_holder", "hands", 1, 1),
        ("rotate", "hands", 0, 1),
        ("lot", "hands", 2, 1),
        ("random", "hands", 3, 1),
        ("rotate", "set_aside", 0, 0),
        ("lot", "set_aside", 2, 2),
        ("random", "set_aside", 3, 3),
    ],
)
@pytest.mark.parametrize("uses_turn", [True, False])
def test_first_turn(
    lead_rule: str, starter_source: str, beginner: int, finder: int, uses_turn: bool
) -> None:
    """`lead_rule`, `starter_uses_turn`: seat 1 holds 9-9; who begins acts or is passed over."""
    game = one_round(
        "0-1 0-2 / 9-9 0-3 / 0-4 0-5 / 0-6 0-7",
        lead_rule=lead_rule,
        starter_source=starter_source,
        starter_uses_turn=uses_turn,
        lot=lambda: 2,
        random_lead=lambda index: 3,
    )
    assert (game.seat, game.finder) == ((beginner + uses_turn) % 4, finder)


@pytest.mark.parametrize("field", ["lead_rule", "hunt_first"])
def test_chance_not_given(field: str) -> None:
    """An error instead of a seat."""
    with pytest.raises(ValueError, match="not given"):
        one_round("0-1 / 0-2", **{field: "random"})


# Drawing.


def test_reserve_is_not_drawn_in_a_turn() -> None:
    """`boneyard_reserve`: with two tiles left and one kept back one may be drawn, then none."""
    position = "OPEN | 3 | 1-2 / 3-4 4-4 | 5-5 6-6 | 0"
    game = ReferenceGame.from_position(position, boneyard_reserve=1)
    assert game.legal_actions() == [DRAW]
    game.step(DRAW)
    for action in (PASS, play("3-4@3")):
        game.step(action)
    assert (game.legal_actions(), game.boneyard) == ([PASS], [(6, 6)])


def test_reserve_counts_as_an_empty_boneyard() -> None:
    """`boneyard_reserve`: nobody can play and nobody may draw."""
    position = "OPEN | 3 | 1-2 / 4-4 | 5-5 6-6 | 0"
    game = ReferenceGame.from_position(position, boneyard_reserve=2)
    assert (game.over, game.blocked_rounds, game.points) == (True, 1, [3, 8])


def test_hunt_takes_tiles_of_the_reserve() -> None:
    """`boneyard_reserve`: the starter is the last but one of the tiles kept back."""
    boneyard = " ".join(f"{low}-{high}" for high in range(3, 9) for low in range(high))
    game = one_round("0-1 / 0-2", f"{boneyard} 9-9", boneyard_reserve=53)
    assert game.hunted == len(boneyard.split()) + 1
    assert not game.may_draw()


def test_until_playable_ends_with_the_boneyard() -> None:
    """`draw_count="until_playable"`: nothing was playable, so the seat misses its turn."""
    position = "OPEN | 3 | 1-2 / 3-4 | 4-5 5-6 | 0"
    game = ReferenceGame.from_position(position, draw_count="until_playable")
    game.step(DRAW)
    game.step(DRAW)
    assert (game.legal_actions(), len(game.hands[0])) == ([PASS], 3)
    game.step(PASS)
    assert (game.seat, game.has_drawn) == (1, False)


@pytest.mark.parametrize(("drawn_tile", "offered"), [("may", "3-6@3 PASS"), ("must", "3-6@3")])
def test_until_playable_stops_at_a_playable_tile(drawn_tile: str, offered: str) -> None:
    """`draw_count="until_playable"`, `drawn_tile`: more tiles would be left."""
    position = "OPEN | 3 | 1-2 / 3-4 | 3-6 5-6 | 0"
    rules = {"draw_count": "until_playable", "drawn_tile": drawn_tile}
    game = ReferenceGame.from_position(position, **rules)
    game.step(DRAW)
    assert set(game.legal_actions()) == actions(offered)


@pytest.mark.parametrize(("draw_count", "offered"), [("one", "PASS"), ("until_playable", "DRAW")])
def test_after_a_draw_that_does_not_fit(draw_count: str, offered: str) -> None:
    """`draw_count`, `draw_when_stuck`: the second draw is optional too."""
    position = "OPEN | 3 | 1-2 / 3-4 | 4-5 5-6 | 0"
    for when_stuck in ("must", "may"):
        rules = {"draw_count": draw_count, "draw_when_stuck": when_stuck}
        game = ReferenceGame.from_position(position, **rules)
        game.step(DRAW)
        assert set(game.legal_actions()) - {PASS} == actions(offered) - {PASS}
        assert (PASS in game.legal_actions()) == (draw_count == "one" or when_stuck == "may")


def test_optional_drawing_is_for_the_stuck() -> None:
    """`draw_when_stuck="may"`: a seat that can play must."""
    position = "OPEN | 3 | 1-3 / 3-4 | 4-5 | 0"
    game = ReferenceGame.from_position(position, draw_when_stuck="may")
    assert game.legal_actions() == [play("1-3@3")]


# The end of a round.


def test_a_lap_of_seats_that_decline_to_draw_is_a_block() -> None:
    """`draw_when_stuck="may"`: a play or a draw in between begins the lap anew."""
    position = "OPEN | 3 | 1-2 / 5-5 / 6-6 | 4-5 0-0 | 0"
    game = ReferenceGame.from_position(position, draw_when_stuck="may")
    for action in (PASS, PASS, DRAW, PASS, PASS, PASS):
        assert not game.over
        game.step(action)
    assert not game.over
    game.step(PASS)
    assert game.over and game.results[-1].outcome == "BLOCKED"
    assert game.points == [3, 10, 21]


@pytest.mark.parametrize(("block_rule", "over"), [("first_stuck", True), ("all_stuck", False)])
def test_first_stuck_may_be_who_drew_the_last_tile(block_rule: str, over: bool) -> None:
    """`block_rule="first_stuck"`: tested within the turn, after the draw."""
    position = "OPEN | 3 | 1-2 / 3-4 | 5-6 | 0"
    game = ReferenceGame.from_position(position, block_rule=block_rule)
    game.step(DRAW)
    assert (game.over, game.points) == (over, [14, 7] if over else [0, 0])


def test_first_stuck_looks_at_the_seat_to_act_alone() -> None:
    """`block_rule="first_stuck"`: seat 1 is stuck, but seat 0 is to act, then seat 1 is."""
    position = "OPEN | 3 | 2-3 1-1 1-3 / 4-4 | - | 0"
    game = ReferenceGame.from_position(position, block_rule="first_stuck")
    assert not game.over
    game.step(play("2-3@3"))
    assert (game.over, game.points) == (True, [6, 8])


@pytest.mark.parametrize(
    ("position", "action", "over"),
    [
        ("FOOT 6/3 | 1 | 6-9 1-2 / 2-2 | 7-7 8-8 | 0", "6-9@6", True),
        ("FOOT 6/3 | 1 | 6-9 1-2 / 2-2 | 7-7 6-8 | 0", "6-9@6", False),  # one more is drawn
        ("FOOT 6/1 | 1 | 6-9 1-2 / 2-2 | 7-7 8-8 | 0", "6-9@6", False),  # the foot is complete
        ("ARMS 9/2 | 1 2 | 8-9 1-2 / 2-2 | 7-7 | 0", "8-9@9", True),
        ("OPEN | 6 | 6-6 1-2 / 2-2 | 7-7 8-8 | 0", "6-6@6", True),  # no tile was left for it
    ],
)
def test_dead_foot_ends_the_round(position: str, action: str, over: bool) -> None:
    """`block_rule="dead_foot_too"`: although there are tiles to draw."""
    game = ReferenceGame.from_position(position, block_rule="dead_foot_too")
    game.step(play(action))
    assert (game.over, game.blocked_rounds) == (over, over)
    game = ReferenceGame.from_position(position)
    game.step(play(action))
    assert not game.over


def test_going_out_comes_before_a_dead_foot() -> None:
    """`block_rule="dead_foot_too"`: the last 6 is the last tile of the hand."""
    position = "FOOT 6/3 | 1 | 6-9 / 2-2 | 7-7 8-8 | 0"
    game = ReferenceGame.from_position(position, block_rule="dead_foot_too")
    game.step(play("6-9@6"))
    assert (game.results[0].outcome, game.points) == ("WENT_OUT", [0, 4])


def test_dead_foot_too_ends_blocked_rounds_as_well() -> None:
    """`block_rule="dead_foot_too"`: no foot is open, nobody can play or draw."""
    game = ReferenceGame.from_position("OPEN | 3 | 1-2 / 4-4 | - | 0", block_rule="dead_foot_too")
    assert game.blocked_rounds == 1


@pytest.mark.parametrize(
    ("last_double", "points", "scores"),
    [
        ("free", 50, [0, 3]),
        ("penalty", 20, [20, 3]),
        ("penalty", 0, [0, 3]),
        ("forbidden", 9, [0, 3]),
    ],
)
def test_going_out_with_the_starter(last_double: str, points: int, scores: list[int]) -> None:
    """`last_double`: it is a double like any other for the penalty, and never forbidden."""
    game = one_round("9-9 / 1-2", last_double=last_double, last_double_points=points)
    assert game.results[0].scores == scores
    assert game.zero_rounds == [int(scores[0] == 0), 0]


def test_penalty_is_for_doubles_alone() -> None:
    """`last_double="penalty"`: out with any other tile costs nothing, nor does a blocked round."""
    game = ReferenceGame.from_position("OPEN | 3 | 3-5 / 5-5 | 9-9 | 0", last_double="penalty")
    game.step(play("3-5@3"))
    assert game.points == [0, 10]
    game = ReferenceGame.from_position("FOOT 6/3 | 3 | 3-5 / 5-5 | - | 0", last_double="penalty")
    assert game.points == [8, 10]


@pytest.mark.parametrize(
    ("drawn_tile", "offered"), [("may", "5-5@5 4-5@5 PASS"), ("must", "5-5@5 4-5@5")]
)
def test_forbidden_last_double_has_to_draw(drawn_tile: str, offered: str) -> None:
    """`last_double="forbidden"`: with a second tile in the hand it may be laid."""
    position = "OPEN | 5 | 5-5 / 5-6 1-1 | 4-5 7-7 | 0"
    rules = {"last_double": "forbidden", "drawn_tile": drawn_tile}
    game = ReferenceGame.from_position(position, **rules)
    assert game.legal_actions() == [DRAW]
    game.step(DRAW)
    assert set(game.legal_actions()) == actions(offered)


def test_forbidden_last_double_is_no_play_for_the_block() -> None:
    """`last_double="forbidden"`: a 5 is open, and the round is blocked."""
    position = "OPEN | 5 | 5-5 / 1-1 | - | 0"
    game = ReferenceGame.from_position(position, last_double="forbidden")
    assert (game.blocked_rounds, game.points) == (1, [10, 2])
    assert not ReferenceGame.from_position(position).over


@pytest.mark.parametrize(("target", "rounds"), [(None, 4), (0, 4), (36, 2), (37, 3), (70, 4)])
def test_target_is_reached_or_not(target: int | None, rounds: int) -> None:
    """`target_points`: seat 1 gets 18 points in each round of one tile."""
    orders = [dealing(f"{pip}-{pip} / 9-9") for pip in (8, 7, 6, 5)]
    game = one_round("8-8 / 9-9", orders=orders, rounds=(8, 7, 6, 5), target_points=target)
    assert (game.over, len(game.results)) == (True, rounds)


# What a draw or a pass shows.


@pytest.mark.parametrize(("hand", "known"), [("5-5", {}), ("1-2", {}), ("1-2 1-1", {5: 1})])
def test_evidence_of_a_single_tile(hand: str, known: dict[int, int]) -> None:
    """`last_double="forbidden"`: it may be a double that fits, so drawing shows nothing."""
    position = f"OPEN | 5 | {hand} / 5-6 1-4 | 4-7 7-7 | 0"
    game = ReferenceGame.from_position(position, last_double="forbidden")
    game.step(DRAW)
    assert drawn_since(game, 0) == known


def test_evidence_of_a_pass_with_a_single_tile() -> None:
    """`last_double="forbidden"`: nor does passing; under the other rules it does."""
    position = "OPEN | 5 | 1-1 / 5-6 1-4 | - | 0"
    for last_double, known in (("forbidden", {}), ("penalty", {5: 0})):
        game = ReferenceGame.from_position(position, last_double=last_double)
        game.step(PASS)
        assert drawn_since(game, 0) == known


def test_evidence_of_every_draw_until_playable() -> None:
    """`draw_count="until_playable"`: the second draw shows that the first brought nothing."""
    position = "OPEN | 3 | 1-2 / 4-4 | 4-5 3-6 7-7 | 0"
    game = ReferenceGame.from_position(position, draw_count="until_playable")
    for _ in range(2):
        game.step(DRAW)
        assert drawn_since(game, 0) == {3: 1}


@pytest.mark.parametrize(("drawn_tile", "known"), [("may", {3: 1}), ("must", {3: 0})])
def test_evidence_of_declining_to_draw(drawn_tile: str, known: dict[int, int]) -> None:
    """`draw_when_stuck="may"`: it shows what a draw shows, unless a tile drawn may be kept."""
    position = "OPEN | 3 | 1-2 / 4-4 | 4-5 3-6 7-7 | 0"
    rules = {"draw_count": "until_playable", "draw_when_stuck": "may", "drawn_tile": drawn_tile}
    game = ReferenceGame.from_position(position, **rules)
    for action in (DRAW, PASS, PASS):
        game.step(action)
    assert (drawn_since(game, 0), drawn_since(game, 1)) == (known, {3: 0})


# What is refused.


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"starter_source": "set_aside"}, "set aside"),
        (
            {
                "starter_source": "set_aside",
                "lead_rule": "rotate",
                "starter_rule": "highest_held",
            },
            "from a hand",
        ),
        ({"draw_count": "until_playable", "drawn_tile": "no"}, "until_playable"),
        ({"starter_rule": "highest_unplayed_held", "rounds": (9,) * 11}, "11 rounds"),
        ({"players": 7, "boneyard_reserve": 7}, "kept back"),
        (
            {
                "players": 6,
                "hand_size": 9,
                "starter_source": "set_aside",
                "lead_rule": "lot",
                "boneyard_reserve": 1,
            },
            "kept back",
        ),
        ({"block_rule": "never"}, "must be one of"),
        ({"rounds": (10,)}, "starter pips"),
    ],
)
def test_refused(changes: dict[str, Any], message: str) -> None:
    """A rule set that means nothing."""
    with pytest.raises(ValueError, match=message):
        new_game(**changes)
