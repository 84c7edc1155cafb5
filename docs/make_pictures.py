"""Writes docs/images/board.svg: a round in which heuristic agents fill a chicken foot."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import agents
from chickenfoot_env import chickenfoot_v0

IMAGES = Path(__file__).parent / "images"
SEED = 110  # one of those with several feet, one of them unfinished
STEPS = 24  # draws and passes are some of them


def board() -> str:
    """The text of docs/images/board.svg."""
    env = chickenfoot_v0.raw_env(players=4, render_mode="svg")
    env.reset(seed=SEED)
    agent = agents.make("heuristic")
    for number in range(STEPS):
        view = env.view(env.agent_selection)
        env.step(int(agent.act(view, np.array([number], np.uint64))[0]))
    return str(env.render())


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / "board.svg").write_text(board(), encoding="utf-8")
