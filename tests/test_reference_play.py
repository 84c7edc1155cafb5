"""The reference engine at play: the invariants of the rules, by random games."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from reference import DRAW, PASS, Action, ReferenceGame, RoundResult
from reference_rules import (
    CHOICES,
    ReferenceRules,
    Tile,
    all_doubles,
    down_and_up,
    full_set,
    is_double,
)

SET_ASIDE: dict[str, Any] = {"starter_source": "set_aside", "drawn_tile": "must"}
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
    # As published, with fewer rounds.
    {**SET_ASIDE, "lead_rule": "lot", "starter_uses_turn": False, "rounds": (9, 5, 0)},
    {**SET_ASIDE, "lead_rule": "random", "hand_size": 11, "boneyard_reserve": 1, "rounds": (9, 8)},
    {**SET_ASIDE, "lead_rule": "rotate", "block_rule": "first_stuck", "rounds": (9, 4, 1)},
    {
        "starter_missing": "next_lower_held",
        "draw_count": "until_playable",
        "drawn_tile": "must",
        "rounds": (9, 5, 0),
    },
    {"starter_rule": "highest_unplayed_held", "last_double": "penalty", "rounds": (9, 8, 7)},
    {
        "players": 2,
        "hand_size": 20,
        "starter_arms": 6,
        "draw_when_stuck": "may",
        "blank_half_points": 25,
        "rounds": (1, 0, 1),
    },
]
GAMES = 2  # random games a rule set


def random_rules(number: int) -> dict[str, Any]:
    """A rule set on a small set of tiles with every field chosen at random."""
    chance = random.Random(f"rules {number}")
    rules: dict[str, Any] = {name: chance.choice(allowed) for name, allowed in CHOICES.items()}
    if rules["starter_source"] == "set_aside":
        rules["starter_rule"] = "descending"
        rules["lead_rule"] = chance.choice(["lot", "rotate", "random"])
    if rules["draw_count"] == "until_playable" and rules["drawn_tile"] == "no":
        rules["drawn_tile"] = "must"
    highest = chance.randint(2, 5)
    players = chance.randint(2, 4)
    most = (len(full_set(highest)) - 1) // players
    hand_size = chance.randint(1, min(most, 6))
    left = len(full_set(highest)) - 1 - players * hand_size
    lists = [all_doubles(highest), tuple(chance.choices(range(highest + 1), k=3))]
    if rules["starter_rule"] != "highest_unplayed_held":
        lists.append(down_and_up(highest))
    return {
        **rules,
        "max_pip": highest,
        "players": players,
        "hand_size": hand_size,
        "boneyard_reserve": chance.choice([0, min(1, left), min(3, left)]),
        "starter_arms": chance.randint(1, highest),
        "toes": chance.randint(1, min(3, highest - 1)),
        "last_double_points": chance.choice([0, 7, 50]),
        "double_blank_points": chance.choice([0, 25, 50]),
        "blank_half_points": chance.choice([0, 10]),
        "rounds": chance.choice(lists),
        "target_points": chance.choice([None, None, 20, 60]),
        "draw_stride": chance.choice([0, left // players]),
    }


RANDOM_RULE_SETS = [random_rules(number) for number in range(30)]
EVERY = {
    **{
        ",".join(f"{key}={changes[key]}" for key in changes) or "seed": changes
        for changes in RULE_SETS
    },
    **{f"random-{number}": changes for number, changes in enumerate(RANDOM_RULE_SETS)},
}
every_rule_set = pytest.mark.parametrize("changes", EVERY.values(), ids=EVERY.keys())


def deal(
    changes: dict[str, Any], seed: int, kind: type[ReferenceGame] = ReferenceGame, **more: Any
) -> ReferenceGame:
    """A game whose chance follows from `seed`."""
    rules = {"rounds": all_doubles(changes.get("max_pip", 9)), **changes}
    return kind(**{**chance_of(changes, seed), **rules, **more})


def chance_of(changes: dict[str, Any], seed: int) -> dict[str, Any]:
    """The callables that a game asks for its chance."""
    tiles = full_set(changes.get("max_pip", 9))
    players = changes.get("players", 4)

    def seat(*asked: Any) -> int:
        return random.Random(f"{seed} {asked}").randrange(players)

    return {
        "order_of_round": lambda index, attempt: random.Random(f"{seed} {index} {attempt}").sample(
            tiles, len(tiles)
        ),
        "lot": lambda: seat("lot"),
        "random_lead": lambda index: seat("lead", index),
        "random_hunter": lambda index: seat("hunter", index),
    }


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


def test_every_value_of_every_field_is_played() -> None:
    """In the random rule sets, which the engine accepts."""
    for name, allowed in CHOICES.items():
        assert {changes[name] for changes in RANDOM_RULE_SETS} == set(allowed)
    for changes in RANDOM_RULE_SETS:
        assert len(deal(changes, 0).hands) == changes["players"]


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
        doubles = sum(is_double(tile) for tile in game.table[1:])
        arms, more = game.rules.starter_arms, game.rules.toes - 1
        assert ends + owed == arms + more * doubles <= arms + more * game.max_pip


def test_d6_has_room_for_five_feet() -> None:
    """Section 6.2: at most 14 ends while no foot is open."""
    for game in random_games({"max_pip": 6}):
        assert game.phase()[0] != "OPEN" or game.end_values().total() <= 14


@every_rule_set
def test_i6_i7_what_is_on_offer(changes: dict[str, Any]) -> None:
    """I6, I7: whoever can play must, unless the tile was just drawn; asking changes nothing."""
    for game in random_games(changes):
        before = repr(vars_of(game))
        offered = game.legal_actions()
        assert repr(vars_of(game)) == before
        if game.over:
            assert offered == [PASS]
            continue
        plays = [action for action in offered if action not in (DRAW, PASS)]
        assert plays == game.legal_plays(game.seat)
        may_draw = len(game.boneyard) > game.rules.boneyard_reserve
        again = not game.has_drawn or game.rules.draw_count == "until_playable"
        assert (DRAW in offered) == (not plays and may_draw and again)
        optional = DRAW in offered and game.rules.draw_when_stuck == "may"
        kept = bool(plays) and game.has_drawn and game.rules.drawn_tile == "may"
        assert (PASS in offered) == (optional or kept or offered == [PASS])
        assert not game.has_drawn or game.rules.drawn_tile != "no"


@every_rule_set
def test_q16_only_the_tile_just_drawn_can_be_played(changes: dict[str, Any]) -> None:
    """Q16: unless the other tile is a double that could not be laid as the last one."""
    for game in random_games(changes):
        hand = game.hands[game.seat]
        plays = game.legal_plays(game.seat) if game.has_drawn and not game.over else []
        for _, tile, _ in plays:
            freed = game.rules.last_double == "forbidden" and len(hand) == 2 and is_double(tile)
            assert tile == hand[-1] or freed


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
    """I10: plays, draws and turns of a round stay within the bounds of section 6.4.

    Where drawing is optional there is no bound: all seats may decline as long as they like.
    """
    for game, turns, result in turns_of_rounds(changes):
        players = game.players
        tiles = len(full_set(game.max_pip))
        most_plays = tiles - (players - (result.outcome == "WENT_OUT"))
        assert len(result.table) <= most_plays
        aside = game.rules.starter_source == "set_aside"
        dealt = tiles - players * game.rules.hand_size - aside
        draws = dealt - len(result.boneyard)
        assert (
            0 <= result.hunted <= draws <= max(result.hunted, dealt - game.rules.boneyard_reserve)
        )
        if game.rules.draw_when_stuck == "must":
            assert turns <= most_plays + draws + (players - 1) * most_plays


def turns_of_rounds(changes: dict[str, Any]) -> Iterator[tuple[ReferenceGame, int, RoundResult]]:
    """Each round that was played with its number of turns, the starter's included."""
    for seed in range(GAMES):
        game = deal(changes, seed)
        chance = random.Random(seed)
        turns, finished = 1, len(game.results)
        while not game.over:
            turns += not game.has_drawn
            game.step(chance.choice(game.legal_actions()))
            if len(game.results) > finished:
                yield game, turns, game.results[finished]
                turns, finished = 1, len(game.results)


def is_stuck(rules: ReferenceRules, hand: Sequence[Tile], playable: set[int]) -> bool:
    """Whether no tile of the hand can be laid."""
    if rules.last_double == "forbidden" and len(hand) == 1 and is_double(hand[0]):
        return True
    return not any(playable & {*tile} for tile in hand)


def is_dead(table: Sequence[Tile], pips: set[int], max_pip: int) -> bool:
    """Whether all tiles with the one pip that fits are on the table."""
    return len(pips) == 1 and sum(bool(pips & {*tile}) for tile in table) == max_pip + 1


@every_rule_set
def test_i11_round_goes_on_until_out_or_blocked(changes: dict[str, Any]) -> None:
    """I11: while a game goes on, somebody can act under its block rule."""
    for game in random_games(changes):
        if game.over:
            continue
        assert all(game.hands)
        playable = game.playable_pips()
        stuck = [is_stuck(game.rules, hand, playable) for hand in game.hands]
        if game.rules.block_rule == "first_stuck":
            stuck = [stuck[game.seat]]
        assert len(game.boneyard) > game.rules.boneyard_reserve or not all(stuck)
        if game.rules.block_rule == "dead_foot_too" and game.phase()[0] != "OPEN":
            assert not is_dead(game.table, playable, game.max_pip)


@every_rule_set
def test_i11_round_is_over_when_out_or_blocked(changes: dict[str, Any]) -> None:
    """I11: somebody is out, or nobody who matters under the block rule can act."""
    for game, result in finished_rounds(changes):
        assert result.hands.count([]) == (result.outcome == "WENT_OUT")
        if result.outcome == "WENT_OUT":
            continue
        rules, empty = game.rules, len(result.boneyard) <= game.rules.boneyard_reserve
        stuck = [is_stuck(rules, hand, result.playable) for hand in result.hands]
        if not empty and result.passes == game.players:
            assert rules.draw_when_stuck == "may" and all(stuck)
        elif rules.block_rule == "first_stuck":
            assert empty and any(stuck)
        elif rules.block_rule == "dead_foot_too":
            assert all(stuck)
            assert empty or is_dead(result.table, result.playable, game.max_pip)
        else:
            assert empty and all(stuck)


@every_rule_set
def test_i12_no_pip_is_lost(changes: dict[str, Any]) -> None:
    """I12, M11: scores, table and boneyard add up to the set; 0-0 is never charged as starter."""
    for game, result in finished_rounds(changes):
        held = [tile for hand in result.hands for tile in hand]
        blanks = sum(0 in tile and tile != (0, 0) for tile in held)
        extra = game.rules.double_blank_points * held.count((0, 0))
        extra += game.rules.blank_half_points * blanks
        if result.outcome == "WENT_OUT" and game.rules.last_double == "penalty":
            extra += game.rules.last_double_points * is_double(result.table[-1])
        pips = sum(low + high for low, high in (*result.table, *result.boneyard))
        total = sum(low + high for low, high in full_set(game.max_pip))
        assert sum(result.scores) + pips == total + extra
        assert not ((0, 0) in held and result.starter == 0)


@every_rule_set
def test_m9_m10_zero_points_only_by_going_out(changes: dict[str, Any]) -> None:
    """M9, M10, Q26: unless the double-blank costs nothing, or the last double something."""
    for game, result in finished_rounds(changes):
        penalty = game.rules.last_double_points * is_double(result.table[-1])
        penalised = game.rules.last_double == "penalty" and penalty > 0
        for hand, score in zip(result.hands, result.scores, strict=True):
            free = game.rules.double_blank_points == 0 and hand == [(0, 0)]
            assert (score == 0) == (free or (not hand and not penalised))
        if game.rules.double_blank_points and not penalised:
            assert result.scores.count(0) == (result.outcome == "WENT_OUT")


@every_rule_set
def test_last_double_only_where_it_is_allowed(changes: dict[str, Any]) -> None:
    """`last_double="forbidden"`: only the starter may be the last tile of a hand."""
    for game, result in finished_rounds(changes):
        if result.outcome == "WENT_OUT" and game.rules.last_double == "forbidden":
            assert len(result.table) == 1 or not is_double(result.table[-1])


@every_rule_set
def test_winner_has_the_fewest_points_or_went_out(changes: dict[str, Any]) -> None:
    """Nobody between the lead seat and the winner of a blocked round has as few."""
    for game, result in finished_rounds(changes):
        if result.outcome == "WENT_OUT":
            assert result.hands[result.winner] == []
            continue
        assert result.scores[result.winner] == min(result.scores)
        seat = result.lead
        while seat != result.winner:
            assert result.scores[seat] > result.scores[result.winner]
            seat = (seat + 1) % game.players


@every_rule_set
def test_game_ends_with_its_rounds_or_at_its_target(changes: dict[str, Any]) -> None:
    """`rounds`, `target_points`: in both directions."""
    for game in random_games(changes):
        if not game.over:
            continue
        rounds = [result.scores for result in game.results]
        totals = [sum(scores) for scores in zip(*rounds, strict=True)]
        before = [total - last for total, last in zip(totals, rounds[-1], strict=True)]
        target = game.rules.target_points or float("inf")
        assert game.points == totals
        assert max(before) < target
        assert len(rounds) == len(game.rules.rounds) or max(totals) >= target


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


class Start(NamedTuple):
    """A round once its starter lies."""

    starter: Tile
    finder: int
    hunted: int
    seat: int
    drawn: list[int]  # by seat, in the hunt
    deals: list[list[list[Tile]]]  # hands as dealt, of each attempt
    boneyard: int
    opened: list[int]  # starters of the rounds before
    winner: int | None  # of the round before


class Watched(ReferenceGame):
    """Keeps the start of every round."""

    def _deal(self, attempt: int) -> None:
        super()._deal(attempt)
        deals = self.__dict__.setdefault("deals", [])
        deals[attempt:] = [[list(hand) for hand in self.hands]]

    def _begin_round(self) -> None:
        super()._begin_round()
        laid = [int(seat == self.finder) for seat in range(self.players)]
        if self.rules.starter_source == "set_aside":
            laid = [0] * self.players
        held = [len(hand) + more for hand, more in zip(self.hands, laid, strict=True)]
        start = Start(
            self.table[0],
            self.finder,
            self.hunted,
            self.seat,
            [count - self.rules.hand_size for count in held],
            list(self.deals),
            len(self.boneyard),
            [result.starter for result in self.results],
            self.results[-1].winner if self.results else None,
        )
        self.__dict__.setdefault("starts", []).append(start)


def starts_of(changes: dict[str, Any]) -> Iterator[tuple[int, ReferenceGame, int, Start]]:
    """Every round of the random games: seed, game at its end, index of the round, its start."""
    for seed in range(GAMES * 3):
        game = deal(changes, seed, Watched)
        chance = random.Random(seed)
        while not game.over:
            game.step(chance.choice(game.legal_actions()))
        assert len(game.starts) == len(game.results)
        for index, start in enumerate(game.starts):
            yield seed, game, index, start


def highest_in(hands: Sequence[Sequence[Tile]], wanted: set[int]) -> int | None:
    """Pip of the highest wanted double in the hands."""
    pips = [low for hand in hands for low, high in hand if low == high]
    return max((pip for pip in pips if pip in wanted), default=None)


def wanted_in(rules: ReferenceRules, index: int, start: Start) -> set[int]:
    """Pips of the doubles that may open a round."""
    if rules.starter_rule == "descending":
        return {rules.rounds[index]}
    played = start.opened if rules.starter_rule == "highest_unplayed_held" else []
    return {*range(rules.max_pip + 1)} - {*played}


@every_rule_set
def test_starter_is_the_double_that_the_rules_name(changes: dict[str, Any]) -> None:
    """`starter_rule`, `starter_source`, `starter_missing`: by the hands as they were dealt."""
    for _, game, index, start in starts_of(changes):
        rules, starter = game.rules, start.starter[0]
        wanted = wanted_in(rules, index, start)
        dealt = [highest_in(hands, wanted) for hands in start.deals]
        assert (len(start.deals) == 1) or rules.starter_missing == "redeal"
        assert all(highest is None for highest in dealt[:-1])
        if rules.starter_source == "set_aside":
            assert (starter, start.hunted) == (rules.rounds[index], 0)
        elif dealt[-1] is not None:
            assert (starter, start.hunted) == (dealt[-1], 0)
            assert start.starter in start.deals[-1][start.finder]
        elif rules.starter_missing == "next_lower_held" and rules.starter_rule == "descending":
            held = highest_in(start.deals[0], {*range(rules.max_pip + 1)})
            lower = highest_in(start.deals[0], {*range(rules.rounds[index])})
            assert (start.hunted > 0) == (held is None)
            assert held is None or starter == (held if lower is None else lower)
        else:
            assert rules.starter_missing != "redeal"
            assert start.hunted > 0
            assert starter in wanted


@every_rule_set
def test_hunt_goes_round_from_the_first_hunter(changes: dict[str, Any]) -> None:
    """`hunt_first`, `starter_missing`: who has drawn how many tiles, and who found the starter."""
    for seed, game, index, start in starts_of(changes):
        assert sum(start.drawn) == start.hunted
        if not start.hunted:
            continue
        rules, chance = game.rules, chance_of(changes, seed)
        hands = start.deals[-1]
        heaviest = max(itertools.chain(*hands), key=lambda tile: (sum(tile), tile[1]))
        lead = game.results[index].lead
        first = {
            "lead_seat": lead,
            "previous_winner": lead if start.winner is None else start.winner,
            "highest_tile": [heaviest in hand for hand in hands].index(True),
            "random": chance["random_hunter"](index),
        }[rules.hunt_first]
        laps, rest = divmod(start.hunted, game.players)
        for seat, drawn in enumerate(start.drawn):
            assert drawn == laps + ((seat - first) % game.players < rest)
        if rules.starter_missing == "draw_together":
            assert rest == 0 or start.boneyard == 0
        else:
            assert start.finder == (first + start.hunted - 1) % game.players


@every_rule_set
def test_lead_seat_and_first_turn(changes: dict[str, Any]) -> None:
    """`lead_rule`, `starter_uses_turn`."""
    for seed, game, index, start in starts_of(changes):
        rules, chance = game.rules, chance_of(changes, seed)
        lead = {
            "starter_holder": index,
            "rotate": index,
            "lot": chance["lot"]() + index,
            "random": chance["random_lead"](index),
        }[rules.lead_rule]
        assert game.results[index].lead == lead % game.players
        beginner = start.finder if rules.lead_rule == "starter_holder" else lead
        assert start.seat == (beginner + rules.starter_uses_turn) % game.players
        assert rules.starter_source == "hands" or start.finder == lead % game.players


@every_rule_set
def test_i13_renaming_the_seats_rotates_the_game(changes: dict[str, Any]) -> None:
    """I13: hands and lead one seat on, the same actions, everything one seat on."""
    changes = {**changes, "draw_stride": 0}
    for seed in range(GAMES):
        chance = random.Random(seed)
        game, twin = deal(changes, seed), deal_one_seat_on(changes, seed)
        players = game.players
        while not game.over:
            action = chance.choice(game.legal_actions())
            game.step(action)
            twin.step(action)
            assert [*twin.hands[1:], twin.hands[0]] == game.hands
            assert [*twin.points[1:], twin.points[0]] == game.points
            assert (twin.lead, twin.finder) == (
                (game.lead + 1) % players,
                (game.finder + 1) % players,
            )
            assert game.over or twin.seat == (game.seat + 1) % players
        assert twin.over


class LedOneSeatOn(ReferenceGame):
    """The lead seat is one further on."""

    def lead_seat(self) -> int:
        """Seat 1 where it would be seat 0."""
        return (super().lead_seat() + 1) % self.players


def deal_one_seat_on(changes: dict[str, Any], seed: int) -> ReferenceGame:
    """The same game with the hands, the lead and the first hunter one seat on."""
    chance = chance_of(changes, seed)
    players, hand_size = changes.get("players", 4), changes.get("hand_size", 7)
    starters = changes.get("rounds", all_doubles(changes.get("max_pip", 9)))

    def order_of_round(index: int, attempt: int) -> list[Tile]:
        order = chance["order_of_round"](index, attempt)
        aside = []
        if changes.get("starter_source") == "set_aside":
            at = order.index((starters[index], starters[index]))
            order[0], order[at] = order[at], order[0]
            aside = [order.pop(0)]
        dealt, last = hand_size * players, hand_size * (players - 1)
        return [*aside, *order[last:dealt], *order[:last], *order[dealt:]]

    def random_hunter(index: int) -> int:
        return (chance["random_hunter"](index) + 1) % players

    more = {"order_of_round": order_of_round, "random_hunter": random_hunter}
    return deal(changes, seed, LedOneSeatOn, **more)


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

    def shows_a_lack(self, action: Action) -> bool:
        """Whether everybody can tell from it that the seat cannot play."""
        if self.rules.last_double == "forbidden" and len(self.hands[self.seat]) == 1:
            return False
        passed = action == PASS and (not self.has_drawn or self.rules.drawn_tile == "must")
        return action == DRAW or passed

    def count(self, known: dict[int, int], action: Action) -> None:
        """A showing sets 0, a draw adds one to all, a play lowers all from its newest pip on."""
        if self.shows_a_lack(action):
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
    rules = {"players": 2, "max_pip": 2, "hand_size": 1, "starter_arms": 2, "rounds": (2,)}
    hunted = []
    for order in itertools.permutations(full_set(2)):
        game = ReferenceGame(**rules, order_of_round=lambda index, attempt, order=order: order)
        hunted.append(game.hunted)
    missing = [draws for draws in hunted if draws]
    assert Fraction(len(missing), len(hunted)) == Fraction(4, 6)
    assert Fraction(sum(missing), len(missing)) == Fraction(4 + 1, 2)
