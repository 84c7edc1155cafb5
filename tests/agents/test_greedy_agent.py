"""The greedy agent in positions written as text."""

from collections.abc import Callable

Choice = Callable[..., str]


def test_the_heaviest_tile_is_laid(choice: Choice) -> None:
    assert choice("greedy", "OPEN | 3 8 | 1-3 5-8 8-9 9-9 / 2-2 | 4-4 | 0") == "8-9@8"


def test_the_double_blank_weighs_what_it_costs(choice: Choice) -> None:
    position = "OPEN | 0 9 | 0-0 8-9 / 2-2 | 4-4 | 0"
    assert choice("greedy", position) == "0-0@0"
    assert choice("greedy", position, double_blank_points=16) == "8-9@9"


def test_a_tile_that_fits_twice_leaves_its_heavier_half_open(choice: Choice) -> None:
    assert choice("greedy", "OPEN | 3 8 | 3-8 / 2-2 | 4-4 | 0") == "3-8@3"


def test_of_equally_heavy_tiles_the_one_on_the_lower_end_is_laid(choice: Choice) -> None:
    assert choice("greedy", "OPEN | 3 8 | 1-8 3-6 / 2-2 | 4-4 | 0") == "3-6@3"


def test_a_foot_takes_its_heaviest_toe_alone(choice: Choice) -> None:
    assert choice("greedy", "FOOT 3/2 | 8 | 1-3 2-3 8-9 / 2-2 | 4-4 | 0") == "2-3@3"


def test_nothing_fits(choice: Choice) -> None:
    assert choice("greedy", "OPEN | 3 8 | 1-2 / 3-3 | 4-4 | 0") == "DRAW"
    assert choice("greedy", "OPEN | 3 8 | 1-2 0-1 / 3-3 | 4-4 | 0 drawn") == "PASS"
    assert choice("greedy", "OPEN | 3 8 | 1-2 / 3-3 | - | 0") == "PASS"


def test_a_drawn_tile_that_fits_is_laid(choice: Choice) -> None:
    assert choice("greedy", "OPEN | 3 8 | 1-2 1-3 / 3-3 | 4-4 | 0 drawn") == "1-3@3"


def test_a_last_double_that_may_not_go_out_is_kept(choice: Choice) -> None:
    rules = {"last_double": "forbidden", "draw_when_stuck": "may"}  # so that PASS is legal as well
    assert choice("greedy", "OPEN | 3 | 3-3 / 0-3 0-0 | 1-2 | 0", **rules) == "DRAW"
