"""A game between a person and agents, wherever the person sits.

What an agent does follows from the game's seed and the position, so a game that is taken up again,
or played again from an earlier position, goes on as it would have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

import agents
from agents import Agent
from chickenfoot_env import batch, chance, view
from chickenfoot_env.rules import Rules
from chickenfoot_env.transcript import Transcript
from experiments import match
from experiments.replay.story import YOU, Step, Story

PERSON: Final = "human"  # the name in the record of whoever plays
_DECISIONS: Final = 1  # what seeds of decisions are derived for


class SessionError(ValueError):
    """A game that cannot be played; the message says what would be allowed."""


class Session:
    """A game that stands where the person is to choose, or is over.

    Attributes:
        seat: where the person sits.
        story: the game so far.
    """

    def __init__(self, story: Story, line_up: Sequence[str]) -> None:
        """Play on to the person's next choice.

        Args:
            story: a game just dealt, or one to go on with.
            line_up: the name of the agent in each seat, PERSON for the one that is not an agent's.

        Raises:
            SessionError: if there is not exactly one person.
            AgentError: for an agent that there is not.
        """
        if list(line_up).count(PERSON) != 1:
            raise SessionError(
                f"line-up {', '.join(line_up) or 'unknown'}: wanted is one seat of a {PERSON}, and "
                "an agent in each other"
            )
        self.seat = list(line_up).index(PERSON)
        self.story = story
        self._line_up = tuple(line_up)
        self._agents: list[Agent | None] = [
            None if name == PERSON else agents.make(name) for name in line_up
        ]
        self._play_on()

    @classmethod
    def begin(cls, rules: Rules, against: Sequence[str], seat: int, seed: int) -> Session:
        """A new game against these agents, who sit clockwise from the seat behind the person's.

        Raises:
            SessionError: for a seat that there is not, or as many agents as the rules are not for.
            AgentError: for an agent that there is not.
        """
        if len(against) != rules.players - 1:
            raise SessionError(
                f"{len(against)} agents for {rules.players} seats, one of them yours"
            )
        if not 0 <= seat < rules.players:
            raise SessionError(f"seat {seat}: there are seats 0 to {rules.players - 1}")
        line_up = [PERSON, *against]
        line_up = [line_up[(place - seat) % rules.players] for place in range(rules.players)]
        return cls(Story(rules, seed, 0), line_up)

    @classmethod
    def resume(cls, transcript: Transcript) -> Session:
        """Go on with a recorded game.

        Raises:
            SessionError: if no seat of it is a person's.
            AgentError: for an agent in it that there is not.
        """
        return cls(Story.of(transcript), transcript.line_up)

    @property
    def names(self) -> tuple[str, ...]:
        """What the seats are called."""
        return tuple(
            YOU if name == PERSON else f"{name} ({seat})" if self._is_twice(name) else name
            for seat, name in enumerate(self._line_up)
        )

    @property
    def now(self) -> Step:
        """The position."""
        return self.story.steps[-1]

    @property
    def is_over(self) -> bool:
        """Whether the game is."""
        return self.now.to_act is None

    @property
    def transcript(self) -> Transcript:
        """The record of the game so far."""
        return self.story.transcript(self._line_up)

    def choices(self) -> list[int]:
        """What the person may do, ascending; nothing when the game is over."""
        return [] if self.is_over else legal(self.now)

    def choose(self, action: int) -> None:
        """Take one of the choices, and play on to the next.

        Raises:
            SessionError: if it is none of them.
        """
        if action not in self.choices():
            raise SessionError(f"action {action}: allowed now are {self.choices()}")
        self.story.take(action)
        self._play_on()

    def undo(self) -> bool:
        """Go back to the person's choice before this one; False if there was none."""
        before = [step.ply for step in self.story.steps if self._is_choice(step)]
        earlier = [ply for ply in before if ply < len(self.story.actions)]
        if not earlier:
            return False
        game = self.story
        self.story = Story(game.rules, game.seed, game.draw_stride, game.actions[: earlier[-1]])
        return True

    def _is_twice(self, name: str) -> bool:
        return self._line_up.count(name) > 1

    def _play_on(self) -> None:
        while not self.is_over and not self._is_choice(self.now):
            self.story.take(self._decide(self.now))

    def _is_choice(self, step: Step) -> bool:
        """Whether the person is to choose: not to draw or pass for want of anything else."""
        if step.to_act != self.seat:
            return False
        actions = legal(step)
        return len(actions) > 1 or actions[0] < self.story.rules.draw

    def _decide(self, step: Step) -> int:
        actions = legal(step)
        agent = self._agents[step.to_act or 0]
        if len(actions) == 1 or agent is None:
            return actions[0]
        seats = np.array([step.to_act])
        asked = step.game.copy() if match.cheats(agent) else view.observe(step.game, seats)
        seeds = chance.derive(np.array([self.story.seed], np.uint64), _DECISIONS, step.ply)
        return int(agent.act(asked, seeds)[0])


def legal(step: Step) -> list[int]:
    """The legal actions in a position, ascending."""
    found: list[int] = np.flatnonzero(batch.legal_mask(step.game)[0]).tolist()
    return found
