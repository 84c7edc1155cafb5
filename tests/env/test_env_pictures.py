"""Pictures through the environment: every mode, at every time, and what a seat's picture hides."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from playing import VARIANTS, act, pick, place, play

from chickenfoot_env import chickenfoot_v0
from chickenfoot_env.env import ChickenFootEnv
from chickenfoot_env.game import tiles_of
from chickenfoot_env.notation import format_tile
from chickenfoot_env.render.scene import HEIGHT, WIDTH

FACE = re.compile(r"<title>(\d+-\d+)</title>")
TILE = re.compile(r"\d+-\d+")
PLAYED = ("2 seats", "8 seats, double-twelve", "must", "win", "one round", "random legal")


def names_of(rows: Any, max_pip: int) -> list[str]:
    return [format_tile(tile) for tile in tiles_of(rows, max_pip)]


def open_tiles(env: ChickenFootEnv) -> list[str]:
    """All that are not in the boneyard."""
    game = env._episode.games[0]
    held = [names_of(game["held"][seat], env.rules.max_pip) for seat in range(env.rules.players)]
    return sorted(sum(held, names_of(game["laid"], env.rules.max_pip)))


def moments(env: ChickenFootEnv, rng: np.random.Generator, every: int) -> Iterator[str]:
    """Play to the end; stop after the reset, every so many steps, after each round and the end."""
    yield "dealt"
    steps = 0
    while not env.is_over:
        before = int(env._episode.games["round"][0])
        env.step(pick(env.action_masks(), rng))
        steps += 1
        if env.is_over:
            yield "over"
        elif env._episode.games["round"][0] != before:
            yield "new round"
        elif steps % every == 0:
            yield "round"


@pytest.mark.parametrize("name", PLAYED)
def test_svg_shows_all_tiles_but_the_boneyard_at_any_time(
    name: str, rng: np.random.Generator
) -> None:
    env = chickenfoot_v0.raw_env(render_mode="svg", **VARIANTS[name])
    seen = set()
    for seed in (1, 2):
        env.reset(seed=seed)
        for moment in moments(env, rng, every=40):
            assert sorted(FACE.findall(env.render())) == open_tiles(env), moment
            seen.add(moment)
    assert {"dealt", "round", "over"} <= seen
    assert ("new round" in seen) == (env.settings.episode == "game")


@pytest.mark.parametrize("name", PLAYED)
def test_the_plays_are_those_that_were_made(name: str, rng: np.random.Generator) -> None:
    env = chickenfoot_v0.raw_env(**VARIANTS[name])
    env.reset(seed=4)
    episode, pips = env._episode, env.rules.pips
    made: list[tuple[int, int]] = []
    while not env.is_over:
        starter = int(episode.games["starter"][0])
        assert episode.plays() == [(starter, starter), *made]
        before, action = int(episode.games["round"][0]), pick(env.action_masks(), rng)
        env.step(action)
        if action < env.rules.draw:
            made.append(divmod(action, pips))
        if episode.games["round"][0] != before:
            made = []
    assert episode.plays()[1:] == made and made


@pytest.mark.parametrize("seed", range(6))
def test_rounds_that_end_as_they_are_dealt(seed: int, rng: np.random.Generator) -> None:
    """With one tile each, the seat that lays the starter is out."""
    env = chickenfoot_v0.raw_env(
        players=2, hand_size=1, max_pip=3, starter_arms=2, toes=1, render_mode="svg"
    )
    env.reset(seed=seed)
    for _moment in moments(env, rng, every=1):
        assert sorted(FACE.findall(env.render())) == open_tiles(env)


def test_an_action_taken_in_place_of_an_illegal_one_is_in_the_picture() -> None:
    env = chickenfoot_v0.raw_env(on_illegal="random_legal", rounds=(9,), render_mode="svg")
    env.reset(seed=6)
    for _ in range(30):
        env.step(int(env.action_masks().argmin()))
    assert len(env._episode.plays()) > 5
    assert sorted(FACE.findall(env.render())) == open_tiles(env)


def test_pixels_have_one_shape_from_the_deal_to_the_end(rng: np.random.Generator) -> None:
    env = chickenfoot_v0.env(players=3, rounds=(9, 8), render_mode="rgb_array")
    env.reset(seed=7)
    frames = []
    for _moment in moments(env.unwrapped, rng, every=25):
        frames.append(env.render())
        assert frames[-1].shape == (HEIGHT, WIDTH, 3) and frames[-1].dtype == np.uint8
    assert len(frames) >= 5
    assert len({frame.tobytes() for frame in frames}) == len(frames)
    assert f"({HEIGHT}, {WIDTH}, 3)" in (ChickenFootEnv.render.__doc__ or "")


@pytest.mark.parametrize(
    ("keywords", "action", "outcome"),
    [({"max_cycles": 1}, None, "truncated"), ({"on_illegal": "forfeit"}, 0, "forfeit")],
)
def test_nobody_is_to_act_in_an_episode_that_was_broken_off(
    keywords: dict[str, Any], action: int | None, outcome: str
) -> None:
    env = chickenfoot_v0.raw_env(render_mode="svg", **keywords)
    env.reset(seed=1)
    assert "player_" in env.render().split("</title>")[0] and "more arms on the 9" in env.render()
    env.step(int(env.action_masks().argmax()) if action is None else action)
    for text in (env.render(), env.seat_svg("player_2")):
        assert f"over: {outcome}" in text
        assert "to act" not in text and "more arms" not in text


WAYS: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "clone": lambda env: env.clone(),
    "bytes": lambda env: restored(env),
}


def restored(env: ChickenFootEnv) -> ChickenFootEnv:
    twin = chickenfoot_v0.raw_env(rules=env.rules, render_mode=env.render_mode)
    twin.set_state(env.get_state())
    return twin


@pytest.mark.parametrize("way", WAYS)
def test_copies_draw_the_same_and_share_no_plays(way: str, rng: np.random.Generator) -> None:
    env = chickenfoot_v0.raw_env(players=3, rounds=(9, 8), render_mode="svg")
    env.reset(seed=8)
    for _ in range(2):
        play(env, rng, limit=17)
        twin, before = WAYS[way](env), env.render()
        assert twin.render() == before
        actions = []
        for _ in range(4):
            actions.append(pick(twin.action_masks(), rng))
            twin.step(actions[-1])
        assert env.render() == before
        for action in actions:
            env.step(action)
        assert twin.render() == env.render() != before
        while not env._episode.round_outcome:
            env.step(pick(env.action_masks(), rng))


def test_a_seats_picture_has_no_hidden_tile(rng: np.random.Generator) -> None:
    env = chickenfoot_v0.env(players=3, max_pip=6, hand_size=5, rounds=(6, 5))
    env.reset(seed=9)
    for _moment in moments(env.unwrapped, rng, every=12):
        game = env.unwrapped._episode.games[0]
        for seat, agent in enumerate(env.possible_agents):
            text = env.seat_svg(agent)
            shown = names_of(game["laid"], 6) + names_of(game["held"][seat], 6)
            assert sorted(FACE.findall(text)) == sorted(shown)
            assert {*TILE.findall(text)} <= {*shown, f"{game['starter']}-{game['starter']}"}


def test_a_seats_picture_begins_with_its_own_hand_and_names_the_seats() -> None:
    env = chickenfoot_v0.raw_env(players=3)
    env.reset(seed=1)
    text = env.seat_svg("player_1")
    assert re.findall(r">(player_\d)</text>", text) == ["player_1", "player_2", "player_0"]
    assert f"{env.agent_selection} to act" in text
    with pytest.raises(ValueError, match="no agent 'player_3': they are player_0 to player_2"):
        env.seat_svg("player_3")
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"seat_svg before reset\(\)"):
        chickenfoot_v0.raw_env().seat_svg("player_0")


def draw_in_mode(mode: str) -> Callable[[ChickenFootEnv], Any]:
    def draw(env: ChickenFootEnv) -> Any:
        env.render_mode = mode
        return env.render()

    return draw


@pytest.mark.parametrize(
    "draw", [draw_in_mode("svg"), draw_in_mode("rgb_array"), lambda env: env.seat_svg("player_0")]
)
def test_a_position_whose_plays_are_not_known_has_no_picture(
    draw: Callable[[ChickenFootEnv], Any],
) -> None:
    env = chickenfoot_v0.raw_env(players=2, rounds=(9, 8))
    env.reset(seed=1)
    place(env, "OPEN | 3 3 | 3-4 3-8 2-2 / 1-2 4-5 | 0-0 | 0")
    message = r"^49 tiles are on the table, but .* does not say how .*; render_mode=\"ansi\" shows"
    with pytest.raises(ValueError, match=message) as caught:
        draw(env)
    assert "\n" not in str(caught.value)
    act(env, "3-8@3")
    env.set_state(env.get_state())
    with pytest.raises(ValueError, match=r"^50 tiles are on the table"):
        draw(env)
    assert "Open ends: 3 8" in draw_in_mode("ansi")(env)


def test_a_position_whose_plays_are_not_known_has_pictures_from_the_next_round_on() -> None:
    env = chickenfoot_v0.raw_env(players=2, rounds=(9, 8), render_mode="svg")
    env.reset(seed=1)
    place(env, "OPEN | 3 | 3-4 / 1-2 | - | 0")
    act(env, "3-4@3")
    assert "Round 2 of 2, starter 8-8" in env.render()
    assert sorted(FACE.findall(env.render())) == open_tiles(env)
