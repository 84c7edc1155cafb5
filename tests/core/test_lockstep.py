"""The kernels and the reference engine agree on every state of random games.

After every action all that the two have in common is compared: legal actions, hands, boneyard,
table, ends, starter or foot and what is owed to it, turn, score sheet, hunt, evidence and shuffled
order; and the standings at the end. All double-n sets and numbers of seats are played.
"""

from __future__ import annotations

import random

import pytest
from core.lockstep import MismatchError, Pairing, Table
from core.tables import some_tables

from chickenfoot_env import kernels, notation
from chickenfoot_env.rules import Rules
from chickenfoot_env.tiles import MAX_PIP

STEPS = 12_000  # for each set, so that all make more than 200,000
SLOW_STEPS = 60_000  # for each set, so that all make more than 1,000,000

every_set = pytest.mark.parametrize("max_pip", range(2, MAX_PIP + 1))


def play_steps(chance: random.Random, max_pip: int, wanted: int) -> int:
    """Play batches of games of this set until so many steps have been compared."""
    steps = 0
    while steps < wanted:
        tables = [table for _ in range(1 + 12 // max_pip) for table in some_tables(chance, max_pip)]
        steps += Pairing(tables).play(chance, most=wanted - steps)
    return steps


@every_set
def test_kernels_and_reference_agree_in_every_state(max_pip: int) -> None:
    """Random games of one set, all numbers of seats, with the seed rules and others."""
    assert play_steps(random.Random(max_pip), max_pip, STEPS) >= STEPS


@pytest.mark.slow
@every_set
def test_kernels_and_reference_agree_in_many_more_games(max_pip: int) -> None:
    """The same with five times as many steps of other games."""
    assert play_steps(random.Random(f"slow {max_pip}"), max_pip, SLOW_STEPS) >= SLOW_STEPS


@pytest.mark.parametrize("players", range(2, 8))
def test_whole_games_of_the_seed_rules_agree(players: int) -> None:
    """All ten rounds, with the boneyard shared and with private places to draw from."""
    rules = Rules.preset("seed", players=players)
    strides = (0, rules.private_stride)
    tables = [Table(rules, 1000 + players, stride) for stride in strides]
    Pairing(tables).play(random.Random(players))
    assert all(len(table.game.results) == 10 for table in tables)


def test_the_tables_vary_every_rule() -> None:
    """The comparison means little for a rule that all games share."""
    chance = random.Random(0)
    tables = [table for n in range(2, MAX_PIP + 1) for table in some_tables(chance, n)]
    rules = [table.rules for table in tables]
    assert {one.starter_arms for one in rules} >= {1, 2, 4, 6, 12}
    assert {one.toes for one in rules} == {1, 2, 3}
    assert {one.double_blank_points for one in rules} == {0, 25, 50, 1000}
    assert {len(one.starters) for one in rules} >= {1, 2, 5, 10}
    assert {one.boneyard == 0 for one in rules} == {True, False}
    assert {one.hand_size for one in rules} >= {1, 2, 7, 20}
    strides = [(table.draw_stride, table.rules.private_stride) for table in tables]
    assert any(0 == stride < private for stride, private in strides)
    assert any(0 < stride < private for stride, private in strides)
    assert any(0 < stride == private for stride, private in strides)


def test_a_mismatch_names_the_way_to_it() -> None:
    """A tile that changes hands behind the reference's back is found, with position and actions."""
    chance = random.Random(5)
    pairing = Pairing([Table(Rules(players=2, rounds=(9,)), 5, 0)])
    pairing.play(chance, most=3)
    game = pairing.games[0]
    tile = pairing.tables[0].game.hands[1][0]
    kernels.remove_tile(game, 1, *tile)
    kernels.add_tile(game, 0, *tile)
    with pytest.raises(MismatchError) as error:
        pairing.play(chance, most=1)
    lines = str(error.value).splitlines()
    assert lines[0].startswith("hand_count differs: Rules(players=2")
    assert lines[0].endswith("seed 5, stride 0")
    assert lines[-2] == f"position  {notation.format_position(game)}"
    assert len(lines[-1].split()) == 1 + 4
