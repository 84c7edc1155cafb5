"""The VIEW record: all that one seat may know of a game, and nothing else.

Agents are handed views. A view holds the seat's own hand, everything that lies on the table or was
said aloud, and the evidence: what draws and passes have shown about the other hands. It holds no
hidden tile, no seed and no order of the boneyard.

Seats in a view are relative: index 0 is the observer, index 1 the next seat clockwise. Rows behind
the last seat are zero, and so are the pips above the set's highest.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import dealing, kernels
from chickenfoot_env.bits import row_of
from chickenfoot_env.game import BONEYARD, RULE_FIELDS, check_games, check_records
from chickenfoot_env.jit import Record, compiled, part, records, whole
from chickenfoot_env.prefetch import fetch_ahead
from chickenfoot_env.rules import MAX_PLAYERS
from chickenfoot_env.tiles import MAX_PIPS, action_count

VIEW: Final = np.dtype(
    [
        *RULE_FIELDS,
        ("turn", "i2"),  # relative seat to act: 0 is the observer
        ("has_drawn", "i2"),  # 1 if that seat has drawn in this turn
        ("passes", "i2"),  # turns in a row that ended with neither a play nor a draw
        ("over", "i2"),  # PLAYING or GAME_OVER
        ("foot", "i2"),  # pip of the starter or double being filled, else NO_PIP
        ("owed", "i2"),  # arms or toes that it still wants
        ("starter", "i2"),  # pip of the round's starter
        ("round", "i2"),  # index of the round
        ("ends", "i2", (MAX_PIPS,)),  # open ends showing each pip, owed arms and toes included
        ("zero_rounds", "i2", (MAX_PLAYERS,)),  # finished rounds of zero points
        ("drawn_since", "u1", (MAX_PLAYERS, MAX_PIPS)),  # evidence, see GAME
        ("boneyard", "i2"),  # tiles left in the boneyard
        ("hand_count", "i2", (MAX_PLAYERS,)),  # tiles of each seat
        ("showing", "u4"),  # bit x is set if ends[x] > 0
        ("opened", "u4"),  # bit x is set if x-x has opened a round of this game
        ("hand", "u4", (MAX_PIPS,)),  # the observer's tiles: bit y of hand[x] is the tile x-y
        ("laid", "u4", (MAX_PIPS,)),  # the tiles on the table
        ("points", "i4", (MAX_PLAYERS,)),  # of the finished rounds
        ("best_round", "i4", (MAX_PLAYERS,)),  # lowest points above zero of a round
    ],
    align=True,
)


def observe(games: NDArray[np.void], seats: NDArray[np.int64]) -> NDArray[np.void]:
    """What these seats may know, whether or not it is their turn.

    Args:
        games: (B,) GAME.
        seats: (B,) integers, one seat of each game.

    Returns:
        (B,) VIEW.

    Raises:
        ValueError: for a seat that is not at the table, or an array of another kind.
    """
    check_games(games)
    seats = np.asarray(seats)
    if seats.dtype.kind not in "iu" or seats.shape != games.shape:
        raise ValueError(
            f"seats are {seats.dtype} of shape {seats.shape}: wanted is an int64 array of shape "
            f"{games.shape}"
        )
    absent = (seats < 0) | (seats >= games["players"])
    if absent.any():
        row = int(np.argmax(absent))
        raise ValueError(
            f"seat {seats[row]} of game {row}: allowed are 0 to {games['players'][row] - 1}"
        )
    views = np.zeros(len(games), VIEW)
    _observe(records(games), np.ascontiguousarray(seats, np.int64), records(views))
    return views


def check_views(views: NDArray[np.void]) -> NDArray[np.void]:
    """`views` themselves, if they are a contiguous one-dimensional array of VIEW records.

    Raises:
        ValueError: if they are not.
    """
    return check_records(views, VIEW, "views")


def legal_mask(views: NDArray[np.void]) -> NDArray[np.bool_]:
    """The actions that the observers may take: (B, A) bool, all False off turn."""
    check_views(views)
    mask = np.zeros((len(views), action_count(int(views["max_pip"].max(initial=0)))), np.bool_)
    _legal_mask(records(views), mask)
    return mask


@compiled
def _observe(games: NDArray[np.void], seats: NDArray[np.int64], views: NDArray[np.void]) -> None:
    for i in range(len(games)):
        fetch_ahead(games, i)
        write_view(games[i], seats[i], views[i])


@compiled
def _legal_mask(views: NDArray[np.void], mask: NDArray[np.bool_]) -> None:
    for i in range(len(views)):
        v = views[i]
        if v.turn == 0:
            kernels.write_legal_mask(v, v.hand, v.boneyard, mask[i])


@part
def write_view(g: Record, observer: int, v: Record) -> None:
    """Fill the zeroed view `v` with what the observer may know of the game `g`."""
    players = whole(g.players)
    for pip in range(g.max_pip + 1):
        v.hand[pip] = row_of(g.held[observer], pip)
        v.laid[pip] = row_of(g.laid, pip)
        v.ends[pip] = g.ends[pip]
    seat = whole(observer)
    for relative in range(players):
        v.points[relative] = g.points[seat]
        v.zero_rounds[relative] = g.zero_rounds[seat]
        v.best_round[relative] = g.best_round[seat]
        v.hand_count[relative] = g.hand_count[seat]
        for pip in range(g.max_pip + 1):
            v.drawn_since[relative, pip] = g.drawn_since[seat, pip]
        seat = dealing.after(g, seat)
    v.turn = (g.seat - observer) % players
    v.boneyard = g.hand_count[BONEYARD]
    v.showing = g.showing
    v.opened = g.opened
    v.foot = g.foot
    v.owed = g.owed
    v.has_drawn = g.has_drawn
    v.passes = g.passes
    v.over = g.over
    v.round = g.round
    v.starter = g.starter
    copy_rules(g, v)


@part
def copy_rules(g: Record, v: Record) -> None:
    """Copy all rule fields from one record to another, each a GAME or a VIEW."""
    v.max_pip = g.max_pip
    v.players = g.players
    v.hand_size = g.hand_size
    v.boneyard_reserve = g.boneyard_reserve
    v.starter_rule = g.starter_rule
    v.starter_source = g.starter_source
    v.starter_missing = g.starter_missing
    v.hunt_first = g.hunt_first
    v.lead_rule = g.lead_rule
    v.starter_uses_turn = g.starter_uses_turn
    v.starter_arms = g.starter_arms
    v.toes = g.toes
    v.draw_count = g.draw_count
    v.draw_when_stuck = g.draw_when_stuck
    v.drawn_tile = g.drawn_tile
    v.block_rule = g.block_rule
    v.last_double = g.last_double
    v.last_double_points = g.last_double_points
    v.double_blank_points = g.double_blank_points
    v.blank_half_points = g.blank_half_points
    v.rounds = g.rounds
    v.target_points = g.target_points
