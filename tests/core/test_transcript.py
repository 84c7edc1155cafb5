"""Whole games as lines of JSON: written, read back, and refused when something was changed."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from core.random_play import RULE_SETS, every_rule_set, random_actions, seeds

from chickenfoot_env import batch, notation
from chickenfoot_env.game import GAME_OVER
from chickenfoot_env.notation import NotationError
from chickenfoot_env.rules import Rules
from chickenfoot_env.transcript import Transcript

TWO_ROUNDS = Rules(players=2, rounds=(9, 8))
Path = tuple[Any, ...]  # keys and indices into a JSON value


def play(rules: Rules, seed: int, draw_stride: int = 0, names: tuple[str, ...] = ()) -> Transcript:
    """One game played at random to its end."""
    rng = np.random.default_rng(seed)
    games = batch.deal(rules, seeds(1, first=seed), draw_stride)
    actions = []
    while games["over"][0] != GAME_OVER:
        action = random_actions(games, rng)
        batch.step(games, action)
        actions.append(int(action[0]))
    return Transcript(rules, seed, draw_stride, names, tuple(actions))


GAME = play(TWO_ROUNDS, seed=7, names=("ann", "bob"))
LINE = GAME.to_json()


def changed(path: Path, value: Any) -> str:
    """The line of GAME with one value, or one key that was not there, set to another value."""
    content = json.loads(LINE)
    place = content
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(content)


def refusal(line: str) -> str:
    """The one line in which the text is refused."""
    with pytest.raises(NotationError) as caught:
        Transcript.from_json(line)
    message = str(caught.value)
    assert message and "\n" not in message
    return message


# There and back


@every_rule_set
@pytest.mark.parametrize("private", [False, True], ids=["shared", "private"])
def test_a_game_reads_back(rules: Rules, private: bool) -> None:
    """The same rules, seed, stride, names and actions, in every rule set."""
    stride = rules.private_stride if private else 0
    names = tuple(f"agent {seat}" for seat in range(rules.players))
    game = play(rules, seed=3, draw_stride=stride, names=names)
    line = game.to_json()
    assert Transcript.from_json(line) == game
    assert Transcript.from_json(line).to_json() == line


def test_a_line_says_what_a_reader_wants_to_know() -> None:
    """Rules that differ, seed, names, each round with its start and actions, and the points."""
    content = json.loads(LINE)
    *_, last = GAME.replay()
    assert content["rules"] == {"players": 2, "rounds": [9, 8]}
    assert (content["seed"], content["draw_stride"]) == (7, 0)
    assert content["line_up"] == ["ann", "bob"]
    assert content["points"] == last["points"][0, :2].tolist()
    assert content["over"] is True
    assert [each["starter"] for each in content["rounds"]] == ["9-9", "8-8"]
    words = " ".join(each["actions"] for each in content["rounds"]).split()
    assert tuple(notation.parse_action(word, TWO_ROUNDS) for word in words) == GAME.actions


def test_a_line_says_how_each_round_began() -> None:
    """The seat that laid the starter and the tiles drawn in the hunt, as in the record."""
    starts = [game[0] for game in GAME.replay()]
    wanted = {(int(g["round"]), int(g["finder"]), int(g["hunted"])) for g in starts}
    told = [(each["seat"], each["hunted"]) for each in json.loads(LINE)["rounds"]]
    assert {(index, *start) for index, start in enumerate(told)} == wanted


def test_every_beginning_of_a_game_reads_back() -> None:
    """A game can be written down after any action, the deal alone included."""
    for length in range(0, len(GAME.actions), 3):
        beginning = replace(GAME, actions=GAME.actions[:length])
        line = beginning.to_json()
        assert json.loads(line)["over"] is False
        assert Transcript.from_json(line) == beginning


def test_a_replay_shows_every_position() -> None:
    """The deal, then the game after each action, each a copy of its own."""
    games = batch.deal(TWO_ROUNDS, seeds(1, first=7))
    positions = list(GAME.replay())
    assert len(positions) == len(GAME.actions) + 1
    assert positions[0].tobytes() == games.tobytes()
    for action, position in zip(GAME.actions, positions[1:], strict=True):
        batch.step(games, np.array([action]))
        assert position.tobytes() == games.tobytes()
    assert positions[-1]["over"][0] == GAME_OVER


def test_names_may_be_anything() -> None:
    """Also what a line of text could not hold as it is."""
    names = ('a\nb "c" \\ \u2028 \x00', "鸡脚 🐔")
    line = replace(GAME, line_up=names).to_json()
    assert len(line.split("\n")) == 1
    assert Transcript.from_json(line).line_up == names


def test_seeds_reach_to_the_last_bit() -> None:
    """Numbers above 2**53 survive JSON."""
    game = Transcript(TWO_ROUNDS, 2**64 - 1, 0, (), ())
    assert Transcript.from_json(game.to_json()).seed == 2**64 - 1


@pytest.mark.parametrize("players", [2, 4, 7])
def test_a_round_is_short(players: int) -> None:
    """One line for each game, of at most 2 KB a round of double-nine."""
    game = play(Rules(players=players), seed=11)
    line = game.to_json()
    assert "\n" not in line
    assert isinstance(json.loads(line), dict)
    assert len(line.encode()) <= 2048 * len(game.rules.starters)
    assert all(len(json.dumps(each)) <= 2048 for each in json.loads(line)["rounds"])


# What cannot be written


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_out_of_range_is_refused(seed: int) -> None:
    """The message says which seeds there are."""
    with pytest.raises(NotationError, match=rf"^seed {seed}: allowed are 0 to 2\*\*64 - 1$"):
        replace(GAME, seed=seed)


@pytest.mark.parametrize("names", [("ann",), ("ann", "bob", "cat")])
def test_a_line_up_of_another_size_is_refused(names: tuple[str, ...]) -> None:
    """As many names as seats, or none."""
    with pytest.raises(NotationError, match=rf"^{len(names)} names for 2 players$"):
        replace(GAME, line_up=names)


def test_a_game_with_an_illegal_action_is_not_written() -> None:
    """The message names the action, where it stands and what was legal there."""
    spoiled = replace(GAME, actions=(*GAME.actions[:3], GAME.actions[0], *GAME.actions[4:]))
    with pytest.raises(NotationError, match=r"^action 3: .* is illegal in '.*'; legal are "):
        spoiled.to_json()


def test_a_game_that_goes_on_after_its_end_is_not_written() -> None:
    """Not even by a PASS, which a finished game allows."""
    longer = replace(GAME, actions=(*GAME.actions, TWO_ROUNDS.pass_))
    with pytest.raises(NotationError, match=rf"^action {len(GAME.actions)}: the game was over"):
        longer.to_json()


# What was changed


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("seed",), 8, "action "),
        (("rules", "players"), 3, "2 names for 3 players"),
        (("rules", "hand_size"), 6, "action "),
        (("rules", "max_pip"), 12, "action "),
        (("rules", "players"), 9, "rules: 9 players x 7 tiles = 63 tiles"),
        (("rules", "seats"), 2, "rules: rules have no field 'seats'"),
        (("rules", "double_blank_points"), 49, "checksum "),
        (("points", 0), 1, "the replay gives points ["),
        (("points",), [1, 2, 3], "the replay gives points ["),
        (("over",), False, "the replay gives over True, the line says False"),
        (("rounds", 0, "starter"), "8-8", "round 0: the replay gives starter "),
        (("rounds", 1, "seat"), 7, "round 1: the replay gives seat "),
        (("rounds", 0, "hunted"), 40, "round 0: the replay gives hunted "),
        (("rounds", 0, "comment"), "good", "round 0: the replay gives comment "),
        (("line_up", 1), "eve", "checksum "),
        (("comment",), "good", "checksum "),
        (("checksum",), "0" * 16, "checksum '0000000000000000': the line adds up to "),
        (("format",), 2, "format 2: this version reads 1"),
        (("draw_stride",), 1, ""),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_changed_line_is_refused(path: Path, value: Any, message: str) -> None:
    """The message says at which action the replay fails, or which value disagrees."""
    assert refusal(changed(path, value)).startswith(message)


@pytest.mark.parametrize("path", [("rounds", 0, "hunted"), ("rounds", 1, "starter")], ids=str)
def test_a_disagreement_is_told_briefly(path: Path) -> None:
    """It does not print all rounds of a game."""
    assert len(refusal(changed(path, 99))) < 300


def test_every_changed_action_is_noticed() -> None:
    """Dropped, doubled, exchanged with the next one, or replaced by DRAW or PASS."""
    rounds = json.loads(LINE)["rounds"]
    words = rounds[1]["actions"].split()
    for at, word in enumerate(words[:40]):
        changes = [
            words[:at] + words[at + 1 :],
            [*words[:at], word, *words[at:]],
            [*words[:at], *reversed(words[at : at + 2]), *words[at + 2 :]],
            [*words[:at], "DRAW", *words[at + 1 :]],
            [*words[:at], "PASS", *words[at + 1 :]],
        ]
        for other in changes:
            if other != words:
                message = refusal(changed(("rounds", 1, "actions"), " ".join(other)))
                assert message.startswith(("action ", "the replay gives ", "checksum "))


def test_an_action_that_was_illegal_is_named_with_its_place() -> None:
    """The first one that cannot be taken, counted from 0 over the whole game."""
    words = json.loads(LINE)["rounds"][0]["actions"].split()
    message = refusal(changed(("rounds", 0, "actions"), " ".join([*words[:4], "0-0@0"])))
    assert message.startswith("action 4: action 0 (0-0@0) is illegal in ")


@pytest.mark.parametrize("key", [key for key in json.loads(LINE) if key != "checksum"])
def test_a_missing_value_is_named(key: str) -> None:
    """Each key is wanted."""
    content = json.loads(LINE)
    del content[key]
    assert refusal(json.dumps(content)) == f"no game: {key} missing"


def test_a_missing_checksum_is_noticed() -> None:
    """A line without one may have been changed."""
    content = json.loads(LINE)
    del content["checksum"]
    assert refusal(json.dumps(content)).startswith("checksum None: ")


# What is no game at all


@pytest.mark.parametrize(
    "line",
    [
        "",
        "chicken",
        LINE[:-1],
        LINE + "x",
        "[]",
        "7",
        "null",
        '"text"',
        "{}",
        "[" * 100_000,
        '{"seed": ' + "9" * 5_000 + "}",
    ],
    ids=lambda line: line[:12],
)
def test_what_is_no_game_is_refused(line: str) -> None:
    """One line that says so."""
    assert refusal(line).startswith("no game: ")


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every place inside a JSON value, itself left out."""
    if isinstance(value, dict | list):
        keys = value if isinstance(value, dict) else range(len(value))
        for key in keys:
            yield (*path, key)
            yield from places(value[key], (*path, key))


def of_another_type(value: Any) -> list[Any]:
    """Values that none of the places in a game has."""
    nested: Any = [[[[1]]], {"a": {"b": []}}]
    values = [None, True, -1, 1.5, 10**30, float("inf"), float("nan"), "x", "", "\ud800"]
    return [v for v in [*values, [], [None], {}, {"a": 1}, nested] if v != value]


@pytest.mark.parametrize("path", list(places(json.loads(LINE))), ids=str)
def test_no_value_of_a_wrong_type_ends_in_a_traceback(path: Path) -> None:
    """Each value of a line replaced by others: refused as NotationError, whatever is wrong."""
    content = json.loads(LINE)
    old = copy.deepcopy(content)
    for key in path:
        old = old[key]
    for value in of_another_type(old):
        assert refusal(changed(path, value))


@pytest.mark.parametrize("name", ["two seats", "one tile each"])
def test_rounds_that_are_over_with_their_deal_have_no_line(name: str) -> None:
    """Rounds are told where somebody had a turn; the rest follows from the seed."""
    game = play(RULE_SETS[name], seed=3)
    told = [each["starter"] for each in json.loads(game.to_json())["rounds"]]
    rounds = [position["round"][0] for position in game.replay()]
    assert told == [
        f"{pip}-{pip}" for pip in (game.rules.starters[r] for r in dict.fromkeys(rounds))
    ]
