"""The statistics of a search tree: what is counted, what is one decision, and a full table."""

import numpy as np
import pytest
from numpy.typing import NDArray

from agents import search, tree
from agents.playout import HEURISTIC
from chickenfoot_env import batch, notation, view
from chickenfoot_env.jit import compiled, records
from chickenfoot_env.rules import Rules


def searched(nodes: int, worlds: int, rules: Rules) -> tuple[search.Room, int]:
    """The room after simulations of a first decision, and how many simulations there were."""
    games = batch.deal(rules, np.arange(30, dtype=np.uint64))
    batch.play_forced(games)
    views = view.observe(games, games["seat"])
    room = search.make_room(1)
    method = search.Method(HEURISTIC, nodes, 0, True)
    for i in range(len(views)):
        count = search.look(records(views), i, method, room)
        if count > 3:
            assert search.simulate(room, method, True, count, np.uint64(1), 0, worlds)
            return room, worlds * count
    raise AssertionError("no position with more than three actions")


@pytest.mark.parametrize("nodes", [tree.OWN, tree.ALL])
def test_every_simulation_passes_a_first_node_once_and_no_action_more_often_than_it_is_there(
    nodes: int,
) -> None:
    room, simulations = searched(nodes, 50, Rules(players=2, rounds=(9,)))
    used = room.tree.entries[room.tree.used[: room.tree.size[0]]]
    assert len(set(used["key"].tolist())) == len(used) > 100
    actions = used["available"] > 0
    assert (used["visits"][actions] <= used["available"][actions]).all()
    # A simulation passes a chain node, action, node, ... that ends with a node or the round.
    ends = used["visits"][~actions].sum() - used["visits"][actions].sum()
    assert 0 <= ends <= simulations
    assert (abs(used["total"]) <= 400.0 * used["visits"]).all()


def test_a_cleared_tree_knows_nothing() -> None:
    room, _ = searched(tree.OWN, 20, Rules(players=4, rounds=(9,)))
    assert room.tree.size[0] > 0
    tree.clear(room.tree)
    assert room.tree.size[0] == 0
    assert not room.tree.entries.view(np.uint8).any()


def own_key(position: str) -> int:
    """The key of the decision in a position of two seats."""
    games = records(notation.parse_position(position, Rules(players=2)))
    g = games[0]
    return int(tree.own_key(g, g["held"][g["seat"]]))


def test_own_decisions_are_told_apart_by_hand_and_by_what_is_open() -> None:
    here = own_key("OPEN | 3 8 | 1-3 3-5 / 3-4 | 2-2 | 0")
    assert here == own_key("OPEN | 3 8 | 1-3 3-5 / 4-6 | 2-7 | 0")  # hidden tiles
    assert here == own_key("OPEN | 3 3 8 | 1-3 3-5 / 3-4 | 2-2 | 0")  # how many ends show it
    assert here != own_key("OPEN | 3 7 | 1-3 3-5 / 3-4 | 2-2 | 0")
    assert here != own_key("OPEN | 3 8 | 1-3 3-6 / 3-4 | 2-2 | 0")
    assert here != own_key("FOOT 3/2 | 3 8 | 1-3 3-5 / 3-4 | 2-2 | 0")


@compiled
def places_of(found: tree.Tree, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The places of entries, added where they were not there."""
    places = np.zeros(len(keys), np.int64)
    for n in range(len(keys)):
        places[n] = tree.find_or_add(found, keys[n])
    return places


def test_a_full_table_goes_on_with_what_it_has() -> None:
    room, _ = searched(tree.OWN, 1, Rules(players=2, rounds=(9,)))
    full = len(room.tree.entries) * 3 // 4 + 1
    keys = np.random.default_rng(0).integers(1, 2**63, full, np.uint64)
    places = places_of(room.tree, keys)
    last = len(room.tree.entries) - 1
    assert places[0] < last and places[-1] == last
    assert places_of(room.tree, keys[:1]) == places[0]
    assert room.tree.size[0] < last


def test_an_opinion_far_below_the_best_counts_no_less_than_a_low_one() -> None:
    assert tree.believed(0.0) == 0.0
    assert tree.believed(-10.0) == pytest.approx(-10 * tree.SLOPE)
    assert tree.believed(-60.0) == tree.believed(-20.0) < tree.believed(-19.0)
