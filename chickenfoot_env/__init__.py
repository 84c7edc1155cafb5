"""Chicken Foot, the domino game, as an environment for reinforcement learning and search.

    from chickenfoot_env import chickenfoot_v0

    env = chickenfoot_v0.env(players=4)

The environment's page is the docstring of `chickenfoot_env.env`; the rules are on the first page
of `chickenfoot_env.rules`. Importing this package registers the environment with PettingZoo, and,
with one learning seat, with Gymnasium:

    gymnasium.make("ChickenFoot-v0")                    # see chickenfoot_env.single_env
    gymnasium.make_vec("ChickenFoot-v0", num_envs=8)    # see chickenfoot_env.vector_env
"""

from __future__ import annotations

import importlib
from typing import Any, Final

import gymnasium

from chickenfoot_env.rules import Rules, RulesError

__version__ = "0.1.0"

ID: Final = "chickenfoot_env/chickenfoot-v0"  # for pettingzoo.make("aec", ID)
GYMNASIUM_ID: Final = "ChickenFoot-v0"  # for gymnasium.make and gymnasium.make_vec
_ON_FIRST_USE: Final = (  # modules that need the compiler, which takes long to import
    "batch",
    "bits",
    "books",
    "chance",
    "chickenfoot_v0",
    "dealing",
    "decisions",
    "encode",
    "env",
    "episodes",
    "game",
    "kernels",
    "notation",
    "opponents",
    "placing",
    "sampling",
    "self_play",
    "single_env",
    "tiles",
    "trajectories",
    "transcript",
    "vector_env",
    "view",
    "worlds",
)

__all__ = ["GYMNASIUM_ID", "ID", "Rules", "RulesError", "__version__", *_ON_FIRST_USE]


def __getattr__(name: str) -> Any:
    if name in _ON_FIRST_USE:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_FIRST_USE})


def _register() -> None:
    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            GYMNASIUM_ID,
            entry_point="chickenfoot_env.single_env:ChickenFootSingleEnv",
            vector_entry_point="chickenfoot_env.vector_env:ChickenFootVectorEnv",
        )
    try:
        from pettingzoo import aec_registry, register
    except ImportError:  # PettingZoo has a registry from 1.27 on
        return
    if ID not in aec_registry:
        register("aec", id=ID, entry_point="chickenfoot_env.chickenfoot_v0:env")


_register()
