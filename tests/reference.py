"""A slow, literal engine of Chicken Foot, written from the rules alone.

It shares no code and no data structure with the package: tiles are pairs of pips, hands are lists,
the tableau is a tree of laid tiles, evidence is the list of what everybody has seen. Chance comes
from outside, through callables. Tests play it beside the package's kernels. Rule numbers (R...,
Q...) are those of docs/rules.md.

Words: a *place* is a spot where one more tile may be joined. The starter has `starter_arms` places,
any later double has `toes`, every other tile has one, at its free half.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from reference_rules import ReferenceRules, Tile, full_set, is_double, ranks_of

Action = tuple[Any, ...]  # ("play", tile, end value) | ("draw",) | ("pass",)
Fact = tuple[str, Any]  # ("lacks", set of pips) | ("drew", None) | ("played", tile)

DRAW: Action = ("draw",)
PASS: Action = ("pass",)
WENT_OUT, BLOCKED = "WENT_OUT", "BLOCKED"


def no_chance(*asked: int) -> int:
    """Stands for chance that a game was not given."""
    raise ValueError(f"these rules need chance that was not given (asked with {asked})")


def action_id(action: Action, max_pip: int) -> int:
    """Integer id of an action: attach * (max_pip + 1) + free; then DRAW; then PASS."""
    if action == DRAW:
        return (max_pip + 1) ** 2
    if action == PASS:
        return (max_pip + 1) ** 2 + 1
    _, (low, high), attach = action
    return int(attach * (max_pip + 1) + (low + high - attach))


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
    lead: int  # lead seat
    finder: int  # seat that laid the starter; the lead seat if it was set aside
    hunted: int  # tiles drawn in the hunt for it
    outcome: str  # WENT_OUT or BLOCKED
    winner: int  # seat that went out, or had the fewest points
    scores: list[int]  # by seat
    hands: list[list[Tile]]
    boneyard: list[Tile]
    table: list[Tile]
    playable: set[int]
    passes: int  # turns in a row, up to the end, with neither a play nor a draw


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
        rules: the rules it is played by; players and max_pip are theirs.
        hands: tiles of each seat, in the order in which they were dealt and drawn.
        table: tiles laid this round, in order (from a position: all tiles it does not name).
        seat, has_drawn: the seat to act; whether it has drawn in this turn.
        round, over: index of the round; whether the whole game has ended.
        points, zero_rounds, best_round: score sheet by seat; best_round is the lowest nonzero
            score of one round, None while there is none.
        blocked_rounds: rounds so far that ended blocked.
        lead, starter: lead seat of this round; pip of its starter.
        redeals: times that this round was dealt anew because nobody could open it.
        finder, hunted: seat that laid the starter; tiles drawn in the hunt for it.
        facts: for each seat what everybody has seen of it this round, oldest first.
        results: one RoundResult for each finished round.
    """

    def __init__(
        self,
        *,
        order_of_round: Callable[[int, int], Sequence[Tile]],
        draw_stride: int = 0,
        lot: Callable[[], int] = no_chance,
        random_lead: Callable[[int], int] = no_chance,
        random_hunter: Callable[[int], int] = no_chance,
        **fields: Any,
    ) -> None:
        """Deal round 0.

        Args:
            order_of_round: the shuffled tiles, given the round and its redeals so far.
            draw_stride: each seat draws from place seat * draw_stride of the boneyard on; 0: all
                from its start.
            lot: the lead seat of round 0 under lead_rule="lot".
            random_lead: the lead seat of a round under lead_rule="random".
            random_hunter: the seat that draws first in a round under hunt_first="random".
            **fields: those of ReferenceRules.
        """
        self._sit_down(ReferenceRules(**fields), draw_stride)
        self.rules.check_deal()
        self._order_of_round = order_of_round
        self._drawn_by_lot = lot() if self.rules.lead_rule == "lot" else 0
        self._random_lead = random_lead
        self._random_hunter = random_hunter
        self._begin_round()
        self._settle()

    @classmethod
    def from_position(cls, position: Position | str, **fields: Any) -> ReferenceGame:
        """Start a one-round game in the middle; no evidence is known, all draw from one end.

        `fields` are those of ReferenceRules but for players, hand_size and rounds.
        """
        if isinstance(position, str):
            position = parse_position(position)
        game = cls.__new__(cls)
        arms = position.phase == "ARMS"
        starter = position.value if arms else fields.get("max_pip", 9)
        fields |= {"players": len(position.hands), "rounds": (starter,)}
        game._sit_down(ReferenceRules(**fields), draw_stride=0)
        game.starter = game.rules.rounds[0]
        game.lead = game.redeals = 0
        game._clear_table([list(hand) for hand in position.hands], list(position.boneyard))
        held = {tile for hand in (*position.hands, position.boneyard) for tile in hand}
        if not held <= set(full_set(game.max_pip)):
            raise ValueError(f"{sorted(held)} are not all in the {game.max_pip}-set")
        game.table = [tile for tile in full_set(game.max_pip) if tile not in held]
        game.board = [Laid(None, end, 1, "plain") for end in position.ends]
        if position.value is not None:
            double = (position.value, position.value)
            role = "starter" if arms else "double"
            game.board.append(Laid(double, position.value, position.owed, role))
        game.seat = position.seat
        game._settle()
        return game

    def _sit_down(self, rules: ReferenceRules, draw_stride: int) -> None:
        self.rules = rules
        self.players = rules.players
        self.max_pip = rules.max_pip
        self.draw_stride = draw_stride
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
        self.passes_in_a_row = 0
        self.finder: int | None = None
        self.hunted = 0
        self.facts: list[list[Fact]] = [[] for _ in range(self.players)]

    def _begin_round(self) -> None:
        """Deal, have the starter laid, and say who acts first (Q4, Q7)."""
        self.lead = self.lead_seat()
        self._deal(attempt=0)
        if self.rules.starter_source == "set_aside":
            self.finder, starter = self.lead, self._own_starter()
        else:
            self.finder, starter = self._find_starter()
            self.hands[self.finder].remove(starter)
        self.starter = starter[0]
        self.table.append(starter)
        self.board.append(Laid(starter, self.starter, self.rules.starter_arms, "starter"))
        beginner = self.finder if self.rules.lead_rule == "starter_holder" else self.lead
        self.seat = self.next_seat(beginner) if self.rules.starter_uses_turn else beginner

    def _own_starter(self) -> Tile:
        """The double that `rounds` names for this round (R8)."""
        return self.rules.rounds[self.round], self.rules.rounds[self.round]

    def _deal(self, attempt: int) -> None:
        """Deal the hands; what is left is the boneyard (R5, R6)."""
        self.redeals = attempt
        order = [(low, high) for low, high in self._order_of_round(self.round, attempt)]
        if sorted(order) != sorted(full_set(self.max_pip)):
            raise ValueError(f"the order of round {self.round} is not one full set of tiles")
        if self.rules.starter_source == "set_aside":
            # The starter changes places with the first tile, and is then taken away.
            at = order.index(self._own_starter())
            order[0], order[at] = order[at], order[0]
            del order[0]
        hands = []
        for _ in range(self.players):
            hands.append(order[: self.rules.hand_size])
            del order[: self.rules.hand_size]
        self._clear_table(hands, order)

    def lead_seat(self) -> int:
        """Lead seat of this round (Q2): one further on each round, unless it is random."""
        if self.rules.lead_rule == "random":
            return self._random_lead(self.round)
        return (self._drawn_by_lot + self.round) % self.players

    # The starter: R7-R10, Q1-Q6.

    def _doubles(self) -> list[Tile]:
        return [tile for tile in full_set(self.max_pip) if is_double(tile)]

    def _wanted(self) -> list[Tile]:
        """The doubles of which one is to open this round (Q1)."""
        if self.rules.starter_rule == "descending":
            return [self._own_starter()]
        if self.rules.starter_rule == "highest_held":
            return self._doubles()
        opened = [result.starter for result in self.results]
        return [double for double in self._doubles() if double[0] not in opened]

    def _highest_held(self, wanted: Sequence[Tile]) -> tuple[int, Tile] | None:
        """The highest of the wanted doubles that is in a hand, with the seat that holds it."""
        for double in sorted(wanted, reverse=True):
            for seat, hand in enumerate(self.hands):
                if double in hand:
                    return seat, double
        return None

    def _find_starter(self) -> tuple[int, Tile]:
        """The seat that lays the starter, and the starter."""
        wanted, missing = self._wanted(), self.rules.starter_missing
        found = self._highest_held(wanted)
        attempts = itertools.count(1)
        while found is None and missing == "redeal":
            self._deal(next(attempts))
            found = self._highest_held(wanted)
        descending = self.rules.starter_rule == "descending"
        if found is None and missing == "next_lower_held" and descending:
            lower = [double for double in self._doubles() if double < self._own_starter()]
            wanted = self._doubles()
            found = self._highest_held(lower) or self._highest_held(wanted)
        return found or self._hunt(wanted)

    def _hunt(self, wanted: Sequence[Tile]) -> tuple[int, Tile]:
        """Draw until somebody holds a wanted double: one tile before all look, or one each."""
        together = self.rules.starter_missing == "draw_together"
        found = None
        seat = self._first_hunter()
        while found is None:
            for _ in range(self.players if together else 1):
                if self.boneyard:
                    self._draw_tile(seat)
                    self.hunted += 1
                    seat = self.next_seat(seat)
            found = self._highest_held(wanted)
        return found

    def _first_hunter(self) -> int:
        """Seat that draws first in the hunt (Q2)."""
        if self.rules.hunt_first == "random":
            return self._random_hunter(self.round)
        if self.rules.hunt_first == "previous_winner" and self.results:
            return self.results[-1].winner
        if self.rules.hunt_first == "highest_tile":
            dealt = [(sum(tile), max(tile), seat) for seat, tile in self._tiles_in_hands()]
            return max(dealt)[2]
        return self.lead

    def _tiles_in_hands(self) -> list[tuple[int, Tile]]:
        return [(seat, tile) for seat, hand in enumerate(self.hands) for tile in hand]

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
        if self.rules.forbids(self.hands[seat]):
            return []
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

    def may_draw(self) -> bool:
        """Whether the boneyard has a tile that a turn may draw."""
        return len(self.boneyard) > self.rules.boneyard_reserve

    # One turn: R14, Q13-Q16.

    def legal_actions(self) -> list[Action]:
        """Everything the seat to act may do; a finished game has PASS alone."""
        if self.over:
            return [PASS]
        plays = self.legal_plays(self.seat)
        if plays:
            keep = self.has_drawn and self.rules.drawn_tile == "may"
            return [*plays, PASS] if keep else plays
        had_its_draw = self.has_drawn and self.rules.draw_count == "one"
        if had_its_draw or not self.may_draw():
            return [PASS]
        return [DRAW, PASS] if self.rules.draw_when_stuck == "may" else [DRAW]

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

    def _show_lack(self) -> None:
        """Everybody sees that the seat to act has no tile with a pip that could be laid."""
        # Where a last double may not be laid, a single tile may be one that fits.
        if self.rules.last_double != "forbidden" or len(self.hands[self.seat]) > 1:
            self.facts[self.seat].append(("lacks", self.playable_pips()))

    def _draw(self) -> None:
        self._show_lack()
        self.passes_in_a_row = 0
        self._draw_tile(self.seat)
        self.has_drawn = True
        if self.rules.drawn_tile == "no":
            self._end_turn()

    def _pass(self) -> None:
        # Where a playable drawn tile may be kept, passing after the draw shows nothing new.
        if not self.has_drawn or self.rules.drawn_tile == "must":
            self._show_lack()
        if not self.has_drawn:
            self.passes_in_a_row += 1
        self._end_turn()

    def _play(self, tile: Tile, value: int) -> None:
        self.passes_in_a_row = 0
        spots = self.unfinished() or self.board
        spot = next(laid for laid in spots if laid.shows == value and laid.places > 0)
        if is_double(tile):
            laid = Laid(tile, value, self.rules.toes, "double")
        else:
            laid = Laid(tile, tile[0] + tile[1] - value, 1, "plain")
        spot.places -= 1
        spot.joined.append(laid)
        self.board.append(laid)
        self.hands[self.seat].remove(tile)
        self.table.append(tile)
        self.facts[self.seat].append(("played", tile))
        self._end_turn()

    # The end of a round and of the game: R17-R19, Q10, Q17, Q20-Q26.

    def outcome(self) -> str | None:
        """WENT_OUT or BLOCKED if the round on the table is at its end, else None."""
        if any(not hand for hand in self.hands):
            return WENT_OUT
        if self.rules.block_rule == "dead_foot_too" and self._foot_is_dead():
            return BLOCKED
        if self.may_draw():  # a whole lap of seats that would not draw is a block
            return BLOCKED if self.passes_in_a_row >= self.players else None
        asked = [self.seat] if self.rules.block_rule == "first_stuck" else range(self.players)
        return None if any(self.legal_plays(seat) for seat in asked) else BLOCKED

    def _foot_is_dead(self) -> bool:
        """Whether arms or toes are owed and every tile with their pip is on the table."""
        off_table = [tile for tile in full_set(self.max_pip) if tile not in self.table]
        return any(not any(laid.shows in tile for tile in off_table) for laid in self.unfinished())

    def _scores(self) -> list[int]:
        """Points of each seat for the round on the table (R18, Q20)."""
        scores = [self.rules.hand_points(hand) for hand in self.hands]
        if [] in self.hands and self.rules.last_double == "penalty" and is_double(self.table[-1]):
            scores[self.hands.index([])] = self.rules.last_double_points
        return scores

    def _winner(self, scores: Sequence[int]) -> int:
        """Seat that went out; else the first with the fewest points, from the lead seat on."""
        if [] in self.hands:
            return self.hands.index([])
        clockwise = [(self.lead + further) % self.players for further in range(self.players)]
        return next(seat for seat in clockwise if scores[seat] == min(scores))

    def _settle(self) -> None:
        """End every round that is at its end; a fresh deal may be at its end as well."""
        while not self.over and (outcome := self.outcome()) is not None:
            self.blocked_rounds += outcome == BLOCKED
            scores = self._scores()
            self.results.append(
                RoundResult(
                    starter=self.starter,
                    lead=self.lead,
                    finder=-1 if self.finder is None else self.finder,
                    hunted=self.hunted,
                    outcome=outcome,
                    winner=self._winner(scores),
                    scores=scores,
                    hands=[list(hand) for hand in self.hands],
                    boneyard=self.boneyard,
                    table=list(self.table),
                    playable=self.playable_pips(),
                    passes=self.passes_in_a_row,
                )
            )
            target = self.rules.target_points
            reached = target and max(self.points) >= target
            if reached or self.round + 1 == len(self.rules.rounds):
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
