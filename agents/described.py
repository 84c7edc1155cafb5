"""What a view says, by names, as JSON can hold it. `docs/protocol.md` explains each of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from chickenfoot_env import notation
from chickenfoot_env.game import GAME_OVER, NO_PIP, RULE_FIELDS, UNKNOWN, tiles_of
from chickenfoot_env.rules import CHOICES


def described(view: np.void) -> dict[str, Any]:
    """One VIEW record as JSON values; lists by seat begin with the observer and go clockwise."""
    pips, players = int(view["max_pip"]) + 1, int(view["players"])
    foot = int(view["foot"])
    return {
        "rules": _rules(view),
        "over": bool(view["over"] == GAME_OVER),
        "round": int(view["round"]),
        "starter": int(view["starter"]),
        "hand": _tiles(view["hand"], pips - 1),
        "table": _tiles(view["laid"], pips - 1),
        "ends": view["ends"][:pips].tolist(),
        "foot": None if foot == NO_PIP else foot,
        "owed": int(view["owed"]),
        "has_drawn": bool(view["has_drawn"]),
        "passes": int(view["passes"]),
        "boneyard": int(view["boneyard"]),
        "hand_counts": view["hand_count"][:players].tolist(),
        "at_most": [
            [None if bound == UNKNOWN else bound for bound in seat[:pips]]
            for seat in view["drawn_since"][:players].tolist()
        ],
        "points": view["points"][:players].tolist(),
        "zero_rounds": view["zero_rounds"][:players].tolist(),
        "best_rounds": view["best_round"][:players].tolist(),
        "opened": [pip for pip in range(pips) if int(view["opened"]) >> pip & 1],
    }


def _rules(view: np.void) -> dict[str, Any]:
    """The rules as `Rules` names them, but for rounds, their number, and target_points, 0: none."""
    values = {name: int(view[name]) for name, _ in RULE_FIELDS}
    return {name: CHOICES[name][n] if name in CHOICES else n for name, n in values.items()}


def _tiles(rows: Any, max_pip: int) -> list[str]:
    return [notation.format_tile(tile) for tile in tiles_of(rows, max_pip)]
