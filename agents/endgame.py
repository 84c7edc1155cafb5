"""Exact play of a round's end: what each seat earns when all tiles are known and none can be drawn.

Every seat takes the action that is best for its own margin of the round, knowing all tiles and that
the others do the same: max^n (Luckhardt and Irani: An algorithmic solution of N-person games,
1986). For two seats that is minimax, and the values are those of the game. With more seats a seat
may have several actions that are equally good for itself but not for the others; here it takes the
one with the lowest id. So the values are what the seats earn in one equilibrium of several: no seat
can do better by changing its own play alone, but a seat may do better or worse if another one
breaks its ties otherwise.

The search is depth first, two seats by alpha-beta, on copies of the game that `kernels.apply` plays
on. Solved positions are kept in a memo. Its key holds all that a position's value depends on, rules
and hands included, so a memo never has to be cleared: it serves other positions, worlds and games
as well.

Inside a compiled function:

    room = make_room(12, 2**14)
    if is_solvable(trial[0], 12):
        used = solve(trial[0], world[0], room, 20_000, values)  # (N,) margins of the round

N seats. A score is N - 1 times a margin, which makes it whole: all points less N times a seat's.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents import heuristic_agent
from chickenfoot_env import kernels
from chickenfoot_env.bits import ones, row_of
from chickenfoot_env.chance import scramble
from chickenfoot_env.game import BONEYARD, GAME, PLAYING
from chickenfoot_env.jit import Record, compiled, part, whole
from chickenfoot_env.rules import MAX_PLAYERS
from chickenfoot_env.tiles import MAX_PIPS

UNSOLVED: Final = -1  # instead of the number of steps
_NO_ACTION: Final = -1
_ENDLESS: Final = 2**30  # beyond every score
_BY_SCORE: Final = 1024  # above every action id
_EMPTY, _EXACT, _AT_LEAST, _AT_MOST = 0, 1, 2, 3  # `kind`

NODE: Final = np.dtype(
    [
        ("key", "u8"),  # of the position
        ("seat", "i4"),  # that chooses
        ("count", "i4"),  # its actions; 0 if the position's value is known without a search
        ("next", "i4"),  # how many of them have been searched
        ("low", "i4"),  # two seats: scores of at most `low` or at least `high` need not be exact
        ("high", "i4"),
        ("best", "i4"),  # the highest score found for the seat
        ("points", "i4", (MAX_PLAYERS,)),  # what the round costs each seat there
    ],
    align=True,
)
ENTRY: Final = np.dtype(
    [
        ("key", "u8"),
        ("kind", "i2"),  # what the score of these points is for the seat to act
        ("points", "i2", (MAX_PLAYERS,)),  # fits: no hand costs more than 22,420
    ],
    align=True,
)

# Odd words to hash positions with; any will do.
_WORDS: Final = np.random.PCG64(1).random_raw((MAX_PLAYERS + 3) * MAX_PIPS) | np.uint64(1)
_HELD: Final = _WORDS[3 * MAX_PIPS :].reshape(MAX_PLAYERS, MAX_PIPS)
_LAID, _ENDS, _MORE = _WORDS[: 3 * MAX_PIPS].reshape(3, MAX_PIPS)


class Room(NamedTuple):
    """What a search works in; D nodes lie between its root and its deepest position.

    Attributes:
        games: (D,) GAME, the positions from the root to the one looked at.
        nodes: (D,) NODE, what has been found out about each of them.
        actions: (D, M) int64, the actions in each of them in the order in which they are searched.
        memo: (K,) ENTRY, positions solved earlier.
    """

    games: NDArray[np.void]
    nodes: NDArray[np.void]
    actions: NDArray[np.int64]
    memo: NDArray[np.void]


@compiled
def make_room(most: int, entries: int) -> Room:
    """Memory for searches, to be made once a compiled call.

    Args:
        most: tiles that the seats may hold together.
        entries: positions that the memo has room for, 40 bytes each; 1 or more.
    """
    return Room(
        np.zeros(most + 2, GAME),  # the root, a drawn tile that is kept, and a play of each tile
        np.zeros(most + 2, NODE),
        np.zeros((most + 2, 2 * most + 1), np.int64),
        np.zeros(entries, ENTRY),
    )


@part
def is_solvable(g: Record, most: int) -> bool:
    """Whether a round is being played, nothing can be drawn and at most `most` tiles are held."""
    if g.over != PLAYING or kernels.drawable(g, g.hand_count[BONEYARD]) > 0:
        return False
    tiles = whole(0)
    for seat in range(g.players):
        tiles += g.hand_count[seat]
    return tiles <= most


@part
def solve(g: Record, before: Record, room: Room, budget: int, values: NDArray[np.float64]) -> int:
    """Find what each seat earns in the round if all play on as this module says.

    Args:
        g: a GAME record, which is solvable with the tiles that `room` was made for, or whose round
            is over and no next one dealt.
        before: the same game earlier in the same round; may be `g` while that is played.
        room: memory, see `make_room`.
        budget: steps to take at most; the last few may go beyond it.
        values: (N,) float64, filled with the seats' margins of the round in pips, as
            `playout.earned` counts them. They sum to 0.

    Returns:
        The steps taken, forced ones included, or UNSOLVED if the budget did not suffice or the
        position is not solvable; `values` are as before then.
    """
    games, nodes, actions, memo = room
    if g.over == PLAYING and not is_solvable(g, len(games) - 2):
        return UNSOLVED
    salt = rules_key(g)
    games[0] = g
    nodes[0].low, nodes[0].high = -_ENDLESS, _ENDLESS
    steps, depth, is_new = whole(0), whole(0), True
    while True:
        if is_new:
            open_node(games[depth], before, nodes[depth], actions[depth], memo, salt)
        node = nodes[depth]
        is_new = node.next < node.count
        if is_new:
            if steps >= budget:
                return UNSOLVED
            games[depth + 1] = games[depth]
            steps += play_to_choice(games[depth + 1], actions[depth, node.next] % _BY_SCORE)
            node.next += 1
            depth += 1
            set_window(games[depth], nodes[depth], node)
        else:
            if node.count > 0:
                remember(memo, node, whole(g.players))
            if depth == 0:
                break
            depth -= 1
            weigh(nodes[depth], node, whole(g.players))
    for seat in range(g.players):
        values[seat] = score(nodes[0], seat, whole(g.players)) / (g.players - 1.0)
    return steps


# The tree


@part
def play_to_choice(g: Record, action: int) -> int:
    """Take this action and all that then are forced; how many that were.

    With one tile left there is nothing to choose: however it is laid, the round ends alike.
    """
    steps = whole(0)
    while action != _NO_ACTION:
        kernels.apply(g, action)
        steps += 1
        action = whole(_NO_ACTION)
        if g.over == PLAYING:
            hand, boneyard = g.held[g.seat], g.hand_count[BONEYARD]
            plays = kernels.count_plays(g, hand)
            if g.hand_count[g.seat] == 1 or kernels.count_legal(g, plays, boneyard) == 1:
                action = kernels.nth_legal(g, hand, plays, boneyard, whole(0))
    return steps


@part
def set_window(g: Record, node: Record, above: Record) -> None:
    """Set which scores have to be exact: all of them, unless there are two seats (alpha-beta)."""
    node.low, node.high = -_ENDLESS, _ENDLESS
    if g.players == 2:
        low, high = max(above.low, above.best), above.high
        node.low, node.high = (low, high) if g.seat == above.seat else (-high, -low)


@part
def open_node(
    g: Record,
    before: Record,
    node: Record,
    actions: NDArray[np.int64],
    memo: NDArray[np.void],
    salt: np.uint64,
) -> None:
    """Begin with a position: its points, if they are known at once, or else its actions."""
    node.count, node.next, node.best = 0, 0, -_ENDLESS
    if g.over != PLAYING:
        for seat in range(g.players):
            node.points[seat] = g.points[seat] - before.points[seat]
        return
    node.seat, node.key = g.seat, position_key(g, salt)
    if not recall(memo, node, whole(g.players)):
        node.count = list_actions(g, actions)


@part
def list_actions(g: Record, actions: NDArray[np.int64]) -> int:
    """Write the legal actions in the order in which to search them; how many they are.

    They are in ascending order, but for two seats, where the order does not change the value, by
    the score of the heuristic agent. `_BY_SCORE` times that score is taken off the action.
    """
    hand, boneyard = g.held[g.seat], g.hand_count[BONEYARD]
    plays = kernels.count_plays(g, hand)
    count = kernels.count_legal(g, plays, boneyard)
    pips = whole(g.max_pip) + 1
    for n in range(count):
        action = kernels.nth_legal(g, hand, plays, boneyard, n)
        if g.players == 2 and n < plays:
            attach, free = action // pips, action % pips
            action -= _BY_SCORE * heuristic_agent.score(g, hand, attach, free)
        place = n
        while place > 0 and actions[place - 1] > action:
            actions[place] = actions[place - 1]
            place -= 1
        actions[place] = action
    return count


@part
def weigh(above: Record, node: Record, players: int) -> None:
    """Take over the points of a position if its better for the seat that chooses above it."""
    found = score(node, whole(above.seat), players)
    if found <= above.best:
        return
    above.best = found
    for seat in range(players):
        above.points[seat] = node.points[seat]
    if found >= above.high:
        above.next = above.count


@part
def score(r: Record, seat: int, players: int) -> int:
    """The seat's score by the points of a NODE or ENTRY record."""
    total = whole(0)
    for other in range(players):
        total += r.points[other]
    return total - players * whole(r.points[seat])


# The memo


@part
def recall(memo: NDArray[np.void], node: Record, players: int) -> bool:
    """Whether the memo knows enough of the position; then its points are filled in."""
    entry = memo[whole(node.key % np.uint64(len(memo)))]
    if entry.kind == _EMPTY or entry.key != node.key:
        return False
    known = score(entry, whole(node.seat), players)
    if entry.kind == _AT_LEAST and known < node.high:
        return False
    if entry.kind == _AT_MOST and known > node.low:
        return False
    for seat in range(players):
        node.points[seat] = entry.points[seat]
    return True


@part
def remember(memo: NDArray[np.void], node: Record, players: int) -> None:
    """Write down what was found, in place of what was there."""
    entry = memo[whole(node.key % np.uint64(len(memo)))]
    entry.key, entry.kind = node.key, _EXACT
    if node.best >= node.high:
        entry.kind = _AT_LEAST
    elif node.best <= node.low:
        entry.kind = _AT_MOST
    for seat in range(players):
        entry.points[seat] = node.points[seat]


@part
def forget(room: Room) -> None:
    """Empty the memo, where what was solved before must not decide whether a budget suffices."""
    for place in range(len(room.memo)):
        room.memo[place].kind = _EMPTY


@part
def rules_key(g: Record) -> np.uint64:
    """A hash of what the rest of a round depends on and does not change: rules, and the starter.

    The other rules say how a round begins, how tiles are drawn, and which rounds there are.
    """
    numbers = (
        g.players,
        g.max_pip,
        g.starter,
        g.starter_arms,
        g.toes,
        g.drawn_tile,
        g.block_rule,
        g.last_double,
        g.last_double_points,
        g.double_blank_points,
        g.blank_half_points,
    )
    key = np.uint64(0)
    for number in numbers:
        key = key * _MORE[0] + np.uint64(whole(number))
    return scramble(key)


@part
def position_key(g: Record, salt: np.uint64) -> np.uint64:
    """A hash of all that the rest of the round depends on, once nothing can be drawn.

    A pip with more ends than there are tiles left for them has ends for all of these, and no tile
    can run out of an end: such positions are the same. Tiles that stay in the boneyard, passes,
    evidence and points of earlier rounds make no difference.
    """
    key = salt
    for pip in range(g.max_pip + 1):
        gone = row_of(g.laid, pip) | row_of(g.held[BONEYARD], pip)
        ends = min(whole(g.ends[pip]), whole(g.max_pip) + 1 - ones(gone))
        key += np.uint64(ends) * _ENDS[pip] + np.uint64(row_of(g.laid, pip)) * _LAID[pip]
        for seat in range(g.players):
            key += np.uint64(row_of(g.held[seat], pip)) * _HELD[seat, pip]
    key += np.uint64(whole(g.foot) + 1) * _MORE[1] + np.uint64(whole(g.owed)) * _MORE[2]
    key += np.uint64(whole(g.seat)) * _MORE[3] + np.uint64(whole(g.has_drawn)) * _MORE[4]
    return scramble(key)
