"""How far long work has come, told on stderr."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from experiments.cli.console import say

if TYPE_CHECKING:
    from experiments.tournament.spec import TournamentSpec

EVERY: Final = 5.0  # seconds between lines about a tournament that no terminal shows


@contextlib.contextmanager
def of_blocks(spec: TournamentSpec) -> Iterator[Callable[[int, int], None]]:
    """The plan, then a progress bar with the rate and the time left, on stderr.

    Where that is no terminal, a line every few seconds in place of the bar, which it gets at the
    end. The rate counts from the first blocks on, without what is compiled or loaded before.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    line_ups, rounds = len(spec.line_ups()), len(spec.rules.starters)
    most = "" if spec.rules.target_points is None else "at most "
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("blocks  {task.fields[rate]}"))
    console = Console(stderr=True)
    bar = Progress(*columns, console=console)
    task = bar.add_task("", total=spec.blocks, rate="")
    start, first, began, told = -1, -1, 0.0, 0.0

    def tell(done: int, blocks: int) -> None:
        nonlocal start, first, began, told
        now = time.monotonic()
        if start < 0:
            say(
                f"{spec.games:,} games of {most}{rounds} rounds: {spec.deals:,} deals x "
                f"{line_ups:,} line-up{'s' if line_ups > 1 else ''} x {spec.games_per_block} "
                f"{spec.seatings}"
            )
            start, told = done, now
            bar.start()
        elif first < 0:
            first, began = done, now
        rate = ""
        if done == start < blocks:
            rate = "getting ready; the first use compiles, for up to a minute"
            if not console.is_terminal:
                say(rate)
        elif done > first >= 0:
            speed = (done - first) / max(now - began, 1e-9)  # blocks a second
            left = round((blocks - done) / speed)
            rate = f"{speed * spec.games_per_block * rounds:,.0f} rounds/s  "
            rate += f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
        bar.update(task, completed=done, rate=rate)
        if not console.is_terminal and EVERY <= now - told and done < blocks:
            told = now
            say(f"{done}/{blocks} blocks  {rate}")

    try:
        yield tell
    finally:
        bar.stop()


@contextlib.contextmanager
def of_stages() -> Iterator[Callable[[str, int, int], None]]:
    """What is measured now and a bar, on stderr; where that is no terminal, a line a stage."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console, stage = Console(stderr=True, markup=False), ""
    columns = (TimeElapsedColumn(), BarColumn(), TextColumn("{task.description}", markup=False))
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task("")

    def tell(what: str, done: int, total: int) -> None:
        nonlocal stage
        bar.update(task, description=what, completed=done, total=total)
        if bar.disable and what.partition(":")[0] != stage:
            stage = what.partition(":")[0]
            say(stage)

    with bar:
        yield tell
