"""The batch functions: each row for itself, forced play and random play."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from core.mixed_games import Games, mixed_games, positions, run, same
from core.random_play import RULE_SETS, seeds
from core.streams import below
from numpy.typing import NDArray
from scipy import stats

from chickenfoot_env import batch, chance, kernels, notation
from chickenfoot_env.game import BONEYARD, GAME, GAME_OVER
from chickenfoot_env.jit import Direct, records
from chickenfoot_env.rules import Rules

FIVE_PLAYS = "OPEN | 1 | 1-4 1-5 1-6 1-7 1-8 / 2-2 | - | 0"  # each of them blocks the round


def chosen(games: Games, ply: int) -> NDArray[np.int64]:
    """A legal action for each game, which depends on its own seed and the ply alone."""
    mask = batch.legal_mask(games)
    nth = chance.derive(games["seed"], ply) % mask.sum(axis=1).astype(np.uint64)
    return (mask.cumsum(axis=1) > nth[:, None].astype(np.int64)).argmax(axis=1)


def test_a_copied_game_has_the_bytes_of_the_game() -> None:
    """A record has no bytes but those of its fields, which is all that copying is sure to copy."""
    games = mixed_games(64)
    assert GAME.itemsize == sum(GAME[name].itemsize for name in GAME.names)
    assert games[np.arange(64)].tobytes() == games.tobytes()


def test_a_game_is_the_same_alone_and_in_any_batch() -> None:
    """Legal actions and steps of a row depend on nothing but the row."""
    many = mixed_games(4096)
    rows = np.arange(8) * 513
    eight, alone = many[rows], [many[[row]] for row in rows]
    assert len(set(eight["players"].tolist())) > 3 and len(set(eight["max_pip"].tolist())) > 3
    for ply in range(80):
        masks = batch.legal_mask(many)[rows]
        for one, mask in zip(alone, masks, strict=True):
            width = (int(one["max_pip"][0]) + 1) ** 2 + 2
            assert np.array_equal(batch.legal_mask(one)[0], mask[:width])
            assert not mask[width:].any()
        for games in (many, eight, *alone):
            batch.step(games, chosen(games, ply))
        assert same(eight, many[rows]) and same(eight, np.concatenate(alone))


def test_a_deal_is_the_same_alone_and_in_any_batch() -> None:
    """The row of a seed does not depend on the other seeds."""
    for rules in RULE_SETS.values():
        eight = batch.deal(rules, seeds(8))
        alone = [batch.deal(rules, seeds(1, first)) for first in range(8)]
        assert same(np.concatenate(alone), eight)


@pytest.mark.parametrize("play", ["play_forced", "random_playout"])
def test_playouts_are_the_same_alone_and_in_any_batch(play: str) -> None:
    """State and number of steps."""
    many = mixed_games(4096)
    rows = np.arange(8) * 513
    eight, alone = many[rows], [many[[row]] for row in rows]
    steps = [run(play, games) for games in (many, eight, *alone)]
    assert same(eight, many[rows]) and same(eight, np.concatenate(alone))
    assert steps[0][rows].tolist() == steps[1].tolist() == np.concatenate(steps[2:]).tolist()


def test_two_threads_play_as_one() -> None:
    """Kernels share no state: halves of a batch may be played at the same time."""
    games = mixed_games(512)
    halves = games[:256].copy(), games[256:].copy()
    run("random_playout", games)
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(run, ["random_playout"] * 2, halves))
    assert same(np.concatenate(halves), games)


def test_part_of_a_batch_may_be_played() -> None:
    """A slice is the games themselves; the others stay as they are."""
    games = mixed_games(8)
    before = games.copy()
    run("random_playout", games[2:5])
    assert (games["over"] == GAME_OVER).nonzero()[0].tolist() == [2, 3, 4]
    assert same(games[[0, 1, 5, 6, 7]], before[[0, 1, 5, 6, 7]])


def test_an_empty_batch_is_played() -> None:
    """No games, no rows."""
    games = batch.deal(Rules(), seeds(0))
    batch.step(games, np.zeros(0, np.int64))
    assert len(batch.legal_mask(games)) == len(batch.margins(games)) == 0
    assert len(batch.play_forced(games)) == len(batch.random_playout(games, seeds(0))) == 0


def test_legal_actions_are_told_in_one_voice() -> None:
    """The mask, the question about one action, the number of actions and the n-th are the same."""
    games = np.concatenate([positions()[::4], mixed_games(11)])
    run("random_playout", games[-11:])
    for game, mask in zip(records(games), batch.legal_mask(games), strict=True):
        hand, boneyard = game["held"][game["seat"]], game["hand_count"][BONEYARD]
        wanted = np.flatnonzero(mask).tolist()
        asked = [a for a in range(-3, 500) if kernels.is_legal(game, hand, boneyard, a)]
        plays = kernels.count_plays(game, hand)
        count = kernels.count_legal(game, plays, boneyard)
        nth = [kernels.nth_legal(game, hand, plays, boneyard, n) for n in range(count)]
        assert asked == wanted == nth


def test_strided_seeds_and_other_integers_are_taken() -> None:
    """Only games are changed in place, so only they have to be contiguous."""
    games = batch.deal(Rules(), seeds(8)[::2])
    assert same(games, batch.deal(Rules(), seeds(8)[::2].copy()))
    twin = games.copy()
    actions = batch.legal_mask(games).argmax(axis=1)
    batch.step(games, np.repeat(actions, 2)[::2].astype(np.uint8))
    batch.step(twin, actions)
    assert same(games, twin)


def test_games_and_actions_at_odd_addresses_are_taken() -> None:
    """What a file holds need not lie where compiled code likes it best."""
    games = batch.deal(Rules(), seeds(8))
    actions = batch.legal_mask(games).argmax(axis=1)

    def moved(array: NDArray[Any]) -> NDArray[Any]:
        room = np.zeros(array.nbytes + 1, np.uint8)
        other = room[1:].view(array.dtype)
        other[:] = array
        assert not other.flags.aligned
        return other

    odd = moved(games)
    assert np.array_equal(batch.legal_mask(odd), batch.legal_mask(games))
    batch.step(odd, moved(actions))
    batch.step(games, actions)
    assert same(odd, games)


@pytest.mark.parametrize("first", ["writeable", "read-only"])
def test_the_first_call_does_not_decide_the_later_ones(first: str) -> None:
    """Machine code is chosen by the first arrays; it answers for all others alike."""
    games = batch.deal(Rules(), seeds(8))
    locked = games.copy()
    locked.flags.writeable = False
    kernel = Direct(batch._legal_mask)
    masks = [
        kernel.call(each)
        for each in ((games, locked, games) if first == "writeable" else (locked, games, locked))
    ]
    assert all(np.array_equal(mask, batch.legal_mask(games)) for mask in masks)


def test_forced_play_stops_at_the_first_choice() -> None:
    """As by taking single legal actions one by one."""
    games = np.concatenate([positions()[::4], mixed_games(22)])
    by_hand, steps = games.copy(), np.zeros(len(games), np.int64)
    for row in range(len(games)):
        game = by_hand[row : row + 1]
        while game["over"][0] != GAME_OVER and (mask := batch.legal_mask(game)[0]).sum() == 1:
            batch.step(game, np.array([mask.argmax()]))
            steps[row] += 1
    assert batch.play_forced(games).tolist() == steps.tolist()
    assert same(games, by_hand)
    assert {0, 1, 2, 3} <= set(steps.tolist())


def test_random_playout_takes_the_actions_that_its_stream_picks() -> None:
    """A stream of choices a game, drawn from only where there is one; to the end of the game."""
    games = mixed_games(22)
    by_hand, steps = games.copy(), np.zeros(len(games), np.int64)
    streams = chance.derive(games["seed"], 5).tolist()
    for row in range(len(games)):
        game = by_hand[row : row + 1]
        while game["over"][0] != GAME_OVER:
            legal = np.flatnonzero(batch.legal_mask(game)[0])
            choice = 0
            if len(legal) > 1:
                streams[row], choice = below(streams[row], len(legal))
            batch.step(game, legal[choice : choice + 1])
            steps[row] += 1
    assert run("random_playout", games).tolist() == steps.tolist()
    assert same(games, by_hand)


def test_random_playout_ends_every_game() -> None:
    """All of their rounds."""
    games = mixed_games(1100)
    steps = run("random_playout", games)
    assert (games["over"] == GAME_OVER).all()
    assert (games["round"] == games["rounds"] - 1).all()
    assert (steps[games["hand_size"] > 1] > 0).all()


def test_random_playout_is_uniform_over_legal_actions() -> None:
    """Five plays, each of which blocks the round and leaves points of its own."""
    games = np.repeat(notation.parse_position(FIVE_PLAYS), 20_000)
    batch.random_playout(games, seeds(len(games)))
    left, counts = np.unique(games["points"][:, 0], return_counts=True)
    assert left.tolist() == [26, 27, 28, 29, 30]
    assert stats.chisquare(counts).pvalue > 0.001


def test_a_finished_game_stays_as_it_is() -> None:
    """PASS, forced play and playouts do nothing to it."""
    games = mixed_games(22)
    run("random_playout", games)
    before = games.tobytes()
    mask = batch.legal_mask(games)
    assert (mask.sum(axis=1) == 1).all()
    batch.step(games, mask.argmax(axis=1))
    assert not run("play_forced", games).any()
    assert not run("random_playout", games).any()
    assert games.tobytes() == before
