"""Recorded games for the tests of what shows them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import agents
from chickenfoot_env import batch
from chickenfoot_env.rules import Rules
from chickenfoot_env.transcript import Transcript
from experiments import game_file, match

SMALL = Rules(players=3, max_pip=6, hand_size=5, rounds=(6, 5))
NAMES = ("heuristic", "greedy", "random")


def games(
    rules: Rules = SMALL,
    names: Sequence[str] = NAMES,
    seeds: Sequence[int] = (1,),
    labels: Sequence[str] | None = None,
) -> list[Transcript]:
    """Games between the agents of these names; `labels` are put in their place on record."""
    dealt = batch.deal(rules, np.array(seeds, np.uint64), rules.private_stride)
    decisions: list[np.ndarray] = []
    line_up = [agents.make(name) for name in names]
    match.play(line_up, dealt, np.arange(len(dealt), dtype=np.uint64), decisions=decisions)
    return game_file.record_games(rules, dealt, decisions, [labels or names] * len(dealt))


def game(
    rules: Rules = SMALL,
    names: Sequence[str] = NAMES,
    seed: int = 1,
    labels: Sequence[str] | None = None,
) -> Transcript:
    """One such game."""
    (found,) = games(rules, names, (seed,), labels)
    return found
