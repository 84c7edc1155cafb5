"""Figures with error bars, from the blocks of a tournament.

One observation is one deal: the mean of an entry over all games of that deal. Games of a deal share
its luck, so they are not independent of one another, and an interval over single games would be too
narrow or too wide; different deals are independent. docs/evaluation.md has the formulas and their
sources.

D deals, L line-ups, E entries, N seats.
"""

from experiments.statistics.entries import (
    EntryStatistics,
    block_margins,
    entries,
    margins,
    seats,
)
from experiments.statistics.intervals import CONFIDENCE, Estimate, estimate, student
from experiments.statistics.paired import Pair, differences, holm, pairs

__all__ = [
    "CONFIDENCE",
    "EntryStatistics",
    "Estimate",
    "Pair",
    "block_margins",
    "differences",
    "entries",
    "estimate",
    "holm",
    "margins",
    "pairs",
    "seats",
    "student",
]
