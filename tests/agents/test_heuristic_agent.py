"""The heuristic agent, one part of its rule in each position; all tiles not named are laid."""

from collections.abc import Callable

import pytest

import agents
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
    weights = heuristic_agent.WEIGHTS
    expected = 8 + 2 * weights.follow_up - 2 * weights.hidden
    expected += 2 * weights.closed - weights.hidden_double
    assert heuristic_agent.score(game, game["held"][0], 3, 5) == expected


def test_a_last_double_that_may_not_go_out_is_kept(choice: Choice) -> None:
    rules = {"last_double": "forbidden", "draw_when_stuck": "may"}  # so that PASS is legal as well
    assert choice("heuristic", "OPEN | 3 | 3-3 / 0-3 0-0 | 1-2 | 0", **rules) == "DRAW"


@pytest.mark.parametrize(
    ("weight", "position", "usual", "without"),
    [
        ("double", "2 5 | 2-2 5-6 / 3-4 | 4-4", "2-2@2", "5-6@5"),
        ("follow_up", "3 8 | 1-5 3-5 2-8 / 6-6 | 4-4", "3-5@3", "2-8@8"),
        ("hidden", "3 | 3-5 3-6 / 2-2 6-7 | 4-4", "3-5@3", "3-6@3"),
        ("hidden_double", "3 | 3-4 3-7 / 2-2 7-7 | -", "3-4@3", "3-7@3"),
        ("closed", "3 4 | 1-3 1-4 / 2-2 3-6 3-7 | -", "1-3@3", "1-4@4"),
    ],
)
def test_each_weight_can_be_set(
    choice: Choice, weight: str, position: str, usual: str, without: str
) -> None:
    """Without it the other play is laid."""
    usually = getattr(heuristic_agent.WEIGHTS, weight)
    assert choice("heuristic", f"OPEN | {position} | 0") == usual
    assert choice(f"heuristic:{weight}={usually}", f"OPEN | {position} | 0") == usual
    assert choice(f"heuristic:{weight}=0", f"OPEN | {position} | 0") == without


def test_its_name_tells_the_weights_that_are_not_the_usual_ones() -> None:
    assert agents.make("heuristic:double=8").name == "heuristic"
    spec = "heuristic:double=-3,follow_up=1.5,closed=0"
    assert agents.make(spec).name == spec


@pytest.mark.parametrize("weight", ["nan", "inf", "-1000.5"])
def test_a_weight_that_makes_no_sense_is_refused(weight: str) -> None:
    with pytest.raises(agents.AgentError, match=rf"^hidden={weight} of heuristic: allowed are -1"):
        agents.make(f"heuristic:hidden={weight}")
