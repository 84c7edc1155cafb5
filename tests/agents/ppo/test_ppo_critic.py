"""What the critic sees, beside games played on step by step with the heuristic agent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import agents
from agents.ppo import critic
from chickenfoot_env import batch, chance, sampling, view
from chickenfoot_env.game import GAME_OVER, rows_of
from chickenfoot_env.rules import MAX_PLAYERS, Rules
from chickenfoot_env.worlds import sample_worlds

HEURISTIC = agents.make("heuristic")
TABLES: list[dict[str, Any]] = [
    {"players": 2},
    {"players": 4, "rounds": (9, 3)},
    {"players": 7, "max_pip": 12},
    {"players": 3, "max_pip": 6, "hand_size": 5, "draw_when_stuck": "may"},
]


def middle_games(count: int = 12, **fields: Any) -> NDArray[np.void]:
    """Running games with a choice to make, one step of random play further each."""
    games = batch.deal(Rules(**fields), np.arange(count, dtype=np.uint64))
    for number in range(2 * count):
        seeds = chance.derive(np.arange(count, dtype=np.uint64), number)
        actions = sampling.sample(batch.legal_mask(games), seeds)
        rows = np.flatnonzero(2 * np.arange(count) > number)
        some = games[rows]
        batch.step(some, actions[rows])
        batch.play_forced(some)
        games[rows] = some
    games = games[games["over"] != GAME_OVER]
    assert len(games) > count // 2
    return games


def earned(game: NDArray[np.void]) -> NDArray[np.float64]:
    """(N,) each seat's margin in the round, if the heuristic plays it to its end for all."""
    before, players = game.copy(), int(game["players"][0])
    game = game.copy()
    while game["round"] == before["round"] and game["over"] != GAME_OVER:
        views = view.observe(game, game["seat"].astype(np.int64))
        batch.step(game, HEURISTIC.act(views, np.zeros(1, np.uint64)))
    points = (game["points"].astype(float) - before["points"])[0, :players]
    return (points.sum() - points) / (players - 1) - points


def behind(game: NDArray[np.void], action: int, seat: int) -> float:
    """The seat's margin of the round with this action, then as `earned`."""
    after = game.copy()
    batch.step(after, np.array([action]))
    if after["round"] == game["round"] and after["over"] != GAME_OVER:
        return float(earned(after)[seat])
    points = (after["points"].astype(float) - game["points"])[0, : int(game["players"][0])]
    return float((points.sum() - points[seat]) / (len(points) - 1) - points[seat])


@pytest.mark.parametrize("fields", TABLES)
def test_features_are_the_ends_by_the_heuristic_and_the_hands(fields: dict[str, Any]) -> None:
    games = middle_games(**fields)
    found = critic.critic_features(games)
    pips, players = int(games["max_pip"][0]) + 1, fields["players"]
    assert found.shape == (len(games), critic.size(pips - 1))
    assert found.dtype == np.float32
    wanted = np.zeros(found.shape)
    held = rows_of(games["held"])
    for row in range(len(games)):
        margins = earned(games[row : row + 1])
        for seat_behind in range(players):
            seat = (int(games["seat"][row]) + seat_behind) % players
            wanted[row, seat_behind] = margins[seat] / critic.SPREAD
            for pip in range(pips if seat_behind else 0):
                count = int(held[row, seat, pip]).bit_count()
                wanted[row, MAX_PLAYERS + (seat_behind - 1) * pips + pip] = count / pips
    assert found == pytest.approx(wanted, abs=1e-5)
    assert np.ptp(found[:, 0]) > 0.1


@pytest.mark.parametrize("fields", TABLES)
@pytest.mark.parametrize("worlds", [1, 3])
def test_action_values_are_means_over_worlds(fields: dict[str, Any], worlds: int) -> None:
    """The true game is the first; the others are those of `sample_worlds`, seen from seat 0."""
    games = middle_games(8, **fields)
    seeds = chance.derive(np.arange(len(games), dtype=np.uint64), 9)
    found = critic.action_values(games, seeds, worlds)
    legal = batch.legal_mask(games)
    assert (found.shape, found.dtype) == (legal.shape, np.float32)
    assert (found[~legal] == 0.0).all()
    views = view.observe(games, games["seat"].astype(np.int64))
    others = sample_worlds(views, seeds, worlds)[:, 1:]
    for row, action in np.argwhere(legal):
        seat = int(games["seat"][row])
        margins = [behind(games[row : row + 1], action, seat)]
        margins += [behind(others[row, k : k + 1], action, 0) for k in range(worlds - 1)]
        assert found[row, action] == pytest.approx(np.mean(margins), abs=1e-3)


def test_one_world_is_the_true_game_whatever_the_seeds_and_more_are_not() -> None:
    games = middle_games(40, players=4)
    seeds = np.arange(len(games), dtype=np.uint64)
    one, more = (critic.action_values(games, seeds, worlds) for worlds in (1, 4))
    assert (critic.action_values(games, seeds + np.uint64(99), 1) == one).all()
    other = critic.action_values(games, seeds + np.uint64(99), 4)
    assert ((more != one).any(axis=1)).mean() > 0.9
    assert ((more != other).any(axis=1)).mean() > 0.9


@pytest.mark.parametrize("worlds", [1, 3])
def test_values_do_not_depend_on_the_batch(worlds: int) -> None:
    games = middle_games(40, players=4)
    before = games.tobytes()
    seeds = chance.derive(np.arange(len(games), dtype=np.uint64), 2)
    together = critic.action_values(games, seeds, worlds)
    order = np.random.default_rng(3).permutation(len(games))
    assert (critic.action_values(games[order], seeds[order], worlds) == together[order]).all()
    alone = critic.action_values(games[5:6], seeds[5:6], worlds)
    assert (alone[0] == together[5]).all()
    features = critic.critic_features(games)
    assert (critic.critic_features(games[order]) == features[order]).all()
    assert games.tobytes() == before


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        (np.arange(2, dtype=np.uint64), "2 seeds for 3 records: one each is wanted"),
        (np.arange(3), "seeds are int64 of shape .*: wanted is a one-dimensional uint64 array"),
    ],
)
def test_seeds_that_are_not_one_a_game_are_refused(seeds: Any, message: str) -> None:
    games = middle_games(3, players=4)
    with pytest.raises(ValueError, match=message):
        critic.action_values(games, seeds, 2)
