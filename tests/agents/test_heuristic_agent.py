"""The heuristic agent, one part of its rule in each position; all tiles not named are laid."""

from collections.abc import Callable

import pytest

from agents import heuristic_agent
from chickenfoot_env import notation
from chickenfoot_env.jit import records

Choice = Callable[..., str]


def test_with_nothing_else_to_tell_them_apart_the_heavier_tile_is_laid(choice: Choice) -> None:
    assert choice("heuristic", "OPEN | 3 8 | 1-3 5-8 / 2-2 | 4-4 | 0") == "5-8@8"


def test_a_lighter_double_goes_first(choice: Choice) -> None:
    position = "OPEN | 2 5 | 2-2 5-6 / 3-4 | 4-4 | 0"
    assert choice("heuristic", position) == "2-2@2"
    assert choice("greedy", position) == "5-6@5"


def test_a_lighter_tile_that_leaves_a_follow_up_goes_first(choice: Choice) -> None:
    position = "OPEN | 3 8 | 1-5 3-5 2-8 / 6-6 | 4-4 | 0"
    assert choice("heuristic", position) == "3-5@3"
    assert choice("greedy", position) == "2-8@8"


def test_a_tile_that_fits_twice_leaves_the_end_with_the_follow_up(choice: Choice) -> None:
    assert choice("heuristic", "OPEN | 3 8 | 3-8 1-3 / 2-2 | 4-4 | 0") == "3-8@8"
    assert choice("heuristic", "OPEN | 3 8 | 3-8 1-8 / 2-2 | 4-4 | 0") == "3-8@3"


@pytest.mark.parametrize("where", ["/ 2-2 6-7 | 4-4", "/ 2-2 | 4-4 6-7"])
def test_an_end_that_a_hidden_tile_fits_is_not_left(choice: Choice, where: str) -> None:
    position = f"OPEN | 3 | 3-5 3-6 {where} | 0"
    assert choice("heuristic", position) == "3-5@3"
    assert choice("greedy", position) == "3-6@3"


def test_an_end_that_a_hidden_double_fits_is_left_last(choice: Choice) -> None:
    assert choice("heuristic", "OPEN | 3 | 3-4 3-7 / 2-2 7-8 | - | 0") == "3-7@3"
    assert choice("heuristic", "OPEN | 3 | 3-4 3-7 / 2-2 7-7 | - | 0") == "3-4@3"


def test_a_double_in_the_own_hand_is_a_follow_up_not_a_hidden_one(choice: Choice) -> None:
    assert choice("heuristic", "OPEN | 3 | 3-5 5-5 3-6 / 2-2 | 4-4 | 0") == "3-5@3"


def test_the_last_end_that_hidden_tiles_fit_is_covered(choice: Choice) -> None:
    hidden = "/ 2-2 3-6 3-7 | - | 0"
    assert choice("heuristic", f"OPEN | 3 4 | 1-3 1-4 {hidden}") == "1-3@3"
    assert choice("heuristic", f"OPEN | 3 3 4 | 1-3 1-4 {hidden}") == "1-4@4"


def test_a_double_whose_foot_will_starve_is_worth_as_much(choice: Choice) -> None:
    assert choice("heuristic", "OPEN | 2 5 | 2-2 5-6 / 3-4 | - | 0") == "2-2@2"
    assert choice("heuristic", "OPEN | 2 5 | 2-2 5-6 / 2-3 2-4 2-7 | - | 0") == "2-2@2"


def test_of_plays_that_score_the_same_the_one_on_the_lower_end_is_laid(choice: Choice) -> None:
    assert choice("heuristic", "OPEN | 3 8 | 1-8 3-6 / 2-2 | 4-4 | 0") == "3-6@3"


def test_nothing_fits(choice: Choice) -> None:
    assert choice("heuristic", "OPEN | 3 8 | 1-2 / 3-3 | 4-4 | 0") == "DRAW"
    assert choice("heuristic", "OPEN | 3 8 | 1-2 0-1 / 3-3 | 4-4 | 0 drawn") == "PASS"
    assert choice("heuristic", "OPEN | 3 8 | 1-2 / 3-3 | - | 0") == "PASS"


def test_a_drawn_tile_that_fits_is_laid_even_where_it_scores_badly(choice: Choice) -> None:
    position = "OPEN | 3 8 | 1-2 0-3 / 0-4 0-5 0-6 0-7 | 4-4 | 0 drawn"
    assert choice("heuristic", position) == "0-3@3"


def test_a_score_adds_up_all_parts_of_the_rule() -> None:
    game = records(notation.parse_position("OPEN | 3 8 | 3-5 1-5 5-9 / 5-5 5-6 3-4 | 3-3 | 0"))[0]
    # 8 pips; 1-5 and 5-9 follow; 5-5 and 5-6 are hidden; the 3 closed to 3-4 and 3-3
    expected = 8 + 2 * heuristic_agent.FOLLOW_UP - 2 * heuristic_agent.HIDDEN
    expected += 2 * heuristic_agent.CLOSED - heuristic_agent.HIDDEN_DOUBLE
    assert heuristic_agent.score(game, game["held"][0], 3, 5) == expected


def test_a_last_double_that_may_not_go_out_is_kept(choice: Choice) -> None:
    rules = {"last_double": "forbidden", "draw_when_stuck": "may"}  # so that PASS is legal as well
    assert choice("heuristic", "OPEN | 3 | 3-3 / 0-3 0-0 | 1-2 | 0", **rules) == "DRAW"
