"""The blocks of a tournament, played on a Ray cluster and handed back in order.

Each chunk of blocks is one task. Ray plays it again elsewhere if the node that had it is lost; what
is in a block does not depend on who plays it. The package must be installed on every node in the
same version. Needs the extra `ray`.
"""

from __future__ import annotations

import contextlib
import functools
import socket
from collections.abc import Iterator, Sequence
from typing import Any, Final

import chickenfoot_env
from agents import Agent
from experiments import match
from experiments.store import Block
from experiments.tournament import blocks, worker
from experiments.tournament.chunks import Chunks
from experiments.tournament.spec import TournamentError, TournamentSpec

LOCAL: Final = "local"  # in place of an address: a cluster of this machine alone, for this run
_AHEAD: Final = 2  # chunks a processor that are being played or wait for earlier ones
_RETRIES: Final = 10  # how often a chunk may lose the node that plays it


class RayCluster:
    """A cluster that plays blocks; the connection to it ends with the context.

    Attributes:
        cheats: of each entry of the tournament, whether it is handed game records.
    """

    def __init__(self, spec: TournamentSpec, address: str, *, record: bool = False) -> None:
        """Connect to the cluster.

        Args:
            spec: what is played.
            address: of the cluster, "auto" for the one that this machine is a node of, or LOCAL.
            record: whether blocks carry the records of their games.

        Raises:
            TournamentError: if Ray is not installed, or there is no cluster at the address.
            ValueError: in one line, if an agent cannot be made.
        """
        try:
            import ray
        except ImportError:
            raise TournamentError(
                "--ray needs Ray: pip install 'chickenfoot[ray]', in an environment of its own"
            ) from None
        self._ray: Any = ray
        self._asked = spec, record
        self._running: dict[Any, None] = {}
        _check_reachable(address)
        try:
            ray.init(
                address=None if address == LOCAL else address,
                log_to_driver=False,
                logging_level="ERROR",
                include_dashboard=False if address == LOCAL else None,
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            line = " ".join(str(error).split())
            raise TournamentError(f"no Ray cluster at {address!r}: {line}") from None
        self._play = ray.remote(num_cpus=1, max_retries=_RETRIES)(_play_chunk)
        try:
            first = ray.remote(num_cpus=1, max_retries=_RETRIES)(_cheats)
            self.cheats: list[bool] = self._get(first.remote(spec, chickenfoot_env.__version__))
        except BaseException:
            self.close()
            raise

    def play(self, first: int, stop: int, most: int) -> Iterator[Block]:
        """The blocks from `first` to before `stop`, in order; at most `most` in a chunk.

        Raises:
            RuntimeError: if a chunk fails, or is lost too often.
        """
        processors = max(int(self._ray.cluster_resources().get("CPU", 1)), 1)
        chunks = Chunks(first, stop, most, ahead=_AHEAD * processors)
        while chunks.left:
            while (chunk := chunks.begin()) is not None:
                self._running[self._play.remote(*self._asked, *chunk)] = None
            ready, _ = self._ray.wait(list(self._running))
            for task in ready:
                del self._running[task]
                yield from chunks.finish(*self._get(task))

    def _get(self, task: Any) -> Any:
        """What a task returned; its error in one line, if it failed."""
        try:
            return self._ray.get(task)
        except self._ray.exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, ValueError):
                raise cause from None
            raise RuntimeError(f"a task failed: {type(cause).__name__}: {cause}") from error
        except self._ray.exceptions.RayError as error:
            line = " ".join(str(error).split())
            raise RuntimeError(f"the cluster failed: {type(error).__name__}: {line}") from error

    def close(self) -> None:
        """Give up what is being played, and leave the cluster."""
        for task in self._running:
            with contextlib.suppress(Exception):  # a cluster that is gone plays nothing
                self._ray.cancel(task, force=True)
        self._ray.shutdown()

    def __enter__(self) -> RayCluster:
        """The cluster itself."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _check_reachable(address: str) -> None:
    """Ray itself tries for many minutes where nobody listens."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host:
        return
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except (OSError, ValueError) as error:
        raise TournamentError(f"no Ray cluster at {address!r}: {error}") from None


@functools.lru_cache(maxsize=1)
def _players(spec: TournamentSpec) -> Sequence[Agent]:
    """The agents of the tournament that this process plays; they live as long as it does."""
    players = contextlib.ExitStack().enter_context(worker.seated(spec))
    blocks.warm_up(spec, players)
    return players


def _cheats(spec: TournamentSpec, version: str) -> list[bool]:
    if chickenfoot_env.__version__ != version:
        raise TournamentError(
            f"the cluster has chickenfoot {chickenfoot_env.__version__}, and this machine "
            f"{version}: install the same"
        )
    return [match.cheats(player) for player in _players(spec)]


def _play_chunk(
    spec: TournamentSpec, record: bool, first: int, stop: int
) -> tuple[list[Block], float]:
    return worker.play_chunk(spec, _players(spec), first, stop, record=record)
