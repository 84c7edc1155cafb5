"""Tables for the lockstep: games of all sets and seat counts, by many rules."""

from __future__ import annotations

import random
from collections.abc import Iterator

from core.lockstep import Table

from chickenfoot_env.rules import DRAWN_TILE, MAX_PLAYERS, Rules
from chickenfoot_env.tiles import set_size


def some_rules(chance: random.Random, max_pip: int, players: int, drawn_tile: str) -> Rules:
    """Rules with these values and random others, short rounds and odd games among them."""
    most = set_size(max_pip) // players
    hand_size = chance.choice([min(7, most), max(1, most - 1), most, chance.randint(1, most)])
    rounds = tuple(chance.randint(0, max_pip) for _ in range(chance.randint(1, 2 + 16 // max_pip)))
    arms = [min(4, max_pip), 1, min(6, max_pip), chance.randint(1, max_pip)]
    return Rules(
        players=players,
        max_pip=max_pip,
        hand_size=hand_size,
        starter_arms=chance.choice(arms),
        toes=chance.randint(1, min(3, max_pip - 1)),
        drawn_tile=drawn_tile,
        double_blank_points=chance.choice([50, 25, 0, 1000]),
        rounds="all_doubles" if max_pip <= 9 and chance.random() < 0.1 else rounds,
    )


def some_tables(chance: random.Random, max_pip: int) -> Iterator[Table]:
    """A game for every number of seats and every rule for the drawn tile."""
    for players in range(2, min(MAX_PLAYERS, set_size(max_pip)) + 1):
        for drawn_tile in DRAWN_TILE:
            rules = some_rules(chance, max_pip, players, drawn_tile)
            private = rules.private_stride
            stride = chance.choice([0, private, private, chance.randint(0, private)])
            yield Table(rules, chance.getrandbits(64), stride)
