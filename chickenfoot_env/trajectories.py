"""What each seat has gone through: its own decisions, from one to its own next one.

In a stretch of self-play the decisions of the seats are interleaved, tick by tick. Here each is
tied to the same seat's next one in the same episode, so that no seat is credited with, and no value
is bootstrapped from, what another one sees. B games, T steps, F features, A actions; row t * B + i
stands for game i at tick t.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.jit import compiled
from chickenfoot_env.self_play import Tick

NONE: Final = -1  # `next_row` of a decision that is not followed by another


@dataclasses.dataclass(frozen=True)
class Trajectories:
    """T steps of B games, and T + 1 ticks.

    A decision is complete once its reward is known: its seat has come to another decision, or its
    episode has ended. The last ones of a stretch are not, and cannot be learned from yet.

    Attributes:
        ticks: T + 1.
        seat: ((T + 1) * B,) int64.
        action: (T * B,) int64.
        reward: (T * B,) float64, earned from this decision to the seat's next one or the end of
            the episode; 0 where that is not known.
        next_row: (T * B,) int64, the row of the seat's next decision in the episode, or NONE.
        terminated: (T * B,) bool, whether there is none because the episode has ended.
        games: B.
    """

    ticks: Sequence[Tick]
    seat: NDArray[np.int64]
    action: NDArray[np.int64]
    reward: NDArray[np.float64]
    next_row: NDArray[np.int64]
    terminated: NDArray[np.bool_]
    games: int

    @functools.cached_property
    def observation(self) -> NDArray[np.float32]:
        """Of every tick: ((T + 1) * B, F), put together when first asked for."""
        return np.concatenate([tick.observation for tick in self.ticks])

    @functools.cached_property
    def action_mask(self) -> NDArray[np.bool_]:
        """The same of the legal actions: ((T + 1) * B, A)."""
        return np.concatenate([tick.action_mask for tick in self.ticks])

    @functools.cached_property
    def order(self) -> NDArray[np.int64]:
        """The rows by game, then seat, then time, each stream in one piece: (T * B,)."""
        rows = np.arange(len(self.action))
        return np.lexsort((rows, self.seat[: len(rows)], rows % self.games))

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Whether the reward and what followed are known: (T * B,) bool."""
        known: NDArray[np.bool_] = self.terminated | (self.next_row != NONE)
        return known

    @property
    def next_observation(self) -> NDArray[np.float32]:
        """What the seat sees at its next decision, 0 if it has none: (T * B, F), a large copy."""
        following = self.observation[self.next_row]
        following[self.next_row == NONE] = 0.0
        return following

    def stream(self, game: int, seat: int) -> NDArray[np.int64]:
        """The rows of one seat's decisions in one game, in order, over all its episodes."""
        mine = (self.order % self.games == game) & (self.seat[self.order] == seat)
        rows: NDArray[np.int64] = self.order[mine]
        return rows


def trajectories(ticks: Sequence[Tick], actions: Sequence[NDArray[np.int64]]) -> Trajectories:
    """Tie the decisions of a stretch of self-play together.

    Args:
        ticks: T + 1 in a row, of an environment with copy=True; the first may be the last one of an
            earlier stretch.
        actions: T, those taken at all ticks but the last: (B,) int64 each.

    Raises:
        ValueError: if there is not one tick more than actions, or the ticks share their memory.
    """
    if len(ticks) != len(actions) + 1 or not actions:
        raise ValueError(
            f"{len(ticks)} ticks and {len(actions)} actions: wanted are actions, and one tick more"
        )
    if ticks[0].observation is ticks[1].observation:
        raise ValueError("the ticks share their memory: wanted are those made with copy=True")
    seat = np.stack([tick.seat for tick in ticks])
    steps, games = len(actions), seat.shape[1]
    reward = np.zeros(steps * games)
    next_row = np.full(steps * games, NONE, np.int64)
    terminated = np.zeros(steps * games, np.bool_)
    _tie(
        seat,
        np.stack([tick.reward for tick in ticks]),
        np.stack([tick.ended for tick in ticks]),
        np.stack([tick.final_reward for tick in ticks]),
        reward,
        next_row,
        terminated,
    )
    return Trajectories(
        ticks=ticks,
        seat=seat.reshape(-1),
        action=np.concatenate(list(actions)).astype(np.int64),
        reward=reward,
        next_row=next_row,
        terminated=terminated,
        games=games,
    )


@compiled
def _tie(
    seat: NDArray[np.int64],
    earned: NDArray[np.float64],
    ended: NDArray[np.bool_],
    final: NDArray[np.float64],
    reward: NDArray[np.float64],
    next_row: NDArray[np.int64],
    terminated: NDArray[np.bool_],
) -> None:
    """Fill the last three, (T * B,), from the first four, (T + 1, B) and (T + 1, B, N)."""
    ticks, games = seat.shape
    for i in range(games):
        last = np.full(final.shape[2], NONE, np.int64)  # row of each seat's last decision
        for t in range(ticks):
            if t > 0 and ended[t, i]:
                for s in range(len(last)):
                    if last[s] != NONE:
                        reward[last[s]] = final[t, i, s]
                        terminated[last[s]] = True
                        last[s] = NONE
            row, s = t * games + i, seat[t, i]
            if last[s] != NONE:
                reward[last[s]] = earned[t, i]
                next_row[last[s]] = row
            last[s] = row
