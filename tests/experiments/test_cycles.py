"""Circles: agents that beat one another in turn."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from experiments.statistics.cycles import alpha_rank, cycles

CIRCLE = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])


def test_a_circle_is_found_beside_those_that_are_in_none() -> None:
    """3 beats everybody; 0, 1 and 2 beat one another; 4 is beaten."""
    beats = [(3, 0), (3, 1), (3, 2), (0, 1), (1, 2), (2, 0), (0, 4)]
    assert cycles(beats, 5) == [[0, 1, 2]]


def test_two_circles_are_told_apart() -> None:
    assert cycles([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3)], 6) == [
        [0, 1, 2],
        [3, 4, 5],
    ]


@pytest.mark.parametrize("beats", [[], [(0, 1)], [(0, 1), (1, 2), (0, 2)]])
def test_an_order_is_no_circle(beats: list[tuple[int, int]]) -> None:
    assert cycles(beats, 3) == []


def test_alpha_rank_gives_a_circle_equal_shares_and_a_best_agent_all() -> None:
    pytest.importorskip("open_spiel")
    np.testing.assert_allclose(alpha_rank(CIRCLE), [1 / 3] * 3, atol=1e-6)
    best = alpha_rank(np.array([[0.0, 1.0, 2.0], [-1.0, 0.0, 1.0], [-2.0, -1.0, 0.0]]))
    assert best[0] > 0.99


def test_alpha_rank_without_openspiel_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("open_spiel", "open_spiel.python", "open_spiel.python.egt"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ValueError, match=r"pip install 'chickenfoot\[solve\]'"):
        alpha_rank(CIRCLE)
