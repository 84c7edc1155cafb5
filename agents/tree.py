"""A search tree over what one seat may choose later in the round, as statistics in a hash table.

One tree serves all sampled worlds of a decision (SO-ISMCTS; Cowling, Powley, Whitehouse:
Information set Monte Carlo tree search, 2012). Each simulation goes down from the action tried at
the root to the first node that is new, and the playout from there is told to all it has passed. Its
nodes stand for what the seat to act knows, in one of two ways:

- OWN: nodes are the searching seat's own decisions, and a node is known by its hand, the open pips
  and what is owed. The others play by the playout's policy. This merges all that may happen between
  two own turns and leads to the same choice, so that a decision a whole turn away is met often
  enough to learn from it.
- ALL: nodes are all seats' decisions, known by the actions since the root, of which the searching
  seat sees all but which tile another one draws. Each seat looks for its own margin (max^n).

An action is chosen by its mean margin, corrected towards what the heuristic thinks of it as if that
were `PRIOR` simulations, plus `EXPLORE * sqrt(log(available) / simulations)` (UCB1; Auer,
Cesa-Bianchi, Fischer 2002). What is legal depends on the world, so `available` counts the
simulations in which the action was.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents import heuristic_agent
from agents.base import AgentError
from agents.playout import choose
from chickenfoot_env import dealing, kernels
from chickenfoot_env.bits import row_of
from chickenfoot_env.chance import fold
from chickenfoot_env.game import BONEYARD, PLAYING
from chickenfoot_env.jit import Record, compiled, part, whole
from chickenfoot_env.tiles import MAX_PIP, MAX_TILES, Rows, action_count

MOST_ACTIONS: Final = action_count(MAX_PIP)  # there can be in a position
NONE, OWN, ALL = 0, 1, 2  # whose decisions are nodes

EXPLORE: Final = 10.0  # pips; about two thirds of a margin's standard deviation in a position
PRIOR: Final = 14.0  # simulations that the heuristic's opinion is worth
SLOPE: Final = 0.23  # pips of margin that a pip of the heuristic's score is worth, measured
_FARTHEST: Final = 20.0  # pips of score below the best; farther ones count no less
UNPLAYED: Final = 10.0  # pips of score by which drawing or passing is worse than the best play

_SIZE: Final = 2**19  # entries; 30,000 simulations with two seats need up to a third of them
_FULL: Final = _SIZE * 3 // 4  # no more are added
_AS_NODE: Final = -1  # sets the key of a node apart from that of the action that led to it
_NEW: Final = np.uint64(0)
_SHIFT: Final = np.uint64(40)

ENTRY: Final = np.dtype(
    [
        ("key", "u8"),  # of a node, or of an action in it; 0: unused
        ("visits", "i4"),  # simulations that came through
        ("available", "i4"),  # of an action: simulations at its node in which it was legal
        ("total", "f8"),  # pips: the visits' margins of the round for the seat that chose
    ],
    align=True,
)


def nodes_named(agent: str, name: str) -> int:
    """OWN or ALL by its name.

    Raises:
        AgentError: for an unknown one; `agent` is for the message.
    """
    known = {"own": OWN, "all": ALL}
    if name not in known:
        raise AgentError(f"tree={name!r} of {agent}: allowed are {', '.join(known)}")
    return known[name]


class Tree(NamedTuple):
    """The statistics, and what a simulation writes on its way.

    Attributes:
        entries: (K + 1,) ENTRY, a hash table with open addressing, and one for all that found no
            room in it.
        used: (K,) int64, places of the entries in use.
        size: (1,) int64, how many these are.
        path: (D,) int64, places of the entries that this simulation passes.
        movers: (D,) int64, the seat that chooses at each of them.
        actions: (M,) int64, the legal actions of one node.
        places: (M,) int64, the places of their entries.
        scores: (M,) float64, what the heuristic thinks of them, in pips.
    """

    entries: NDArray[np.void]
    used: NDArray[np.int64]
    size: NDArray[np.int64]
    path: NDArray[np.int64]
    movers: NDArray[np.int64]
    actions: NDArray[np.int64]
    places: NDArray[np.int64]
    scores: NDArray[np.float64]


@compiled
def make_tree() -> Tree:
    """An empty tree."""
    depth = 4 * MAX_TILES
    return Tree(
        np.zeros(_SIZE + 1, ENTRY),
        np.zeros(_SIZE, np.int64),
        np.zeros(1, np.int64),
        np.zeros(depth, np.int64),
        np.zeros(depth, np.int64),
        np.zeros(MOST_ACTIONS, np.int64),
        np.zeros(MOST_ACTIONS, np.int64),
        np.zeros(MOST_ACTIONS),
    )


@part
def clear(tree: Tree) -> None:
    """Forget everything."""
    for n in range(tree.size[0]):
        entry = tree.entries[tree.used[n]]
        entry.key, entry.visits, entry.available, entry.total = _NEW, 0, 0, 0.0
    tree.size[0] = 0
    entry = tree.entries[_SIZE]
    entry.visits, entry.available, entry.total = 0, 0, 0.0


@part
def descend(
    g: Record, me: int, tree: Tree, nodes: int, policy: int, action: int, stream: np.uint64
) -> int:
    """Play down to a node that is new, or to the round's end; the number of entries passed.

    Args:
        g: a GAME record, changed in place; no next round is dealt.
        me: the searching seat.
        tree: where nodes are found and made.
        nodes: OWN or ALL.
        policy: how the others play with OWN, see `playout`.
        action: what has been done at the root.
        stream: what random choices follow from.
    """
    depth, key = whole(0), fold(_NEW, action)
    while g.over == PLAYING and depth < len(tree.path) - 2:
        hand, boneyard = g.held[g.seat], whole(g.hand_count[BONEYARD])
        plays = kernels.count_plays(g, hand)
        count = kernels.count_legal(g, plays, boneyard)
        if count == 1:
            action = kernels.nth_legal(g, hand, plays, boneyard, whole(0))
        elif g.seat != me and nodes == OWN:
            action = choose(g, policy, fold(stream, depth))
        else:
            node_key = fold(key, _AS_NODE) if nodes == ALL else own_key(g, hand)
            node = find_or_add(tree, node_key)
            tree.path[depth], tree.movers[depth] = node, g.seat
            depth += 1
            if tree.entries[node].visits == 0:
                break
            n = choose_child(g, plays, count, tree, node)
            action = tree.actions[n]
            tree.path[depth], tree.movers[depth] = tree.places[n], g.seat
            depth += 1
        if nodes == ALL:
            key = fold(key, seen(g, me, action))
        kernels.apply(g, action)
    return depth


@part
def choose_child(g: Record, plays: int, count: int, tree: Tree, node: int) -> int:
    """The number of the action to try in a node, of its `count` legal ones."""
    hand, boneyard = g.held[g.seat], whole(g.hand_count[BONEYARD])
    best_score = rate_actions(g, hand, boneyard, plays, count, tree.actions, tree.scores)
    parent = tree.entries[node]
    mean = parent.total / parent.visits
    best, highest = whole(0), -np.inf
    for n in range(count):
        key = fold(parent.key, tree.actions[n])
        place = find_or_add(tree, key)
        tree.places[n] = place
        entry = tree.entries[place]
        entry.available += 1
        visits = entry.visits + PRIOR
        opinion = mean + believed(tree.scores[n] - best_score)
        value = (entry.total + PRIOR * opinion) / visits
        value += EXPLORE * sqrt(log(1.0 + entry.available) / visits)
        if value > highest:
            best, highest = n, value
    return best


@part
def rate_actions(
    r: Record,
    hand: Rows,
    boneyard: int,
    plays: int,
    count: int,
    actions: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> float:
    """Write the legal actions and what the heuristic thinks of them; the best of its scores.

    Args:
        r: a GAME or VIEW record.
        hand: (19,) uint32, the rows of the seat to act.
        boneyard: tiles left in the boneyard.
        plays: how many legal plays it has.
        count: how many legal actions.
        actions: filled in ascending order.
        scores: filled in pips.
    """
    pips = whole(r.max_pip) + 1
    best = -np.inf
    for n in range(count):
        actions[n] = kernels.nth_legal(r, hand, plays, boneyard, n)
        if n < plays:
            scores[n] = heuristic_agent.score(r, hand, actions[n] // pips, actions[n] % pips)
            best = max(best, scores[n])
    if plays == 0:
        best = 0.0
    for n in range(plays, count):
        scores[n] = best - UNPLAYED
    return best


@part
def believed(below: float) -> float:
    """The heuristic's opinion of an action, in pips of margin below its best one."""
    return SLOPE * max(below, -_FARTHEST)


@part
def learn(tree: Tree, depth: int, margins: NDArray[np.float64]) -> None:
    """Tell the entries passed how the round ended.

    Args:
        tree: after `descend`.
        depth: what that returned.
        margins: (N,) float64, of the round for each seat, in pips.
    """
    for d in range(depth):
        entry = tree.entries[tree.path[d]]
        entry.visits += 1
        entry.total += margins[tree.movers[d]]


# Keys and places


@part
def own_key(g: Record, hand: Rows) -> np.uint64:
    """The key of a decision by what the seat to act looks at."""
    key = fold(np.uint64(g.showing), whole(g.foot) * MAX_TILES + whole(g.owed))
    for pip in range(g.max_pip + 1):
        key = fold(key, whole(row_of(hand, pip)))
    return key


@part
def seen(g: Record, me: int, action: int) -> int:
    """What the searching seat sees of an action: of its own draw, also which tile it is.

    A sampled world has one boneyard for all, so the next tile is the first one left.
    """
    draw_id = (whole(g.max_pip) + 1) ** 2
    if action != draw_id or g.seat != me:
        return action
    left = whole(g.hand_count[BONEYARD])
    return draw_id + 2 + whole(g.order[dealing.tile_count(g) - left])


@part
def find_or_add(tree: Tree, key: np.uint64) -> int:
    """The place of the entry with this key; of one that is no longer told apart if all is full."""
    place = whole(key >> _SHIFT) % _SIZE
    while tree.entries[place].key != key and tree.entries[place].key != _NEW:
        place = (place + 1) % _SIZE
    if tree.entries[place].key == _NEW:
        if tree.size[0] == _FULL:
            return whole(_SIZE)
        tree.entries[place].key = key
        tree.used[tree.size[0]] = place
        tree.size[0] += 1
    return place
