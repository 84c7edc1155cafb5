"""Advice for a choice: what a search makes of each action, and what can be said of it in words.

Both come from what the seat to act may see alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

import agents
from agents.base import Evaluator
from chickenfoot_env import view
from chickenfoot_env.game import tiles_of
from chickenfoot_env.rules import Rules
from chickenfoot_env.tiles import HIGH, LOW
from experiments import match
from experiments.playing.session import SessionError, legal
from experiments.replay import story, values
from experiments.replay.story import Step

ADVISER: Final = "mcts"


@dataclass(frozen=True)
class Hint:
    """What is said of one action.

    Attributes:
        action: the action.
        value: the margin that the adviser expects of the round, in pips; None: it was not asked,
            as there is no choice.
        reasons: what can be said for and against it.
    """

    action: int
    value: float | None
    reasons: tuple[str, ...]


def hints(step: Step, rules: Rules, names: Sequence[str], adviser: str = ADVISER) -> list[Hint]:
    """Advice for the seat to act; the best action first.

    Args:
        step: the position.
        rules: of the game.
        names: of the seats.
        adviser: an agent that gives values, and sees no hidden tiles.

    Raises:
        SessionError: if the adviser gives no values, or sees hidden tiles.
        AgentError: if there is no such agent.
    """
    judge = check_adviser(adviser)
    found = values.of_step(step, judge)
    actions = sorted(legal(step), key=lambda action: -found.get(action, 0.0))
    return [Hint(a, found.get(a), tuple(reasons(step, a, rules, names))) for a in actions]


def check_adviser(spec: str) -> Evaluator:
    """The agent of this spec, if it can advise.

    Raises:
        SessionError: if it gives no values, or sees hidden tiles.
        AgentError: if there is no such agent.
    """
    adviser = agents.make(spec)
    if not isinstance(adviser, Evaluator) or match.cheats(adviser):
        raise SessionError(f"agent {spec!r} gives no advice; mcts and flat_mc do")
    return adviser


def reasons(step: Step, action: int, rules: Rules, names: Sequence[str]) -> Iterator[str]:
    """What can be said for and against an action of the seat to act, each in a few words."""
    if action == rules.draw:
        yield "it may bring a tile that fits"
    elif action == rules.pass_:
        yield "keeps all tiles"
    else:
        yield from _of_play(step, divmod(action, rules.pips), rules, names)


def _of_play(
    step: Step, play: tuple[int, int], rules: Rules, names: Sequence[str]
) -> Iterator[str]:
    seat = step.to_act or 0
    (seen,) = view.observe(step.game, np.array([seat]))
    attach, free = play
    hand = [(int(LOW[tile]), int(HIGH[tile])) for tile in tiles_of(seen["hand"], rules.max_pip)]
    rest = [tile for tile in hand if tile != (min(play), max(play))]
    if not rest:
        yield "goes out"
        return
    yield f"sheds {_count(points(play, rules), 'point')}"
    fitting = sum(free in tile for tile in rest)
    if attach == free:
        toes = "toe" if rules.toes == 1 else "toes"
        yield f"then {rules.toes} {toes} on the {free} must follow, you have {fitting}"
    elif fitting:
        yield f"you have {_count(fitting, 'tile')} more for the {free}"
    else:
        yield f"you have nothing for the {free}"
    lacking = [
        names[other]
        for other in range(rules.players)
        if other != seat and story.evidence(step, other).get(free) == 0
    ]
    if lacking:
        yield f"no {free} with {' and '.join(lacking)}"
    if seen["ends"][attach] == 1 and attach != free:
        yield f"closes the last {attach}"


def points(tile: tuple[int, int], rules: Rules) -> int:
    """What holding a tile costs at the end of a round (R18)."""
    one, other = tile
    if one == other == 0:
        return rules.double_blank_points
    return one + other + rules.blank_half_points * (0 in tile)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
