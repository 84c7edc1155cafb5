"""A slow twin of the vector environment: one seat of a PettingZoo table, one game at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents import make
from chickenfoot_env import batch
from chickenfoot_env.env import ChickenFootEnv

GREEDY = make("greedy")


class Moment(NamedTuple):
    """What the learner is told."""

    observation: NDArray[np.float32]
    mask: NDArray[np.int8]
    reward: float
    over: bool


class OneSeat:
    """A table where the greedy agent plays for all seats but one."""

    def __init__(
        self, seat: int, play_forced: bool = True, opponent: Any = GREEDY, **keywords: Any
    ) -> None:
        self.env = ChickenFootEnv(**keywords)
        self.seat, self.name = seat, f"player_{seat}"
        self._play_forced, self._opponent = play_forced, opponent
        self._paid = 0.0
        self.skipped = 0

    def reset(self, seed: int | None = None) -> Moment:
        self.env.reset(seed=seed)
        self.skipped, self._paid = 0, 0.0
        while not self._reaches_the_learner():
            self.skipped += 1
            self.env.reset()
        return self._moment(pay=False)

    def step(self, action: int) -> Moment:
        self.env.step(action)
        self._reaches_the_learner()
        return self._moment(pay=True)

    @property
    def points(self) -> int:
        return int(self.env._episode.games["points"][0, self.seat])

    @property
    def rank(self) -> int:
        return int(batch.standings(self.env._episode.games)[0, self.seat])

    def _reaches_the_learner(self) -> bool:
        while not self.env.is_over:
            legal = np.flatnonzero(self.env.action_masks())
            mine = self.env.agent_selection == self.name
            if mine and not (self._play_forced and len(legal) == 1):
                return True
            action = int(legal[0])
            if len(legal) > 1:
                view = self.env.view(self.env.agent_selection)
                action = int(self._opponent.act(view, np.zeros(1, np.uint64))[0])
            self.env.step(action)
        return False

    def _moment(self, pay: bool) -> Moment:
        seen = self.env.observe(self.name)
        earned = self.env.returns()[self.seat] - self._paid
        if pay:
            self._paid += earned
        return Moment(
            seen["observation"], seen["action_mask"], earned if pay else 0.0, self.env.is_over
        )
