"""Asking an agent about a position written as text."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import agents
from chickenfoot_env import notation, view
from chickenfoot_env.rules import Rules


@pytest.fixture
def choice() -> Callable[[str, str], str]:
    """What the named agent does in a position of the double-nine game, as text."""

    def choose(name: str, position: str, **rules: Any) -> str:
        two_seats = Rules(**{"players": 2, **rules})
        games = notation.parse_position(position, two_seats)
        views = view.observe(games, games["seat"])
        action = agents.make(name).act(views, np.zeros(1, np.uint64))[0]
        return notation.format_action(int(action), two_seats)

    return choose
