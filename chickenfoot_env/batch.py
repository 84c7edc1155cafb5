"""The vectorised game: functions over (B,) GAME records, changed in place.

    games = deal(Rules(players=4), np.arange(1024, dtype=np.uint64))
    while (games["over"] != GAME_OVER).any():
        actions = choose(legal_mask(games))
        step(games, actions)

B games, N seats of the largest table among them, A action ids of the largest set among them. Row i
of every result depends on row i of the arguments alone.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import chance, kernels, notation
from chickenfoot_env.game import (
    BONEYARD,
    GAME,
    NO_ROUND,
    NO_SEAT,
    PLAYING,
    UNDEALT,
    check_games,
)
from chickenfoot_env.jit import Direct, Record, compiled, part, records, whole
from chickenfoot_env.prefetch import AHEAD, fetch_ahead, fetch_game, fetch_hand
from chickenfoot_env.rules import Rules

_INT64: Final = np.dtype(np.int64)


def deal(rules: Rules, seeds: NDArray[np.uint64], draw_stride: int = 0) -> NDArray[np.void]:
    """New games with their first round dealt and its starter laid.

    Args:
        rules: the same for all.
        seeds: (B,) uint64; everything random about game i follows from seeds[i].
        draw_stride: seat s draws the first tile left at or behind place s x draw_stride of the
            boneyard as dealt, going round. 0: all seats draw from the same end. The law of the
            game is the same for any stride; `rules.private_stride` keeps a seat's extra draw from
            shifting the other seats' draws, which pairs games of one deal more closely.

    Returns:
        (B,) GAME.

    Raises:
        ValueError: for seeds of another kind, or a stride that leaves the boneyard.
    """
    seeds = chance.check_seeds(seeds)
    most = max(rules.boneyard - 1, 0) // (rules.players - 1)  # the last seat's place is in it
    if not isinstance(draw_stride, (int, np.integer)) or not 0 <= draw_stride <= most:
        raise ValueError(f"draw_stride={draw_stride!r}: allowed are whole numbers from 0 to {most}")
    games = undealt(rules, len(seeds))
    games["seed"] = seeds
    games["draw_stride"] = draw_stride
    deal_due(games)
    return games


def undealt(rules: Rules, count: int) -> NDArray[np.void]:
    """Games that have their rules, but neither a seed nor any tiles: (count,) GAME."""
    games = np.zeros(count, GAME)
    for name, value in rules.record().items():
        games[name] = value
    games["starters"][:, : len(rules.starters)] = rules.starters
    games["best_round"][:, : rules.players] = NO_ROUND
    games["winner"] = NO_SEAT
    games["over"] = UNDEALT
    return games


def deal_due(games: NDArray[np.void]) -> None:
    """Deal the next round of the games that wait for it, as only compiled code leaves them."""
    _deal_due(records(games), np.flatnonzero(games["over"] == UNDEALT))


def legal_mask(games: NDArray[np.void]) -> NDArray[np.bool_]:
    """The actions that the seat to act may take: (B, A) bool; PASS alone when the game is over."""
    mask: NDArray[np.bool_]
    if _is_usual(games):
        mask = _LEGAL_MASK.call(games)
    else:
        mask = _legal_mask(records(check_games(games)))
    return mask


def step(games: NDArray[np.void], actions: NDArray[np.int64]) -> None:
    """Take one action in every game; when a round ends it is scored and the next one is dealt.

    Args:
        games: (B,) GAME, changed in place.
        actions: (B,) integers; PASS for a finished game, which it leaves as it is.

    Raises:
        ValueError: for an action that is not legal, naming the position, or an array of another
            kind; no game has changed then.
    """
    usual = _is_usual(games)
    if not usual:
        _check_writeable(games)
    actions = _check_actions(actions, len(games))
    due = _STEP.call(games, actions) if usual else _step(records(games), actions)
    if due is None:
        return
    if due[0] < 0:
        wrong = -1 - int(due[0])
        reason = notation.explain_illegal(games[wrong], int(actions[wrong]))
        raise ValueError(f"game {wrong}: {reason}")
    _deal_due(records(games), due)


def play_forced(games: NDArray[np.void]) -> NDArray[np.int64]:
    """Take every action that is the only legal one, up to the next real choice or the end.

    Returns:
        (B,) int64, the steps taken in each game.
    """
    _check_writeable(games)
    steps = np.zeros(len(games), np.int64)
    while _play_forced(records(games), steps):
        deal_due(games)
    return steps


def random_playout(games: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Play every game to its end with uniformly random legal actions.

    Args:
        games: (B,) GAME, changed in place.
        seeds: (B,) uint64, one stream of choices each.

    Returns:
        (B,) int64, the steps taken in each game.
    """
    _check_writeable(games)
    streams = chance.check_seeds(seeds, len(games)).copy()
    steps = np.zeros(len(games), np.int64)
    while _random_playout(records(games), streams, steps):
        deal_due(games)
    return steps


def margins(games: NDArray[np.void]) -> NDArray[np.float64]:
    """Mean of the others' points minus own: (B, N) float64 pips, NaN where there is no seat."""
    points, present = _points(games)
    players = games["players"][:, None].astype(np.int64)
    total = points.sum(axis=1, keepdims=True)
    result: NDArray[np.float64] = (total - players * points) / (players - 1)
    return np.where(present, result, np.nan)


def standings(games: NDArray[np.void]) -> NDArray[np.int64]:
    """Ranks by points and both tie-breaks (R19): (B, N) int64.

    1 is best; seats that are still tied share a rank; 0 where there is no seat.
    """
    check_games(games)
    ranks = np.zeros((len(games), int(games["players"].max(initial=0))), np.int64)
    _standings(records(games), ranks)
    return ranks


def _points(games: NDArray[np.void]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    check_games(games)
    seats = int(games["players"].max(initial=0))
    points = games["points"][:, :seats].astype(np.int64)
    present = np.arange(seats) < games["players"][:, None]
    return np.where(present, points, 0), present


def _is_usual(games: NDArray[np.void]) -> bool:
    """Whether these are games that can be changed, contiguous and aligned, as most are."""
    return (
        type(games) is np.ndarray
        and games.dtype is GAME
        and games.ndim == 1
        and games.flags.carray  # all three of them at once
    )


def _check_writeable(games: NDArray[np.void]) -> None:
    if not check_games(games).flags.writeable:
        raise ValueError("games are read-only: wanted is an array to change, such as games.copy()")


def _check_actions(actions: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """These actions, as contiguous and aligned int64, if they can be taken for `count` games."""
    is_array = isinstance(actions, np.ndarray)
    if is_array and actions.shape == (count,):
        if actions.dtype is _INT64 and actions.flags.carray:  # most are, and this is faster
            return actions
        if actions.dtype.kind in "iu":
            return np.array(actions, np.int64)
    if not is_array or actions.dtype.kind not in "iu":
        what = actions.dtype if is_array else type(actions).__name__
        raise ValueError(f"actions are {what}: wanted is an int64 array")
    raise ValueError(f"actions have shape {actions.shape}: wanted is ({count},), one a game")


@compiled
def _deal_due(games: NDArray[np.void], rows: NDArray[np.int64]) -> None:
    """Deal the next round of the games in these rows, where one is due."""
    for k in range(len(rows)):
        fetch_game(games, rows[min(k + AHEAD, len(rows) - 1)])
        kernels.deal_due(games[rows[k]])


@compiled
def _legal_mask(games: NDArray[np.void]) -> NDArray[np.bool_]:
    pips = whole(games[0].max_pip) + 1 if len(games) > 0 else 1
    mask = np.zeros((len(games), pips * pips + 2), np.bool_)
    i = 0
    while i < len(games):
        fetch_hand(games, i)
        g = games[i]
        if g.max_pip >= pips:  # a larger set than those before: all rows anew, and longer
            pips = whole(g.max_pip) + 1
            mask = np.zeros((len(games), pips * pips + 2), np.bool_)
            i = 0
            continue
        kernels.write_legal_mask(g, g.held[g.seat], g.hand_count[BONEYARD], mask[i])
        i += 1
    return mask


@compiled
def _standings(games: NDArray[np.void], ranks: NDArray[np.int64]) -> None:
    for i in range(len(games)):
        for seat in range(games[i].players):
            ranks[i, seat] = rank(games[i], seat)


@part
def rank(g: Record, seat: int) -> int:
    """What `standings` says of one seat."""
    better = 0
    for other in range(g.players):
        if g.points[other] != g.points[seat]:
            better += g.points[other] < g.points[seat]
        elif g.zero_rounds[other] != g.zero_rounds[seat]:
            better += g.zero_rounds[other] > g.zero_rounds[seat]
        else:
            better += g.best_round[other] < g.best_round[seat]
    return 1 + better


@compiled
def _step(games: NDArray[np.void], actions: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """The rows of the games whose next round is due, if there are any.

    Or -1 - i alone, with nothing changed, if the action of game i is the first that is not legal.
    """
    rows = np.empty(len(games), np.int64)
    for i in range(len(games)):
        fetch_hand(games, i)
        g = games[i]
        if not kernels.is_legal(g, g.held[g.seat], g.hand_count[BONEYARD], actions[i]):
            rows[0] = -1 - i
            return rows[:1]
    due = 0
    for i in range(len(games)):
        fetch_ahead(games, i)
        kernels.apply(games[i], actions[i])
        if games[i].over == UNDEALT:
            rows[due] = i
            due += 1
    if due == 0:
        return None
    return rows[:due]


_LEGAL_MASK: Final = Direct(_legal_mask)
_STEP: Final = Direct(_step)


# The next two return the number of games whose next round is due.


@compiled
def _play_forced(games: NDArray[np.void], steps: NDArray[np.int64]) -> int:
    due = 0
    for i in range(len(games)):
        g = games[i]
        while g.over == PLAYING:
            hand, boneyard = g.held[g.seat], g.hand_count[BONEYARD]
            plays = kernels.count_plays(g, hand)
            if kernels.count_legal(g, plays, boneyard) > 1:
                break
            kernels.apply(g, kernels.nth_legal(g, hand, plays, boneyard, whole(0)))
            steps[i] += 1
        due += g.over == UNDEALT
    return due


@compiled
def _random_playout(
    games: NDArray[np.void], streams: NDArray[np.uint64], steps: NDArray[np.int64]
) -> int:
    due = 0
    for i in range(len(games)):
        fetch_game(games, i + 1)
        g = games[i]
        stream = streams[i]
        while g.over == PLAYING:
            hand, boneyard = g.held[g.seat], g.hand_count[BONEYARD]
            plays = kernels.count_plays(g, hand)
            choices = kernels.count_legal(g, plays, boneyard)
            choice = 0
            if choices > 1:
                stream, choice = chance.below(stream, choices)
            kernels.apply(g, kernels.nth_legal(g, hand, plays, boneyard, choice))
            steps[i] += 1
        streams[i] = stream
        due += g.over == UNDEALT
    return due
