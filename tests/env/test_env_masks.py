"""Action masks: where they are, what they hold, and that they are never stale."""

from __future__ import annotations

import numpy as np
import pytest
from playing import VARIANTS, turns

from chickenfoot_env import batch, chickenfoot_v0, view


@pytest.mark.parametrize("name", VARIANTS)
def test_the_mask_is_that_of_the_game_in_observation_info_and_action_masks(
    name: str, rng: np.random.Generator
) -> None:
    env = chickenfoot_v0.env(**VARIANTS[name])
    env.reset(seed=10)
    for turn in turns(env, rng):
        mask = turn.observation["action_mask"]
        assert mask.dtype == np.int8
        assert mask.shape == (env.unwrapped.rules.actions,)
        assert mask.flags.c_contiguous
        assert mask.any()
        flat = env.unwrapped.action_masks()
        assert flat.dtype == np.bool_
        np.testing.assert_array_equal(flat, mask)
        if turn.termination or turn.truncation:
            assert np.flatnonzero(mask).tolist() == [env.unwrapped.rules.pass_]
            assert "action_mask" not in turn.info
        else:
            np.testing.assert_array_equal(mask, turn.info["action_mask"])
            np.testing.assert_array_equal(mask, batch.legal_mask(env.unwrapped._episode.games)[0])
            np.testing.assert_array_equal(mask, view.legal_mask(env.unwrapped.view(turn.agent))[0])


@pytest.mark.parametrize("idle", ["zeros", "ones"])
def test_the_mask_of_a_seat_that_is_not_to_act_is_as_asked(idle: str) -> None:
    env = chickenfoot_v0.raw_env(mask_idle=idle)
    env.reset(seed=1)
    for agent in env.possible_agents:
        if agent == env.agent_selection:
            continue
        mask = env.observe(agent)["action_mask"]
        assert mask.dtype == np.int8
        assert set(mask.tolist()) == {0 if idle == "zeros" else 1}
        assert "action_mask" not in env.infos[agent]


def test_the_space_samples_by_the_mask_without_conversion() -> None:
    env = chickenfoot_v0.env()
    env.reset(seed=1)
    for agent in env.agent_iter(300):
        mask = env.observe(agent)["action_mask"]
        action = env.action_space(agent).sample(mask)
        assert mask[action]
        env.step(action)
    assert env.unwrapped._episode.cycles == 300


def test_writing_on_a_mask_changes_nothing() -> None:
    env = chickenfoot_v0.raw_env()
    env.reset(seed=1)
    before = env.action_masks()
    env.observe(env.agent_selection)["action_mask"][:] = 1
    env.infos[env.agent_selection]["action_mask"][:] = 1
    env.action_masks()[:] = True
    np.testing.assert_array_equal(env.action_masks(), before)
    with pytest.raises(ValueError, match="illegal"):
        env.step(int(np.argmin(before)))


def test_the_ids_mean_the_same_for_all_rules_of_a_set() -> None:
    one = chickenfoot_v0.raw_env(players=2)
    other = chickenfoot_v0.raw_env(players=7, drawn_tile="no", toes=2, rounds=(3,))
    assert one.action_space("player_0") == other.action_space("player_6")
    assert (one.rules.draw, one.rules.pass_) == (other.rules.draw, other.rules.pass_) == (100, 101)
