"""Tables for the lockstep: games of all sets and seat counts, by all rules and all presets."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from core.lockstep import Table

from chickenfoot_env.presets import PRESETS
from chickenfoot_env.rules import CHOICES, MAX_PLAYERS, Rules, RulesError
from chickenfoot_env.tiles import set_size


def some_choices(chance: random.Random, aside_fits: bool) -> dict[str, Any]:
    """A random choice for every rule that has names, those changed that do not go together."""
    chosen: dict[str, Any] = {name: chance.choice(allowed) for name, allowed in CHOICES.items()}
    chosen["starter_uses_turn"] = chance.random() < 0.5
    if chosen["starter_source"] == "set_aside":
        if not aside_fits or chance.random() < 0.5:
            chosen["starter_source"] = "hands"
        else:
            chosen["starter_rule"] = "descending"
            if chosen["lead_rule"] == "starter_holder":
                chosen["lead_rule"] = chance.choice(["lot", "rotate", "random"])
    if chosen["draw_count"] == "until_playable" and chosen["drawn_tile"] == "no":
        chosen["drawn_tile"] = chance.choice(["may", "must"])
    return chosen


def some_rounds(chance: random.Random, max_pip: int, starter_rule: str) -> str | tuple[int, ...]:
    """Mostly a few rounds with any starters; not more than there are doubles to open them."""
    if max_pip <= 9 and chance.random() < 0.1:
        once = starter_rule == "highest_unplayed_held"
        return "all_doubles" if once or max_pip > 6 else "down_and_up"
    most = min(2 + 16 // max_pip, max_pip + 1)
    return tuple(chance.randint(0, max_pip) for _ in range(chance.randint(1, most)))


def some_rules(chance: random.Random, max_pip: int, players: int) -> Rules:
    """Rules for this set and table, all others random; short rounds and odd games among them."""
    tiles = set_size(max_pip)
    chosen = some_choices(chance, players < tiles)
    tiles -= chosen["starter_source"] == "set_aside"
    most = tiles // players
    hand_size = chance.choice([min(7, most), max(1, most - 1), most, chance.randint(1, most)])
    left = tiles - players * hand_size
    arms = [min(4, max_pip), 1, min(6, max_pip), chance.randint(1, max_pip)]
    return Rules(
        players=players,
        max_pip=max_pip,
        hand_size=hand_size,
        boneyard_reserve=chance.choice([0, 0, min(left, 1), min(left, chance.randint(0, 9))]),
        starter_arms=chance.choice(arms),
        toes=chance.randint(1, min(3, max_pip - 1)),
        last_double_points=chance.choice([50, 0, chance.randint(1, 1000)]),
        double_blank_points=chance.choice([50, 25, 0, 1000]),
        blank_half_points=chance.choice([0, 25, chance.randint(1, 1000)]),
        rounds=some_rounds(chance, max_pip, chosen["starter_rule"]),
        target_points=chance.choice([None, None, 1, chance.randint(2, 300)]),
        **chosen,
    )


def some_table(chance: random.Random, rules: Rules) -> Table:
    """A game with a random seed, its boneyard shared or with private places to draw from."""
    private = rules.private_stride
    stride = chance.choice([0, private, private, chance.randint(0, private)])
    return Table(rules, chance.getrandbits(64), stride)


def some_tables(chance: random.Random, max_pip: int) -> Iterator[Table]:
    """Two games of random rules for every number of seats."""
    for players in range(2, min(MAX_PLAYERS, set_size(max_pip)) + 1):
        for _ in range(2):
            yield some_table(chance, some_rules(chance, max_pip, players))


def preset_rules() -> Iterator[tuple[str, Rules]]:
    """Every preset, by its name, for every number of players that it covers."""
    for name in PRESETS:
        for players in range(2, MAX_PLAYERS + 1):
            try:
                yield name, Rules.preset(name, players=players)
            except RulesError:  # the preset is not for so many
                continue
