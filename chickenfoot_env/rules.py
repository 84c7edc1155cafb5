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

MAX_PLAYERS: Final = 12
MAX_ROUNDS: Final = 37  # the longest published game: double-eighteen, down to 0 and up again
MAX_POINTS: Final = 1000  # a double-blank may cost at most this
MAY, MUST, NO = 0, 1, 2  # what a seat may do with a playable tile it has just drawn
DRAWN_TILE: Final = {"may": MAY, "must": MUST, "no": NO}
ALL_DOUBLES: Final = "all_doubles"
PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {"seed": {}}


class RulesError(ValueError):
    """A rule set that cannot be played; the message says what would be allowed."""


@dataclasses.dataclass(frozen=True)
class Rules:
    """One validated, immutable rule set.

    Attributes:
        players: seats at the table, 2 to 12 (R2).
        max_pip: highest pip n of the double-n set, 2 to 18 (R3).
        hand_size: tiles dealt to each seat; players x hand_size must not exceed the set (R5).
        starter_arms: arms on the starter, 1 to max_pip (R13: 4).
        toes: toes on a foot, 1 to 3 and less than max_pip (R15: 3).
        drawn_tile: whether a playable tile just drawn "may", "must" or can "no"t be laid in the
            same turn (R14: may; must and no are published variants).
        double_blank_points: points for holding the 0-0 at the end of a round, 0 to 1000 (R18: 50).
        rounds: "all_doubles" (n, n-1, ..., 0; R8) or the starter pips of the rounds in order.

    Raises:
        RulesError: for a value of the wrong type or out of range, naming what is allowed.
    """

    players: int = 4
    max_pip: int = 9
    hand_size: int = 7
    starter_arms: int = 4
    toes: int = 3
    drawn_tile: str = "may"
    double_blank_points: int = 50
    rounds: str | tuple[int, ...] = ALL_DOUBLES

    def __post_init__(self) -> None:
        _whole("players", self.players, 2, MAX_PLAYERS)
        _whole("max_pip", self.max_pip, 2, tiles.MAX_PIP)
        _whole("hand_size", self.hand_size, 1, self.tiles)
        self._check_deal()
        _whole("starter_arms", self.starter_arms, 1, self.max_pip)
        _whole("toes", self.toes, 1, min(3, self.max_pip - 1))
        if not isinstance(self.drawn_tile, str) or self.drawn_tile not in DRAWN_TILE:
            raise RulesError(f"drawn_tile={self.drawn_tile!r}: allowed are {', '.join(DRAWN_TILE)}")
        _whole("double_blank_points", self.double_blank_points, 0, MAX_POINTS)
        object.__setattr__(self, "rounds", self._checked_rounds())

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Rules:
        """The named published rule set, with `changes` to single fields.

        Raises:
            RulesError: if there is no such preset or field, or the result cannot be played.
        """
        if not isinstance(name, str) or name not in PRESETS:
            raise RulesError(f"no rules called {name!r}; there are {', '.join(PRESETS)}")
        fields = [field.name for field in dataclasses.fields(cls)]
        for key in changes:
            if key not in fields:
                raise RulesError(f"rules have no field {key!r}; the fields are {', '.join(fields)}")
        return cls(**{**PRESETS[name], **changes})

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
        return self.tiles - self.players * self.hand_size

    @property
    def private_stride(self) -> int:
        """The draw stride that gives each seat its own part of the boneyard to draw from."""
        return self.boneyard // self.players

    @property
    def starters(self) -> tuple[int, ...]:
        """The starter's pip in each round, in order."""
        if isinstance(self.rounds, str):
            return tuple(range(self.max_pip, -1, -1))
        return self.rounds

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
        seed = Rules.preset("seed")
        mine, theirs = dataclasses.asdict(self), dataclasses.asdict(seed)
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in mine.items()
            if value != theirs[name]
        }

    def record(self) -> dict[str, int]:
        """The rule scalars as a game record carries them."""
        return {
            "max_pip": self.max_pip,
            "players": self.players,
            "hand_size": self.hand_size,
            "starter_arms": self.starter_arms,
            "toes": self.toes,
            "drawn_tile": DRAWN_TILE[self.drawn_tile],
            "double_blank_points": self.double_blank_points,
            "rounds": len(self.starters),
        }

    def _check_deal(self) -> None:
        needed = self.players * self.hand_size
        if needed <= self.tiles:
            return
        wider = next((n for n in range(2, tiles.MAX_PIP + 1) if tiles.set_size(n) >= needed), None)
        fits = []
        if (players := self.tiles // self.hand_size) >= 2:
            fits.append(f"at most {players} players with hand_size {self.hand_size}")
        if (hand_size := self.tiles // self.players) >= 1:
            fits.append(f"hand_size {hand_size} or less with {self.players} players")
        if wider is not None:
            fits.append(f"max_pip {wider} or more")
        raise RulesError(
            f"{self.players} players x {self.hand_size} tiles = {needed} tiles, but a "
            f"double-{self.max_pip} set has {self.tiles}; what fits: {', or '.join(fits)}"
        )

    def _checked_rounds(self) -> str | tuple[int, ...]:
        allowed = (
            f"allowed are {ALL_DOUBLES!r} or 1 to {MAX_ROUNDS} starter pips "
            f"from 0 to {self.max_pip}, such as ({self.max_pip},)"
        )
        if isinstance(self.rounds, str) and self.rounds == ALL_DOUBLES:
            return ALL_DOUBLES
        if isinstance(self.rounds, str) or not isinstance(self.rounds, Iterable):
            raise RulesError(f"rounds={self.rounds!r}: {allowed}")
        starters = tuple(self.rounds)
        whole = all(isinstance(pip, int) and not isinstance(pip, bool) for pip in starters)
        if not whole or not 1 <= len(starters) <= MAX_ROUNDS:
            raise RulesError(f"rounds={starters!r}: {allowed}")
        if not all(0 <= pip <= self.max_pip for pip in starters):
            raise RulesError(f"rounds={starters!r}: {allowed}")
        return starters


def _whole(name: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise RulesError(f"{name}={value!r}: allowed are whole numbers from {low} to {high}")
