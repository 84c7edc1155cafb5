"""Illegal actions are refused, forfeited for or replaced, as asked, and never half done."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from playing import act, place, turns

from chickenfoot_env import batch, chickenfoot_v0, notation

POSITION = "OPEN | 3 8 | 3-4 1-1 / 1-2 / 0-0 0-9 | 5-6 | 0"
LEGAL, ILLEGAL = 34, 11  # 3-4@3; 1-1@1


def placed(**keywords: Any) -> Any:
    env = chickenfoot_v0.raw_env(players=3, rounds=(9,), **keywords)
    env.reset(seed=1)
    place(env, POSITION)
    return env


@pytest.mark.parametrize("action", [ILLEGAL, -1, 102, 10**9])
def test_raise_names_the_action_and_what_is_legal_and_changes_nothing(action: int) -> None:
    env, untouched = placed(), placed()
    before = env.get_state()
    with pytest.raises(ValueError, match=rf"action {action} .*illegal.*legal are 3-4@3"):
        env.step(action)
    assert env.get_state() == before
    env.step(LEGAL)
    untouched.step(LEGAL)
    assert env.get_state() == untouched.get_state()


@pytest.mark.parametrize("mode", ["raise", "forfeit", "random_legal"])
@pytest.mark.parametrize("action", [None, 3.0, "34", np.array([34]), np.float32(34)])
def test_what_is_no_whole_number_is_an_error_in_every_mode(mode: str, action: Any) -> None:
    env = placed(on_illegal=mode)
    before = env.get_state()
    with pytest.raises(ValueError, match="allowed are whole numbers from 0 to 101"):
        env.step(action)
    assert env.get_state() == before


@pytest.mark.parametrize(
    "action", [34, np.int8(34), np.int32(34), np.int64(34), np.uint8(34), np.array(34)]
)
@pytest.mark.parametrize("make", [chickenfoot_v0.env, chickenfoot_v0.raw_env])
def test_any_kind_of_whole_number_is_an_action(make: Any, action: Any) -> None:
    env = make(players=3, rounds=(9,))
    env.reset(seed=1)
    place(env.unwrapped, POSITION)
    env.step(action)
    assert env.unwrapped.view("player_0")["hand_count"][0, 0] == 1


def test_a_truth_value_is_the_number_that_it_is_in_python() -> None:
    """Nothing behind the door is handed one, whose machine code would be another."""
    env = placed()
    env._episode.mask[1] = 1
    number = env._episode.accepted(True)
    assert (number, type(number)) == (1, int)


def test_forfeit_pays_the_others_and_ends_the_episode_for_all() -> None:
    env = placed(on_illegal="forfeit")
    env.step(ILLEGAL)
    assert env.rewards == {"player_0": -250.0, "player_1": 125.0, "player_2": 125.0}
    assert env.is_over
    assert all(env.terminations.values()) and not any(env.truncations.values())
    assert env.outcome == "forfeit"
    assert env.infos["player_0"] == {"outcome": "forfeit", "illegal_actions": 1}
    assert env.infos["player_1"] == {"outcome": "forfeit", "illegal_actions": 0}
    assert env.returns().tolist() == [-250.0, 125.0, 125.0]


def test_forfeit_gives_the_win_to_the_others() -> None:
    env = placed(on_illegal="forfeit", reward="win")
    env.step(ILLEGAL)
    assert env.rewards == {"player_0": 0.0, "player_1": 0.5, "player_2": 0.5}


def test_forfeit_keeps_what_was_earned_before() -> None:
    env = chickenfoot_v0.raw_env(players=3, rounds=(9, 8), on_illegal="forfeit")
    env.reset(seed=1)
    place(env, "OPEN | 3 8 | 3-4 / 1-2 2-2 / 0-0 0-9 | - | 0")
    act(env, "3-4@3")
    offender = env._seats[env.agent_selection]
    env.step(int(np.argmin(env.action_masks())))
    wanted = np.array([33.0, 22.5, -55.5]) + 125.0
    wanted[offender] -= 375.0
    assert env.returns() == pytest.approx(wanted)


def test_random_legal_plays_a_legal_action_and_counts() -> None:
    env = placed(on_illegal="random_legal")
    env.step(ILLEGAL)
    assert env.infos["player_0"]["illegal_actions"] == 1
    assert env.view("player_0")["hand"][0].sum() == 2  # 3-4 is the only play; 1-1 is left
    assert env.agent_selection == "player_1"


def test_random_legal_chooses_among_all_legal_actions_and_the_same_again() -> None:
    env = chickenfoot_v0.raw_env(on_illegal="random_legal")
    chosen = set()
    for seed in range(80):
        env.reset(seed=seed)
        legal = np.flatnonzero(env.action_masks())
        game, before = env._episode.games, env.get_state()
        results = {}
        for place_in_order, action in enumerate(legal):
            after = game.copy()
            batch.step(after, np.array([action]))
            results[notation.format_position(after[0])] = place_in_order
        env.step(-1)
        chosen.add((len(legal), results[notation.format_position(game[0])]))
        once = env.get_state()
        env.set_state(before)
        env.step(-1)
        assert env.get_state() == once
    assert {(3, 0), (3, 1), (3, 2)} <= chosen


def test_random_legal_does_not_keep_to_the_same_place_among_the_legal_actions() -> None:
    env = chickenfoot_v0.raw_env(on_illegal="random_legal")
    env.reset(seed=1)
    places = set()
    while not env.is_over:
        legal = np.flatnonzero(env.action_masks()).tolist()
        action = env._episode.accepted(-1)
        if len(legal) == 3:
            places.add(legal.index(action))
        env.step(action)
    assert places == {0, 1, 2}


def test_random_legal_play_never_meets_an_illegal_action(rng: np.random.Generator) -> None:
    env = chickenfoot_v0.raw_env(on_illegal="random_legal")
    for seed in range(10):
        env.reset(seed=seed)
        for turn in turns(env, rng):
            assert turn.info["illegal_actions"] == 0


def test_an_action_outside_the_space_is_refused_by_the_wrapped_environment() -> None:
    env = chickenfoot_v0.env(on_illegal="random_legal")
    env.reset(seed=1)
    with pytest.raises(AssertionError, match="not in action space"):
        env.step(102)
