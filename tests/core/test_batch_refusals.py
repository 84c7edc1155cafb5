"""What the batch functions refuse: one line that says what is wrong, and no game has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from core.mixed_games import Games, mixed_games, positions, run, same
from core.random_play import every_rule_set, seeds

from chickenfoot_env import batch, notation
from chickenfoot_env.game import GAME, GAME_OVER
from chickenfoot_env.rules import Rules


def test_an_illegal_action_is_named_and_changes_nothing() -> None:
    """In any row, any action: the error has row, action, position and what is legal."""
    games = np.concatenate([positions()[::17], mixed_games(3)])
    run("random_playout", games[-1:])
    mask, before = batch.legal_mask(games), games.tobytes()
    for row, game in enumerate(games):
        ids = (int(game["max_pip"]) + 1) ** 2 + 2
        for action in (*np.flatnonzero(~mask[row, :ids])[::29].tolist(), ids - 1, ids, -1, 2**40):
            if action < ids and mask[row, action]:
                continue
            actions = mask.argmax(axis=1)
            actions[row] = action
            with pytest.raises(ValueError, match=rf"^game {row}: action {action} \(") as error:
                batch.step(games, actions)
            over = game["over"] == GAME_OVER
            where = "a finished game" if over else f"'{notation.format_position(game)}'"
            assert where in str(error.value) and "legal are" in str(error.value)
            assert "\n" not in str(error.value)
            assert games.tobytes() == before


def test_the_first_illegal_action_is_the_one_named() -> None:
    """Of several in one batch."""
    games = mixed_games(8)
    actions = batch.legal_mask(games).argmax(axis=1)
    actions[[5, 3]] = -1
    with pytest.raises(ValueError, match=r"^game 3: "):
        batch.step(games, actions)


ON_GAMES: list[Callable[[Any], object]] = [
    batch.legal_mask,
    batch.play_forced,
    batch.margins,
    batch.standings,
    lambda games: batch.step(games, np.zeros(1, np.int64)),
    lambda games: batch.random_playout(games, seeds(1)),
]


@pytest.mark.parametrize("function", ON_GAMES)
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda games: games.tolist(), "games are list"),
        (lambda games: games[0], "games are void"),
        (lambda games: games["ends"], "games are int16"),
        (lambda games: games.astype(GAME.newbyteorder()), "wanted is an array of GAME records"),
        (lambda games: games.reshape(1, 2), "contiguous array of shape \\(1, 2\\)"),
        (lambda games: games.reshape(2, 1)[0, 0:].reshape(()), "array of shape \\(\\)"),
        (lambda games: np.concatenate([games] * 2)[::2], "strided array of shape \\(2,\\)"),
    ],
    ids=["list", "record", "field", "byte order", "two dimensions", "no dimension", "strided"],
)
def test_anything_but_an_array_of_games_is_refused(
    function: Callable[[Any], object], wrong: Callable[[Games], object], message: str
) -> None:
    """One line that says what came and what is wanted."""
    with pytest.raises(ValueError, match=message) as error:
        function(wrong(mixed_games(2)))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([101, 101], "actions are list"),
        (np.array([101.0, 101.0]), "actions are float64"),
        (np.array([True, True]), "actions are bool"),
        (np.array(["PASS", "PASS"]), "actions are <U4"),
        (np.array([101]), r"shape \(1,\): wanted is \(2,\)"),
        (np.array([[101, 101]]), r"shape \(1, 2\): wanted is \(2,\)"),
        (np.array(101), r"shape \(\): wanted is \(2,\)"),
    ],
)
def test_anything_but_an_action_for_each_game_is_refused(actions: Any, message: str) -> None:
    """One line, and no game has changed."""
    games = batch.deal(Rules(), seeds(2))
    before = games.tobytes()
    with pytest.raises(ValueError, match=message) as error:
        batch.step(games, actions)
    assert "\n" not in str(error.value)
    assert games.tobytes() == before


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (7, "seeds are int"),
        ([1, 2], "seeds are list"),
        (np.arange(2), "seeds are int64"),
        (np.arange(2.0), "seeds are float64"),
        (np.zeros((1, 2), np.uint64), r"uint64 of shape \(1, 2\)"),
        (np.uint64(7), "seeds are uint64"),
    ],
)
def test_anything_but_an_array_of_seeds_is_refused(wrong: Any, message: str) -> None:
    """By the deal and by the random playout."""
    games = batch.deal(Rules(), seeds(2))
    for function in (
        lambda: batch.deal(Rules(), wrong),
        lambda: batch.random_playout(games, wrong),
    ):
        with pytest.raises(ValueError, match=message) as error:
            function()
        assert "\n" not in str(error.value)


def test_a_playout_wants_one_seed_for_each_game() -> None:
    """Neither fewer nor more."""
    games = batch.deal(Rules(), seeds(2))
    for count in (1, 3):
        with pytest.raises(ValueError, match=f"{count} seeds for 2 records"):
            batch.random_playout(games, seeds(count))


@every_rule_set
def test_every_stride_that_is_taken_gives_each_seat_a_place_in_the_boneyard(rules: Rules) -> None:
    """The others are refused, naming what is allowed."""
    taken, told = set(), set()
    for stride in range(-1, rules.boneyard + 3):
        try:
            batch.deal(rules, seeds(1), stride)
            taken.add(stride)
        except ValueError as error:
            told.add(str(error).partition(": ")[2])
    assert told == {f"allowed are whole numbers from 0 to {max(taken)}"}
    assert taken == set(range(max(taken) + 1))
    assert max(taken) >= rules.private_stride
    assert max(taken) == 0 or (rules.players - 1) * max(taken) < rules.boneyard


@pytest.mark.parametrize("stride", [2.5, "2", None])
def test_a_stride_is_a_whole_number(stride: Any) -> None:
    """It is never rounded."""
    with pytest.raises(ValueError, match="draw_stride="):
        batch.deal(Rules(), seeds(1), stride)


def test_games_that_must_not_be_written_are_not() -> None:
    """A read-only array, such as one over the bytes of saved games, may only be asked."""
    saved = batch.deal(Rules(), seeds(1)).tobytes()
    games = np.frombuffer(saved, GAME)
    before = games.copy()
    action = batch.legal_mask(games).argmax(axis=1)
    for change in (
        lambda: batch.step(games, action),
        lambda: batch.play_forced(games),
        lambda: batch.random_playout(games, seeds(1)),
    ):
        with pytest.raises(ValueError, match="read-only"):
            change()
    assert same(games, before)
