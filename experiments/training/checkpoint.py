"""Checkpoints: all that a run needs to go on as if it had never stopped.

One file holds the networks, the optimizer, PyTorch's random state, the games with their books, the
pool and the counters. It is written beside the old one and then takes its place, so there is always
a whole one. It is read as plain tensors; nothing in it is executed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch

from agents.ppo.policy_file import Policy
from chickenfoot_env.books import BOOK
from chickenfoot_env.game import GAME
from chickenfoot_env.rules import MAX_PLAYERS

if TYPE_CHECKING:
    from agents.ppo.learner import SelfPlayPPO
    from agents.ppo.vec_env import SelfPlayVecEnv
    from experiments.training.pool import Pool

FORMAT: Final = 1
FILE: Final = "checkpoint.pt"


def save(
    path: Path, model: SelfPlayPPO, env: SelfPlayVecEnv, pool: Pool, counters: dict[str, Any]
) -> None:
    """Write a checkpoint, between two updates.

    Raises:
        OSError: if it cannot be written; the old one stays.
    """
    state = {
        "format": FORMAT,
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "random": torch.get_rng_state(),
        "decisions": model.num_timesteps,
        "updates": model._n_updates,
        "remaining": model._current_progress_remaining,
        "games": {name: _bytes(rows) for name, rows in env.state().items()},
        "pool": [
            {name: torch.from_numpy(array) for name, array in each.arrays.items()}
            for each in pool.snapshots
        ],
        "counters": counters,
    }
    aside = path.with_name(path.name + ".part")
    torch.save(state, aside)
    os.replace(aside, path)


def load(
    path: Path, model: SelfPlayPPO, env: SelfPlayVecEnv, pool: Pool, template: Policy
) -> dict[str, Any]:
    """Put all of a checkpoint in its place.

    Args:
        path: the file.
        model: made with the settings of the run.
        env: its games.
        pool: to be filled.
        template: what the snapshots have in common.

    Returns:
        The counters.

    Raises:
        ValueError: if it is no checkpoint of such a run.
    """
    try:
        state = torch.load(path, map_location=model.device, weights_only=True)
        if state["format"] != FORMAT:
            raise ValueError(f"format {state['format']}, readable is {FORMAT}")
        return _restore(state, model, env, pool, template)
    except Exception as error:  # a damaged file makes PyTorch raise all kinds
        told = " ".join(str(error).split())[:80]
        raise ValueError(f"{path} is no checkpoint of this run: {told}") from None


def _restore(
    state: dict[str, Any], model: SelfPlayPPO, env: SelfPlayVecEnv, pool: Pool, template: Policy
) -> dict[str, Any]:
    model.policy.load_state_dict(state["policy"])
    model.policy.optimizer.load_state_dict(state["optimizer"])
    dtypes = {"games": GAME, "books": BOOK, "worth": np.dtype((np.float64, (MAX_PLAYERS,)))}
    rows = {
        name: np.frombuffer(state["games"][name].cpu().numpy().tobytes(), dtype)
        for name, dtype in dtypes.items()
    }
    env.restore(rows)
    torch.set_rng_state(state["random"].cpu())
    model.num_timesteps, model._n_updates = state["decisions"], state["updates"]
    model._current_progress_remaining = state["remaining"]
    for arrays in state["pool"]:
        frozen = {name: array.cpu().numpy() for name, array in arrays.items()}
        pool.add(template._replace(arrays=frozen))
    counters: dict[str, Any] = state["counters"]
    return counters


def _bytes(rows: np.ndarray[Any, Any]) -> torch.Tensor:
    return torch.from_numpy(np.frombuffer(rows.tobytes(), np.uint8).copy())
