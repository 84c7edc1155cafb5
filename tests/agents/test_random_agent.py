"""The random agent is uniform over the legal actions."""

import numpy as np
import pytest
from scipy import stats

import agents
from chickenfoot_env import notation, view


@pytest.mark.parametrize(
    "position",
    [
        "OPEN | 3 8 | 1-2 3-8 / 1-1 | 5-5 | 0 drawn",  # two plays, or keep what was drawn
        "OPEN | 0 3 8 | 0-1 0-3 3-4 3-8 3-9 8-8 / 1-1 | 5-5 | 0",
        "FOOT 3/2 | 8 | 3-4 3-8 8-8 / 1-1 | 5-5 | 0",
    ],
)
def test_every_legal_action_is_equally_likely(position: str) -> None:
    games = notation.parse_position(position)
    views = view.observe(games, games["seat"])
    seeds = np.arange(10_000, dtype=np.uint64)  # neighbours, the hardest seeds to tell apart
    actions = agents.make("random").act(np.repeat(views, len(seeds)), seeds)
    legal = np.flatnonzero(view.legal_mask(views)[0])
    counts = np.bincount(actions, minlength=legal.max() + 1)[legal]
    assert counts.sum() == len(seeds)
    assert stats.chisquare(counts).pvalue > 0.01
