"""The parameters of the OpenSpiel game, and the rules that they ask for.

OpenSpiel wants a default of one type for each parameter, so that "as the preset has it" is a value:
"preset" for a choice and -1 for a number.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from chickenfoot_env.rules import CHOICES, Rules, RulesError

AS_PRESET: Final = "preset"  # a choice that is left as the preset has it
AS_PRESET_NUMBER: Final = -1  # likewise a number
_FIELDS: Final = [field.name for field in dataclasses.fields(Rules)]
PARAMETERS: Final[dict[str, int | str]] = {
    "preset": "seed",
    "players": Rules.players,
    "rounds": 1,
    "starter": AS_PRESET_NUMBER,
    **{
        name: AS_PRESET if name in CHOICES else AS_PRESET_NUMBER
        for name in _FIELDS
        if name not in ("players", "rounds")
    },
}


def choose_rules(parameters: dict[str, Any]) -> Rules:
    """The rules that the game's parameters ask for.

    Raises:
        RulesError: if they cannot be played.
    """
    chosen = {**PARAMETERS, **parameters}
    preset, players = chosen.pop("preset"), chosen.pop("players")
    rounds, starter = chosen.pop("rounds"), chosen.pop("starter")
    changes = {
        name: value for name, value in chosen.items() if value not in (AS_PRESET, AS_PRESET_NUMBER)
    }
    if "starter_uses_turn" in changes:
        changes["starter_uses_turn"] = _switch("starter_uses_turn", changes["starter_uses_turn"])
    if changes.get("target_points") == 0:
        changes["target_points"] = None
    rules = Rules.preset(preset, players=players, **changes)
    starters = rules.starters
    first = 0
    if starter != AS_PRESET_NUMBER:
        if rules.starter_rule != "descending":
            raise RulesError(f"starter={starter} with starter_rule={rules.starter_rule!r}")
        if starter not in starters:
            raise RulesError(f"starter={starter}: allowed are {', '.join(map(str, starters))}")
        first = starters.index(starter)
    left = len(starters) - first
    if not 0 <= rounds <= left:
        raise RulesError(f"rounds={rounds}: allowed are 1 to {left}, or 0 for all of them")
    if first == 0 and rounds == 0:
        return rules
    return dataclasses.replace(rules, rounds=starters[first:][: rounds or left])


def _switch(name: str, value: int) -> bool:
    if value not in (0, 1):
        raise RulesError(f"{name}={value}: allowed are 0, 1, or -1 for what the preset says")
    return value == 1
