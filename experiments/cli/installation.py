"""The commands about what is installed here: whether it works, and how fast."""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Annotated

import typer

from experiments.cli import progress
from experiments.cli.console import say, show


def bench(
    peers: Annotated[
        bool, typer.Option("--peers", help="Measure other libraries too, those installed.")
    ] = False,
    only: Annotated[
        str, typer.Option(help="Only what has this in its name, as --json gives the names.")
    ] = "",
    repeats: Annotated[int, typer.Option(help="Rounds; the figures are their medians.")] = 7,
    quick: Annotated[
        bool, typer.Option("--quick", help="Tiny sizes, to see that everything runs.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the figures as one JSON object.")
    ] = False,
) -> None:
    """Measure how fast everything is, on one core."""
    from experiments.benchmark.one_thread import use_one_thread

    use_one_thread()  # before NumPy is imported
    from experiments.benchmark import printed, runner
    from experiments.benchmark.measurement import Scale

    try:
        with progress.of_stages() as tell, contextlib.redirect_stdout(sys.stderr):
            figures = runner.run(Scale(quick), repeats, tell, only=only, with_peers=peers)
    except KeyboardInterrupt:
        say("interrupted; nothing is kept of a run that was not finished")
        raise
    if as_json:
        print(json.dumps(figures, allow_nan=False))
    else:
        show(printed.table(figures))


def doctor(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the findings as one JSON object.")
    ] = False,
) -> None:
    """Try everything that is installed, and say what is wrong."""
    from experiments import doctor as findings_of

    with progress.of_stages() as tell:
        findings = findings_of.examine(tell)
    if as_json:
        print(json.dumps(findings, allow_nan=False))
    else:
        for line in findings_of.lines(findings):
            show(line)
    if findings["problems"]:
        raise typer.Exit(1)
