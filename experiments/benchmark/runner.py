"""Runs measurements in turn, and what came of it as one mapping that JSON can hold.

Every round runs each measurement, so what else the machine does hits all alike, and ratios are
taken within a round. What has a ratio is run in several turns with all others that have one, for a
machine that is shared may change its speed from one second to the next. The first run of each,
which may compile, counts for nothing. On a busy machine the best rounds tell more than the medians,
so there is a ratio of those, too; two threads need an idle one.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import os
import platform
import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from operator import truediv
from pathlib import Path
from typing import Any, Final

from experiments.benchmark import core, learning, once, peers, search, tables, vectors
from experiments.benchmark.measurement import (
    COUNTS_PROCESSOR,
    PACE,
    PACE_THERE,
    Measurement,
    Ratio,
    Run,
    Scale,
)

OWN: Final = (
    *core.MEASUREMENTS,
    *tables.MEASUREMENTS,
    *vectors.MEASUREMENTS,
    *search.MEASUREMENTS,
    *learning.MEASUREMENTS,
)
PEERS: Final = (*learning.WITH_TORCH, *peers.MEASUREMENTS)
RATIOS: Final = (*peers.RATIOS, *tables.RATIOS, *core.RATIOS)
ONCE: Final = ("memory", "compilation", "same_bytes_from_two_threads")
TURNS: Final = 3  # of a round, for what has a ratio
VERSIONS: Final = ("chickenfoot", "numpy", "numba", "pettingzoo", "gymnasium")

Progress = Callable[[str, int, int], None]  # "stage: what", how many before it, of how many


@dataclasses.dataclass
class _Prepared:
    """A measurement that is ready, and what its rounds have given.

    Attributes:
        warm_up: seconds of preparing it and of its first run, compilation included.
        steps: in one round, for each round.
        rates: steps per second in each round.
        cores: processor seconds per second in each round; less than 1 if others had the processor.
    """

    measurement: Measurement
    run: Run
    warm_up: float
    steps: list[int] = dataclasses.field(default_factory=list)
    rates: list[float] = dataclasses.field(default_factory=list)
    cores: list[float] = dataclasses.field(default_factory=list)
    _turns: list[tuple[float, ...]] = dataclasses.field(default_factory=list)

    def take_turn(self) -> None:
        """Run it once."""
        wall, processor = time.perf_counter(), time.process_time()
        steps, seconds = self.run()
        used = time.process_time() - processor
        self._turns.append((steps, seconds, used, time.perf_counter() - wall))

    def end_round(self) -> None:
        """All turns since the last round are one."""
        steps, seconds, used, wall = map(sum, zip(*self._turns, strict=True))
        self._turns.clear()
        self.cores.append(used / wall)
        self.steps.append(int(steps))
        self.rates.append(steps / seconds)


def choose(only: str, with_peers: bool) -> tuple[list[Measurement], list[str]]:
    """The measurements, and what is measured once, with `only` in their name; "" for all.

    Raises:
        ValueError: if there is none, naming those that there are.
    """
    among = [*OWN, *PEERS] if with_peers else [*OWN]
    chosen = [measurement for measurement in among if only in measurement.name]
    chosen_once = [name for name in ONCE if only in name]
    if not chosen and not chosen_once:
        names = ", ".join([*(measurement.name for measurement in among), *ONCE])
        raise ValueError(f"--only {only!r}: nothing has that in its name; there are {names}")
    return chosen, chosen_once


def run(
    scale: Scale,
    repeats: int,
    progress: Progress,
    *,
    only: str = "",
    with_peers: bool = False,
) -> dict[str, Any]:
    """Measure, and return all figures.

    Args:
        scale: how much work a round is.
        repeats: rounds, at least 1.
        progress: told before each piece of work.
        only: a part of the names of what is to be measured; "" for everything.
        with_peers: whether to measure the peers that are installed, too.

    Raises:
        ValueError: if nothing has `only` in its name, or repeats is less than 1.
    """
    if repeats < 1:
        raise ValueError(f"--repeats {repeats}: allowed are whole numbers from 1")
    measurements, chosen_once = choose(only, with_peers)
    load_before = _load()
    with warnings.catch_warnings():
        if with_peers:
            warnings.simplefilter("ignore")  # what they warn of is theirs to mend
        prepared, peer_states = _prepare(measurements, scale, progress)
        _measure(prepared, repeats, progress)
    rates = {one.measurement.name: one.rates for one in prepared}
    pace = [rate / PACE_THERE for rate in rates.get(PACE, [])]
    return {
        "quick": scale.quick,
        "rounds": repeats,
        "facts": {**_facts(peer_states), "load_before": load_before, "load_after": _load()},
        "pace": _spread(pace) if pace else None,
        "measurements": [_figures(one, pace) for one in prepared],
        "ratios": [told for ratio in RATIOS if (told := _ratio(ratio, rates)) is not None],
        "peers": peer_states,
        **_measure_once(chosen_once, scale, progress),
    }


def _measure(prepared: Sequence[_Prepared], repeats: int, progress: Progress) -> None:
    order = _order(prepared)
    for round_ in range(repeats):
        for number, one in enumerate(order):
            what = f"round {round_ + 1} of {repeats}: {one.measurement.name}"
            progress(what, round_ * len(order) + number, repeats * len(order))
            one.take_turn()
        for one in prepared:
            one.end_round()


def _order(prepared: Sequence[_Prepared]) -> list[_Prepared]:
    """A round: those of one ratio directly after one another, in turns; then the others."""
    names = dict.fromkeys(name for ratio in RATIOS for name in (*ratio.over, *ratio.under))
    by_name = {one.measurement.name: one for one in prepared}
    compared = [by_name[name] for name in names if name in by_name]
    return [*compared * TURNS, *(one for one in prepared if one.measurement.name not in names)]


def _prepare(
    measurements: Sequence[Measurement], scale: Scale, progress: Progress
) -> tuple[list[_Prepared], list[dict[str, Any]]]:
    """Everything that can be measured, run once; and of each peer's what became of it."""
    prepared, peer_states = [], []
    for number, measurement in enumerate(measurements):
        progress(f"preparing: {measurement.name}", number, len(measurements))
        began = time.perf_counter()
        why: str | None = None
        try:
            ready = measurement.prepare(scale)
            ready()
        except Exception as error:
            if not measurement.package:
                raise
            # ImportError comes from the library or from one that it needs; anything else means
            # that the library is there and this version of it does not work here.
            first = next(iter(str(error).splitlines()), "")
            missing = isinstance(error, ImportError)
            why = f"not installed ({first})" if missing else f"{type(error).__name__}: {first}"
        else:
            prepared.append(_Prepared(measurement, ready, time.perf_counter() - began))
        if measurement.package:
            peer_states.append(
                {
                    "name": measurement.name,
                    "package": measurement.package,
                    "version": _version(measurement.package),
                    "what": measurement.what,
                    "measured": why is None,
                    "why_not": why,
                }
            )
    return prepared, peer_states


def _figures(one: _Prepared, pace: Sequence[float]) -> dict[str, Any]:
    """What a measurement gave.

    Args:
        one: measured.
        pace: in each round, how fast this machine is, 1 for the one that goals were set on; empty
            if that is not known.
    """
    measurement, median = one.measurement, statistics.median(one.rates)
    reached = there = None
    if measurement.goal is not None:
        reached = median >= measurement.goal
        if pace:
            there = statistics.median(map(truediv, one.rates, pace))
    return {
        "name": measurement.name,
        "group": measurement.group,
        "what": measurement.what,
        "package": measurement.package or None,
        **_spread(one.rates),
        "seconds_a_step": 1 / median,
        "steps": one.steps,
        "cores": statistics.median(one.cores),
        "warm_up_seconds": one.warm_up,
        "goal": measurement.goal,
        "reached": reached,
        "there": there,
    }


def _ratio(ratio: Ratio, rates: dict[str, list[float]]) -> dict[str, Any] | None:
    rounds = ratio.of(rates)
    if rounds is None:
        return None
    return {
        "name": ratio.name,
        "what": ratio.what,
        "over": list(ratio.over),
        "under": list(ratio.under),
        **_spread(rounds),
        "of_best": ratio.of_best(rates),
        "goal": ratio.goal,
        "at_most": ratio.at_most,
        "reached": ratio.is_reached(statistics.median(rounds)),
    }


def _spread(rounds: list[float]) -> dict[str, Any]:
    return {
        "median": statistics.median(rounds),
        "low": min(rounds),
        "high": max(rounds),
        "by_round": rounds,
    }


def _measure_once(names: Sequence[str], scale: Scale, progress: Progress) -> dict[str, Any]:
    """What is measured once; None for what was not asked for or is left out of a quick run."""
    figures: dict[str, Any] = dict.fromkeys(ONCE)
    for number, name in enumerate(names):
        progress(f"once: {name}", number, len(names))
        if name == "memory":
            figures[name] = once.memory(scale)
        elif name == "compilation":
            figures[name] = None if scale.quick else once.compilation()
        else:
            figures[name] = core.same_bytes_from_two_threads(scale)
    return figures


def _facts(peer_states: Sequence[dict[str, Any]]) -> dict[str, Any]:
    packages = dict.fromkeys([*VERSIONS, *(peer["package"] for peer in peer_states)])
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "usable_cores": usable,
        "system": f"{platform.system()} {platform.machine()}",
        "clock": "processor time" if COUNTS_PROCESSOR else "wall clock",
        "python": platform.python_version(),
        "versions": {name: version for name in packages if (version := _version(name))},
    }


def processor() -> str:
    """The processor's name, where the system tells it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _load() -> float | None:
    """Processes that wanted to run in the last minute, on average; None on Windows."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None
