"""The chance of each tile to be dealt next, when hands are dealt tile by tile in ascending order.

All deals are equally likely, and a hand is a set. So that each deal is one path of chance nodes and
not one for every order in which its tiles could come, a hand gets its tiles by ascending id. The
chance of a tile is then the share of the deals that go on with it, counted exactly.

Where the rules deal again until somebody holds a double that may open the round, the deals that
would be thrown away are not counted: what remains is the law of the deal that is played.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import comb

Odds = list[tuple[int, float]]  # (tile id, probability), ascending


def next_tile(
    dealt: Sequence[int],
    unseen: Sequence[int],
    hand_size: int,
    players: int,
    wanted: Collection[int] = (),
) -> Odds:
    """The tiles that may be dealt next and their probabilities.

    Args:
        dealt: the tiles dealt so far, seat by seat.
        unseen: those that are still to be dealt or stay in the boneyard, ascending.
        hand_size: tiles of a hand.
        players: number of hands.
        wanted: at least one of these tiles is in some hand; empty: no such condition.
    """
    hands_before, in_hand = divmod(len(dealt), hand_size)
    last = dealt[-1] if in_hand else -1
    after = hand_size - in_hand - 1  # tiles that this hand still gets after the next one
    later = players - hands_before - 1  # hands that are dealt after this one
    above = [tile for tile in unseen if tile > last]
    ways = [comb(len(above) - place - 1, after) for place in range(len(above))]
    if wanted and not any(tile in wanted for tile in dealt):
        ways = _with_wanted(above, ways, unseen, wanted, (after, later, hand_size))
    total = sum(ways)
    return [(tile, count / total) for tile, count in zip(above, ways, strict=True) if count > 0]


def _with_wanted(
    above: Sequence[int],
    ways: Sequence[int],
    unseen: Sequence[int],
    wanted: Collection[int],
    still: tuple[int, int, int],
) -> list[int]:
    """Deals that go on with each tile of `above` and have a wanted tile in some hand."""
    after, later, hand_size = still
    others = _hands(len(unseen) - 1 - after, later, hand_size)
    plain = sum(tile not in wanted for tile in unseen)
    plain_others = _hands(plain - 1 - after, later, hand_size)
    plain_above = sum(tile not in wanted for tile in above)
    counts = []
    for tile, count in zip(above, ways, strict=True):
        without = 0
        if tile not in wanted:
            plain_above -= 1
            without = comb(plain_above, after) * plain_others
        counts.append(count * others - without)
    return counts


def _hands(tiles: int, hands: int, hand_size: int) -> int:
    """The number of ways to deal so many hands from so many tiles."""
    ways = 1
    for dealt in range(hands):
        ways *= comb(max(tiles - dealt * hand_size, 0), hand_size)
    return ways
