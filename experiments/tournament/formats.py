"""Who meets whom, and in which seats: the line-ups of a tournament and the seatings of a block.

All line-ups play the same deals, so that luck of the deal is common to all comparisons.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Final

LineUp = tuple[int, ...]  # the entries at the table, in any order; N of them

MOST_PERMUTATIONS: Final = 24  # games of a block: all orders of four seats


def free_for_all(entries: int, seats: int) -> list[LineUp]:
    """Everybody at one table, or every choice of entries, if there are more than seats.

    With fewer, they are repeated in turn until the table is full; if that favours some, there is
    one line-up starting from each. Every entry has equally many seats in all.
    """
    if entries >= seats:
        return list(itertools.combinations(range(entries), seats))
    starts = 1 if seats % entries == 0 else entries
    return [tuple((i + s) % entries for s in range(seats)) for i in range(starts)]


def round_robin(entries: int, seats: int) -> list[LineUp]:
    """Every pair by itself; the two share the seats of the table, as in `between`."""
    meetings = itertools.combinations(range(entries), 2)
    return [line_up for one, other in meetings for line_up in between(one, other, seats)]


def ladder(entries: int, seats: int) -> list[LineUp]:
    """Every entry against the next one alone; the two share the seats, as in `between`."""
    meetings = itertools.pairwise(range(entries))
    return [line_up for one, other in meetings for line_up in between(one, other, seats)]


def gauntlet(entries: int, seats: int) -> list[LineUp]:
    """Every entry but the last alone, against a table of the last one, the field."""
    return [(one, *[entries - 1] * (seats - 1)) for one in range(entries - 1)]


def self_play(entries: int, seats: int) -> list[LineUp]:
    """Tables of copies: the first entries, as many as there are seats, then the next ones."""
    return [tuple(range(first, first + seats)) for first in range(0, entries, seats)]


def between(one: int, other: int, seats: int) -> list[LineUp]:
    """Half of the seats each; with an odd number of seats there are two line-ups, one each way."""
    starts = [(one, other)] if seats % 2 == 0 else [(one, other), (other, one)]
    return [tuple(pair[seat % 2] for seat in range(seats)) for pair in starts]


FORMATS: Final[Mapping[str, Callable[[int, int], list[LineUp]]]] = {
    "free-for-all": free_for_all,
    "round-robin": round_robin,
    "gauntlet": gauntlet,
    "ladder": ladder,
    "self-play": self_play,
}
SEATINGS: Final = ("rotations", "permutations")


def permutations(line_up: Sequence[int]) -> list[LineUp]:
    """All orders of a line-up, each once: copies of an entry are not told apart."""
    return sorted(set(itertools.permutations(line_up)))


def comparable(one: int, other: int, line_ups: Sequence[LineUp]) -> bool:
    """Whether two entries meet in any line-up, or face the same opponents in theirs."""
    if any({one, other} <= {*line_up} for line_up in line_ups):
        return True
    masked = [
        sorted(tuple(sorted(e if e != me else -1 for e in up)) for up in line_ups if me in up)
        for me in (one, other)
    ]
    return masked[0] == masked[1]
