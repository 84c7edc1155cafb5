"""Where the tiles are, and how a round begins: compiled functions on one GAME record."""

from __future__ import annotations

from typing import Final

import numpy as np

from chickenfoot_env.bits import bit, clear_rows, exclude, has_bit, include, put_row, row_of
from chickenfoot_env.chance import below, fold
from chickenfoot_env.game import BONEYARD, NO_SEAT, PLAYING, UNKNOWN, WENT_OUT
from chickenfoot_env.jit import Record, part, whole
from chickenfoot_env.rules import (
    DESCENDING,
    DRAW_TOGETHER,
    HIGHEST_HELD,
    HIGHEST_TILE,
    LOT,
    NEXT_LOWER_HELD,
    PREVIOUS_WINNER,
    RANDOM_HUNTER,
    RANDOM_LEAD,
    REDEAL,
    SET_ASIDE,
    STARTER_HOLDER,
)
from chickenfoot_env.tiles import HIGH, LOW

# Purposes of a round's chance besides its first shuffle.
_LEAD: Final = 1
_HUNTER: Final = 2
_SHUFFLE_AGAIN: Final = 16  # and the numbers behind it


# How a round begins


@part
def deal(g: Record) -> None:
    """Shuffle, deal, find the starter and lay it (R5-R10)."""
    attempt = whole(0)
    finder = whole(NO_SEAT)
    while finder == NO_SEAT:
        shuffle(g, attempt)
        hand_out(g)
        finder = find_starter(g)
        attempt += 1
    lay_starter(g, finder)


@part
def hand_out(g: Record) -> None:
    """Give the seats their tiles as they lie in the order, and the boneyard the rest (R5, R6)."""
    clear(g)
    place = 1 if g.starter_source == SET_ASIDE else 0
    for seat in range(g.players):
        for _ in range(g.hand_size):
            tile = g.order[place]
            add_tile(g, seat, LOW[tile], HIGH[tile])
            place += 1
    for pip in range(g.max_pip + 1):
        row = every_pip(g)
        for seat in range(g.players):
            row &= ~row_of(g.held[seat], pip)
        put_row(g.held[BONEYARD], pip, row)
    if g.starter_source == SET_ASIDE:
        starter = whole(g.starters[g.round])
        exclude(g.held[BONEYARD], starter, starter)
    g.hand_count[BONEYARD] = tile_count(g) - place


@part
def find_starter(g: Record) -> int:
    """The seat that lays the starter, or NO_SEAT if the tiles are to be dealt again (R7-R9)."""
    g.hunted = 0
    if g.starter_source == SET_ASIDE:
        g.starter = g.starters[g.round]
        return lead(g)
    hunter = whole(NO_SEAT)
    finder = holder(g)
    while finder == NO_SEAT and g.starter_missing != REDEAL:
        hunter = hunt(g, hunter)
        finder = holder(g)
    return finder


@part
def clear(g: Record) -> None:
    """Take all tiles off the table and out of the hands, and forget the evidence."""
    g.showing = 0
    clear_rows(g.laid, g.max_pip + 1)
    for pip in range(g.max_pip + 1):
        g.ends[pip] = 0
    for seat in range(g.players):
        clear_rows(g.held[seat], g.max_pip + 1)
        g.hand_count[seat] = 0
        for pip in range(g.max_pip + 1):
            g.drawn_since[seat, pip] = UNKNOWN
    g.passes = 0
    g.over = PLAYING


@part
def shuffle(g: Record, attempt: int) -> None:
    """Put all tile ids in the random order of this seed, round and attempt (Fisher and Yates).

    A starter that is set aside is exchanged with the tile in the first place, which is not dealt.
    """
    size = tile_count(g)
    for place in range(size):
        g.order[place] = place
    stream = fold(g.seed, whole(g.round))
    if attempt > 0:
        stream = fold(stream, _SHUFFLE_AGAIN + attempt)
    for place in range(size - 1, 0, -1):
        stream, other = below(stream, place + 1)
        swap(g, place, other)
    if g.starter_source == SET_ASIDE:
        place = 0
        while g.order[place] != double_id(whole(g.starters[g.round])):
            place += 1
        swap(g, whole(0), place)


@part
def swap(g: Record, one: int, other: int) -> None:
    """Exchange the tiles in two places of the order."""
    tile = g.order[one]
    g.order[one] = g.order[other]
    g.order[other] = tile


@part
def every_pip(g: Record) -> np.uint32:
    """The row of all pips of the set."""
    return np.uint32(bit(g.max_pip + 1) - np.uint32(1))


@part
def wanted(g: Record) -> np.uint32:
    """The row of the pips whose double may open this round (R7, R8)."""
    if g.starter_rule == DESCENDING and g.starter_missing != NEXT_LOWER_HELD:
        return bit(whole(g.starters[g.round]))
    if g.starter_rule == DESCENDING or g.starter_rule == HIGHEST_HELD:
        return every_pip(g)
    return np.uint32(every_pip(g) & ~g.opened)


@part
def holder(g: Record) -> int:
    """The seat that holds the best of the wanted doubles, which becomes the starter, or NO_SEAT.

    The best is the highest; in descending order it is the round's own, then the next lower ones,
    then the highest of the rest.
    """
    row = wanted(g)
    pip = whole(g.starters[g.round] if g.starter_rule == DESCENDING else g.max_pip)
    for _ in range(g.max_pip + 1):
        if has_bit(row, pip):
            for seat in range(g.players):
                if has_bit(row_of(g.held[seat], pip), pip):
                    g.starter = pip
                    return whole(seat)
        pip = pip - 1 if pip > 0 else whole(g.max_pip)
    return NO_SEAT


@part
def hunt(g: Record, hunter: int) -> int:
    """Let the seat draw, or all of them from it on, in search of the starter (Q2).

    Args:
        g: a GAME record.
        hunter: the seat whose turn in the hunt it is; NO_SEAT when it begins.

    Returns:
        The seat to go on with.
    """
    seat = first_hunter(g) if hunter == NO_SEAT else hunter
    for _ in range(g.players if g.starter_missing == DRAW_TOGETHER else 1):
        if g.hand_count[BONEYARD] > 0:
            draw_tile(g, seat)
            g.hunted += 1
        seat = after(g, seat)
    return seat


@part
def first_hunter(g: Record) -> int:
    """The seat that draws first in the hunt."""
    if g.hunt_first == PREVIOUS_WINNER and g.winner != NO_SEAT:
        return whole(g.winner)
    if g.hunt_first == HIGHEST_TILE:
        return heaviest_hand(g)
    if g.hunt_first == RANDOM_HUNTER:
        return below(fold(fold(g.seed, whole(g.round)), _HUNTER), whole(g.players))[1]
    return lead(g)


@part
def heaviest_hand(g: Record) -> int:
    """The seat with the tile of the most pips; of those with equally many, the larger half wins."""
    best, found = -1, 0
    for place in range(boneyard_start(g)):
        low, high = LOW[g.order[place]], HIGH[g.order[place]]
        for seat in range(g.players):
            if has_bit(row_of(g.held[seat], low), high) and (low + high) * 32 + high > best:
                best, found = (low + high) * 32 + high, seat
    return whole(found)


@part
def lead(g: Record) -> int:
    """The round's lead seat: it begins where the rules do not let the starter's holder begin."""
    stream = fold(g.seed, whole(g.round))
    if g.lead_rule == LOT:  # drawn before the first round, then handed on
        stream = fold(g.seed, 0)
    first = 0
    if g.lead_rule == LOT or g.lead_rule == RANDOM_LEAD:
        first = below(fold(stream, _LEAD), whole(g.players))[1]
    if g.lead_rule == RANDOM_LEAD:
        return first
    return (first + g.round) % g.players


@part
def lay_starter(g: Record, finder: int) -> None:
    """Lay the starter, and give the first turn (R7, R8, R10)."""
    starter = whole(g.starter)
    g.finder = finder
    if g.starter_source != SET_ASIDE:
        remove_tile(g, finder, starter, starter)
    lay(g, starter, starter)
    open_foot(g, starter, g.starter_arms)
    g.opened |= bit(starter)
    if g.hand_count[finder] == 0:
        g.over = WENT_OUT
    g.seat = finder if g.lead_rule == STARTER_HOLDER else lead(g)
    g.has_drawn = 0
    if g.starter_uses_turn:
        g.seat = after(g, whole(g.seat))


# Where the tiles are


@part
def tile_count(g: Record) -> int:
    """T, the number of tiles in the set."""
    return whole(g.max_pip + 1) * (g.max_pip + 2) // 2


@part
def double_id(pip: int) -> int:
    """The id of the double with this pip."""
    return pip * (pip + 3) // 2


@part
def boneyard_start(g: Record) -> int:
    """The place in `order` where the boneyard begins."""
    aside = 1 if g.starter_source == SET_ASIDE else 0
    return whole(g.players) * g.hand_size + aside


@part
def after(g: Record, seat: int) -> int:
    """The next seat clockwise (R12)."""
    return seat + 1 if seat + 1 < g.players else 0


@part
def add_tile(g: Record, owner: int, one: int, other: int) -> None:
    """Give the owner a tile."""
    include(g.held[owner], one, other)
    g.hand_count[owner] += 1


@part
def remove_tile(g: Record, owner: int, one: int, other: int) -> None:
    """Take a tile from the owner."""
    exclude(g.held[owner], one, other)
    g.hand_count[owner] -= 1


@part
def lay(g: Record, one: int, other: int) -> None:
    """Put a tile on the table."""
    include(g.laid, one, other)


@part
def open_foot(g: Record, pip: int, toes: int) -> None:
    """Owe this many tiles to the double just laid, each of them an open end."""
    g.foot = pip
    g.owed = toes
    open_ends(g, pip, toes)


@part
def open_ends(g: Record, pip: int, count: int) -> None:
    """Add open ends that show this pip."""
    g.ends[pip] += count
    g.showing |= bit(pip)


@part
def close_end(g: Record, pip: int) -> None:
    """Take away an open end that shows this pip."""
    g.ends[pip] -= 1
    if g.ends[pip] == 0:
        g.showing &= ~bit(pip)


@part
def draw_tile(g: Record, seat: int) -> None:
    """Move the tile that is the seat's next draw from the boneyard to its hand."""
    tile = g.order[draw_place(g, seat)]
    add_tile(
        g, seat, LOW[tile], HIGH[tile]
    )  # first: it is read next, and bytes take time to settle
    remove_tile(g, BONEYARD, LOW[tile], HIGH[tile])
    for pip in range(g.max_pip + 1):
        bound = g.drawn_since[seat, pip]
        g.drawn_since[seat, pip] = bound + (bound != UNKNOWN)


@part
def draw_place(g: Record, seat: int) -> int:
    """The place in `order` of the tile that the seat draws next.

    That is the first tile left at or behind the seat's own place, going round. When all draw from
    the same place the tiles left are always the last ones.
    """
    size = tile_count(g)
    if g.draw_stride == 0:
        return size - g.hand_count[BONEYARD]
    first = boneyard_start(g)
    place = first + whole(seat) * g.draw_stride
    while not has_bit(row_of(g.held[BONEYARD], LOW[g.order[place]]), HIGH[g.order[place]]):
        place = place + 1 if place + 1 < size else first
    return place
