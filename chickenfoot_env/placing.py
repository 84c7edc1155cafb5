"""Where the hidden tiles may lie, and random ways to place them: compiled functions on one PLAN.

A plan is made once from a view and serves any number of worlds. The other seats' hands and the
boneyard are *slots*, as many as there are hidden tiles. The slots of a hand are numbered by age:
slot i takes a tile if and only if all the bounds in `drawn_since` of the tile's two pips are above
i, so slot 0 is the tile drawn last. With nested bounds a hand can be put into its slots if and
only if the evidence allows it. Slots of a hand between the same two bounds take the same tiles and
are one *part* of it.

Every way to place the tiles is as likely as every other. In turn, those with the fewest slots
first, each tile chooses among all the free slots that take it. That is uniform if the tiles' slots
are nested, as when one hand alone has evidence. Otherwise tiles then move on from slot to slot by
chains of steps whose way back is as likely, so that the uniform law stays once it is reached. With
`MOVES` for each tile, or half as many, no difference from it was found: in 60 positions with far
more evidence than play gives, 60,000 worlds each, beside all ways counted, and in 36 positions of
play, 40,000 worlds each, beside 64 moves for each tile.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from chickenfoot_env.bits import has_bit
from chickenfoot_env.chance import below
from chickenfoot_env.dealing import tile_count
from chickenfoot_env.jit import Record, part, whole
from chickenfoot_env.rules import (
    DESCENDING,
    HIGHEST_UNPLAYED_HELD,
    MAX_PLAYERS,
    MAX_ROUNDS,
    SET_ASIDE,
)
from chickenfoot_env.tiles import HIGH, LOW, MAX_PIPS, MAX_TILES

NOTHING: Final = 255  # in place of a tile or a slot
_MOST_PARTS: Final = MAX_PIPS + 2  # of a hand: one behind each bound, one before them all

MOVES: Final = 4  # of each bound tile, on average

# Holder 0 is the boneyard, whose slots are the last; the observer, seat 0, has no hidden tile.
PLAN: Final = np.dtype(
    [
        ("holders", "i2"),
        ("hidden", "i2"),  # number of hidden tiles
        ("bound", "i2"),  # number of those that cannot lie in every slot
        ("nested", "i2"),  # 1 if of any two bound tiles one can lie wherever the other can
        ("tile", "u1", (MAX_TILES,)),  # ids of the hidden tiles, the bound ones first
        ("reach", "u1", (MAX_TILES, MAX_PLAYERS)),  # parts of each holder that take the tile
        ("slots", "i2", (MAX_TILES,)),  # number of slots that take the tile
        ("parts", "i2", (MAX_PLAYERS,)),  # number of parts of each holder
        ("first", "i2", (MAX_PLAYERS,)),  # first slot of each holder
        ("room", "i2", (MAX_PLAYERS, _MOST_PARTS + 1)),  # slots in the first so many parts
        ("slot_holder", "u1", (MAX_TILES,)),
        ("slot_part", "u1", (MAX_TILES,)),
        # What is written anew for each world.
        ("free", "i2", (MAX_PLAYERS, _MOST_PARTS + 1)),  # free slots in the first so many parts
        ("slot", "u1", (MAX_TILES,)),  # of each bound tile
        ("content", "u1", (MAX_TILES,)),  # the bound tile in each slot, or NOTHING
        ("wanted_by", "u1", (MAX_TILES,)),  # the tile that would move to this slot, or NOTHING
        ("queue", "u1", (MAX_TILES,)),  # of tiles that would move
        ("trail", "u1", (MAX_TILES,)),  # the slots from which tiles have been driven out
        ("kept", "u1", (MAX_PLAYERS,)),  # a row of `reach` while it is another
    ],
    align=True,
)


# Made once from a view


@part
def make_plan(v: Record, p: Record) -> bool:
    """Fill `p` from the view; False if its numbers are out of range or its tiles do not add up."""
    if not _is_in_range(v):
        return False
    p.holders = v.players
    if not _find_slots(v, p):
        return False
    count = whole(0)
    p.bound = 0
    for high in range(v.max_pip + 1):
        for low in range(high + 1):
            if not (has_bit(v.hand[low], high) or has_bit(v.laid[low], high)):
                if count == p.hidden:
                    return False
                _insert(v, p, count, high * (high + 1) // 2 + low)
                count += 1
    p.nested = 1
    for k in range(p.bound - 1):
        for holder in range(p.holders):
            if p.reach[k, holder] > p.reach[k + 1, holder]:
                p.nested = 0
    return count == whole(p.hidden)


@part
def _is_in_range(v: Record) -> bool:
    """Whether all that is used as an index can be."""
    if not (2 <= v.players <= MAX_PLAYERS and 2 <= v.max_pip < MAX_PIPS):
        return False
    if not (1 <= v.rounds <= MAX_ROUNDS and 0 <= v.turn < v.players and v.foot <= v.max_pip):
        return False
    return whole(v.showing) >> (whole(v.max_pip) + 1) == 0


@part
def _find_slots(v: Record, p: Record) -> bool:
    total = whole(0)
    for number in range(1, p.holders + 1):
        holder = number if number < p.holders else 0
        size = whole(v.boneyard if holder == 0 else v.hand_count[holder])
        if size < 0 or total + size > MAX_TILES:
            return False
        p.first[holder] = total
        p.room[holder, 0] = 0
        parts = whole(0)
        edge = size if holder == 0 else _next_bound(v, holder, whole(-1), size)
        while edge < size:
            parts += 1
            p.room[holder, parts] = edge
            edge = _next_bound(v, holder, edge, size)
        parts += 1
        p.room[holder, parts] = size
        p.parts[holder] = parts
        for each in range(parts):
            for place in range(p.room[holder, each], p.room[holder, each + 1]):
                p.slot_holder[total + place] = holder
                p.slot_part[total + place] = each
        total += size
    p.hidden = total
    return True


@part
def _next_bound(v: Record, seat: int, above: int, size: int) -> int:
    """The lowest bound of the seat that is greater than `above`, or `size` if none is lower."""
    found = size
    for pip in range(v.max_pip + 1):
        bound = whole(v.drawn_since[seat, pip])
        if above < bound < found:
            found = bound
    drawn = _drawn(v)
    if v.starter_rule != DESCENDING and above < drawn < found:
        found = drawn
    return found


@part
def _drawn(v: Record) -> int:
    """The number of tiles drawn in this round, the hunt included."""
    aside = 1 if v.starter_source == SET_ASIDE else 0
    dealt = whole(v.players) * whole(v.hand_size)
    return max(tile_count(v) - aside - dealt - whole(v.boneyard), 0)


@part
def _most(v: Record, seat: int, tile: int) -> int:
    """Slots from this one on do not take the tile, whatever the size of the hand."""
    low, high = LOW[tile], HIGH[tile]
    most = min(whole(v.drawn_since[seat, low]), whole(v.drawn_since[seat, high]))
    if low == high and low > v.starter and v.starter_rule != DESCENDING:
        opened = v.starter_rule == HIGHEST_UNPLAYED_HELD and has_bit(v.opened, low)
        if not opened:  # it would have been the starter, had anybody held it
            most = min(most, _drawn(v))
    return most


@part
def _insert(v: Record, p: Record, count: int, tile: int) -> None:
    """Add a tile behind `count` others, the bound ones in order of the slots that take them."""
    slots = whole(p.room[0, 1])
    k = count
    p.reach[k, 0] = 1
    for seat in range(1, p.holders):
        most = _most(v, seat, tile)
        reach = whole(0)
        while reach < p.parts[seat] and p.room[seat, reach + 1] <= most:
            reach += 1
        p.reach[k, seat] = reach
        slots += p.room[seat, reach]
    p.tile[k], p.slots[k] = tile, slots
    if slots == p.hidden:
        return
    _exchange(p, k, whole(p.bound))
    k = whole(p.bound)
    p.bound += 1
    while k > 0 and p.slots[k] < p.slots[k - 1]:
        _exchange(p, k, k - 1)
        k -= 1


@part
def _exchange(p: Record, one: int, other: int) -> None:
    tile, slots = p.tile[one], p.slots[one]
    p.tile[one], p.slots[one] = p.tile[other], p.slots[other]
    p.tile[other], p.slots[other] = tile, slots
    for holder in range(p.holders):
        reach = p.reach[one, holder]
        p.reach[one, holder] = p.reach[other, holder]
        p.reach[other, holder] = reach


# Done for each world


@part
def place(p: Record, stream: np.uint64) -> tuple[np.uint64, bool]:
    """Give every bound tile a slot, in `slot` and `content`; False if that cannot be done."""
    _empty(p)
    for holder in range(p.holders):
        for each in range(p.parts[holder] + 1):
            p.free[holder, each] = p.room[holder, each]
    for k in range(p.bound):
        stream, slot = _choose_slot(p, stream, k)
        if slot != NOTHING:
            _put(p, k, slot)
        elif not _make_room(p, k):
            return stream, False
    if p.nested == 0:
        for _ in range(MOVES * p.bound):
            stream, k = below(stream, whole(p.bound))
            stream = _move_on(p, stream, k)
    return stream, True


@part
def _empty(p: Record) -> None:
    for slot in range(p.hidden):
        p.content[slot] = NOTHING


@part
def _put(p: Record, k: int, slot: int) -> None:
    p.slot[k] = slot
    p.content[slot] = k


@part
def _choose_slot(p: Record, stream: np.uint64, k: int) -> tuple[np.uint64, int]:
    """Choose among the free slots that take the tile; NOTHING if there is none."""
    total = whole(0)
    for holder in range(p.holders):
        total += p.free[holder, p.reach[k, holder]]
    if total == 0:
        return stream, whole(NOTHING)
    stream, n = below(stream, total)
    holder = whole(0)
    while n >= p.free[holder, p.reach[k, holder]]:
        n -= p.free[holder, p.reach[k, holder]]
        holder += 1
    each = whole(0)
    while n >= p.free[holder, each + 1]:
        each += 1
    # The slots of a part are filled from its last one down.
    left = p.free[holder, each + 1] - p.free[holder, each]
    _fill(p, holder, each)
    return stream, whole(p.first[holder]) + p.room[holder, each] + left - 1


@part
def _fill(p: Record, holder: int, each: int) -> None:
    """Count one free slot less in this part."""
    for later in range(each + 1, p.parts[holder] + 1):
        p.free[holder, later] -= 1


@part
def _move_on(p: Record, stream: np.uint64, k: int) -> np.uint64:
    """Move a bound tile to any slot that takes it, and on with the tile that it drives out.

    It ends with a slot that no bound tile is in. The way back is as likely, step by step. A way
    that gets too long is taken back.
    """
    p.trail[0] = p.slot[k]
    p.content[p.slot[k]] = NOTHING
    steps = whole(1)
    while k != NOTHING and steps < MAX_TILES:
        stream, slot = below(stream, whole(p.hidden))
        if _takes(p, slot, k):
            p.trail[steps] = slot
            steps += 1
            driven_out = whole(p.content[slot])
            _put(p, k, slot)
            k = driven_out
    while k != NOTHING:
        steps -= 1
        slot = whole(p.trail[steps])
        driven_out = whole(p.content[slot])
        _put(p, k, slot)
        k = driven_out
    return stream


@part
def _takes(p: Record, slot: int, k: int) -> bool:
    """Whether the slot takes the k-th hidden tile."""
    return whole(p.slot_part[slot]) < whole(p.reach[k, p.slot_holder[slot]])


@part
def _make_room(p: Record, k: int) -> bool:
    """Give the tile a slot by moving others, if that can be done (an augmenting path, Berge 1957).

    Asked in turn are the tiles in all slots that would do for it, those in the slots that would do
    for them, and so on, until one could move to a free slot.
    """
    for slot in range(p.hidden):
        p.wanted_by[slot] = NOTHING
    p.queue[0] = k
    head, tail = whole(0), whole(1)
    while head < tail:
        mover = whole(p.queue[head])
        head += 1
        for slot in range(p.hidden - 1, -1, -1):
            if p.wanted_by[slot] == NOTHING and _takes(p, slot, mover):
                p.wanted_by[slot] = mover
                if p.content[slot] == NOTHING:
                    _fill(p, p.slot_holder[slot], p.slot_part[slot])
                    _move_along(p, whole(slot), k)
                    return True
                p.queue[tail] = p.content[slot]
                tail += 1
    return False


@part
def _move_along(p: Record, slot: int, k: int) -> None:
    """Move every tile on the path that ends in this free slot, back to the k-th tile."""
    mover = whole(p.wanted_by[slot])
    while mover != k:
        left = whole(p.slot[mover])
        _put(p, mover, slot)
        slot = left
        mover = whole(p.wanted_by[slot])
    _put(p, k, slot)


@part
def place_with(p: Record, stream: np.uint64, k: int, holder: int) -> tuple[np.uint64, bool]:
    """Give every hidden tile a slot, the k-th one of this holder; False if that cannot be done."""
    bound, nested = whole(p.bound), whole(p.nested)
    p.bound, p.nested = p.hidden, 0
    for other in range(p.holders):
        p.kept[other] = p.reach[k, other]
        p.reach[k, other] = p.kept[other] if other == holder else 0
    stream, placed = place(p, stream)
    for other in range(p.holders):
        p.reach[k, other] = p.kept[other]
    p.bound, p.nested = bound, nested
    return stream, placed
