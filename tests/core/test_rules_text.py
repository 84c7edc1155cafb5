"""Rules in plain sentences: every choice is told, and what is told differs where the rules do."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from chickenfoot_env.presets import PRESETS
from chickenfoot_env.rules import CHOICES, Rules
from chickenfoot_env.rules_text import describe, seat_counts

# For each field values whose sentences must all differ, and what else must hold for them to matter.
VALUES: dict[str, list[Any]] = {
    **{name: list(allowed) for name, allowed in CHOICES.items()},
    "players": [2, 3, 7],
    "max_pip": [9, 12, 18],
    "hand_size": [1, 2, 7],
    "boneyard_reserve": [0, 1, 2],
    "starter_uses_turn": [True, False],
    "starter_arms": [1, 2, 4],
    "toes": [1, 2, 3],
    "last_double_points": [0, 25, 50],
    "double_blank_points": [0, 25, 50],
    "blank_half_points": [0, 25, 50],
    "rounds": ["all_doubles", "down_and_up", (9,), (9, 8), (8, 9)],
    "target_points": [None, 1, 200],
}
NEEDED: dict[str, dict[str, Any]] = {
    "starter_source": {"lead_rule": "lot"},
    "last_double_points": {"last_double": "penalty"},
}

GOLDEN = {
    "seed": """\
4 players with a double-9 set of 55 tiles.
Each is dealt 7 tiles; 27 lie in the boneyard.
The game has 10 rounds, opened by the 9-9, then the next lower double, down to the 0-0.
If nobody holds it, the seats draw one tile each in turn until somebody does.
The lead seat draws first: seat 0 in round one, then the next seat each round.
Whoever holds or finds the double lays it and begins.
Laying the starter is a turn: the next seat lays the first arm.
The starter's 4 arms come before anything else.
Then a tile may be laid on any open end that it matches.
A double laid on an end is a foot: its 3 toes come before anything else.
A seat that can play must; one tile is a turn.
A seat that cannot play must draw one tile from the boneyard; with nothing left to draw it passes.
A drawn tile that fits may be laid at once or kept.
The round ends when a hand is empty, or when nobody can play and there is nothing left to draw.
Going out with a double is free.
Every seat gets the pips left in its hand as points, 50 for the double-blank.
After the last round the fewest points win; ties go to more rounds of zero points, then to the \
lowest other round.""",
    "gamerules": """\
4 players with a double-9 set of 55 tiles.
Each is dealt 11 tiles; 10 lie in the boneyard.
The game has 10 rounds, opened by the 9-9, then the next lower double, down to the 0-0.
The starter is taken out before the deal and lies on the table.
A random seat leads each round.
The lead seat begins.
The starter uses up no turn: the seat that begins lays the first arm.
The starter's 4 arms come before anything else.
Then a tile may be laid on any open end that it matches.
A double laid on an end is a foot: its 3 toes come before anything else.
A seat that can play must; one tile is a turn.
A seat that cannot play must draw one tile from the boneyard; with nothing left to draw it passes.
A drawn tile that fits must be laid at once.
The last tile of the boneyard may not be drawn.
The round ends when a hand is empty, or when nobody can play and there is nothing left to draw.
Going out with a double is free.
Every seat gets the pips left in its hand as points, 50 for the double-blank.
After the last round the fewest points win; ties go to more rounds of zero points, then to the \
lowest other round.""",
    "mindshare_1999": """\
4 players with a double-9 set of 55 tiles.
Each is dealt 11 tiles; 11 lie in the boneyard.
The game has 19 rounds, opened by the 9-9, then the next lower double, to the 0-0 and up again.
If nobody holds it, the seats draw one tile each in turn until somebody does.
The lead seat draws first: seat 0 in round one, then the next seat each round.
Whoever holds or finds the double lays it and begins.
Laying the starter is a turn: the next seat lays the first arm.
The starter's 6 arms come before anything else.
Then a tile may be laid on any open end that it matches.
A double laid on an end is a foot: its 3 toes come before anything else.
A seat that can play must; one tile is a turn.
A seat that cannot play may draw one tile from the boneyard; with nothing left to draw it passes.
A drawn tile that fits may be laid at once or kept.
The round ends when a hand is empty, or when nobody can play and there is nothing left to draw.
If all seats in turn decline to draw, the round ends.
Going out with a double is free.
Every seat gets the pips left in its hand as points, 50 for the double-blank, 25 for the blank \
half of any other tile.
After the last round the fewest points win; ties go to more rounds of zero points, then to the \
lowest other round.""",
}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_sentences_of_a_preset(name: str) -> None:
    """Read by a person once."""
    assert describe(Rules.preset(name)) == GOLDEN[name].split("\n")


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Rules)])
def test_other_values_of_a_field_are_told_in_other_words(field: str) -> None:
    told = {
        "\n".join(describe(Rules(**{**NEEDED.get(field, {}), field: value})))
        for value in VALUES[field]
    }
    assert len(told) == len(VALUES[field])


@pytest.mark.parametrize("field", [name for name in CHOICES if name != "starter_source"])
@pytest.mark.parametrize("players", [2, 5])
def test_choices_are_told_apart_when_the_starter_is_not_fixed(field: str, players: int) -> None:
    """Where the highest double held opens, there is no next lower one: the seats draw in turn."""
    values = [value for value in CHOICES[field] if value not in ("descending", "next_lower_held")]
    rules = [
        Rules(**{"players": players, "starter_rule": "highest_held", field: value})
        for value in values
    ]
    assert len({"\n".join(describe(each)) for each in rules}) == len(values)
    lower = Rules(starter_rule="highest_held", starter_missing="next_lower_held")
    assert describe(lower) == describe(Rules(starter_rule="highest_held"))


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"starter_arms": 1, "toes": 1}, "The starter's 1 arm comes before anything else."),
        ({"rounds": (9, 3)}, "The game has 2 rounds, opened by the 9-9, 3-3."),
        ({"starter_rule": "highest_held", "rounds": (9,)}, "The game has 1 round."),
        (
            {"starter_rule": "highest_held"},
            "If nobody holds one, the seats draw one tile each in turn until somebody does.",
        ),
        (
            {"boneyard_reserve": 2},
            "The last 2 tiles of the boneyard may not be drawn, except to find the starter.",
        ),
        ({"last_double": "penalty"}, "Going out with a double costs 50 points."),
        (
            {"hunt_first": "previous_winner", "lead_rule": "lot"},
            "The last round's winner draws first, in round one the lead seat.",
        ),
        (
            {"lead_rule": "rotate"},
            "Whoever holds or finds the double lays it, but the lead seat begins.",
        ),
        (
            {"double_blank_points": 0},
            "Every seat gets the pips left in its hand as points.",
        ),
        (
            {"target_points": 100},
            "After the last round, or the one in which a seat reaches 100 points, the fewest "
            "points win; ties go to more rounds of zero points, then to the lowest other round.",
        ),
    ],
    ids=str,
)
def test_a_sentence(fields: dict[str, Any], sentence: str) -> None:
    assert sentence in describe(Rules(**fields))


def test_where_all_tiles_are_dealt_nobody_draws_for_the_starter() -> None:
    sentences = describe(Rules(max_pip=6))
    assert "Each is dealt 7 tiles; 0 lie in the boneyard." in sentences
    assert not [sentence for sentence in sentences if "nobody holds" in sentence]


@pytest.mark.parametrize("name", PRESETS)
def test_every_sentence_of_a_preset_is_one(name: str) -> None:
    for players in seat_counts(name):
        for sentence in describe(Rules.preset(name, players=players)):
            assert sentence[0].isupper() or sentence[0].isdigit()
            assert sentence.endswith(".")
            assert "{" not in sentence and "  " not in sentence and "\n" not in sentence


def test_seat_counts_follow_the_changes() -> None:
    assert seat_counts("seed") == (2, 3, 4, 5, 6, 7)
    assert seat_counts("seed", {"hand_size": 20}) == (2,)
    assert seat_counts("seed", {"hand_size": 56}) == seat_counts("nothing") == ()
