"""The kernels beside the reference engine, state by state.

A `Pairing` plays a batch of games twice: as GAME records through `batch`, and each one as a
`ReferenceGame`. The reference's state is written into arrays of the record's own shapes, so that a
comparison of all games is one NumPy expression a field. What is random, the kernels' shuffles
included, is computed from `streams`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from core.streams import shuffled
from numpy.typing import ArrayLike, NDArray
from reference import Action, ReferenceGame, Tile, action_id

from chickenfoot_env import batch, notation
from chickenfoot_env.game import BONEYARD, GAME, GAME_OVER, NO_PIP, NO_ROUND, PLAYING, UNKNOWN
from chickenfoot_env.rules import Rules
from chickenfoot_env.tiles import HIGH, LOW, MAX_PIPS, MAX_TILES

TABLE = BONEYARD + 1  # as an owner of tiles, beside the seats and the boneyard
NOBODY = TABLE + 1  # owner of the tiles above the set's highest pip
BITS = np.zeros((MAX_TILES, MAX_PIPS))  # what each tile adds to the rows of its owner
BITS[np.arange(MAX_TILES), LOW] = 1 << HIGH
BITS[np.arange(MAX_TILES), HIGH] = 1 << LOW
TILE_ID = {(int(LOW[tile]), int(HIGH[tile])): tile for tile in range(MAX_TILES)}
SCALARS = ("round", "starter", "finder", "hunted", "foot", "owed", "over", "blocked_rounds")
TURN = ("seat", "has_drawn")  # mean nothing once the game is over
SHEET = ("points", "zero_rounds", "best_round")


class MismatchError(AssertionError):
    """The kernels and the reference differ; the message says where and how to get there."""


@dataclass
class Table:
    """One game to be played twice.

    Attributes:
        rules, seed, draw_stride: as for `batch.deal`.
        game: the reference's game.
        actions: ids of the actions since the last deal.
        known: for each seat the number of facts its expected evidence was computed from.
        rounds: finished rounds that the expected score sheet was computed from.
    """

    rules: Rules
    seed: int
    draw_stride: int
    game: ReferenceGame = field(init=False)
    actions: list[int] = field(default_factory=list)
    known: list[int] = field(default_factory=list)
    rounds: int = -1

    def __post_init__(self) -> None:
        """Deal the reference's game."""
        rules = self.rules
        self.game = ReferenceGame(
            players=rules.players,
            max_pip=rules.max_pip,
            hand_size=rules.hand_size,
            starter_arms=rules.starter_arms,
            toes=rules.toes,
            drawn_tile=rules.drawn_tile,
            double_blank_points=rules.double_blank_points,
            rounds=rules.starters,
            draw_stride=self.draw_stride,
            order_of_round=self.order_of_round,
        )

    def order_of_round(self, index: int) -> list[Tile]:
        """The shuffled tiles of a round."""
        return shuffled(self.seed, index, self.rules.max_pip)


class Pairing:
    """A batch of games and their twins.

    Attributes:
        tables: (B,) the games' rules and twins.
        games: (B,) GAME.
        steps: actions taken and compared so far, over all games.
    """

    def __init__(self, tables: Sequence[Table]) -> None:
        """Deal all games and compare the deals."""
        self.tables = tables
        self.games = np.zeros(len(tables), GAME)
        for row, table in enumerate(tables):
            seeds = np.array([table.seed], np.uint64)
            self.games[row : row + 1] = batch.deal(table.rules, seeds, table.draw_stride)
        self.steps = 0
        self._expected = Expected(len(tables))
        self._running = [row for row, table in enumerate(tables) if not table.game.over]
        for row, table in enumerate(tables):
            self._expected.write(row, table)
        self._compare()

    def play(self, chance: random.Random, most: int | None = None) -> int:
        """Take random actions, one in each game a time, to the end or until there are `most`.

        Returns:
            The number of actions taken and compared.

        Raises:
            MismatchError: at the first state in which the two differ.
        """
        before = self.steps
        while self._running and (most is None or self.steps - before < most):
            self._step(chance)
        self._compare_standings()
        return self.steps - before

    def _step(self, chance: random.Random) -> None:
        actions = np.array([table.rules.pass_ for table in self.tables], np.int64)
        twins: list[tuple[int, Action]] = []
        for row in self._running:
            action = chance.choice(self._expected.legal[row])
            actions[row] = action_id(action, self.tables[row].rules.max_pip)
            twins.append((row, action))
        batch.step(self.games, actions)
        for row, action in twins:
            self._step_twin(self.tables[row], action, int(actions[row]))
            self._expected.write(row, self.tables[row])
        self.steps += len(twins)
        self._running = [row for row in self._running if not self.tables[row].game.over]
        self._compare()

    @staticmethod
    def _step_twin(table: Table, action: Action, number: int) -> None:
        before = table.game.round
        table.actions.append(number)
        table.game.step(action)
        if table.game.round != before:
            table.actions.clear()
            table.known.clear()

    def _compare(self) -> None:
        games, mask = self.games, batch.legal_mask(self.games)
        wanted = {**self._expected.fields, **self._expected.tile_rows()}
        for name, values in wanted.items():
            same = games[name] == values
            if name in TURN:
                same |= games["over"] == GAME_OVER
            if not same.all():
                row = first_with_false(same)
                raise MismatchError(self._report(name, row, games[name][row], values[row]))
        legal = self._expected.mask[:, : mask.shape[1]]
        if not np.array_equal(mask, legal):
            row = first_with_false(mask == legal)
            ours, theirs = np.flatnonzero(mask[row]), np.flatnonzero(legal[row])
            raise MismatchError(self._report("legal", row, ours, theirs))

    def _compare_standings(self) -> None:
        ranks = batch.standings(self.games)
        for row, table in enumerate(self.tables):
            wanted = table.game.ranks() + [0] * (ranks.shape[1] - table.rules.players)
            if ranks[row].tolist() != wanted:
                raise MismatchError(f"{table.rules}: standings {ranks[row]}, reference {wanted}")

    def _report(self, name: str, row: int, ours: ArrayLike, theirs: ArrayLike) -> str:
        table, game = self.tables[row], self.games[row]
        actions = [notation.format_action(action, table.rules) for action in table.actions]
        return "\n".join(
            [
                f"{name} differs: {table.rules}, seed {table.seed}, stride {table.draw_stride}",
                f"round     {game['round']}, reference {table.game.round}",
                *differences(np.asarray(ours), np.asarray(theirs)),
                f"position  {notation.format_position(game)}",
                f"actions   {' '.join(actions) or 'none since the deal'}",
            ]
        )


def first_with_false(same: NDArray[np.bool_]) -> int:
    """The first row that is not all True."""
    return int(np.argmin(same.reshape(len(same), -1).all(axis=1)))


def differences(ours: NDArray[np.generic], theirs: NDArray[np.generic]) -> list[str]:
    """Two lines with both values, or for two tables only with those places that differ."""
    if ours.ndim == 2:
        places = [tuple(place) for place in np.argwhere(ours != theirs).tolist()]
        first = {place: ours[place].item() for place in places}
        second = {place: theirs[place].item() for place in places}
        return [f"kernels   {first}", f"reference {second}"]
    return [f"kernels   {ours.tolist()}", f"reference {theirs.tolist()}"]


class Expected:
    """What the records must hold, according to the reference.

    Attributes:
        fields: arrays of the shapes of the GAME fields of these names.
        legal: for each game its legal actions as the reference writes them.
        mask: (B, 363) bool, the same as ids.
    """

    def __init__(self, size: int) -> None:
        """Room for `size` games."""
        names = (*SCALARS, *TURN, *SHEET, "ends", "hand_count", "drawn_since", "order")
        empty = np.zeros(size, GAME)
        self.fields = {name: empty[name].copy() for name in names}
        self.legal: list[list[Action]] = [[]] * size
        self.mask = np.zeros((size, MAX_PIPS**2 + 2), np.bool_)
        self._owner = np.full((size, MAX_TILES), NOBODY, np.int8)

    def write(self, row: int, table: Table) -> None:
        """Copy the state of one reference game."""
        game, fields = table.game, self.fields
        phase, foot, owed = game.phase()
        over = GAME_OVER if game.over else PLAYING
        foot = NO_PIP if foot is None else foot
        values = (game.round, game.rounds[game.round], game.finder, game.hunted, foot, owed, over)
        for name, value in zip(SCALARS, (*values, game.blocked_rounds), strict=True):
            fields[name][row] = value
        fields["seat"][row], fields["has_drawn"][row] = game.seat, game.has_drawn
        ends = [0] * MAX_PIPS
        for pip, count in game.end_values().items():
            ends[pip] = count
        if phase != "OPEN":
            ends[foot] += owed
        fields["ends"][row] = ends
        self._write_tiles(row, table)
        self._write_legal(row, table)
        self._write_sheet(row, table)
        self._write_evidence(row, table)

    def _write_tiles(self, row: int, table: Table) -> None:
        game, size = table.game, table.rules.tiles
        owner = [NOBODY] * MAX_TILES
        boneyard = game.boneyard
        counts = [len(hand) for hand in game.hands]
        for holder, tiles in [*enumerate(game.hands), (BONEYARD, boneyard), (TABLE, game.table)]:
            for tile in tiles:
                owner[TILE_ID[tile]] = holder
        if sum(counts) + len(boneyard) + len(game.table) != size or NOBODY in owner[:size]:
            raise MismatchError(f"the reference has lost tiles: {table.rules}, seed {table.seed}")
        self._owner[row] = owner
        self.fields["hand_count"][row, : len(counts)] = counts
        self.fields["hand_count"][row, BONEYARD] = len(boneyard)

    def _write_legal(self, row: int, table: Table) -> None:
        self.legal[row] = table.game.legal_actions()
        self.mask[row] = False
        for action in self.legal[row]:
            self.mask[row, action_id(action, table.rules.max_pip)] = True

    def _write_sheet(self, row: int, table: Table) -> None:
        game, players = table.game, table.rules.players
        if table.rounds == len(game.results):
            return
        table.rounds = len(game.results)
        self.fields["points"][row, :players] = game.points
        self.fields["zero_rounds"][row, :players] = game.zero_rounds
        self.fields["best_round"][row, :players] = [
            NO_ROUND if best is None else best for best in game.best_round
        ]

    def _write_evidence(self, row: int, table: Table) -> None:
        """Evidence follows from the facts, so only new facts change it."""
        game = table.game
        rows = self.fields["drawn_since"][row]
        if not table.known:
            rows[: table.rules.players, : table.rules.pips] = UNKNOWN
            table.known = [0] * table.rules.players
            order = table.order_of_round(game.round)
            self.fields["order"][row, : len(order)] = [TILE_ID[tile] for tile in order]
        for seat, facts in enumerate(game.facts):
            if len(facts) != table.known[seat]:
                table.known[seat] = len(facts)
                rows[seat, : table.rules.pips] = UNKNOWN
                for pip, bound in game.evidence(seat).items():
                    rows[seat, pip] = bound

    def tile_rows(self) -> dict[str, NDArray[np.uint32]]:
        """The bit matrices `held` and `laid`: bit y of row x for each tile x-y of an owner."""
        owned = self._owner[:, None, :] == np.arange(NOBODY, dtype=np.int8)[:, None]
        rows = (owned.astype(np.float64) @ BITS).astype(np.uint32)  # exact: sums below 2**19
        return {"held": rows[:, :TABLE], "laid": rows[:, TABLE]}
