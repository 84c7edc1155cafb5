"""What agents are paid, when, and that the three ways to read it agree."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from playing import VARIANTS, act, pick, place, play, turns

from chickenfoot_env import batch, chickenfoot_v0

PLAYED_OUT = [name for name in VARIANTS if name not in ("cut short", "one round")]
LAST_TILE = "OPEN | 3 8 | 3-4 / 1-2 2-2 / 0-0 0-9 | - | 0"  # seat 0 goes out: 0, 7 and 59 points


@pytest.mark.parametrize("name", VARIANTS)
def test_the_rewards_of_all_turns_sum_to_the_returns(name: str, rng: np.random.Generator) -> None:
    env = chickenfoot_v0.env(**VARIANTS[name])
    for seed in range(3):
        env.reset(seed=seed)
        got: dict[str, float] = defaultdict(float)
        for turn in turns(env, rng):
            assert type(turn.reward) is float
            got[turn.agent] += turn.reward
        assert [got[agent] for agent in env.possible_agents] == pytest.approx(env.returns())


@pytest.mark.parametrize("name", VARIANTS)
def test_rewards_are_filled_in_by_the_step_that_earns_them(
    name: str, rng: np.random.Generator
) -> None:
    env = chickenfoot_v0.raw_env(**VARIANTS[name])
    env.reset(seed=5)
    total = np.zeros(env.rules.players)
    while not env.is_over:
        before = env.returns()
        env.step(int(rng.choice(np.flatnonzero(env.action_masks()))))
        paid = [env.rewards[agent] for agent in env.possible_agents]
        assert env.returns() - before == pytest.approx(paid)
        total += paid
    assert total == pytest.approx(env.returns())


@pytest.mark.parametrize("name", PLAYED_OUT)
def test_the_returns_are_the_margins_or_the_shares_of_the_win(
    name: str, rng: np.random.Generator
) -> None:
    env = chickenfoot_v0.raw_env(**VARIANTS[name])
    env.reset(seed=6)
    game = batch.deal(env.rules, np.array([6], np.uint64))
    while not env.is_over:
        action = int(rng.choice(np.flatnonzero(env.action_masks())))
        env.step(action)
        batch.step(game, np.array([action]))
    if env.settings.reward == "points":
        assert env.returns() == pytest.approx(batch.margins(game)[0])
        assert env.returns().sum() == pytest.approx(0.0, abs=1e-9)
    else:
        winners = batch.standings(game)[0] == 1
        assert env.returns() == pytest.approx(winners / winners.sum())
        assert env.returns().sum() == pytest.approx(1.0)


def test_the_end_of_a_round_pays_each_seat_its_margin() -> None:
    env = chickenfoot_v0.raw_env(players=3, rounds=(9,))
    env.reset(seed=1)
    place(env, LAST_TILE)
    act(env, "3-4@3")
    assert env.rewards == {"player_0": 33.0, "player_1": 22.5, "player_2": -55.5}
    for agent, reward in env.rewards.items():
        assert type(reward) is float
        assert env._cumulative_rewards[agent] == reward  # also of those that did not move last


def test_a_round_in_mid_game_is_paid_and_the_game_goes_on() -> None:
    env = chickenfoot_v0.raw_env(players=3, rounds=(9, 8))
    env.reset(seed=1)
    place(env, LAST_TILE)
    act(env, "3-4@3")
    assert env.rewards == {"player_0": 33.0, "player_1": 22.5, "player_2": -55.5}
    assert not env.is_over
    assert env.outcome is None
    assert {info["round_outcome"] for info in env.infos.values()} == {"went_out"}
    env.step(int(np.argmax(env.action_masks())))
    assert set(env.rewards.values()) == {0.0}
    assert not any("round_outcome" in info for info in env.infos.values())


def test_a_shared_win_is_shared_evenly() -> None:
    env = chickenfoot_v0.raw_env(players=3, rounds=(9,), reward="win")
    env.reset(seed=1)
    place(env, "OPEN | 3 | 1-4 / 2-3 0-8 / 0-5 | - | 1")  # blocked by 2-3@3: 5, 8 and 5 points
    act(env, "2-3@3")
    assert env.outcome == "blocked"
    assert list(env.rewards.values()) == [0.5, 0.0, 0.5]


def test_the_cumulative_reward_lasts_until_the_agent_acts(rng: np.random.Generator) -> None:
    env = chickenfoot_v0.raw_env(players=3, rounds=(9, 8))
    env.reset(seed=1)
    place(env, LAST_TILE)
    act(env, "3-4@3")
    due = {"player_0": 33.0, "player_1": 22.5, "player_2": -55.5}
    for turn in turns(env, rng, limit=12):
        assert turn.reward == due.pop(turn.agent, 0.0)
    assert due == {}


def test_the_same_keywords_pay_the_same_whatever_the_resets() -> None:
    env = chickenfoot_v0.raw_env(players=3, rounds=(9,), reward="win", double_blank_points=0)
    for arguments in ({}, {"seed": 0}, {}, {"seed": 7}):
        env.reset(**arguments)
        place(env, "OPEN | 3 | 1-4 / 2-3 0-8 / 0-0 0-5 | - | 1")
        act(env, "2-3@3")
        assert list(env.rewards.values()) == [0.5, 0.0, 0.5]


@pytest.mark.parametrize("reward", ["points", "win"])
def test_rounds_that_end_as_they_are_dealt_are_paid_once(
    reward: str, rng: np.random.Generator
) -> None:
    keywords = {"players": 2, "max_pip": 2, "hand_size": 1, "starter_arms": 2, "toes": 1}
    env = chickenfoot_v0.raw_env(reward=reward, **keywords)
    over_at_once = 0
    for seed in range(300):
        env.reset(seed=seed)
        over_at_once += env.is_over
        assert env.is_over or set(env.rewards.values()) == {0.0}
        got: dict[str, float] = defaultdict(float)
        for turn in play(env, rng):
            got[turn.agent] += turn.reward
        game = env._episode.games
        winners = batch.standings(game)[0] == 1
        wanted = batch.margins(game)[0] if reward == "points" else winners / winners.sum()
        assert [got[a] for a in env.possible_agents] == pytest.approx(wanted)
        assert env.outcome in ("went_out", "blocked")
    assert over_at_once > 0


def test_the_books_are_as_the_table_on_the_page_says(rng: np.random.Generator) -> None:
    env = chickenfoot_v0.raw_env(players=3, rounds=(9, 8))
    env.reset(seed=4)
    owed, result = dict.fromkeys(env.agents, 0.0), np.zeros(3)
    assert env.rewards == owed and env.last()[1] == 0.0 and not env.returns().any()
    while not env.is_over:
        agent = env.agent_selection
        assert env.last()[1] == pytest.approx(owed[agent])
        env.step(pick(env.observe(agent)["action_mask"], rng))
        owed[agent] = 0.0
        for seat, (name, earned) in enumerate(env.rewards.items()):
            owed[name] += earned
            result[seat] += earned
        assert env.returns() == pytest.approx(result)
    assert all(env.rewards.values())
    for left in (2, 1, 0):
        agent = env.agent_selection
        assert env.last()[1] == pytest.approx(owed[agent])
        env.step(None)
        assert len(env.agents) == left and agent not in env.agents
        assert env.rewards == dict.fromkeys(env.agents, 0.0)
        assert env.returns() == pytest.approx(result)
