"""What the standings of a game are worth: how likely each seat is to win from here.

Rounds differ little from one another, so the rest of a game is simulated by drawing the points of
whole rounds, all seats together, from a bank of rounds that were played before (the idea of Suphx's
global reward prediction, Li et al. 2020, with a simulation in place of a network). Rewarding a seat
with the change of its value from round to round adds up to whether it wins, and tells it at once
what a round was worth for that.
"""

from __future__ import annotations

import dataclasses
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.heuristic_agent import HeuristicAgent
from chickenfoot_env import batch, chance, view
from chickenfoot_env.chance import below, fold
from chickenfoot_env.game import GAME_OVER, check_games
from chickenfoot_env.jit import Record, compiled, part, records, whole
from chickenfoot_env.rules import MAX_PLAYERS, Rules

ROUNDS: Final = 2048  # of each starter in the bank
SAMPLES: Final = 128  # simulations of the rest of a game
_SEED: Final = np.uint64(0x57414E44)


class Standings:
    """The value of standings under some rules.

    Args:
        rules: of the games; the bank's rounds are played by heuristics.
        samples: simulations for each game, 1 or more.
    """

    def __init__(self, rules: Rules, samples: int = SAMPLES) -> None:
        self._bank = _play_rounds(rules)
        self._samples = samples

    def __call__(self, games: NDArray[np.void]) -> NDArray[np.float64]:
        """How likely each seat is to win, the round that is played now included.

        Args:
            games: (B,) GAME, of tables with as many seats as the rules say.

        Returns:
            (B, N) float64; rows add up to 1. A win shared by k seats counts 1/k. The same standings
            have the same value: the simulations differ from game to game, not from call to call.
        """
        check_games(games)
        out = np.zeros((len(games), self._bank.shape[2]))
        _simulate(records(games), self._bank, self._samples, out)
        return out


def _play_rounds(rules: Rules) -> NDArray[np.int64]:
    """(S, ROUNDS, N) int64, points of all seats in rounds of each starter, first round first."""
    agent, banks = HeuristicAgent(), []
    for number, pip in enumerate(rules.starters):
        seeds = chance.derive(np.full(ROUNDS, _SEED, np.uint64), number, np.arange(ROUNDS))
        games = batch.deal(dataclasses.replace(rules, rounds=(pip,)), seeds)
        while (running := np.flatnonzero(games["over"] != GAME_OVER)).size:
            some = games[running]
            views = view.observe(some, some["seat"].astype(np.int64))
            batch.step(some, agent.act(views, np.zeros(len(some), np.uint64)))
            games[running] = some
        banks.append(games["points"][:, : rules.players].astype(np.int64))
    return np.stack(banks)


@compiled
def _simulate(
    games: NDArray[np.void], bank: NDArray[np.int64], samples: int, out: NDArray[np.float64]
) -> None:
    points = np.zeros(MAX_PLAYERS, np.int64)
    for i in range(len(games)):
        g = games[i]
        for number in range(samples):
            _finish(g, bank, fold(g.seed, number), points)
            _share_win(points, bank.shape[2], out[i])
        for seat in range(bank.shape[2]):
            out[i, seat] /= samples


@part
def _finish(
    g: Record, bank: NDArray[np.int64], stream: np.uint64, points: NDArray[np.int64]
) -> None:
    """Write the points at the end of a game, the rounds that are left drawn from the bank."""
    players = bank.shape[2]
    for seat in range(players):
        points[seat] = g.points[seat]
    if g.over == GAME_OVER:
        return
    for number in range(g.round, bank.shape[0]):
        stream, row = below(stream, bank.shape[1])
        stream, turned = below(stream, players)
        for seat in range(players):
            points[seat] += bank[number, row, (seat + turned) % players]
        if 0 < g.target_points <= points[:players].max():
            return


@part
def _share_win(points: NDArray[np.int64], players: int, out: NDArray[np.float64]) -> None:
    """Add the win, shared by all seats with the fewest points."""
    fewest, first = points[0], whole(0)
    for seat in range(1, players):
        fewest = min(fewest, points[seat])
    for seat in range(players):
        first += points[seat] == fewest
    for seat in range(players):
        if points[seat] == fewest:
            out[seat] += 1.0 / first
