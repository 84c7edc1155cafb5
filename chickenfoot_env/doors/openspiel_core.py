"""The core with its chance given from outside: compiled functions on one game.

In a game of `batch.deal` the shuffled order of every round, and the lots, follow from its seed.
Here they are put in: tiles by their place in `order`, lots by a seed from which the core draws just
them. What then happens is decided by `dealing` and `kernels` alone, and after a round nothing is
dealt: `over` is UNDEALT until the next order is there.

`games` is (1,) GAME with a draw stride of 0, so that the tiles of a round are drawn in the order in
which they lie behind the hands.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import dealing, kernels
from chickenfoot_env.bits import has_bit
from chickenfoot_env.game import BONEYARD, NO_SEAT, PLAYING
from chickenfoot_env.jit import Record, compiled, part, whole
from chickenfoot_env.tiles import HIGH, LOW

ANY: Final = -1  # a lot that may come out as it likes
_NEXT_SEED: Final = np.uint64(1)


@compiled
def set_lots(games: NDArray[np.void], lead: int, hunter: int) -> None:
    """Choose the seed so that the core draws this lead seat and this first hunter.

    Args:
        games: the game.
        lead: the lead seat of the round; ANY: as it is.
        hunter: the seat that draws first in the hunt, under hunt_first="random"; ANY: none.
    """
    g = games[0]
    if lead == ANY:
        lead = dealing.lead(g)
    g.seed = 0
    while dealing.lead(g) != lead or (hunter != ANY and dealing.first_hunter(g) != hunter):
        g.seed += _NEXT_SEED


@compiled
def wanted_doubles(games: NDArray[np.void], wanted: NDArray[np.bool_]) -> None:
    """Set in `wanted`, (P,) bool, the pips whose double may open the round."""
    row = dealing.wanted(games[0])
    for pip in range(len(wanted)):
        wanted[pip] = has_bit(row, pip)


@compiled
def open_round(games: NDArray[np.void]) -> None:
    """Deal as `order` says, find the starter and lay it; `hunted` tiles have been drawn for it."""
    open_as_ordered(games[0])


@part
def open_as_ordered(g: Record) -> bool:
    """Open the round of this order; False if it would have been dealt again."""
    dealing.hand_out(g)
    finder = dealing.find_starter(g)
    if finder == NO_SEAT:
        return False
    dealing.lay_starter(g, finder)
    kernels.settle(g)
    return True


@compiled
def write_legal(games: NDArray[np.void], mask: NDArray[np.bool_]) -> None:
    """Set the legal actions of the seat to act in `mask`, (A,) and all False before."""
    g = games[0]
    kernels.write_legal_mask(g, g.held[g.seat], g.hand_count[BONEYARD], mask)


@compiled
def act(games: NDArray[np.void], action: int) -> bool:
    """Take an action; False, and nothing, if it is illegal."""
    return act_if_legal(games[0], action)


@part
def act_if_legal(g: Record, action: int) -> bool:
    """Take an action of a running round; False, and nothing, if it is illegal or not running."""
    if g.over != PLAYING:
        return False
    if not kernels.is_legal(g, g.held[g.seat], g.hand_count[BONEYARD], action):
        return False
    kernels.apply(g, action)
    return True


@compiled
def draw(games: NDArray[np.void], tile: int) -> None:
    """Let the seat to act draw this tile, which must be in the boneyard, where DRAW is legal.

    The tiles before it move up by a place, so that a boneyard in ascending order remains so.
    """
    g = games[0]
    next_place = dealing.draw_place(g, whole(g.seat))
    place = next_place
    while g.order[place] != tile:
        place += 1
    while place > next_place:
        g.order[place] = g.order[place - 1]
        place -= 1
    g.order[place] = tile
    kernels.apply(g, whole(g.max_pip + 1) * (g.max_pip + 1))


@compiled
def tile_points(games: NDArray[np.void], out: NDArray[np.int64]) -> None:
    """Fill `out`, (T,) int64, with what each tile costs who holds it; `games` is undealt."""
    g = games[0]
    for tile in range(len(out)):
        dealing.add_tile(g, whole(0), LOW[tile], HIGH[tile])
        out[tile] = kernels.hand_points(g, whole(0))
        dealing.remove_tile(g, whole(0), LOW[tile], HIGH[tile])
