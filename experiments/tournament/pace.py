"""How many blocks are played between two commits: as many as take a second or so."""

from __future__ import annotations

from typing import Final

FIRST_CHUNK: Final = 1  # blocks played before the first commit
SHORT, LONG = 1.0, 4.0  # seconds: a chunk that takes less grows, one that takes more shrinks


class Pace:
    """The size of the next chunk.

    Attributes:
        size: in blocks, at least 1.
    """

    def __init__(self, most: int) -> None:
        """Start with a small chunk, so that the first results are soon on record.

        Args:
            most: blocks in a chunk, at least 1.
        """
        self._most = most
        self.size = min(FIRST_CHUNK, most)

    def took(self, seconds: float, blocks: int) -> None:
        """Learn from a chunk that was played."""
        if seconds < SHORT and blocks >= self.size:
            self.size = min(2 * self.size, self._most)
        elif seconds > LONG and blocks <= self.size:
            self.size = max(self.size // 2, 1)
