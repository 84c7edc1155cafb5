"""The rules of play, applied: compiled functions on one record. Nowhere else are they decided.

`apply` and `deal_due` are the way in; the rest is what they are made of. A legality question is
asked of a record `r`, which may be a GAME or a VIEW, the hand rows of the seat to act and the
number of tiles in the boneyard, so that a seat's view answers it by the same code as the game. How
a round begins is in `dealing`.

Mixing signed and unsigned integers gives float64 in compiled code, so all are signed but bit rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.bits import (
    EMPTY,
    bit,
    first_bit,
    has_bit,
    nth_bit,
    ones,
    row_of,
    without_first,
)
from chickenfoot_env.dealing import (
    after,
    close_end,
    deal,
    draw_tile,
    lay,
    lead,
    open_ends,
    open_foot,
    remove_tile,
)
from chickenfoot_env.game import (
    BONEYARD,
    GAME_OVER,
    NO_PIP,
    NO_ROUND,
    PLAYING,
    UNDEALT,
    UNKNOWN,
    WENT_OUT,
)
from chickenfoot_env.jit import Record, part, whole
from chickenfoot_env.rules import (
    DEAD_FOOT_TOO,
    FIRST_STUCK,
    FORBIDDEN,
    MAY,
    MAY_DRAW,
    MUST,
    NO,
    PENALTY,
    UNTIL_PLAYABLE,
)
from chickenfoot_env.tiles import Rows

# What is legal


@part
def open_row(r: Record) -> np.uint32:
    """The row of the pips by which a tile may be laid now (R11, R13, R15)."""
    return bit(r.foot) if r.owed > 0 else r.showing


@part
def is_open(r: Record, pip: int) -> bool:
    """Whether a tile may be laid by this pip."""
    return has_bit(open_row(r), pip)


@part
def is_barred(r: Record, hand: Rows) -> bool:
    """Whether the hand is one double, with which the rules forbid to go out."""
    if r.last_double != FORBIDDEN:
        return False
    halves = 0
    for pip in range(r.max_pip + 1):
        halves += ones(row_of(hand, pip))
    return halves == 1


@part
def halves(action: int, pips: int) -> tuple[int, int]:
    """The pips attach and free of an action that is a play; small numbers, so divided as such."""
    attach = whole(np.uint32(action) // np.uint32(pips))
    return attach, action - attach * pips


@part
def count_plays(r: Record, hand: Rows) -> int:
    """The number of legal plays of the seat to act, whose rows are `hand`."""
    if is_barred(r, hand):
        return 0
    row = open_row(r)
    count = 0
    while row != EMPTY:
        count += ones(row_of(hand, first_bit(row)))
        row = without_first(row)
    return count


@part
def drawable(r: Record, boneyard: int) -> int:
    """The number of tiles that may still be drawn of this many in the boneyard."""
    return max(boneyard - r.boneyard_reserve, 0)


@part
def may_draw(r: Record, plays: int, boneyard: int) -> bool:
    """Whether DRAW is legal for a seat with this many legal plays (R14)."""
    if plays > 0 or drawable(r, boneyard) == 0:
        return False
    return r.has_drawn == 0 or r.draw_count == UNTIL_PLAYABLE


@part
def may_pass(r: Record, plays: int, boneyard: int) -> bool:
    """Whether PASS is legal: nothing else is, or a playable tile just drawn is kept (R14)."""
    if plays > 0:
        return r.has_drawn == 1 and r.drawn_tile == MAY
    return r.draw_when_stuck == MAY_DRAW or not may_draw(r, plays, boneyard)


@part
def is_legal(r: Record, hand: Rows, boneyard: int, action: int) -> bool:
    """Whether the seat to act may take this action; any whole number is answered."""
    pips = whole(r.max_pip) + 1
    draw_id = pips * pips
    if r.over == GAME_OVER:
        return action == draw_id + 1
    if 0 <= action < draw_id:
        attach, free = halves(action, pips)
        fits = is_open(r, attach) and has_bit(row_of(hand, attach), free)
        return fits and not is_barred(r, hand)
    plays = count_plays(r, hand)
    if action == draw_id:
        return may_draw(r, plays, boneyard)
    return action == draw_id + 1 and may_pass(r, plays, boneyard)


@part
def write_legal_mask(r: Record, hand: Rows, boneyard: int, mask: NDArray[np.bool_]) -> None:
    """Set the legal actions in `mask`, (A,) and all False before."""
    pips = whole(r.max_pip) + 1
    draw_id = pips * pips
    if r.over == GAME_OVER:
        mask[draw_id + 1] = True
        return
    plays = 0
    row = EMPTY if is_barred(r, hand) else open_row(r)
    while row != EMPTY:
        attach = first_bit(row)
        tiles = row_of(hand, attach)
        plays += ones(tiles)
        while tiles != EMPTY:
            mask[attach * pips + first_bit(tiles)] = True
            tiles = without_first(tiles)
        row = without_first(row)
    mask[draw_id] = may_draw(r, plays, boneyard)
    mask[draw_id + 1] = may_pass(r, plays, boneyard)


@part
def count_legal(r: Record, plays: int, boneyard: int) -> int:
    """The number of legal actions for a seat with this many legal plays; never 0."""
    if r.over == GAME_OVER:
        return 1
    count = plays
    if may_draw(r, plays, boneyard):
        count += 1
    if may_pass(r, plays, boneyard):
        count += 1
    return count


@part
def nth_legal(r: Record, hand: Rows, plays: int, boneyard: int, n: int) -> int:
    """The n-th legal action in ascending order, counted from 0; there are more than n.

    `plays` is what `count_plays` says of the hand.
    """
    pips = whole(r.max_pip) + 1
    draw_id = pips * pips
    if r.over == GAME_OVER:
        return draw_id + 1
    if n >= plays:
        return draw_id if n == plays and may_draw(r, plays, boneyard) else draw_id + 1
    row = open_row(r)
    attach = first_bit(row)
    tiles = row_of(hand, attach)
    while n >= ones(tiles):
        n -= ones(tiles)
        row = without_first(row)
        attach = first_bit(row)
        tiles = row_of(hand, attach)
    return attach * pips + nth_bit(tiles, n)


# What a turn does


@part
def apply(g: Record, action: int) -> None:
    """Take a legal action, and score the round if that ends it; `deal_due` deals the next one."""
    if g.over == GAME_OVER:
        return
    pips = whole(g.max_pip) + 1
    if action < pips * pips:
        attach, free = halves(action, pips)
        play(g, attach, free)
    elif action == pips * pips:
        draw(g)
    else:
        pass_turn(g)
    settle(g)


@part
def play(g: Record, attach: int, free: int) -> None:
    """Lay the tile attach-free of the seat to act on an open `attach` (R11, R13, R15)."""
    seat = whole(g.seat)
    g.passes = 0
    spend_evidence(g, seat, attach, free)
    remove_tile(g, seat, attach, free)
    lay(g, attach, free)
    close_end(g, attach)
    if g.owed > 0:
        g.owed -= 1
    if attach == free:
        open_foot(g, attach, g.toes)
    else:
        open_ends(g, free, 1)
        if g.owed == 0:
            g.foot = NO_PIP
    if g.hand_count[seat] == 0:
        g.over = WENT_OUT
    end_turn(g)


@part
def draw(g: Record) -> None:
    """Draw a tile for the seat to act, which has just shown that it cannot play (R14)."""
    seat = whole(g.seat)
    g.passes = 0
    show_nothing_fits(g, seat)
    draw_tile(g, seat)
    g.has_drawn = 1
    if g.drawn_tile == NO:
        end_turn(g)


@part
def pass_turn(g: Record) -> None:
    """End the turn; it shows a hand without a play unless a playable tile may be kept (R14)."""
    if g.has_drawn == 0 or g.drawn_tile == MUST:
        show_nothing_fits(g, whole(g.seat))
    if g.has_drawn == 0:
        g.passes += 1
    end_turn(g)


@part
def end_turn(g: Record) -> None:
    """Hand the turn on clockwise (R12)."""
    g.seat = after(g, whole(g.seat))
    g.has_drawn = 0


# What everybody has seen


@part
def show_nothing_fits(g: Record, seat: int) -> None:
    """Record that the seat has no tile with any open pip.

    A last tile shows nothing where the rules forbid to go out with a double.
    """
    if g.last_double == FORBIDDEN and g.hand_count[seat] == 1:
        return
    row = open_row(g)
    while row != EMPTY:
        g.drawn_since[seat, first_bit(row)] = 0
        row = without_first(row)


@part
def spend_evidence(g: Record, seat: int, one: int, other: int) -> None:
    """Lower the bounds that a play proves to be lower.

    A tile with a pip whose bound is c was drawn after the seat showed that it had none, so it is
    one of the c tiles drawn since, and one of those drawn since any earlier showing as well.
    """
    bound = min(g.drawn_since[seat, one], g.drawn_since[seat, other])
    if bound == UNKNOWN:
        return
    for pip in range(g.max_pip + 1):
        if bound <= g.drawn_since[seat, pip] < UNKNOWN:
            g.drawn_since[seat, pip] -= 1


# How a round ends


@part
def settle(g: Record) -> None:
    """End the round if it is over."""
    if g.over == WENT_OUT or (g.over == PLAYING and is_blocked(g)):
        end_round(g)


@part
def deal_due(g: Record) -> None:
    """Deal the next round if one is due, and so on until somebody has a decision."""
    while g.over == UNDEALT:
        deal(g)
        settle(g)


@part
def is_blocked(g: Record) -> bool:
    """Whether the round is over although everybody has tiles (R17, Q21)."""
    if g.block_rule == DEAD_FOOT_TOO and is_foot_dead(g):
        return True
    if drawable(g, g.hand_count[BONEYARD]) > 0:
        return g.passes >= g.players
    if g.block_rule == FIRST_STUCK:
        return not has_play(g, g.held[g.seat])
    seat = whole(g.seat)  # most likely to have a play, so it is asked first
    for _ in range(g.players):
        if has_play(g, g.held[seat]):
            return False
        seat = after(g, seat)
    return True


@part
def has_play(g: Record, hand: Rows) -> bool:
    """Whether a seat with these rows could play if it had the turn."""
    if is_barred(g, hand):
        return False
    row = open_row(g)
    while row != EMPTY:
        if row_of(hand, first_bit(row)) != EMPTY:
            return True
        row = without_first(row)
    return False


@part
def is_foot_dead(g: Record) -> bool:
    """Whether arms or toes are owed and every tile that could be one is on the table."""
    return g.owed > 0 and ones(row_of(g.laid, g.foot)) == g.max_pip + 1


@part
def end_round(g: Record) -> None:
    """Charge every seat its hand (R18); another round is to be dealt, if there is one (R20)."""
    least = NO_ROUND
    seat = lead(g)
    finished = False
    for _ in range(g.players):
        points = round_points(g, seat)
        g.points[seat] += points
        if points == 0:
            g.zero_rounds[seat] += 1
        elif points < g.best_round[seat]:
            g.best_round[seat] = points
        if points < least or g.hand_count[seat] == 0:
            g.winner = seat
            least = points if g.hand_count[seat] > 0 else -1
        if g.target_points > 0 and g.points[seat] >= g.target_points:
            finished = True
        seat = after(g, seat)
    if g.over == PLAYING:
        g.blocked_rounds += 1
    if finished or g.round + 1 == g.rounds:
        g.over = GAME_OVER
    else:
        g.round += 1
        g.over = UNDEALT


@part
def round_points(g: Record, seat: int) -> int:
    """What the round costs the seat: its hand, or the penalty for going out with a double (R18)."""
    if g.hand_count[seat] == 0 and g.last_double == PENALTY:
        owed = g.starter_arms if g.foot == g.starter else g.toes
        if g.foot != NO_PIP and g.owed == owed:  # nothing has been laid on the double yet
            return whole(g.last_double_points)
    return hand_points(g, seat)


@part
def hand_points(g: Record, seat: int) -> int:
    """What the seat's hand costs: its pips, and what the rules charge for blanks (R18)."""
    points = 0
    for pip in range(g.max_pip + 1):
        row = row_of(g.held[seat], pip)
        points += pip * ones(row)
        if pip > 0 and has_bit(row, pip):
            points += pip
    blanks = row_of(g.held[seat], 0)
    if has_bit(blanks, 0):
        points += g.double_blank_points - g.blank_half_points
    return points + ones(blanks) * g.blank_half_points
