"""The run that plays a tournament into its results file, and can go on where it stopped."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

import agents
import chickenfoot_env
from agents import plugins
from experiments import game_file, match, store
from experiments.tournament.blocks import play_blocks, warm_up
from experiments.tournament.pace import Pace
from experiments.tournament.spec import TournamentError, TournamentSpec
from experiments.tournament.until import Watch
from experiments.tournament.workers import Workers


def run(
    spec: TournamentSpec,
    path: Path,
    *,
    resume: bool = False,
    batch_size: int = 4096,
    workers: int = 0,
    ray: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    games: Path | None = None,
) -> None:
    """Play a tournament into the results file at `path`.

    Args:
        spec: what to play.
        path: the file; its folder is made if need be.
        resume: go on behind the last block in the file, if there is one.
        batch_size: games played at once, at most; the results do not depend on it. At least one
            block is played at once.
        workers: processes that play; the results do not depend on it. 0: this process, and then
            no agent is guarded; see `experiments.isolation.limits`.
        ray: address of a Ray cluster that plays instead; see `experiments.tournament.ray_cluster`.
        progress: told the finished blocks and all blocks, at the start and after each commit.
        games: a file for the record of every game, in the order of blocks and rotations.

    Raises:
        ValueError: for an unknown agent or a batch size below 1, or a file of games that cannot be
            written or does not go with the results.
        StoreError: if the file cannot be written, or is not one to go on with.
    """
    if batch_size < 1:
        raise TournamentError(f"batch_size={batch_size}: allowed are whole numbers from 1")
    if workers < 0:
        raise TournamentError(f"workers={workers}: allowed are whole numbers from 0")
    most = max(batch_size // spec.games_per_block, 1)
    with contextlib.ExitStack() as stack:
        crew = stack.enter_context(_crew(spec, workers, ray, record=games is not None))
        results = stack.enter_context(
            store.writing(path, _header(spec, crew.cheats), resume=resume)
        )
        if games is not None:
            game_file.begin(games, results.blocks_done * spec.games_per_block)
        if progress is not None:
            progress(results.blocks_done, spec.blocks)
        watch = Watch(spec, path)
        results.enough = watch.decided
        left = () if results.enough else crew.play(results.blocks_done, spec.blocks, most)
        for block in left:
            if games is not None:
                game_file.append(games, block.records)
            results.add(block)
            if progress is not None:
                progress(results.blocks_done, spec.blocks)
            results.enough = watch.add(block)
            if results.enough:
                break  # what else was played is not in the file


def _crew(spec: TournamentSpec, workers: int, ray: str | None, *, record: bool) -> _Crew:
    if ray is not None:
        from experiments.tournament.ray_cluster import RayCluster

        return RayCluster(spec, ray, record=record)
    return Workers(spec, workers, record=record) if workers else _Alone(spec, record=record)


class _Crew(contextlib.AbstractContextManager["_Crew"], Protocol):
    """Whoever plays the blocks; `cheats` says which entries are handed game records."""

    cheats: list[bool]

    def play(self, first: int, stop: int, most: int) -> Iterator[store.Block]:
        """The blocks from `first` to before `stop`, in order; at most `most` of them at once."""


class _Alone(contextlib.AbstractContextManager["_Alone"]):
    """This process."""

    def __init__(self, spec: TournamentSpec, *, record: bool) -> None:
        self._spec = spec
        self._record = record
        self._players = [agents.make(agent) for agent in spec.agents]
        self.cheats = [match.cheats(player) for player in self._players]

    def __exit__(self, *_: object) -> None:
        """Nothing has to be ended."""

    def play(self, first: int, stop: int, most: int) -> Iterator[store.Block]:
        if first < stop:
            warm_up(self._spec, self._players)
        pace = Pace(most)
        while first < stop:
            began = time.perf_counter()
            end = min(first + pace.size, stop)
            blocks = np.arange(first, end)
            yield from play_blocks(self._spec, self._players, blocks, record=self._record)
            pace.took(time.perf_counter() - began, end - first)
            first = end


def _installed(spec: TournamentSpec) -> dict[str, dict[str, str]]:
    """The distributions of the agents that are not of this package, with their versions."""
    names = {name.partition(":")[0] for name in spec.agents if not agents.is_own(name)}
    origins = {name: origin for name in sorted(names) if (origin := plugins.origin(name))}
    return {"installed": origins} if origins else {}


def _header(spec: TournamentSpec, cheats: Sequence[bool]) -> store.Header:
    return store.Header(
        run={
            "agents": list(spec.agents),
            "rules": dataclasses.asdict(spec.rules),
            "deals": spec.deals,
            "seed": spec.seed,
            **spec.design(),
            **_installed(spec),
            "chickenfoot": chickenfoot_env.__version__,
        },
        facts={"numpy": np.__version__, "command": spec.command()},
        entries=list(zip(spec.labels, spec.agents, cheats, strict=True)),
        line_ups=spec.line_ups(),
        blocks=spec.blocks,
    )
