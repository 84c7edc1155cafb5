"""Features: the table covers the vector, and each block is what the table says."""

from __future__ import annotations

import numpy as np
import pytest
from core.random_play import RULE_SETS, every_rule_set, sample_positions, seeds
from numpy.typing import NDArray

from chickenfoot_env import batch, encode, notation
from chickenfoot_env.game import GAME, NO_PIP, NO_ROUND, UNKNOWN, tiles_of
from chickenfoot_env.jit import records
from chickenfoot_env.rules import MAX_PLAYERS, Rules
from chickenfoot_env.tiles import HIGH, LOW, MAX_PIP, set_size, tile_id
from chickenfoot_env.view import VIEW, observe


def views_from_all_seats(games: NDArray[np.void]) -> NDArray[np.void]:
    """Every seat's view of every game, all of one seat count."""
    players = int(games["players"][0])
    return observe(np.repeat(games, players), np.tile(np.arange(players), len(games)))


def expected_features(seen: np.void) -> dict[str, list[float]]:
    """Each block by its name, computed from the view in plain Python."""
    top = int(seen["max_pip"])
    players, pips = int(seen["players"]), range(top + 1)
    tiles = range(set_size(top))
    hand, laid = (set(tiles_of(seen[name], top)) for name in ("hand", "laid"))
    unseen = [tile for tile in tiles if tile not in hand | laid]
    foot = int(seen["foot"]) if seen["owed"] > 0 else NO_PIP

    def share(which: object, pip: int) -> float:
        assert isinstance(which, set | list)
        return sum(pip in (LOW[tile], HIGH[tile]) for tile in which) / len(pips)

    def squashed(pips_ahead: int) -> float:
        return (1 + pips_ahead / (100 + abs(pips_ahead))) / 2

    def by_seat(values: list[float]) -> list[float]:
        return values + [0.0] * (MAX_PLAYERS - players)

    mine = int(seen["points"][0])
    return {
        "hand": [float(tile in hand) for tile in tiles],
        "laid": [float(tile in laid) for tile in tiles],
        "hand_pips": [share(hand, pip) for pip in pips],
        "unseen_pips": [share(unseen, pip) for pip in pips],
        "open": [float(pip == foot if foot != NO_PIP else seen["ends"][pip] > 0) for pip in pips],
        "ends": [min(1.0, seen["ends"][pip] / (top + 3)) for pip in pips],
        "foot": [float(pip == foot) for pip in pips],
        "starter": [float(pip == seen["starter"]) for pip in pips],
        "owed": [seen["owed"] / top],
        "has_drawn": [float(seen["has_drawn"])],
        "boneyard": [seen["boneyard"] / len(tiles)],
        "rounds_left": [(seen["rounds"] - 1 - seen["round"]) / seen["rounds"]],
        "present": by_seat([1.0] * players),
        "turn": by_seat([float(seat == seen["turn"]) for seat in range(players)]),
        "hand_count": by_seat([seen["hand_count"][seat] / len(tiles) for seat in range(players)]),
        "points": by_seat([squashed(int(p) - mine) for p in seen["points"][:players]]),
        "lacks": [
            0.0 if bound == UNKNOWN or seat >= players else 1 / (1 + bound)
            for seat in range(MAX_PLAYERS)
            for bound in seen["drawn_since"][seat, : top + 1].tolist()
        ],
    }


@pytest.mark.parametrize("max_pip", range(2, MAX_PIP + 1))
def test_the_table_covers_the_vector_without_gaps(max_pip: int) -> None:
    """Each block begins where the one before ends; names are unique, meanings are given."""
    table = encode.feature_table(max_pip)
    edges = [0] + [feature.slice.stop for feature in table]
    assert [feature.slice.start for feature in table] == edges[:-1]
    assert all(feature.slice.stop > feature.slice.start for feature in table)
    assert all(feature.slice.step is None for feature in table)
    assert len({feature.name for feature in table}) == len(table)
    assert len({feature.meaning for feature in table}) == len(table)
    assert all((feature.low, feature.high) == (0.0, 1.0) for feature in table)
    assert encode.size(max_pip) == edges[-1]


def test_the_named_table_is_that_of_double_nine() -> None:
    """F as networks of the standard game are built for it."""
    assert encode.FEATURES == encode.feature_table(9)
    assert encode.size(9) == 2 * 55 + 6 * 10 + 4 + 4 * 12 + 12 * 10 == 342


@every_rule_set
def test_every_block_is_what_the_table_says(rules: Rules) -> None:
    """Against plain Python, from all seats, in positions of random games."""
    views = views_from_all_seats(sample_positions(rules, 3, share=0.04, seed=4))
    vectors = encode.features(views)
    assert vectors.shape == (len(views), encode.size(rules.max_pip))
    assert vectors.dtype == np.float32
    for seen, vector in zip(views, vectors, strict=True):
        wanted = expected_features(seen)
        assert [*wanted] == [feature.name for feature in encode.feature_table(rules.max_pip)]
        for feature in encode.feature_table(rules.max_pip):
            part = vector[feature.slice].tolist()
            assert part == pytest.approx(wanted[feature.name], abs=1e-6), feature.name


@every_rule_set
def test_nothing_is_written_behind_the_vectors(rules: Rules) -> None:
    """Blocks are written in strides that the next block writes over, but for the last one."""
    views = views_from_all_seats(batch.deal(rules, seeds(2)))
    size, behind = len(views) * encode.size(rules.max_pip), 64
    room = np.full(size + behind, np.nan, np.float32)
    encode._features(records(views), room[:size].reshape(len(views), -1))
    assert room[:size].tobytes() == encode.features(views).tobytes()
    assert np.isnan(room[size:]).all()


def test_a_position_written_as_text_has_these_features() -> None:
    """Worked by hand: a foot on the 6, two toes owed, seat 0 to act."""
    (game,) = notation.parse_position("FOOT 6/2 | 2 3 5 8 | 2-9 1-1 / 6-7 | 3-5 0-6 | 0")
    vector = encode.features(observe(np.array([game], GAME), np.array([0])))[0]
    block = {feature.name: vector[feature.slice] for feature in encode.FEATURES}
    assert np.flatnonzero(block["hand"]).tolist() == [tile_id(1, 1), tile_id(2, 9)]
    assert block["laid"].sum() == 55 - 5
    assert block["hand_pips"].tolist() == pytest.approx([0, 0.1, 0.1, 0, 0, 0, 0, 0, 0, 0.1])
    unseen = {0: 0.1, 3: 0.1, 5: 0.1, 6: 0.2, 7: 0.1}
    assert block["unseen_pips"].tolist() == pytest.approx([unseen.get(p, 0) for p in range(10)])
    assert np.flatnonzero(block["open"]).tolist() == [6]
    assert np.flatnonzero(block["ends"]).tolist() == [2, 3, 5, 6, 8]
    assert block["ends"][[2, 6]].tolist() == pytest.approx([1 / 12, 2 / 12])
    assert np.flatnonzero(block["foot"]).tolist() == [6]
    assert block["owed"].tolist() == pytest.approx([2 / 9])
    assert block["boneyard"].tolist() == pytest.approx([2 / 55])
    assert block["turn"].tolist() == [1] + [0] * 11
    assert block["present"].tolist() == [1, 1] + [0] * 10


@every_rule_set
def test_every_value_is_between_zero_and_one(rules: Rules) -> None:
    """In random games, with points and bounds pushed to what a record can hold."""
    games = sample_positions(rules, 4, share=0.05, seed=5)
    rng = np.random.default_rng(5)
    extremes = np.array([0, 1, 249, 65_538, 2**31 - 1])
    for _ in range(4):
        games["points"] = rng.choice(extremes, games["points"].shape)
        games["zero_rounds"] = rng.choice(extremes, games["points"].shape)
        games["best_round"] = rng.choice([1, NO_ROUND], games["points"].shape)
        vectors = encode.features(views_from_all_seats(games))
        assert np.isfinite(vectors).all()
        assert (vectors >= 0).all()
        assert (vectors <= 1).all()


def test_extreme_points_keep_their_order() -> None:
    """More points than the observer lie above 1/2, fewer below, at any distance."""
    games = batch.deal(Rules(players=5), seeds(1))
    games["points"][0, :5] = [1000, 0, 999, 1001, 2**31 - 1]
    points = next(feature for feature in encode.FEATURES if feature.name == "points")
    mine, least, less, more, most = encode.features(observe(games, np.array([0])))[0, points.slice][
        :5
    ].tolist()
    assert 0 <= least < less < mine == 0.5 < more < most <= 1


@pytest.mark.parametrize("max_pip", [6, 9, 18])
def test_the_length_is_the_same_for_every_seat_count(max_pip: int) -> None:
    """One network plays at every table of a set; one batch may mix seat counts."""
    tables = [Rules(players=n, max_pip=max_pip, hand_size=2) for n in range(2, MAX_PLAYERS + 1)]
    views = [views_from_all_seats(batch.deal(rules, seeds(1))) for rules in tables]
    lengths = {encode.features(each).shape[1] for each in views}
    assert lengths == {encode.size(max_pip)}
    together = encode.features(np.concatenate(views))
    assert np.array_equal(together, np.concatenate([encode.features(each) for each in views]))


def turned(games: NDArray[np.void], by: int) -> NDArray[np.void]:
    """The same games with everybody moved on by so many seats."""
    result = games.copy()
    players = int(games["players"][0])
    for name in ("points", "zero_rounds", "best_round", "held", "hand_count", "drawn_since"):
        result[name][:, :players] = np.roll(games[name][:, :players], by, axis=1)
    for name in ("seat", "finder"):
        result[name] = (games[name] + by) % players
    return result


@pytest.mark.parametrize("name", ["seed", "seven seats, must", "double-three, must"])
def test_features_do_not_depend_on_the_number_of_ones_own_seat(name: str) -> None:
    """I13: turning the table turns the observer with it, and nothing changes for it."""
    games = sample_positions(RULE_SETS[name], 3, share=0.1, seed=6)
    games["points"][:, :3] = [3, 30, 300]
    players = RULE_SETS[name].players
    for by in range(1, players):
        for seat in range(players):
            one = observe(games, np.full(len(games), seat))
            other = observe(turned(games, by), np.full(len(games), (seat + by) % players))
            assert one.tobytes() == other.tobytes()
            assert np.array_equal(encode.features(one), encode.features(other))


def test_views_of_several_sets_are_refused() -> None:
    """Vectors of different lengths make no array."""
    rules = [Rules(max_pip=n) for n in (9, 12)]
    games = np.concatenate([batch.deal(each, seeds(1)) for each in rules])
    with pytest.raises(ValueError, match=r"^views of double-9 and double-12 sets: "):
        encode.features(observe(games, np.zeros(2, np.int64)))


def test_games_are_refused() -> None:
    """Features are made of views alone."""
    with pytest.raises(ValueError, match="wanted is an array of VIEW records"):
        encode.features(batch.deal(Rules(), seeds(1)))


def test_an_empty_batch_has_no_vectors() -> None:
    """Zero rows, no error."""
    vectors = encode.features(np.zeros(0, VIEW))
    assert (len(vectors), vectors.dtype, vectors.ndim) == (0, np.float32, 2)
