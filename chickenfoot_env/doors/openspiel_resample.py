"""Other pasts that a seat cannot tell from the true one: its hidden chance outcomes, drawn anew.

What a seat does not see in a round is which tiles the others were dealt and drew. A past is one
choice of all of them. It is consistent if, with these tiles, the same round would have been opened
and everybody could have acted as they did. All consistent pasts are equally likely under chance
alone, whatever the others' ways of choosing, and `tiles_in_order` draws from them uniformly but for
the limits of a walk of finite length:

1. The evidence says for each seat and moment which pips it had none of. So each tile can have come
   to a seat only after the last moment, before it was laid, at which the seat lacked one of its
   pips. A random matching of tiles and places in hands and boneyard obeys that.
2. What the evidence does not tell (that the round was not blocked, for example, or that nobody held
   a higher double) is decided by the kernels: they play the round with these tiles, and a past in
   which it goes another way is thrown away.
3. A walk of random exchanges of two tiles, each of them checked in the same way, evens out what the
   matching prefers.

Rounds that are over are not drawn anew: nothing that is still to come depends on their tiles. A
sampler of hands that fit a view could take the place of 1 and 3 where only the hands as they are
now are wanted; a past needs the places of the tiles as well.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import kernels
from chickenfoot_env.doors import openspiel_core, openspiel_log
from chickenfoot_env.game import GAME, NO_SEAT, PLAYING
from chickenfoot_env.jit import compiled, records, whole
from chickenfoot_env.rules import SET_ASIDE
from chickenfoot_env.tiles import (
    HIGH,
    LOW,
    draw_action,
    pass_action,
    play_action,
    set_size,
    tile_id,
)

TRIES: Final = 100_000  # matchings before giving up, far more than any position was seen to need
EXCHANGES: Final = 4  # steps of the walk for each place in the other hands
_NEVER: Final = 1 << 20  # later than any event
_OPENED: Final = 1  # when the starter was laid; tiles were dealt and hunted at 0, actions follow


@dataclass
class Past:
    """A round until now, as one seat has seen it. Number i of the actions happened at time i + 2.

    Attributes:
        start: the GAME record before the deal.
        actions: (K,) int64 taken since the round was opened.
        opening: (4,) int64: starter, who laid it, tiles hunted, who began.
        order: the true tiles as they were dealt and drawn, and behind them the boneyard.
        owner: who got the tile in each place of the order; the number of seats for nobody.
        since: when; _NEVER - 1 for the boneyard.
        hidden: (H,) the places whose tiles the seat has not seen come.
        laid: by whom and when each of the tiles on the table was laid.
    """

    start: bytes
    actions: NDArray[np.int64]
    opening: NDArray[np.int64]
    order: list[int]
    owner: list[int]
    since: list[int]
    hidden: list[int]
    laid: dict[int, tuple[int, int]]

    @property
    def tiles(self) -> list[int]:
        """The tiles that must be in the hidden places, ascending: (H,)."""
        return sorted(self.order[place] for place in self.hidden)

    def undealt(self, order: list[int]) -> NDArray[np.void]:
        """The round before its deal, with this order: (1,) GAME."""
        games = np.frombuffer(bytearray(self.start), GAME)
        games["order"][0, : len(order)] = order
        return records(games)

    def fits(self, order: list[int]) -> bool:
        """Whether the round would have come to the same point with this order."""
        return bool(_replays(self.undealt(order), self.actions, self.opening))


def tiles_in_order(
    start: NDArray[np.void],
    now: NDArray[np.void],
    log: bytes,
    seat: int,
    sampler: Callable[[], float],
) -> Iterator[int]:
    """The tiles that chance deals and draws in another past, in the order of its chance nodes.

    Args:
        start: (1,) GAME before the round was dealt.
        now: (1,) GAME, of which only what everybody knows is used.
        log: of the game, see `openspiel_log`. The result follows from what the seat has seen of it
            and from the sampler alone.
        seat: the one that must not notice.
        sampler: gives a number in [0, 1).

    Raises:
        RuntimeError: if none was found, which means that log and game do not belong together.
    """
    choose = random.Random(int(sampler() * 2**53))
    past = _past(start, now[0], log, seat)
    possible = _possible(past, now[0])
    for _ in range(TRIES):
        order = _match(past, possible, choose)
        if past.fits(order):
            break
    else:
        raise RuntimeError(f"no past of seat {seat} was found in {TRIES} tries")
    _walk(past, possible, order, choose)
    return _as_asked(order, now[0])


def _past(start: NDArray[np.void], game: np.void, log: bytes, seat: int) -> Past:
    max_pip, players, starter = int(game["max_pip"]), int(game["players"]), int(game["starter"])
    begun = start.copy()
    begun["seed"] = game["seed"]  # the lots are known
    nothing = np.zeros(0, np.int64)
    past = Past(begun.tobytes(), nothing, nothing, [], [], [], [], {})
    if game["starter_source"] == SET_ASIDE:
        _get(past, tile_id(starter, starter), players, 0)
    actions: list[int] = []
    hunted: dict[int, int] = {}  # the place of the last tile that each seat drew in the hunt
    begins = NO_SEAT
    for kind, who, one, other in _this_round(openspiel_log.events(log)):
        time = len(actions) + 2
        if kind in (openspiel_log.DEAL, openspiel_log.HUNT, openspiel_log.DRAW):
            if who != seat:
                past.hidden.append(len(past.order))
            if kind == openspiel_log.HUNT:
                hunted[who] = len(past.order)
            _get(past, tile_id(one, other), who, time if kind == openspiel_log.DRAW else 0)
        if kind == openspiel_log.OPEN:
            begins = other
            past.laid[tile_id(one, one)] = (who, _OPENED)
            if who in hunted:  # with the last tile that it drew then it found the starter
                past.hidden = [place for place in past.hidden if place != hunted[who]]
        elif kind == openspiel_log.DRAW:
            actions.append(draw_action(max_pip))
        elif kind == openspiel_log.PASS:
            actions.append(pass_action(max_pip))
        elif kind == openspiel_log.PLAY:
            actions.append(play_action(one, other, max_pip))
            past.laid[tile_id(one, other)] = (who, time)
    for tile in sorted({*range(set_size(max_pip))} - {*past.order}):
        past.hidden.append(len(past.order))
        _get(past, tile, players, _NEVER - 1)
    past.actions = np.array(actions, np.int64)
    past.opening = np.array([starter, game["finder"], game["hunted"], begins], np.int64)
    return past


def _get(past: Past, tile: int, owner: int, time: int) -> None:
    past.order.append(tile)
    past.owner.append(owner)
    past.since.append(time)


def _this_round(entries: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The entries behind the last finished round."""
    scores = [place for place, entry in enumerate(entries) if entry[0] == openspiel_log.SCORE]
    return entries[scores[-1] + 1 :] if scores else entries


def _possible(past: Past, game: np.void) -> NDArray[np.bool_]:
    """Whether hidden tile i can have come to hidden place j, by the evidence: (H, H) bool."""
    players, pips, steps = int(game["players"]), int(game["max_pip"]) + 1, len(past.actions)
    tiles = np.array(past.tiles, np.int64)  # (H,)
    owner, since = np.array(past.owner)[past.hidden], np.array(past.since)[past.hidden]  # (H,)
    lacks = np.zeros((steps, players, pips), np.bool_)
    _evidence(past.undealt(past.order), past.actions, lacks)  # known to all, as is what follows
    lacked = lacks[:, :, LOW[tiles]] | lacks[:, :, HIGH[tiles]]  # (K, N, H)
    times = np.arange(2, steps + 2)
    left = np.full(len(tiles), _NEVER)  # when the tile was laid
    barred = np.zeros((players + 1, len(tiles)), np.bool_)  # it cannot have come to this owner
    for number, tile in enumerate(tiles.tolist()):
        if tile in past.laid:
            who, left[number] = past.laid[tile]
            barred[:, number] = np.arange(players + 1) != who
    counts = lacked & (times[:, None, None] < left)
    earliest = np.zeros((players + 1, len(tiles)), np.int64)  # and not before this time
    earliest[:players] = (counts * times[:, None, None]).max(axis=0, initial=0)
    earliest[barred] = _NEVER
    possible: NDArray[np.bool_] = (earliest[owner] <= since[:, None]).T & (since < left[:, None])
    return possible


def _match(past: Past, possible: NDArray[np.bool_], choose: random.Random) -> list[int]:
    """An order in which every hidden tile is in a random place that is possible for it.

    By augmenting paths, in which every such order can come out.
    """
    options = [np.flatnonzero(row).tolist() for row in possible]
    for places in options:
        choose.shuffle(places)
    tiles = past.tiles
    numbers = list(range(len(options)))
    choose.shuffle(numbers)
    numbers.sort(key=lambda number: tiles[number] not in past.laid)
    taken: dict[int, int] = {}  # hidden place: hidden tile
    for number in numbers:
        if not _settle(number, options, taken, set()):
            raise RuntimeError("the evidence leaves no place for a tile")
    order = past.order.copy()
    for place, number in taken.items():
        order[past.hidden[place]] = tiles[number]
    return order


def _settle(number: int, options: list[list[int]], taken: dict[int, int], tried: set[int]) -> bool:
    """Find a place for a tile, moving others where that is needed."""
    for place in options[number]:
        if place not in taken:
            taken[place] = number
            return True
    for place in options[number]:
        if place not in tried:
            tried.add(place)
            if _settle(taken[place], options, taken, tried):
                taken[place] = number
                return True
    return False


def _walk(past: Past, possible: NDArray[np.bool_], order: list[int], choose: random.Random) -> None:
    """Exchange pairs of hidden tiles at random, as long as the past stays consistent."""
    number_of = {tile: number for number, tile in enumerate(past.tiles)}
    can = possible.tolist()
    hands = [i for i, place in enumerate(past.hidden) if past.since[place] != _NEVER - 1]
    if not hands:
        return
    for _ in range(EXCHANGES * len(hands)):
        one, other = choose.choice(hands), choose.randrange(len(past.hidden))
        here, there = past.hidden[one], past.hidden[other]
        if not (can[number_of[order[here]]][other] and can[number_of[order[there]]][one]):
            continue
        order[here], order[there] = order[there], order[here]
        if not past.fits(order):
            order[here], order[there] = order[there], order[here]


def _as_asked(order: list[int], game: np.void) -> Iterator[int]:
    """The order without a starter set aside, and each hand ascending."""
    first = 1 if game["starter_source"] == SET_ASIDE else 0
    size = int(game["hand_size"])
    yard = first + int(game["players"]) * size
    for place in range(first, yard, size):
        yield from sorted(order[place : place + size])
    yield from order[yard:]


@compiled
def _replays(
    games: NDArray[np.void], actions: NDArray[np.int64], opening: NDArray[np.int64]
) -> bool:
    """Whether the round of this order opens so, lets all these actions be taken and goes on."""
    g = games[0]
    if not openspiel_core.open_as_ordered(g):
        return False
    if g.starter != opening[0] or g.finder != opening[1] or g.hunted != opening[2]:
        return False
    if g.seat != opening[3]:
        return False
    for i in range(len(actions)):
        if not openspiel_core.act_if_legal(g, actions[i]):
            return False
    return bool(g.over == PLAYING)


@compiled
def _evidence(
    games: NDArray[np.void], actions: NDArray[np.int64], lacks: NDArray[np.bool_]
) -> None:
    """Set in `lacks`, (K, N, P), the pips that a seat surely had none of when an action was taken.

    A draw shows the hand before it: of the pips that it lacked it has one tile at most now.
    """
    g = games[0]
    openspiel_core.open_as_ordered(g)
    for i in range(len(actions)):
        actor = whole(g.seat)
        kernels.apply(g, actions[i])
        for seat in range(g.players):
            drew = 1 if seat == actor and actions[i] == (g.max_pip + 1) * (g.max_pip + 1) else 0
            for pip in range(g.max_pip + 1):
                lacks[i, seat, pip] = g.drawn_since[seat, pip] == drew
