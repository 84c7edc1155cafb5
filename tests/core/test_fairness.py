"""In every published rule set: nothing hidden reaches an agent, and the evidence is sound."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from core.random_play import random_play, sample_positions, seeds
from core.test_view import dealt_otherwise
from numpy.typing import NDArray

import agents
from chickenfoot_env import encode, view
from chickenfoot_env.env import raw_env
from chickenfoot_env.game import BONEYARD, GAME, UNKNOWN, problems, rows_of
from chickenfoot_env.presets import PRESETS
from chickenfoot_env.rules import MAX_PLAYERS, Rules, RulesError
from chickenfoot_env.tiles import HIGH, LOW

QUICK, SLOW = 2_000, 12_000  # pairs of games over all presets
BUDGETS = {"flat_mc": "flat_mc:worlds=2", "mcts": "mcts:iterations=10"}  # quicker than the default
AGENTS = [agents.make(BUDGETS.get(name, name)) for name in agents.names() if name != "oracle"]


def tables() -> Iterator[Rules]:
    """Every preset with the fewest and the most players that it covers, in two rounds."""
    for name in PRESETS:
        covered = []
        for players in range(2, MAX_PLAYERS + 1):
            try:
                covered.append(Rules.preset(name, players=players))
            except RulesError:
                continue
        for rules in (covered[0], covered[-1]):
            yield Rules.preset(name, players=rules.players, rounds=rules.starters[:2])


TABLES = list(tables())


def pairs_of(rules: Rules, wanted: int, seed: int) -> tuple[NDArray[np.void], NDArray[np.void]]:
    """Positions of random games, and the same with the tiles hidden from seat 0 dealt otherwise."""
    rng = np.random.default_rng(seed)
    games = sample_positions(rules, 8, 1.0, seed, draw_stride=rules.private_stride)
    games = games[rng.permutation(len(games))[:wanted]]
    others = np.array([dealt_otherwise(game, 0, rng) for game in games], GAME)
    return games, others


def shown(games: NDArray[np.void]) -> tuple[bytes, ...]:
    """All that seat 0 is given: view, mask and features."""
    views = view.observe(games, np.zeros(len(games), np.int64))
    return views.tobytes(), view.legal_mask(views).tobytes(), encode.features(views).tobytes()


def chosen(games: NDArray[np.void]) -> list[list[int]]:
    """What each agent does in those games in which seat 0 is to act."""
    acting = np.flatnonzero(games["seat"] == 0)
    views = view.observe(games[acting], np.zeros(len(acting), np.int64))
    return [agent.act(views, seeds(len(acting))).tolist() for agent in AGENTS]


def compare(rules: Rules, wanted: int, seed: int) -> tuple[int, int]:
    """The pairs compared for seat 0, and how many of them differ in some hand."""
    games, others = pairs_of(rules, wanted, seed)
    assert shown(games) == shown(others)
    assert chosen(games) == chosen(others)
    differ = (games["held"] != others["held"]).any(axis=(1, 2, 3))
    return len(games), int(differ.sum())


def test_hidden_tiles_change_nothing_in_any_preset(record_property: pytest.RecordProperty) -> None:
    """View, mask, features and every agent's action, for tiles re-dealt as the evidence allows."""
    counts = [compare(rules, QUICK // len(TABLES) + 1, 1) for rules in TABLES]
    pairs, differ = np.sum(counts, axis=0)
    record_property("pairs", int(pairs))
    assert pairs >= QUICK and differ > 0.9 * pairs


@pytest.mark.slow
def test_hidden_tiles_change_nothing_in_many_more_games(
    record_property: pytest.RecordProperty,
) -> None:
    """The same with more pairs."""
    counts = [compare(rules, SLOW // len(TABLES) + 1, seed) for rules in TABLES for seed in (2, 3)]
    pairs, differ = np.sum(counts, axis=0)
    record_property("pairs", int(pairs))
    assert pairs >= 10_000 and differ > 0.9 * pairs


def test_a_hidden_bit_let_through_is_seen() -> None:
    """The comparison has teeth: one bit of one hidden hand in the view, and it fails."""
    games, others = pairs_of(Rules(players=3, rounds=(9,)), 60, 4)
    leaky = []
    for each in (games, others):
        views = view.observe(each, np.zeros(len(each), np.int64))
        views["passes"] ^= (each["held"][:, 1, 0, 0] & 1).astype(np.int16)  # the next seat's 0-0
        leaky.append(views.tobytes())
    assert leaky[0] != leaky[1]


def test_the_environment_shows_no_hidden_tile_in_any_preset() -> None:
    """Observations and infos of all that the environment tells seat 0."""
    for rules in TABLES:
        rng = np.random.default_rng(7)
        env = raw_env(rules=rules)
        env.reset(seed=3)
        for _ in range(12):
            env.step(int(rng.choice(np.flatnonzero(env.action_masks()))))
        twin = env.clone()
        twin._episode.games[0] = dealt_otherwise(env._episode.games[0], 0, rng)
        assert env._episode.games.tobytes() != twin._episode.games.tobytes()
        mine, other = env.observe("player_0"), twin.observe("player_0")
        for key in mine:
            assert mine[key].tobytes() == other[key].tobytes()
        assert env.view("player_0") == twin.view("player_0")
        if env.agent_selection == "player_0":
            info, same = (each.infos["player_0"]["action_mask"] for each in (env, twin))
            assert info.tobytes() == same.tobytes()


def test_evidence_never_excludes_the_truth_in_any_preset(
    record_property: pytest.RecordProperty,
) -> None:
    """For every bound c, a seat holds at most c tiles with pips of bounds up to c."""
    positions = 0
    for rules in TABLES:
        fits = [np.arange(rules.pips) == half[: rules.tiles, None] for half in (LOW, HIGH)]
        shows = fits[0] | fits[1]  # (T, P) the tile has the pip
        for games in random_play(rules, 4, seed=11):
            positions += len(games)
            held = rows_of(games["held"])[:, : rules.players]
            owned = held[:, :, LOW[: rules.tiles]] >> HIGH[: rules.tiles].astype(np.uint32) & 1
            bounds = games["drawn_since"][:, : rules.players, : rules.pips]
            for bound in np.unique(bounds[bounds != UNKNOWN]):
                within = (bounds != UNKNOWN) & (bounds <= bound)  # (B, N, P)
                touched = (within[:, :, None, :] & shows).any(axis=3)  # (B, N, T)
                held_now = (touched & (owned == 1)).sum(axis=2)
                assert (held_now[within.any(axis=2)] <= bound).all(), rules
    record_property("positions", positions)
    assert positions > 10_000


def test_the_tables_differ_in_what_is_hidden() -> None:
    """There is something to hide in every table, and records stay sound when it is dealt anew."""
    for rules in TABLES:
        games, others = pairs_of(rules, 10, 5)
        assert all(problems(game) == [] for game in others)
        hidden = games["hand_count"][:, 1 : rules.players].sum(axis=1)
        assert (hidden + games["hand_count"][:, BONEYARD] > 0).all()
