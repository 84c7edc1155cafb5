"""Who plays the seats that do not learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import batch, notation, view

LEARNER, RANDOM, FIRST_AGENT = 0, 1, 2  # who plays a seat; further agents have higher numbers
MOST: Final = 100  # agents at most


class Agent(Protocol):
    """A decision maker, such as `agents.make` returns."""

    def act(self, views: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """One legal action for each view: (B,) VIEW and (B,) uint64 to (B,) integers.

        Row i of the answer depends on row i of the arguments alone.
        """


Line: TypeAlias = Agent | Sequence[Agent] | None


class Opponents:
    """The agents that play for the seats behind the learner's, clockwise, over and over.

    None stands for uniformly random legal play, which needs no agent and is the fastest.

    Attributes:
        line: (K,) int64, RANDOM or FIRST_AGENT + index of the agent, for those seats.

    Raises:
        ValueError: for what is no agent.
    """

    def __init__(self, line: Line) -> None:
        given = [] if line is None else list(line) if isinstance(line, Sequence) else [line]
        if line is not None and not 1 <= len(given) <= MOST:
            raise ValueError(f"{len(given)} opponents: allowed are 1 to {MOST} agents, and None")
        for agent in given:
            if isinstance(agent, type) or not callable(getattr(agent, "act", None)):
                raise ValueError(
                    f"opponents={str(line)[:60]!r}: wanted are agents, such as "
                    "agents.make('greedy'), or None for random play"
                )
        self._agents = list({id(agent): agent for agent in given}.values())
        indices = [[a is b for a in self._agents].index(True) for b in given]
        self.line = np.array([FIRST_AGENT + i for i in indices] or [RANDOM], np.int64)

    def __bool__(self) -> bool:
        """Whether there is an agent to ask."""
        return bool(self._agents)

    def answers(
        self, games: NDArray[np.void], waits_for: NDArray[np.int64], seeds: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Ask every agent once, for all the games that wait for it.

        Args:
            games: (B,) GAME, that agents cannot change.
            waits_for: (B,) int64, FIRST_AGENT + index of the agent.
            seeds: (B,) uint64, one for each decision.

        Returns:
            (B,) int64 legal actions.

        Raises:
            ValueError: for an answer of another kind, or one that is not legal.
        """
        actions = np.zeros(len(games), np.int64)
        for index, agent in enumerate(self._agents):
            rows = np.flatnonzero(waits_for == FIRST_AGENT + index)
            if len(rows) > 0:
                actions[rows] = _asked(agent, games[rows], seeds[rows])
        return actions


def _asked(
    agent: Agent, games: NDArray[np.void], seeds: NDArray[np.uint64]
) -> NDArray[np.integer[Any]]:
    shown = games.copy()
    if not getattr(agent, "cheats", False):
        shown = view.observe(games, games["seat"].astype(np.int64))
    chosen = agent.act(shown, seeds)
    name = getattr(agent, "name", type(agent).__name__)
    if not isinstance(chosen, np.ndarray) or chosen.dtype.kind not in "iu":
        what = chosen.dtype if isinstance(chosen, np.ndarray) else type(chosen).__name__
        raise ValueError(f"opponent {name!r} answered with {what}: wanted is an int64 array")
    if chosen.shape != games.shape:
        raise ValueError(
            f"opponent {name!r} answered {len(games)} views with shape {chosen.shape}: wanted is "
            f"{games.shape}"
        )
    legal = batch.legal_mask(games)
    known = (chosen >= 0) & (chosen < legal.shape[1])
    good = known & legal[np.arange(len(games)), np.where(known, chosen, 0)]
    if not good.all():
        wrong = int(np.argmin(good))
        reason = notation.explain_illegal(games[wrong], int(chosen[wrong]))
        raise ValueError(f"opponent {name!r}: {reason}")
    return chosen
