"""Resampled states of the OpenSpiel door: what the seat cannot tell apart, all of it, evenly."""

from __future__ import annotations

import itertools
import random
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from doors.openspiel_games import GAMES, TINY, all_states, load, random_states  # noqa: E402

from chickenfoot_env.doors import openspiel  # noqa: E402

TREES = {
    "hunt": f"{TINY},hand_size=2,starter_arms=1",
    "must": f"{TINY},hand_size=2,starter_arms=2,drawn_tile=must",
    "no": f"{TINY},hand_size=2,starter_arms=1,drawn_tile=no",
    "highest held": f"{TINY},hand_size=2,starter_arms=1,starter_rule=highest_held",
    "lower, together": f"{TINY},hand_size=1,starter_arms=2,starter_missing=draw_together",
    "highest tile hunts": f"{TINY},hand_size=2,starter_arms=2,hunt_first=highest_tile",
    "may decline": f"{TINY},hand_size=2,starter_arms=1,draw_when_stuck=may",
    "forbidden": f"{TINY},hand_size=2,starter_arms=1,last_double=forbidden",
    "first stuck": f"{TINY},hand_size=2,starter_arms=2,block_rule=first_stuck",
    "redeal": f"{TINY},hand_size=2,starter_arms=2,starter_missing=redeal",
    "next lower": f"{TINY},hand_size=2,starter_arms=1,starter_missing=next_lower_held",
}


def sampler(seed: int) -> Any:
    """What OpenSpiel gives to a resampling."""
    return pyspiel.UniformProbabilitySampler(seed, 0.0, 1.0)


def check(state: Any, seat: int, twin: Any) -> None:
    """That the seat cannot tell the twin from the state: others differ by chance outcomes alone.

    A state applies no outcome or action that cannot be, so that the twin's history is a legal one.
    """
    assert twin.current_player() == state.current_player()
    assert twin.information_state_string(seat) == state.information_state_string(seat)
    assert twin.observation_string(seat) == state.observation_string(seat)
    mine, other = state.full_history(), twin.full_history()
    assert [entry.player for entry in mine] == [entry.player for entry in other]
    for one, two in zip(mine, other, strict=True):
        assert one.player == pyspiel.PlayerId.CHANCE or one.action == two.action


def check_replay(state: Any, seat: int, twin: Any) -> None:
    """That OpenSpiel can play to the twin, and that it gives the seat the same numbers."""
    again = state.get_game().new_initial_state()
    for action in twin.history():
        again.apply_action_with_legality_check(action)
    assert str(again) == str(twin)
    assert again.information_state_tensor(seat) == state.information_state_tensor(seat)


def test_a_thousand_resampled_states_cannot_be_told_from_the_true_ones() -> None:
    """In all kinds of games, for every seat; and most of them differ from the truth."""
    count = different = 0
    chance = random.Random(1)
    for parameters in itertools.cycle(GAMES.values()):
        game = load(parameters)
        states = [s.clone() for s in random_states(game, chance) if s.phase == openspiel.ACT]
        for state in chance.sample(states, min(6, len(states))):
            for seat in chance.sample(range(state.num_players()), 2):
                twin = state.resample_from_infostate(seat, sampler(count))
                check(state, seat, twin)
                if count % 8 == 0:
                    check_replay(state, seat, twin)
                count += 1
                different += twin.history() != state.history()
        if count >= 1000:
            break
    assert different > 0.9 * count


def test_a_resampled_state_follows_from_information_and_sampler_alone() -> None:
    """Whatever the true hidden tiles: the twin of a twin is the twin."""
    chance = random.Random(2)
    compared = 0
    for parameters in ("players=3", "preset=wikipedia,players=3", "preset=docslib,players=5"):
        for state in random_states(load(parameters), chance):
            if state.phase == openspiel.ACT and chance.random() < 0.2:
                seat = chance.randrange(state.num_players())
                one = state.resample_from_infostate(seat, sampler(7))
                two = state.resample_from_infostate(seat, sampler(8))
                assert one.history() != state.history() or two.history() != state.history()
                for twin in (one, two):
                    again = twin.resample_from_infostate(seat, sampler(7))
                    assert again.history() == one.history()
                compared += 1
    assert compared > 20


@pytest.mark.parametrize("parameters", TREES.values(), ids=TREES.keys())
def test_all_histories_of_an_information_set_come_out_and_no_other(parameters: str) -> None:
    """In a whole small tree: the support is the set of histories with this information."""
    game, chance = load(parameters), random.Random(3)
    same = defaultdict(dict)
    for state in all_states(game.new_initial_state()):
        if state.phase == openspiel.ACT:
            for seat in range(2):
                key = seat, state.information_state_string(seat)
                same[key][tuple(state.history())] = state
    sets = sorted(same.items(), key=lambda item: -len(item[1]))
    assert len(sets[0][1]) >= 2
    larger = [item for item in sets if len(item[1]) > 1]
    for (seat, _), histories in [*larger[:2], *chance.sample(larger, min(8, len(larger)))]:
        state = chance.choice(list(histories.values()))
        draw = sampler(chance.getrandbits(30))
        found = set()
        for _ in range(40 * len(histories)):
            found.add(tuple(state.resample_from_infostate(seat, draw).history()))
            if len(found) == len(histories):
                break
        found |= {tuple(state.resample_from_infostate(seat, draw).history()) for _ in range(10)}
        assert found == histories.keys()


def alike(state: Any, seat: int) -> list[tuple[int, ...]]:
    """All histories that the seat cannot tell from the state's, by a search from the first deal."""
    wanted, path = state.information_state_string(seat), state.full_history()
    found = []

    def follow(other: Any) -> None:
        number = other.move_number()
        if not wanted.startswith(other.information_state_string(seat)):
            return
        if number == len(path):
            found.append(tuple(other.history()))
        elif other.current_player() == path[number].player:
            by_chance = other.is_chance_node()
            for action in other.legal_actions():
                if by_chance or action == path[number].action:
                    follow(other.child(action))

    follow(state.get_game().new_initial_state())
    return found


def excess(state: Any, seat: int, times: int) -> float:
    """Chi-square of equal frequencies, in its standard deviations above what is to be expected."""
    histories = alike(state, seat)
    draw = sampler(len(histories))
    found = Counter(
        tuple(state.resample_from_infostate(seat, draw).history())
        for _ in range(times * len(histories))
    )
    assert found.keys() == {*histories}
    degrees = len(histories) - 1
    square = sum((found[history] - times) ** 2 / times for history in histories)
    return float((square - degrees) / np.sqrt(2 * degrees))


@pytest.mark.parametrize(
    ("tree", "information"),
    [
        ("forbidden", "p1 0-1 1-2 | 0 opens 2-2, 1 begins | 1 1-2@2 | 0 draws | 0 1-1@1"),
        (
            "lower, together",
            "p0 1-2 | 0 hunts 1-1 | 1 hunts | 0 hunts 2-2 | 1 hunts | 0 opens 2-2, 1 begins "
            "| 1 0-2@2 | 0 1-2@2 | 1 0-0@0",
        ),
    ],
)
def test_all_histories_come_out_equally_often(tree: str, information: str) -> None:
    """As chance alone makes them, where a matching alone would prefer some."""
    seat = int(information[1])
    for state in all_states(load(TREES[tree]).new_initial_state()):
        if state.phase == openspiel.ACT and state.information_state_string(seat) == information:
            assert excess(state, seat, 500) < 5
            return
    pytest.fail("no such information set")


def test_larger_information_sets_come_out_whole_and_evenly() -> None:
    """Double-three, two draws and more: 12 to 60 histories, found by a search."""
    game = load("players=2,max_pip=3,hand_size=2,toes=1,starter_arms=2")
    chance, compared = random.Random(5), 0
    while compared < 3:
        for state in random_states(game, chance):
            told = state.information_state_string(0)
            if "hunts" in told:  # too many ways for a search
                break
            if state.phase == openspiel.ACT and told.count("draws") > 1:
                size = len(alike(state, state.current_player()))
                if 12 <= size <= 60:
                    assert excess(state, state.current_player(), 20) < 5
                    compared += 1
                break


def test_a_finished_game_is_its_own_twin() -> None:
    """Its hands have been counted on the table."""
    *_, state = random_states(load("players=2"), random.Random(6))
    assert state.resample_from_infostate(0, sampler(1)).history() == state.history()


def test_chance_nodes_are_refused() -> None:
    state = load("").new_initial_state()
    with pytest.raises(ValueError, match="a seat must be to act"):
        state.resample_from_infostate(0, sampler(1))
