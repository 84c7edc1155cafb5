"""How a search agent plays a sampled world on: one simple policy for all seats, to the round's end.

Choices without chance (greedy, heuristic) make a playout of a world the same whenever it is played.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from agents import greedy_agent, heuristic_agent, random_agent
from agents.base import AgentError
from chickenfoot_env import kernels
from chickenfoot_env.chance import fold
from chickenfoot_env.game import BONEYARD, PLAYING
from chickenfoot_env.jit import Record, part, whole

RANDOM, GREEDY, HEURISTIC = 0, 1, 2
POLICIES: Final = ("random", "greedy", "heuristic")  # by the numbers above


def policy_number(agent: str, name: str) -> int:
    """The number of a policy.

    Raises:
        AgentError: for an unknown one; `agent` is for the message.
    """
    if name not in POLICIES:
        raise AgentError(f"rollout={name!r} of {agent}: allowed are {', '.join(POLICIES)}")
    return POLICIES.index(name)


@part
def play_on(g: Record, policy: int, stream: np.uint64) -> None:
    """Play the round to its end, all seats by the policy.

    Args:
        g: a GAME record; no next round is dealt.
        policy: RANDOM, GREEDY or HEURISTIC.
        stream: what random choices follow from.
    """
    ply = whole(0)
    while g.over == PLAYING:
        kernels.apply(g, choose(g, policy, fold(stream, ply)))
        ply += 1


@part
def choose(g: Record, policy: int, stream: np.uint64) -> int:
    """What the policy does for the seat to act."""
    hand, boneyard = g.held[g.seat], g.hand_count[BONEYARD]
    if policy == HEURISTIC:
        return heuristic_agent.choose(g, hand, boneyard)
    if policy == GREEDY:
        return greedy_agent.choose(g, hand, boneyard)
    return random_agent.choose(g, hand, boneyard, stream)


@part
def earned(g: Record, before: Record, seat: int) -> float:
    """The seat's margin in the round: the others' mean points in it less its own, in pips.

    Args:
        g: a GAME record whose round is over.
        before: the same game while it was played.
        seat: 0 to N - 1.
    """
    total, mine = whole(0), whole(g.points[seat]) - whole(before.points[seat])
    for other in range(g.players):
        total += whole(g.points[other]) - whole(before.points[other])
    return float((total - mine) / (g.players - 1.0) - mine)
