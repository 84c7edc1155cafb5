"""The single-agent Gymnasium environment: one seat of one table."""

from __future__ import annotations

import copy
import doctest
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from one_seat import GREEDY, OneSeat

from agents import make
from chickenfoot_env import single_env
from chickenfoot_env.rewards import FORFEIT_PIPS
from chickenfoot_env.single_env import ChickenFootSingleEnv

ID = "ChickenFoot-v0"
TABLES: dict[str, dict[str, Any]] = {
    "2 seats": {"players": 2, "rounds": (9, 3)},
    "4 seats, round": {"episode": "round"},
    "forced steps, win": {"players": 3, "rounds": (9,), "play_forced": False, "reward": "win"},
    "8 seats": {"players": 8, "max_pip": 12, "rounds": (12,)},
}


@pytest.mark.parametrize("name", TABLES)
def test_it_plays_the_games_of_the_table(name: str, rng: np.random.Generator) -> None:
    env = ChickenFootSingleEnv(opponents=GREEDY, learner=1, **TABLES[name])
    twin = OneSeat(1, **TABLES[name])
    observation, info = env.reset(seed=4)
    moment = twin.reset(seed=4)
    for _episode in range(3):
        over = False
        total = 0.0
        while not over:
            assert (observation["observation"] == moment.observation).all()
            assert (observation["action_mask"] == moment.mask).all()
            assert (env.action_masks() == (moment.mask == 1)).all()
            assert env.observation_space.contains(observation)
            action = rng.choice(np.flatnonzero(moment.mask))
            observation, reward, terminated, truncated, info = env.step(action)
            moment = twin.step(int(action))
            assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
            assert reward == pytest.approx(moment.reward, abs=1e-9)
            assert terminated is moment.over
            assert truncated is False
            total += reward
            over = terminated
        assert (observation["observation"] == moment.observation).all()
        statistics = info["episode"]
        assert statistics["r"] == pytest.approx(twin.env.returns()[1], abs=1e-9)
        assert statistics["r"] == pytest.approx(total, abs=1e-9)
        assert (statistics["points"], statistics["rank"]) == (twin.points, twin.rank)
        assert (statistics["seat"], statistics["players"]) == (env.seat, env.rules.players)
        assert {type(value) for value in statistics.values()} == {int, float}
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(0)
        observation, info = env.reset()
        moment = twin.reset()


@pytest.mark.parametrize("keywords", [{}, {"observation": "flat"}, {"learner": "random"}])
def test_gymnasiums_checker_is_content(keywords: dict[str, Any]) -> None:
    env = gymnasium.make(ID, on_illegal="forfeit", render_mode="ansi", **keywords)
    check_env(env.unwrapped)


@pytest.mark.parametrize("observation", ["dict", "flat"])
@pytest.mark.parametrize("on_illegal", ["forfeit", "random_legal"])
def test_stable_baselines_checker_is_content(observation: str, on_illegal: str) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(
        ChickenFootSingleEnv(
            on_illegal=on_illegal, observation=observation, render_mode="ansi", episode="round"
        )
    )


@pytest.mark.parametrize("id", [ID, f"chickenfoot_env:{ID}"])
def test_gymnasium_makes_it(id: str, rng: np.random.Generator) -> None:
    env = gymnasium.make(id, players=3, episode="round")
    assert type(env.unwrapped) is ChickenFootSingleEnv
    assert env.spec is not None
    observation, _info = env.reset(seed=1)
    over = False
    while not over:
        env.action_space.seed(int(rng.integers(99)))
        action = env.action_space.sample(observation["action_mask"])
        assert env.get_wrapper_attr("action_masks")()[action]
        observation, _reward, over, _truncated, info = env.step(action)
    assert info["episode"]["players"] == 3
    env.close()


@pytest.mark.parametrize("kind", [int, np.int8, np.int32, np.int64, np.array])
def test_actions_of_any_whole_kind(kind: Any) -> None:
    env = ChickenFootSingleEnv()
    observation, _info = env.reset(seed=1)
    env.step(kind(int(observation["action_mask"].argmax())))


@pytest.mark.parametrize("action", [1.0, None, "DRAW", np.zeros(2, np.int64)])
def test_what_is_no_whole_number_is_named(action: Any) -> None:
    env = ChickenFootSingleEnv(on_illegal="forfeit")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="allowed are whole numbers from 0 to 101"):
        env.step(action)
    assert env.action_masks().sum() > 1


def test_illegal_actions() -> None:
    env = ChickenFootSingleEnv()
    observation, info = env.reset(seed=1)
    assert info == {}
    with pytest.raises(ValueError, match=r"action 9999 \(no action of this set\) is illegal in "):
        env.step(9999)
    assert (env.action_masks() == (observation["action_mask"] == 1)).all()
    env = ChickenFootSingleEnv(on_illegal="forfeit")
    _observation, info = env.reset(seed=1)
    assert info == {"illegal_actions": 0}
    _observation, reward, terminated, _truncated, info = env.step(9999)
    assert (reward, terminated) == (-FORFEIT_PIPS, True)
    assert info["illegal_actions"] == 1
    assert info["episode"]["r"] == -FORFEIT_PIPS


def test_it_is_truncated_after_max_cycles(rng: np.random.Generator) -> None:
    env = ChickenFootSingleEnv(max_cycles=3)
    env.reset(seed=1)
    ends = [env.step(rng.choice(np.flatnonzero(env.action_masks())))[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]


def test_seeds() -> None:
    env, twin = ChickenFootSingleEnv(), ChickenFootSingleEnv()
    deals = [env.reset(seed=0)[0]["observation"], *(env.reset()[0]["observation"] for _ in "ab")]
    again = [twin.reset(seed=0)[0]["observation"], *(twin.reset()[0]["observation"] for _ in "ab")]
    assert all((a == b).all() for a, b in zip(deals, again, strict=True))
    assert len({deal.tobytes() for deal in deals}) == 3
    with pytest.raises(ValueError, match="seed=-1: allowed are whole numbers"):
        env.reset(seed=-1)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("opponent", [None, make("heuristic")])
def test_a_copy_in_mid_episode_goes_on_alike_and_apart(duplicate: Any, opponent: Any) -> None:
    env = ChickenFootSingleEnv(opponents=opponent, learner="rotating", rounds=(9, 8))
    env.reset(seed=1)
    for _ in range(5):
        env.step(int(env.action_masks().argmax()))
    twin = duplicate(env)
    told = [[future(each) for _ in range(2)] for each in (env, twin)]
    assert told[0] == told[1]


def future(env: ChickenFootSingleEnv) -> list[bytes]:
    """What the rest of the episode brings when the first legal action is always taken."""
    told, over = [], False
    while not over:
        observation, reward, over, _truncated, info = env.step(int(env.action_masks().argmax()))
        told.append(pickle.dumps((observation["observation"], reward, over, info)))
    env.reset()
    return told


def test_render_is_text() -> None:
    env = ChickenFootSingleEnv(render_mode="ansi")
    env.reset(seed=1)
    assert "learner to act" in (env.render() or "")
    silent = ChickenFootSingleEnv()
    silent.reset(seed=1)
    with pytest.warns(UserWarning, match="give render_mode"):
        assert silent.render() is None


@pytest.mark.parametrize("name", ["num_envs", "autoreset_mode", "copy"])
def test_keywords_of_many_games_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"no keyword '{name}' for one game"):
        ChickenFootSingleEnv(**{name: 1})
    with pytest.raises(ValueError, match="no keyword 'seats'"):
        ChickenFootSingleEnv(seats=4)


def test_views_are_for_agents() -> None:
    """An agent can take the learner's place."""
    env = ChickenFootSingleEnv(opponents=make("random"), episode="round")
    env.reset(seed=1)
    over = False
    while not over:
        action = GREEDY.act(env.view(), np.zeros(1, np.uint64))[0]
        over = env.step(action)[2]


def test_the_page_runs() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = doctest.testmod(single_env)
    assert result.attempted > 4
    assert result.failed == 0
