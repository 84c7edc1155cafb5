"""The OpenSpiel door beside the core: the same chance outcomes give the same game, move by move."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("pyspiel")

from core import streams
from core.tables import preset_rules, some_rules
from doors.openspiel_games import load, parameters_of
from numpy.typing import NDArray

from chickenfoot_env import batch
from chickenfoot_env.doors import openspiel
from chickenfoot_env.game import BONEYARD, GAME, GAME_OVER
from chickenfoot_env.rules import MAX_PLAYERS, Rules
from chickenfoot_env.tiles import tile_id

# Where the tiles are is compared by hands; the rest of the order and the seed are the door's own.
COMPARED = [
    name for name in GAME.names or () if name not in ("seed", "order", "held", "hand_count")
]


class Core:
    """A game of the core, and the chance outcomes from which it follows."""

    def __init__(self, rules: Rules, seed: int) -> None:
        """Deal it."""
        self.rules, self.seed = rules, seed
        self.games = batch.deal(rules, np.array([seed], np.uint64))
        self.yard = rules.tiles - rules.boneyard  # the boneyard's first place in the order
        self.dealt_round = -1
        self.given: Iterator[int] = iter(())

    @property
    def game(self) -> np.void:
        """Its record."""
        game: np.void = self.games[0]
        return game

    def order(self, index: int) -> list[int]:
        """The shuffled tiles of a round, after as many redeals as it took."""
        for attempt in range(1000):
            tiles = streams.shuffled(self.seed, index, self.rules.max_pip, attempt)
            if self.rules.starter_source == "set_aside":
                tiles = streams.with_starter_first(tiles, self.rules.starters[index])
            order = [tile_id(*tile) for tile in tiles]
            if self.rules.starter_missing != "redeal" or self.is_kept(order, index):
                return order
        raise AssertionError("no deal was kept")

    def is_kept(self, order: list[int], index: int) -> bool:
        """Whether the core has dealt this round in this order."""
        del index
        return order[: self.yard] == self.game["order"][: self.yard].tolist()

    def outcome(self, phase: str, index: int) -> int:
        """What chance gives next, in this phase of this round."""
        if phase == openspiel.LEAD:
            return streams.random_lead(self.seed, index, self.rules.players)
        if phase == openspiel.HUNTER:
            return streams.random_hunter(self.seed, index, self.rules.players)
        if self.dealt_round != index:
            self.dealt_round = index
            order, size = self.order(index), self.rules.hand_size
            first = self.yard - self.rules.players * size
            hands = [sorted(order[at : at + size]) for at in range(first, self.yard, size)]
            self.given = iter([tile for hand in hands for tile in hand] + order[self.yard :])
        return next(self.given)


def check_alike(state: openspiel.ChickenFootState, core: Core) -> None:
    """All that the records say of the game, the legal actions and the returns."""
    mine, theirs = state.game_record()[0], core.game
    players = core.rules.players
    for name in COMPARED:
        assert np.array_equal(mine[name], theirs[name]), name
    assert (mine["held"][:players] == theirs["held"][:players]).all()
    counted = [*range(players), BONEYARD]
    assert (mine["hand_count"][counted] == theirs["hand_count"][counted]).all()
    if theirs["over"] == GAME_OVER:
        assert state.is_terminal()
        assert state.returns() == batch.margins(core.games)[0].tolist()
    else:
        assert state.current_player() == theirs["seat"]
        legal = np.flatnonzero(batch.legal_mask(core.games)[0]).tolist()
        assert state.legal_actions() == legal


def play_both(parameters: str, seed: int) -> int:
    """Play one random game in both, compare after every step, and return their number."""
    game = load(parameters)
    core, state = Core(game.rules, seed), game.new_initial_state()
    chance, steps = random.Random(seed), 0
    while True:
        while state.is_chance_node():
            # The core may be rounds ahead: it deals at once what follows without a decision.
            index = int(state.game_record()["round"][0])
            state.apply_action(core.outcome(state.phase, index))
        check_alike(state, core)
        if state.is_terminal():
            return steps
        action = chance.choice(state.legal_actions())
        batch.step(core.games, np.array([action]))
        state.apply_action(action)
        steps += 1


def presets() -> list[str]:
    """Each preset with the fewest and the most players, and every number of players."""
    found: dict[str, list[int]] = {}
    for name, rules in preset_rules():
        found.setdefault(name, []).append(rules.players)
    games = [
        f"preset={name},players={n},rounds=2"
        for name, numbers in found.items()
        for n in (numbers[0], numbers[-1])
    ]
    return games + [f"preset=seed_large,players={n}" for n in range(2, MAX_PLAYERS + 1)]


@pytest.mark.parametrize("parameters", presets())
def test_presets_are_played_as_by_the_core(parameters: str) -> None:
    """Hands, table, evidence, scores, legal actions and returns, after every action."""
    assert sum(play_both(parameters, seed) for seed in range(2)) > 10


@pytest.mark.parametrize("max_pip", [2, 3, 4, 6, 9])
def test_random_rules_are_played_as_by_the_core(max_pip: int) -> None:
    """Every rule random; redeals where they leave no round undealt that nobody decides in."""
    chance = random.Random(max_pip)
    steps = 0
    for players in (2, 3, 4, 6):
        for _ in range(4):
            rules = some_rules(chance, max_pip, players)
            redeals = rules.starter_missing == "redeal" and rules.starter_source == "hands"
            rounds = 1 if redeals else min(2, max_pip)
            steps += play_both(parameters_of(rules, rounds), chance.getrandbits(32))
    assert steps > 15 * max_pip


def test_the_lockstep_notices_a_difference() -> None:
    """One bit of one hand."""
    core, state = Core(Rules(players=2, rounds=(9,)), 1), load("players=2").new_initial_state()
    while state.is_chance_node():
        state.apply_action(core.outcome(state.phase, 0))
    check_alike(state, core)
    changed: NDArray[np.void] = core.games.copy()
    changed["held"][0, 0, 3, 0] ^= 4
    core.games = changed
    with pytest.raises(AssertionError):
        check_alike(state, core)
