"""What every agent promises: legal, fair and pure answers, whatever the table and the batch."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import agents
from agents import greedy_agent, heuristic_agent, random_agent
from chickenfoot_env import batch, chance, view
from chickenfoot_env.game import BONEYARD, GAME_OVER, bit_matrix, tiles_of
from chickenfoot_env.jit import records
from chickenfoot_env.rules import Rules

RULES = [
    Rules(players=2, rounds=(9, 0)),
    Rules(players=4, rounds=(9, 0), drawn_tile="must"),
    Rules(players=6, rounds=(9, 0), drawn_tile="no"),
    Rules(players=3, max_pip=2, hand_size=1, starter_arms=2, toes=1),
    Rules(players=4, max_pip=6, rounds=(3,)),  # no boneyard
    Rules(players=8, max_pip=12, rounds=(12,), toes=2),
    Rules(players=12, max_pip=18, hand_size=10, rounds=(18,), starter_arms=6),
]
BUDGETS = {"flat_mc": "flat_mc:worlds=2", "mcts": "mcts:iterations=10"}  # quicker than the default
CHEATS = {"oracle"}
everybody = pytest.mark.parametrize(
    "name", [BUDGETS.get(name, name) for name in agents.names() if name not in CHEATS]
)


def random_positions(copies: int) -> Iterator[np.ndarray]:
    """The games of one mixed batch of all RULES after each step of random play, to their end."""
    seeds = np.arange(copies, dtype=np.uint64)
    games = np.concatenate([batch.deal(rules, seeds) for rules in RULES])
    tick = 0
    while True:
        yield games.copy()
        if (games["over"] == GAME_OVER).all():
            return
        streams = chance.derive(np.arange(len(games), dtype=np.uint64), tick)
        random = agents.make("random")
        batch.step(games, random.act(view.observe(games, games["seat"]), streams))
        tick += 1


@pytest.fixture(scope="module")
def positions() -> np.ndarray:
    """A mixed sample of running games with a real choice to make."""
    games = np.concatenate(list(random_positions(copies=3))[::7])
    games = games[games["over"] != GAME_OVER]
    return games[batch.legal_mask(games).sum(axis=1) > 1]


def seeds_for(games: np.ndarray) -> np.ndarray:
    """One seed a game, all different."""
    return chance.derive(np.arange(len(games), dtype=np.uint64), 5)


def redealt(game: np.void, seed: int) -> np.void:
    """The same game to the seat to act, with the hidden tiles elsewhere."""
    other = game.copy()
    holders = [seat for seat in range(game["players"]) if seat != game["seat"]] + [BONEYARD]
    hidden = [tile for h in holders for tile in tiles_of(game["held"][h], game["max_pip"])]
    places = iter(np.random.default_rng(seed).permutation(hidden))
    for holder in holders:
        tiles = [next(places) for _ in range(game["hand_count"][holder])]
        other["held"][holder] = bit_matrix(tiles)
    other["seed"] = seed
    other["order"] = 0
    return other


@everybody
def test_every_answer_is_legal(name: str) -> None:
    agent = agents.make(name)
    for games in random_positions(copies=4):
        actions = agent.act(view.observe(games, games["seat"]), seeds_for(games))
        legal = batch.legal_mask(games)[np.arange(len(games)), actions]
        assert legal.all(), (games[~legal], actions[~legal])


@everybody
def test_nothing_handed_over_is_changed(name: str, positions: np.ndarray) -> None:
    views, seeds = view.observe(positions, positions["seat"]), seeds_for(positions)
    before = views.tobytes(), seeds.tobytes()
    agents.make(name).act(views, seeds)
    assert (views.tobytes(), seeds.tobytes()) == before


@everybody
def test_an_answer_is_the_same_alone_and_in_any_batch(name: str, positions: np.ndarray) -> None:
    agent = agents.make(name)
    views, seeds = view.observe(positions, positions["seat"]), seeds_for(positions)
    together = agent.act(views, seeds)
    alone = [agent.act(views[i : i + 1], seeds[i : i + 1])[0] for i in range(len(views))]
    shuffled = np.random.default_rng(1).permutation(len(views))
    assert together.tolist() == alone
    assert together[shuffled].tolist() == agent.act(views[shuffled], seeds[shuffled]).tolist()


@everybody
def test_an_agent_may_be_asked_by_several_threads_at_once(name: str, positions: np.ndarray) -> None:
    agent = agents.make(name)
    views, seeds = view.observe(positions, positions["seat"]), seeds_for(positions)
    expected = agent.act(views, seeds).tolist()
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(agent.act, views, seeds) for _ in range(8)]
        assert all(one.result().tolist() == expected for one in asked)


@everybody
def test_hidden_tiles_dealt_anew_leave_the_answer_unchanged(
    name: str, positions: np.ndarray
) -> None:
    agent, seeds = agents.make(name), seeds_for(positions)
    others = np.array([redealt(game, seed) for seed, game in enumerate(positions)])
    assert (others["held"] != positions["held"]).any(axis=(1, 2, 3)).mean() > 0.9
    here = agent.act(view.observe(positions, positions["seat"]), seeds)
    there = agent.act(view.observe(others, others["seat"]), seeds)
    assert here.tolist() == there.tolist()


def test_a_rule_chooses_alike_from_a_game_and_from_a_view(positions: np.ndarray) -> None:
    views, seeds = view.observe(positions, positions["seat"]), seeds_for(positions)
    answers = {
        name: agents.make(name).act(views, seeds) for name in ("random", "greedy", "heuristic")
    }
    for i, game in enumerate(records(positions)):
        question = game, game["held"][game["seat"]], game["hand_count"][BONEYARD]
        assert greedy_agent.choose(*question) == answers["greedy"][i]
        assert heuristic_agent.choose(*question) == answers["heuristic"][i]
        assert random_agent.choose(*question, seeds[i]) == answers["random"][i]


@everybody
def test_a_view_of_a_seat_that_is_not_to_act_is_refused(name: str) -> None:
    games = batch.deal(Rules(players=4), np.arange(3, dtype=np.uint64))
    seats = games["seat"].astype(np.int64)
    seats[1] = (seats[1] + 1) % 4
    with pytest.raises(ValueError, match=r"view 1 is of a seat that is not to act \(turn=3\)"):
        agents.make(name).act(view.observe(games, seats), games["seed"].copy())


@everybody
def test_a_finished_game_is_answered_with_pass_whoever_looks(name: str) -> None:
    rules = Rules(players=4, rounds=(9,))
    games = batch.deal(rules, np.arange(4, dtype=np.uint64))
    batch.random_playout(games, games["seed"].copy())
    views = view.observe(games, np.arange(4))
    assert (views["over"] == GAME_OVER).all()
    assert agents.make(name).act(views, seeds_for(games)).tolist() == [rules.pass_] * 4


@everybody
def test_game_records_and_missing_seeds_are_refused(name: str) -> None:
    games = batch.deal(Rules(players=4), np.arange(3, dtype=np.uint64))
    with pytest.raises(ValueError, match="wanted is an array of VIEW records"):
        agents.make(name).act(games, games["seed"].copy())
    with pytest.raises(ValueError, match="1 seeds for 3 records"):
        agents.make(name).act(view.observe(games, games["seat"]), np.zeros(1, np.uint64))


def test_only_the_oracle_is_handed_games() -> None:
    made = [agents.make(name) for name in agents.names()]
    assert {agent.name.split(":")[0] for agent in made if getattr(agent, "cheats", False)} == CHEATS


@everybody
def test_no_question_has_no_answer(name: str) -> None:
    answer = agents.make(name).act(np.zeros(0, view.VIEW), np.zeros(0, np.uint64))
    assert (answer.shape, answer.dtype) == ((0,), np.int64)
