"""The Gymnasium vector environment: the same games as at a PettingZoo table, many at once."""

from __future__ import annotations

import copy
import doctest
import hashlib
import os
import pickle
import random
import re
import secrets
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray
from one_seat import GREEDY, OneSeat
from playing import absorb

import chickenfoot_env
from agents import make
from chickenfoot_env import Rules, batch, chance, encode, sampling, vector_env
from chickenfoot_env.game import BONEYARD, GAME_OVER
from chickenfoot_env.rewards import FORFEIT_PIPS
from chickenfoot_env.vector_env import ChickenFootVectorEnv
from chickenfoot_env.vector_settings import AutoresetMode

MODES = ("next_step", "same_step", "disabled")
ROUND: dict[str, Any] = {"episode": "round"}
TINY: dict[str, Any] = {  # where many episodes hold no decision of the learner
    **{"players": 2, "max_pip": 2, "hand_size": 1, "starter_arms": 2, "toes": 1},
    "rounds": (2, 1),
}
TABLES: dict[str, dict[str, Any]] = {
    "2 seats": {"players": 2, "rounds": (9, 3)},
    "4 seats, round": {"learner": 3, **ROUND},
    "7 seats": {"players": 7, "rounds": (9, 0), "learner": 2},
    "8 seats, double-twelve": {"players": 8, "max_pip": 12, "rounds": (12,), "learner": 5},
    "12 seats, double-eighteen": {"players": 12, "max_pip": 18, "learner": 11, **ROUND},
    "forced steps": {"players": 3, "rounds": (9,), "play_forced": False},
    "until playable": {"players": 3, "draw_count": "until_playable", "rounds": (5, 4)},
    "win": {"players": 3, "reward": "win", "rounds": (9, 8), "learner": 1},
    "tiny": TINY,
    "tiny win": {**TINY, "reward": "win"},
}


def masks_of(observations: dict[str, Any]) -> NDArray[np.bool_]:
    return observations["action_mask"].astype(np.bool_)


def legal(masks: NDArray[Any], number: int) -> NDArray[np.int64]:
    """A legal action of each row that depends on the row's number and that of the step alone."""
    return sampling.sample(masks, chance.derive(np.arange(len(masks), dtype=np.uint64), number))


def table(keywords: dict[str, Any]) -> OneSeat:
    keywords = dict(keywords)
    return OneSeat(keywords.pop("learner", 0), **keywords)


@pytest.mark.parametrize("name", TABLES)
def test_games_are_those_of_the_table(name: str) -> None:
    """Observations, masks, rewards, ends and plays, over several episodes of each game."""
    envs = ChickenFootVectorEnv(3, opponents=GREEDY, render_mode="svg", **TABLES[name])
    twins = [table(TABLES[name]) for _ in range(3)]
    observations, infos = envs.reset(seed=11)
    moments = [twin.reset(seed=11 + i) for i, twin in enumerate(twins)]
    was_over, over = np.zeros(3, np.bool_), np.zeros(3, np.bool_)
    episodes = skips = 0
    rewards, earned = np.zeros(3), np.zeros(3)
    for number in range(400 if "tiny" in name else 150):
        told = infos.get("skipped_episodes", np.zeros(3, np.int64))
        skips += told.sum()
        for i, moment in enumerate(moments):
            assert (observations["observation"][i] == moment.observation).all()
            assert (observations["action_mask"][i] == moment.mask).all()
            assert over[i] == moment.over
            assert envs._episodes.plays(i) == twins[i].env._episode.plays()
            assert rewards[i] == pytest.approx(moment.reward, abs=1e-9)
            dealt = number == 0 or (was_over[i] and not over[i])
            assert told[i] == (twins[i].skipped if dealt else 0)
            if moment.over:
                episodes += 1
                statistics = {k: v[i] for k, v in infos["episode"].items() if k[0] != "_"}
                result = twins[i].env.returns()[twins[i].seat]
                assert statistics["r"] == pytest.approx(result, abs=1e-9)
                assert earned[i] == pytest.approx(result, abs=1e-9)
                assert statistics["points"] == twins[i].points
                assert statistics["rank"] == twins[i].rank
                assert statistics["seat"] == twins[i].seat
                earned[i] = 0.0
        was_over = over.copy()
        actions = legal(masks_of(observations), number)
        observations, rewards, over, truncations, infos = envs.step(actions)
        assert not truncations.any()
        earned += rewards
        moments = [
            twin.reset() if was_over[i] else twin.step(int(actions[i]))
            for i, twin in enumerate(twins)
        ]
    assert episodes > 2
    assert skips > 0 or "tiny" not in name


def test_no_opponents_are_random_agents() -> None:
    """Compiled random play and the random agent take the same actions from the same seeds."""
    one = ChickenFootVectorEnv(16, rounds=(9, 8), learner="random")
    other = ChickenFootVectorEnv(16, rounds=(9, 8), learner="random", opponents=make("random"))
    assert digest(one, 40) == digest(other, 40)


class Recording:
    """The greedy agent, which keeps what it is asked."""

    name = "recording"

    def __init__(self) -> None:
        self.asked: list[tuple[NDArray[np.void], NDArray[np.uint64]]] = []

    def act(self, views: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        self.asked.append((views.copy(), seeds.copy()))
        return make("random").act(views, seeds)


def test_an_opponent_is_asked_for_many_games_at_once() -> None:
    agent = Recording()
    envs = ChickenFootVectorEnv(64, opponents=[agent, agent], **ROUND)
    observations, _infos = envs.reset(seed=1)
    before = len(agent.asked)
    envs.step(legal(masks_of(observations), 0))
    sizes = [len(views) for views, _seeds in agent.asked[before:]]
    assert max(sizes) > 30
    assert len(sizes) < 64
    views = np.concatenate([views for views, _seeds in agent.asked])
    seeds = np.concatenate([seeds for _views, seeds in agent.asked])
    assert (views["turn"] == 0).all()
    assert len(np.unique(seeds)) == len(seeds)
    mask = chickenfoot_env.view.legal_mask(views)
    assert (mask.sum(axis=1) > 1).all()  # never for a forced action


def test_opponents_take_the_seats_behind_the_learner() -> None:
    agents = [Recording(), Recording()]
    envs = ChickenFootVectorEnv(1, players=4, learner=1, opponents=agents, rounds=(9,))
    observations, _infos = envs.reset(seed=2)
    for number in range(4):
        observations = envs.step(legal(masks_of(observations), number))[0]
    seats: list[set[int]] = [set(), set()]
    table = OneSeat(1, players=4, rounds=(9,))
    table.env.reset(seed=2)
    known = {
        table.env.view(agent)["hand"].tobytes(): i
        for i, agent in enumerate(table.env.possible_agents)
    }
    for i, agent in enumerate(agents):
        for views, _seeds in agent.asked:
            seats[i].add(known.get(views["hand"][0].tobytes(), -1))
    assert seats[0] - {-1} <= {2, 0}
    assert seats[1] - {-1} <= {3}
    assert seats[1] | seats[0] > {-1}


def digest(envs: ChickenFootVectorEnv, steps: int, rows: int | None = None, seed: int = 5) -> bytes:
    """A hash of all that the first rows are told."""
    total = hashlib.sha256()
    observations, infos = envs.reset(seed=seed)
    told: tuple[Any, ...] = (observations, infos)
    for number in range(steps):
        absorb(total, [first_rows(part, rows) for part in told])
        told = envs.step(legal(masks_of(told[0]), number))
    absorb(total, [first_rows(part, rows) for part in told])
    return total.digest()


def first_rows(part: Any, rows: int | None) -> Any:
    """The same for the first rows; infos without entries for them are left out."""
    if isinstance(part, dict):
        return {
            key: first_rows(value, rows)
            for key, value in part.items()
            if f"_{key}" not in part or part[f"_{key}"][:rows].any()
            if not key.startswith("_") or value[:rows].any()
        }
    if part.dtype == object:
        return [first_rows(each, None) for each in part[:rows] if each is not None]
    return part[:rows]


@pytest.mark.parametrize("mode", MODES[:2])
@pytest.mark.parametrize("opponents", [None, make("heuristic")])
def test_a_game_does_not_depend_on_the_batch(mode: str, opponents: Any) -> None:
    keywords = {**ROUND, "autoreset_mode": mode, "opponents": opponents, "learner": "rotating"}
    digests = {digest(ChickenFootVectorEnv(n, **keywords), 30, 3) for n in (3, 4, 65)}
    assert len(digests) == 1


def test_the_same_in_any_process_and_with_any_hash_seed() -> None:
    code = (
        "import sys; sys.path.insert(0, 'tests/env'); import test_vector_env as t\n"
        "print(t.digest(t.ChickenFootVectorEnv(5, episode='round', learner='random'), 25).hex())\n"
    )
    root = str(chickenfoot_env.__path__[0] + "/..")
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": root},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert found == {
        (digest(ChickenFootVectorEnv(5, learner="random", **ROUND), 25).hex() + "\n").encode()
    }


def test_nothing_follows_from_global_generators(monkeypatch: pytest.MonkeyPatch) -> None:
    envs = ChickenFootVectorEnv(4, **ROUND)
    wanted = digest(envs, 30)

    def forbidden(*_arguments: Any) -> None:
        raise AssertionError("a global generator was asked")

    for name in ("rand", "random", "randint", "choice", "shuffle", "permutation"):
        monkeypatch.setattr(np.random, name, forbidden)
    for name in ("random", "randint", "choice", "shuffle", "getrandbits"):
        monkeypatch.setattr(random, name, forbidden)
    monkeypatch.setattr(secrets, "randbits", lambda bits: 7)
    assert digest(envs, 30) == wanted
    fresh = [ChickenFootVectorEnv(4, **ROUND).reset()[0]["observation"] for _ in range(2)]
    assert (fresh[0] == fresh[1]).all()  # from the system's seed, which is asked for once


def test_resets_without_a_seed_go_on_with_new_deals() -> None:
    envs, twin = ChickenFootVectorEnv(3), ChickenFootVectorEnv(3)
    deals = [envs.reset(seed=0)[0]["observation"]]
    deals += [envs.reset()[0]["observation"] for _ in range(3)]
    again = [twin.reset(seed=0)[0]["observation"]]
    again += [twin.reset()[0]["observation"] for _ in range(3)]
    assert all((a == b).all() for a, b in zip(deals, again, strict=True))
    assert len({deal.tobytes() for deal in deals}) == 4
    unseeded = [ChickenFootVectorEnv(3).reset()[0]["observation"].tobytes() for _ in range(2)]
    assert unseeded[0] != unseeded[1]


def test_seeds_are_one_number_or_one_for_each_game() -> None:
    envs = ChickenFootVectorEnv(3, **ROUND)
    one = envs.reset(seed=2**64 - 1)[0]["observation"]
    each = envs.reset(seed=[2**64 - 1, 0, 1])[0]["observation"]
    array = envs.reset(seed=np.array([2**64 - 1, 0, 1], np.uint64))[0]["observation"]
    assert (one == each).all()
    assert (one == array).all()
    later = envs.reset()[0]["observation"]
    envs.reset(seed=3)
    envs.reset(seed=[2**64 - 1, 0, 1])
    mixed = envs.reset(seed=[None, None, 9])[0]["observation"]
    assert (mixed[:2] == later[:2]).all()
    assert (mixed[2] != later[2]).any()


@pytest.mark.parametrize("opponents", [None, GREEDY])
@pytest.mark.parametrize("mode", MODES)
def test_the_modes_play_the_same_episodes(mode: str, opponents: Any) -> None:
    """Each game's own decisions, rewards and ends, whatever lies between two episodes."""
    found = {name: streams(name, opponents) for name in {mode, "next_step"}}
    for one, other in zip(found[mode], found["next_step"], strict=True):
        length = min(len(one), len(other))
        assert length > 30
        assert one[:length] == other[:length]


def streams(mode: str, opponents: Any) -> list[list[Any]]:
    """For each game: what the learner was told before and after each of its decisions."""
    envs = ChickenFootVectorEnv(
        4, autoreset_mode=mode, opponents=opponents, learner="rotating", rounds=(9, 0), max_cycles=9
    )
    observations, infos = envs.reset(seed=3)
    told: list[list[Any]] = [[] for _ in range(4)]
    counts = np.zeros(4, np.uint64)
    done = np.zeros(4, np.bool_)
    for _ in range(45):
        masks = masks_of(observations)
        assert (envs.action_masks() == masks).all()
        if done.any() and mode == "disabled":
            with pytest.raises(gymnasium.error.ResetNeeded, match=r"episodes of games .* are over"):
                envs.step(np.zeros(4, np.int64))
            before = observations
            observations, infos = envs.reset(options={"reset_mask": done})
            kept = ~done
            assert (observations["observation"][kept] == before["observation"][kept]).all()
            masks = masks_of(observations)
            done = np.zeros(4, np.bool_)
        seeds = chance.derive(np.arange(4, dtype=np.uint64), counts.astype(np.int64))
        actions = sampling.sample(masks, seeds)
        resting = done.copy() if mode == "next_step" else np.zeros(4, np.bool_)
        if resting.any():
            actions[resting] = -5  # ignored
        before = {name: part.copy() for name, part in observations.items()}
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        done = terminations | truncations
        assert not (resting & done).any()
        assert not rewards[resting].any()
        assert ("episode" in infos) == done.any()
        last = {name: list(part) for name, part in observations.items()}
        if done.any():
            assert (infos["_episode"] == done).all()
            if mode == "same_step":
                assert (infos["_final_obs"] == done).all()
                assert (infos["_final_info"] == done).all()
                final = infos["final_info"]["episode"]
                assert (final["r"] == infos["episode"]["r"]).all()
                for row in range(4):
                    assert (infos["final_obs"][row] is not None) == done[row]
                    if done[row]:
                        for name, part in infos["final_obs"][row].items():
                            assert envs.single_observation_space[name].contains(part)
                            last[name][row] = part
            else:
                assert "final_obs" not in infos
        for row in np.flatnonzero(~resting):
            counts[row] += 1
            statistics = [
                infos["episode"][name][row] if done[row] else 0
                for name in ("r", "l", "points", "rank", "seat", "players")
            ]
            if done[row]:
                assert last["action_mask"][row].nonzero()[0].tolist() == [101]
            told[row].append(
                (
                    before["observation"][row].tobytes(),
                    before["action_mask"][row].tobytes(),
                    int(actions[row]),
                    float(rewards[row]),
                    bool(terminations[row]),
                    bool(truncations[row]),
                    last["observation"][row].tobytes(),
                    last["action_mask"][row].tobytes(),
                    *statistics,
                )
            )
    return told


@pytest.mark.parametrize("mode", MODES)
def test_gymnasiums_own_vector_of_single_games_tells_the_same(mode: str) -> None:
    keywords: dict[str, Any] = {**ROUND, "players": 3, "on_illegal": "forfeit"}
    modes = {each.name.lower(): each for each in AutoresetMode}
    own = gymnasium.make_vec("ChickenFoot-v0", 4, autoreset_mode=mode, **keywords)
    has_modes = hasattr(gymnasium.vector, "AutoresetMode")  # from Gymnasium 1.1 on
    if not has_modes and mode != "next_step":
        pytest.skip(f"Gymnasium {gymnasium.__version__} has no autoreset modes")
    vector_kwargs = {"autoreset_mode": modes[mode]} if has_modes else {}
    theirs = gymnasium.make_vec(
        "ChickenFoot-v0", 4, "sync", vector_kwargs=vector_kwargs, **keywords
    )
    assert own.metadata["autoreset_mode"] is modes[mode]
    assert own.observation_space == theirs.observation_space
    assert own.action_space == theirs.action_space
    (mine, my_infos), (yours, your_infos) = own.reset(seed=7), theirs.reset(seed=7)
    done, ends = np.zeros(4, np.bool_), 0
    for number in range(40):
        if mode == "disabled" and done.any():
            (mine, my_infos), (yours, your_infos) = (
                each.reset(options={"reset_mask": done}) for each in (own, theirs)
            )
        assert all((mine[name] == yours[name]).all() for name in yours)
        same_infos(my_infos, your_infos)
        actions = legal(masks_of(mine), number)
        if number == 20:
            actions[1] = 0
        mine, *my_values, my_infos = own.step(actions)
        yours, *your_values, your_infos = theirs.step(actions)
        for one, other in zip(my_values, your_values, strict=True):
            assert one.dtype == other.dtype
            assert (one == other).all()
        done = my_values[1] | my_values[2]
        ends += done.sum()
    assert ends > 8


def same_infos(mine: dict[str, Any], yours: dict[str, Any]) -> None:
    """All that Gymnasium's says is in ours."""
    for name, value in yours.items():
        if isinstance(value, dict):
            same_infos(mine[name], value)
        elif name == "final_obs":
            for one, other in zip(mine[name], value, strict=True):
                assert (one is None) == (other is None)
                if one is not None:
                    assert all((one[key] == other[key]).all() for key in other)
        else:
            where = value if name.startswith("_") else yours[f"_{name}"]
            assert (mine[name][where] == value[where]).all(), name


def test_a_mixed_batch_plays_tables_of_two_to_eight_seats() -> None:
    tables = [Rules(players=n, max_pip=12, rounds=(12,)) for n in range(2, 9)]
    envs = ChickenFootVectorEnv(10, rules=tables, learner="rotating", autoreset_mode="same_step")
    assert [rules.players for rules in envs.rules] == [2, 3, 4, 5, 6, 7, 8, 2, 3, 4]
    alone = [ChickenFootVectorEnv(1, rules=rules, autoreset_mode="same_step") for rules in tables]
    observations, _infos = envs.reset(seed=1)
    firsts = [env.reset(seed=[1 + i])[0] for i, env in enumerate(alone)]
    assert (envs.seats[:7] == np.arange(7) % np.arange(2, 9)).all()
    assert (observations["observation"][0] == firsts[0]["observation"][0]).all()
    played = np.zeros(10, np.int64)
    for number in range(60):
        told = envs.step(legal(masks_of(observations), number))
        observations, infos = told[0], told[4]
        if "episode" in infos:
            ended = infos["_episode"]
            played += ended
            assert (
                infos["episode"]["players"][ended]
                == [envs.rules[i].players for i in np.flatnonzero(ended)]
            ).all()
    assert (played > 0).all()
    fixed = ChickenFootVectorEnv(7, rules=tables, learner=1, autoreset_mode="same_step")
    ours = fixed.reset(seed=1)[0]
    for i, rules in enumerate(tables):
        single = ChickenFootVectorEnv(1, rules=rules, learner=1)
        assert (single.reset(seed=1 + i)[0]["observation"][0] == ours["observation"][i]).all()


@pytest.mark.parametrize("learner", [1, "rotating", "random"])
def test_the_learners_seat(learner: Any) -> None:
    envs = ChickenFootVectorEnv(6, learner=learner, players=3, autoreset_mode="same_step", **ROUND)
    observations, _infos = envs.reset(seed=1)
    episode = np.zeros(6, np.int64)
    seen: list[set[int]] = [set() for _ in range(6)]
    for number in range(120):
        seats = envs.seats
        if learner == 1:
            assert (seats == 1).all()
        if learner == "rotating":
            assert (seats == (np.arange(6) + episode) % 3).all()
        for row, seat in enumerate(seats):
            seen[row].add(int(seat))
        views = envs.views()
        assert (views["turn"] == 0).all()
        assert (encode.features(views) == observations["observation"]).all()
        told = envs.step(legal(masks_of(observations), number))
        observations, infos = told[0], told[4]
        if "episode" in infos:
            ended = infos["_episode"]
            assert (infos["episode"]["seat"][ended] == seats[ended]).all()
            episode += ended
        episode += infos.get("skipped_episodes", 0)
    if learner != 1:
        assert all(seats == {0, 1, 2} for seats in seen)


def test_what_is_returned_does_not_change_later() -> None:
    envs = ChickenFootVectorEnv(4, autoreset_mode="same_step", **ROUND)
    observations, infos = envs.reset(seed=1)
    kept: list[Any] = [(observations, infos, envs.action_masks())]
    before = copy.deepcopy(kept)
    for number in range(12):
        told = envs.step(legal(masks_of(kept[-1][0]), number))
        kept.append((*told, envs.action_masks()))
        before.append(copy.deepcopy(kept[-1]))
    assert pickle.dumps(kept) == pickle.dumps(before)
    kept[-1][0]["action_mask"][:] = 1  # nor does what the caller writes reach the games
    with pytest.raises(ValueError, match="game 0: action 3 "):
        envs.step(np.array([3, 3, 3, 3]))


@pytest.mark.parametrize("mode", MODES)
def test_every_array_of_the_infos_has_memory_of_its_own(mode: str) -> None:
    envs = ChickenFootVectorEnv(40, autoreset_mode=mode, on_illegal="forfeit", **ROUND)
    envs.reset(seed=1)
    *_, terminations, _truncations, infos = envs.step(np.zeros(40, np.int64))
    assert terminations.any()
    kept = [envs._done.copy(), envs._illegal.copy()]
    found, left = [terminations], [infos]
    while left:
        for value in left.pop().values():
            (left if isinstance(value, dict) else found).append(value)
    assert all(array.flags.owndata and array.flags.c_contiguous for array in found)
    for array in found:
        array[:] = 1
    assert (kept[0] == envs._done).all()
    assert (kept[1] == envs._illegal).all()


def test_copy_false_fills_the_same_arrays() -> None:
    fast = ChickenFootVectorEnv(4, copy=False, **ROUND)
    slow = ChickenFootVectorEnv(4, **ROUND)
    mine, yours = fast.reset(seed=1)[0], slow.reset(seed=1)[0]
    features, masks = mine["observation"], fast.action_masks()
    for number in range(30):
        assert np.shares_memory(mine["observation"], features)
        assert np.shares_memory(mine["action_mask"], masks)
        assert all((mine[name] == yours[name]).all() for name in yours)
        actions = legal(masks_of(yours), number)
        mine, yours = fast.step(actions)[0], slow.step(actions)[0]


@pytest.mark.parametrize("observation", ["dict", "flat"])
@pytest.mark.parametrize("reward", ["points", "win"])
def test_everything_lies_in_its_space(observation: str, reward: str) -> None:
    envs = ChickenFootVectorEnv(5, observation=observation, reward=reward, rounds=(9,))
    observations, _infos = envs.reset(seed=1)
    for number in range(40):
        assert envs.observation_space.contains(observations)
        masks = envs.action_masks()
        assert masks.dtype == np.bool_
        assert masks.shape == (5, 102)
        if observation == "dict":
            assert (observations["action_mask"] == masks).all()
            assert observations["action_mask"].dtype == np.int8
            assert all(part.flags.c_contiguous for part in observations.values())
        else:
            assert observations.dtype == np.float32
        assert masks.any(axis=1).all()
        actions = legal(masks, number)
        assert envs.action_space.contains(actions)
        observations, rewards, terminations, truncations, _infos = envs.step(actions)
        assert rewards.dtype == np.float64
        assert terminations.dtype == truncations.dtype == np.bool_


def test_an_illegal_action_changes_no_game() -> None:
    envs, twin = ChickenFootVectorEnv(6, **ROUND), ChickenFootVectorEnv(6, **ROUND)
    observations, _infos = envs.reset(seed=1)
    twin.reset(seed=1)
    for number in range(20):
        actions = legal(masks_of(observations), number)
        wrong = actions.copy()
        wrong[4] = np.flatnonzero(~masks_of(observations)[4])[0]
        resting = (observations["action_mask"].sum(axis=1) == 1)[4]
        if not resting:
            with pytest.raises(ValueError, match=f"game 4: action {wrong[4]} .*; legal are ") as it:
                envs.step(wrong)
            assert "\n" not in str(it.value)
        told, wanted = envs.step(actions), twin.step(actions)
        absorbed = [pickle.dumps(each) for each in (told, wanted)]
        assert absorbed[0] == absorbed[1]
        observations = told[0]


@pytest.mark.parametrize("reward", ["points", "win"])
def test_a_forfeit_ends_its_game_alone(reward: str) -> None:
    keywords: dict[str, Any] = {"reward": reward, "rounds": (9, 8), "on_illegal": "forfeit"}
    envs, twin = ChickenFootVectorEnv(3, **keywords), ChickenFootVectorEnv(3, **keywords)
    observations, infos = envs.reset(seed=1)
    twin.reset(seed=1)
    assert infos["illegal_actions"].tolist() == [0, 0, 0]
    actions = legal(masks_of(observations), 0)
    wanted = twin.step(actions)
    actions[1] = -1
    observations, rewards, terminations, truncations, infos = envs.step(actions)
    assert terminations.tolist() == [False, True, False]
    assert not truncations.any()
    assert rewards.tolist() == [0.0, -FORFEIT_PIPS if reward == "points" else 0.0, 0.0]
    assert infos["illegal_actions"].tolist() == [0, 1, 0]
    assert infos["episode"]["r"][1] == rewards[1]
    assert infos["episode"]["l"][1] == 1
    assert infos["episode"]["rank"][1] == 4
    assert np.flatnonzero(observations["action_mask"][1]).tolist() == [101]
    others = [0, 2]
    assert (observations["observation"][others] == wanted[0]["observation"][others]).all()
    infos = envs.step(legal(masks_of(observations), 1))[4]
    assert infos["illegal_actions"].tolist() == [0, 0, 0]


def test_a_forfeit_keeps_what_was_earned_before() -> None:
    envs = ChickenFootVectorEnv(1, rounds=(9, 8), on_illegal="forfeit")
    observations, _infos = envs.reset(seed=1)
    earned = 0.0
    for number in range(200):
        observations, rewards, over, _truncations, _infos = envs.step(
            legal(masks_of(observations), number)
        )
        assert not over.any()
        earned += rewards[0]
        if earned:
            break
    rewards, _over, _truncations, infos = envs.step(np.array([-1]))[1:]
    assert rewards[0] == -FORFEIT_PIPS
    assert infos["episode"]["r"][0] == earned - FORFEIT_PIPS


def test_a_random_legal_action_takes_the_place_of_an_illegal_one() -> None:
    """The same one as at the table, and it counts."""
    keywords: dict[str, Any] = {"rounds": (9,), "on_illegal": "random_legal", "players": 3}
    envs = ChickenFootVectorEnv(2, opponents=GREEDY, **keywords)
    twins = [OneSeat(0, **keywords) for _ in range(2)]
    observations, _infos = envs.reset(seed=1)
    moments = [twin.reset(seed=1 + i) for i, twin in enumerate(twins)]
    for number in range(1, 5):
        observations, _rewards, over, _truncations, infos = envs.step(np.array([9999, -1]))
        moments = [twin.step(9999) for twin in twins]
        assert not over.any()
        assert infos["illegal_actions"].tolist() == [number, number]
        for i, moment in enumerate(moments):
            assert (observations["observation"][i] == moment.observation).all()


def test_max_cycles_truncates_at_a_decision() -> None:
    envs, free = ChickenFootVectorEnv(3, max_cycles=4), ChickenFootVectorEnv(3)
    observations, _infos = envs.reset(seed=1)
    free.reset(seed=1)
    for number in range(4):
        actions = legal(masks_of(observations), number)
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        wanted = free.step(actions)
        assert not terminations.any()
        assert truncations.all() == truncations.any() == (number == 3)
        assert (observations["observation"] == wanted[0]["observation"]).all()
        assert (rewards == wanted[1]).all()
    assert infos["episode"]["l"].tolist() == [4, 4, 4]
    assert (observations["action_mask"].sum(axis=1) == 1).all()
    assert not envs.step(actions)[3].any()


def test_what_was_earned_before_a_truncation_is_told() -> None:
    """Also where the last decision before it has brought something."""
    envs = ChickenFootVectorEnv(64, max_cycles=5)
    observations, _infos = envs.reset(seed=1)
    total = np.zeros(64)
    for number in range(5):
        observations, rewards, _over, truncations, infos = envs.step(
            legal(masks_of(observations), number)
        )
        total += rewards
    assert truncations.all()
    assert rewards.any()
    assert infos["episode"]["r"] == pytest.approx(total)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"num_envs": 0}, "num_envs=0: allowed are whole numbers from 1"),
        ({"num_envs": 2.0}, r"num_envs=2\.0: allowed"),
        ({"reward": "score"}, "reward='score': allowed are 'points', 'win'"),
        ({"episode": "match"}, "episode='match': allowed are 'game', 'round'"),
        ({"on_illegal": "ignore"}, "allowed are 'raise', 'forfeit', 'random_legal'"),
        ({"max_cycles": 0}, "max_cycles=0: allowed are whole numbers from 1, or None"),
        ({"learner": 4}, "learner=4: allowed are seats 0 to 3, 'rotating' and 'random'"),
        ({"learner": True}, "learner=True: allowed"),
        ({"learner": "all"}, "learner='all': allowed"),
        ({"observation": "image"}, "observation='image': allowed are 'dict', 'flat'"),
        ({"autoreset_mode": "never"}, "allowed are 'next_step', 'same_step', 'disabled'"),
        ({"copy": 2}, "copy=2: allowed are True, False"),
        ({"play_forced": None}, "play_forced=None: allowed are True, False"),
        ({"render_mode": "png"}, "allowed are None, 'ansi', 'svg', 'rgb_array', 'human'"),
        ({"opponents": "greedy"}, "opponents='greedy': wanted are agents"),
        ({"opponents": []}, "0 opponents: allowed are 1 to 100 agents, and None"),
        ({"opponents": type(GREEDY)}, "wanted are agents"),
        ({"players": 8}, "8 players x 7 tiles = 56 tiles, but a double-9 set has 55"),
        ({"seats": 4}, "no keyword 'seats'; there are rules, .*players.*autoreset_mode"),
        ({"rules": []}, "rules=.*: wanted are Rules objects"),
        ({"rules": "seed"}, "rules='seed': wanted is a Rules object"),
        ({"rules": [Rules(), None], "players": 3}, "both rules and players are given"),
        ({"rules": [Rules(), 3]}, "rules=3: wanted is a Rules object"),
        ({"rules": [Rules(), Rules(max_pip=6)]}, "max_pip 6 and 9: .*one max_pip"),
        (
            {"rules": [Rules(players=2), Rules()], "learner": 2},
            "learner=2: allowed are seats 0 to 1",
        ),
    ],
)
def test_a_wrong_keyword_is_named(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        ChickenFootVectorEnv(**keywords)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (np.zeros(2), r"actions are float64 of shape \(2,\): wanted are integers of shape \(2,\)"),
        (np.zeros(3, np.int64), r"shape \(3,\): wanted"),
        (np.zeros((2, 1), np.int64), r"shape \(2, 1\): wanted"),
        ([True, False], "actions are bool"),
        (None, "actions are object"),
    ],
)
def test_wrong_actions_are_named(actions: Any, message: str) -> None:
    envs = ChickenFootVectorEnv(2)
    envs.reset(seed=1)
    with pytest.raises(ValueError, match=message):
        envs.step(actions)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.int64, list])
def test_actions_of_any_integer_kind(kind: Any) -> None:
    envs = ChickenFootVectorEnv(2)
    actions = legal(masks_of(envs.reset(seed=1)[0]), 0)
    envs.step(actions.tolist() if kind is list else actions.astype(kind))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, "seed=-1: allowed are whole numbers from 0"),
        ({"seed": 1.5}, r"seed=1\.5: allowed"),
        ({"seed": "one"}, "seed='one': allowed"),
        ({"seed": [1, 2, 3]}, "3 seeds for 2 games"),
        ({"seed": [1, -1]}, "seed=-1: allowed"),
        ({"options": {"reset_mask": [True, False]}}, "reset_mask is list: wanted is a bool array"),
        ({"options": {"reset_mask": np.zeros(2)}}, "reset_mask is float64"),
        ({"options": {"reset_mask": np.zeros(2, bool)}}, r"0 True: wanted is \(2,\)"),
        ({"options": {"reset_mask": np.ones(3, bool)}}, r"shape \(3,\)"),
    ],
)
def test_a_wrong_reset_is_named_and_changes_nothing(
    arguments: dict[str, Any], message: str
) -> None:
    envs = ChickenFootVectorEnv(2)
    observations = envs.reset(seed=1)[0]
    with pytest.raises(ValueError, match=message):
        envs.reset(**arguments)
    mask = envs.action_masks()
    assert (mask == masks_of(observations)).all()
    envs.step(legal(mask, 0))


def test_before_a_reset_everything_asks_for_one() -> None:
    envs = ChickenFootVectorEnv(2, render_mode="ansi")
    for call in (
        lambda: envs.step(np.zeros(2, np.int64)),
        envs.render,
        envs.action_masks,
        envs.views,
        lambda: envs.seats,
    ):
        with pytest.raises(gymnasium.error.ResetNeeded, match="before reset"):
            call()
    with pytest.raises(ValueError, match="not all games have been dealt yet"):
        envs.reset(options={"reset_mask": np.array([True, False])})


def test_a_mask_resets_its_games_alone_in_any_mode() -> None:
    envs = ChickenFootVectorEnv(3, **ROUND)
    before = envs.reset(seed=1)[0]
    mask = np.array([False, True, False])
    options = {"reset_mask": mask}
    after = envs.reset(seed=50, options=options)[0]
    assert options == {"reset_mask": mask}
    assert (after["observation"][[0, 2]] == before["observation"][[0, 2]]).all()
    fresh = ChickenFootVectorEnv(3, **ROUND).reset(seed=50)[0]
    assert (after["observation"][1] == fresh["observation"][1]).all()


def test_unknown_reset_options_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    envs = ChickenFootVectorEnv(1)
    envs.reset(seed=1, options={"starter": 9})
    assert "starter" in caplog.text


class Faulty:
    """An agent that answers what it was told to, from its third question on."""

    def __init__(self, answer: Any) -> None:
        self.answer, self.left = answer, 2

    def act(self, views: NDArray[np.void], seeds: NDArray[np.uint64]) -> Any:
        self.left -= 1
        if self.left >= 0:
            return GREEDY.act(views, seeds)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer(views)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda views: np.full(len(views), -1), "opponent 'Faulty': action -1 "),
        (lambda views: np.zeros(len(views)), "opponent 'Faulty' answered with float64"),
        (lambda views: [0] * len(views), "opponent 'Faulty' answered with list"),
        (lambda views: np.zeros(len(views) + 1, np.int64), "answered .* views with shape"),
        (KeyError("lost"), "lost"),
    ],
)
def test_an_opponent_at_fault_breaks_off_the_step(answer: Any, message: str) -> None:
    envs = ChickenFootVectorEnv(4, opponents=Faulty(answer), players=2)
    with pytest.raises((ValueError, KeyError), match=message):
        for number in range(9):
            observations = envs.reset(seed=number)[0]
            envs.step(legal(masks_of(observations), 0))
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(np.zeros(4, np.int64))


def test_an_agent_may_be_shown_the_games_but_not_change_them() -> None:
    class Oracle:
        cheats = True

        def act(self, games: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
            actions = batch.legal_mask(games).argmax(axis=1)
            games["points"], games["over"] = 999, GAME_OVER
            return actions

    envs = ChickenFootVectorEnv(2, opponents=Oracle(), autoreset_mode="disabled", **ROUND)
    observations, _infos = envs.reset(seed=1)
    over = np.zeros(2, np.bool_)
    while not over.any():
        observations, _rewards, over, _truncations, infos = envs.step(
            legal(masks_of(observations), 0)
        )
    assert (infos["episode"]["points"] < 500).all()


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))]
)
@pytest.mark.parametrize("opponents", [None, GREEDY])
def test_a_copy_goes_on_alike_and_apart(duplicate: Any, opponents: Any) -> None:
    envs = ChickenFootVectorEnv(5, learner="random", opponents=opponents, copy=False, **ROUND)
    observations, _infos = envs.reset(seed=1)
    for number in range(7):
        observations = envs.step(legal(masks_of(observations), number))[0]
    twin = duplicate(envs)
    masks = masks_of(observations).copy()
    told: list[list[bytes]] = [[], []]
    for i, each in enumerate((envs, twin)):
        assert (each.action_masks() == masks).all()
        actions = legal(masks, 0)
        for number in range(40):
            parts = each.step(actions)
            told[i].append(b"".join(part.tobytes() for part in (*parts[0].values(), *parts[1:4])))
            actions = legal(masks_of(parts[0]), number)
        told[i].append(each.reset()[0]["observation"].tobytes())
    assert told[0] == told[1]


@pytest.mark.parametrize("id", ["ChickenFoot-v0", "chickenfoot_env:ChickenFoot-v0"])
def test_gymnasium_makes_it(id: str) -> None:
    envs = gymnasium.make_vec(id, num_envs=8, players=3, reward="win")
    assert type(envs.unwrapped) is ChickenFootVectorEnv
    assert envs.num_envs == 8
    assert envs.unwrapped.rules[0].players == 3
    assert envs.spec.id == "ChickenFoot-v0"
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert type(gymnasium.make_vec(id).unwrapped) is ChickenFootVectorEnv
    envs.reset(seed=1)
    envs.close()


def test_a_mode_is_given_by_name_or_as_gymnasiums_and_stays_with_its_environment() -> None:
    for mode in AutoresetMode:
        for given in (mode, mode.name.lower(), mode.value):
            envs = ChickenFootVectorEnv(1, autoreset_mode=given)
            assert envs.metadata["autoreset_mode"] is mode
    assert ChickenFootVectorEnv.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


def test_gymnasiums_statistics_agree_with_ours() -> None:
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(
        ChickenFootVectorEnv(4, **ROUND), stats_key="theirs"
    )
    observations, _infos = envs.reset(seed=1)
    ends = 0
    for number in range(40):
        told = envs.step(legal(masks_of(observations), number))
        observations, infos = told[0], told[4]
        if "theirs" in infos:
            ended = infos["_theirs"]
            ends += ended.sum()
            assert (ended == infos["_episode"]).all()
            for name in ("r", "l"):
                ours, theirs = infos["episode"][name][ended], infos["theirs"][name][ended]
                assert ours == pytest.approx(theirs, abs=1e-4)
    assert ends > 8


def test_rules_without_a_decision_are_found_out() -> None:
    """One tile each and none to draw: the search for a decision ends with an error."""
    keywords: dict[str, Any] = {
        **{"players": 2, "max_pip": 2, "hand_size": 1, "starter_arms": 2, "toes": 1},
        **{"starter_source": "set_aside", "lead_rule": "rotate", "boneyard_reserve": 3},
    }
    envs = ChickenFootVectorEnv(2, **keywords, **ROUND)
    with pytest.raises(RuntimeError, match="game 0: no decision in 10000 episodes in a row"):
        envs.reset(seed=1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.action_masks()
    ChickenFootVectorEnv(1, play_forced=False, **keywords).reset(seed=1)


def test_render_shows_every_board() -> None:
    envs = ChickenFootVectorEnv(2, render_mode="ansi", learner=1, **ROUND)
    observations, _infos = envs.reset(seed=1)
    boards = envs.render()
    assert boards is not None
    assert len(boards) == 2
    assert all("learner to act" in board and "> learner" in board for board in boards)
    assert max(len(line) for board in boards for line in board.splitlines()) <= 80
    seen = ""
    for number in range(40):
        observations = envs.step(legal(masks_of(observations), number))[0]
        seen += "".join(envs.render() or ())
    assert "over" in seen
    silent = ChickenFootVectorEnv(1)
    silent.reset(seed=1)
    with pytest.warns(UserWarning, match="give render_mode"):
        assert silent.render() is None


def test_pictures_of_random_play_are_those_of_random_agents() -> None:
    """And the games are the same with a picture as without."""
    keywords: dict[str, Any] = {"players": 3, "rounds": (9, 8), "autoreset_mode": "same_step"}
    envs = [
        ChickenFootVectorEnv(4, render_mode=mode, opponents=opponents, **keywords)
        for mode, opponents in (("svg", None), ("svg", make("random")), (None, None))
    ]
    masks = [masks_of(each.reset(seed=3)[0]) for each in envs]
    for number in range(60):
        assert (masks[0] == masks[1]).all() and (masks[0] == masks[2]).all()
        if number % 10 == 0:
            boards = envs[0].render()
            assert boards == envs[1].render()
            assert boards is not None
            games = envs[0]._episodes.games
            shown = Rules().tiles - games["hand_count"][:, BONEYARD]
            assert [board.count('<use href="#tile"/>') for board in boards] == shown.tolist()
        actions = legal(masks[0], number)
        masks = [masks_of(each.step(actions)[0]) for each in envs]


def test_pictures_say_who_learns_and_when_it_is_over() -> None:
    envs = ChickenFootVectorEnv(2, render_mode="svg", players=3, learner=1, max_cycles=1)
    observations, _infos = envs.reset(seed=1)
    for text in envs.render() or ():
        assert re.findall(r">(learner|seat \d)</text>", text) == ["seat 0", "learner", "seat 2"]
        assert "learner to act" in text
    envs.step(legal(masks_of(observations), 1))
    for text in envs.render() or ():
        assert ">over</text>" in text and "to act" not in text


def test_pixels_are_one_frame_a_game() -> None:
    envs = gymnasium.make_vec("ChickenFoot-v0", num_envs=2, render_mode="rgb_array", **ROUND)
    envs.reset(seed=1)
    frames = envs.render()
    assert isinstance(frames, tuple)
    assert [(frame.shape, frame.dtype) for frame in frames] == [((960, 1280, 3), np.uint8)] * 2
    assert (frames[0] != frames[1]).any()


def test_the_page_tells_the_truth() -> None:
    result = doctest.testmod(vector_env)
    assert result.attempted > 4
    assert result.failed == 0
    page = vector_env.__doc__ or ""
    for name in (*vector_env._KEYWORDS, "num_envs", "rules"):
        assert re.search(rf"^    {name}  ", page, re.MULTILINE), name
    envs = ChickenFootVectorEnv(1, on_illegal="forfeit", **TINY)
    observations, infos = envs.reset(seed=1)
    keys = {*infos}
    for number in range(40):
        told = envs.step(legal(masks_of(observations), number))
        observations = told[0]
        keys |= {*told[4]}
    assert {key for key in keys if key[0] != "_"} == {
        "episode",
        "illegal_actions",
        "skipped_episodes",
    }
    assert all(re.search(rf"^    {key}  ", page, re.MULTILINE) for key in keys if key[0] != "_")
    assert f"costs {FORFEIT_PIPS:.0f} pips" in page


def test_sampling_is_uniform_and_names_what_is_wrong() -> None:
    masks = np.zeros((6000, 7), np.bool_)
    masks[:, [1, 4, 6]] = True
    actions = sampling.sample(masks, np.arange(6000, dtype=np.uint64))
    counts = np.bincount(actions, minlength=7)
    assert counts[[0, 2, 3, 5]].sum() == 0
    assert (abs(counts[[1, 4, 6]] - 2000) < 200).all()
    assert (
        sampling.sample(masks[:9].view(np.int8), np.arange(9, dtype=np.uint64)) == actions[:9]
    ).all()
    masks[3] = False
    for bad, message in (
        (masks, "mask 3 has no legal action"),
        (masks.astype(float), "masks are float64"),
        (masks[0], r"masks have shape \(7,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            sampling.sample(bad, np.arange(6000, dtype=np.uint64))
    with pytest.raises(ValueError, match="3 seeds for 6000"):
        sampling.sample(masks, np.arange(3, dtype=np.uint64))


@pytest.mark.parametrize("reward", ["points", "win"])
@pytest.mark.parametrize("players", range(2, 9))
def test_in_any_seat_the_rewards_sum_to_the_result(players: int, reward: str) -> None:
    """Whoever acts last: seat i learns in game i."""
    max_pip = 12 if players > 6 else 9
    envs = ChickenFootVectorEnv(
        players, players=players, max_pip=max_pip, reward=reward, learner="rotating", rounds=(9, 4)
    )
    observations, _infos = envs.reset(seed=1)
    total, over = np.zeros(players), np.zeros(players, np.bool_)
    ended: set[int] = set()
    for number in range(120):
        total[over] = 0.0
        told = envs.step(legal(masks_of(observations), number))
        observations, rewards, over, _truncations, infos = told
        total += rewards
        for row in np.flatnonzero(over):
            game, seat = envs._episodes.games[row : row + 1], infos["episode"]["seat"][row]
            winners = batch.standings(game)[0] == 1
            shares = winners / winners.sum()
            wanted = batch.margins(game)[0] if reward == "points" else shares
            assert total[row] == pytest.approx(wanted[seat], abs=1e-9)
            assert infos["episode"]["r"][row] == pytest.approx(wanted[seat], abs=1e-9)
            ended.add(int(seat))
    assert ended == set(range(players))
