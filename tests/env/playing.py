"""How the tests of the environment play: variants, random legal play, positions, digests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from chickenfoot_env import notation, saved_state
from chickenfoot_env.env import ChickenFootEnv

VARIANTS: dict[str, dict[str, Any]] = {
    "2 seats": {"players": 2},
    "4 seats": {},
    "7 seats": {"players": 7, "rounds": (9, 0)},
    "8 seats, double-twelve": {"players": 8, "max_pip": 12, "rounds": (12, 11)},
    "12 seats, double-eighteen": {"players": 12, "max_pip": 18, "rounds": (18,)},
    "must": {
        "players": 3,
        "max_pip": 6,
        "hand_size": 5,
        "starter_arms": 6,
        "toes": 2,
        "drawn_tile": "must",
    },
    "no": {"max_pip": 6, "hand_size": 5, "drawn_tile": "no", "double_blank_points": 0},
    "win": {"players": 3, "reward": "win", "rounds": (9, 8)},
    "one round": {"players": 5, "episode": "round"},
    "forfeit": {"on_illegal": "forfeit", "rounds": (4,)},
    "random legal": {"on_illegal": "random_legal", "rounds": (9, 8)},
    "cut short": {"max_cycles": 77},
    "ones": {"mask_idle": "ones", "rounds": (9,)},
}


class Turn(NamedTuple):
    """What an agent was told when it was asked for an action."""

    agent: str
    observation: dict[str, Any]
    reward: float
    termination: bool
    truncation: bool
    info: dict[str, Any]


def turns(env: Any, rng: np.random.Generator, limit: int = 10**9) -> Iterator[Turn]:
    """Play uniformly random legal actions to the end, or `limit` of them; yield before each."""
    for agent in env.agent_iter(limit):
        turn = Turn(agent, *env.last())
        yield turn
        done = turn.termination or turn.truncation
        env.step(None if done else pick(turn.observation["action_mask"], rng))


def pick(mask: Any, rng: np.random.Generator) -> int:
    """A uniformly random action of the mask."""
    return int(rng.choice(np.flatnonzero(mask)))


def play(env: Any, rng: np.random.Generator, limit: int = 10**9) -> list[Turn]:
    """All of `turns`."""
    return list(turns(env, rng, limit))


def place(env: ChickenFootEnv, position: str) -> None:
    """Put the environment, once reset, in the position written as text."""
    state = saved_state.from_bytes(env.get_state(), env.rules, env.settings)
    game = notation.parse_position(position, env.rules)
    state["game"], state["selection"] = game, game["seat"]
    env.set_state(saved_state.to_bytes(state, env.settings))


def act(env: ChickenFootEnv, *actions: str) -> None:
    """Take actions written as text."""
    for action in actions:
        env.step(notation.parse_action(action, env.rules))


def absorb(digest: Any, value: Any) -> None:
    """Feed any part of a turn to a hash, its type included."""
    if isinstance(value, dict):
        for key, part in value.items():
            digest.update(key.encode())
            absorb(digest, part)
    elif isinstance(value, np.ndarray):
        digest.update(f"{value.dtype}{value.shape}".encode())
        digest.update(value.tobytes())
    elif isinstance(value, (tuple, list)):
        for part in value:
            absorb(digest, part)
    else:
        digest.update(f"{type(value).__name__} {value!r}".encode())


def stream_digest(keywords: dict[str, Any], games: int, seed: int) -> str:
    """A hash of everything that an environment tells over many games."""
    env, rng, digest = ChickenFootEnv(**keywords), np.random.default_rng(seed), hashlib.sha256()
    for game in range(games):
        env.reset(seed=seed if game == 0 else None)
        for turn in turns(env, rng):
            absorb(digest, turn)
            absorb(digest, env.rewards)
    return digest.hexdigest()
