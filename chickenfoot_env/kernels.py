"""The rules of play, applied: compiled functions on one record. Nowhere else are they decided.

`start` and `apply` are the way in; the rest is what they are made of. A legality question is asked
of a record `r`, which may be a GAME or a VIEW, the hand rows of the seat to act and the number of
tiles in the boneyard, so that a seat's view answers it by the same code as the game. How a round
begins is in `dealing`.

Mixing signed and unsigned integers gives float64 in compiled code, so all are signed but bit rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.bits import EMPTY, has_bit, nth_bit, ones
from chickenfoot_env.dealing import after, deal, draw_tile, lay, lead, open_foot, remove_tile
from chickenfoot_env.game import (
    BONEYARD,
    GAME_OVER,
    NO_PIP,
    NO_ROUND,
    NO_SEAT,
    PLAYING,
    UNDEALT,
    UNKNOWN,
    WENT_OUT,
)
from chickenfoot_env.jit import Record, compiled, whole
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

# What is legal


@compiled
def is_open(r: Record, pip: int) -> bool:
    """Whether a tile may be laid by this pip (R11, R13, R15)."""
    if r.owed > 0:
        return pip == r.foot
    return r.ends[pip] > 0


@compiled
def is_barred(r: Record, hand: NDArray[np.uint32]) -> bool:
    """Whether the hand is one double, with which the rules forbid to go out."""
    if r.last_double != FORBIDDEN:
        return False
    halves = 0
    for pip in range(r.max_pip + 1):
        halves += ones(hand[pip])
    return halves == 1


@compiled
def count_plays(r: Record, hand: NDArray[np.uint32]) -> int:
    """The number of legal plays of the seat to act, whose rows are `hand`."""
    if is_barred(r, hand):
        return 0
    if r.owed > 0:
        return ones(hand[r.foot])
    count = 0
    for pip in range(r.max_pip + 1):
        if r.ends[pip] > 0:
            count += ones(hand[pip])
    return count


@compiled
def drawable(r: Record, boneyard: int) -> int:
    """The number of tiles that may still be drawn of this many in the boneyard."""
    return max(boneyard - r.boneyard_reserve, 0)


@compiled
def may_draw(r: Record, plays: int, boneyard: int) -> bool:
    """Whether DRAW is legal for a seat with this many legal plays (R14)."""
    if plays > 0 or drawable(r, boneyard) == 0:
        return False
    return r.has_drawn == 0 or r.draw_count == UNTIL_PLAYABLE


@compiled
def may_pass(r: Record, plays: int, boneyard: int) -> bool:
    """Whether PASS is legal: nothing else is, or a playable tile just drawn is kept (R14)."""
    if plays > 0:
        return r.has_drawn == 1 and r.drawn_tile == MAY
    return r.draw_when_stuck == MAY_DRAW or not may_draw(r, plays, boneyard)


@compiled
def is_legal(r: Record, hand: NDArray[np.uint32], boneyard: int, action: int) -> bool:
    """Whether the seat to act may take this action; any whole number is answered."""
    pips = r.max_pip + 1
    draw_id = pips * pips
    if r.over == GAME_OVER:
        return action == draw_id + 1
    if 0 <= action < draw_id:
        attach = action // pips
        fits = is_open(r, attach) and has_bit(hand[attach], action % pips)
        return fits and not is_barred(r, hand)
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
    plays = count_plays(r, hand)
    if plays > 0:
        for attach in range(pips):
            if is_open(r, attach):
                for free in range(pips):
                    mask[attach * pips + free] = has_bit(hand[attach], free)
    mask[draw_id] = may_draw(r, plays, boneyard)
    mask[draw_id + 1] = may_pass(r, plays, boneyard)


@compiled
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


@compiled
def nth_legal(r: Record, hand: NDArray[np.uint32], plays: int, boneyard: int, n: int) -> int:
    """The n-th legal action in ascending order, counted from 0; there are more than n.

    `plays` is what `count_plays` says of the hand.
    """
    pips = r.max_pip + 1
    draw_id = pips * pips
    if r.over == GAME_OVER:
        return draw_id + 1
    if n >= plays:
        return draw_id if n == plays and may_draw(r, plays, boneyard) else draw_id + 1
    attach = 0
    while not is_open(r, attach) or n >= ones(hand[attach]):
        if is_open(r, attach):
            n -= ones(hand[attach])
        attach += 1
    return attach * pips + nth_bit(hand[attach], n)


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
    g.passes = 0
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
    g.passes = 0
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
    if g.has_drawn == 0:
        g.passes += 1
    end_turn(g)


@compiled
def end_turn(g: Record) -> None:
    """Hand the turn on clockwise (R12)."""
    g.seat = after(g, whole(g.seat))
    g.has_drawn = 0


# What everybody has seen


@compiled
def show_nothing_fits(g: Record, seat: int) -> None:
    """Record that the seat has no tile with any open pip.

    A last tile shows nothing where the rules forbid to go out with a double.
    """
    if g.last_double == FORBIDDEN and g.hand_count[seat] == 1:
        return
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


# How a round ends


@compiled
def settle(g: Record) -> None:
    """End the round if it is over, deal the next one, and so on until somebody has a decision."""
    while g.over != GAME_OVER:
        if g.over == UNDEALT:
            deal(g)
        elif g.over == WENT_OUT or is_blocked(g):
            end_round(g)
        else:
            return


@compiled
def is_blocked(g: Record) -> bool:
    """Whether the round is over although everybody has tiles (R17, Q21)."""
    if g.block_rule == DEAD_FOOT_TOO and is_foot_dead(g):
        return True
    if drawable(g, g.hand_count[BONEYARD]) > 0:
        return g.passes >= g.players
    if g.block_rule == FIRST_STUCK:
        return not has_play(g, g.held[g.seat])
    for seat in range(g.players):
        if has_play(g, g.held[seat]):
            return False
    return True


@compiled
def has_play(g: Record, hand: NDArray[np.uint32]) -> bool:
    """Whether a seat with these rows could play if it had the turn."""
    for pip in range(g.max_pip + 1):
        if hand[pip] != EMPTY and is_open(g, pip):
            return not is_barred(g, hand)
    return False


@compiled
def is_foot_dead(g: Record) -> bool:
    """Whether arms or toes are owed and every tile that could be one is on the table."""
    return g.owed > 0 and ones(g.laid[g.foot]) == g.max_pip + 1


@compiled
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


@compiled
def round_points(g: Record, seat: int) -> int:
    """What the round costs the seat: its hand, or the penalty for going out with a double (R18)."""
    if g.hand_count[seat] == 0 and g.last_double == PENALTY:
        owed = g.starter_arms if g.foot == g.starter else g.toes
        if g.foot != NO_PIP and g.owed == owed:  # nothing has been laid on the double yet
            return whole(g.last_double_points)
    return hand_points(g, seat)


@compiled
def hand_points(g: Record, seat: int) -> int:
    """What the seat's hand costs: its pips, and what the rules charge for blanks (R18)."""
    points = 0
    for pip in range(g.max_pip + 1):
        row = g.held[seat, pip]
        points += pip * ones(row)
        if pip > 0 and has_bit(row, pip):
            points += pip
    blanks = g.held[seat, 0]
    if has_bit(blanks, 0):
        points += g.double_blank_points - g.blank_half_points
    return points + ones(blanks) * g.blank_half_points


# How a game begins


@compiled
def start(g: Record) -> None:
    """Deal the first round of a record that has its rules, starters, seed and stride."""
    for seat in range(g.players):
        g.points[seat] = 0
        g.zero_rounds[seat] = 0
        g.best_round[seat] = NO_ROUND
    g.round = 0
    g.blocked_rounds = 0
    g.opened = EMPTY
    g.winner = NO_SEAT
    g.over = UNDEALT
    settle(g)
