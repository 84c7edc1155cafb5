"""What the slow, literal engine in reference.py is told of the rules, and its words for tiles.

Written from the rules alone, as reference.py is. Rule numbers (R..., Q...) are those of
docs/rules.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Tile = tuple[int, int]  # (low pip, high pip)

CHOICES = {
    "starter_rule": ("descending", "highest_held", "highest_unplayed_held"),
    "starter_source": ("hands", "set_aside"),
    "starter_missing": ("draw_in_turn", "draw_together", "next_lower_held", "redeal"),
    "hunt_first": ("lead_seat", "previous_winner", "highest_tile", "random"),
    "lead_rule": ("starter_holder", "lot", "rotate", "random"),
    "starter_uses_turn": (True, False),
    "draw_count": ("one", "until_playable"),
    "draw_when_stuck": ("must", "may"),
    "drawn_tile": ("may", "must", "no"),
    "block_rule": ("all_stuck", "first_stuck", "dead_foot_too"),
    "last_double": ("free", "penalty", "forbidden"),
}


def full_set(max_pip: int) -> list[Tile]:
    """All tiles of a double-`max_pip` set."""
    return [(low, high) for high in range(max_pip + 1) for low in range(high + 1)]


def all_doubles(max_pip: int) -> tuple[int, ...]:
    """Starter pips of a whole game: from the highest double down to the double-blank (R8)."""
    return tuple(range(max_pip, -1, -1))


def down_and_up(max_pip: int) -> tuple[int, ...]:
    """Starter pips of a game that goes down to the double-blank and up again (Q28)."""
    return (*range(max_pip, 0, -1), *range(max_pip + 1))


def is_double(tile: Tile) -> bool:
    """Whether both halves show the same pip."""
    return tile[0] == tile[1]


@dataclass(frozen=True, kw_only=True)
class ReferenceRules:
    """The rules of one game; the defaults are those of the article.

    Attributes:
        players, max_pip, hand_size: seats, highest pip of the set, tiles dealt to each seat.
        boneyard_reserve: the last tiles of the boneyard, which no turn may draw.
        starter_rule: which doubles are wanted for the starter: the one of the round, all, or all
            that have opened no round of the game.
        starter_source: whether the starter comes from the hands or is set aside before the deal.
        starter_missing: what happens if nobody holds a wanted double.
        hunt_first: who draws first in the hunt for one.
        lead_rule: who begins: whoever lays the starter, or the lead seat, found in this way.
        starter_uses_turn: whether the seat after the one that begins acts first.
        starter_arms, toes: places of the starter and of a later double.
        draw_count: tiles that a stuck seat draws; draw_when_stuck: whether it has to.
        drawn_tile: whether a playable tile just drawn may, must or can no(t) be laid at once.
        block_rule: when a round is blocked.
        last_double: whether going out with a double is free, costs `last_double_points` (penalty)
            or is forbidden.
        double_blank_points, blank_half_points: price of the double-blank; of other blank halves,
            on top of their pips.
        rounds: starter pip of each round; only their number counts where all doubles are wanted.
        target_points: total that ends the game; None or 0 for none.
    """

    rounds: tuple[int, ...]
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
    target_points: int | None = None

    def __post_init__(self) -> None:
        """Refuse values and combinations that mean nothing."""
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name}={getattr(self, name)!r} must be one of {allowed}")
        if not 2 <= self.players <= 12 or not 2 <= self.max_pip <= 18:
            raise ValueError(f"unsupported: {self.players} players, double-{self.max_pip} set")
        if not 1 <= self.starter_arms <= self.max_pip:
            raise ValueError(f"{self.starter_arms} arms on a double of the {self.max_pip}-set")
        if not self.rounds or not all(0 <= pip <= self.max_pip for pip in self.rounds):
            raise ValueError(f"rounds {self.rounds} must be starter pips from 0 to {self.max_pip}")
        if self.starter_source == "set_aside" and self.starter_rule != "descending":
            raise ValueError(f"starter_rule={self.starter_rule!r} wants a double from a hand")
        if self.starter_source == "set_aside" and self.lead_rule == "starter_holder":
            raise ValueError("lead_rule='starter_holder' with the starter set aside")
        if self.draw_count == "until_playable" and self.drawn_tile == "no":
            raise ValueError("draw_count='until_playable' with drawn_tile='no'")
        if self.starter_rule == "highest_unplayed_held" and len(self.rounds) > self.max_pip + 1:
            raise ValueError(f"{len(self.rounds)} rounds, {self.max_pip + 1} doubles to open them")

    def check_deal(self) -> None:
        """Refuse hands that the set has too few tiles for."""
        aside = self.starter_source == "set_aside"
        needed = self.players * self.hand_size + aside + self.boneyard_reserve
        if self.hand_size < 1 or needed > len(full_set(self.max_pip)):
            raise ValueError(
                f"{self.players} hands of {self.hand_size} and what is kept back exceed the "
                f"{self.max_pip}-{self.max_pip} set"
            )

    def tile_points(self, tile: Tile) -> int:
        """Points of one tile left in a hand (R18)."""
        if tile == (0, 0):
            return self.double_blank_points
        return tile[0] + tile[1] + (self.blank_half_points if 0 in tile else 0)

    def hand_points(self, hand: Sequence[Tile]) -> int:
        """Points of a hand (R18)."""
        return sum(self.tile_points(tile) for tile in hand)

    def forbids(self, hand: Sequence[Tile]) -> bool:
        """Whether all there is to lay is a double that may not be the last tile."""
        return self.last_double == "forbidden" and len(hand) == 1 and is_double(hand[0])


def ranks_of(score_sheet: Sequence[Sequence[int]]) -> list[int]:
    """Shared 1-based ranks (R19, Q25) from the points of each round, one row a round."""
    keys = []
    for scores in zip(*score_sheet, strict=True):
        zeros = sum(score == 0 for score in scores)
        lowest_nonzero = min((score for score in scores if score != 0), default=float("inf"))
        keys.append((sum(scores), -zeros, lowest_nonzero))
    return [1 + sum(other < key for other in keys) for key in keys]
