"""The books of many episodes, and the compiled passes that keep them while games are played.

A pass goes over the rows that it is given, one after the other. Row i of games and books depends on
row i alone.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import chance, kernels
from chickenfoot_env.episode import STARTER
from chickenfoot_env.episode_seeds import LATER_EPISODE
from chickenfoot_env.game import BONEYARD, GAME_OVER
from chickenfoot_env.jit import Record, compiled, part, whole
from chickenfoot_env.opponents import LEARNER, RANDOM
from chickenfoot_env.prefetch import AHEAD, fetch_game
from chickenfoot_env.rules import MAX_PLAYERS

OPPONENTS, LEARNER_SEAT = 103, 104  # what a seed is derived for, beside those of episode.py
EVERY_SEAT, ROTATING, RANDOM_SEAT = -1, -2, -3  # who learns in a game, if it is no fixed seat
NOBODY: Final = -1  # who a game waits for that is over
NO_ACTION: Final = -1

BOOK: Final = np.dtype(
    [
        ("given", "u8"),  # the seed that the episodes of this row follow from
        ("number", "i8"),  # of the episode; -1: none has been dealt from `given`
        ("stream", "u8"),  # what the opponents' choices in this episode follow from
        ("learner", "i8"),  # the seat that learns; EVERY_SEAT
        ("waits_for", "i8"),  # LEARNER, an agent, or NOBODY once the game is over
        ("cycles", "i8"),  # actions taken, forced ones included
        ("decisions", "i8"),  # decisions that learning seats have been asked for
        ("earned", "f8"),  # by the seat to act since its last decision, or since the deal
        ("due", "f8", (MAX_PLAYERS,)),  # the same for each seat, once the game is over
        ("paid", "f8", (MAX_PLAYERS,)),  # what each seat has been told of
        ("player", "i1", (MAX_PLAYERS,)),  # LEARNER, RANDOM or an agent
        ("acted", "i1", (MAX_PLAYERS,)),  # 1 for a seat that has been asked for a decision
        ("first", "i1"),  # 1 if the seat to act is asked for its first decision
        ("unused", "u1", (7,)),  # in place of a gap, whose bytes a copy would not keep
    ],
    align=True,
)


@compiled
def begin(
    games: NDArray[np.void],
    books: NDArray[np.void],
    rows: NDArray[np.int64],
    blanks: NDArray[np.void],
    kind: NDArray[np.int64],
    learners: NDArray[np.int64],
    line: NDArray[np.int64],
    one_round: bool,
) -> None:
    """Begin new episodes; `advance` without an action deals their first rounds."""
    for i in rows:
        games[i] = blanks[kind[i]]
        g, book = games[i], books[i]
        book.number += 1
        seed = book.given
        if book.number > 0:
            seed = chance.fold(chance.fold(seed, LATER_EPISODE), book.number)
        g.seed = seed
        if one_round:
            stream = chance.fold(seed, STARTER)
            pip = g.starters[chance.below(stream, whole(g.rounds))[1]]
            g.starters[:] = 0
            g.starters[0] = pip
            g.rounds = 1
        _open_book(book, seed, whole(g.players), i, learners[i], line)


@part
def _open_book(
    book: Record, seed: np.uint64, players: int, row: int, learner: int, line: NDArray[np.int64]
) -> None:
    """Begin the books of an episode: who plays which seat, and nobody has earned anything."""
    if learner == ROTATING:
        learner = (row + book.number) % players
    elif learner == RANDOM_SEAT:
        learner = chance.below(chance.fold(seed, LEARNER_SEAT), players)[1]
    book.learner = learner
    book.stream = chance.fold(seed, OPPONENTS)
    book.cycles = 0
    book.decisions = 0
    for seat in range(MAX_PLAYERS):
        book.paid[seat] = 0.0
        book.due[seat] = 0.0
        book.acted[seat] = 0
        book.player[seat] = LEARNER
    if learner != EVERY_SEAT:
        for behind in range(1, players):
            book.player[(learner + behind) % players] = line[(behind - 1) % len(line)]


@compiled
def advance(
    games: NDArray[np.void],
    books: NDArray[np.void],
    rows: NDArray[np.int64],
    actions: NDArray[np.int64],
    play_forced: bool,
    win: bool,
    hold_first: bool,
    noted: NDArray[np.int16] | None,
) -> int:
    """Play on in the games of `rows` until a learning seat or an agent is to decide, or the end.

    A game begins with the action given for it, or with none. Rounds that are due are dealt. Given
    `noted`, (B, 190), the plays of each round are put there; None is compiled to code without it.

    Returns:
        How many of them wait for an agent then.
    """
    waiting = 0
    for k in range(len(rows)):
        fetch_game(games, rows[min(k + AHEAD, len(rows) - 1)])
        g, book, action = games[rows[k]], books[rows[k]], actions[k]
        while True:
            if action != NO_ACTION:
                if noted is not None:
                    _note(g, action, noted[rows[k]])
                kernels.apply(g, action)
                book.cycles += 1
            kernels.deal_due(g)
            who = NOBODY
            if g.over == GAME_OVER:
                break
            hand, boneyard = g.held[g.seat], g.hand_count[BONEYARD]
            plays = kernels.count_plays(g, hand)
            choices = kernels.count_legal(g, plays, boneyard)
            choice = 0
            who = whole(book.player[g.seat])
            if choices > 1 or (who == LEARNER and not play_forced):
                if who != RANDOM:
                    break
                choice = chance.below(chance.fold(book.stream, book.cycles), choices)[1]
            action = kernels.nth_legal(g, hand, plays, boneyard, choice)
        book.waits_for = who
        if who == LEARNER:
            _pay(g, book, win, hold_first)
        elif who != NOBODY:
            waiting += 1
        elif not win:
            for seat in range(g.players):
                book.due[seat] = _margin(g, seat) - book.paid[seat]
    return waiting


@part
def _note(g: Record, action: int, noted: NDArray[np.int16]) -> None:
    """Put a play behind those of its round: as many as there are tiles behind the starter."""
    pips = whole(g.max_pip) + 1
    if action < pips * pips:
        laid = pips * (pips + 1) // 2
        for holder in range(MAX_PLAYERS + 1):
            laid -= whole(g.hand_count[holder])
        noted[laid - 1] = action


@part
def _margin(g: Record, seat: int) -> float:
    """What `batch.margins` says of one seat."""
    players, total = whole(g.players), 0
    for other in range(players):
        total += whole(g.points[other])
    return (total - players * whole(g.points[seat])) / (players - 1.0)


@part
def _pay(g: Record, book: Record, win: bool, hold_first: bool) -> None:
    """Enter a decision of the seat to act, and what it has earned since its last one."""
    seat = whole(g.seat)
    book.decisions += 1
    book.first = 1 - book.acted[seat]
    book.acted[seat] = 1
    book.earned = 0.0
    if win or (book.first == 1 and hold_first):  # a win is earned at the end only
        return
    margin = _margin(g, seat)
    book.earned = margin - book.paid[seat]
    book.paid[seat] = margin
