"""The Stable-Baselines3 door: the same games as one by one, masks, statistics, and learning."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

import torch  # these are not installed everywhere
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable import evaluation as masked_evaluation
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.distributions import MaskableCategorical
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common import evaluation
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.logger import configure
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    SubprocVecEnv,
    VecEnv,
    VecMonitor,
    VecNormalize,
)

import agents
from chickenfoot_env import Rules, chance, notation, sampling
from chickenfoot_env.doors import stable_baselines
from chickenfoot_env.doors.stable_baselines import ChickenFootVecEnv
from chickenfoot_env.single_env import ChickenFootSingleEnv

torch.set_num_threads(1)

ROUND: dict[str, Any] = {"episode": "round"}
SMALL: dict[str, Any] = {  # rounds of about three decisions
    **{"players": 2, "max_pip": 4, "hand_size": 5, "starter_arms": 2, "toes": 2},
    **{"episode": "round", "learner": "rotating"},
}
TINY: dict[str, Any] = {  # where many episodes hold no decision of the learner
    **{"players": 2, "max_pip": 2, "hand_size": 1, "starter_arms": 2, "toes": 1},
    "rounds": (2, 1),
}
TABLES: dict[str, dict[str, Any]] = {
    "round": {"episode": "round", "learner": 2},
    "flat": {"players": 3, "rounds": (9, 8), "observation": "flat"},
    "win": {"players": 2, "reward": "win", "episode": "round", "learner": 1},
    "cut short": {"max_cycles": 7},
    "cut short or over": {"max_cycles": 5, "episode": "round"},
    "tiny": TINY,
    "heuristic opponents": {"episode": "round", "opponents": agents.make("heuristic")},
}
PPO_SETTINGS: dict[str, Any] = {
    **{"n_steps": 32, "batch_size": 64, "n_epochs": 1, "gamma": 1.0, "device": "cpu", "seed": 3},
}


def legal(env: VecEnv, number: int) -> NDArray[np.int64]:
    """Random legal actions, by the masks that sb3-contrib gets."""
    masks = get_action_masks(env)
    seeds = np.arange(len(masks), dtype=np.uint64)
    return sampling.sample(masks, chance.derive(seeds, number))


def parts(observations: Any) -> dict[str, NDArray[Any]]:
    """The arrays of an observation, flat or not."""
    return observations if isinstance(observations, dict) else {"observation": observations}


def same(one: Any, other: Any) -> bool:
    """Whether two observations are equal, with equal types."""
    here, there = parts(one), parts(other)
    return here.keys() == there.keys() and all(
        here[name].dtype == there[name].dtype and (here[name] == there[name]).all() for name in here
    )


def model_on(env: VecEnv, policy: str = "MultiInputPolicy", **settings: Any) -> MaskablePPO:
    return MaskablePPO(policy, env, **{**PPO_SETTINGS, **settings})


# The games.


@pytest.mark.parametrize("name", TABLES)
def test_it_plays_the_games_of_single_environments(name: str) -> None:
    """Stable-Baselines3's own vector of single ones, each in a Monitor, tells the same."""
    ours = ChickenFootVecEnv(5, **TABLES[name])
    one = functools.partial(ChickenFootSingleEnv, **TABLES[name])
    theirs = DummyVecEnv([lambda: Monitor(one())] * 5)
    assert ours.seed(11) == theirs.seed(11)
    assert same(ours.reset(), theirs.reset())
    assert (ours.observation_space, ours.action_space) == (
        theirs.observation_space,
        theirs.action_space,
    )
    endings = {True: 0, False: 0}  # by whether an episode was truncated
    for number in range(60):
        assert (get_action_masks(ours) == get_action_masks(theirs)).all()
        actions = legal(ours, number)
        told, wanted = ours.step(actions), theirs.step(actions)
        assert same(told[0], wanted[0])
        assert told[1].dtype == wanted[1].dtype == np.float32
        assert told[1] == pytest.approx(wanted[1], abs=1e-4)
        assert told[2].dtype == np.bool_ and (told[2] == wanted[2]).all()
        for done, info, expected in zip(told[2], told[3], wanted[3], strict=True):
            assert info["TimeLimit.truncated"] is expected["TimeLimit.truncated"]
            assert ("terminal_observation" in info) == ("episode" in info) == done
            if done:
                endings[info["TimeLimit.truncated"]] += 1
                assert same(info["terminal_observation"], expected["terminal_observation"])
                for key in ("r", "l"):
                    assert info["episode"][key] == pytest.approx(expected["episode"][key], abs=1e-5)
        assert ours.reset_infos == theirs.reset_infos
    assert (endings[True] > 0) == ("max_cycles" in TABLES[name])
    assert (endings[False] > 0) == (name != "cut short")


def test_what_an_episode_brought_is_told_in_plain_numbers() -> None:
    env = ChickenFootVecEnv(8, players=3, learner="rotating", on_illegal="forfeit", **ROUND)
    env.reset()
    episodes = []
    for number in range(60):
        _observations, _rewards, dones, infos = env.step(legal(env, number))
        assert [info["illegal_actions"] for info in infos] == [0] * 8
        episodes += [info["episode"] for info, done in zip(infos, dones, strict=True) if done]
    kinds = {name: type(value) for name, value in episodes[-1].items()}
    counts = dict.fromkeys(("l", "points", "rank", "seat", "players"), int)
    assert kinds == {"r": float, "t": float, **counts}
    assert {episode["seat"] for episode in episodes} == {0, 1, 2}
    times = [episode["t"] for episode in episodes]
    assert times == sorted(times) and times[-1] > 0


def test_arrays_are_the_callers() -> None:
    """What was returned does not change in later steps, nor do changes of it reach the games."""
    env, twin = ChickenFootVecEnv(6, **SMALL), ChickenFootVecEnv(6, **SMALL)
    env.seed(1)
    twin.seed(1)
    kept: list[tuple[NDArray[Any], NDArray[Any]]] = []

    def keep(*arrays: NDArray[Any]) -> None:
        kept.extend((array, array.copy()) for array in arrays)

    keep(*env.reset().values())
    for number in range(30):
        keep(*env.env_method("action_masks"))
        observations, rewards, dones, infos = env.step(legal(env, number))
        keep(*observations.values(), rewards, dones)
        for info in infos:
            keep(*info.get("terminal_observation", {}).values())
    assert all((array == then).all() for array, then in kept)
    assert len(kept) > 30 * 10 + 2  # some episodes have ended
    spoilt = twin.reset()
    for number in range(30):
        actions = legal(twin, number)
        for array in (*spoilt.values(), *twin.env_method("action_masks")):
            array[:] = 0
        spoilt, rewards, dones, infos = twin.step(actions)
        dones[:], infos[0] = True, {"TimeLimit.truncated": True}
    assert (get_action_masks(env) == get_action_masks(twin)).all()
    assert same(spoilt, observations)


# Seeds.


def play(env: VecEnv, steps: int = 40) -> list[Any]:
    """What a stretch of random play shows, without times."""
    shown: list[Any] = [parts(env.reset())["observation"].tobytes()]
    for number in range(steps):
        observations, rewards, dones, infos = env.step(legal(env, number))
        returns = [info["episode"]["r"] for info in infos if "episode" in info]
        shown.append((parts(observations)["observation"].tobytes(), rewards.tolist(), returns))
        assert len(returns) == dones.sum()
    return shown


def test_a_seed_counts_once_and_from_the_next_reset() -> None:
    first, second = ChickenFootVecEnv(4, **SMALL), ChickenFootVecEnv(4, **SMALL)
    assert first.seed(7) == second.seed(7) == [7, 8, 9, 10]
    one = play(first)
    assert one == play(second)
    assert play(first) == play(second) != one  # goes on with new deals
    first.seed(7)
    assert play(first) == one
    first.seed(0)
    assert play(first) != one
    assert len({play(ChickenFootVecEnv(4, **SMALL), 1)[0] for _ in range(3)}) == 3


def test_a_game_does_not_depend_on_the_others() -> None:
    few, many = ChickenFootVecEnv(2, **SMALL), ChickenFootVecEnv(9, **SMALL)
    few.seed(5)
    many.seed(5)
    observations = few.reset(), many.reset()
    for number in range(30):
        assert (observations[0]["observation"] == observations[1]["observation"][:2]).all()
        actions = legal(many, number)
        observations = few.step(actions[:2])[0], many.step(actions)[0]


def test_options_reset_some_games_alone() -> None:
    env = ChickenFootVecEnv(3, **SMALL)
    before = env.reset()["observation"]
    env.set_options({"reset_mask": np.array([False, True, False])})
    after = env.reset()["observation"]
    assert (before == after).all(axis=1).tolist() == [True, False, True]
    assert not (env.reset()["observation"] == after).all(axis=1).any()  # options count once


# Masks.


@pytest.mark.parametrize("observation", ["dict", "flat"])
def test_masks_belong_to_the_observations(observation: str) -> None:
    env = ChickenFootVecEnv(7, observation=observation, **SMALL)
    assert is_masking_supported(env)
    seen = env.reset()
    for number in range(40):
        masks = get_action_masks(env)
        assert (masks.dtype, masks.shape) == (np.bool_, (7, env.action_space.n))
        if observation == "dict":
            assert (seen["action_mask"] == masks).all()
        allowed = [set(notation.legal_actions(game)) for game in env._envs._games]
        assert masks.sum(axis=1).tolist() == [len(names) for names in allowed]
        actions = legal(env, number)
        env.step_async(actions)
        assert (get_action_masks(env) == masks).all()  # of the last observations still
        seen = env.step_wait()[0]


def test_masks_of_some_games() -> None:
    env = ChickenFootVecEnv(5, **SMALL)
    env.reset()
    everything = env.env_method("action_masks")
    for indices, rows in ((3, [3]), ([4, 0], [4, 0]), (np.array([1]), [1]), (-1, [4]), ((), [])):
        found = env.env_method("action_masks", indices=indices)
        assert len(found) == len(rows)
        assert all((a == everything[row]).all() for a, row in zip(found, rows, strict=True))
    with pytest.raises(IndexError):
        env.env_method("action_masks", indices=5)


def test_normalisation_leaves_masks_alone() -> None:
    games = ChickenFootVecEnv(16, **SMALL)
    env = VecNormalize(games, norm_obs_keys=["observation"], gamma=1.0)
    seen = env.reset()
    for number in range(40):
        assert set(np.unique(seen["action_mask"])) == {0, 1}
        assert (seen["action_mask"] == get_action_masks(env)).all()
        seen, _rewards, dones, infos = env.step(legal(env, number))
        for row in np.flatnonzero(dones):
            assert set(np.unique(infos[row]["terminal_observation"]["action_mask"])) == {0, 1}
    assert seen["observation"].min() < 0  # but these are normalised
    model_on(env).learn(512)


def test_the_distribution_stands_any_logits() -> None:
    """Masked probabilities that do not sum to 1 have ended trainings (before sb3-contrib 2.8)."""
    generator = torch.Generator().manual_seed(1)
    rng = np.random.default_rng(1)
    for scale in (1.0, 30.0, 1000.0):
        logits = scale * torch.randn((3000, 102), generator=generator)
        masks = rng.random((3000, 102)) < rng.random((3000, 1))
        masks[np.arange(3000), rng.integers(102, size=3000)] = True
        spread = MaskableCategorical(logits=logits)
        for given in (masks, ~masks | masks[:, ::-1], masks):
            given = given | (given.sum(axis=1, keepdims=True) == 0)
            spread.apply_masking(given)
            for actions in (spread.sample(), spread.probs.argmax(dim=1)):
                assert given[np.arange(3000), actions.numpy()].all()
            assert torch.isfinite(spread.entropy()).all()


# Learning.


@pytest.mark.parametrize(
    ("policy", "observation"), [("MultiInputPolicy", "dict"), ("MlpPolicy", "flat")]
)
def test_it_learns_and_logs_with_no_wrapper(policy: str, observation: str, tmp_path: Path) -> None:
    env = ChickenFootVecEnv(64, observation=observation, players=4, **ROUND)
    model = model_on(env, policy, n_steps=32)
    model.set_logger(configure(str(tmp_path), ["json"]))
    before = [weight.clone() for weight in model.policy.parameters()]
    model.learn(4096, log_interval=1)
    assert model.num_timesteps == 4096
    lines = (tmp_path / "progress.json").read_text(encoding="utf-8").splitlines()
    log = json.loads(lines[-1])
    assert -100 < log["rollout/ep_rew_mean"] < 100
    assert 1 < log["rollout/ep_len_mean"] < 60
    assert all(np.isfinite(value) for value in log.values())
    assert any((a != b).any() for a, b in zip(before, model.policy.parameters(), strict=True))
    model.logger.close()


def test_it_learns_to_beat_random_play() -> None:
    """Random play has a margin of 0 against itself; three times the error is far from noise."""

    def margin(model: MaskablePPO) -> float:
        games = ChickenFootVecEnv(256, **SMALL)
        games.seed(1_000_000)
        return float(masked_evaluation.evaluate_policy(model, games, 1500)[0])

    env = ChickenFootVecEnv(64, **SMALL)
    model = model_on(
        env,
        n_steps=64,
        batch_size=1024,
        n_epochs=4,
        learning_rate=2e-3,
        ent_coef=0.01,
        vf_coef=0.01,
    )
    model.learn(24_000)
    learned = margin(model)
    assert learned > 6.0  # pips a round, with an error of 0.8
    spoilt = model_on(env, learning_rate=0.0)
    assert margin(spoilt) < learned - 3.0


def test_the_same_seed_learns_the_same() -> None:
    def weights() -> list[bytes]:
        model = model_on(ChickenFootVecEnv(8, **SMALL), n_steps=32)
        model.learn(512)
        return [weight.detach().numpy().tobytes() for weight in model.policy.parameters()]

    assert weights() == weights()


def test_a_saved_model_goes_on(tmp_path: Path) -> None:
    env = ChickenFootVecEnv(8, **SMALL)
    model = model_on(env)
    model.learn(256)
    model.save(tmp_path / "model.zip")
    loaded = MaskablePPO.load(tmp_path / "model.zip", env=ChickenFootVecEnv(8, **SMALL))
    seen, masks = env.reset(), get_action_masks(env)
    actions = [
        one.predict(seen, action_masks=masks, deterministic=True)[0] for one in (model, loaded)
    ]
    assert (actions[0] == actions[1]).all()
    assert masks[np.arange(8), actions[0]].all()
    loaded.learn(256, reset_num_timesteps=False)
    assert loaded.num_timesteps == 512


def test_single_environments_learn_in_stable_baselines_own_vector() -> None:
    """Through Gymnasium's wrappers and Monitor the masks are found as well."""
    env = make_vec_env("ChickenFoot-v0", n_envs=2, seed=1, env_kwargs=SMALL)
    assert is_masking_supported(env)
    model_on(env).learn(128)


def test_spawned_processes_play_the_same_games() -> None:
    keywords = {**SMALL, "learner": 1}
    theirs = make_vec_env(
        ChickenFootSingleEnv,
        n_envs=2,
        env_kwargs=keywords,
        vec_env_cls=SubprocVecEnv,
        vec_env_kwargs={"start_method": "spawn"},
    )
    try:
        ours = ChickenFootVecEnv(2, **keywords)
        theirs.seed(3)
        ours.seed(3)
        assert same(ours.reset(), theirs.reset())
        for number in range(20):
            assert is_masking_supported(theirs)
            assert (get_action_masks(ours) == get_action_masks(theirs)).all()
            actions = legal(ours, number)
            told, wanted = ours.step(actions), theirs.step(actions)
            assert same(told[0], wanted[0])
            assert (told[2] == wanted[2]).all()
    finally:
        theirs.close()


# Evaluation, with masks and without.


def test_the_masked_evaluation_tells_whole_episodes() -> None:
    env = ChickenFootVecEnv(4, **SMALL)
    model = model_on(env)
    results = []
    for _ in range(2):
        env.seed(20)
        results.append(
            masked_evaluation.evaluate_policy(model, env, 10, return_episode_rewards=True)
        )
    returns, lengths = results[0]
    assert results[0] == results[1]
    assert len(returns) == len(lengths) == 10
    assert all(isinstance(value, float) for value in returns)  # of the infos, in full


def test_the_masked_callback_evaluates(tmp_path: Path) -> None:
    env = ChickenFootVecEnv(4, **SMALL)
    callback = MaskableEvalCallback(
        ChickenFootVecEnv(4, **SMALL),
        n_eval_episodes=6,
        eval_freq=16,
        log_path=str(tmp_path),
        verbose=0,
    )
    model_on(env).learn(128, callback=callback)
    found = np.load(tmp_path / "evaluations.npz")
    assert found["results"].shape == (2, 6)


def learn_with_the_plain_callback(model: MaskablePPO, _env: VecEnv) -> None:
    games = ChickenFootVecEnv(4, **SMALL)
    model.learn(4096, callback=EvalCallback(games, eval_freq=16, n_eval_episodes=20, verbose=0))


def predict_without_masks(model: MaskablePPO, env: VecEnv) -> None:
    seen = env.reset()
    for _ in range(50):
        seen = env.step(model.predict(seen)[0])[0]


@pytest.mark.parametrize(
    "attempt",
    [
        learn_with_the_plain_callback,
        predict_without_masks,
        lambda model, env: evaluation.evaluate_policy(model, env, 20),
        lambda model, env: masked_evaluation.evaluate_policy(model, env, 20, use_masking=False),
        lambda model, env: model.learn(4096, use_masking=False),
    ],
    ids=["EvalCallback", "predict", "evaluate_policy", "use_masking=False", "learn"],
)
def test_without_masks_it_is_refused_with_a_hint(attempt: Callable[..., Any]) -> None:
    env = ChickenFootVecEnv(4, **SMALL)
    model = model_on(env)
    message = r"game \d: action .* is illegal .*: evaluate with MaskableEvalCallback or sb3_contrib"
    with pytest.raises(ValueError, match=message) as caught:
        attempt(model, env)
    assert "\n" not in str(caught.value)


def test_each_state_needs_its_own_masks() -> None:
    """The hint is given although masks were asked for earlier, in a step or an episode before."""
    env = ChickenFootVecEnv(3, **SMALL)
    for number in range(4):
        env.reset()
        if number % 2 == 0:
            env.step(legal(env, number))
        with pytest.raises(ValueError, match="MaskableEvalCallback"):
            env.step(np.full(3, -1))
        get_action_masks(env)


def test_an_illegal_action_in_spite_of_masks_has_no_hint_and_changes_nothing() -> None:
    env = ChickenFootVecEnv(3, **SMALL)
    seen = env.reset()
    masks = get_action_masks(env)
    good = masks.argmax(axis=1)
    with pytest.raises(ValueError, match=r"game 1: .*legal are [^;]*$"):
        env.step(np.where(np.arange(3) == 1, masks[1].argmin(), good))
    assert (get_action_masks(env) == masks).all()
    twin = ChickenFootVecEnv(3, **SMALL)
    env.seed(9)
    twin.seed(9)
    assert same(env.reset(), twin.reset())
    with pytest.raises(ValueError, match="legal are"):
        env.step(np.full(3, -1))
    assert same(env.step(legal(env, 1))[0], twin.step(legal(twin, 1))[0])
    assert not same(seen, env.reset())


def test_wrong_arrays_are_refused_without_that_hint() -> None:
    env = ChickenFootVecEnv(3, **SMALL)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(3, np.int64))
    env.reset()
    with pytest.raises(ValueError, match=r"wanted are integers of shape \(3,\), one a game$"):
        env.step(np.zeros(4, np.int64))
    with pytest.raises(RuntimeError, match="step_async"):
        env.step_wait()


@pytest.mark.parametrize("on_illegal", ["forfeit", "random_legal"])
def test_algorithms_without_masks_run_where_illegal_actions_may(on_illegal: str) -> None:
    env = ChickenFootVecEnv(4, on_illegal=on_illegal, **SMALL)
    PPO("MultiInputPolicy", env, **PPO_SETTINGS).learn(128)
    env.reset()
    illegal = get_action_masks(env).argmin(axis=1)
    _seen, _rewards, dones, infos = env.step(illegal)
    assert [info["illegal_actions"] for info in infos] == [1] * 4
    assert dones.all() or on_illegal == "random_legal"
    counts = [info["illegal_actions"] for info in env.reset_infos]
    assert not any(count for count, done in zip(counts, dones, strict=True) if done)


# The rest of the interface.


def test_attributes_and_methods_of_games() -> None:
    tables = [Rules(players=2), Rules(players=5)]
    env = ChickenFootVecEnv(4, rules=tables, learner="rotating", render_mode="ansi", **ROUND)
    env.reset()
    assert env.get_attr("rules") == [*tables, *tables]
    assert env.get_attr("seat") == [0, 1, 0, 3]
    assert env.get_attr("action_space") == [env.action_space] * 4
    assert env.get_attr("observation_space", [0, 2]) == [env.observation_space] * 2
    assert env.get_attr("render_mode") == ["ansi"] * 4
    assert {setting.episode for setting in env.get_attr("settings")} == {"round"}
    assert "render_modes" in env.get_attr("metadata")[0]
    masks = get_action_masks(env)
    assert (env.get_attr("action_masks")[2]() == masks[2]).all()
    views = env.env_method("view", indices=[1, 3])
    assert [mine["players"].tolist() for mine in views] == [[5], [5]]
    chosen = agents.make("greedy").act(
        np.concatenate(env.env_method("view")), np.zeros(4, np.uint64)
    )
    assert masks[np.arange(4), chosen].all()
    for name in (*stable_baselines._ATTRIBUTES, *stable_baselines._METHODS):
        assert env.has_attr(name)
        assert len(env.get_attr(name)) == 4
        assert name in (stable_baselines.__doc__ or "")
    assert not env.has_attr("hands")
    for wrong in (
        lambda: env.get_attr("hands"),
        lambda: env.env_method("hands"),
        lambda: env.set_attr("opponents", None),
    ):
        with pytest.raises(AttributeError, match=r"hands|opponents"):
            wrong()
    with pytest.raises(TypeError, match="takes no arguments"):
        env.env_method("action_masks", 1)


def test_statistics_need_no_monitor() -> None:
    env = ChickenFootVecEnv(2, **SMALL)
    assert env.env_is_wrapped(Monitor) == [True, True]
    assert env.env_is_wrapped(Monitor, 1) == [True]
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False, False]
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        VecMonitor(env)


def test_boards_are_shown_as_text() -> None:
    env = ChickenFootVecEnv(2, render_mode="ansi", **SMALL)
    env.reset()
    boards = env.render()
    assert boards == tuple(env.env_method("render"))
    assert all("learner" in board for board in boards)
    assert env.metadata == {"render_modes": ["ansi"]}
    silent = ChickenFootVecEnv(2, **SMALL)
    silent.reset()
    with pytest.warns(UserWarning, match="no `render_mode`"):
        assert silent.render() is None


def test_pictures_are_beside_one_another_for_videos() -> None:
    env = ChickenFootVecEnv(2, render_mode="rgb_array", **SMALL)
    env.reset()
    picture, frames = env.render(), env.get_images()
    assert picture.shape == (960, 2 * 1280, 3) or picture.shape == (2 * 960, 1280, 3)
    assert frames[0] is not None and (picture[:960, :1280] == frames[0]).all()
    assert list(ChickenFootVecEnv(2, **SMALL).get_images()) == [None, None]
    texts = ChickenFootVecEnv(2, render_mode="svg", **SMALL)
    texts.reset()
    assert all(text.startswith("<svg") for text in texts.render("svg"))


def test_wrong_keywords_are_refused() -> None:
    for name in stable_baselines._NO_KEYWORDS:
        with pytest.raises(ValueError, match=f"no keyword '{name}'"):
            ChickenFootVecEnv(2, **{name: False})
    with pytest.raises(ValueError, match="num_envs=0"):
        ChickenFootVecEnv(0)
    with pytest.raises(ValueError, match="reward='chips'"):
        ChickenFootVecEnv(2, reward="chips")


def test_closing_twice_is_fine() -> None:
    env = ChickenFootVecEnv(2, **SMALL)
    env.close()
    env.close()
