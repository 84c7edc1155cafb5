"""What is random follows from the seed, from nothing else, in every process."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils.wrappers import OrderEnforcingWrapper
from playing import absorb, play, turns

from chickenfoot_env import batch, chickenfoot_v0

STREAMS = (  # keywords, games
    ({"players": 3, "rounds": (9,)}, 50),
    ({"players": 2, "max_pip": 6, "drawn_tile": "must", "reward": "win", "rounds": (6, 5)}, 50),
    ({"players": 6, "episode": "round", "on_illegal": "random_legal"}, 50),
)


def fresh(**keywords: Any) -> Any:
    return chickenfoot_v0.raw_env(players=3, rounds=(9,), **keywords)


def test_many_games_are_the_same_in_every_process() -> None:
    code = (
        "import json, sys, playing; "
        "print(json.dumps([playing.stream_digest(k, n, 77) for k, n in json.loads(sys.argv[1])]))"
    )
    runs = []
    for hash_seed in ("0", "1", "random"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *sys.path])
        done = subprocess.run(
            [sys.executable, "-c", code, json.dumps(STREAMS)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        runs.append(json.loads(done.stdout))
    assert runs[0] == runs[1] == runs[2]
    assert len(set(runs[0])) == len(STREAMS)


def test_a_seed_deals_the_same_game_as_the_batch() -> None:
    env = fresh()
    for seed in (0, 1, 2**64 - 1, np.int64(5)):
        env.reset(seed=seed)
        game = batch.deal(env.rules, np.array([seed], np.uint64))
        assert env._episode.games.tobytes() == game.tobytes()


def test_resets_without_a_seed_deal_anew_and_follow_from_the_last_seed() -> None:
    def deals(seed: int, count: int) -> list[bytes]:
        env = fresh()
        env.reset(seed=seed)
        found = [env.view("player_0").tobytes()]
        for _ in range(count - 1):
            env.reset()
            found.append(env.view("player_0").tobytes())
        return found

    for seed in (0, 1):
        assert deals(seed, 6) == deals(seed, 6)
        assert len(set(deals(seed, 6))) == 6
    assert not set(deals(0, 6)) & set(deals(1, 6))


def test_the_deal_does_not_depend_on_how_far_the_last_episode_was_played(
    rng: np.random.Generator,
) -> None:
    one, other = fresh(), fresh()
    one.reset(seed=4)
    other.reset(seed=4)
    play(other, rng, limit=20)
    one.reset()
    other.reset()
    assert one.get_state() == other.get_state()


def test_seed_0_is_a_seed_and_no_seed_is_none() -> None:
    one, other = fresh(), fresh()
    one.reset(seed=0)
    other.reset(seed=0)
    assert one.get_state() == other.get_state()
    unseeded = set()
    for _ in range(4):
        env = fresh()
        env.reset()
        unseeded.add(env.view("player_0").tobytes())
    assert len(unseeded) == 4


def test_a_wrapper_that_resets_between_episodes_gets_new_deals() -> None:
    env = OrderEnforcingWrapper(fresh())
    env.reset(seed=0)
    first = env.view("player_0").tobytes()
    env.reset(seed=None)
    assert env.view("player_0").tobytes() != first


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1"])
def test_a_seed_out_of_range_is_named(seed: Any) -> None:
    env = fresh()
    with pytest.raises(ValueError, match=r"seed=.*allowed are whole numbers from 0 to 2\*\*64 - 1"):
        env.reset(seed=seed)


def test_the_global_generators_are_neither_used_nor_touched(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    def poison(*_: Any, **__: Any) -> None:
        raise AssertionError("a global generator was used")

    before = random.getstate(), np.random.get_state()[1].tobytes()
    for name in ("random", "randint", "choice", "shuffle", "seed", "getrandbits"):
        monkeypatch.setattr(random, name, poison)
    for name in ("random", "randint", "choice", "shuffle", "seed", "permutation", "rand"):
        monkeypatch.setattr(np.random, name, poison)
    env = chickenfoot_v0.env(players=3, rounds=(9, 8), on_illegal="random_legal")
    env.reset(seed=1)
    play(env, rng)
    env.reset()
    env.unwrapped.step(-1)
    assert (random.getstate(), np.random.get_state()[1].tobytes()) == before


def test_the_starter_of_a_single_round_is_drawn_evenly_from_those_of_the_rules() -> None:
    env = chickenfoot_v0.raw_env(players=2, rounds=(9, 5, 0), episode="round")
    starters = []
    for seed in range(300):
        env.reset(seed=seed)
        starters.append(int(env.view("player_0")["starter"][0]))
        assert env.view("player_0")["rounds"][0] == 1
    counts = [starters.count(pip) for pip in (9, 5, 0)]
    assert sum(counts) == 300
    assert min(counts) > 70


def test_a_known_game_is_still_the_same() -> None:
    # Agents, masks, rewards and flags of one game of first legal actions.
    digest = hashlib.sha256()
    env = chickenfoot_v0.raw_env(players=4)
    env.reset(seed=2024)
    for agent in env.agent_iter():
        _, reward, termination, truncation, info = env.last(observe=False)
        absorb(digest, [agent, reward, termination, truncation, info])
        env.step(None if termination else int(np.argmax(info["action_mask"])))
    assert digest.hexdigest()[:16] == "e2da439a341134d6"


def test_turns_of_two_environments_do_not_mix() -> None:
    streams = []
    for together in (False, True):
        one, other = fresh(), fresh()
        one.reset(seed=1)
        other.reset(seed=2)
        second = turns(other, np.random.default_rng(2))
        stream = []
        for turn in turns(one, np.random.default_rng(1)):
            stream.append((turn.agent, turn.reward, turn.observation["observation"].tobytes()))
            if together:
                next(second, None)
        streams.append(stream)
    assert streams[0] == streams[1]
