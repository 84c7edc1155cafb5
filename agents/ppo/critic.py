"""What only the critic sees: hidden hands, and how the round would end from here.

The heuristic plays the true game on, for all seats and with the tiles that will really be drawn,
which costs a few microseconds. Its result is a value to start from; and played from behind each
legal action, a fair comparison of them but for its own mistakes. Neither ever reaches a policy.

B games, N seats, P pips, A actions.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.playout import HEURISTIC, earned, play_on
from chickenfoot_env import kernels
from chickenfoot_env.bits import ones, row_of
from chickenfoot_env.chance import check_seeds, fold
from chickenfoot_env.game import BONEYARD, GAME, check_games
from chickenfoot_env.jit import compiled, part, records, whole
from chickenfoot_env.placing import PLAN, make_plan
from chickenfoot_env.rules import MAX_PLAYERS
from chickenfoot_env.view import VIEW, write_view
from chickenfoot_env.worlds import deal_hidden, write_public

SPREAD: Final = 50.0  # pips: margins are divided by it, so that most lie between -1 and 1
_NO_CHANCE: Final = np.uint64(0)  # the heuristic plays without chance


def size(max_pip: int) -> int:
    """C, the number of critic features with a double-`max_pip` set."""
    return MAX_PLAYERS + (MAX_PLAYERS - 1) * (max_pip + 1)


def critic_features(games: NDArray[np.void]) -> NDArray[np.float32]:
    """All hidden hands, and what each seat would earn if the heuristic played on.

    Args:
        games: (B,) GAME, all of one set, none of them over.

    Returns:
        (B, C) float32: a margin for each seat from the one to act on clockwise, divided by
        `SPREAD`; then for each seat behind it and each pip the share of its tiles in that hand.
        0 where there is no seat.
    """
    check_games(games)
    out = np.zeros((len(games), size(int(games["max_pip"][0]))), np.float32)
    _write_critic_features(records(games), records(np.zeros(1, GAME)), out)
    return out


@compiled
def _write_critic_features(
    games: NDArray[np.void], trial: NDArray[np.void], out: NDArray[np.float32]
) -> None:
    for i in range(len(games)):
        g, x = games[i], out[i]
        trial[0] = g
        play_on(trial[0], HEURISTIC, _NO_CHANCE)
        players, pips = whole(g.players), whole(g.max_pip) + 1
        for behind in range(players):
            seat = (g.seat + behind) % players
            x[behind] = earned(trial[0], g, seat) / SPREAD
            if behind > 0:
                at = MAX_PLAYERS + (behind - 1) * pips
                for pip in range(pips):
                    x[at + pip] = np.float32(ones(row_of(g.held[seat], pip))) / np.float32(pips)


def action_values(
    games: NDArray[np.void], seeds: NDArray[np.uint64], worlds: int = 1
) -> NDArray[np.float32]:
    """What the seat to act would earn by each action if the heuristic played on behind it.

    Args:
        games: (B,) GAME, all of one set, none of them over.
        seeds: (B,) uint64, what the worlds follow from.
        worlds: how many worlds to take the mean over, 1 or more. The first is the true one, the
            others are like it in all that the seat can know.

    Returns:
        (B, A) float32, its margin of the round in pips; 0 for illegal actions.

    Raises:
        ValueError: for games or seeds of another kind, or not one seed for each game.
    """
    check_games(games)
    seeds = check_seeds(seeds, len(games))
    out = np.zeros((len(games), (int(games["max_pip"][0]) + 1) ** 2 + 2), np.float32)
    scratch = np.zeros(3, GAME)
    _write_action_values(
        records(games),
        seeds,
        worlds,
        records(scratch),
        records(np.zeros(1, VIEW)),
        records(np.zeros(1, PLAN)),
        out,
    )
    return out


@compiled
def _write_action_values(
    games: NDArray[np.void],
    seeds: NDArray[np.uint64],
    worlds: int,
    scratch: NDArray[np.void],
    views: NDArray[np.void],
    plans: NDArray[np.void],
    out: NDArray[np.float32],
) -> None:
    known, world = scratch[0], scratch[1]
    for i in range(len(games)):
        g = games[i]
        if worlds > 1:
            write_view(g, whole(g.seat), views[0])
            make_plan(views[0], plans[0])
            scratch[0] = games[i]
            write_public(views[0], known)
        _add_margins(games, i, scratch, out[i])
        for number in range(1, worlds):
            scratch[1] = scratch[0]
            deal_hidden(plans[0], world, fold(seeds[i], number))
            _add_margins(scratch, 1, scratch, out[i])
        for action in range(out.shape[1]):
            out[i, action] /= np.float32(worlds)


@part
def _add_margins(
    games: NDArray[np.void], i: int, scratch: NDArray[np.void], out: NDArray[np.float32]
) -> None:
    """Add the margin behind each legal action in this game."""
    g, trial = games[i], scratch[2]
    hand, boneyard, seat = g.held[g.seat], g.hand_count[BONEYARD], whole(g.seat)
    plays = kernels.count_plays(g, hand)
    for n in range(kernels.count_legal(g, plays, boneyard)):
        action = kernels.nth_legal(g, hand, plays, boneyard, n)
        scratch[2] = games[i]
        kernels.apply(trial, action)
        play_on(trial, HEURISTIC, _NO_CHANCE)
        out[action] += earned(trial, g, seat)
