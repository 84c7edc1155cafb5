"""What the seats earn. Rewards are in pips or in shares of one win, and always sum to zero or one.

Points count against a seat and are never mixed with rewards: these functions turn the one into the
other. N is the number of seats.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import batch
from chickenfoot_env.game import GAME_OVER

FORFEIT_PIPS: Final = 250.0  # about the most that one hand has been seen to cost


def for_points(games: NDArray[np.void], paid: NDArray[np.int32]) -> NDArray[np.float64]:
    """The margins of the rounds not yet paid: the mean of the others' points less a seat's own.

    Args:
        games: (1,) GAME.
        paid: (12,) int32, the points of each seat that rewards have been paid for.

    Returns:
        (N,) float64 pips, with the sum 0.
    """
    players = int(games["players"][0])
    unpaid = games["points"][0, :players] - paid[:players]
    margins: NDArray[np.float64] = (unpaid.sum() - players * unpaid) / (players - 1)
    return margins


def for_winning(games: NDArray[np.void]) -> NDArray[np.float64]:
    """One, shared evenly among the winners of a finished game: (N,) float64."""
    winners = (batch.standings(games)[0] == 1).astype(np.float64)
    shares: NDArray[np.float64] = winners / winners.sum()
    return shares


def for_forfeit(offender: int, players: int, reward: str) -> NDArray[np.float64]:
    """What an illegal action costs the seat that took it and brings the others: (N,) float64.

    Under "points" the offender pays FORFEIT_PIPS to the others, under "win" they share the win.
    """
    shares = np.full(players, 1.0 / (players - 1))
    shares[offender] = 0.0
    if reward == "win":
        return shares
    shares[offender] = -1.0
    return FORFEIT_PIPS * shares


def so_far(games: NDArray[np.void], reward: str) -> NDArray[np.float64]:
    """What the seats of many games have earned: (B, N) float64, 0 where there is no seat.

    Under "points" the margins of the finished rounds, under "win" the shares of the win of each
    game that is over.
    """
    if reward == "points":
        return np.nan_to_num(batch.margins(games))
    winners = (batch.standings(games) == 1) & (games["over"] == GAME_OVER)[:, None]
    shares: NDArray[np.float64] = winners / np.maximum(winners.sum(axis=1, keepdims=True), 1)
    return shares
