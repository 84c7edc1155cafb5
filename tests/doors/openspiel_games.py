"""Games of the OpenSpiel door that its tests play."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pyspiel

from chickenfoot_env.doors import openspiel
from chickenfoot_env.rules import Rules

TINY = "max_pip=2,players=2,toes=1"
GAMES = {  # parameters by what is particular about them
    "default": "",
    "two rounds": "players=3,rounds=2",
    "whole game": "players=2,rounds=0,max_pip=3,hand_size=2,starter_arms=2,toes=1",
    "lot, set aside": "preset=wikipedia,players=2,rounds=2",
    "random lead, reserve": "preset=gamerules,players=5",
    "redeal": "players=2,starter_missing=redeal,rounds=2",
    "redeal, any double": "starter_rule=highest_held,starter_missing=redeal,max_pip=6,hand_size=3",
    "random hunter": "players=3,hunt_first=random,rounds=2",
    "highest tile": "preset=onlinedominogames,players=3",
    "drawing together": "preset=docslib,players=9",
    "until playable": "preset=htfbw_until,players=3",
    "declining": "preset=puremco,players=5",
    "drawing ends the turn": "preset=ourpastimes_pass,players=2",
    "first stuck": "preset=nathanlong,players=4",
    "penalty": "preset=hcherndon_house,players=3,rounds=3",
    "forbidden": "players=2,last_double=forbidden,max_pip=4,hand_size=3",
    "target": "players=2,rounds=3,target_points=40",
    "twelve seats": "preset=seed_large,players=12",
    "one tile": f"{TINY},hand_size=1,starter_arms=1,rounds=2",
}


def load(parameters: str) -> Any:
    """The game with these parameters."""
    return pyspiel.load_game(f"{openspiel.NAME}({parameters})")


def random_states(game: Any, chance: random.Random) -> Iterator[Any]:
    """One random game, the same state after each step, the first and the last included."""
    state = game.new_initial_state()
    yield state
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, odds = zip(*state.chance_outcomes(), strict=True)
            action = chance.choices(outcomes, odds)[0]
        else:
            action = chance.choice(state.legal_actions())
        state.apply_action(action)
        yield state


def all_states(state: Any) -> Iterator[Any]:
    """Every state that can follow, this one first."""
    yield state
    if not state.is_terminal():
        for action in state.legal_actions():
            yield from all_states(state.child(action))


def parameters_of(rules: Rules, rounds: int) -> str:
    """The parameters of a game by these rules, with so many rounds from the highest starter."""
    words = [f"players={rules.players},rounds={rounds}"]
    for name, value in rules.differences().items():
        if name not in ("players", "rounds"):
            words.append(f"{name}={int(value) if isinstance(value, bool) else value}")
    return ",".join(words)
