"""The reference engine at play: the invariants of the rules, by random games."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from reference import (
    DRAW,
    PASS,
    Action,
    ReferenceGame,
    RoundResult,
    Tile,
    all_doubles,
    full_set,
    is_double,
)

SEED_RULES: dict[str, Any] = {
    "players": 4,
    "max_pip": 9,
    "hand_size": 7,
    "starter_arms": 4,
    "toes": 3,
    "drawn_tile": "may",
    "double_blank_points": 50,
    "draw_stride": 0,
}
RULE_SETS: list[dict[str, Any]] = [
    {},
    {"players": 2},
    {"players": 7, "drawn_tile": "must"},
    {"players": 3, "drawn_tile": "no", "draw_stride": 11},
    {"players": 4, "max_pip": 6},
    {"players": 2, "max_pip": 6, "hand_size": 5, "draw_stride": 9, "starter_arms": 6},
    {"players": 3, "max_pip": 3, "hand_size": 2, "starter_arms": 2, "drawn_tile": "no"},
    {"players": 2, "max_pip": 2, "hand_size": 1, "starter_arms": 2, "toes": 1},
    {"players": 2, "max_pip": 2, "hand_size": 3, "starter_arms": 1, "toes": 2},
    {"players": 5, "max_pip": 4, "hand_size": 3, "drawn_tile": "must", "double_blank_points": 0},
    {"players": 12, "max_pip": 12, "drawn_tile": "must", "rounds": (12, 0)},
    {"players": 8, "max_pip": 18, "hand_size": 12, "draw_stride": 11, "rounds": (18, 3)},
]
GAMES = 2  # random games a rule set


def name_of(changes: dict[str, Any]) -> str:
    """Test id of a rule set."""
    return ",".join(f"{key}={value}" for key, value in changes.items()) or "seed"


def deal(changes: dict[str, Any], seed: int, kind: type[ReferenceGame]) -> ReferenceGame:
    """A game whose orders follow from `seed`."""
    rules = {**SEED_RULES, **changes}
    rules.setdefault("rounds", all_doubles(rules["max_pip"]))
    tiles = full_set(rules["max_pip"])
    chance = random.Random(seed)
    orders = [chance.sample(tiles, len(tiles)) for _ in rules["rounds"]]
    return kind(order_of_round=orders.__getitem__, **rules)


def random_games(
    changes: dict[str, Any], kind: type[ReferenceGame] = ReferenceGame
) -> Iterator[ReferenceGame]:
    """Games played at random: yields the game after the deal and after every action."""
    for seed in range(GAMES):
        game = deal(changes, seed, kind)
        chance = random.Random(seed)
        yield game
        while not game.over:
            game.step(chance.choice(game.legal_actions()))
            yield game


def finished_rounds(changes: dict[str, Any]) -> Iterator[tuple[ReferenceGame, RoundResult]]:
    """Every round of the random games, with its game at its end."""
    for game in random_games(changes):
        if game.over:
            yield from ((game, result) for result in game.results)


every_rule_set = pytest.mark.parametrize("changes", RULE_SETS, ids=map(name_of, RULE_SETS))


def doubles_after_the_starter(game: ReferenceGame) -> int:
    """Doubles on the table, the starter left out."""
    return sum(is_double(tile) for tile in game.table[1:])


@every_rule_set
def test_i1_every_tile_is_in_one_place(changes: dict[str, Any]) -> None:
    """I1, S11: hands, boneyard and table are the full set, in every state."""
    for game in random_games(changes):
        tiles = [*game.boneyard, *game.table, *itertools.chain(*game.hands)]
        assert sorted(tiles) == sorted(full_set(game.max_pip))


@every_rule_set
def test_i2_i3_one_foot_at_a_time_and_only_its_pip_fits(changes: dict[str, Any]) -> None:
    """I2, I3, Q18: no toe and no arm is a double."""
    for game in random_games(changes):
        assert len(game.unfinished()) <= 1
        name, value, _ = game.phase()
        for action in game.legal_actions():
            if name != "OPEN" and action not in (DRAW, PASS):
                assert action[2] == value in action[1]
                assert not is_double(action[1])
        for laid in game.board:
            if laid.role != "plain":
                assert not any(is_double(joined.tile) for joined in laid.joined)


@every_rule_set
def test_i4_i5_number_of_ends(changes: dict[str, Any]) -> None:
    """I4, I5: places = arms + (toes - 1) for every double after the starter; with bounds of 6.2."""
    for game in random_games(changes):
        _, _, owed = game.phase()
        ends = game.end_values().total()
        grown = (game.toes - 1) * doubles_after_the_starter(game)
        assert ends + owed == game.starter_arms + grown
        assert ends + owed <= game.starter_arms + (game.toes - 1) * game.max_pip


def test_d6_has_room_for_five_feet() -> None:
    """Section 6.2: at most 14 ends while no foot is open."""
    for game in random_games({"max_pip": 6}):
        assert game.phase()[0] != "OPEN" or game.end_values().total() <= 14


@every_rule_set
def test_i6_i7_what_is_on_offer(changes: dict[str, Any]) -> None:
    """I6, I7: DRAW or PASS before a draw only without a play; asking changes nothing."""
    for game in random_games(changes):
        before = repr(vars_of(game))
        offered = game.legal_actions()
        assert repr(vars_of(game)) == before
        plays = game.legal_plays(game.seat)
        if game.over:
            assert offered == [PASS]
        elif not game.has_drawn:
            assert offered == (plays or [DRAW if game.boneyard else PASS])
        else:
            keep = not plays or game.drawn_tile == "may"
            assert game.drawn_tile != "no"
            assert offered == plays + [PASS] * keep
            assert all(game.hands[game.seat][-1] == tile for _, tile, _ in plays)  # Q16


def vars_of(game: ReferenceGame) -> dict[str, Any]:
    """What the public can see of a game, and the hands."""
    seats = range(game.players)
    return {
        "hands": game.hands,
        "boneyard": game.boneyard,
        "table": game.table,
        "turn": (game.seat, game.has_drawn, game.round, game.over),
        "board": (game.phase(), game.end_values()),
        "sheet": (game.points, game.zero_rounds, game.best_round, game.ranks()),
        "evidence": [game.evidence(seat) for seat in seats],
    }


@every_rule_set
def test_i8_equal_ends_are_interchangeable(changes: dict[str, Any]) -> None:
    """I8: a tile may be joined to the first or to the last of the ends that fit."""
    pair = random_games(changes), random_games(changes)
    for first, last in zip(*pair, strict=True):
        last.board.reverse()
        assert vars_of(first) == vars_of(last)


@every_rule_set
def test_i10_rounds_are_short(changes: dict[str, Any]) -> None:
    """I10: plays, draws and turns of a round stay within the bounds of section 6.4."""
    for turns, result in turns_of_rounds(changes):
        players = len(result.hands)
        tiles = sum(map(len, (*result.hands, result.boneyard, result.table)))
        most_plays = tiles - (players - (result.outcome == "WENT_OUT"))
        assert len(result.table) <= most_plays
        hand_size = {**SEED_RULES, **changes}["hand_size"]
        draws = tiles - players * hand_size - len(result.boneyard)
        assert 0 <= result.hunted <= draws <= tiles - players * hand_size
        assert turns <= most_plays + draws + (players - 1) * most_plays


def turns_of_rounds(changes: dict[str, Any]) -> Iterator[tuple[int, RoundResult]]:
    """Each finished round with its number of turns, the one that lays the starter included."""
    for seed in range(GAMES):
        game = deal(changes, seed, ReferenceGame)
        chance = random.Random(seed)
        turns, finished = 1, len(game.results)
        while not game.over:
            turns += not game.has_drawn
            game.step(chance.choice(game.legal_actions()))
            if len(game.results) > finished:
                yield turns, game.results[finished]
                turns, finished = 1, len(game.results)


@every_rule_set
def test_i11_round_is_over_when_out_or_blocked(changes: dict[str, Any]) -> None:
    """I11: in both directions."""
    for game in random_games(changes):
        if not game.over:
            assert all(game.hands)
            able = any(game.playable_pips() & {*tile} for hand in game.hands for tile in hand)
            assert able or game.boneyard
    for _, result in finished_rounds(changes):
        out = [hand for hand in result.hands if not hand]
        able = any(result.playable & {*tile} for hand in result.hands for tile in hand)
        assert len(out) == (result.outcome == "WENT_OUT")
        assert result.outcome == "WENT_OUT" or not (result.boneyard or able)


@every_rule_set
def test_i12_no_pip_is_lost(changes: dict[str, Any]) -> None:
    """I12, M11: scores, table and boneyard add up to the set; 0-0 is never charged as starter."""
    for game, result in finished_rounds(changes):
        held_blank = any((0, 0) in hand for hand in result.hands)
        pips = sum(low + high for low, high in (*result.table, *result.boneyard))
        total = sum(low + high for low, high in full_set(game.max_pip))
        assert sum(result.scores) + pips == total + game.double_blank_points * held_blank
        assert not (held_blank and result.starter == 0)


@every_rule_set
def test_m9_m10_zero_points_only_by_going_out(changes: dict[str, Any]) -> None:
    """M9, M10, Q26: unless the double-blank costs nothing."""
    for game, result in finished_rounds(changes):
        for hand, score in zip(result.hands, result.scores, strict=True):
            free = game.double_blank_points == 0 and hand == [(0, 0)]
            assert (score == 0) == (not hand or free)
        if game.double_blank_points:
            assert result.scores.count(0) == (result.outcome == "WENT_OUT")


@every_rule_set
def test_i14_nobody_goes_out_with_a_tile_just_drawn(changes: dict[str, Any]) -> None:
    """I14, Q30: before the draw the hand held a tile that did not fit."""
    for game in random_games(changes):
        assert not game.has_drawn or game.over or len(game.hands[game.seat]) >= 2


@every_rule_set
def test_dead_foot_is_never_finished(changes: dict[str, Any]) -> None:
    """Section 6.2: with fewer tiles of its pip off the table than toes owed."""
    dead_in: tuple[ReferenceGame, int] | None = None  # game and round in which a foot died
    for game in random_games(changes):
        name, value, owed = game.phase()
        if name == "OPEN":
            assert dead_in != (game, game.round)
        elif owed > sum(value in tile for tile in {*full_set(game.max_pip)} - {*game.table}):
            dead_in = (game, game.round)


class LedBySeatOne(ReferenceGame):
    """The lead seat is one further on."""

    def lead_seat(self) -> int:
        """Seat 1 in the first round."""
        return (self.round + 1) % self.players


@pytest.mark.parametrize("players", [2, 3, 5])
def test_i13_renaming_the_seats_rotates_the_game(players: int) -> None:
    """I13: hands and lead one seat on, the same actions, everything one seat on."""
    rules = {**SEED_RULES, "players": players, "rounds": (9, 8, 7)}
    for seed in range(GAMES):
        chance = random.Random(seed)
        orders = [chance.sample(full_set(9), 55) for _ in range(3)]
        moved = [
            [
                *order[7 * (players - 1) : 7 * players],
                *order[: 7 * (players - 1)],
                *order[7 * players :],
            ]
            for order in orders
        ]
        game = ReferenceGame(order_of_round=orders.__getitem__, **rules)
        twin = LedBySeatOne(order_of_round=moved.__getitem__, **rules)
        while not game.over:
            action = chance.choice(game.legal_actions())
            game.step(action)
            twin.step(action)
            assert twin.seat == (game.seat + 1) % players
            assert [*twin.hands[1:], twin.hands[0]] == game.hands
            assert [*twin.points[1:], twin.points[0]] == game.points
        assert twin.over


@every_rule_set
def test_evidence_never_excludes_the_truth(changes: dict[str, Any]) -> None:
    """For every c at most c tiles of a hand show a pip whose number is at most c."""
    for game in random_games(changes):
        for seat, hand in enumerate(game.hands):
            known = game.evidence(seat)
            for bound in set(known.values()):
                pips = {pip for pip, count in known.items() if count <= bound}
                assert sum(bool(pips & {*tile}) for tile in hand) <= bound


class Counting(ReferenceGame):
    """Keeps the evidence as one number a seat and pip instead of as a list of facts."""

    def _clear_table(self, hands: list[list[Tile]], boneyard: list[Tile]) -> None:
        super()._clear_table(hands, boneyard)
        self.counts: list[dict[int, int]] = [{} for _ in range(self.players)]

    def step(self, action: Action) -> None:
        """Change the numbers, then act."""
        if not self.over:
            self.count(self.counts[self.seat], action)
        super().step(action)

    def count(self, known: dict[int, int], action: Action) -> None:
        """A showing sets 0, a draw adds one to all, a play lowers all from its newest pip on."""
        if action == DRAW or (action == PASS and (not self.has_drawn or self.drawn_tile == "must")):
            known.update(dict.fromkeys(self.playable_pips(), 0))
        if action == DRAW:
            for pip in known:
                known[pip] += 1
        elif action != PASS:
            newest = min((known[pip] for pip in action[1] if pip in known), default=None)
            for pip, number in known.items():
                known[pip] -= newest is not None and number >= newest


@every_rule_set
def test_evidence_by_facts_is_evidence_by_counting(changes: dict[str, Any]) -> None:
    """The row of facts and the running numbers say the same of every seat in every state."""
    for game in random_games(changes, Counting):
        assert [game.evidence(seat) for seat in range(game.players)] == game.counts


def test_chance_and_length_of_the_hunt() -> None:
    """Section 6.3, over all 720 orders of double-two: yard / T, and (yard + 1) / 2 draws."""
    rules = {**SEED_RULES, "players": 2, "max_pip": 2, "hand_size": 1, "starter_arms": 2}
    hunted = []
    for order in itertools.permutations(full_set(2)):
        game = ReferenceGame(**{**rules, "rounds": (2,)}, order_of_round=[order].__getitem__)
        hunted.append(game.hunted)
    missing = [draws for draws in hunted if draws]
    assert Fraction(len(missing), len(hunted)) == Fraction(4, 6)
    assert Fraction(sum(missing), len(missing)) == Fraction(4 + 1, 2)
