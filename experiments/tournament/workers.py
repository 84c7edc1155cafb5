"""The blocks of a tournament, played by several processes at once and handed back in order.

Each process plays chunks of consecutive blocks. What is in a block does not depend on who plays it,
nor on the chunk; so the results are those of one process.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from typing import Any, Final

from experiments.isolation.child import Child
from experiments.store import Block
from experiments.tournament.chunks import Chunks
from experiments.tournament.spec import TournamentSpec

_AHEAD: Final = 3  # chunks a process that are being played or wait for earlier ones
_TRIES: Final = 3  # a chunk that has cost so many processes ends the run


class WorkerError(RuntimeError):
    """A run that worker processes cannot finish; one line that says why."""


class Workers:
    """Processes that play blocks; they end with the context.

    Attributes:
        cheats: of each entry of the tournament, whether it is handed game records.
    """

    def __init__(self, spec: TournamentSpec, count: int, *, record: bool = False) -> None:
        """Start them.

        Args:
            spec: what is played.
            count: how many processes.
            record: whether blocks carry the records of their games.

        Raises:
            ValueError: in one line, if an agent cannot be made.
            WorkerError: if a process is lost before it has begun.
        """
        self._workers: list[_Worker] = []
        try:
            for _ in range(count):
                self._workers.append(_Worker(spec, record))
            told = [worker.greet() for worker in self._workers]
            self.cheats: list[bool] = told[0]
        except BaseException:
            self.close()
            raise

    def play(self, first: int, stop: int, most: int) -> Iterator[Block]:
        """The blocks from `first` to before `stop`, in order; at most `most` in a chunk.

        Raises:
            WorkerError: if processes are lost again and again.
            RuntimeError: if one has failed.
        """
        chunks = Chunks(first, stop, most, ahead=_AHEAD * len(self._workers))
        while chunks.left:
            for worker in self._workers:
                if worker.chunk is None and (chunk := chunks.begin()) is not None:
                    worker.begin(*chunk)
            for blocks, seconds in self._reports():
                yield from chunks.finish(blocks, seconds)

    def _reports(self) -> Iterator[tuple[list[Block], float]]:
        """What is finished now, once anything is; lost processes are replaced, and begin again."""
        busy = [worker for worker in self._workers if worker.chunk is not None]
        ready = wait([worker.pipe for worker in busy])
        for worker in busy:
            if worker.pipe not in ready:
                continue
            try:
                yield worker.report()
            except (EOFError, OSError):
                self._workers[self._workers.index(worker)] = worker.successor()

    def close(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.child.end()

    def __enter__(self) -> Workers:
        """The workers themselves."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Worker:
    """One process, seen from the run that has started it.

    Attributes:
        chunk: (first, stop) of the blocks that it plays now; None: it waits.
    """

    def __init__(self, spec: TournamentSpec, record: bool, losses: int = 0) -> None:
        self.child = Child("experiments.tournament.worker")
        self.pipe: Connection[Any, Any] = Connection(self.child.socket.detach())
        self.chunk: tuple[int, int] | None = None
        self._asked = spec, record
        self._losses = losses  # processes that its chunk has cost
        self.pipe.send(self._asked)

    def greet(self) -> list[bool]:
        """Which entries cheat; called once, before anything else."""
        try:
            found = self._receive()
        except (EOFError, OSError):
            raise WorkerError(f"a worker process {self.child.end()} before it began") from None
        return list(found)

    def begin(self, first: int, stop: int) -> None:
        """Have it play these blocks; one that is gone shows when it is to report."""
        self.chunk = first, stop
        with contextlib.suppress(OSError):
            self.pipe.send(self.chunk)

    def report(self) -> tuple[list[Block], float]:
        """Its blocks, and how many seconds they took."""
        found: tuple[list[Block], float] = self._receive()
        self.chunk, self._losses = None, 0
        return found

    def successor(self) -> _Worker:
        """Another process in its place, after this one was lost."""
        assert self.chunk is not None
        first, stop = self.chunk
        how, losses = self.child.end(), self._losses + 1
        if losses == _TRIES:
            raise WorkerError(
                f"{losses} worker processes were lost at blocks {first} to {stop - 1}, the last "
                f"{how}; all blocks before them are kept"
            )
        other = _Worker(*self._asked, losses)
        other.greet()
        other.begin(first, stop)
        return other

    def _receive(self) -> Any:
        found = self.pipe.recv()
        if isinstance(found, Exception):
            raise found
        return found
