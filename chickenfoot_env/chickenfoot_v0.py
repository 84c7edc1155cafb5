"""Version 0 of the environment: `chickenfoot_v0.env(...)`, `chickenfoot_v0.raw_env(...)`."""

from __future__ import annotations

from typing import Any

from chickenfoot_env.env import env, raw_env

__all__ = ["env", "raw_env"]


def __getattr__(name: str) -> Any:
    if name == "parallel_env":
        raise AttributeError(
            "Chicken Foot is played turn by turn, so there is no parallel_env: use "
            "chickenfoot_v0.env for one game, chickenfoot_env.vector_env and "
            "chickenfoot_env.self_play for many at once"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
