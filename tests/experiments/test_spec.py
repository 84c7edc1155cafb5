"""Tournaments as values and as text."""

from __future__ import annotations

import dataclasses
import shlex
from collections import Counter
from typing import Any

import pytest

from chickenfoot_env.presets import PRESETS
from chickenfoot_env.rules import CHOICES, REFUSED, Rules, RulesError
from chickenfoot_env.rules_text import seat_counts
from experiments.tournament.spec import (
    TournamentError,
    TournamentSpec,
    format_rules,
    parse_agents,
    parse_rules,
)


def spec(agents: int, seats: int) -> TournamentSpec:
    """A tournament of that many agents at a table of that many seats."""
    names = tuple("abcdefgh"[:agents])
    return TournamentSpec(names, Rules(players=seats, hand_size=3), deals=10, seed=1)


@pytest.mark.parametrize(
    ("agents", "seats", "line_ups"),
    [
        (2, 2, {(0, 1)}),
        (3, 2, {(0, 1), (0, 2), (1, 2)}),
        (2, 4, {(0, 1, 0, 1)}),
        (2, 3, {(0, 1, 0), (1, 0, 1)}),
        (3, 4, {(0, 1, 2, 0), (1, 2, 0, 1), (2, 0, 1, 2)}),
    ],
)
def test_line_ups(agents: int, seats: int, line_ups: set[tuple[int, ...]]) -> None:
    assert set(spec(agents, seats).line_ups()) == line_ups


@pytest.mark.parametrize("agents", range(2, 9))
@pytest.mark.parametrize("seats", range(2, 8))
def test_every_entry_has_equally_many_seats(agents: int, seats: int) -> None:
    taken = Counter(entry for line_up in spec(agents, seats).line_ups() for entry in line_up)
    assert len(taken) == agents
    assert len(set(taken.values())) == 1


def test_counts_of_the_plan() -> None:
    """Three agents at four seats: three line-ups, each in four rotations."""
    assert (spec(3, 4).blocks, spec(3, 4).games) == (30, 120)


def test_copies_of_an_agent_have_names_of_their_own() -> None:
    copies = TournamentSpec(("greedy", "random", "greedy", "greedy"), Rules(), 1, 0)
    assert copies.labels == ("greedy", "random", "greedy#2", "greedy#3")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"agents": ("greedy",)}, "repeat it: greedy,greedy"),
        ({"deals": 0}, "deals=0: allowed are whole numbers from 1"),
        ({"seed": -1}, "seed=-1: allowed are 0 to"),
        ({"seed": 2**64}, "allowed are 0 to"),
    ],
)
def test_impossible_tournaments(changes: dict[str, object], message: str) -> None:
    with pytest.raises(TournamentError, match=message):
        TournamentSpec(**{"agents": ("a", "b"), "rules": Rules(), "deals": 1, "seed": 0, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "agents"),
    [
        ("a,b", ("a", "b")),
        (" a , b ", ("a", "b")),
        ("a,mc:worlds=64,rollout=b,c", ("a", "mc:worlds=64,rollout=b", "c")),
        ("mc:worlds=6,mc:worlds=7,x=1", ("mc:worlds=6", "mc:worlds=7,x=1")),
        ('p:cmd="a, b" ,p:cmd="c\\",",d', ('p:cmd="a, b"', 'p:cmd="c\\","', "d")),
    ],
)
def test_agents_as_text(text: str, agents: tuple[str, ...]) -> None:
    assert parse_agents(text) == agents


@pytest.mark.parametrize("text", ["", "a,", "a,,b"])
def test_agents_left_empty(text: str) -> None:
    with pytest.raises(TournamentError, match="separated by single commas"):
        parse_agents(text)


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("seed", Rules()),
        ("", Rules()),
        ("max_pip=12,hand_size=9", Rules(max_pip=12, hand_size=9)),
        ("seed,rounds=9/8", Rules(rounds=(9, 8))),
        ("rounds=7,drawn_tile=must", Rules(rounds=(7,), drawn_tile="must")),
        ("rounds=all_doubles", Rules()),
        ("puremco", Rules.preset("puremco")),
        ("puremco,toes=1,hand_size=9", Rules.preset("puremco", toes=1, hand_size=9)),
        ("rounds=down_and_up", Rules(rounds="down_and_up")),
        ("starter_uses_turn=False", Rules(starter_uses_turn=False)),
        ("target_points=200", Rules(target_points=200)),
        ("target_points=None", Rules()),
        (
            "draw_when_stuck=may,last_double=penalty,last_double_points=0",
            Rules(draw_when_stuck="may", last_double="penalty", last_double_points=0),
        ),
    ],
)
def test_rules_as_text(text: str, rules: Rules) -> None:
    assert parse_rules(text, players=4) == rules
    assert parse_rules(format_rules(rules), players=4) == rules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max_pip", "no rules called 'max_pip'"),
        ("seed,max_pip", "not of the form field=value"),
        ("pips=9", "no field 'pips'"),
        ("max_pip=12,max_pip=9", "given twice"),
        ("max_pip=99", "max_pip=99"),
        ("max_pip=big", "max_pip='big'"),
        ("rounds=9-8", "rounds='9-8'"),
        ("players=4", "option of its own"),
        ("hand_size=14", "4 players x 14 tiles"),
        ("pagat_d6", "pagat_d6 is not for 4 players; it covers 2, 3"),
        ("starter_uses_turn=no", "starter_uses_turn='no': allowed are True, False"),
        ("block_rule=never", "block_rule='never': allowed are all_stuck, first_stuck"),
        ("target_points=many", "target_points='many'"),
        ("seed,starter_source=set_aside", "nobody holds the starter; allowed are lot"),
        *((f"{name}=1", f"^{name}: .*not supported") for name in REFUSED),
    ],
)
def test_rules_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        parse_rules(text, players=4)


SOME_VALUES: dict[str, list[Any]] = {
    **{name: list(allowed) for name, allowed in CHOICES.items()},
    "max_pip": [6, 9, 18],
    "toes": [1, 2, 3],
    "starter_uses_turn": [False, True],
    "target_points": [None, 1, 30_000],
    "rounds": ["all_doubles", "down_and_up", (3,), (9, 0, 9)],
}


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Rules)])
def test_every_field_is_read_as_it_was_written(field: str) -> None:
    """With all its choices, or some numbers; a starter set aside needs another lead rule."""
    beside = {"starter_source": {"lead_rule": "lot"}}.get(field, {})
    for value in SOME_VALUES.get(field, [2, 3, 5]):
        rules = Rules(**{**beside, field: value})
        assert parse_rules(format_rules(rules), rules.players) == rules


@pytest.mark.parametrize("name", PRESETS)
def test_the_command_of_every_preset_gives_its_rules(name: str) -> None:
    for players in seat_counts(name):
        rules = Rules.preset(name, players=players)
        assert parse_rules(name, players) == rules
        words = shlex.split(TournamentSpec(("a", "b"), rules, 1, 0).command())
        options = dict(zip(words[2::2], words[3::2], strict=True))
        assert parse_rules(options.get("--rules", ""), int(options["--players"])) == rules


def test_command_names_what_differs_from_the_defaults() -> None:
    rules = Rules(players=3, max_pip=6, hand_size=5, rounds=(6, 5))
    words = shlex.split(TournamentSpec(("a", "mc:n=1,m=2"), rules, 7, 3).command())
    assert words[:2] == ["chickenfoot", "tournament"]
    options = dict(zip(words[2::2], words[3::2], strict=True))
    assert options["--agents"] == "a,mc:n=1,m=2"
    assert (options["--players"], options["--deals"], options["--seed"]) == ("3", "7", "3")
    assert parse_rules(options["--rules"], players=3) == rules
