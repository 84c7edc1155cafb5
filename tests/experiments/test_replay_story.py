"""A game as its positions, what is said of them, and what a seat may see."""

from __future__ import annotations

import numpy as np
import pytest
import recorded

from chickenfoot_env.game import GAME_OVER, rows_of
from chickenfoot_env.rules import Rules
from experiments.replay import story
from experiments.replay.story import GAME, ROUND, Step, Story

NAMES = ("ann", "bob", "cleo")


@pytest.fixture(scope="module")
def told() -> Story:
    return Story.of(recorded.game())


def test_every_position_of_the_record_is_there(told: Story) -> None:
    replayed = [game.tobytes() for game in recorded.game().replay()]
    shown = [step.game.tobytes() for step in told.steps if step.ends != ROUND]
    assert shown == replayed
    assert told.transcript(recorded.NAMES) == recorded.game()


def test_a_round_is_shown_to_its_end(told: Story) -> None:
    """With all that is left in the hands, the points for it, and nobody to act."""
    ends = [step for step in told.steps if step.ends]
    assert [(step.ends, step.round) for step in ends] == [(ROUND, 0), (GAME, 1)]
    (first, second) = ends
    assert first.to_act is second.to_act is None
    counts, points = first.game["hand_count"][0, :3], first.game["points"][0, :3]
    assert ((counts == 0) == (points == 0)).all() and counts.max() > 0
    index = told.steps.index(first)
    deal = told.steps[index + 1]
    assert (deal.action, deal.ply, deal.round) == (None, first.ply, 1)
    assert (deal.game["points"] == first.game["points"]).all()
    assert len(deal.plays) == 1 and (deal.game["hand_count"][0, :3] >= 4).all()


def test_a_picture_can_be_made_of_each(told: Story) -> None:
    """Which checks that the plays lead to the table."""
    for step in told.steps:
        shown = story.picture(step, NAMES)
        assert shown.to_act == step.to_act
        assert len(shown.layout.tiles) == len(step.plays)
    assert shown.status == "the game is over"


def test_a_seat_is_shown_its_own_hand_first(told: Story) -> None:
    shown = story.picture(told.steps[9], NAMES, 1)
    assert [hand.name for hand in shown.hands] == ["bob", "cleo", "ann"]
    assert [hand.tiles is None for hand in shown.hands] == [False, True, True]


def test_what_is_said_of_steps(told: Story) -> None:
    words = [story.tell(step, NAMES) for step in told.steps]
    assert words[0].endswith("has the starter, 6-6") or "in search of it" in words[0]
    laid = [step for step in told.steps if step.action is not None and step.action < 49]
    assert len(laid) == sum(" lays " in each for each in words)
    attach, free = divmod(laid[0].action or 0, 7)
    name = f"{min(attach, free)}-{max(attach, free)} on the {attach}"
    assert story.tell(laid[0], NAMES) == f"{NAMES[laid[0].seat]} lays {name}"
    assert story.name_action(laid[0].action or 0, told.rules) == name
    assert words[-1].endswith(("and is out", "and the round is blocked"))


def test_a_drawn_tile_is_named_only_to_those_who_see_it(told: Story) -> None:
    draws = [step for step in told.steps if step.drawn is not None]
    assert draws
    for step in draws:
        name = NAMES[step.seat]
        assert story.tell(step, NAMES).startswith(f"{name} draws ")
        assert story.tell(step, NAMES, step.seat) == story.tell(step, NAMES)
        other = story.tell(step, NAMES, (step.seat + 1) % 3)
        assert other.removesuffix(" and the round is blocked") == f"{name} draws"


def test_evidence_never_excludes_the_hand(told: Story) -> None:
    seen = set()
    for step in told.steps:
        for seat in range(3):
            for pip, most in story.evidence(step, seat).items():
                assert int(rows_of(step.game["held"])[0, seat, pip]).bit_count() <= most
                seen.add(most)
    assert 0 in seen and len(seen) > 1


def test_evidence_in_words() -> None:
    assert story.tell_evidence({}) == ""
    assert story.tell_evidence({1: 2, 3: 0, 5: 0, 9: 1}) == "no 3 5, at most 1 of 9, at most 2 of 1"


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    told = Story(recorded.SMALL, 1, 0)
    before = told.game.tobytes(), len(told.steps)
    with pytest.raises(ValueError, match="is illegal"):
        told.take(0)
    assert (told.game.tobytes(), len(told.steps)) == before
    whole = Story.of(recorded.game())
    with pytest.raises(ValueError, match="the game is over"):
        whole.take(whole.rules.pass_)


def test_a_game_that_a_deal_ends_has_its_positions_too() -> None:
    """One tile each: the starter's seat goes out with it."""
    rules = Rules(players=2, max_pip=4, hand_size=1, rounds=(4, 3, 2, 1))
    for seed in range(40):
        told = Story(rules, seed, 0)
        while told.game["over"][0] != GAME_OVER:
            legal = np.flatnonzero(story.batch.legal_mask(told.game)[0])
            told.take(int(legal[0]))
        last: Step = told.steps[-1]
        assert last.ends == GAME and last.to_act is None
        for step in told.steps:
            story.picture(step, ("a", "b"))


def test_seats_with_the_same_name_are_told_apart() -> None:
    game = recorded.game(labels=("x", "y", "x"))
    assert story.seat_names(game) == ("x (0)", "y", "x (2)")
    assert story.seat_names(Story.of(game).transcript(())) == ("seat 0", "seat 1", "seat 2")
