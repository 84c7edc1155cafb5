"""Worlds: full games that may be the one a seat sees.

    worlds = sample_worlds(views, seeds, count=64)  # (B, 64) GAME, the observer is seat 0

A search samples in its own compiled loop, without Python: `placing.make_plan` and `write_public`
once for a view, then for each world a copy of what that wrote, and `deal_hidden`.

**The law.** Deals and draws are uniform, and what a seat chooses among legal actions is taken to
say nothing. Then all shuffled orders that give the observer the same history are equally likely,
and a world is as likely as there are orders that lead to it. These differ only in which tile of a
hand came when. So the number is a product over the hands: of the ways to say which of its tiles
was drawn last, which before that, and so on to those dealt, such that each came after its seat last
showed to have none like it. For a hand of n tiles whose bounds (the lower `drawn_since` of its two
pips, or n if that is less) are c[0] <= c[1] <= ... it is the product of c[k] - k.

So the possible worlds are not equally likely. A seat that drew one tile since it showed to have no
3, and now has eight tiles, is eight times as likely to have a given hand without a 3 as a given one
with a 3: of eight ways to say which tile was drawn last one is left.

**What it leaves out.** A view does not tell how many tiles a seat has laid since it showed to lack
a pip, if they lowered no bound. They may have been the tiles drawn since; the law takes them as
older than those. Nor does it tell, after a tile with the higher of two bounds was laid, whether
that was the last one drawn. So the law is exact for a hand from which, since its oldest bound, no
tile was laid but those that lower all its bounds. Elsewhere tiles with a bound are held too often.

Tests count all orders that can have been shuffled for double-two and double-three sets. The worlds
sampled are exactly the possible ones. In 1,129 positions of six rule sets the law is the true one
in 97 of 100; its distance from it in total variation is 0.002 in the mean and 0.010 in that of the
worst rule set, where equally likely worlds have 0.05 and 0.11. With a double-nine set and four
seats that play at random, of the hidden tiles that its bounds allow a seat to hold some of, it held
7.5 %; by the law it is 9.6 %, by equally likely worlds 16 %.

Never sampled is a hand that contradicts `drawn_since`; hands with which the round would be over; or
a double above the starter, where that is the highest one in any hand, which would have been dealt.
But a view tells less than was seen under some rules, and then worlds may be sampled that what was
seen excludes: with `next_lower_held` it does not tell which doubles nobody held; with
`highest_held` not who has drawn, so anybody may hold as many of the doubles above the starter as
all have drawn; with `hunt_first="highest_tile"` not who was dealt the heaviest; with
`last_double="forbidden"` not that a last tile does not fit; and with `drawn_tile="may"` not that
the tile kept fits, where `until_playable` or `first_stuck` shows it.

**What else is not in a view.** The seed, and with it all later rounds, follows from the world's
stream. Later starters go down from this one, or as in "all_doubles" and "down_and_up" if this one
fits. The lead seat is that of a game in which the observer is seat 0. All seats draw from the same
end of the boneyard. Who laid the starter, after how many tiles, and how many rounds were blocked is
left at 0. In a finished game hands are sampled as if it went on.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import chance, dealing, kernels, placing, view
from chickenfoot_env.bits import clear_rows, has_bit, include, put_row, row_of
from chickenfoot_env.game import BONEYARD, GAME, NO_SEAT, PLAYING
from chickenfoot_env.jit import Record, compiled, part, records, whole
from chickenfoot_env.placing import PLAN
from chickenfoot_env.tiles import HIGH, LOW

_SEED: Final = 1  # purpose of a world's stream besides the tiles
_TRIES: Final = 64  # for a world in which the round goes on


def sample_worlds(
    views: NDArray[np.void], seeds: NDArray[np.uint64], count: int
) -> NDArray[np.void]:
    """Games that each view may be of, independent of one another; the observer is seat 0.

    `observe` gives world and seat 0 the same view, byte for byte.

    Args:
        views: (B,) VIEW.
        seeds: (B,) uint64; the worlds of view i follow from views[i] and seeds[i] alone, and the
            first ones are the same whatever their number.
        count: worlds for each view, 1 or more.

    Returns:
        (B, count) GAME. `reshape(-1)` makes a batch of them.

    Raises:
        ValueError: for an array of another kind, or a view that no game can give.
    """
    view.check_views(views)
    seeds = chance.check_seeds(seeds, len(views))
    if not isinstance(count, (int, np.integer)) or isinstance(count, bool) or count < 1:
        raise ValueError(f"count={count!r}: allowed are whole numbers from 1")
    worlds = np.empty((len(views), count), GAME)
    common = np.zeros(len(views), GAME)
    plan = np.zeros(1, PLAN)
    wrong = _sample(records(views), seeds, records(common), records(plan), records(worlds))
    if wrong >= 0:
        hidden = views["hand_count"][wrong, 1:].sum() + views["boneyard"][wrong]
        raise ValueError(
            f"view {wrong} is of no game: its {hidden} hidden tiles do not fit its other tiles, "
            "hand counts and evidence; wanted are views made by view.observe"
        )
    return worlds


@compiled
def _sample(
    views: NDArray[np.void],
    seeds: NDArray[np.uint64],
    common: NDArray[np.void],
    plans: NDArray[np.void],
    worlds: NDArray[np.void],
) -> int:
    """Fill the worlds; the first view that fits none, or -1."""
    plan = plans[0]
    for i in range(len(views)):
        if not placing.make_plan(views[i], plan):
            return i
        write_public(views[i], common[i])
        for j in range(worlds.shape[1]):
            worlds[i, j] = common[i]
            if not deal_hidden(plan, worlds[i, j], chance.fold(seeds[i], j)):
                return i
    return -1


@part
def write_public(v: Record, g: Record) -> None:
    """Write what is the same in every world of the view `v` into `g`, a zeroed GAME."""
    view.copy_rules(v, g)
    players, pips = whole(v.players), whole(v.max_pip) + 1
    for pip in range(pips):
        put_row(g.held[0], pip, v.hand[pip])
        put_row(g.laid, pip, v.laid[pip])
        g.ends[pip] = v.ends[pip]
    for seat in range(players):
        g.points[seat] = v.points[seat]
        g.zero_rounds[seat] = v.zero_rounds[seat]
        g.best_round[seat] = v.best_round[seat]
        g.hand_count[seat] = v.hand_count[seat]
        for pip in range(pips):
            g.drawn_since[seat, pip] = v.drawn_since[seat, pip]
    g.hand_count[BONEYARD] = v.boneyard
    g.seat = v.turn
    g.showing = v.showing
    g.opened = v.opened
    g.foot = v.foot
    g.owed = v.owed
    g.has_drawn = v.has_drawn
    g.passes = v.passes
    g.over = v.over
    g.round = v.round
    g.starter = v.starter
    g.winner = NO_SEAT
    _write_starters(g)
    _write_known_order(g)


@part
def _write_starters(g: Record) -> None:
    """Guess the starters of the other rounds: down to 0, and up again if there are that many."""
    turning = abs(g.max_pip - g.round) == g.starter
    for index in range(g.rounds):
        if turning:
            g.starters[index] = abs(g.max_pip - index) % (g.max_pip + 1)
        else:
            g.starters[index] = (g.starter + g.round - index) % (g.max_pip + 1)


@part
def _write_known_order(g: Record) -> None:
    """Put the tiles that are not hidden first."""
    place = 0
    for tile in range(dealing.tile_count(g)):
        low, high = LOW[tile], HIGH[tile]
        if has_bit(row_of(g.held[0], low) | row_of(g.laid, low), high):
            g.order[place] = tile
            place += 1


@part
def deal_hidden(p: Record, g: Record, stream: np.uint64) -> bool:
    """Give the other seats and the boneyard their tiles; False if there is no way to.

    There is one for every view made by `observe`.

    Args:
        p: the view's plan, see `placing.make_plan`; its room to work in is written.
        g: what `write_public` wrote for the view, with or without hidden tiles.
        stream: a seed of its own for each world; the world follows from the view and it alone.
    """
    g.seed = chance.fold(stream, _SEED)
    for _ in range(_TRIES):
        stream, placed = placing.place(p, stream)
        if not placed:
            return False
        stream = _hand_out(p, g, stream)
        if not _has_ended(g):
            return True
    return _deal_play(p, g, stream)


@part
def _has_ended(g: Record) -> bool:
    """Whether the round would be over with these hands, which in a running game it is not."""
    return g.over == PLAYING and kernels.is_blocked(g)


@part
def _hand_out(p: Record, g: Record, stream: np.uint64) -> np.uint64:
    """Give out the bound tiles by their slots and the others, which fill the rest, at random."""
    clear_rows(g.held[BONEYARD], g.max_pip + 1)
    for seat in range(1, p.holders):
        clear_rows(g.held[seat], g.max_pip + 1)
    size = dealing.tile_count(g)
    left = whole(p.hidden - p.bound)
    for n in range(left):
        p.queue[n] = p.bound + n
    for slot in range(p.hidden):
        k, holder = whole(p.content[slot]), whole(p.slot_holder[slot])
        if k == placing.NOTHING:
            n = left - 1
            if holder > 0:
                stream, n = chance.below(stream, left)
            left -= 1
            k = whole(p.queue[n])
            p.queue[n] = p.queue[left]
        _give(g, holder if holder > 0 else BONEYARD, p.tile[k])
        g.order[size - p.hidden + slot] = p.tile[k]
    first = size - g.hand_count[BONEYARD]
    for place in range(size - 1, first, -1):
        stream, other = chance.below(stream, place - first + 1)
        dealing.swap(g, place, first + other)
    return stream


@part
def _give(g: Record, holder: int, tile: int) -> None:
    """Give a tile to a holder that is counted already."""
    include(g.held[holder], LOW[tile], HIGH[tile])


@part
def _deal_play(p: Record, g: Record, stream: np.uint64) -> bool:
    """Deal a world in which the round goes on, giving some seat a tile that it can lay.

    For the rare view in which that is so unlikely that it has not come about by itself.
    """
    stream, first = chance.below(stream, whole(p.hidden))
    for step in range(p.hidden):
        k = (first + step) % whole(p.hidden)
        if kernels.is_open(g, LOW[p.tile[k]]) or kernels.is_open(g, HIGH[p.tile[k]]):
            for seat in range(1, p.holders):
                stream, placed = placing.place_with(p, stream, k, seat)
                if placed:
                    stream = _hand_out(p, g, stream)
                    if not _has_ended(g):
                        return True
    return False
