"""The GAME record: what it refuses to be, and how it is copied, forked and saved."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from core.random_play import every_rule_set, random_play, seeds
from numpy.typing import NDArray

from chickenfoot_env import batch, notation
from chickenfoot_env.game import (
    BONEYARD,
    GAME,
    bit_matrix,
    check_games,
    check_records,
    problems,
    rows_of,
    tiles_of,
)
from chickenfoot_env.rules import Rules
from chickenfoot_env.tiles import tile_id
from chickenfoot_env.view import VIEW

FOOT = "FOOT 6/2 | 2 3 5 8 | 2-9 4-6 / 1-1 | 3-5 0-6 | 0"
OPEN = "OPEN | 3 8 | 1-2 4-5 / 3-4 | 0-0 | 0"


def give(matrix: NDArray[np.uint8], one: int, other: int) -> None:
    """Set both bits of a tile."""
    matrix[one, other // 8] |= np.uint8(1 << other % 8)
    matrix[other, one // 8] |= np.uint8(1 << one % 8)


def lose_a_tile(game: np.void) -> None:
    game["held"][0] = 0
    game["hand_count"][0] = 0


def hold_a_tile_twice(game: np.void) -> None:
    give(game["held"][1], 1, 2)
    game["hand_count"][1] += 1


def hold_a_tile_of_the_table(game: np.void) -> None:
    give(game["held"][BONEYARD], 9, 9)
    game["hand_count"][BONEYARD] += 1


def miscount_a_hand(game: np.void) -> None:
    game["hand_count"][1] = 5


def miscount_the_boneyard(game: np.void) -> None:
    game["hand_count"][BONEYARD] = 0


def break_symmetry(game: np.void) -> None:
    game["held"][0][2] = 0


def break_symmetry_of_the_table(game: np.void) -> None:
    game["laid"][9, 0] ^= np.uint8(1 << 3)


def hold_a_pip_beyond_the_set(game: np.void) -> None:
    game["held"][1][3, 1] |= np.uint8(1 << 4)


def hold_at_an_absent_seat(game: np.void) -> None:
    game["held"][7][3, 0] |= np.uint8(1 << 4)


def foot_not_on_the_table(game: np.void) -> None:
    game["foot"] = 1
    game["ends"][1] = 2


def claim(field: str, value: int) -> Callable[[np.void], None]:
    """Write one value into a scalar field."""

    def write(game: np.void) -> None:
        game[field] = value

    write.__name__ = f"{field} {value}"
    return write


def write_end(pip: int, count: int) -> Callable[[np.void], None]:
    """Write one count of ends."""

    def write(game: np.void) -> None:
        game["ends"][pip] = count

    write.__name__ = f"ends[{pip}] {count}"
    return write


def bound_below_the_truth(game: np.void) -> None:
    game["drawn_since"][0, 4] = 0


def repeat_a_tile_in_the_order(game: np.void) -> None:
    game["order"][0] = game["order"][1]


def draw_a_tile_that_is_gone(game: np.void) -> None:
    game["order"][[0, 54]] = game["order"][[54, 0]]


BREAKS: list[tuple[str, Callable[[np.void], None], str]] = [
    (OPEN, lose_a_tile, "tile 1-2 is in nowhere"),
    (OPEN, hold_a_tile_twice, "tile 1-2 is in seat 0 and seat 1"),
    (OPEN, hold_a_tile_of_the_table, "tile 9-9 is in the boneyard and the table"),
    (OPEN, miscount_a_hand, "seat 1 has 1 tiles, counted 5"),
    (OPEN, miscount_the_boneyard, "the boneyard has 1 tiles, counted 0"),
    (OPEN, break_symmetry, "a bit matrix of tiles is not symmetric"),
    (OPEN, break_symmetry_of_the_table, "a bit matrix of tiles is not symmetric"),
    (OPEN, hold_a_pip_beyond_the_set, "a bit matrix of tiles has pips above 9"),
    (OPEN, hold_at_an_absent_seat, "a bit matrix of tiles is not symmetric"),
    (OPEN, write_end(3, -1), "must be 0 or more, and 0 above max_pip"),
    (OPEN, write_end(12, 1), "must be 0 or more, and 0 above max_pip"),
    (OPEN, claim("owed", 2), "owed 2 with foot -1: a foot and only a foot is owed tiles"),
    (OPEN, claim("owed", -1), "owed is -1: allowed are 0 to 4"),
    (OPEN, claim("foot", 3), "owed 0 with foot 3: a foot and only a foot is owed tiles"),
    (FOOT, claim("foot", -1), "owed 2 with foot -1: a foot and only a foot is owed tiles"),
    (FOOT, claim("owed", 3), "the foot on 6 is owed 3"),
    (FOOT, write_end(6, 1), "the foot on 6 is owed 2"),
    (FOOT, foot_not_on_the_table, "a foot on 1, but 1-1 is not on the table"),
    (OPEN, claim("seat", 2), "seat is 2: allowed are 0 to 1"),
    (OPEN, claim("seat", -1), "seat is -1: allowed are 0 to 1"),
    (OPEN, claim("round", 1), "round is 1: allowed are 0 to 0"),
    (OPEN, claim("round", -1), "round is -1: allowed are 0 to 0"),
    (OPEN, claim("has_drawn", 7), "has_drawn is 7: allowed are 0 to 1"),
    (OPEN, claim("over", 9), "over is 9: allowed are 0 to 3"),
    (OPEN, claim("foot", 500), "foot is 500: allowed are -1 to 9"),
    (OPEN, claim("finder", 9), "finder is 9: allowed are 0 to 1"),
    (OPEN, claim("draw_stride", 300), "draw_stride is 300: allowed are 0 to "),
    (OPEN, claim("hand_size", 0), "hand_size is 0: allowed are 1 to 27"),
    (OPEN, claim("players", 13), "13 players with a double-9 set"),
    (OPEN, claim("max_pip", 30), "2 players with a double-30 set"),
    (OPEN, claim("blocked_rounds", -2), "blocked_rounds is -2: allowed are 0 to 1"),
    (OPEN, claim("starter", 0), "the starter 0-0 is not on the table"),
    (OPEN, claim("points", -1), "points is [-1"),
    (OPEN, repeat_a_tile_in_the_order, "the shuffled order does not name every tile once"),
    (OPEN, draw_a_tile_that_is_gone, "the boneyard is not the end of the shuffled order"),
    (OPEN, write_end(0, 12), "12 ends show 0, but "),
    (OPEN, bound_below_the_truth, "seat 0 has 1 tiles with 4; the evidence allows 0"),
]


@pytest.mark.parametrize(
    ("position", "broken_by", "wanted"), BREAKS, ids=lambda v: getattr(v, "__name__", None)
)
def test_each_kind_of_broken_record_is_named(
    position: str, broken_by: Callable[[np.void], None], wanted: str
) -> None:
    """One field broken at a time, in a record that has no problem before."""
    (game,) = notation.parse_position(position)
    assert problems(game) == []
    broken_by(game)
    assert any(wanted in problem for problem in problems(game)), problems(game)


@every_rule_set
def test_play_never_breaks_a_record(rules: Rules) -> None:
    """No problem after the deal nor after a twelfth of the actions, in every rule set."""
    for tick, games in enumerate(random_play(rules, 2)):
        if tick % 12 == 0:
            assert [problems(game) for game in games] == [[], []]


def test_tiles_of_lists_the_ids_of_a_hand() -> None:
    """Ascending, doubles included, pips beyond the set ignored."""
    matrix = np.zeros((19, 3), np.uint8)
    for one, other in ((0, 0), (9, 2), (5, 5), (12, 12)):
        give(matrix, one, other)
    assert tiles_of(matrix, 9) == [tile_id(0, 0), tile_id(5, 5), tile_id(2, 9)]
    assert tiles_of(matrix, 12) == [tile_id(0, 0), tile_id(5, 5), tile_id(2, 9), tile_id(12, 12)]


def test_rows_of_has_a_number_for_each_row_of_bits() -> None:
    """Bit y of row x for the tile x-y; a view's rows are numbers already."""
    matrix = np.zeros((19, 3), np.uint8)
    for one, other in ((0, 0), (9, 2), (18, 7), (18, 18)):
        give(matrix, one, other)
    rows = rows_of(matrix)
    assert rows.dtype == np.uint32
    wanted = {0: 1, 2: 1 << 9, 9: 1 << 2, 7: 1 << 18, 18: 1 << 7 | 1 << 18}
    assert {pip: int(row) for pip, row in enumerate(rows) if row} == wanted
    assert rows_of(np.array([matrix, matrix])).tolist() == [rows.tolist()] * 2
    assert rows_of(rows).tolist() == rows.tolist()


def test_bit_matrix_is_what_tiles_of_reads() -> None:
    tiles = [tile_id(0, 0), tile_id(2, 9), tile_id(7, 18), tile_id(18, 18)]
    matrix = bit_matrix(tiles)
    assert (matrix.shape, matrix.dtype) == (GAME["laid"].shape, np.uint8)
    assert tiles_of(matrix, 18) == tiles


def test_a_game_has_at_most_24_cache_lines() -> None:
    """And what every turn asks for begins with one in NumPy's large arrays, see GAME."""
    assert GAME.itemsize <= 24 * 64 and GAME.itemsize % 64 == 0
    assert GAME.fields is not None and (GAME.fields["showing"][1] + 16) % 64 == 0


@pytest.mark.parametrize("dtype", [GAME, VIEW], ids=["GAME", "VIEW"])
def test_a_record_is_nothing_but_its_fields(dtype: np.dtype[np.void]) -> None:
    """NumPy does not copy what lies between fields, so with gaps a copy would have other bytes."""
    assert dtype.names is not None
    assert sum(dtype[name].itemsize for name in dtype.names) == dtype.itemsize


def test_a_copy_has_the_bytes_of_the_original() -> None:
    """However it is made, whatever the memory held before."""
    games = batch.deal(Rules(), seeds(64))
    rows = np.arange(64)
    for _ in range(20):
        np.full(games.nbytes, 0xAB, np.uint8)  # leaves other bytes for the next allocation
        assert games.copy().tobytes() == games[rows].tobytes() == games.tobytes()


def test_a_copy_is_another_game() -> None:
    """Stepping the copy leaves the original as it was."""
    games = batch.deal(Rules(), seeds(4))
    before = games.tobytes()
    batch.random_playout(games.copy(), seeds(4))
    assert games.tobytes() == before


def test_assignment_forks_a_game() -> None:
    """`games[i] = games[j]` copies everything; the two go apart afterwards."""
    games = batch.deal(Rules(), seeds(2))
    games[1] = games[0]
    assert games[0].tobytes() == games[1].tobytes()
    batch.random_playout(games[1:], seeds(1))
    assert games[0].tobytes() == batch.deal(Rules(), seeds(1))[0].tobytes()


def test_bytes_are_the_whole_game() -> None:
    """A game read from its bytes goes on as it would have."""
    games = batch.deal(Rules(players=3), seeds(3))
    again = np.frombuffer(games.tobytes(), GAME).copy()
    for copy in (games, again):
        batch.random_playout(copy, seeds(3, first=7))
    assert again.tobytes() == games.tobytes()


def test_fields_are_arrays_over_the_batch() -> None:
    """`games["ends"]` is a view of the records, not a copy."""
    games = batch.deal(Rules(), seeds(5))
    assert games["ends"].shape == (5, 19)
    assert np.shares_memory(games["ends"], games)


GAMES = batch.deal(Rules(), seeds(4))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([GAMES[0]], "games are list: wanted is an array of GAME records"),
        (None, "games are NoneType: wanted is an array of GAME records"),
        (GAMES[0], "games are void: wanted is an array of GAME records"),
        (np.zeros(4), "games are float64: wanted is an array of GAME records"),
        (np.zeros(4, VIEW), "wanted is an array of GAME records"),
        (GAMES.reshape(2, 2), "games are a contiguous array of shape (2, 2): wanted is"),
        (GAMES[0:1].reshape(()), "games are a contiguous array of shape (): wanted is"),
        (GAMES[::2], "games are a strided array of shape (2,): wanted is a contiguous"),
        (GAMES[::-1], "games are a strided array of shape (4,): wanted is a contiguous"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_anything_but_an_array_of_records_is_refused(wrong: object, message: str) -> None:
    """One line that says what it is and what is wanted."""
    with pytest.raises(ValueError) as caught:
        check_games(wrong)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_array_of_records_is_handed_back_itself() -> None:
    """No copy; an empty batch and a slice without gaps are batches too."""
    assert check_games(GAMES) is GAMES
    assert len(check_games(GAMES[1:3])) == 2
    assert len(check_games(GAMES[:0])) == 0


def test_the_message_names_the_records_that_are_wanted() -> None:
    """The same check serves views."""
    with pytest.raises(ValueError, match=r"^views are .*: wanted is an array of VIEW records$"):
        check_records(GAMES, VIEW, "views")
