"""Exact endgames: values by hand, values by brute force, and what the memo and the budget do."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents import endgame
from agents.endgame import UNSOLVED, Room
from agents.playout import earned
from chickenfoot_env import batch, notation
from chickenfoot_env.game import GAME_OVER, RULE_FIELDS
from chickenfoot_env.jit import records
from chickenfoot_env.rules import Rules

Games = NDArray[np.void]
PLENTY = 10**9
RULES = {
    "two seats": Rules(players=2, max_pip=6, hand_size=10),
    "two seats, a boneyard": Rules(players=2, max_pip=4, hand_size=5),
    "three seats": Rules(players=3, max_pip=5, hand_size=7),
    "four seats": Rules(players=4, max_pip=6, hand_size=7),
    "one arm, one toe": Rules(players=3, max_pip=3, hand_size=3, starter_arms=1, toes=1),
    "no keeping": Rules(
        players=2, max_pip=3, hand_size=3, starter_arms=2, toes=2, drawn_tile="must"
    ),
    "all blanks cost": Rules(players=3, max_pip=4, hand_size=4, blank_half_points=25, toes=1),
    "tiles kept back": Rules(
        players=2, max_pip=5, hand_size=8, boneyard_reserve=3, block_rule="dead_foot_too"
    ),
    "a dead foot ends it": Rules(players=4, max_pip=6, hand_size=7, block_rule="dead_foot_too"),
    "the first stuck seat ends it": Rules.preset("nathanlong", players=4, max_pip=6, hand_size=6),
    "a last double costs 50": Rules.preset("hcherndon_house", players=3, max_pip=5),
    "no last double": Rules(players=3, max_pip=5, last_double="forbidden", draw_when_stuck="may"),
}


@pytest.fixture(scope="module")
def room() -> Room:
    """One for all positions of this file, so that they all share a memo."""
    return endgame.make_room(14, 2**12)


def margins(
    games: Games, room: Room, before: Games | None = None, budget: int = PLENTY
) -> list[float]:
    """The values of one game; NaN if it was not solved."""
    values = np.full(int(games["players"][0]), np.nan)
    start = games if before is None else before
    endgame.solve(records(games)[0], records(start)[0], room, budget, values)
    return [float(value) for value in values]


def endgames(rules: Rules, count: int, most: int) -> Games:
    """The first solvable position with a choice in `count` of many games of random play."""
    found: list[Games] = []
    chance = np.random.default_rng(most)
    for first in range(0, 100 * count, count):
        games = batch.deal(rules, np.arange(first, first + count, dtype=np.uint64))
        waiting = np.ones(count, np.bool_)
        while (waiting := waiting & (games["over"] != GAME_OVER)).any():
            legal = batch.legal_mask(games)
            for i in np.flatnonzero(waiting & (legal.sum(axis=1) > 1)):
                if endgame.is_solvable(records(games)[i], most):
                    found.append(games[i : i + 1].copy())
                    waiting[i] = False
            batch.step(games, ((1 + chance.random(legal.shape)) * legal).argmax(axis=1))
        if len(found) >= count:
            break
    return np.concatenate(found[:count])


def after_each_action(games: Games) -> Iterator[Games]:
    """The one game after each legal action, in ascending order; no round follows this one."""
    last = games.copy()
    last["rounds"] = last["round"] + 1
    for action in np.flatnonzero(batch.legal_mask(last)[0]):
        after = last.copy()
        batch.step(after, np.array([action]))
        yield after


def by_brute_force(games: Games, start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Max^n by its definition; of actions that are equally good for the mover, the first one."""
    if games["over"][0] == GAME_OVER:
        return batch.margins(games)[0] - start
    values = [by_brute_force(after, start) for after in after_each_action(games)]
    mine = np.round([value[games["seat"][0]] for value in values], 6)
    return values[int(mine.argmax())]


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_values_are_those_of_brute_force(rules: Rules, room: Room) -> None:
    """Two seats by alpha-beta, which brute force knows nothing of, and a memo of all rule sets."""
    games = endgames(rules, 50, 7 if rules.players == 2 else 8)
    before = games.copy()
    for i in range(len(games)):
        one = games[i : i + 1]
        expected = by_brute_force(one, batch.margins(one)[0])
        assert margins(one, room) == pytest.approx(expected), notation.format_position(one[0])
    assert games.tobytes() == before.tobytes()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_memo_saves_steps_and_changes_no_value(players: int, room: Room) -> None:
    """Whatever the windows were in which alpha-beta has met a position before."""
    rules = Rules(players=players, max_pip=6, hand_size=28 // players, starter_arms=2, toes=1)
    games = endgames(rules, 1000, 14)
    forgetful = endgame.make_room(14, 1)
    steps = {"with": 0, "without": 0}
    for game in records(games):
        one, other = np.zeros(players), np.zeros(players)
        steps["with"] += endgame.solve(game, game, room, PLENTY, one)
        steps["without"] += endgame.solve(game, game, forgetful, PLENTY, other)
        assert one.tolist() == other.tolist()
    assert steps["with"] < steps["without"]


def count_steps(games: Games) -> int:
    """The steps of a search that leaves nothing out."""
    if games["over"][0] == GAME_OVER:
        return 0
    return sum(1 + count_steps(after) for after in after_each_action(games))


def test_alpha_beta_leaves_out_most_of_the_tree() -> None:
    games = endgames(RULES["two seats"], 20, 9)
    forgetful, values = endgame.make_room(9, 1), np.zeros(2)
    steps = [endgame.solve(game, game, forgetful, PLENTY, values) for game in records(games)]
    plain = [count_steps(one) for one in np.split(games, len(games))]
    assert sum(steps) < 0.2 * sum(plain)


@pytest.mark.parametrize("name", ["two seats", "three seats", "the first stuck seat ends it"])
def test_the_best_action_is_worth_what_the_position_is(name: str, room: Room) -> None:
    for one in np.split(endgames(RULES[name], 20, 9), 20):
        seat = int(one["seat"][0])
        values = [margins(after, room, before=one) for after in after_each_action(one)]
        best = max(value[seat] for value in values)
        assert margins(one, room) == next(value for value in values if value[seat] == best)


def test_a_round_that_is_over_is_worth_what_was_earned(room: Room) -> None:
    start = notation.parse_position("OPEN | 3 8 | 3-4 / 2-2 5-9 / 1-1 | - | 0")
    end = start.copy()
    batch.step(end, np.array([notation.parse_action("3-4@3", Rules(players=3))]))
    one, other = records(end)[0], records(start)[0]
    assert margins(end, room, before=start) == [earned(one, other, seat) for seat in range(3)]
    assert margins(end, room, before=start) == [10, -17, 7]


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        # the 0-0 would block the round, 11 to 13; after the 5-6 the 0-0 goes out
        ("OPEN | 0 5 | 0-0 5-6 / 5-8 | - | 0", [13, -13]),
        # the 3-4 would let the 4-5 follow and block the round, 12 to 3; the 3-9 blocks it, 7 to 12
        ("OPEN | 3 | 3-4 3-9 / 4-5 1-2 | - | 0", [5, -5]),
        # the 3-8 must be laid, the 5-8 closes the 8 again: 17 to 2
        ("OPEN | 3 5 | 3-8 8-9 / 1-1 5-8 | - | 0", [-15, 15]),
        # as it was drawn it may be kept; then the 5-8 opens the 8 and both tiles go out
        ("OPEN | 3 5 | 3-8 8-9 / 1-1 5-8 | - | 0 drawn", [2, -2]),
        # 10, 22, 2 after the 3-7 and 10, 10, 14 after the 2-8: the same for seat 0, so the lower id
        ("OPEN | 3 8 | 3-7 2-8 / 3-9 5-5 / 4-8 1-1 | - | 0", [2, -16, 14]),
        # the 2-2, which nobody has a toe for, blocks the round: 9, 11, 13; the 3-6 lets the 3-8 out
        ("OPEN | 2 6 | 2-2 3-6 / 3-8 / 4-9 | - | 0", [3, 0, -3]),
    ],
)
def test_positions_worked_out_by_hand(position: str, expected: list[float], room: Room) -> None:
    assert margins(notation.parse_position(position), room) == expected


@pytest.mark.parametrize(
    ("position", "rules", "most", "solvable"),
    [
        ("OPEN | 3 8 | 3-4 1-2 / 2-2 | - | 0", {}, 3, True),
        ("OPEN | 3 8 | 3-4 1-2 / 2-2 | - | 0", {}, 2, False),
        ("OPEN | 3 8 | 3-4 1-2 / 2-2 | 5-5 | 0", {}, 3, False),
        ("OPEN | 3 8 | 3-4 1-2 / 2-2 | 5-5 | 0", {"boneyard_reserve": 1}, 3, True),
        ("OPEN | 3 8 | 1-2 / 2-2 | - | 0", {"rounds": (9,)}, 3, False),  # blocked: it is over
    ],
)
def test_what_is_solvable(
    position: str, rules: dict[str, Any], most: int, solvable: bool, room: Room
) -> None:
    games = notation.parse_position(position, Rules(players=2, **rules))
    assert endgame.is_solvable(records(games)[0], most) == solvable
    if games["over"][0] != GAME_OVER:
        assert np.isfinite(margins(games, endgame.make_room(most, 1))).all() == solvable


def test_a_budget_that_does_not_suffice_is_said_and_leaves_no_trace(room: Room) -> None:
    for one in np.split(endgames(RULES["three seats"], 10, 10), 10):
        fresh, game = endgame.make_room(10, 2**10), records(one)[0]
        values = np.zeros(3)
        steps = endgame.solve(game, game, endgame.make_room(10, 2**10), PLENTY, values)
        assert steps > 1
        before, kept = one.tobytes(), np.full(3, 7.0)
        for budget in (0, 1, steps // 2):
            assert endgame.solve(game, game, fresh, budget, kept) == UNSOLVED
        assert kept.tolist() == [7, 7, 7] and one.tobytes() == before
        assert 0 < endgame.solve(game, game, fresh, steps, kept) <= steps
        assert kept.tolist() == values.tolist()


def test_earlier_rounds_and_evidence_make_no_difference(room: Room) -> None:
    for one in np.split(endgames(RULES["three seats"], 10, 8), 10):
        other = one.copy()
        other["points"][0, :3], other["blocked_rounds"] = (3, 70, 5), 1
        other["drawn_since"], other["seed"], other["passes"] = 255, 5, 1
        assert margins(other, endgame.make_room(8, 2**10)) == margins(one, room)
        keys = [endgame.position_key(game, np.uint64(0)) for game in records(np.r_[one, other])]
        assert keys[0] == keys[1]


def key(position: str) -> int:
    """The key of a position as text."""
    games = notation.parse_position(position, Rules(players=2))
    return int(endgame.position_key(records(games)[0], np.uint64(0)))


def test_positions_differ_in_their_key_where_it_matters() -> None:
    different = [
        "OPEN | 3 8 | 3-7 1-8 3-6 / 2-3 5-8 | 5-5 | 0",
        "OPEN | 3 8 | 3-7 1-8 3-6 / 2-3 5-8 | 5-5 | 1",
        "OPEN | 3 8 | 3-7 1-8 2-3 / 3-6 5-8 | 5-5 | 0",
        "OPEN | 3 8 | 3-7 1-8 3-6 / 2-3 5-8 | 4-4 | 0",
        "OPEN | 3 3 8 | 3-7 1-8 3-6 / 2-3 5-8 | 5-5 | 0",
        "OPEN | 3 | 3-7 1-8 3-6 / 2-3 5-8 | 5-5 | 0",
        "FOOT 3/1 | 8 | 3-7 1-8 3-6 / 2-3 5-8 | 5-5 | 0",
        "FOOT 3/2 | 8 | 3-7 1-8 3-6 / 2-3 5-8 | 5-5 | 0",
        "FOOT 8/1 | 3 | 3-7 1-8 3-6 / 2-3 5-8 | 5-5 | 0",
        "FOOT 3/1 | 3 8 | 3-7 1-8 3-6 / 2-3 5-8 | 5-5 | 0",
        "OPEN | 8 | 3-7 1-8 2-6 / 2-3 5-8 | 5-5 | 0",
        "OPEN | 8 | 3-7 1-8 2-6 / 2-3 5-8 | 5-5 | 0 drawn",
    ]
    assert len({key(position) for position in different}) == len(different)


def test_ends_that_no_tile_is_left_for_make_no_difference() -> None:
    few = key("OPEN | 3 8 | 3-7 1-2 / 2-8 5-5 | - | 0")
    assert few == key("OPEN | 3 3 3 8 9 | 3-7 1-2 / 2-8 5-5 | - | 0")
    assert few != key("OPEN | 3 8 5 | 3-7 1-2 / 2-8 5-5 | - | 0")


def test_rules_that_matter_to_the_end_of_a_round_are_part_of_the_key() -> None:
    begin = {"hand_size", "starter_rule", "starter_source", "starter_missing", "hunt_first"}
    begin |= {"lead_rule", "starter_uses_turn", "rounds", "target_points"}
    draw = {"boneyard_reserve", "draw_count", "draw_when_stuck"}
    names = ["players", *(name for name, _ in RULE_FIELDS), "starter"]
    games = np.repeat(notation.parse_position("OPEN | 3 8 | 3-4 / 2-2 | - | 0"), len(names))
    for row, name in enumerate(names[1:], 1):
        games[name][row] += 1
    keys = [endgame.rules_key(game) for game in records(games)]
    same = {name for name, key in zip(names[1:], keys[1:], strict=True) if key == keys[0]}
    assert same == begin | draw
    assert len(set(keys)) == len(names) - len(same)


def test_forced_steps_are_counted_but_not_chosen() -> None:
    """Seat 0 lays its one play, seat 1 passes, seat 2 lays its last tile by either half."""
    games = notation.parse_position("OPEN | 3 8 | 3-4 0-0 / 2-2 5-9 / 4-8 | - | 0")
    game, values = records(games)[0], np.zeros(3)
    assert endgame.solve(game, game, endgame.make_room(5, 1), PLENTY, values) == 3
    assert values.tolist() == [-41, 7, 34]
