"""What an agent thinks of the choices that came up in a game."""

from __future__ import annotations

from typing import Final

import numpy as np

import agents
from agents.base import Evaluator
from chickenfoot_env import batch, chance, view
from chickenfoot_env.transcript import Transcript
from experiments import match
from experiments.replay.story import Step

OWN: Final = "own"  # each seat is asked about its own choices
_THOSE_THAT_DO: Final = "those that search do, such as mcts or flat_mc"


class ValuesError(ValueError):
    """An agent that cannot be asked; one line that says why."""


def judges(spec: str, transcript: Transcript, seat: int | None = None) -> list[Evaluator | None]:
    """Who is asked about the choices of each seat.

    Args:
        spec: of one agent for all, or OWN for the agents named in the line-up, so far as they say
            what they think; "" for nobody.
        transcript: the game.
        seat: the one whose view all that is said must come from; None: hidden tiles may show.

    Raises:
        ValuesError: if the agent does not say what it thinks, or with OWN none of them does; or if
            it sees hidden tiles that must not show.
        AgentError: if there is no such agent.
    """
    seats = transcript.rules.players
    if not spec:
        return [None] * seats
    if spec != OWN:
        judge = agents.make(spec)
        if not isinstance(judge, Evaluator):
            raise ValuesError(f"agent {spec!r} gives no values; {_THOSE_THAT_DO}")
        _check_sight(judge, seat)
        return [judge] * seats
    made = {name: _made(name) for name in sorted({*transcript.line_up})}
    found = [made[name] for name in transcript.line_up]
    if seat is not None and found:
        _check_sight(found[seat], seat)
    if not any(found):
        who = ", ".join(transcript.line_up) or "nobody"
        raise ValuesError(f"no agent of the line-up ({who}) gives values; {_THOSE_THAT_DO}")
    return found


def _check_sight(judge: Evaluator | None, seat: int | None) -> None:
    if seat is not None and judge is not None and match.cheats(judge):
        raise ValuesError(
            f"agent {judge.name!r} sees hidden tiles, which seat {seat} did not: leave out --seat, "
            "or ask another"
        )


def _made(name: str) -> Evaluator | None:
    """The agent of this name, "#2" behind it or not, if it is one that says what it thinks."""
    try:
        agent = agents.make(name.partition("#")[0])
    except agents.AgentError:
        return None
    return agent if isinstance(agent, Evaluator) else None


def of_step(step: Step, judge: Evaluator) -> dict[int, float]:
    """The value of each action for the seat to act; nothing where it has no choice."""
    if step.to_act is None or batch.legal_mask(step.game).sum() < 2:
        return {}
    seats = np.array([step.to_act])
    asked = step.game.copy() if match.cheats(judge) else view.observe(step.game, seats)
    seeds = chance.derive(np.zeros(1, np.uint64), step.ply)
    (values,) = judge.values(asked, seeds)
    return {int(action): float(values[action]) for action in np.flatnonzero(~np.isnan(values))}
