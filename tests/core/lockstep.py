"""The kernels beside the reference engine, state by state.

A `Pairing` plays a batch of games twice: as GAME records through `batch`, and each one as a
`ReferenceGame`. The reference's state is written into arrays of the record's own shapes, so that a
comparison of all games is one NumPy expression a field. What is random, the kernels' shuffles
included, is computed from `streams`. A difference is reported with the shortest way to it that a
search from the deal finds.
"""

from __future__ import annotations

import dataclasses
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from core import streams
from core.perft import fork
from numpy.typing import NDArray
from reference import Action, ReferenceGame, action_id
from reference_rules import Tile

from chickenfoot_env import batch, notation
from chickenfoot_env.game import (
    BONEYARD,
    GAME,
    GAME_OVER,
    NO_PIP,
    NO_ROUND,
    NO_SEAT,
    PLAYING,
    UNKNOWN,
)
from chickenfoot_env.rules import Rules
from chickenfoot_env.tiles import HIGH, LOW, MAX_PIPS, MAX_TILES

TABLE = BONEYARD + 1  # as an owner of tiles, beside the seats and the boneyard
NOBODY = TABLE + 1  # owner of the tiles above the set's highest pip
BITS = np.zeros((MAX_TILES, MAX_PIPS), np.float32)  # what each tile adds to the rows of its owner
BITS[np.arange(MAX_TILES), LOW] = 1 << HIGH
BITS[np.arange(MAX_TILES), HIGH] = 1 << LOW
TILE_ID = {(int(LOW[tile]), int(HIGH[tile])): tile for tile in range(MAX_TILES)}
SCALARS = (
    *("round", "starter", "finder", "hunted", "opened", "winner"),
    *("foot", "owed", "passes", "over", "blocked_rounds", "seat", "has_drawn"),
)
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
        earlier: ids of the actions before this round.
        actions: ids of the actions since its deal.
        known: for each seat the number of facts its expected evidence was computed from.
        rounds: finished rounds that the expected score sheet was computed from.
    """

    rules: Rules
    seed: int
    draw_stride: int
    game: ReferenceGame = field(init=False)
    earlier: list[int] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    known: list[int] = field(default_factory=list)
    rounds: int = -1

    def __post_init__(self) -> None:
        """Deal the reference's game."""
        seed, players = self.seed, self.rules.players
        self.game = ReferenceGame(
            **{**dataclasses.asdict(self.rules), "rounds": self.rules.starters},
            draw_stride=self.draw_stride,
            order_of_round=self.order_of_round,
            lot=lambda: streams.lead_by_lot(seed, players),
            random_lead=lambda index: streams.random_lead(seed, index, players),
            random_hunter=lambda index: streams.random_hunter(seed, index, players),
        )

    def order_of_round(self, index: int, attempt: int) -> list[Tile]:
        """The shuffled tiles of a round that has been dealt anew so often."""
        return streams.shuffled(self.seed, index, self.rules.max_pip, attempt)

    def dealt(self) -> NDArray[np.void]:
        """The kernels' game of this deal, (1,) GAME."""
        return batch.deal(self.rules, np.array([self.seed], np.uint64), self.draw_stride)

    def step(self, action: Action) -> None:
        """Take an action in the reference's game."""
        before = self.game.round
        self.actions.append(action_id(action, self.rules.max_pip))
        self.game.step(action)
        if self.game.round != before:
            self.earlier += self.actions
            self.actions.clear()
            self.known.clear()

    def fork(self) -> Table:
        """The same for a game to be played on by itself."""
        earlier, actions = list(self.earlier), list(self.actions)
        twin = dataclasses.replace(self, earlier=earlier, actions=actions, known=[], rounds=-1)
        twin.game = fork(self.game)
        return twin


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
        self.games = np.concatenate([table.dealt() for table in tables]).astype(GAME)
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
            self.tables[row].step(action)
            self._expected.write(row, self.tables[row])
        self.steps += len(twins)
        self._running = [row for row in self._running if not self.tables[row].game.over]
        self._compare()

    def _compare(self) -> None:
        wrong = self._expected.differing(self.games)
        if wrong:
            rows = np.flatnonzero(np.any(list(wrong.values()), axis=0)).tolist()
            row = min(rows, key=lambda row: len(self.tables[row].actions))
            name = next(name for name in wrong if wrong[name][row])
            raise MismatchError(self._report(name, row))

    def _compare_standings(self) -> None:
        ranks = batch.standings(self.games)
        for row, table in enumerate(self.tables):
            wanted = table.game.ranks() + [0] * (ranks.shape[1] - table.rules.players)
            if ranks[row].tolist() != wanted:
                raise MismatchError(f"{table.rules}: standings {ranks[row]}, reference {wanted}")

    def _report(self, name: str, row: int) -> str:
        table, game = self.tables[row], self.games[row]
        lines = [
            f"{name} differs: {table.rules}, seed {table.seed}, stride {table.draw_stride}",
            f"round     {game['round']}, reference {table.game.round}",
            *differences(*self._expected.both(name, self.games, row)),
            f"position  {notation.format_position(game)}",
            f"earlier   {table.earlier}",
            f"actions   {in_words(table.actions, table.rules)}",
        ]
        shortest = shortest_way(table)
        if shortest is None:
            return "\n".join([*lines, "shortest  these actions lead to no difference again"])
        return "\n".join([*lines, f"shortest  {in_words(shortest, table.rules)}"])


def in_words(actions: Sequence[int], rules: Rules) -> str:
    """Actions since a deal as text."""
    words = [notation.format_action(action, rules) for action in actions]
    return " ".join(words) or "none since the deal"


def shortest_way(table: Table, most: int = 2000) -> list[int] | None:
    """The fewest actions from the deal of the table's round to any difference.

    They are what a search, breadth first, finds among `most` states of the round; else the table's
    own, up to the first difference.

    Returns:
        Action ids; None if the table's own actions lead to no difference when played again.
    """
    start, games = Table(table.rules, table.seed, table.draw_stride), table.dealt()
    for number in table.earlier:
        follow(start, games, number)
    fresh, queue, own = start.fork(), deque([(start.fork(), games.copy(), list[int]())]), []
    if differ(start, games):
        return own
    while queue and most > 0:
        parent, position, way = queue.popleft()
        for action in parent.game.legal_actions():
            number = action_id(action, table.rules.max_pip)
            child, after = parent.fork(), position.copy()
            follow(child, after, number)
            if differ(child, after):
                return [*way, number]
            if not child.game.over and child.game.round == fresh.game.round:
                queue.append((child, after, [*way, number]))
            most -= 1
    for number in table.actions:
        own.append(number)
        follow(fresh, games, number)
        if differ(fresh, games):
            return own
    return None


def follow(table: Table, games: NDArray[np.void], number: int) -> None:
    """Take the action with this id in both games."""
    actions = table.game.legal_actions()
    table.step(next(one for one in actions if action_id(one, table.rules.max_pip) == number))
    batch.step(games, np.array([number]))


def differ(table: Table, games: NDArray[np.void]) -> bool:
    """Whether the kernels' game differs from the table's."""
    table.known, table.rounds = [], -1
    expected = Expected(1)
    expected.write(0, table)
    return bool(expected.differing(games))


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
        names = (*SHEET, "ends", "showing", "hand_count", "drawn_since", "order")
        empty = np.zeros(size, GAME)
        self.fields = {name: empty[name].copy() for name in names}
        self._scalars = np.zeros((size, len(SCALARS)), np.int64)
        self.fields.update(zip(SCALARS, self._scalars.T, strict=True))
        self.legal: list[list[Action]] = [[]] * size
        self.mask = np.zeros((size, MAX_PIPS**2 + 2), np.bool_)
        self._owner = np.full((size, MAX_TILES), NOBODY, np.int8)

    def write(self, row: int, table: Table) -> None:
        """Copy the state of one reference game."""
        game, fields = table.game, self.fields
        phase, foot, owed = game.phase()
        over = GAME_OVER if game.over else PLAYING
        foot = NO_PIP if foot is None else foot
        opened = sum(1 << pip for pip in {game.starter, *(one.starter for one in game.results)})
        winner = game.results[-1].winner if game.results else NO_SEAT
        begun = (game.round, game.starter, game.finder, game.hunted, opened, winner)
        going = (foot, owed, game.passes_in_a_row, over, game.blocked_rounds)
        self._scalars[row] = (*begun, *going, game.seat, game.has_drawn)
        ends = [0] * MAX_PIPS
        for pip, count in game.end_values().items():
            ends[pip] = count
        if phase != "OPEN":
            ends[foot] += owed
        fields["ends"][row] = ends
        fields["showing"][row] = sum(1 << pip for pip, count in enumerate(ends) if count)
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
            order = table.order_of_round(game.round, game.redeals)
            if table.rules.starter_source == "set_aside":
                order = streams.with_starter_first(order, game.starter)
            self.fields["order"][row, : len(order)] = [TILE_ID[tile] for tile in order]
        for seat, facts in enumerate(game.facts):
            if len(facts) != table.known[seat]:
                table.known[seat] = len(facts)
                rows[seat, : table.rules.pips] = UNKNOWN
                for pip, bound in game.evidence(seat).items():
                    rows[seat, pip] = bound

    def differing(self, games: NDArray[np.void]) -> dict[str, NDArray[np.bool_]]:
        """By the names of fields, and `legal`, in which games the records are not as expected.

        Names without any such game are left out.
        """
        legal = batch.legal_mask(games)
        self._now = {**self.fields, **self._tile_rows(), "legal": self.mask[:, : legal.shape[1]]}
        found = {}
        for name, values in self._now.items():
            same = (legal if name == "legal" else games[name]) == values
            if name in TURN:
                same |= games["over"] == GAME_OVER
            if not same.all():
                found[name] = ~same.reshape(len(same), -1).all(axis=1)
        return found

    def both(
        self, name: str, games: NDArray[np.void], row: int
    ) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
        """What one record holds, and what it must; legal actions as ids."""
        values = self._now[name][row]
        if name != "legal":
            return np.asarray(games[name][row]), np.asarray(values)
        return np.flatnonzero(batch.legal_mask(games)[row]), np.flatnonzero(values)

    def _tile_rows(self) -> dict[str, NDArray[np.uint8]]:
        """The bit matrices `held` and `laid`: bit y of row x for each tile x-y of an owner."""
        owned = self._owner[:, None, :] == np.arange(NOBODY, dtype=np.int8)[:, None]
        rows = (owned.astype(np.float32) @ BITS).astype(np.uint32)  # exact: sums below 2**19
        bytes_ = (rows[..., None] >> np.array([0, 8, 16], np.uint32)).astype(np.uint8)
        return {"held": bytes_[:, :TABLE], "laid": bytes_[:, TABLE]}
