"""A slow, literal engine of Chicken Foot, written from the rules alone.

It shares no code and no data structure with the package: tiles are pairs of pips, hands are lists,
the tableau is a tree of laid tiles, evidence is the list of what everybody has seen. Tests play it
beside the package's kernels. Rule numbers (R..., Q...) are those of docs/rules.md.

Words: a *place* is a spot where one more tile may be joined. The starter has `starter_arms` places,
any later double has `toes`, every other tile has one, at its free half.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Tile = tuple[int, int]  # (low pip, high pip)
Action = tuple[Any, ...]  # ("play", tile, end value) | ("draw",) | ("pass",)
Fact = tuple[str, Any]  # ("lacks", set of pips) | ("drew", None) | ("played", tile)

DRAW: Action = ("draw",)
PASS: Action = ("pass",)
WENT_OUT, BLOCKED = "WENT_OUT", "BLOCKED"
DRAWN_TILE = ("may", "must", "no")  # whether a playable tile just drawn is laid at once


def full_set(max_pip: int) -> list[Tile]:
    """All tiles of a double-`max_pip` set."""
    return [(low, high) for high in range(max_pip + 1) for low in range(high + 1)]


def all_doubles(max_pip: int) -> tuple[int, ...]:
    """Starter pips of a whole game: from the highest double down to the double-blank (R8)."""
    return tuple(range(max_pip, -1, -1))


def is_double(tile: Tile) -> bool:
    """Whether both halves show the same pip."""
    return tile[0] == tile[1]


def action_id(action: Action, max_pip: int) -> int:
    """Integer id of an action: attach * (max_pip + 1) + free; then DRAW; then PASS."""
    if action == DRAW:
        return (max_pip + 1) ** 2
    if action == PASS:
        return (max_pip + 1) ** 2 + 1
    _, (low, high), attach = action
    return int(attach * (max_pip + 1) + (low + high - attach))


def ranks_of(score_sheet: Sequence[Sequence[int]]) -> list[int]:
    """Shared 1-based ranks (R19, Q25) from the points of each round, one row a round."""
    keys = []
    for scores in zip(*score_sheet, strict=True):
        zeros = sum(score == 0 for score in scores)
        lowest_nonzero = min((score for score in scores if score != 0), default=float("inf"))
        keys.append((sum(scores), -zeros, lowest_nonzero))
    return [1 + sum(other < key for other in keys) for key in keys]


@dataclass(eq=False)
class Laid:
    """A tile on the table; `tile` is None for an end of a position whose history is unknown."""

    tile: Tile | None
    shows: int  # pip that a tile joined here has to match
    places: int  # tiles that may still be joined
    role: str  # "starter", "double" or "plain"
    joined: list[Laid] = field(default_factory=list)


class RoundResult(NamedTuple):
    """How one round went, as everybody sees it once the hands are shown."""

    starter: int  # pip of the starter
    finder: int  # seat that laid it
    hunted: int  # tiles drawn in the hunt for it
    outcome: str  # WENT_OUT or BLOCKED
    scores: list[int]  # by seat
    hands: list[list[Tile]]
    boneyard: list[Tile]
    table: list[Tile]
    playable: set[int]


class Position(NamedTuple):
    """A position read from text."""

    phase: str  # "ARMS", "FOOT" or "OPEN"
    value: int | None
    owed: int
    ends: list[int]  # without the owed places
    hands: list[list[Tile]]
    boneyard: list[Tile]  # in drawing order
    seat: int


def parse_tile(text: str) -> Tile:
    """Read "9-8" or "8-9" as (8, 9)."""
    low, high = sorted(int(half) for half in text.split("-"))
    return low, high


def parse_tiles(text: str) -> list[Tile]:
    """Read a row of tiles; "-" is an empty row."""
    return [] if text.strip() == "-" else [parse_tile(word) for word in text.split()]


def parse_position(text: str) -> Position:
    """Read `phase | ends | hands | boneyard | seat to act`."""
    phase, ends, hands, boneyard, seat = (part.strip() for part in text.split("|"))
    name, _, foot = phase.partition(" ")
    value, _, owed = foot.partition("/")
    return Position(
        phase=name,
        value=int(value) if value else None,
        owed=int(owed) if owed else 0,
        ends=[] if ends == "-" else [int(end) for end in ends.split()],
        hands=[parse_tiles(hand) for hand in hands.split("/")],
        boneyard=parse_tiles(boneyard),
        seat=int(seat),
    )


class ReferenceGame:
    """One game under the rules given by keyword, played through `legal_actions` and `step`.

    Attributes:
        hands: tiles of each seat, in the order in which they were dealt and drawn.
        table: tiles laid this round, in order (from a position: all tiles it does not name).
        seat, has_drawn: the seat to act; whether it has drawn in this turn.
        round, over: index of the round; whether the whole game has ended.
        points, zero_rounds, best_round: score sheet by seat; best_round is the lowest nonzero
            score of one round, None while there is none.
        blocked_rounds: rounds so far that ended blocked.
        finder, hunted: seat that laid this round's starter; tiles drawn in the hunt for it.
        facts: for each seat what everybody has seen of it this round, oldest first.
        results: one RoundResult for each finished round.
    """

    def __init__(
        self,
        *,
        players: int,
        max_pip: int,
        hand_size: int,
        starter_arms: int,
        toes: int,
        drawn_tile: str,
        double_blank_points: int,
        rounds: tuple[int, ...],
        draw_stride: int,
        order_of_round: Callable[[int], Sequence[Tile]],
    ) -> None:
        """Deal round 0 with `order_of_round(0)`; later rounds ask for their own order."""
        self._set_rules(players, max_pip, starter_arms, toes, drawn_tile, double_blank_points)
        if players * hand_size > len(full_set(max_pip)):
            raise ValueError(f"{players} hands of {hand_size} exceed the {max_pip}-{max_pip} set")
        if not rounds or not all(0 <= pip <= max_pip for pip in rounds):
            raise ValueError(f"rounds {rounds} must be starter pips from 0 to {max_pip}")
        self.hand_size = hand_size
        self.rounds = rounds
        self.draw_stride = draw_stride
        self.order_of_round = order_of_round
        self._begin_round()
        self._settle()

    @classmethod
    def from_position(
        cls,
        position: Position | str,
        *,
        max_pip: int = 9,
        starter_arms: int = 4,
        toes: int = 3,
        drawn_tile: str = "may",
        double_blank_points: int = 50,
    ) -> ReferenceGame:
        """Start a one-round game in the middle; no evidence is known, all draw from one end."""
        if isinstance(position, str):
            position = parse_position(position)
        game = cls.__new__(cls)
        players = len(position.hands)
        game._set_rules(players, max_pip, starter_arms, toes, drawn_tile, double_blank_points)
        game.rounds = (position.value if position.phase == "ARMS" else max_pip,)
        game.draw_stride = 0
        game._clear_table([list(hand) for hand in position.hands], list(position.boneyard))
        held = {tile for hand in (*position.hands, position.boneyard) for tile in hand}
        if not held <= set(full_set(max_pip)):
            raise ValueError(f"{sorted(held)} are not all in the {max_pip}-{max_pip} set")
        game.table = [tile for tile in full_set(max_pip) if tile not in held]
        game.board = [Laid(None, end, 1, "plain") for end in position.ends]
        if position.value is not None:
            double = (position.value, position.value)
            role = "starter" if position.phase == "ARMS" else "double"
            game.board.append(Laid(double, position.value, position.owed, role))
        game.seat = position.seat
        game._settle()
        return game

    def _set_rules(
        self, players: int, max_pip: int, arms: int, toes: int, drawn_tile: str, blank: int
    ) -> None:
        if not 2 <= players <= 12 or not 2 <= max_pip <= 18 or drawn_tile not in DRAWN_TILE:
            raise ValueError(f"unsupported rules: {players=} {max_pip=} {drawn_tile=}")
        self.players = players
        self.max_pip = max_pip
        self.starter_arms = arms
        self.toes = toes
        self.drawn_tile = drawn_tile
        self.double_blank_points = blank
        self.round = 0
        self.over = False
        self.results: list[RoundResult] = []
        self.blocked_rounds = 0

    # The start of a round: R5-R10.

    def _clear_table(self, hands: list[list[Tile]], boneyard: list[Tile]) -> None:
        self.hands = hands
        self._boneyard_as_dealt = boneyard
        self._gone: set[Tile] = set()  # tiles drawn from the boneyard
        self.board: list[Laid] = []
        self.table: list[Tile] = []
        self.has_drawn = False
        self.finder: int | None = None
        self.hunted = 0
        self.facts: list[list[Fact]] = [[] for _ in range(self.players)]

    def _begin_round(self) -> None:
        order = [(low, high) for low, high in self.order_of_round(self.round)]
        if sorted(order) != sorted(full_set(self.max_pip)):
            raise ValueError(f"the order of round {self.round} is not one full set of tiles")
        dealt = self.players * self.hand_size
        hands = [order[at : at + self.hand_size] for at in range(0, dealt, self.hand_size)]
        self._clear_table(hands[: self.players], order[dealt:])
        starter = (self.rounds[self.round], self.rounds[self.round])
        self.finder = self._find(starter)
        self._lay_starter(self.finder, starter)

    def lead_seat(self) -> int:
        """Seat that draws first in the hunt (Q2): seat 0 in the first round, then one on."""
        return self.round % self.players

    def _find(self, starter: Tile) -> int:
        """Seat that begins: the holder of the starter, else whoever draws it (R7-R10, Q2-Q6)."""
        for seat, hand in enumerate(self.hands):
            if starter in hand:
                return seat
        seat = self.lead_seat()
        while True:
            self.hunted += 1
            if self._draw_tile(seat) == starter:
                return seat
            seat = self.next_seat(seat)

    def _lay_starter(self, seat: int, starter: Tile) -> None:
        """Lay the starter from the hand; this uses up the turn (Q5, Q7)."""
        self.hands[seat].remove(starter)
        self.table.append(starter)
        self.board.append(Laid(starter, starter[0], self.starter_arms, "starter"))
        self.seat = self.next_seat(seat)

    # What is on the table: R11-R16.

    def next_seat(self, seat: int) -> int:
        """The neighbour whose turn follows (R12)."""
        return (seat + 1) % self.players

    def unfinished(self) -> list[Laid]:
        """Starter and doubles with owed places; play has to complete them first (R13, R15)."""
        return [laid for laid in self.board if laid.role != "plain" and laid.places > 0]

    def end_values(self) -> Counter[int]:
        """Open ends by pip, the owed places of the starter or a foot left out."""
        return Counter(
            laid.shows for laid in self.board if laid.role == "plain" and laid.places > 0
        )

    def phase(self) -> tuple[str, int | None, int]:
        """("ARMS" or "FOOT", pip, owed places) or ("OPEN", None, 0)."""
        for laid in self.unfinished():
            return ("ARMS" if laid.role == "starter" else "FOOT"), laid.shows, laid.places
        return "OPEN", None, 0

    def playable_pips(self) -> set[int]:
        """Pips that a tile has to show to be laid now."""
        unfinished = self.unfinished()
        return {laid.shows for laid in unfinished} if unfinished else set(self.end_values())

    def legal_plays(self, seat: int) -> list[Action]:
        """Every (tile, end value) that the hand of `seat` can lay; equal ends count once."""
        playable = self.playable_pips()
        return [
            ("play", tile, value)
            for tile in sorted(self.hands[seat])
            for value in sorted(set(tile))
            if value in playable
        ]

    @property
    def boneyard(self) -> list[Tile]:
        """Tiles left in the boneyard, in the order in which it was dealt."""
        return [tile for tile in self._boneyard_as_dealt if tile not in self._gone]

    # One turn: R14, Q13-Q16.

    def legal_actions(self) -> list[Action]:
        """Everything the seat to act may do; a finished game has PASS alone."""
        if self.over:
            return [PASS]
        plays = self.legal_plays(self.seat)
        if self.has_drawn:
            return [*plays, PASS] if not plays or self.drawn_tile == "may" else plays
        if plays:
            return plays
        return [DRAW] if self.boneyard else [PASS]

    def step(self, action: Action) -> None:
        """Do `action`; raise ValueError and change nothing if it is not legal."""
        if action not in self.legal_actions():
            raise ValueError(f"{action} is not legal: {self.legal_actions()}")
        if self.over:
            return
        if action == DRAW:
            self._draw()
        elif action == PASS:
            self._pass()
        else:
            self._play(action[1], action[2])
        self._settle()

    def _end_turn(self) -> None:
        self.seat = self.next_seat(self.seat)
        self.has_drawn = False

    def _draw_tile(self, seat: int) -> Tile:
        """Move a tile of the boneyard to the hand: the first left from the seat's own place on."""
        size = len(self._boneyard_as_dealt)
        at = seat * self.draw_stride % size
        while self._boneyard_as_dealt[at] in self._gone:
            at = (at + 1) % size
        tile = self._boneyard_as_dealt[at]
        self._gone.add(tile)
        self.hands[seat].append(tile)
        self.facts[seat].append(("drew", None))
        return tile

    def _draw(self) -> None:
        self.facts[self.seat].append(("lacks", self.playable_pips()))
        self._draw_tile(self.seat)
        self.has_drawn = True
        if self.drawn_tile == "no":
            self._end_turn()

    def _pass(self) -> None:
        # Where a playable drawn tile may be kept, passing after the draw shows nothing new.
        if not self.has_drawn or self.drawn_tile == "must":
            self.facts[self.seat].append(("lacks", self.playable_pips()))
        self._end_turn()

    def _play(self, tile: Tile, value: int) -> None:
        spots = self.unfinished() or self.board
        spot = next(laid for laid in spots if laid.shows == value and laid.places > 0)
        if is_double(tile):
            laid = Laid(tile, value, self.toes, "double")
        else:
            laid = Laid(tile, tile[0] + tile[1] - value, 1, "plain")
        spot.places -= 1
        spot.joined.append(laid)
        self.board.append(laid)
        self.hands[self.seat].remove(tile)
        self.table.append(tile)
        self.facts[self.seat].append(("played", tile))
        self._end_turn()

    # The end of a round and of the game: R17-R19, Q20-Q26.

    def outcome(self) -> str | None:
        """WENT_OUT or BLOCKED if the round on the table is at its end, else None."""
        if any(not hand for hand in self.hands):
            return WENT_OUT
        if not self.boneyard and not any(self.legal_plays(seat) for seat in range(self.players)):
            return BLOCKED
        return None

    def tile_points(self, tile: Tile) -> int:
        """Points of one tile left in a hand (R18)."""
        return self.double_blank_points if tile == (0, 0) else tile[0] + tile[1]

    def hand_points(self, hand: Sequence[Tile]) -> int:
        """Points of a hand (R18)."""
        return sum(self.tile_points(tile) for tile in hand)

    def _settle(self) -> None:
        """End every round that is at its end; a fresh deal may be at its end as well."""
        while not self.over and (outcome := self.outcome()) is not None:
            self.blocked_rounds += outcome == BLOCKED
            self.results.append(
                RoundResult(
                    starter=self.rounds[self.round],
                    finder=-1 if self.finder is None else self.finder,
                    hunted=self.hunted,
                    outcome=outcome,
                    scores=[self.hand_points(hand) for hand in self.hands],
                    hands=[list(hand) for hand in self.hands],
                    boneyard=self.boneyard,
                    table=list(self.table),
                    playable=self.playable_pips(),
                )
            )
            if self.round + 1 == len(self.rounds):
                self.over = True
            else:
                self.round += 1
                self._begin_round()

    def scores_of(self, seat: int) -> list[int]:
        """Points of `seat` in each finished round."""
        return [result.scores[seat] for result in self.results]

    @property
    def points(self) -> list[int]:
        """Points of each seat over the finished rounds."""
        return [sum(self.scores_of(seat)) for seat in range(self.players)]

    @property
    def zero_rounds(self) -> list[int]:
        """Finished rounds in which each seat scored zero."""
        return [self.scores_of(seat).count(0) for seat in range(self.players)]

    @property
    def best_round(self) -> list[int | None]:
        """Lowest nonzero score of each seat in one round."""
        nonzero = [[s for s in self.scores_of(seat) if s != 0] for seat in range(self.players)]
        return [min(scores, default=None) for scores in nonzero]

    def ranks(self) -> list[int]:
        """Shared 1-based ranks by the score sheet so far (R19)."""
        return ranks_of([result.scores for result in self.results] or [[0] * self.players])

    # What everybody has seen.

    def evidence(self, seat: int) -> dict[int, int]:
        """For each pip that `seat` has shown to lack: how many of its tiles may show it by now.

        The facts are laid out in a row: showings, and one token for every tile drawn. A tile with
        a pip shown absent was drawn after that showing, so playing it takes away a token there;
        the oldest one, which claims the least about the later showings.
        """
        row: list[set[int] | None] = []  # a set is a showing, None a drawn tile
        for kind, what in self.facts[seat]:
            if kind == "lacks":
                row.append(what)
            elif kind == "drew":
                row.append(None)
            else:
                shown = [at for at, lacked in enumerate(row) if lacked and lacked & set(what)]
                if shown:
                    del row[row.index(None, shown[-1])]
        known: dict[int, int] = {}
        for at, lacked in enumerate(row):
            known.update(dict.fromkeys(lacked or (), row[at:].count(None)))
        return known

    def drawn_since(self, seat: int, pip: int) -> int | None:
        """Tiles of `seat` that may show `pip`, drawn since it last showed it had none; or None."""
        return self.evidence(seat).get(pip)
