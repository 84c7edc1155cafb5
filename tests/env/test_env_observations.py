"""Observations: their kind, their freshness, whose eyes they are seen with, and what they hide."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playing import VARIANTS, act, place, play, turns

from chickenfoot_env import chickenfoot_v0
from chickenfoot_env.env import ChickenFootEnv
from chickenfoot_env.game import BONEYARD, UNKNOWN, bit_matrix, problems, tiles_of
from chickenfoot_env.tiles import HIGH, LOW


@pytest.mark.parametrize("name", VARIANTS)
def test_every_observation_lies_in_its_space_with_its_dtype(
    name: str, rng: np.random.Generator
) -> None:
    env = chickenfoot_v0.env(**VARIANTS[name])
    env.reset(seed=11)
    for turn in turns(env, rng, limit=400):
        space = env.observation_space(turn.agent)
        for agent in env.possible_agents:
            observation = env.observe(agent)
            assert space.contains(observation)
            for key, part in observation.items():
                assert part.dtype == space[key].dtype
        assert env.state_space.contains(env.state())


def test_spaces_are_the_same_objects_at_every_call_and_each_agent_has_its_own() -> None:
    env = chickenfoot_v0.env()
    for space in (env.observation_space, env.action_space):
        assert space("player_1") is space("player_1")
        assert space("player_1") is not space("player_2")
        assert space("player_1") == space("player_2")


def test_what_was_observed_does_not_change_later(rng: np.random.Generator) -> None:
    env = chickenfoot_v0.raw_env(rounds=(9,))
    env.reset(seed=12)
    kept = []
    for turn in turns(env, rng):
        parts = [*turn.observation.values(), env.state(), turn.info.get("action_mask", env.state())]
        kept += [(part, part.copy()) for part in parts]
    for part, copied in kept:
        np.testing.assert_array_equal(part, copied)


@pytest.mark.parametrize("name", VARIANTS)
def test_observing_any_agent_at_any_time_changes_nothing(
    name: str, rng: np.random.Generator
) -> None:
    env = chickenfoot_v0.raw_env(**VARIANTS[name])
    env.reset(seed=13)

    def look_at_all() -> None:
        before = env.get_state()
        first = [env.observe(agent) for agent in env.possible_agents]
        second = [env.observe(agent) for agent in env.possible_agents]
        env.state()
        [env.view(agent) for agent in env.possible_agents]
        assert env.get_state() == before
        for one, other in zip(first, second, strict=True):
            for key in one:
                np.testing.assert_array_equal(one[key], other[key])

    for _ in turns(env, rng, limit=60):
        look_at_all()
    play(env, rng)
    assert env.agents == []
    look_at_all()


def test_last_without_observation_builds_none(monkeypatch: pytest.MonkeyPatch) -> None:
    env = chickenfoot_v0.env(rounds=(9,))
    env.reset(seed=1)
    monkeypatch.setattr(ChickenFootEnv, "observe", None)
    for _ in env.agent_iter():
        observation, _, termination, _, info = env.last(observe=False)
        assert observation is None
        env.step(None if termination else int(np.argmax(info["action_mask"])))


def test_the_state_is_every_seats_features_and_the_boneyard(rng: np.random.Generator) -> None:
    env = chickenfoot_v0.raw_env(players=3)
    env.reset(seed=14)
    for _ in turns(env, rng, limit=100):
        seats = [env.observe(agent)["observation"] for agent in env.possible_agents]
        left = tiles_of(env._episode.games["held"][0, BONEYARD], 9)
        boneyard = np.isin(np.arange(55), left)
        np.testing.assert_array_equal(env.state(), np.concatenate([*seats, boneyard]))


def test_seats_see_the_table_from_their_own_side(rng: np.random.Generator) -> None:
    env, turned = (chickenfoot_v0.raw_env(players=5) for _ in range(2))
    env.reset(seed=15)
    turned.reset(seed=16)
    for _ in turns(env, rng, limit=200):
        games = env._episode.games.copy()
        for name in ("held", "hand_count", "points", "zero_rounds", "best_round", "drawn_since"):
            games[name][0, :5] = np.roll(games[name][0, :5], 2, axis=0)
        games["seat"] = (games["seat"] + 2) % 5
        turned._episode.games = games
        for seat in range(5):
            mine, theirs = f"player_{seat}", f"player_{(seat + 2) % 5}"
            np.testing.assert_array_equal(
                env.observe(mine)["observation"], turned.observe(theirs)["observation"]
            )
            assert env.view(mine).tobytes() == turned.view(theirs).tobytes()
            # They will not lead the hunt in the same round, so they do not know the same.
            assert env.infoset_key(mine) != turned.infoset_key(theirs)


# What is hidden stays hidden


def redealt(env: ChickenFootEnv, observer: int, rng: np.random.Generator) -> ChickenFootEnv | None:
    """A twin in which tiles hidden from the observer have changed places, or None if none could."""
    game = env._episode.games[0]
    max_pip = int(game["max_pip"])
    holders = [*range(env.rules.players), BONEYARD]
    slots = [
        (holder, tile)
        for holder in holders
        if holder != observer
        for tile in tiles_of(game["held"][holder], max_pip)
    ]
    tiles = [tile for _, tile in slots]
    for one, other in rng.integers(len(slots), size=(12, 2)):
        trial = tiles.copy()
        trial[one], trial[other] = tiles[other], tiles[one]
        if all(fits_evidence(game, slots[slot][0], slots, trial) for slot in (one, other)):
            tiles = trial
    if tiles == [tile for _, tile in slots]:
        return None
    twin = copy.copy(env)
    twin._episode = copy.copy(env._episode)
    twin._episode.mask = env._episode.mask.copy()
    twin._episode.illegal_actions = env._episode.illegal_actions.copy()
    twin._episode.games = games = env._episode.games.copy()
    becomes = np.arange(len(game["order"]))
    becomes[[tile for _, tile in slots]] = tiles
    games["order"][0] = becomes[game["order"]]
    for holder in {holder for holder, _ in slots}:
        mine = (tile for (owner, _), tile in zip(slots, tiles, strict=True) if owner == holder)
        games["held"][0, holder] = bit_matrix(mine)
    twin._episode._look()
    twin._inform()
    return twin


def fits_evidence(game: Any, holder: int, slots: list[tuple[int, int]], tiles: list[int]) -> bool:
    if holder == BONEYARD:
        return True
    hand = [tile for (owner, _), tile in zip(slots, tiles, strict=True) if owner == holder]
    pips = [pip for tile in hand for pip in {int(LOW[tile]), int(HIGH[tile])}]
    bounds = game["drawn_since"][holder].tolist()
    return all(bounds[pip] == UNKNOWN or pips.count(pip) <= bounds[pip] for pip in pips)


def everything_told(env: ChickenFootEnv, agent: str) -> list[Any]:
    observation = env.observe(agent)
    info = {key: np.asarray(part).tolist() for key, part in env.infos[agent].items()}
    return [
        *(part.tobytes() for part in observation.values()),
        info,
        env.view(agent).tobytes(),
        env.infoset_key(agent),
        env.rewards[agent],
        env._cumulative_rewards[agent],
        env.terminations[agent],
        env.truncations[agent],
        env.agent_selection,
    ]


def pairs(
    rng: np.random.Generator, own_turn: bool = False
) -> Iterator[tuple[ChickenFootEnv, ChickenFootEnv, int]]:
    """Games and twins that differ only in what one seat cannot see, at every turn or its own."""
    for players in (2, 4, 7):
        env = chickenfoot_v0.raw_env(players=players, on_illegal="forfeit")
        env.reset(seed=players)
        for turn in turns(env, rng):
            if turn.termination:
                break
            for observer in [env._episode.seat] if own_turn else range(players):
                twin = redealt(env, observer, rng)
                if twin is not None:
                    yield env, twin, observer


def test_redealt_games_can_be_played(rng: np.random.Generator) -> None:
    for number, (env, twin, observer) in enumerate(pairs(rng, own_turn=True)):
        if number % 20 == 0:
            assert problems(twin._episode.games[0]) == []
            assert twin.get_state() != env.get_state()
            assert observer < env.rules.players


def test_tiles_that_a_seat_cannot_see_change_nothing_that_it_is_told(
    rng: np.random.Generator,
) -> None:
    compared = 0
    for env, twin, observer in pairs(rng):
        agent = f"player_{observer}"
        assert everything_told(env, agent) == everything_told(twin, agent)
        compared += 1
    assert compared > 5000


def test_a_seats_own_play_tells_it_nothing_of_hidden_tiles(rng: np.random.Generator) -> None:
    compared = 0
    for env, twin, observer in pairs(rng, own_turn=True):
        agent = f"player_{observer}"
        plays = np.flatnonzero(env.action_masks()[: env.rules.draw])
        if not len(plays):
            continue
        action = int(rng.choice(plays))
        one, other = env.clone(), twin.clone()
        one.step(action)
        other.step(action)
        # Whether a round is blocked depends on all hands, and a new round on the whole shuffle.
        if not any("round_outcome" in each.infos[agent] for each in (one, other)):
            assert everything_told(one, agent) == everything_told(other, agent)
            compared += 1
    assert compared > 500


def test_the_key_tells_apart_what_a_pass_has_shown() -> None:
    env = chickenfoot_v0.raw_env(players=2, rounds=(9,))
    env.reset(seed=1)
    place(env, "OPEN | 3 | 1-2 3-4 4-4 / 1-6 1-7 | 5-6 7-8 | 1")
    act(env, "DRAW", "PASS")
    shown = env.infoset_key("player_0"), env.infoset_key("player_1")
    place(env, "OPEN | 3 | 1-2 3-4 4-4 / 1-6 1-7 5-6 | 7-8 | 0")  # the same, with nothing shown
    silent = env.infoset_key("player_0"), env.infoset_key("player_1")
    assert len({*shown, *silent}) == 4
