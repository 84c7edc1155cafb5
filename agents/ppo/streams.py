"""Advantages along the streams of the seats: one for each seat of each game.

Generalised advantage estimation (Schulman et al., 2016) without discount. A decision is followed by
the same seat's next one, whoever acts in between, so no seat is credited with what another sees.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.jit import compiled
from chickenfoot_env.trajectories import NONE, Trajectories


def advantages(
    data: Trajectories,
    reward: NDArray[np.float64],
    value: NDArray[np.float64],
    trace: float,
) -> NDArray[np.float64]:
    """How much better than expected each decision was.

    Args:
        data: of T ticks of B games and the tick behind them.
        reward: (T * B,) float64, that of `data` in the unit of the values.
        value: ((T + 1) * B,) float64, what the seat to act expects to earn from each tick on.
        trace: lambda, 0 to 1.

    Returns:
        (T * B,) float64; 0 where a decision is not complete.
    """
    result = np.zeros(len(value))  # 0 for the tick behind: what follows it is not known
    _estimate(data.next_row, data.terminated, reward, value, trace, result)
    return result[: len(reward)]


@compiled
def _estimate(
    next_row: NDArray[np.int64],
    terminated: NDArray[np.bool_],
    reward: NDArray[np.float64],
    value: NDArray[np.float64],
    trace: float,
    result: NDArray[np.float64],
) -> None:
    for row in range(len(reward) - 1, -1, -1):
        following = next_row[row]
        if following != NONE:
            error = reward[row] + value[following] - value[row]
            result[row] = error + trace * result[following]
        elif terminated[row]:
            result[row] = reward[row] - value[row]
