"""Random games of random rules, kept from the first deal to the end, for hypothesis.

Games whose hands have one tile are left out: their rounds may end with the deal.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
from hypothesis import Phase, given, note, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from chickenfoot_env import batch, kernels
from chickenfoot_env.game import BONEYARD, GAME, GAME_OVER, rows_of
from chickenfoot_env.jit import records
from chickenfoot_env.rules import MAX_PLAYERS, Rules
from chickenfoot_env.tiles import MAX_PIP, MAX_PIPS, Rows, set_size

PIPS = np.arange(MAX_PIPS)
deterministic = settings(
    derandomize=True,
    deadline=None,
    max_examples=40,
    database=None,
    phases=[Phase.generate],  # whole games do not shrink in any useful time
)


class Played:
    """One random game: K actions and the K + 1 states around them.

    Attributes:
        rules: of the game.
        states: (K + 1,) GAME.
        actions: (K,) int64.
    """

    def __init__(self, rules: Rules, states: NDArray[np.void], actions: NDArray[np.int64]) -> None:
        self.rules = rules
        self.states = states
        self.actions = actions

    def __repr__(self) -> str:
        return f"{self.rules}, {len(self.actions)} actions"

    def transitions(self) -> Iterator[tuple[np.void, int, np.void]]:
        """Each state with the action taken in it and the state that followed."""
        yield from zip(self.states[:-1], self.actions.tolist(), self.states[1:], strict=True)

    def round_ends(self) -> Iterator[tuple[np.void, np.void, np.void]]:
        """For each round its last state before its end, that state at its end, and the next."""
        for before, action, after in self.transitions():
            if after["round"] != before["round"] or after["over"] == GAME_OVER:
                yield before, unsettled(before, action), after


def unsettled(game: np.void, action: int) -> np.void:
    """The state after an action, its round not yet scored."""
    games = np.asarray(game).reshape(1).copy()
    record = records(games)[0]
    pips = int(game["max_pip"]) + 1
    if action < pips * pips:
        kernels.play(record, action // pips, action % pips)
    elif action == pips * pips:
        kernels.draw(record)
    else:
        kernels.pass_turn(record)
    return games[0]


def play_randomly(rules: Rules, games: NDArray[np.void], chance: random.Random) -> Played:
    """Play the one game to its end, keeping everything."""
    states, actions = [games.copy()], []
    while games["over"][0] != GAME_OVER:
        actions.append(chance.choice(np.flatnonzero(batch.legal_mask(games)[0]).tolist()))
        batch.step(games, np.array(actions[-1:]))
        states.append(games.copy())
        assert len(actions) < 20_000, f"a game without an end: {rules}"
    return Played(rules, np.concatenate(states).astype(GAME), np.array(actions, np.int64))


@st.composite
def some_rules(draw: st.DrawFn, most_rounds: int = 3) -> Rules:
    """Rules of every kind, with hands of two tiles and more."""
    max_pip = draw(st.sampled_from([*range(2, 10), *range(2, MAX_PIP + 1)]))
    tiles = set_size(max_pip)
    players = draw(st.integers(2, min(MAX_PLAYERS, tiles // 2)))
    starters = st.integers(0, max_pip)
    return Rules(
        players=players,
        max_pip=max_pip,
        hand_size=draw(st.integers(2, tiles // players)),
        starter_arms=draw(st.integers(1, min(max_pip, 8))),
        toes=draw(st.integers(1, min(3, max_pip - 1))),
        drawn_tile=draw(st.sampled_from(["may", "must", "no"])),
        double_blank_points=draw(st.sampled_from([50, 25, 0])),
        rounds=tuple(draw(st.lists(starters, min_size=1, max_size=most_rounds))),
    )


@st.composite
def played_games(draw: st.DrawFn) -> Played:
    """A random game of random rules, with any draw stride that leaves each seat its own place."""
    rules = draw(some_rules())
    seed = draw(st.integers(0, 2**64 - 1))
    stride = draw(st.integers(0, rules.private_stride))
    games = batch.deal(rules, np.array([seed], np.uint64), stride)
    note(f"seed {seed}, draw stride {stride}")
    return play_randomly(rules, games, random.Random(seed))


any_game = given(played_games())


def bits(matrix: Rows) -> NDArray[np.bool_]:
    """Bit matrices as (..., 19, 19) bool."""
    return (rows_of(matrix)[..., None] >> PIPS.astype(np.uint32) & 1).astype(np.bool_)


def pips_of(matrix: Rows) -> int:
    """The pips on the tiles of these bit matrices."""
    tiles = bits(matrix)
    doubles = np.diagonal(tiles, axis1=-2, axis2=-1)
    return int((tiles.sum(axis=-1) * PIPS).sum() + (doubles * PIPS).sum())


def open_pips(game: np.void) -> NDArray[np.bool_]:
    """(19,) bool: the pips by which a tile may be laid."""
    return PIPS == game["foot"] if game["owed"] else game["ends"] > 0


def seats_with_a_play(game: np.void) -> NDArray[np.bool_]:
    """(12,) bool."""
    return (rows_of(game["held"])[:BONEYARD, open_pips(game)] != 0).any(axis=1)


def scores(before: np.void, after: np.void) -> list[int]:
    """The points of the round between the two states."""
    return (after["points"] - before["points"])[: before["players"]].tolist()
