"""The public history of a game's first round, and orders of the tiles by which worlds replay it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from chickenfoot_env import batch, dealing, kernels
from chickenfoot_env.game import NO_ROUND, NO_SEAT, PLAYING, rows_of, tiles_of
from chickenfoot_env.jit import records
from chickenfoot_env.rules import Rules
from chickenfoot_env.tiles import HIGH, LOW, tile_id
from chickenfoot_env.view import observe

NEVER = 10**6


class Came(NamedTuple):
    """When a seat got a tile: before or between actions."""

    seat: int
    time: float
    tile: int  # as it was in the game; other seats do not know it


class History:
    """What has happened in round 0 of one game of a shared boneyard.

    Attributes:
        states: the game, (1,) GAME, at the deal and after each action.
        actions: what was done in each state but the last.
    """

    def __init__(self, rules: Rules, deal: NDArray[np.void]) -> None:
        """Begin with a deal, (1,) GAME with draw_stride 0."""
        self.rules = rules
        self.states = [deal.copy()]
        self.actions: list[int] = []
        self.came = [*self._dealt(), *self._hunted()]
        self.laid: dict[int, tuple[int, float]] = {}  # tile: who laid it and when
        if rules.starter_source == "hands":
            starter = int(deal["starter"][0])
            self.laid[tile_id(starter, starter)] = int(deal["finder"][0]), -0.5
        self.lacked: list[tuple[int, int, set[int]]] = []  # who showed when to have no such pip

    def _dealt(self) -> list[Came]:
        order = self.states[0]["order"][0].tolist()
        aside, size = self.rules.starter_source == "set_aside", self.rules.hand_size
        return [
            Came(seat, -2, order[aside + seat * size + n])
            for seat in range(self.rules.players)
            for n in range(size)
        ]

    def _hunted(self) -> list[Came]:
        (deal,) = self.states[0]
        first = self.rules.tiles - self.rules.boneyard
        found = []
        for tile in deal["order"][first : first + deal["hunted"]].tolist():
            held = rows_of(deal["held"][: self.rules.players])
            rows = held[:, LOW[tile]] >> np.uint32(HIGH[tile]) & 1
            seat = int(np.argmax(rows)) if rows.any() else int(deal["finder"])
            found.append(Came(seat, -1, tile))
        return found

    def step(self, action: int) -> None:
        """Take an action in the game."""
        games = self.states[-1].copy()
        (before,) = self.states[-1]
        seat, now = int(before["seat"]), len(self.actions)
        batch.step(games, np.array([action]))
        (after,) = games
        pips = {int(before["foot"])} if before["owed"] else {*np.flatnonzero(before["ends"])}
        if action < self.rules.draw:
            self.laid[tile_id(*divmod(action, self.rules.pips))] = seat, now
        elif action == self.rules.draw or not before["has_drawn"] or before["drawn_tile"] == 1:
            self.lacked.append((seat, now, pips))
        if action == self.rules.draw and after["round"] == 0 and after["over"] == PLAYING:
            (tile,) = {*self._hand(after, seat)} - {*self._hand(before, seat)}
            self.came.append(Came(seat, now + 0.5, tile))
        self.states.append(games)
        self.actions.append(action)

    def _hand(self, game: np.void, seat: int) -> list[int]:
        return tiles_of(game["held"][seat], self.rules.max_pip)

    def replay(self, world: np.void, observer: int) -> None:
        """Deal such that it leads to the world, do what was done, and compare all that was seen.

        Raises:
            AssertionError: if the world does not explain the history.
        """
        players = self.rules.players
        games = self._deal_again(self._order(world, observer))
        for n, action in enumerate(self.actions):
            self._compare(games, self.states[n], observer)
            assert batch.legal_mask(games)[0, action]
            batch.step(games, np.array([action]))
        self._compare(games, self.states[-1], observer)
        hands = np.roll(world["held"][:players], observer, axis=0)
        assert np.array_equal(games["held"][0, :players], hands)

    def _compare(self, games: NDArray[np.void], wanted: NDArray[np.void], observer: int) -> None:
        seat = np.array([observer])
        assert observe(games, seat).tobytes() == observe(wanted, seat).tobytes()

    def _order(self, world: np.void, observer: int) -> list[int]:
        """An order that deals each seat what it had, and lets it draw the rest."""
        players, tiles = self.rules.players, self.rules.tiles
        got: dict[int, int] = {}  # index in `came`: the tile
        for seat in range(players):
            places = [n for n, came in enumerate(self.came) if came.seat == seat]
            if seat == observer:
                got.update({n: self.came[n].tile for n in places})
                continue
            has = self._hand(world, (seat - observer) % players)
            has += [tile for tile, (who, _) in self.laid.items() if who == seat]
            assert len(has) == len(places)
            fits = csr_array(
                [[self._fits(seat, tile, self.came[n]) for n in places] for tile in has]
            )
            match = maximum_bipartite_matching(fits.astype(np.int8), perm_type="column")
            assert (match >= 0).all(), f"seat {seat} cannot have had {has}"
            got.update({places[place]: tile for tile, place in zip(has, match, strict=True)})
        order = [got[n] for n in range(len(self.came))]
        if self.rules.starter_source == "set_aside":
            order.insert(0, tile_id(*[int(world["starter"])] * 2))
        left = world["order"][:tiles].tolist()[len(order) :]
        return [*order, *left]

    def _fits(self, seat: int, tile: int, came: Came) -> bool:
        """Whether the seat may have got the tile then, by what it showed before it laid it."""
        gone = self.laid.get(tile, (seat, NEVER))[1]
        if tile == tile_id(*[int(self.states[0]["starter"][0])] * 2):
            hunted = [other for other in self.came if other.time == -1]
            return came == hunted[-1] if hunted and hunted[-1].seat == seat else came.time == -2
        return came.time < gone and not any(
            who == seat and came.time < time < gone and {LOW[tile], HIGH[tile]} & pips
            for who, time, pips in self.lacked
        )

    def _deal_again(self, order: list[int]) -> NDArray[np.void]:
        games = self.states[0].copy()
        for name in ("points", "zero_rounds", "blocked_rounds", "has_drawn", "opened"):
            games[name] = 0
        games["best_round"][0, : self.rules.players] = NO_ROUND
        games["winner"] = NO_SEAT
        games["order"][0, : self.rules.tiles] = order
        game = records(games)[0]
        dealing.hand_out(game)
        dealing.lay_starter(game, dealing.find_starter(game))
        kernels.settle(game)
        return games
