"""How long a game can be and how much can be won, proved from its rules.

Letters: N seats, T tiles of the set, B of them in the boneyard after the deal.

**Actions of a round.** The starter lies on the table, and when the round ends at least N - 1
seats have a tile: at most T - N plays. Each of the B tiles is drawn at most once, and a seat that
drew may end its turn with a pass, unless the draw itself has ended it. Other passes stand between
two plays or draws, before the first or behind the last. A seat that may not decline to draw passes
so only when nothing can be drawn; the round is over if then nobody has a play, so there are at most
N - 1 in a row, and with T - N plays at most T - N + 1 such rows. A seat that may decline to draw
can do so at any time, but N in a row end the round.

**Points of a round.** A seat gets at most its hand and the whole boneyard, the others together at
most their hands and the boneyard. The cheapest double that can be the starter is on the table.
Whoever goes out pays a penalty at most, and then holds nothing.
"""

from __future__ import annotations

import numpy as np

from chickenfoot_env import batch
from chickenfoot_env.doors import openspiel_core
from chickenfoot_env.jit import records
from chickenfoot_env.rules import Rules
from chickenfoot_env.tiles import tile_id


def actions_in_round(rules: Rules) -> int:
    """The most actions that the seats can take in one round."""
    plays = rules.tiles - rules.players
    draws = rules.boneyard
    passes = 0 if rules.drawn_tile == "no" else draws
    if rules.draw_when_stuck == "may":
        rows, extra = plays + draws + 1, 1
    else:
        rows, extra = plays + 1, 0
    return plays + draws + passes + rows * (rules.players - 1) + extra


def chance_in_round(rules: Rules) -> int:
    """The most chance nodes in one round: tiles dealt, tiles drawn, and up to two lots."""
    lots = (rules.lead_rule in ("lot", "random")) + (rules.hunt_first == "random")
    return rules.players * rules.hand_size + rules.boneyard + lots


def round_points(rules: Rules) -> int:
    """More than a seat's points of one round can be."""
    return max(sum(_tile_points(rules)), rules.last_double_points) + 1


def utilities(rules: Rules) -> tuple[float, float]:
    """The least and the most that a seat can win: the others' mean points less its own."""
    lowest = highest = 0.0
    others = rules.players - 1
    for pip in rules.starters:
        known = rules.starter_rule == "descending" and rules.starter_missing != "next_lower_held"
        starter = _starter_points(rules, pip if known else None)
        own = _dearest(rules, starter, rules.hand_size + rules.boneyard)
        theirs = _dearest(rules, starter, others * rules.hand_size + rules.boneyard)
        if rules.last_double == "penalty":
            own = max(own, rules.last_double_points)
            theirs += rules.last_double_points
        lowest -= own
        highest += theirs / others
    return lowest, highest


def _tile_points(rules: Rules) -> list[int]:
    points = np.zeros(rules.tiles, np.int64)
    openspiel_core.tile_points(records(batch.undealt(rules, 1)), points)
    return [int(worth) for worth in points]


def _starter_points(rules: Rules, pip: int | None) -> int:
    """What the starter on the table would cost; None: the cheapest double."""
    points = _tile_points(rules)
    pips = range(rules.pips) if pip is None else [pip]
    return min(points[tile_id(double, double)] for double in pips)


def _dearest(rules: Rules, starter: int, count: int) -> int:
    """The cost of the `count` dearest tiles but for one, which costs `starter`."""
    points = sorted(_tile_points(rules), reverse=True)
    points.remove(starter)
    return sum(points[:count])
