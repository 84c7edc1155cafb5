"""Blocks that are played in chunks by several at once, and wanted in order."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.store import Block
from experiments.tournament.pace import Pace


class Chunks:
    """Which blocks are to be begun next, and which are due.

    Nobody runs far ahead of the block that is due, so that memory stays flat.
    """

    def __init__(self, first: int, stop: int, most: int, ahead: int) -> None:
        """For the blocks from `first` to before `stop`.

        Args:
            first: the block that is due first.
            stop: behind the last block.
            most: blocks in a chunk, at most.
            ahead: chunks that may be under way or wait for others, at most.
        """
        self._begun = self._due = first
        self._stop = stop
        self._pace = Pace(most)
        self._ahead = ahead
        self._under_way = 0
        self._waiting: dict[int, list[Block]] = {}

    @property
    def left(self) -> bool:
        """Whether any block is still due."""
        return self._due < self._stop

    def begin(self) -> tuple[int, int] | None:
        """The next chunk to be played, (first, stop), or None if there is none for now."""
        if self._begun == self._stop or self._under_way + len(self._waiting) >= self._ahead:
            return None
        first, self._begun = self._begun, min(self._begun + self._pace.size, self._stop)
        self._under_way += 1
        return first, self._begun

    def finish(self, blocks: list[Block], seconds: float) -> Iterator[Block]:
        """Take a chunk that was played in so many seconds; the blocks that are due now."""
        self._pace.took(seconds, len(blocks))
        self._under_way -= 1
        self._waiting[blocks[0].block] = blocks
        while self._due in self._waiting:
            due = self._waiting.pop(self._due)
            self._due += len(due)
            yield from due
