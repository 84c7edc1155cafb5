"""Tile ids and action ids, against tables written out."""

from __future__ import annotations

import pytest

from chickenfoot_env import tiles
from chickenfoot_env.tiles import HIGH, LOW, MAX_PIP, MAX_TILES, tile_id

DOUBLE_THREE = "0-0 0-1 1-1 0-2 1-2 2-2 0-3 1-3 2-3 3-3".split()
DOUBLE_TWO_PLAYS = [  # action id, attach, free
    (0, 0, 0),
    (1, 0, 1),
    (2, 0, 2),
    (3, 1, 0),
    (4, 1, 1),
    (5, 1, 2),
    (6, 2, 0),
    (7, 2, 1),
    (8, 2, 2),
]


def test_tile_ids_are_the_table() -> None:
    """Sorted by the larger pip, then by the smaller."""
    assert [f"{LOW[tile]}-{HIGH[tile]}" for tile in range(10)] == DOUBLE_THREE
    assert [tile_id(*map(int, text.split("-"))) for text in DOUBLE_THREE] == list(range(10))


def test_every_tile_has_one_id_in_either_order() -> None:
    """All of the largest set: ids 0 to 189, each tile once."""
    ids = [tile_id(low, high) for high in range(MAX_PIP + 1) for low in range(high + 1)]
    assert ids == list(range(MAX_TILES))
    for tile in range(MAX_TILES):
        low, high = int(LOW[tile]), int(HIGH[tile])
        assert low <= high
        assert tile_id(low, high) == tile_id(high, low) == tile


@pytest.mark.parametrize(("max_pip", "size"), [(2, 6), (6, 28), (9, 55), (12, 91), (18, 190)])
def test_a_set_is_the_beginning_of_every_larger_one(max_pip: int, size: int) -> None:
    """The first T ids are the tiles without a higher pip."""
    assert tiles.set_size(max_pip) == size
    assert HIGH[:size].max() == max_pip
    assert (HIGH[size:] > max_pip).all()


def test_the_tables_have_room_for_the_largest_set_and_no_more() -> None:
    """MAX_TILES entries of dtype int64."""
    assert (MAX_TILES, tiles.MAX_PIPS) == (190, 19)
    for table in (LOW, HIGH):
        assert (table.shape, table.dtype) == ((MAX_TILES,), "int64")


def test_action_ids_are_the_table() -> None:
    """Double-two: nine plays, then DRAW, then PASS."""
    for action, attach, free in DOUBLE_TWO_PLAYS:
        assert tiles.play_action(attach, free, max_pip=2) == action
    assert (tiles.draw_action(2), tiles.pass_action(2), tiles.action_count(2)) == (9, 10, 11)


@pytest.mark.parametrize("max_pip", [2, 9, 18])
def test_every_ordered_pair_of_pips_is_one_play(max_pip: int) -> None:
    """A double has one id, any other tile two, and none is DRAW or PASS."""
    pips = range(max_pip + 1)
    plays = [tiles.play_action(attach, free, max_pip) for attach in pips for free in pips]
    assert plays == list(range(tiles.draw_action(max_pip)))
    assert tiles.action_count(max_pip) == len(plays) + 2


def test_double_nine_has_102_actions() -> None:
    """The number that networks and tables are built for."""
    assert (tiles.draw_action(9), tiles.pass_action(9), tiles.action_count(9)) == (100, 101, 102)
