"""Rules: what is accepted, what is refused and in which words, and the published counts."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
from core.random_play import seeds

from chickenfoot_env import batch
from chickenfoot_env.game import problems
from chickenfoot_env.presets import PRESETS
from chickenfoot_env.rules import MAX_PLAYERS, Rules, RulesError
from chickenfoot_env.tiles import MAX_PIP, set_size

WRONG: list[tuple[dict[str, Any], str]] = [
    *(({"players": value}, "from 2 to 12") for value in (1, 0, -4, 13, 4.0, "4", True, None)),
    *(({"max_pip": value}, "from 2 to 18") for value in (1, 0, -9, 19, 9.0, "9", True, None)),
    *(({"hand_size": value}, "from 1 to 55") for value in (0, -7, 56, 7.0, "7", True, None)),
    *(({"starter_arms": value}, "from 1 to 9") for value in (0, -1, 10, 4.0, "4", True, None)),
    ({"max_pip": 6, "starter_arms": 8}, "from 1 to 6"),
    *(({"toes": value}, "from 1 to 3") for value in (0, -1, 4, 3.0, "3", True, None)),
    ({"players": 2, "max_pip": 2, "hand_size": 1, "starter_arms": 1, "toes": 2}, "from 1 to 1"),
    *(({"drawn_tile": v}, "may, must, no") for v in ("perhaps", "", "MAY", 0, None, ["may"])),
    *(({"double_blank_points": v}, "from 0 to 1000") for v in (-1, 1001, 50.0, "50", True, None)),
    *(
        (
            {"rounds": value},
            "'all_doubles', 'down_and_up' or 1 to 37 starter pips from 0 to 9, such as (9,)",
        )
        for value in ("some", "", 9, None, 9.0, (), (10,), (-1,), (9, 8.0), ("9",), (True,))
    ),
    ({"rounds": (0,) * 38}, "1 to 37 starter pips"),
    ({"rounds": (9, None)}, "starter pips from 0 to 9"),
    ({"max_pip": 12, "rounds": (13,)}, "starter pips from 0 to 12, such as (12,)"),
]

# RULES of a set, R3 and R20: max_pip, tiles, rounds, all pips, plays, most seats with seven tiles
# and the boneyard that they leave; the package seats twelve at most.
COUNTS = [
    (6, 28, 7, 168, 49, 4, 0),
    (9, 55, 10, 495, 100, 7, 6),
    (12, 91, 13, 1092, 169, 12, 7),
    (15, 136, 16, 2040, 256, 12, 52),
    (18, 190, 19, 3420, 361, 12, 106),
]


@pytest.mark.parametrize(("changes", "allowed"), WRONG, ids=lambda value: str(value)[:40])
def test_a_wrong_value_is_named_with_what_is_allowed(changes: dict[str, Any], allowed: str) -> None:
    """One line that has the field, the value and the values that would do."""
    with pytest.raises(RulesError) as caught:
        Rules(**changes)
    name, value = list(changes.items())[-1]
    message = str(caught.value)
    assert message.startswith(f"{name}={value!r}: ")
    assert allowed in message
    assert "\n" not in message


def test_pips_in_an_array_are_refused_like_any_other_sequence_of_no_plain_integers() -> None:
    """NumPy integers are not int, and an array compared with a string has no truth value."""
    with pytest.raises(RulesError, match=r"rounds=.*starter pips"):
        Rules(rounds=np.array([9, 8]))  # type: ignore[arg-type]


def test_eight_seats_of_seven_tiles_are_told_what_fits() -> None:
    """S10: 8 x 7 = 56 > 55; each of the three repairs works."""
    with pytest.raises(RulesError) as caught:
        Rules(players=8)
    assert str(caught.value) == (
        "8 players x 7 tiles = 56 tiles, but a double-9 set has 55; what fits: at most 7 players "
        "with hand_size 7, or hand_size 6 or less with 8 players, or max_pip 10 or more"
    )
    assert Rules(players=7).boneyard == 6
    assert Rules(players=8, hand_size=6).boneyard == 7
    assert Rules(players=8, max_pip=10).boneyard == 10


@pytest.mark.parametrize(
    "changes",
    [
        {"players": 2, "hand_size": 40},
        {"players": 12, "max_pip": 2, "hand_size": 1, "starter_arms": 1, "toes": 1},
        {"players": 12, "max_pip": 18, "hand_size": 100},
    ],
    ids=str,
)
def test_too_many_tiles_are_never_answered_with_what_is_not_allowed(
    changes: dict[str, Any],
) -> None:
    """No single seat, no hand without tiles, no set above double-eighteen."""
    with pytest.raises(RulesError, match="what fits: ") as caught:
        Rules(**changes)
    message = str(caught.value)
    assert "at most 1 players" not in message
    assert "at most 0 players" not in message
    assert "hand_size 0" not in message
    assert "max_pip 19" not in message


def test_the_seed_preset_is_the_default() -> None:
    """R5, R13, R14, R15, R18: the source's numbers."""
    source = {"players": 4, "max_pip": 9, "hand_size": 7, "starter_arms": 4, "toes": 3}
    said = {"drawn_tile": "may", "double_blank_points": 50, "rounds": "all_doubles"}
    assert Rules.preset("seed") == Rules() == Rules(**source, **said)


def test_a_preset_takes_changes_to_single_fields() -> None:
    """Each change ends up in its field, and the rest stays."""
    changed = Rules.preset("seed", players=2, toes=1)
    assert (changed.players, changed.toes, changed.max_pip) == (2, 1, 9)


def test_an_unknown_preset_is_answered_with_all_presets() -> None:
    """The message lists what there is."""
    with pytest.raises(RulesError, match=r"^no rules called 'seeds'; there are seed") as caught:
        Rules.preset("seeds")
    assert all(name in str(caught.value) for name in PRESETS)


def test_an_unknown_field_is_answered_with_all_fields() -> None:
    """The message lists what there is."""
    with pytest.raises(RulesError, match=r"^rules have no field 'hands'; ") as caught:
        Rules.preset("seed", hands=7)
    assert all(field.name in str(caught.value) for field in dataclasses.fields(Rules))


def test_a_preset_checks_its_changes() -> None:
    """Preset and constructor refuse alike."""
    with pytest.raises(RulesError, match="players=1: "):
        Rules.preset("seed", players=1)


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Rules)])
def test_no_field_can_be_set_afterwards(field: str) -> None:
    """A rule set is what it was when it was checked."""
    rules = Rules()
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(rules, field, 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        delattr(rules, field)


def test_equal_rules_are_one_key() -> None:
    """Hash and equality go by the fields; a list of starters is kept as a tuple."""
    table = {Rules(rounds=(9, 8)): "two rounds", Rules(): "all"}
    assert table[Rules(rounds=[9, 8])] == "two rounds"  # type: ignore[arg-type]
    assert table[Rules(players=4)] == "all"
    assert Rules(rounds=(9, 8)) != Rules(rounds=(8, 9))


def test_starters_may_come_from_any_iterable() -> None:
    """A generator is read once and kept."""
    rules = Rules(rounds=(pip for pip in (3, 1)))  # type: ignore[arg-type]
    assert rules.rounds == rules.starters == (3, 1)


def test_rules_survive_pickling() -> None:
    """Worker processes get the rules they were sent."""
    rules = Rules(players=3, max_pip=12, drawn_tile="must", rounds=(12, 0))
    assert pickle.loads(pickle.dumps(rules)) == rules


@pytest.mark.parametrize("max_pip", range(2, MAX_PIP + 1))
def test_all_doubles_open_the_rounds_from_the_highest_down(max_pip: int) -> None:
    """R8, R20, S7."""
    rules = Rules(players=2, max_pip=max_pip, hand_size=2, starter_arms=1, toes=1)
    assert rules.starters == tuple(reversed(range(max_pip + 1)))


def test_the_longest_published_game_is_allowed() -> None:
    """Double-eighteen, down to the double-blank and up again."""
    there_and_back = (*range(18, -1, -1), *range(1, 19))
    assert Rules(max_pip=18, rounds=there_and_back).starters == there_and_back


def test_differences_name_what_is_not_the_seed_preset() -> None:
    """As JSON values, from which the rules can be made again."""
    assert Rules().differences() == {}
    rules = Rules(players=2, toes=1, rounds=(9, 0))
    assert rules.differences() == {"players": 2, "toes": 1, "rounds": [9, 0]}
    assert Rules.preset("seed", **rules.differences()) == rules


def test_the_record_has_the_scalars() -> None:
    """What a game record carries: numbers alone."""
    record = Rules(players=3, drawn_tile="no", starter_uses_turn=False, rounds=(9, 8)).record()
    assert record == {
        "players": 3,
        "max_pip": 9,
        "hand_size": 7,
        "boneyard_reserve": 0,
        "starter_rule": 0,
        "starter_source": 0,
        "starter_missing": 0,
        "hunt_first": 0,
        "lead_rule": 0,
        "starter_uses_turn": 0,
        "starter_arms": 4,
        "toes": 3,
        "draw_count": 0,
        "draw_when_stuck": 0,
        "drawn_tile": 2,
        "block_rule": 0,
        "last_double": 0,
        "last_double_points": 50,
        "double_blank_points": 50,
        "blank_half_points": 0,
        "rounds": 2,
        "target_points": 0,
    }
    assert all(type(value) is int for value in record.values())
    assert Rules(target_points=100).record()["target_points"] == 100
    assert [Rules(drawn_tile=word).record()["drawn_tile"] for word in ("may", "must")] == [0, 1]


@pytest.mark.parametrize(
    ("max_pip", "tiles", "rounds", "pips", "plays", "seats", "boneyard"), COUNTS
)
def test_the_published_sets_have_their_counts(
    max_pip: int, tiles: int, rounds: int, pips: int, plays: int, seats: int, boneyard: int
) -> None:
    """Tiles, rounds, pips, plays and the fullest table with seven tiles each."""
    rules = Rules(players=seats, max_pip=max_pip)
    assert (rules.tiles, len(rules.starters), rules.pips) == (tiles, rounds, max_pip + 1)
    assert sum(low + high for high in range(max_pip + 1) for low in range(high + 1)) == pips
    assert (rules.draw, rules.pass_, rules.actions) == (plays, plays + 1, plays + 2)
    assert rules.boneyard == boneyard
    if seats < MAX_PLAYERS:
        with pytest.raises(RulesError, match=f"at most {seats} players"):
            Rules(players=seats + 1, max_pip=max_pip)


def test_the_private_stride_gives_each_seat_its_own_part() -> None:
    """The last seat's part ends inside the boneyard."""
    for players in range(2, 8):
        rules = Rules(players=players)
        assert rules.private_stride == rules.boneyard // players
        assert players * rules.private_stride <= rules.boneyard


@pytest.mark.parametrize("max_pip", range(2, MAX_PIP + 1))
def test_every_table_that_fits_can_be_dealt(max_pip: int) -> None:
    """R2, R3: all seat counts with the smallest and the largest hand; one tile more is refused."""
    small = {"max_pip": max_pip, "starter_arms": 1, "toes": 1}
    for players in range(2, MAX_PLAYERS + 1):
        most = set_size(max_pip) // players
        for hand_size in {min(1, most), most} - {0}:
            rules = Rules(players=players, hand_size=hand_size, **small)
            for stride in {0, rules.private_stride}:
                (game,) = batch.deal(rules, seeds(1), stride)
                assert problems(game) == [], rules
                assert game["players"] == players
        with pytest.raises(RulesError):
            Rules(players=players, hand_size=most + 1, **small)
