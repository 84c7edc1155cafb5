"""What a decision begins with."""

import numpy as np

from agents import search, tree
from agents.playout import HEURISTIC
from chickenfoot_env import notation, view
from chickenfoot_env.jit import records
from chickenfoot_env.rules import Rules


def test_a_decision_depends_on_no_endgame_solved_before() -> None:
    position = "OPEN | 0 5 | 0-0 5-6 5-9 0-7 / 5-8 0-1 0-3 5-7 | - | 0"
    games = notation.parse_position(position, Rules(players=2))
    views = records(view.observe(games, games["seat"]))
    room = search.make_room(12)
    method = search.Method(HEURISTIC, tree.NONE, 12, True)
    count = search.look(views, 0, method, room)
    assert search.simulate(room, method, True, count, np.uint64(1), 0, 1)
    assert room.endgame.memo["kind"].any()
    search.look(views, 0, method, room)
    assert not room.endgame.memo["kind"].any()
