"""The package's chance in plain Python integers, written from the published algorithms.

SplitMix64 is from Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014), whole
numbers below n are from Lemire: Fast random integer generation in an interval (2019), the shuffle
is the one of Fisher and Yates.
"""

from __future__ import annotations

from collections.abc import Sequence

from reference_rules import Tile, full_set

WORD = 2**64
GOLDEN = 0x9E3779B97F4A7C15


def scramble(word: int) -> int:
    """The output function of SplitMix64."""
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % WORD
    return word ^ (word >> 31)


def fold(seed: int, part: int) -> int:
    """The seed of one purpose, numbered `part`."""
    return scramble((seed + GOLDEN + scramble((part + GOLDEN) % WORD)) % WORD)


def below(stream: int, n: int) -> tuple[int, int]:
    """The advanced stream, and a whole number from 0 to n - 1 made of the high half of a word."""
    while True:
        stream = (stream + GOLDEN) % WORD
        product = (scramble(stream) >> 32) * n
        if product % 2**32 >= 2**32 % n:
            return stream, product >> 32


def shuffled(seed: int, round_index: int, max_pip: int, attempt: int = 0) -> list[Tile]:
    """The order of the tiles in this round of the game with this seed, dealt so often before."""
    order = full_set(max_pip)
    stream = fold(seed, round_index)
    if attempt > 0:
        stream = fold(stream, 16 + attempt)
    for place in range(len(order) - 1, 0, -1):
        stream, other = below(stream, place + 1)
        order[place], order[other] = order[other], order[place]
    return order


def with_starter_first(order: Sequence[Tile], starter: int) -> list[Tile]:
    """The order after the starter has changed places with the first tile."""
    moved = list(order)
    at = moved.index((starter, starter))
    moved[0], moved[at] = moved[at], moved[0]
    return moved


def lead_by_lot(seed: int, players: int) -> int:
    """The lead seat of the first round if a lot decides."""
    return random_lead(seed, 0, players)


def random_lead(seed: int, round_index: int, players: int) -> int:
    """The lead seat of a round if it is drawn anew for each."""
    return below(fold(fold(seed, round_index), 1), players)[1]


def random_hunter(seed: int, round_index: int, players: int) -> int:
    """The seat that draws first in a round if it is a random one."""
    return below(fold(fold(seed, round_index), 2), players)[1]
