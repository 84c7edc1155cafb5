"""Where the tiles are, and how a round begins: compiled functions on one GAME record."""

from __future__ import annotations

from typing import Final

import numpy as np

from chickenfoot_env.bits import bit, has_bit
from chickenfoot_env.chance import below, fold
from chickenfoot_env.game import BONEYARD, NO_SEAT, PLAYING, UNKNOWN, WENT_OUT
from chickenfoot_env.jit import Record, compiled, whole
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


@compiled
def deal(g: Record) -> None:
    """Shuffle, deal, find the starter and lay it (R5-R10)."""
    deal_tiles(g, whole(0))
    open_round(g)


@compiled
def deal_tiles(g: Record, attempt: int) -> None:
    """Shuffle, and give everybody their tiles."""
    shuffle(g, attempt)
    if g.starter_source == SET_ASIDE:
        set_starter_aside(g)
    hand_out(g)


@compiled
def hand_out(g: Record) -> None:
    """Give the seats their tiles as they lie in the order, and the boneyard the rest (R5, R6)."""
    clear(g)
    first = 1 if g.starter_source == SET_ASIDE else 0
    yard = boneyard_start(g)
    for place in range(first, tile_count(g)):
        owner = (place - first) // g.hand_size if place < yard else BONEYARD
        add_tile(g, owner, LOW[g.order[place]], HIGH[g.order[place]])


@compiled
def open_round(g: Record) -> None:
    """Find the starter of the round whose tiles have been dealt, and lay it (R7-R10)."""
    g.hunted = 0
    if g.starter_source == SET_ASIDE:
        g.starter = g.starters[g.round]
        lay_starter(g, lead(g))
        return
    row = wanted(g)
    finder = holder(g, row)
    if finder == NO_SEAT and g.starter_missing == NEXT_LOWER_HELD and g.starter_rule == DESCENDING:
        finder = holder(g, np.uint32(row - np.uint32(1)))
        row = every_pip(g)
        if finder == NO_SEAT:
            finder = holder(g, row)
    attempt = whole(0)
    while finder == NO_SEAT and g.starter_missing == REDEAL:
        attempt += 1
        deal_tiles(g, attempt)
        finder = holder(g, row)
    if finder == NO_SEAT:
        finder = hunt(g, row)
    lay_starter(g, finder)


@compiled
def clear(g: Record) -> None:
    """Take all tiles off the table and out of the hands, and forget the evidence."""
    for pip in range(g.max_pip + 1):
        g.laid[pip] = 0
        g.ends[pip] = 0
        for owner in range(g.players):
            g.held[owner, pip] = 0
            g.drawn_since[owner, pip] = UNKNOWN
        g.held[BONEYARD, pip] = 0
    for owner in range(g.players):
        g.hand_count[owner] = 0
    g.hand_count[BONEYARD] = 0
    g.passes = 0
    g.over = PLAYING


@compiled
def shuffle(g: Record, attempt: int) -> None:
    """Put all tile ids in the random order of this seed, round and attempt (Fisher and Yates)."""
    size = tile_count(g)
    for place in range(size):
        g.order[place] = place
    stream = fold(g.seed, whole(g.round))
    if attempt > 0:
        stream = fold(stream, _SHUFFLE_AGAIN + attempt)
    for place in range(size - 1, 0, -1):
        stream, other = below(stream, place + 1)
        swap(g, place, other)


@compiled
def set_starter_aside(g: Record) -> None:
    """Move the starter to the first place, which is not dealt."""
    starter = whole(g.starters[g.round])
    place = 0
    while LOW[g.order[place]] != starter or HIGH[g.order[place]] != starter:
        place += 1
    swap(g, whole(0), place)


@compiled
def swap(g: Record, one: int, other: int) -> None:
    """Exchange the tiles in two places of the order."""
    tile = g.order[one]
    g.order[one] = g.order[other]
    g.order[other] = tile


@compiled
def every_pip(g: Record) -> np.uint32:
    """The row of all pips of the set."""
    return np.uint32(bit(g.max_pip + 1) - np.uint32(1))


@compiled
def wanted(g: Record) -> np.uint32:
    """The row of the pips whose double may open this round (R7, R8)."""
    if g.starter_rule == DESCENDING:
        return bit(whole(g.starters[g.round]))
    if g.starter_rule == HIGHEST_HELD:
        return every_pip(g)
    return np.uint32(every_pip(g) & ~g.opened)


@compiled
def holder(g: Record, row: np.uint32) -> int:
    """The seat that holds the highest double of the row, which becomes the starter, or NO_SEAT."""
    for pip in range(g.max_pip, -1, -1):
        if has_bit(row, pip):
            for seat in range(g.players):
                if has_bit(g.held[seat, pip], pip):
                    g.starter = pip
                    return whole(seat)
    return NO_SEAT


@compiled
def hunt(g: Record, row: np.uint32) -> int:
    """Let the seats draw until one holds a double of the row; that seat (R9, Q2)."""
    seat = first_hunter(g)
    finder = NO_SEAT
    while finder == NO_SEAT:
        for _ in range(g.players if g.starter_missing == DRAW_TOGETHER else 1):
            if g.hand_count[BONEYARD] > 0:
                draw_tile(g, seat)
                g.hunted += 1
            seat = after(g, seat)
        finder = holder(g, row)
    return finder


@compiled
def first_hunter(g: Record) -> int:
    """The seat that draws first in the hunt."""
    if g.hunt_first == PREVIOUS_WINNER and g.winner != NO_SEAT:
        return whole(g.winner)
    if g.hunt_first == HIGHEST_TILE:
        return heaviest_hand(g)
    if g.hunt_first == RANDOM_HUNTER:
        return below(fold(fold(g.seed, whole(g.round)), _HUNTER), whole(g.players))[1]
    return lead(g)


@compiled
def heaviest_hand(g: Record) -> int:
    """The seat with the tile of the most pips; of those with equally many, the larger half wins."""
    best, found = -1, 0
    for place in range(boneyard_start(g)):
        low, high = LOW[g.order[place]], HIGH[g.order[place]]
        for seat in range(g.players):
            if has_bit(g.held[seat, low], high) and (low + high) * 32 + high > best:
                best, found = (low + high) * 32 + high, seat
    return whole(found)


@compiled
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


@compiled
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


@compiled
def tile_count(g: Record) -> int:
    """T, the number of tiles in the set."""
    return whole(g.max_pip + 1) * (g.max_pip + 2) // 2


@compiled
def boneyard_start(g: Record) -> int:
    """The place in `order` where the boneyard begins."""
    aside = 1 if g.starter_source == SET_ASIDE else 0
    return whole(g.players) * g.hand_size + aside


@compiled
def after(g: Record, seat: int) -> int:
    """The next seat clockwise (R12)."""
    return seat + 1 if seat + 1 < g.players else 0


@compiled
def add_tile(g: Record, owner: int, one: int, other: int) -> None:
    """Give the owner a tile."""
    g.held[owner, one] |= bit(other)
    g.held[owner, other] |= bit(one)
    g.hand_count[owner] += 1


@compiled
def remove_tile(g: Record, owner: int, one: int, other: int) -> None:
    """Take a tile from the owner."""
    g.held[owner, one] &= ~bit(other)
    g.held[owner, other] &= ~bit(one)
    g.hand_count[owner] -= 1


@compiled
def lay(g: Record, one: int, other: int) -> None:
    """Put a tile on the table."""
    g.laid[one] |= bit(other)
    g.laid[other] |= bit(one)


@compiled
def open_foot(g: Record, pip: int, toes: int) -> None:
    """Owe this many tiles to the double just laid, each of them an open end."""
    g.foot = pip
    g.owed = toes
    g.ends[pip] += toes


@compiled
def draw_tile(g: Record, seat: int) -> None:
    """Move the tile that is the seat's next draw from the boneyard to its hand."""
    tile = g.order[draw_place(g, seat)]
    remove_tile(g, BONEYARD, LOW[tile], HIGH[tile])
    add_tile(g, seat, LOW[tile], HIGH[tile])
    for pip in range(g.max_pip + 1):
        if g.drawn_since[seat, pip] != UNKNOWN:
            g.drawn_since[seat, pip] += 1


@compiled
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
    while not has_bit(g.held[BONEYARD, LOW[g.order[place]]], HIGH[g.order[place]]):
        place = place + 1 if place + 1 < size else first
    return place
