"""Positions and deals in text that lead through every line of the rule code, variants above all.

Coverage of the rule code is measured over this file among others (tests/coverage.py); what it
shows is worked by hand from the rules.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from core.dealing import deal_order, order_with
from numpy.typing import NDArray

from chickenfoot_env import batch, notation
from chickenfoot_env.game import GAME_OVER, UNKNOWN
from chickenfoot_env.rules import Rules

Games = NDArray[np.void]
OPENING = ("starter", "finder", "hunted", "seat")


def at(position: str, **changes: Any) -> Games:
    """The game in this position, of one round with the starter 4-4 and two players."""
    defaults = {"players": 2, "max_pip": 4, "hand_size": 3, "rounds": (4,)}
    return notation.parse_position(position, Rules(**{**defaults, **changes}))


def rules_of(games: Games) -> Rules:
    """Rules of the same set, which is all that the text of an action depends on."""
    return Rules(players=2, max_pip=int(games["max_pip"][0]), hand_size=1, toes=1, starter_arms=1)


def do(games: Games, words: str) -> Games:
    """The game after these actions."""
    for word in words.split():
        batch.step(games, np.array([notation.parse_action(word, rules_of(games))]))
    return games


def may(games: Games) -> str:
    """What the seat to act may do."""
    return " ".join(notation.legal_actions(games[0]))


def points(games: Games) -> list[int]:
    """The points of each seat, of a game that is over."""
    assert games["over"][0] == GAME_OVER
    return games["points"][0, : games["players"][0]].tolist()


def dealt(hands: list[str], boneyard: str = "", draw_stride: int = 0, **changes: Any) -> Games:
    """The game in which these tiles were dealt, the boneyard as it lies."""
    defaults = {"players": len(hands), "max_pip": 4, "hand_size": 3}
    rules = Rules(**{**defaults, **changes})
    return deal_order(rules, order_with(rules, hands, boneyard), draw_stride=draw_stride)


def opening(games: Games) -> tuple[int, int, int, int]:
    """Starter, the seat that laid it, tiles drawn in the hunt, seat to act."""
    starter, finder, hunted, seat = (int(games[name][0]) for name in OPENING)
    return starter, finder, hunted, seat


STUCK = "OPEN | 3 | 1-2 0-1 / 3-4 0-0 | 1-3 2-3 | 0"


def test_drawing_may_be_declined_and_a_lap_of_passes_blocks() -> None:
    """`draw_when_stuck="may"`: seat 0 passes, seat 1 plays; then both pass."""
    games = at(STUCK, draw_when_stuck="may")
    assert may(games) == "DRAW PASS"
    do(games, "PASS 3-4@3 PASS")
    assert (games["passes"][0], may(games)) == (1, "DRAW PASS")
    assert points(do(games, "PASS")) == [4, 50]


def test_a_draw_or_a_play_ends_a_row_of_passes() -> None:
    """The lap begins anew."""
    games = do(at(STUCK, draw_when_stuck="may"), "PASS 3-4@3 PASS DRAW")
    assert games["passes"][0] == 0
    games = do(at(STUCK, draw_when_stuck="may"), "PASS 3-4@3")
    assert games["passes"][0] == 0


def test_passing_after_a_draw_is_no_refusal() -> None:
    """Only turns without a draw count towards the lap."""
    games = at("OPEN | 3 | 1-2 0-1 / 0-0 2-2 | 1-1 0-2 0-4 | 0", draw_when_stuck="may")
    do(games, "DRAW PASS DRAW PASS")
    assert (games["passes"][0], games["over"][0]) == (0, 0)


def test_drawing_until_playable() -> None:
    """`draw_count="until_playable"`: two draws, then the tile that fits must be laid."""
    games = at("OPEN | 3 | 1-2 0-1 / 3-4 0-0 | 1-1 2-3 0-4 | 0", draw_count="until_playable")
    assert may(do(games, "DRAW")) == "DRAW"
    assert may(do(games, "DRAW")) == "2-3@3 PASS"
    games = at(
        "OPEN | 3 | 1-2 0-1 / 3-4 0-0 | 1-1 2-2 | 0", draw_count="until_playable", drawn_tile="must"
    )
    assert may(do(games, "DRAW DRAW")) == "PASS"


def test_the_reserve_is_never_drawn() -> None:
    """`boneyard_reserve`: of two tiles one may be drawn; then the seat passes."""
    games = at("OPEN | 3 | 1-2 0-1 / 3-4 0-0 | 1-1 2-3 | 0", boneyard_reserve=1)
    assert may(games) == "DRAW"
    assert may(do(games, "DRAW")) == "PASS"
    assert may(do(games, "PASS")) == "3-4@3"
    assert points(do(games, "3-4@3")) == [6, 50]
    games = at("OPEN | 3 | 1-2 0-1 / 3-4 0-0 | 2-3 | 0", boneyard_reserve=3)
    assert may(games) == "PASS"


@pytest.mark.parametrize(
    ("block_rule", "over"), [("all_stuck", False), ("first_stuck", True), ("dead_foot_too", False)]
)
def test_a_stuck_seat_without_a_boneyard(block_rule: str, over: bool) -> None:
    """Seat 0 has no 3, seat 1 has one."""
    games = at("OPEN | 3 | 1-2 0-1 / 3-4 0-0 | - | 0", block_rule=block_rule)
    assert (games["over"][0] == GAME_OVER) == over


def test_a_seat_that_is_stuck_after_the_last_draw_ends_the_round_as_well() -> None:
    """`block_rule="first_stuck"`: it draws the last tile, which does not fit."""
    games = at("OPEN | 3 | 1-2 0-1 / 3-4 0-0 | 1-1 | 0", block_rule="first_stuck")
    assert points(do(games, "DRAW")) == [6, 57]
    games = at("OPEN | 3 | 1-2 0-1 / 3-4 0-0 | 2-3 | 0", block_rule="first_stuck")
    assert may(do(games, "DRAW")) == "2-3@3 PASS"


@pytest.mark.parametrize(
    ("position", "dead"),
    [
        ("FOOT 3/1 | 0 1 | 0-0 0-1 / 1-1 | 2-2 1-2 | 0", True),  # all five 3s lie on the table
        ("FOOT 3/1 | 0 1 | 0-0 2-3 / 1-1 | 2-2 1-2 | 0", False),
        ("FOOT 3/1 | 0 1 | 0-0 0-1 / 1-1 | 2-2 2-3 | 0", False),
        ("ARMS 4/2 | 0 1 | 0-0 2-2 / 1-1 | 0-2 1-2 | 0", True),
        ("OPEN | 3 | 0-0 0-1 / 1-1 | 2-2 1-2 | 0", False),
    ],
)
def test_a_foot_that_nobody_can_complete(position: str, dead: bool) -> None:
    """`block_rule="dead_foot_too"`, though there are tiles to draw."""
    games = at(position, block_rule="dead_foot_too")
    assert (games["over"][0] == GAME_OVER) == dead
    assert at(position)["over"][0] == 0


def test_without_a_foot_none_is_dead() -> None:
    """With a double-eighteen set, and all of its 18s on the table."""
    games = at("OPEN | 3 | 0-3 1-1 / 0-0 2-2 | 1-2 | 0", max_pip=18, block_rule="dead_foot_too")
    assert may(games) == "0-3@3"


def test_a_last_double_may_be_forbidden() -> None:
    """`last_double="forbidden"`: the seat draws, and then may lay the double."""
    games = at("OPEN | 3 | 3-3 / 0-3 0-0 | 1-2 | 0", last_double="forbidden")
    assert may(games) == "DRAW"
    assert may(do(games, "DRAW")) == "3-3@3 PASS"
    assert (games["drawn_since"][0, 0, :5] == UNKNOWN).all()  # drawing showed nothing
    games = at("OPEN | 3 | 3-3 / 1-2 0-0 | - | 0", last_double="forbidden")
    assert points(games) == [6, 53]  # nobody has a play
    games = at("OPEN | 3 | 0-3 / 1-2 0-0 | - | 0", last_double="forbidden")
    assert may(games) == "0-3@3"
    games = at("OPEN | 3 | 1-2 2-2 / 0-3 0-0 | 1-1 | 0", last_double="forbidden")
    do(games, "DRAW")
    assert games["drawn_since"][0, 0, :5].tolist() == [*[UNKNOWN] * 3, 1, UNKNOWN]


@pytest.mark.parametrize(
    ("last_double", "hand", "wanted"),
    [
        ("penalty", "3-3", [20, 50]),
        ("free", "3-3", [0, 50]),
        ("penalty", "0-3", [0, 50]),
    ],
)
def test_going_out_with_a_double(last_double: str, hand: str, wanted: list[int]) -> None:
    """`last_double="penalty"` charges `last_double_points`, and that round is no zero round."""
    games = at(f"OPEN | 3 | {hand} / 0-0 | 1-2 | 0", last_double=last_double, last_double_points=20)
    assert points(do(games, f"{hand}@3")) == wanted
    assert games["zero_rounds"][0, 0] == (wanted[0] == 0)
    assert games["winner"][0] == 0


def test_going_out_with_a_toe_is_no_penalty() -> None:
    """The foot still wants tiles, but not all of them."""
    games = at("FOOT 3/3 | 1 | 0-3 / 0-0 | 1-2 | 0", last_double="penalty")
    assert points(do(games, "0-3@3")) == [0, 50]
    games = at("ARMS 4/4 | - | 0-4 / 0-0 | 1-2 | 0", last_double="penalty")
    assert points(do(games, "0-4@4")) == [0, 50]


@pytest.mark.parametrize(("uses", "seat"), [(True, 0), (False, 1)])
def test_going_out_with_the_starter(uses: bool, seat: int) -> None:
    """With one tile each: a penalty for the starter as for any double."""
    changes: dict[str, Any] = {"hand_size": 1, "last_double": "penalty", "rounds": (4,)}
    games = dealt(["1-2", "4-4"], starter_uses_turn=uses, **changes)
    assert points(games) == [3, 50]
    games = dealt(["1-2 0-1", "4-4 0-2"], hand_size=2, starter_uses_turn=uses)
    assert games["seat"][0] == seat


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, [53, 4]),
        ({"double_blank_points": 25, "blank_half_points": 25}, [53, 29]),
        ({"double_blank_points": 0, "blank_half_points": 10}, [13, 14]),
    ],
)
def test_points_of_blanks(changes: dict[str, int], wanted: list[int]) -> None:
    """The double-blank has its own price and no other for its blank halves."""
    assert points(at("OPEN | 3 | 0-0 0-1 1-1 / 0-4 | - | 0", **changes)) == wanted


def test_the_game_ends_when_a_total_reaches_the_target() -> None:
    """`target_points`, reached exactly, with rounds to go; one point more is not reached."""
    position = "OPEN | 3 | 1-1 0-1 / 0-2 | - | 0"
    games = at(position, rounds=(4, 2, 1), target_points=3)
    assert points(games) == [3, 2]
    games = at(position, rounds=(4, 2, 1), target_points=4)
    assert (games["over"][0], games["round"][0]) == (0, 1)


# The opening of a round

HELD = ["2-2 0-1 0-2", "1-1 0-3 1-2"]  # no 4-4


@pytest.mark.parametrize(
    ("changes", "boneyard", "wanted"),
    [
        ({}, "0-0 4-4", (4, 1, 2, 0)),
        ({"starter_missing": "draw_together"}, "4-4 0-0", (4, 0, 2, 1)),
        ({"starter_missing": "next_lower_held"}, "0-0 4-4", (2, 0, 0, 1)),
        ({"starter_missing": "next_lower_held", "rounds": (0,)}, "0-0", (2, 0, 0, 1)),
        ({"starter_rule": "highest_held"}, "0-0", (2, 0, 0, 1)),
        ({"hunt_first": "random", "rounds": (4,)}, "4-4", (4, 0, 1, 1)),
        ({"hunt_first": "highest_tile"}, "4-4", (4, 0, 1, 1)),
        ({"hunt_first": "previous_winner"}, "4-4", (4, 0, 1, 1)),  # there is none in round 1
        ({"lead_rule": "rotate"}, "0-0 4-4", (4, 1, 2, 1)),
        ({"lead_rule": "rotate", "starter_uses_turn": False}, "0-0 4-4", (4, 1, 2, 0)),
    ],
)
def test_who_opens_a_round(
    changes: dict[str, Any], boneyard: str, wanted: tuple[int, int, int, int]
) -> None:
    """Starter, finder, tiles drawn, seat to act."""
    assert opening(dealt(HELD, boneyard, **changes)) == wanted


@pytest.mark.parametrize(
    ("hands", "finder"),
    [
        (["1-4 0-1 0-2", "2-4 0-3 1-2"], 1),  # the most pips
        (["2-3 0-1 0-2", "1-4 0-3 1-2"], 1),  # as many: the larger half
        (["1-4 0-1 0-2", "2-3 0-3 1-2"], 0),
    ],
)
def test_the_heaviest_tile_draws_first(hands: list[str], finder: int) -> None:
    """`hunt_first="highest_tile"`."""
    games = dealt(hands, "4-4", hunt_first="highest_tile")
    assert opening(games)[:3] == (4, finder, 1)


def test_all_draw_together_until_the_boneyard_is_empty() -> None:
    """`starter_missing="draw_together"`: the last lap is short of a tile."""
    hands = ["0-0 0-1 1-1", "0-2 1-2 2-2", "0-3 1-3 2-3"]
    games = dealt(hands, "3-3 0-4 1-4 2-4 4-4", starter_missing="draw_together", hand_size=3)
    assert opening(games) == (4, 1, 6, 2)
    assert games["hand_count"][0, :3].tolist() == [5, 4, 5]


def test_drawing_goes_round_the_boneyard() -> None:
    """Seat 1 draws the last tile, then the first that seat 0 has left."""
    hands = ["0-1 0-2 0-3 0-4 1-1", "1-2 1-3 1-4 2-2 2-3"]
    games = dealt(hands, "2-4 3-3 4-4 0-0 3-4", draw_stride=4, hand_size=5)
    assert opening(games) == (4, 1, 4, 0)
    games = dealt(hands, "2-4 4-4 0-0 3-3 3-4", draw_stride=4, hand_size=5)
    assert opening(games) == (4, 0, 3, 1)
    games = dealt(hands, "2-4 3-3 0-0 4-4 3-4", draw_stride=4, hand_size=5)
    assert opening(games) == (4, 0, 5, 1)


def test_no_double_in_any_hand() -> None:
    """Whatever the rule, the seats then draw for any double that may open."""
    hands = ["0-1 0-2 0-3", "1-2 1-3 2-3"]
    for changes in (
        {"starter_rule": "highest_held"},
        {"starter_missing": "next_lower_held"},
        {"starter_rule": "highest_unplayed_held"},
    ):
        assert opening(dealt(hands, "0-4 1-1 4-4", **changes)) == (1, 1, 2, 0)


def test_a_double_opens_once() -> None:
    """`starter_rule="highest_unplayed_held"`: in as many rounds as doubles each of them does."""
    rules = Rules(
        players=2,
        max_pip=2,
        hand_size=2,
        starter_arms=1,
        toes=1,
        starter_rule="highest_unplayed_held",
    )
    games = batch.deal(rules, np.arange(64, dtype=np.uint64))
    assert set(games["opened"].tolist()) == {1, 2, 4}
    batch.random_playout(games, np.arange(64, dtype=np.uint64))
    assert (games["opened"] == 7).all()


def test_dealing_again_until_somebody_holds_the_starter() -> None:
    """`starter_missing="redeal"`: nothing is hunted, and the first shuffle is another."""
    seeds = np.arange(32, dtype=np.uint64)
    common: dict[str, Any] = {"players": 2, "max_pip": 4, "hand_size": 3, "rounds": (4,)}
    again = batch.deal(Rules(starter_missing="redeal", **common), seeds)
    first = batch.deal(Rules(**common), seeds)
    assert not again["hunted"].any() and (again["hand_count"][:, :2].sum(axis=1) == 5).all()
    held = first["hunted"] == 0
    same = (again["order"] == first["order"]).all(axis=1)
    assert same.tolist() == held.tolist() and 0 < held.sum() < len(seeds)


def test_the_lead_seat() -> None:
    """Set aside, the starter is laid by the lead seat: in turn, by lot, or at random."""
    seeds = np.arange(16, dtype=np.uint64)
    for lead_rule in ("rotate", "lot", "random"):
        rules = Rules(
            players=3,
            max_pip=4,
            hand_size=2,
            starter_source="set_aside",
            lead_rule=lead_rule,
            starter_uses_turn=False,
            rounds=(4, 3, 2, 1),
        )
        games = batch.deal(rules, seeds)
        assert (games["order"][:, 0] == 14).all() and not games["hunted"].any()
        leads = [games["finder"].copy()]
        assert (games["seat"] == leads[0]).all()
        while len(leads) < 4:
            before = games["round"].copy()
            while (games["round"] == before).any():
                actions = batch.legal_mask(games).argmax(axis=1)
                stay = games["round"] != before
                rest = games[~stay]
                batch.step(rest, actions[~stay])
                games[~stay] = rest
            leads.append(games["finder"].copy())
        steps = np.diff(np.array(leads), axis=0) % 3
        if lead_rule == "random":
            assert set(steps.ravel().tolist()) == {0, 1, 2}
        else:
            assert (steps == 1).all()
        assert set(leads[0].tolist()) == ({0} if lead_rule == "rotate" else {0, 1, 2})


def test_the_winner_of_the_round_before_draws_first() -> None:
    """`hunt_first="previous_winner"`: out, or fewest points, the first from the lead seat on."""
    rules = Rules(players=3, max_pip=4, hand_size=3, hunt_first="previous_winner", rounds=(4, 3))
    for position, winner in (
        ("OPEN | 3 | 1-1 / 0-2 / 0-1 | - | 0", 2),
        ("OPEN | 3 | 1-1 / 0-2 / 2-2 | - | 0", 0),
        ("OPEN | 3 | 2-2 / 0-2 / 1-1 | - | 0", 1),
    ):
        games = notation.parse_position(position, rules)
        assert games["winner"][0] == winner
        hunted = int(games["hunted"][0])
        assert hunted == 0 or games["finder"][0] == (winner + hunted - 1) % 3


def test_forced_play_and_playouts_end_in_the_same_place() -> None:
    """Nothing but forced actions is left: a toe, which goes out."""
    position = "FOOT 3/3 | 1 | 0-1 0-3 / 0-0 1-1 | 2-3 1-2 | 0"
    forced, played = at(position), at(position)
    assert batch.play_forced(forced).tolist() == [2]  # the toe, and the draw of the next seat
    assert may(forced) == "2-3@3 PASS"
    ended = at("FOOT 3/3 | 1 | 0-3 / 0-0 | 1-2 | 0")
    assert (batch.play_forced(ended).tolist(), points(ended)) == ([1], [0, 50])
    steps = batch.random_playout(played, np.zeros(1, np.uint64))
    assert steps[0] >= 2 and played["over"][0] == GAME_OVER
