"""The figures of a run as tables for people."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from experiments.benchmark.measurement import PACE_THERE

if TYPE_CHECKING:
    from rich.console import RenderableType

    Row = Sequence[str]


def rate(value: float) -> str:
    """A number of steps per second with three digits, such as "23.4 M" or "312 k"."""
    for size, unit in ((1e6, " M"), (1e3, " k")):
        if value >= 0.9995 * size:
            return _three_digits(value / size) + unit
    return _three_digits(value)


def duration(seconds: float) -> str:
    """A time with three digits, such as "43.1 ns"."""
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= 0.9995 * size:
            return f"{_three_digits(seconds / size)} {unit}"
    return f"{_three_digits(seconds / 1e-9)} ns"


def size(count: float) -> str:
    """A number of bytes, such as "2,312 bytes" or "150 MB"."""
    return f"{count / 1e6:,.0f} MB" if abs(count) >= 1e6 else f"{count:,.0f} bytes"


def _three_digits(value: float) -> str:
    if value >= 99.95:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def groups(figures: Mapping[str, Any]) -> Iterator[tuple[str, list[Row]]]:
    """Title and rows of each part of the table: what, median, lowest to highest, a step, goal."""
    by_group = itertools.groupby(figures["measurements"], lambda one: str(one["group"]))
    for title, measurements in by_group:
        yield (
            title,
            [
                (
                    one["what"],
                    rate(one["median"]),
                    f"{rate(one['low'])} to {rate(one['high'])}",
                    duration(one["seconds_a_step"]),
                    _goal(one, f"{rate(one['goal'])} or more" if one["goal"] else ""),
                )
                for one in measurements
            ],
        )


def ratios(figures: Mapping[str, Any]) -> list[Row]:
    """Rows of ratios: what, median, lowest to highest, that of the best rounds, goal."""
    return [
        (
            one["what"],
            _three_digits(one["median"]),
            f"{_three_digits(one['low'])} to {_three_digits(one['high'])}",
            _three_digits(one["of_best"]),
            _goal(one, f"{one['goal']:g} or {'less' if one['at_most'] else 'more'}"),
        )
        for one in figures["ratios"]
    ]


def _goal(one: Mapping[str, Any], wanted: str) -> str:
    if one["reached"] is None:
        return ""
    told = f"{wanted}: {_verdict(one['reached'])}"
    if one.get("there") is not None and not one["reached"]:
        told += f" here; there {rate(one['there'])}, {_verdict(one['there'] >= one['goal'])}"
    return told


def _verdict(reached: bool) -> str:
    return "reached" if reached else "missed"


def remarks(figures: Mapping[str, Any]) -> Iterator[str]:
    """What was measured once, what could not be measured, and what it all ran on; a line each."""
    memory, compilation = figures["memory"], figures["compilation"]
    if memory:
        yield f"memory: {memory_told(memory)}"
    if compilation:
        yield f"compilation: {compilation_told(compilation)}"
    same = figures["same_bytes_from_two_threads"]
    if same is not None:
        yield f"two threads play {'the same games as one, to the byte' if same else 'OTHER GAMES'}"
    for peer in figures["peers"]:
        if not peer["measured"]:
            yield f"{peer['what']}: {peer['why_not']}"
    if figures["pace"]:
        yield f"goals: {pace_told(figures['pace'])}"
    yield f"ran on: {facts_told(figures['facts'])}"
    if figures["quick"]:
        yield "--quick: tiny sizes, to see that everything runs; the figures mean nothing"


def memory_told(memory: Mapping[str, Any]) -> str:
    """What memory games need, as half a sentence."""
    told = f"{size(memory['game_bytes'])} a game, {size(memory['view_bytes'])} a view"
    if memory["resident_bytes"] is None:
        return f"{told}; this system does not tell how much the process holds"
    return (
        f"{told}; {memory['games']:,} games hold {size(memory['resident_bytes'])}; "
        f"{memory['steps']:,} steps add {size(memory['growth_bytes'])}"
    )


def compilation_told(compilation: Mapping[str, Any]) -> str:
    """How long the first steps take, as half a sentence."""
    return (
        f"{compilation['cold_seconds']:.1f} s from the start of a process to its first steps with "
        f"nothing compiled, {compilation['warm_seconds']:.1f} s with the machine code kept"
    )


def pace_told(pace: Mapping[str, Any]) -> str:
    """How fast this machine is beside the one that goals were set on, as half a sentence."""
    return (
        f"where they were set, OpenSpiel's crazy_eights rollouts make {rate(PACE_THERE)} steps/s, "
        f"and here {pace['median']:.2f} of that ({pace['low']:.2f} to {pace['high']:.2f}); "
        '"there" is what a figure that misses its goal here comes to by this measure'
    )


def facts_told(facts: Mapping[str, Any]) -> str:
    """Machine, load and versions, as half a sentence."""
    before, after = facts["load_before"], facts["load_after"]
    load = "unknown" if before is None else f"{before:.2f} before, {after:.2f} after"
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    cores = f"{facts['usable_cores']} of {facts['cores']} cores"
    return (
        f"{facts['processor']}, {cores}, {facts['system']}; load {load}; {facts['clock']}; "
        f"Python {facts['python']}, {versions}"
    )


def table(figures: Mapping[str, Any]) -> RenderableType:
    """Everything, for a terminal."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    def new(title: str, *columns: str) -> Table:
        made = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
        made.add_column(title, overflow="fold")
        for column in columns:
            made.add_column(column, justify="left" if column == "goal" else "right")
        return made

    parts: list[RenderableType] = []
    for title, rows in groups(figures):
        part = new(title, "steps/s", "lowest to highest", "a step", "goal")
        for row in rows:
            part.add_row(*row)
        parts += [part, Text()]
    if figures["ratios"]:
        part = new("ratios", "median", "lowest to highest", "best rounds", "goal")
        for row in ratios(figures):
            part.add_row(*row)
        parts += [part, Text()]
    return Group(*parts, *map(Text, remarks(figures)))
