"""The rules, applied: compiled functions on one record. Nowhere else is a rule of play decided.

`apply` and `start` are the way in; the rest is what they are made of. A legality question is asked
of a record `r`, which may be a GAME or a VIEW, the hand rows of the seat to act and the number of
tiles in the boneyard, so that a seat's view answers it by the same code as the game.

Two facts about compiled integers shape the code. Mixing signed and unsigned gives float64, so all
integers are signed but the bit rows. Arithmetic on uint32 widens to 64 bits, so what may overflow
is masked.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.chance import below, fold
from chickenfoot_env.game import (
    BLOCKED,
    BONEYARD,
    GAME_OVER,
    NO_PIP,
    NO_ROUND,
    PLAYING,
    UNKNOWN,
    WENT_OUT,
)
from chickenfoot_env.jit import Record, compiled, whole
from chickenfoot_env.rules import MAY, MUST, NO
from chickenfoot_env.tiles import HIGH, LOW

_ONE: Final = np.uint32(1)
_EMPTY: Final = np.uint32(0)


# Bit rows


@compiled
def bit(pip: int) -> np.uint32:
    """The row with this one bit set."""
    return np.uint32(_ONE << np.uint32(pip))


@compiled
def has_bit(row: np.uint32, pip: int) -> bool:
    """Whether the bit is set."""
    return (row >> np.uint32(pip)) & _ONE != _EMPTY


@compiled
def ones(row: np.uint32) -> int:
    """The number of bits set; rows have at most 19."""
    row = row - ((row >> np.uint32(1)) & np.uint32(0x55555555))
    row = (row & np.uint32(0x33333333)) + ((row >> np.uint32(2)) & np.uint32(0x33333333))
    row = (row + (row >> np.uint32(4))) & np.uint32(0x0F0F0F0F)
    row = row + (row >> np.uint32(8))
    return whole((row + (row >> np.uint32(16))) & np.uint32(0x3F))


@compiled
def nth_bit(row: np.uint32, n: int) -> int:
    """The place of the n-th bit set, counted from 0; the row has more than n."""
    for _ in range(n):
        row = row & (row - _ONE)
    return ones((row & ~(row - _ONE)) - _ONE)


# What is legal


@compiled
def is_open(r: Record, pip: int) -> bool:
    """Whether a tile may be laid by this pip (R11, R13, R15)."""
    if r.owed > 0:
        return pip == r.foot
    return r.ends[pip] > 0


@compiled
def count_plays(r: Record, hand: NDArray[np.uint32]) -> int:
    """The number of legal plays of the seat to act, whose rows are `hand`."""
    if r.owed > 0:
        return ones(hand[r.foot])
    count = 0
    for pip in range(r.max_pip + 1):
        if r.ends[pip] > 0:
            count += ones(hand[pip])
    return count


@compiled
def may_draw(r: Record, plays: int, boneyard: int) -> bool:
    """Whether DRAW is legal for a seat with this many legal plays (R14)."""
    return plays == 0 and r.has_drawn == 0 and boneyard > 0


@compiled
def may_pass(r: Record, plays: int, boneyard: int) -> bool:
    """Whether PASS is legal: nothing else is, or a playable tile just drawn is kept (R14)."""
    if plays > 0:
        return r.has_drawn == 1 and r.drawn_tile == MAY
    return not may_draw(r, plays, boneyard)


@compiled
def is_legal(r: Record, hand: NDArray[np.uint32], boneyard: int, action: int) -> bool:
    """Whether the seat to act may take this action; any whole number is answered."""
    pips = r.max_pip + 1
    draw_id = pips * pips
    if r.over == GAME_OVER:
        return action == draw_id + 1
    if 0 <= action < draw_id:
        attach = action // pips
        return is_open(r, attach) and has_bit(hand[attach], action % pips)
    plays = count_plays(r, hand)
    if action == draw_id:
        return may_draw(r, plays, boneyard)
    return action == draw_id + 1 and may_pass(r, plays, boneyard)


@compiled
def write_legal_mask(
    r: Record, hand: NDArray[np.uint32], boneyard: int, mask: NDArray[np.bool_]
) -> None:
    """Set the legal actions in `mask`, (A,) and all False before."""
    pips = r.max_pip + 1
    draw_id = pips * pips
    if r.over == GAME_OVER:
        mask[draw_id + 1] = True
        return
    plays = 0
    for attach in range(pips):
        if is_open(r, attach):
            row = hand[attach]
            plays += ones(row)
            for free in range(pips):
                if has_bit(row, free):
                    mask[attach * pips + free] = True
    mask[draw_id] = may_draw(r, plays, boneyard)
    mask[draw_id + 1] = may_pass(r, plays, boneyard)


@compiled
def count_legal(r: Record, hand: NDArray[np.uint32], boneyard: int) -> int:
    """The number of legal actions; never 0."""
    if r.over == GAME_OVER:
        return 1
    plays = count_plays(r, hand)
    if plays == 0:
        return 1
    return plays + 1 if may_pass(r, plays, boneyard) else plays


@compiled
def nth_legal(r: Record, hand: NDArray[np.uint32], boneyard: int, n: int) -> int:
    """The n-th legal action in ascending order, counted from 0; there are more than n."""
    pips = r.max_pip + 1
    draw_id = pips * pips
    if r.over == GAME_OVER:
        return draw_id + 1
    plays = 0
    for attach in range(pips):
        if is_open(r, attach):
            here = ones(hand[attach])
            if n < plays + here:
                return attach * pips + nth_bit(hand[attach], n - plays)
            plays += here
    return draw_id if may_draw(r, plays, boneyard) else draw_id + 1


# What a turn does


@compiled
def apply(g: Record, action: int) -> None:
    """Take a legal action, and whatever follows without a decision: scores and the next deal."""
    if g.over == GAME_OVER:
        return
    pips = g.max_pip + 1
    if action < pips * pips:
        play(g, action // pips, action % pips)
    elif action == pips * pips:
        draw(g)
    else:
        pass_turn(g)
    settle(g)


@compiled
def play(g: Record, attach: int, free: int) -> None:
    """Lay the tile attach-free of the seat to act on an open `attach` (R11, R13, R15)."""
    seat = whole(g.seat)
    spend_evidence(g, seat, attach, free)
    remove_tile(g, seat, attach, free)
    lay(g, attach, free)
    g.ends[attach] -= 1
    if g.owed > 0:
        g.owed -= 1
    if attach == free:
        open_foot(g, attach, g.toes)
    else:
        g.ends[free] += 1
        if g.owed == 0:
            g.foot = NO_PIP
    if g.hand_count[seat] == 0:
        g.over = WENT_OUT
    end_turn(g)


@compiled
def draw(g: Record) -> None:
    """Draw a tile for the seat to act, which has just shown that it cannot play (R14)."""
    seat = whole(g.seat)
    show_nothing_fits(g, seat)
    draw_tile(g, seat)
    g.has_drawn = 1
    if g.drawn_tile == NO:
        end_turn(g)


@compiled
def pass_turn(g: Record) -> None:
    """End the turn; it shows a hand without a play unless a playable tile may be kept (R14)."""
    if g.has_drawn == 0 or g.drawn_tile == MUST:
        show_nothing_fits(g, whole(g.seat))
    end_turn(g)


@compiled
def end_turn(g: Record) -> None:
    """Hand the turn on clockwise (R12)."""
    g.seat = after(g, whole(g.seat))
    g.has_drawn = 0


@compiled
def after(g: Record, seat: int) -> int:
    """The next seat clockwise."""
    return seat + 1 if seat + 1 < g.players else 0


@compiled
def open_foot(g: Record, pip: int, toes: int) -> None:
    """Owe this many tiles to the double just laid, each of them an open end."""
    g.foot = pip
    g.owed = toes
    g.ends[pip] += toes


# How a round ends


@compiled
def settle(g: Record) -> None:
    """End the round if it is over, deal the next one, and so on until somebody has a decision."""
    while g.over != GAME_OVER:
        if g.over == PLAYING:
            if not is_blocked(g):
                return
            g.over = BLOCKED
        end_round(g)


@compiled
def is_blocked(g: Record) -> bool:
    """Whether the boneyard is empty and no seat has a legal play (R17, Q21)."""
    if g.hand_count[BONEYARD] > 0:
        return False
    for pip in range(g.max_pip + 1):
        if is_open(g, pip):
            for seat in range(g.players):
                if g.held[seat, pip] != _EMPTY:
                    return False
    return True


@compiled
def end_round(g: Record) -> None:
    """Charge every seat its hand (R18), then deal the next round or end the game (R20)."""
    for seat in range(g.players):
        points = hand_points(g, seat)
        g.points[seat] += points
        if points == 0:
            g.zero_rounds[seat] += 1
        elif points < g.best_round[seat]:
            g.best_round[seat] = points
    if g.over == BLOCKED:
        g.blocked_rounds += 1
    if g.round + 1 == g.rounds:
        g.over = GAME_OVER
    else:
        g.round += 1
        deal(g)


@compiled
def hand_points(g: Record, seat: int) -> int:
    """What the seat's hand costs: its pips, and the double-blank as the rules say (R18)."""
    points = 0
    for pip in range(g.max_pip + 1):
        row = g.held[seat, pip]
        points += pip * ones(row)
        if has_bit(row, pip):
            points += pip if pip > 0 else g.double_blank_points
    return points


# How a round begins


@compiled
def start(g: Record) -> None:
    """Deal the first round of a record that has its rules, starters, seed and stride."""
    for seat in range(g.players):
        g.points[seat] = 0
        g.zero_rounds[seat] = 0
        g.best_round[seat] = NO_ROUND
    g.round = 0
    g.blocked_rounds = 0
    deal(g)
    settle(g)


@compiled
def deal(g: Record) -> None:
    """Shuffle, deal, hunt for the starter and lay it (R5-R10)."""
    clear(g)
    shuffle(g)
    dealt = whole(g.players) * g.hand_size
    for place in range(tile_count(g)):
        holder = place // g.hand_size if place < dealt else BONEYARD
        add_tile(g, holder, LOW[g.order[place]], HIGH[g.order[place]])
    g.starter = g.starters[g.round]
    finder = hunt(g)
    lay_starter(g, finder)


@compiled
def clear(g: Record) -> None:
    """Take all tiles off the table and out of the hands, and forget the evidence."""
    for pip in range(g.max_pip + 1):
        g.laid[pip] = 0
        g.ends[pip] = 0
        for holder in range(g.players):
            g.held[holder, pip] = 0
            g.drawn_since[holder, pip] = UNKNOWN
        g.held[BONEYARD, pip] = 0
    for holder in range(g.players):
        g.hand_count[holder] = 0
    g.hand_count[BONEYARD] = 0
    g.over = PLAYING


@compiled
def tile_count(g: Record) -> int:
    """T, the number of tiles in the set."""
    return whole(g.max_pip + 1) * (g.max_pip + 2) // 2


@compiled
def shuffle(g: Record) -> None:
    """Put all tile ids in the random order of this seed and round (Fisher and Yates)."""
    size = tile_count(g)
    for place in range(size):
        g.order[place] = place
    stream = fold(g.seed, whole(g.round))
    for place in range(size - 1, 0, -1):
        stream, other = below(stream, place + 1)
        tile = g.order[place]
        g.order[place] = g.order[other]
        g.order[other] = tile


@compiled
def hunt(g: Record) -> int:
    """The seat that holds the starter, once the seats have drawn for it if need be (R9, Q2)."""
    for seat in range(g.players):
        if has_bit(g.held[seat, g.starter], g.starter):
            g.hunted = 0
            return whole(seat)
    seat = whole(g.round) % g.players
    hunted = 1
    draw_tile(g, seat)
    while not has_bit(g.held[seat, g.starter], g.starter):
        seat = after(g, seat)
        draw_tile(g, seat)
        hunted += 1
    g.hunted = hunted
    return seat


@compiled
def lay_starter(g: Record, finder: int) -> None:
    """Lay the starter for the seat that has it, which is its turn (R7, R8, R10)."""
    starter = whole(g.starter)
    g.finder = finder
    remove_tile(g, finder, starter, starter)
    lay(g, starter, starter)
    open_foot(g, starter, g.starter_arms)
    if g.hand_count[finder] == 0:
        g.over = WENT_OUT
    g.seat = finder
    end_turn(g)


# Where the tiles are


@compiled
def add_tile(g: Record, holder: int, one: int, other: int) -> None:
    """Give the holder a tile."""
    g.held[holder, one] |= bit(other)
    g.held[holder, other] |= bit(one)
    g.hand_count[holder] += 1


@compiled
def remove_tile(g: Record, holder: int, one: int, other: int) -> None:
    """Take a tile from the holder."""
    g.held[holder, one] &= ~bit(other)
    g.held[holder, other] &= ~bit(one)
    g.hand_count[holder] -= 1


@compiled
def lay(g: Record, one: int, other: int) -> None:
    """Put a tile on the table."""
    g.laid[one] |= bit(other)
    g.laid[other] |= bit(one)


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
    first = whole(g.players) * g.hand_size
    place = first + whole(seat) * g.draw_stride
    while not has_bit(g.held[BONEYARD, LOW[g.order[place]]], HIGH[g.order[place]]):
        place = place + 1 if place + 1 < size else first
    return place


# What everybody has seen


@compiled
def show_nothing_fits(g: Record, seat: int) -> None:
    """Record that the seat has no tile with any open pip."""
    for pip in range(g.max_pip + 1):
        if is_open(g, pip):
            g.drawn_since[seat, pip] = 0


@compiled
def spend_evidence(g: Record, seat: int, one: int, other: int) -> None:
    """Lower the bounds that a play proves to be lower.

    A tile with a pip whose bound is c was drawn after the seat showed that it had none, so it is
    one of the c tiles drawn since, and one of those drawn since any earlier showing as well.
    """
    bound = whole(g.drawn_since[seat, one])
    second = whole(g.drawn_since[seat, other])
    if bound == UNKNOWN or (second != UNKNOWN and second < bound):
        bound = second
    if bound == UNKNOWN:
        return
    for pip in range(g.max_pip + 1):
        if g.drawn_since[seat, pip] >= bound:
            g.drawn_since[seat, pip] -= 1
