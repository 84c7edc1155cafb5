"""What a seat may know: every field of a view, and that nothing hidden gets into one (I9)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from core.random_play import (
    RULE_SETS,
    every_rule_set,
    random_actions,
    random_play,
    sample_positions,
    seeds,
)
from numpy.typing import NDArray

from chickenfoot_env import batch, chance, encode, notation, view
from chickenfoot_env.game import (
    BONEYARD,
    GAME,
    GAME_OVER,
    RULE_FIELDS,
    UNKNOWN,
    bit_matrix,
    problems,
    rows_of,
    tiles_of,
)
from chickenfoot_env.rules import MAX_PLAYERS, Rules
from chickenfoot_env.tiles import HIGH, LOW, MAX_PIPS
from chickenfoot_env.view import VIEW, observe

SAME_NAME = (
    *("ends", "foot", "owed", "has_drawn", "passes", "over", "round", "starter"),
    *("opened", "showing"),
)
BY_SEAT = ("points", "zero_rounds", "best_round", "hand_count", "drawn_since")
RULES = tuple(name for name, _ in RULE_FIELDS)


def every_seat(games: NDArray[np.void]) -> Iterator[tuple[int, NDArray[np.void]]]:
    """Each seat with the views it has of the games, all of one seat count."""
    for seat in range(int(games["players"][0])):
        yield seat, observe(games, np.full(len(games), seat))


def expected_view(game: np.void, observer: int) -> np.void:
    """The view of one seat, written field by field; a field that is not named here is zero."""
    wanted = np.zeros(1, VIEW)[0]
    players, pips = int(game["players"]), int(game["max_pip"]) + 1
    for name in (*SAME_NAME, *RULES):
        wanted[name] = game[name]
    wanted["laid"] = rows_of(game["laid"])
    for relative in range(players):
        seat = (observer + relative) % players
        for name in BY_SEAT:
            wanted[name][relative] = game[name][seat]
    wanted["drawn_since"][:, pips:] = 0
    wanted["hand"] = rows_of(game["held"][observer])
    wanted["turn"] = (int(game["seat"]) - observer + players) % players
    wanted["boneyard"] = game["hand_count"][BONEYARD]
    return wanted


@every_rule_set
def test_every_seat_sees_what_it_may(rules: Rules) -> None:
    """All fields from all seats, in positions of random games."""
    games = sample_positions(rules, 4, share=0.1)
    for seat, views in every_seat(games):
        for game, seen in zip(games, views, strict=True):
            wanted = expected_view(game, seat)
            different = [name for name in VIEW.names or () if np.any(seen[name] != wanted[name])]
            assert different == [], (seat, notation.format_position(game))


def test_seats_of_one_batch_may_differ() -> None:
    """Row i is what seats[i] sees of games[i], whatever stands beside it."""
    games = np.concatenate([batch.deal(rules, seeds(2)) for rules in RULE_SETS.values()])
    chosen = np.arange(len(games)) % games["players"]
    together = observe(games, chosen)
    for row in range(len(games)):
        assert together[row : row + 1] == observe(games[row : row + 1], chosen[row : row + 1])


def test_a_view_has_nothing_in_rows_of_absent_seats_and_pips() -> None:
    """Behind the last seat and above the highest pip all is zero, whatever the record has there."""
    rules = Rules(players=3, max_pip=6)
    games = sample_positions(rules, 4, share=0.1)
    games["points"][:, 3:] = 77
    games["drawn_since"][:, 3:] = games["drawn_since"][:, :, 7:] = 5
    for _, views in every_seat(games):
        for name in BY_SEAT:
            assert not views[name][:, 3:].any()
        for name in ("hand", "laid", "ends"):
            assert not views[name][:, 7:].any()
        assert not views["drawn_since"][:, :, 7:].any()


def test_looking_changes_no_game() -> None:
    """Neither a view nor its mask writes into the record."""
    games = sample_positions(Rules(rounds=(9,)), 8, share=0.1)
    before = games.tobytes()
    for _, views in every_seat(games):
        view.legal_mask(views)
    assert games.tobytes() == before


@every_rule_set
def test_the_mask_of_the_seat_to_act_is_that_of_the_game(rules: Rules) -> None:
    """After every action; all other seats may do nothing."""
    for games in random_play(rules, 4):
        wanted = batch.legal_mask(games)
        for seat, views in every_seat(games):
            mask = view.legal_mask(views)
            mine = games["seat"] == seat
            assert np.array_equal(mask[mine], wanted[mine])
            assert not mask[~mine].any()


def test_a_finished_game_leaves_pass_alone() -> None:
    """The mask of a view says so like that of the game."""
    rules = Rules(players=2, rounds=(9,))
    games = batch.deal(rules, seeds(2))
    batch.random_playout(games, seeds(2))
    assert (games["over"] == GAME_OVER).all()
    mask = view.legal_mask(observe(games, games["seat"].astype(np.int64)))
    assert [np.flatnonzero(row).tolist() for row in mask] == [[rules.pass_]] * 2


def test_masks_of_several_sets_have_the_width_of_the_largest() -> None:
    """Double-two beside double-nine: columns beyond the smaller set are False."""
    small, large = Rules(players=2, max_pip=2, hand_size=1, starter_arms=2, toes=1), Rules()
    games = np.concatenate([batch.deal(small, seeds(1)), batch.deal(large, seeds(1))])
    mask = view.legal_mask(observe(games, games["seat"].astype(np.int64)))
    assert mask.shape == (2, large.actions)
    assert not mask[0, small.actions :].any()
    assert np.array_equal(mask, batch.legal_mask(games))


def test_an_empty_batch_has_empty_views() -> None:
    """No games, no views, no masks."""
    views = observe(np.zeros(0, GAME), np.zeros(0, np.int64))
    assert (len(views), views.dtype, len(view.legal_mask(views))) == (0, VIEW, 0)


TWO_AND_FOUR = np.concatenate([batch.deal(Rules(players=n), seeds(1)) for n in (2, 4)])


@pytest.mark.parametrize(
    ("seats", "message"),
    [
        (np.array([0, 4]), "seat 4 of game 1: allowed are 0 to 3"),
        (np.array([2, 3]), "seat 2 of game 0: allowed are 0 to 1"),
        (np.array([-1, 0]), "seat -1 of game 0: allowed are 0 to 1"),
        (np.array([0, 2**40]), "seat 1099511627776 of game 1: allowed are 0 to 3"),
        (np.array([0.0, 1.0]), "seats are float64 of shape (2,): wanted is an int64 array"),
        (np.array([True, False]), "seats are bool of shape (2,): wanted is an int64 array"),
        (np.array([0]), "seats are int64 of shape (1,): wanted is an int64 array of shape (2,)"),
        (np.array([[0, 1]]), "seats are int64 of shape (1, 2): wanted is"),
        (0, "seats are int64 of shape (): wanted is"),
    ],
    ids=str,
)
def test_a_seat_that_is_not_at_the_table_is_refused(seats: object, message: str) -> None:
    """One line with the seat, the game and the seats there are."""
    with pytest.raises(ValueError) as caught:
        observe(TWO_AND_FOUR, seats)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_game_is_no_view() -> None:
    """The fairness boundary is the type: what takes views refuses game records."""
    with pytest.raises(ValueError, match="wanted is an array of VIEW records"):
        view.legal_mask(TWO_AND_FOUR)
    with pytest.raises(ValueError, match="wanted is an array of GAME records"):
        observe(np.zeros(2, VIEW), np.zeros(2, np.int64))


# Hidden things.


def test_a_view_has_no_room_for_what_is_hidden() -> None:
    """No field named as hidden state, none shaped as the boneyard's order or all seats' tiles."""
    assert VIEW.names is not None and VIEW.fields is not None
    assert not {"seed", "order", "held", "draw_stride"} & {*VIEW.names}
    rows = [name for name in VIEW.names if VIEW[name].base == np.dtype("u4")]
    tile_rows = [name for name in rows if VIEW[name].shape]  # the others are one row of pips
    assert tile_rows == ["hand", "laid"]
    assert all(VIEW[name].shape == (MAX_PIPS,) for name in tile_rows)
    for name in VIEW.names:
        assert VIEW[name].base.itemsize <= 4, f"{name} could carry a seed"
        by_seat_and_pip = VIEW[name].shape == (MAX_PLAYERS, MAX_PIPS)
        assert by_seat_and_pip == (name == "drawn_since")
        assert np.prod(VIEW[name].shape) < 190 or by_seat_and_pip


def hidden_holders(game: np.void, observer: int) -> list[int]:
    """Everybody but the observer, the boneyard included."""
    return [seat for seat in range(game["players"]) if seat != observer] + [BONEYARD]


def allows(game: np.void, seat: int, tiles: list[int]) -> bool:
    """Whether the evidence against the seat lets it have these tiles."""
    if seat == BONEYARD:
        return True
    bounds = game["drawn_since"][seat]
    for bound in {*bounds.tolist()} - {UNKNOWN}:
        within = (bounds != UNKNOWN) & (bounds <= bound)
        if sum(bool(within[LOW[tile]] or within[HIGH[tile]]) for tile in tiles) > bound:
            return False
    return True


def dealt_otherwise(game: np.void, observer: int, rng: np.random.Generator) -> np.void:
    """The game with the tiles hidden from the observer exchanged, as the evidence allows.

    The order is rewritten to fit, and the seed, from which only later rounds follow, is another.
    """
    other = game.copy()
    max_pip = int(game["max_pip"])
    holders = hidden_holders(game, observer)
    hands = {h: tiles_of(game["held"][h], max_pip) for h in holders}
    for _ in range(60):
        one, two = (int(h) for h in rng.choice(holders, 2, replace=False))
        if not hands[one] or not hands[two]:
            continue
        i, j = rng.integers(len(hands[one])), rng.integers(len(hands[two]))
        mine, theirs = hands[one].copy(), hands[two].copy()
        mine[i], theirs[j] = theirs[j], mine[i]
        if allows(game, one, mine) and allows(game, two, theirs):
            hands[one], hands[two] = mine, theirs
    renamed = np.arange(256)
    for holder in holders:
        before, after = tiles_of(game["held"][holder], max_pip), list(hands[holder])
        rng.shuffle(after)
        renamed[before] = after
        other["held"][holder] = bit_matrix(after)
    size = (max_pip + 1) * (max_pip + 2) // 2
    other["order"][:size] = renamed[game["order"][:size]]
    other["seed"] = chance.derive(np.array([game["seed"]]), 99)[0]
    return other


def fingerprint(game: np.void, observer: int) -> tuple[bytes, bytes, bytes]:
    """The bytes of all that the seat is given: view, mask and features."""
    views = observe(np.array([game], GAME), np.array([observer]))
    mask, vector = view.legal_mask(views), encode.features(views)
    return views.tobytes(), mask.tobytes(), vector.tobytes()


@every_rule_set
def test_hidden_tiles_do_not_show(rules: Rules) -> None:
    """Games that differ in hidden tiles, order and seed give the observer the same bytes.

    They do differ: a seat whose hand was exchanged sees other bytes, so a hidden tile that came
    through would be noticed.
    """
    rng = np.random.default_rng(5)
    noticed = 0
    share = 0.5 if rules.max_pip < 6 else 0.03
    for game in sample_positions(rules, 4, share, seed=3, draw_stride=rules.private_stride):
        for observer in range(min(rules.players, 4)):
            other = dealt_otherwise(game, observer, rng)
            assert problems(other) == []
            assert fingerprint(game, observer) == fingerprint(other, observer)
            for seat in hidden_holders(game, observer)[:-1]:
                exchanged = bool(np.any(game["held"][seat] != other["held"][seat]))
                assert (fingerprint(game, seat) != fingerprint(other, seat)) == exchanged
                noticed += exchanged
    assert noticed >= 5


def test_one_hidden_bit_would_be_noticed() -> None:
    """The comparison has teeth: a view that carries one hidden tile differs in some exchange."""
    rng = np.random.default_rng(6)
    leaks = 0
    for game in sample_positions(Rules(players=3, rounds=(9,)), 4, share=0.1):
        other = dealt_otherwise(game, 0, rng)
        views = [observe(np.array([each], GAME), np.array([0])) for each in (game, other)]
        for seen, each in zip(views, (game, other), strict=True):
            seen["hand"][0, 0] ^= each["held"][1, 0, 0] & 1  # whether the next seat has the 0-0
        leaks += views[0].tobytes() != views[1].tobytes()
    assert leaks > 0


WORLD_RULES = [
    Rules(players=2, max_pip=2, hand_size=2, starter_arms=2, toes=1, rounds=(2,)),
    Rules(players=2, max_pip=2, hand_size=1, starter_arms=1, toes=1, rounds=(1,)),
    Rules(
        players=3,
        max_pip=2,
        hand_size=1,
        starter_arms=2,
        toes=1,
        rounds=(0,),
        drawn_tile="must",
    ),
]
PUBLIC = ("finder", "hunted", "seat", "has_drawn", "over", "laid", "ends", "foot", "owed")


def alike(games: NDArray[np.void], truth: np.void, observer: int) -> NDArray[np.bool_]:
    """The games in which the observer has seen the same as in `truth`, if it had before: (B,)."""
    same = (games["held"][:, observer] == truth["held"][observer]).all(axis=(1, 2))
    for name in (*PUBLIC, "hand_count"):
        same &= (games[name] == truth[name]).reshape(len(games), -1).all(axis=1)
    return same


@pytest.mark.parametrize("rules", WORLD_RULES, ids=str)
def test_all_deals_with_one_history_have_one_view(rules: Rules) -> None:
    """Every order of a double-two set, followed for as long as it looks the same to a seat."""
    everything = batch.deal(rules, seeds(6000))
    orders = np.unique(everything["order"][:, :6], axis=0, return_index=True)[1]
    assert len(orders) == 720
    everything = everything[orders]
    rng = np.random.default_rng(8)
    compared = 0
    for _ in range(50):
        observer = int(rng.integers(rules.players))
        truth = everything[rng.integers(720)].copy().reshape(1)
        games = everything[alike(everything, truth[0], observer)].copy()
        while truth["over"][0] != GAME_OVER:
            views = observe(games, np.full(len(games), observer))
            assert len({seen.tobytes() for seen in views}) == 1
            compared += len(games)
            action = random_actions(truth, rng)
            batch.step(truth, action)
            games = games[batch.legal_mask(games)[:, action[0]]].copy()
            batch.step(games, np.repeat(action, len(games)))
            games = games[alike(games, truth[0], observer)].copy()
    assert compared > 500
