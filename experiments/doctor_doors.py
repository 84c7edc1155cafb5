"""Every door gone through: a few steps of a game by each library that is installed.

`python -m experiments.doctor_doors NAME` goes through one of them in a process of its own and
prints what it did as JSON in its last line, so that a crash or a hang stops nothing else.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

STEPS: Final = 40  # of each door


@dataclasses.dataclass(frozen=True)
class Door:
    """One way to play.

    Attributes:
        name: what it is called.
        library: the distribution behind it.
        extra: what of chickenfoot[...] installs it; "" if it is always there.
        modules: what has to be importable.
        go_through: plays a few steps and returns what there is to tell, as JSON can hold it.
    """

    name: str
    library: str
    extra: str
    modules: tuple[str, ...]
    go_through: Callable[[], Mapping[str, Any]]

    def missing(self) -> list[str]:
        """The modules that are not installed."""
        return [name for name in self.modules if importlib.util.find_spec(name) is None]


def _core() -> Mapping[str, Any]:
    """The batch core, and where its machine code comes from."""
    began = time.perf_counter()
    import numpy as np

    from chickenfoot_env import Rules, batch, encode, jit, view

    games = batch.deal(Rules(), np.arange(4, dtype=np.uint64))
    for _ in range(STEPS):
        batch.step(games, batch.legal_mask(games).argmax(axis=1))
    encode.features(view.observe(games, games["seat"]))
    batch.random_playout(games, np.arange(4, dtype=np.uint64))
    seconds = time.perf_counter() - began
    compiled = [one for one in vars(batch).values() if getattr(one, "signatures", None)]
    return {
        "steps": STEPS,
        "seconds": round(seconds, 2),  # from the first import on
        "compilation": not jit.COMPILATION_OFF,
        "cache": next((one.stats.cache_path for one in compiled), None),
        "from_cache": bool(compiled)
        and not any(sum(one.stats.cache_misses.values()) for one in compiled),
    }


def _pettingzoo() -> Mapping[str, Any]:
    from chickenfoot_env import chickenfoot_v0

    env: Any = chickenfoot_v0.env()
    env.reset(seed=1)
    for agent in env.agent_iter(STEPS):
        observation, *_ = env.last()
        env.step(env.action_space(agent).sample(observation["action_mask"]))
    return {"steps": STEPS}


def _gymnasium() -> Mapping[str, Any]:
    import gymnasium
    import numpy as np

    import chickenfoot_env
    from chickenfoot_env import chance, sampling

    envs = gymnasium.make_vec(chickenfoot_env.GYMNASIUM_ID, num_envs=4)
    observations, _ = envs.reset(seed=1)
    seeds = np.arange(4, dtype=np.uint64)
    for number in range(STEPS):
        masks = observations["action_mask"]
        observations, *_ = envs.step(sampling.sample(masks, chance.derive(seeds, number)))
    return {"steps": STEPS}


def _stable_baselines() -> Mapping[str, Any]:
    import numpy as np

    from chickenfoot_env.doors.stable_baselines import ChickenFootVecEnv

    envs = ChickenFootVecEnv(4, players=4)
    envs.seed(1)
    envs.reset()
    for _ in range(STEPS):
        envs.step(np.stack(envs.env_method("action_masks")).argmax(axis=1))
    return {"steps": STEPS}


def _rllib() -> Mapping[str, Any]:
    from chickenfoot_env.doors.rllib import ChickenFootMultiAgentEnv

    env = ChickenFootMultiAgentEnv({"players": 4})
    observations, _ = env.reset(seed=1)
    for _ in range(STEPS):
        observations, *_ = env.step(
            {agent: seen["action_mask"].argmax() for agent, seen in observations.items()}
        )
    return {"steps": STEPS}


def _torchrl() -> Mapping[str, Any]:
    import torch

    from chickenfoot_env.doors.torchrl import make_env, own_steps

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    own_steps(make_env(players=4, seed=1).rollout(STEPS))
    return {"steps": STEPS, "torch_threads": threads}


def _openspiel() -> Mapping[str, Any]:
    import pyspiel

    import chickenfoot_env.doors.openspiel

    state = pyspiel.load_game(chickenfoot_env.doors.openspiel.NAME).new_initial_state()
    steps = 0
    while steps < STEPS and not state.is_terminal():
        steps += not state.is_chance_node()
        state.apply_action(state.legal_actions()[0])
    return {"steps": steps}


def _torch() -> Mapping[str, Any]:
    """No door, but what learns behind them."""
    import torch

    threads = torch.get_num_threads()
    torch.nn.Linear(4, 4)(torch.zeros(1, 4)).sum().backward()
    return {"torch_threads": threads}


CORE: Final = Door("batch core", "numba", "", ("numba", "numpy"), _core)
TORCH: Final = Door("PyTorch", "torch", "train", ("torch",), _torch)
DOORS: Final = (
    Door("PettingZoo", "pettingzoo", "", ("pettingzoo",), _pettingzoo),
    Door("Gymnasium", "gymnasium", "", ("gymnasium",), _gymnasium),
    Door(
        "Stable-Baselines3",
        "stable-baselines3",
        "train",
        ("stable_baselines3", "sb3_contrib", "torch"),
        _stable_baselines,
    ),
    Door("RLlib", "ray", "ray", ("ray", "tree", "pyarrow", "torch"), _rllib),
    Door("TorchRL", "torchrl", "torchrl", ("torchrl", "tensordict", "torch"), _torchrl),
    Door("OpenSpiel", "open-spiel", "solve", ("pyspiel", "open_spiel"), _openspiel),
)
ALL: Final = (CORE, TORCH, *DOORS)


if __name__ == "__main__":
    told = next(door for door in ALL if door.name == sys.argv[1]).go_through()
    print(json.dumps(dict(told)))
