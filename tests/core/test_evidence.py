"""Evidence: what draws and passes have shown of a hand, never more and, on small sets, never less.

`drawn_since[seat, x]` is the number of tiles with pip x that the seat can have at most: those it
drew since it last showed that it had none. The bounds nest: of the tiles with any pip whose bound
is c or less, the seat has at most c.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from core.random_play import every_rule_set, random_play, seeds
from numpy.typing import NDArray

from chickenfoot_env import batch, notation
from chickenfoot_env.game import GAME_OVER, PLAYING, UNKNOWN, rows_of, tiles_of
from chickenfoot_env.rules import Rules
from chickenfoot_env.tiles import HIGH, LOW, Rows, tile_id

Hand = frozenset[int]  # tile ids
World = tuple[Hand, ...]  # the hands of all seats but the observer's


# Positions and what follows.


def shown(position: str, actions: str, seat: int = 0, **changes: Any) -> dict[int, int]:
    """The seat's bounds by pip, after these actions of a position of the seed rules."""
    hands = position.split("|")[2].count("/") + 1
    rules = Rules(players=hands, **changes)
    games = notation.parse_position(position, rules)
    for word in actions.split():
        batch.step(games, np.array([notation.parse_action(word, rules)]))
    bounds = games["drawn_since"][0, seat].tolist()
    assert (games["round"][0], games["over"][0]) == (0, PLAYING)
    return {pip: bound for pip, bound in enumerate(bounds[: rules.pips]) if bound != UNKNOWN}


TWO_ENDS = "OPEN | 3 8 | 1-2 4-5 / 6-7 | 5-5 3-4 2-8 0-3 7-7 0-9 | 0"
FOOT = "FOOT 6/2 | 2 3 5 8 | 2-9 1-1 / 6-7 | 3-5 0-6 | 0"
ARMS = "ARMS 9/2 | 3 4 | 3-4 1-1 / 9-7 | 3-5 0-6 | 0"
EMPTY = "OPEN | 3 8 | 1-2 4-5 / 3-7 | - | 0"


def test_nothing_is_known_before_anybody_lacked_a_pip() -> None:
    """A play shows the tile that is laid and no more."""
    assert shown(TWO_ENDS, "") == {}
    assert shown("OPEN | 3 8 | 1-3 4-5 / 6-7 | 5-5 | 0", "1-3@3") == {}


def test_a_draw_shows_that_no_open_pip_was_held() -> None:
    """The tile drawn is the only one that can have an open pip."""
    assert shown(TWO_ENDS, "DRAW") == {3: 1, 8: 1}
    assert shown(TWO_ENDS, "DRAW", seat=1) == {}


def test_a_draw_before_a_foot_shows_the_pip_of_the_foot_alone() -> None:
    """The seat holds a 2-9 for the open 2, which it could not lay."""
    assert shown(FOOT, "DRAW") == {6: 1}


def test_a_draw_before_the_arms_shows_the_pip_of_the_starter_alone() -> None:
    """The seat holds a 3-4 for both arms begun, which it could not lay."""
    assert shown(ARMS, "DRAW") == {9: 1}


def test_a_pass_that_keeps_a_playable_tile_shows_nothing() -> None:
    """Under "may" the 3-4 just drawn may be kept, so the pass is silent."""
    position = TWO_ENDS.replace("5-5 3-4", "3-4 5-5")
    assert shown(position, "DRAW PASS") == shown(position, "DRAW") == {3: 1, 8: 1}


def test_a_pass_that_is_forced_shows_nothing_where_another_could_be_chosen() -> None:
    """Under "may" nobody can tell that the 5-5 just drawn did not fit."""
    assert shown(TWO_ENDS, "DRAW PASS") == {3: 1, 8: 1}


def test_a_pass_after_a_draw_shows_that_the_tile_did_not_fit_where_it_had_to_be_laid() -> None:
    """Under "must"."""
    assert shown(TWO_ENDS, "DRAW", drawn_tile="must") == {3: 1, 8: 1}
    assert shown(TWO_ENDS, "DRAW PASS", drawn_tile="must") == {3: 0, 8: 0}


def test_a_draw_that_ends_the_turn_shows_nothing_of_the_tile_drawn() -> None:
    """Under "no" it cannot be laid at once."""
    assert shown(TWO_ENDS, "DRAW", drawn_tile="no") == {3: 1, 8: 1}


@pytest.mark.parametrize("drawn_tile", ["may", "must", "no"])
def test_a_pass_without_a_boneyard_shows_that_no_open_pip_is_held(drawn_tile: str) -> None:
    """Nothing was drawn, so nothing can have an open pip."""
    assert shown(EMPTY, "PASS", drawn_tile=drawn_tile) == {3: 0, 8: 0}


def test_every_later_draw_may_bring_any_pip() -> None:
    """Seat 0 draws for 3 and 8; then a 3 was turned into a 7, and it draws for 7 and 8."""
    position = "OPEN | 3 8 | 1-2 4-5 / 3-7 6-6 | 5-5 2-4 0-0 0-9 | 0"
    assert shown(position, "DRAW PASS 3-7@3 DRAW") == {3: 2, 7: 1, 8: 1}


def test_laying_the_tile_drawn_lowers_the_bound() -> None:
    """One of the one tile that could have had a 3 or an 8 is gone."""
    position = TWO_ENDS.replace("5-5 3-4", "3-4 5-5")
    assert shown(position, "DRAW 3-4@3") == {3: 0, 8: 0}


def test_laying_a_tile_drawn_later_lowers_all_earlier_bounds() -> None:
    """Bounds 3: 2 and 7, 8: 1; a tile with a 7 is one of the last one drawn, and of the two."""
    position = "OPEN | 3 8 | 1-2 4-5 / 3-7 6-6 | 5-5 0-7 0-0 0-9 | 0"
    assert shown(position, "DRAW PASS 3-7@3 DRAW 0-7@7") == {3: 1, 7: 0, 8: 0}


def test_laying_a_tile_drawn_earlier_leaves_later_bounds() -> None:
    """Bounds 3: 2 and 7: 1; a tile with a 3 is one of the two, not surely the last one."""
    position = "OPEN | 3 7 | 4-5 5-5 / 7-7 1-7 8-8 | 3-6 2-4 0-0 0-9 | 0"
    actions = "DRAW PASS 7-7@7 DRAW PASS 1-7@7"
    assert shown(position, actions, toes=1) == {3: 2, 7: 1}
    assert shown(position, f"{actions} 3-6@3", toes=1) == {3: 1, 7: 1}


def test_laying_a_tile_with_two_bounds_goes_by_the_lower_one() -> None:
    """Bounds 3: 2 and 7: 1; the 3-7 is the last tile drawn, and so one of the two."""
    position = "OPEN | 3 7 | 4-5 5-5 / 7-7 1-7 8-8 | 3-6 3-7 0-0 0-9 | 0"
    actions = "DRAW PASS 7-7@7 DRAW PASS 1-7@7"
    assert shown(position, actions, toes=1) == {3: 2, 7: 1}
    assert shown(position, f"{actions} 3-7@3", toes=1) == {3: 1, 7: 0}


def test_laying_a_tile_held_all_along_lowers_nothing() -> None:
    """No pip of the 1-2 was ever shown to be missing."""
    position = "OPEN | 3 8 | 1-2 4-5 / 2-3 6-6 | 5-5 0-0 0-9 | 0"
    assert shown(position, "DRAW PASS 2-3@3 1-2@2") == {3: 1, 8: 1}


def test_a_double_counts_once() -> None:
    """The 3-3 is one tile with a 3."""
    position = TWO_ENDS.replace("5-5 3-4", "3-3 5-5 3-4").replace("0-3", "0-4", 1)
    assert shown(position, "DRAW 3-3@3") == {3: 0, 8: 0}


# Games played at random.


@every_rule_set
def test_every_deal_begins_without_evidence(rules: Rules) -> None:
    """What was shown in one round says nothing of the next."""
    rounds = None
    for games in random_play(rules, 4):
        fresh = np.ones(4, bool) if rounds is None else games["round"] != rounds
        bounds = games["drawn_since"][fresh, : rules.players, : rules.pips]
        assert (bounds == UNKNOWN).all()
        rounds = games["round"].copy()


@every_rule_set
@pytest.mark.parametrize("private", [False, True], ids=["shared", "private"])
def test_evidence_never_excludes_the_truth(rules: Rules, private: bool) -> None:
    """Each bound alone and all bounds together, after every action."""
    stride = rules.private_stride if private else 0
    known = 0
    for games in random_play(rules, 6, seed=2, draw_stride=stride):
        bounds = games["drawn_since"][:, : rules.players, : rules.pips]  # (B, N, P)
        has = held_tiles(games, rules)  # (B, N, T)
        tiles = np.arange(rules.tiles)
        for bound in np.unique(bounds[bounds != UNKNOWN]):
            for pips in (bounds == bound, (bounds != UNKNOWN) & (bounds <= bound)):
                excluded = pips[:, :, LOW[tiles]] | pips[:, :, HIGH[tiles]]
                assert ((has & excluded).sum(axis=2)[pips.any(axis=2)] <= bound).all()
                known += 1
    assert known > 20 or rules.hand_size == 1


def held_tiles(games: NDArray[np.void], rules: Rules) -> NDArray[np.bool_]:
    """Which tiles each seat has: (B, N, T)."""
    tiles = np.arange(rules.tiles)
    rows = rows_of(games["held"])[:, : rules.players][:, :, LOW[tiles]]
    return (rows >> HIGH[tiles].astype(np.uint32) & 1).astype(bool)


# All that could have happened.

SMALL_RULES = {
    "double-two": (Rules(players=2, max_pip=2, hand_size=2, starter_arms=1, toes=1), 30),
    "double-three may": (Rules(players=2, max_pip=3, hand_size=2, starter_arms=1, toes=1), 30),
    "double-three must": (
        Rules(players=2, max_pip=3, hand_size=1, starter_arms=3, toes=2, drawn_tile="must"),
        30,
    ),
    "double-three no": (
        Rules(players=2, max_pip=3, hand_size=2, starter_arms=3, toes=2, drawn_tile="no"),
        30,
    ),
    "three seats": (Rules(players=3, max_pip=3, hand_size=2, starter_arms=1, toes=1), 12),
    "three seats, one tile": (
        Rules(players=3, max_pip=3, hand_size=1, starter_arms=2, toes=2, rounds=(3, 2)),
        12,
    ),
    "double-four may": (
        Rules(players=2, max_pip=4, hand_size=2, starter_arms=2, toes=1, rounds=(4, 3)),
        20,
    ),
    "double-four no": (
        Rules(
            players=2,
            max_pip=4,
            hand_size=2,
            starter_arms=2,
            toes=1,
            rounds=(4, 3),
            drawn_tile="no",
        ),
        20,
    ),
}  # the rules and the number of games


def deals(unseen: Hand, counts: list[int]) -> list[World]:
    """Every way to deal hands of these sizes from the unseen tiles."""
    if not counts:
        return [()]
    return [
        (frozenset(hand), *rest)
        for hand in itertools.combinations(sorted(unseen), counts[0])
        for rest in deals(unseen - {*hand}, counts[1:])
    ]


def allowed(hand: Hand, bounds: list[int]) -> bool:
    """Whether the bounds, all together, let a seat have these tiles."""
    for bound in {*bounds} - {UNKNOWN}:
        within = {pip for pip, other in enumerate(bounds) if UNKNOWN != other <= bound}
        if sum(LOW[tile] in within or HIGH[tile] in within for tile in hand) > bound:
            return False
    return True


class Observer:
    """One seat that keeps every world in which what it has seen could have happened.

    Of the other seats it assumes nothing but that they move legally.
    """

    def __init__(self, game: np.void, rules: Rules, seat: int) -> None:
        """Begin with a deal, of which the seat knows its own hand and the table."""
        self.rules = rules
        self.seat = seat
        self.others = [(seat + n) % rules.players for n in range(1, rules.players)]
        self.round = int(game["round"])
        table, mine = self._tiles(game["laid"]), self._tiles(game["held"][seat])
        self.unseen: Hand = frozenset(range(rules.tiles)) - table - mine
        self.worlds: set[World] = set(deals(self.unseen, self.counts(game)))

    def _tiles(self, rows: Rows) -> Hand:
        return frozenset(tiles_of(rows, self.rules.max_pip))

    def counts(self, game: np.void) -> list[int]:
        """The number of tiles of each other seat."""
        return [int(game["hand_count"][seat]) for seat in self.others]

    def truth(self, game: np.void) -> World:
        """The world as it is."""
        return tuple(self._tiles(game["held"][seat]) for seat in self.others)

    def by_evidence(self, game: np.void) -> set[World]:
        """Every world that the game's evidence allows."""
        bounds = [game["drawn_since"][seat, : self.rules.pips].tolist() for seat in self.others]
        return {
            world
            for world in deals(self.unseen, self.counts(game))
            if all(map(allowed, world, bounds))
        }

    def see(self, before: np.void, action: int, after: np.void) -> None:
        """Keep the worlds in which the action was legal, as they are after it."""
        actor = int(before["seat"])
        if actor == self.seat:
            if action == self.rules.draw:
                drawn = self._tiles(after["held"][actor]) - self._tiles(before["held"][actor])
                self.unseen -= drawn
                self.worlds = {w for w in self.worlds if not drawn & frozenset().union(*w)}
            return
        place = self.others.index(actor)
        following: set[World] = set()
        for world in self.worlds:
            for hand in self._hands_after(world, world[place], before, action):
                following.add((*world[:place], hand, *world[place + 1 :]))
        self.worlds = following
        if action < self.rules.draw:
            self.unseen -= {tile_id(*divmod(action, self.rules.pips))}

    def _hands_after(self, world: World, hand: Hand, before: np.void, action: int) -> list[Hand]:
        owed, foot = int(before["owed"]), int(before["foot"])
        open_pips = {foot} if owed else {*np.flatnonzero(before["ends"]).tolist()}
        stuck = not any(LOW[tile] in open_pips or HIGH[tile] in open_pips for tile in hand)
        if action == self.rules.draw:
            left = self.unseen.difference(*world)
            return [hand | {tile} for tile in left] if stuck else []
        if action == self.rules.pass_:
            silent = before["has_drawn"] and self.rules.drawn_tile == "may"
            return [hand] if stuck or silent else []
        tile = tile_id(*divmod(action, self.rules.pips))
        return [hand - {tile}] if tile in hand else []


@pytest.mark.parametrize("name", SMALL_RULES)
def test_evidence_allows_exactly_the_worlds_that_are_possible(name: str) -> None:
    """Every hand that somebody could have, and no other, compared after every action.

    Possible are the hands with which all that a seat has seen could have happened, however the
    others choose among their legal actions.
    """
    rules, count = SMALL_RULES[name]
    compared = excluded = 0
    for seed in range(count):
        rng = np.random.default_rng(seed)
        games = batch.deal(rules, seeds(1, first=seed))
        observer = Observer(games[0], rules, seed % rules.players)
        while games["over"][0] != GAME_OVER:
            (game,) = games
            if game["round"] != observer.round:
                observer = Observer(game, rules, observer.seat)
            assert observer.truth(game) in observer.worlds
            by_evidence = observer.by_evidence(game)
            assert observer.worlds <= by_evidence, "a possible world is excluded"
            assert by_evidence <= observer.worlds, "a world that is impossible is allowed"
            compared += 1
            excluded += len(by_evidence) < len(deals(observer.unseen, observer.counts(game)))
            before = game.copy()
            legal = np.flatnonzero(batch.legal_mask(games)[0])
            action = int(legal[-1] if rng.random() < 0.6 else rng.choice(legal))  # often keeps
            batch.step(games, np.array([action]))
            if games["round"][0] == before["round"]:
                observer.see(before, action, games[0])
    assert excluded >= 8, f"evidence excluded something in {excluded} of {compared} positions"
