"""The rules of Chicken Foot as this package plays them, and the `Rules` that select them.

**The game.** Each round opens with a double, the *starter*: with a double-nine set the 9-9 first,
then the 8-8, down to the 0-0 (R7, R8, R20). Every seat is dealt `hand_size` tiles, the rest is the
*boneyard* (R5, R6). The seat that holds the starter lays it, and that is its turn. If nobody holds
it, the seats draw one tile each in turn, the round's lead seat first, until somebody finds and lays
it (R9, R10); drawn tiles are kept.

Play goes clockwise (R12). A tile is laid by one half on an open *end* that shows the same pip, and
leaves its other half open (R11). The starter's *arms* must all be begun before anything else may be
laid (R13). A double laid on an end is a *foot*: the next tiles must be its *toes*, laid on the
double, before anything else may be laid (R15); then each toe is an open end (R16).

A seat with a legal play must play. A seat without one draws one tile from the boneyard; if that
tile can be laid it may lay it at once or keep it (R14). When the boneyard is empty it misses its
turn. The round ends when a seat lays its last tile, a double included, or when the boneyard is
empty and no seat has a legal play (R17). Each seat then gets the pips left in its hand as points;
the double-blank counts 50 (R18). After the last round the fewest points win; ties go to the seat
with more rounds of zero points, then to the one with the lowest other round (R19), and are shared
if still tied.

**The source** is the English article on Chicken Foot reconciled from its translations, as published
at www.reference.com/hobbies-games/play-chicken-foot-dominoes-6e6db69b65d1aec3. What it leaves open
we decided so:

- The starter is the set's highest double, then each next lower one, whoever holds it (Q1).
- The lead seat of the hunt is seat 0 in round 1 and moves on by one each round (Q2).
- The hunt is one tile a turn, kept; the finder lays the starter in every round (Q3, Q4, Q5).
- Laying the starter uses up the turn, and the starter is no foot: it has arms, not toes (Q7, Q11).
- Blocked is tested after every action, so no lap of passes is needed (Q21); in a blocked round
  every seat scores its own hand (Q22).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, Final

from chickenfoot_env import tiles
from chickenfoot_env.presets import PRESETS

MAX_PLAYERS: Final = 12
MAX_ROUNDS: Final = 37  # the longest published game: double-eighteen, down to 0 and up again
MAX_POINTS: Final = 1000  # a single tile may cost at most this
MAX_TARGET: Final = 30_000  # a game may end at this many points at most

ALL_DOUBLES, DOWN_AND_UP = "all_doubles", "down_and_up"

# A game record holds the index of each choice; kernels compare it with these names.
CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "starter_rule": ("descending", "highest_held", "highest_unplayed_held"),
    "starter_source": ("hands", "set_aside"),
    "starter_missing": ("draw_in_turn", "draw_together", "next_lower_held", "redeal"),
    "hunt_first": ("lead_seat", "previous_winner", "highest_tile", "random"),
    "lead_rule": ("starter_holder", "lot", "rotate", "random"),
    "draw_count": ("one", "until_playable"),
    "draw_when_stuck": ("must", "may"),
    "drawn_tile": ("may", "must", "no"),
    "block_rule": ("all_stuck", "first_stuck", "dead_foot_too"),
    "last_double": ("free", "penalty", "forbidden"),
}
DESCENDING, HIGHEST_HELD, HIGHEST_UNPLAYED_HELD = 0, 1, 2
HANDS, SET_ASIDE = 0, 1
DRAW_IN_TURN, DRAW_TOGETHER, NEXT_LOWER_HELD, REDEAL = 0, 1, 2, 3
LEAD_SEAT, PREVIOUS_WINNER, HIGHEST_TILE, RANDOM_HUNTER = 0, 1, 2, 3
STARTER_HOLDER, LOT, ROTATE, RANDOM_LEAD = 0, 1, 2, 3
DRAW_ONE, UNTIL_PLAYABLE = 0, 1
MUST_DRAW, MAY_DRAW = 0, 1
MAY, MUST, NO = 0, 1, 2
ALL_STUCK, FIRST_STUCK, DEAD_FOOT_TOO = 0, 1, 2
FREE, PENALTY, FORBIDDEN = 0, 1, 2

REFUSED: Final[Mapping[str, str]] = {
    "plays_per_turn": "several plays a turn are not supported: a turn is one play",
    "last_tile_call": "calling the last tile is not supported: it is a test of attention",
    "arms_first": "sibling games are not supported: the arms come first",
    "foot_blocks_all": "sibling games are not supported: a foot comes before anything else",
    "must_play_if_able": "not supported: a seat that can play must",
    "hunt_max_laps": "not supported: the hunt goes on until the starter is found",
    "double_score_factor": "not supported: a double counts its pips",
    "tie_break": "not supported: ties go by zero rounds, then by the lowest other round",
}


class RulesError(ValueError):
    """A rule set that cannot be played; the message says what would be allowed."""


@dataclasses.dataclass(frozen=True)
class Rules:
    """One validated, immutable rule set. The defaults are the preset `seed`.

    Attributes:
        players: seats at the table, 2 to 12 (R2).
        max_pip: highest pip n of the double-n set, 2 to 18 (R3).
        hand_size: tiles dealt to each seat (R5).
        boneyard_reserve: the last tiles of the boneyard, which no turn may draw (the hunt may).
        starter_rule: which double opens a round. "descending": the one that `rounds` names (R7,
            R8); "highest_held": the highest in any hand; "highest_unplayed_held": the highest in
            any hand of those that have opened no round of the game yet.
        starter_source: "hands", or "set_aside": it is taken out before the deal.
        starter_missing: what happens if nobody holds it. "draw_in_turn": the seats draw one tile
            each in turn until it is found (R9); "draw_together": all draw one before they look;
            "next_lower_held": the next lower double in any hand opens the round (the highest, if
            none is lower, and if there is none at all the seats draw for one in turn); "redeal".
        hunt_first: who draws first: "lead_seat" (Q2), "previous_winner" (the lead seat in round 1),
            "highest_tile" (whoever was dealt the heaviest), "random".
        lead_rule: who begins. "starter_holder": whoever lays the starter (R10); else the lead seat,
            which moves on by one each round from seat 0 ("rotate") or from a seat drawn by lot
            ("lot"), or is drawn anew ("random"). Under "starter_holder" it moves as in "rotate".
        starter_uses_turn: whether laying the starter is a turn, so that the seat behind the one
            that begins lays the first arm (Q7).
        starter_arms: arms on the starter, 1 to max_pip (R13: 4).
        toes: toes on a foot, 1 to 3 and less than max_pip (R15: 3).
        draw_count: tiles that a seat without a play draws: "one" (R14), or "until_playable".
        draw_when_stuck: whether it "must" draw (R14) or "may". Where it may, a round in which every
            seat in turn declines to draw is blocked, whatever the block_rule.
        drawn_tile: whether a playable tile just drawn "may", "must" or can "no"t be laid in the
            same turn (R14: may).
        block_rule: when a round ends although everybody has tiles. "all_stuck": the boneyard is
            empty and no seat has a play (R17); "first_stuck": it is empty and the seat to act has
            none, even if it has just drawn the last tile; "dead_foot_too": as all_stuck, or when
            every tile that could be the next arm or toe is on the table.
        last_double: whether a seat may go out with a double: "free" (Q20), "penalty", "forbidden".
        last_double_points: points of the round for going out with a double under "penalty".
        double_blank_points: points for holding the 0-0 at the end of a round, 0 to 1000 (R18: 50).
        blank_half_points: points for each other blank half held, 0 to 1000.
        rounds: "all_doubles" (n, n-1, ..., 0; R8), "down_and_up" (n, ..., 0, ..., n) or the starter
            pips of the rounds in order. Unless the starter_rule is "descending", their number.
        target_points: the game ends with the round in which a total reaches this; None: never.

    Raises:
        RulesError: for a value of the wrong type or out of range, naming what is allowed.
    """

    players: int = 4
    max_pip: int = 9
    hand_size: int = 7
    boneyard_reserve: int = 0
    starter_rule: str = "descending"
    starter_source: str = "hands"
    starter_missing: str = "draw_in_turn"
    hunt_first: str = "lead_seat"
    lead_rule: str = "starter_holder"
    starter_uses_turn: bool = True
    starter_arms: int = 4
    toes: int = 3
    draw_count: str = "one"
    draw_when_stuck: str = "must"
    drawn_tile: str = "may"
    block_rule: str = "all_stuck"
    last_double: str = "free"
    last_double_points: int = 50
    double_blank_points: int = 50
    blank_half_points: int = 0
    rounds: str | tuple[int, ...] = ALL_DOUBLES
    target_points: int | None = None

    def __post_init__(self) -> None:
        _whole("players", self.players, 2, MAX_PLAYERS)
        _whole("max_pip", self.max_pip, 2, tiles.MAX_PIP)
        _whole("hand_size", self.hand_size, 1, self.tiles)
        _whole("boneyard_reserve", self.boneyard_reserve, 0, self.tiles)
        for name, allowed in CHOICES.items():
            if not isinstance(getattr(self, name), str) or getattr(self, name) not in allowed:
                raise RulesError(
                    f"{name}={getattr(self, name)!r}: allowed are {', '.join(allowed)}"
                )
        if not isinstance(self.starter_uses_turn, bool):
            raise RulesError(
                f"starter_uses_turn={self.starter_uses_turn!r}: allowed are True, False"
            )
        self._check_deal()
        _whole("starter_arms", self.starter_arms, 1, self.max_pip)
        _whole("toes", self.toes, 1, min(3, self.max_pip - 1))
        for name in ("last_double_points", "double_blank_points", "blank_half_points"):
            _whole(name, getattr(self, name), 0, MAX_POINTS)
        if self.target_points is not None:
            _whole("target_points", self.target_points, 1, MAX_TARGET)
        object.__setattr__(self, "rounds", self._checked_rounds())
        self._check_together()

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Rules:
        """The named published rule set, with `changes` to single fields.

        Raises:
            RulesError: if there is no such preset or field, or the result cannot be played.
        """
        check_fields(changes)
        fields = _preset_fields(name, changes.get("players", cls.players))
        return cls(**{**fields, **changes})

    @property
    def pips(self) -> int:
        """P, the number of pip values of the set, blank included."""
        return self.max_pip + 1

    @property
    def tiles(self) -> int:
        """T, the number of tiles in the set."""
        return tiles.set_size(self.max_pip)

    @property
    def boneyard(self) -> int:
        """Tiles that lie in the boneyard after the deal, before the hunt for the starter."""
        aside = 1 if self.starter_source == "set_aside" else 0
        return self.tiles - aside - self.players * self.hand_size

    @property
    def private_stride(self) -> int:
        """The draw stride that gives each seat its own part of the boneyard to draw from."""
        return self.boneyard // self.players

    @property
    def starters(self) -> tuple[int, ...]:
        """The starter's pip in each round, in order."""
        if not isinstance(self.rounds, str):
            return self.rounds
        down = tuple(range(self.max_pip, -1, -1))
        return down if self.rounds == ALL_DOUBLES else down + down[-2::-1]

    @property
    def actions(self) -> int:
        """A, the number of action ids: every play, DRAW and PASS."""
        return tiles.action_count(self.max_pip)

    @property
    def draw(self) -> int:
        """The action id of DRAW."""
        return tiles.draw_action(self.max_pip)

    @property
    def pass_(self) -> int:
        """The action id of PASS."""
        return tiles.pass_action(self.max_pip)

    def differences(self) -> dict[str, Any]:
        """The fields that differ from the `seed` preset, by name, as JSON values."""
        mine, theirs = dataclasses.asdict(self), dataclasses.asdict(Rules())
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in mine.items()
            if value != theirs[name]
        }

    def record(self) -> dict[str, int]:
        """The rule scalars as a game record carries them."""
        record = {name: allowed.index(getattr(self, name)) for name, allowed in CHOICES.items()}
        for field in dataclasses.fields(self):
            if isinstance(value := getattr(self, field.name), int):
                record[field.name] = int(value)
        return {
            **record,
            "target_points": self.target_points or 0,
            "rounds": len(self.starters),
        }

    def _check_deal(self) -> None:
        aside = 1 if self.starter_source == "set_aside" else 0
        extra = aside + self.boneyard_reserve
        needed = self.players * self.hand_size + extra
        if needed <= self.tiles:
            return
        wider = next((n for n in range(2, tiles.MAX_PIP + 1) if tiles.set_size(n) >= needed), None)
        free = self.tiles - extra
        fits = []
        if (players := free // self.hand_size) >= 2:
            fits.append(f"at most {players} players with hand_size {self.hand_size}")
        if (hand_size := free // self.players) >= 1:
            fits.append(f"hand_size {hand_size} or less with {self.players} players")
        if wider is not None:
            fits.append(f"max_pip {wider} or more")
        more = f" + {extra} kept back" if extra else ""
        raise RulesError(
            f"{self.players} players x {self.hand_size} tiles{more} = {needed} tiles, but a "
            f"double-{self.max_pip} set has {self.tiles}; what fits: {', or '.join(fits)}"
        )

    def _check_together(self) -> None:
        if self.starter_source == "set_aside":
            if self.starter_rule != "descending":
                raise RulesError(
                    f"starter_rule={self.starter_rule!r} looks at hands, but with "
                    "starter_source='set_aside' the starter is in none: allowed is descending"
                )
            if self.lead_rule == "starter_holder":
                raise RulesError(
                    "lead_rule='starter_holder' with starter_source='set_aside': nobody holds the "
                    "starter; allowed are lot, rotate, random"
                )
        if self.draw_count == "until_playable" and self.drawn_tile == "no":
            raise RulesError(
                "drawn_tile='no' with draw_count='until_playable': a seat would draw for a tile "
                "that it cannot lay; allowed are may, must"
            )
        if self.starter_rule == "highest_unplayed_held" and len(self.starters) > self.pips:
            raise RulesError(
                f"{len(self.starters)} rounds with starter_rule='highest_unplayed_held': a "
                f"double-{self.max_pip} set has doubles for {self.pips}"
            )

    def _checked_rounds(self) -> str | tuple[int, ...]:
        allowed = (
            f"allowed are {ALL_DOUBLES!r}, {DOWN_AND_UP!r} or 1 to {MAX_ROUNDS} starter pips "
            f"from 0 to {self.max_pip}, such as ({self.max_pip},)"
        )
        if isinstance(self.rounds, str) and self.rounds in (ALL_DOUBLES, DOWN_AND_UP):
            return self.rounds
        if isinstance(self.rounds, str) or not isinstance(self.rounds, Iterable):
            raise RulesError(f"rounds={self.rounds!r}: {allowed}")
        starters = tuple(self.rounds)
        whole = all(isinstance(pip, int) and not isinstance(pip, bool) for pip in starters)
        if not whole or not 1 <= len(starters) <= MAX_ROUNDS:
            raise RulesError(f"rounds={starters!r}: {allowed}")
        if not all(0 <= pip <= self.max_pip for pip in starters):
            raise RulesError(f"rounds={starters!r}: {allowed}")
        return starters


def check_fields(names: Iterable[str]) -> None:
    """Refuse names that are no field of Rules.

    Raises:
        RulesError: naming the fields there are, or why a published rule is not supported.
    """
    fields = [field.name for field in dataclasses.fields(Rules)]
    for name in names:
        if name in REFUSED:
            raise RulesError(f"{name}: {REFUSED[name]}")
        if name not in fields:
            raise RulesError(f"rules have no field {name!r}; the fields are {', '.join(fields)}")


def _preset_fields(name: str, players: int) -> dict[str, Any]:
    """The fields in which a preset differs from the defaults at a table of `players`."""
    if not isinstance(name, str) or name not in PRESETS:
        raise RulesError(f"no rules called {name!r}; there are {', '.join(PRESETS)}")
    fields = {}
    for key, value in PRESETS[name].fields.items():
        if isinstance(value, Mapping):
            if players not in value:
                covered = ", ".join(map(str, value))
                raise RulesError(f"{name} is not for {players!r} players; it covers {covered}")
            value = value[players]
        fields[key] = value
    return fields


def _whole(name: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise RulesError(f"{name}={value!r}: allowed are whole numbers from {low} to {high}")
