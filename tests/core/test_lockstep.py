"""The kernels and the reference engine agree on every state of random games.

After every action all that the two have in common is compared: legal actions, hands, boneyard,
table, ends, starter or foot and what is owed to it, turn, passes, score sheet, winner, hunt,
evidence and shuffled order; and the standings at the end. All double-n sets and numbers of seats
are played by random values of all rules, and every preset for all numbers of players it covers.
"""

from __future__ import annotations

import dataclasses
import functools
import random
from collections.abc import Sequence

import pytest
from core.lockstep import MismatchError, Pairing, Table
from core.tables import preset_rules, some_table, some_tables
from reference import ReferenceGame

from chickenfoot_env import dealing, notation
from chickenfoot_env.presets import PRESETS
from chickenfoot_env.rules import CHOICES, Rules
from chickenfoot_env.tiles import MAX_PIP

STEPS = 7_400  # for each set, and
PRESET_STEPS = 4_000  # for each preset, so that all make more than 200,000
SLOW_STEPS = 45_000  # for each set, and
SLOW_PRESET_STEPS = 13_000  # for each preset, so that all make more than 1,000,000

DRAWS = ("draw_in_turn", "draw_together")  # with a hunt

every_set = pytest.mark.parametrize("max_pip", range(2, MAX_PIP + 1))
every_preset = pytest.mark.parametrize("name", PRESETS)


def play_steps(chance: random.Random, max_pip: int, wanted: int) -> int:
    """Play batches of games of this set until so many steps have been compared."""
    steps = 0
    while steps < wanted:
        tables = [table for _ in range(1 + 18 // max_pip) for table in some_tables(chance, max_pip)]
        steps += Pairing(tables).play(chance, most=wanted - steps)
    return steps


def play_preset(chance: random.Random, name: str, wanted: int) -> int:
    """Play three games for each number of players, of two rounds, until there are so many steps."""
    steps = 0
    while steps < wanted:
        tables = []
        for preset, rules in preset_rules():
            if preset == name:
                rounds = (chance.randint(0, rules.max_pip), chance.randint(0, rules.max_pip))
                short = dataclasses.replace(rules, rounds=rounds)
                tables += [some_table(chance, short) for _ in range(3)]
        steps += Pairing(tables).play(chance)
    return steps


@every_set
def test_kernels_and_reference_agree_in_every_state(
    max_pip: int, record_property: pytest.RecordProperty
) -> None:
    """Random games of one set, all numbers of seats, with random values of all rules."""
    steps = play_steps(random.Random(max_pip), max_pip, STEPS)
    record_property("steps", steps)
    assert steps >= STEPS


@every_preset
def test_kernels_and_reference_agree_by_every_preset(
    name: str, record_property: pytest.RecordProperty
) -> None:
    """Random games of two rounds, for all numbers of players that the preset covers."""
    steps = play_preset(random.Random(name), name, PRESET_STEPS)
    record_property("steps", steps)
    assert steps >= PRESET_STEPS


@pytest.mark.slow
@every_set
def test_kernels_and_reference_agree_in_many_more_games(
    max_pip: int, record_property: pytest.RecordProperty
) -> None:
    """The same with many more steps of other games."""
    steps = play_steps(random.Random(f"slow {max_pip}"), max_pip, SLOW_STEPS)
    record_property("steps", steps)
    assert steps >= SLOW_STEPS


@pytest.mark.slow
@every_preset
def test_whole_games_of_every_preset_agree(
    name: str, record_property: pytest.RecordProperty
) -> None:
    """All rounds of a game for all numbers of players, and many more games of two rounds."""
    chance = random.Random(f"slow {name}")
    rules = [rules for preset, rules in preset_rules() if preset == name]
    whole = Pairing([some_table(chance, one) for one in rules]).play(chance)
    steps = play_preset(chance, name, SLOW_PRESET_STEPS)
    record_property("steps", whole + steps)
    assert steps >= SLOW_PRESET_STEPS


@pytest.mark.parametrize("players", range(2, 8))
def test_whole_games_of_the_seed_rules_agree(players: int) -> None:
    """All ten rounds, with the boneyard shared and with private places to draw from."""
    rules = Rules.preset("seed", players=players)
    strides = (0, rules.private_stride)
    tables = [Table(rules, 1000 + players, stride) for stride in strides]
    Pairing(tables).play(random.Random(players))
    assert all(len(table.game.results) == 10 for table in tables)


@functools.cache
def all_tables() -> list[Table]:
    """One batch of random tables for every set."""
    chance = random.Random(0)
    return [table for n in range(2, MAX_PIP + 1) for table in some_tables(chance, n)]


def test_the_tables_vary_every_rule() -> None:
    """The comparison means little for a rule that all games share."""
    tables = all_tables()
    rules = [table.rules for table in tables]
    for name, allowed in CHOICES.items():
        assert {getattr(one, name) for one in rules} == set(allowed), name
    assert {one.starter_uses_turn for one in rules} == {True, False}
    assert {one.starter_arms for one in rules} >= {1, 2, 4, 6, 12}
    assert {one.toes for one in rules} == {1, 2, 3}
    assert {one.boneyard_reserve for one in rules} >= {0, 1, 2}
    assert {one.double_blank_points for one in rules} == {0, 25, 50, 1000}
    assert {one.blank_half_points for one in rules} > {0, 25}
    assert {one.last_double_points for one in rules} > {0, 50}
    assert {one.target_points for one in rules} > {None, 1}
    assert {len(one.starters) for one in rules} >= {1, 2, 5, 10}
    assert {str(one.rounds) for one in rules} > {"all_doubles", "down_and_up"}
    assert {one.boneyard == 0 for one in rules} == {True, False}
    assert {one.hand_size for one in rules} >= {1, 2, 7, 20}
    assert len(dataclasses.fields(Rules)) == 22, "a new rule: say above how the tables vary it"
    strides = [(table.draw_stride, table.rules.private_stride) for table in tables]
    assert any(0 == stride < private for stride, private in strides)
    assert any(0 < stride < private for stride, private in strides)
    assert any(0 < stride == private for stride, private in strides)


def test_every_way_to_open_a_round_comes_up() -> None:
    """A rule about a starter that nobody holds means little where somebody always does."""
    tables = all_tables()
    hunts = {
        (table.rules.starter_missing, table.rules.hunt_first)
        for table in tables
        if table.game.hunted
    }
    assert hunts >= {(missing, first) for missing in DRAWS for first in CHOICES["hunt_first"]}
    openings = {
        (table.rules.starter_rule, table.rules.starter_missing)
        for table in tables
        if table.game.redeals or table.game.starter != table.rules.starters[0]
    }
    assert openings >= {(rule, "redeal") for rule in CHOICES["starter_rule"]}
    assert ("descending", "next_lower_held") in openings
    aside = [table.rules for table in tables if table.rules.starter_source == "set_aside"]
    assert {rules.lead_rule for rules in aside} == {"lot", "rotate", "random"}


def test_the_presets_are_played_for_all_the_players_they_cover() -> None:
    """Each for two and more, and `seed` for as many as there are tiles."""
    covered: dict[str, list[int]] = {}
    for name, rules in preset_rules():
        covered.setdefault(name, []).append(rules.players)
    assert list(covered) == list(PRESETS)
    assert covered["seed"] == [2, 3, 4, 5, 6, 7]
    assert covered["seed_large"] == [*range(2, 13)]
    assert covered["pagat_d6"] == [2, 3]


def test_a_mismatch_names_the_way_to_it() -> None:
    """A tile that changes hands behind the reference's back is found, with position and actions."""
    chance = random.Random(5)
    pairing = Pairing([Table(Rules(players=2, rounds=(9,)), 5, 0)])
    pairing.play(chance, most=3)
    game = pairing.games[0]
    tile = pairing.tables[0].game.hands[1][0]
    dealing.remove_tile(game, 1, *tile)
    dealing.add_tile(game, 0, *tile)
    with pytest.raises(MismatchError) as error:
        pairing.play(chance, most=1)
    lines = report_of(error.value)
    assert lines["hand_count"].startswith("differs: Rules(players=2")
    assert lines["hand_count"].endswith("seed 5, stride 0")
    assert lines["position"] == notation.format_position(game)
    assert lines["earlier"] == "[]"
    assert len(lines["actions"].split()) == 4
    assert lines["shortest"] == "these actions lead to no difference again"


def test_a_mismatch_comes_with_the_shortest_way_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """To a reference that learns nothing from draws and passes."""
    rules = Rules(players=2, max_pip=4, hand_size=3, drawn_tile="no", rounds=(4, 3))
    pairing = Pairing([Table(rules, seed, 0) for seed in range(8)])
    monkeypatch.setattr(ReferenceGame, "_show_lack", lambda game: None)
    with pytest.raises(MismatchError) as error:
        pairing.play(random.Random(1))
    lines = report_of(error.value)
    shortest = lines["shortest"].split()
    assert shortest[-1] in ("DRAW", "PASS")
    assert not {"DRAW", "PASS"} & set(shortest[:-1])
    assert len(shortest) <= len(lines["actions"].split())


def report_of(error: MismatchError) -> dict[str, str]:
    """The lines of a report by their first words."""
    return {name: rest.strip() for name, _, rest in map(words, str(error).splitlines())}


def words(line: str) -> Sequence[str]:
    """First word, gap and rest."""
    return line.partition(" ")
