"""The command line, `chickenfoot`.

Exit codes: 0 done, 1 failed, 2 bad input, 130 interrupted. Errors are one line on stderr; with
CHICKENFOOT_TRACEBACK=1 in the environment they are tracebacks. Whatever takes long to import is
imported by the command that needs it.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from experiments.spec import TournamentSpec

BAD_INPUT, INTERRUPTED = 2, 130
RESULTS: Final = "results.sqlite"
EVERY: Final = 5.0  # seconds between lines about a tournament that no terminal shows

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    help="Chicken Foot: play agents against one another and measure who is better.",
)


@app.command()
def tournament(
    agents: Annotated[
        str, typer.Option(help="Agents, separated by commas; repeat one to enter it twice.")
    ] = "mcts,heuristic,greedy,random",
    players: Annotated[int, typer.Option(help="Seats at the table.")] = 4,
    deals: Annotated[int, typer.Option(help="Deals that each line-up plays.")] = 40,
    seed: Annotated[int, typer.Option(help="Everything random follows from it.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("results"),
    rules: Annotated[
        str, typer.Option(help='Preset and changes, such as "puremco" or "seed,rounds=9/8".')
    ] = "seed",
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the results in --out.")
    ] = False,
    batch_size: Annotated[
        int, typer.Option(help="Games played at once, at most; does not change the results.")
    ] = 4096,
    workers: Annotated[
        int | None,
        typer.Option(
            help="Processes that play; does not change the results. By default 1, or none beside "
            "this one if all agents are of this package."
        ),
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(
            help='Play on the Ray cluster at this address; "auto" for that of this machine, '
            '"local" to start one.'
        ),
    ] = None,
    decision_seconds: Annotated[
        float, typer.Option(help="Time that a guarded agent has for a decision.")
    ] = 10.0,
    memory_mb: Annotated[
        int, typer.Option(help="Memory that a guarded agent may take, in MiB.")
    ] = 2048,
    guard_all: Annotated[
        bool,
        typer.Option("--guard-all", help="Guard the agents of this package too, not others alone."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the figures as one JSON object.")
    ] = False,
) -> None:
    """Play a tournament and show its leaderboard.

    Agents that are not of this package are guarded: each plays in a process of its own.
    """
    from experiments.limits import Limits
    from experiments.spec import TournamentSpec, parse_agents, parse_rules

    limits = Limits(decision_seconds, memory_mb, guard_all)
    spec = TournamentSpec(parse_agents(agents), parse_rules(rules, players), deals, seed, limits)
    if workers is None:
        workers = int(any(map(limits.guard, spec.agents)))
    elif ray is not None:
        raise ValueError("--workers are processes of this machine, and --ray plays on a cluster")
    elif workers < 1:
        raise ValueError(f"--workers {workers}: allowed are whole numbers from 1")
    path = out / RESULTS
    if path.exists() and not resume:
        raise ValueError(
            f"{path} already holds results; add --resume to go on with them, or choose another "
            "folder with --out"
        )
    from experiments.tournament import run

    try:
        with _progress(spec) as progress, contextlib.redirect_stdout(sys.stderr):
            run(
                spec,
                path,
                resume=resume,
                batch_size=batch_size,
                workers=workers,
                ray=ray,
                progress=progress,
            )
    except KeyboardInterrupt:
        again = f"{spec.command()} --out {shlex.quote(str(out))}"
        if path.exists():
            _say(f"interrupted; all finished blocks are kept. To go on: {again} --resume")
        else:
            _say(f"interrupted before the first block was finished. To start again: {again}")
        raise typer.Exit(INTERRUPTED) from None
    _show(path, as_json, write=True)


@app.command()
def report(
    file: Annotated[Path, typer.Argument(help="A results file, such as results/results.sqlite.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the figures as one JSON object; write nothing.")
    ] = False,
) -> None:
    """Show the leaderboard of a results file, and write report.html beside it."""
    _show(file, as_json, write=not as_json)


agents_app = typer.Typer(help="List the agents, or check one.", invoke_without_command=True)
app.add_typer(agents_app, name="agents")


@agents_app.callback()
def list_agents(context: typer.Context) -> None:
    """List the agents and their options, with the defaults; or check one."""
    if context.invoked_subcommand is not None:
        return
    from rich.table import Table

    from agents import DESCRIPTIONS, others

    table = Table("agent", "what it does", "options", box=None, pad_edge=False)
    for name, description in {**DESCRIPTIONS, **others()}.items():
        table.add_row(name, description, _options(name))
    _print(table)


def _options(name: str) -> str:
    """The options of an agent, as they are typed."""
    from agents import AgentError, options

    try:
        known = options(name)
    except AgentError:  # one of somebody else, that cannot be imported
        return "-"
    chosen = (
        f"{option}={value:g}" if isinstance(value, float) else f"{option}={value}"
        for option, value in known.items()
    )
    return ", ".join(chosen) or "-"


@agents_app.command()
def check(
    spec: Annotated[str, typer.Argument(help="An agent, as for a tournament.")],
    positions: Annotated[int, typer.Option(help="Positions of each rule set.")] = 24,
    decision_seconds: Annotated[float, typer.Option(help="Time that it has a decision.")] = 10.0,
    memory_mb: Annotated[int, typer.Option(help="Memory that it may take, in MiB.")] = 2048,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the findings as one JSON object.")
    ] = False,
) -> None:
    """Try whether an agent keeps to what is asked of agents; exit code 1 if it does not."""
    from rich.table import Table

    from experiments import compliance
    from experiments.limits import Limits

    with _measuring() as progress:
        limits = Limits(decision_seconds, memory_mb)
        findings = compliance.examine(spec, limits, positions, progress)
    if as_json:
        told = [vars(finding) for finding in findings]
        print(json.dumps({"agent": spec, "checks": told}, allow_nan=False))
    else:
        table = Table("check", "result", "", box=None, pad_edge=False)
        for finding in findings:
            table.add_row(finding.check, finding.result, finding.detail)
        _print(table)
    if any(finding.result == compliance.FAILED for finding in findings):
        raise typer.Exit(1)


@app.command(name="rules")
def show_rules(
    name: Annotated[
        str | None,
        typer.Argument(help='A preset, with changes if wanted, such as "puremco,toes=2".'),
    ] = None,
    players: Annotated[
        int | None, typer.Option(help="Seats at the table; 4 if the rules are for 4.")
    ] = None,
) -> None:
    """List the published rule sets, or tell one in plain sentences."""
    from experiments import rule_sheet

    if name is None:
        if players is not None:
            raise ValueError("--players goes with the name of rules; chickenfoot rules lists them")
        _print(rule_sheet.listing())
    else:
        print(rule_sheet.sheet(name, players))


@app.command()
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
        with _measuring() as progress, contextlib.redirect_stdout(sys.stderr):
            figures = runner.run(Scale(quick), repeats, progress, only=only, with_peers=peers)
    except KeyboardInterrupt:
        _say("interrupted; nothing is kept of a run that was not finished")
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        print(json.dumps(figures, allow_nan=False))
    else:
        _print(printed.table(figures))


@app.command()
def doctor(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the findings as one JSON object.")
    ] = False,
) -> None:
    """Try everything that is installed, and say what is wrong."""
    from experiments import doctor as findings_of

    with _measuring() as progress:
        findings = findings_of.examine(progress)
    if as_json:
        print(json.dumps(findings, allow_nan=False))
    else:
        for line in findings_of.lines(findings):
            _print(line)
    if findings["problems"]:
        raise typer.Exit(1)


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(_exit_code())


def _exit_code() -> int:
    try:
        return app(standalone_mode=False) or 0
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if os.environ.get("CHICKENFOOT_TRACEBACK"):
            raise
        usage = getattr(error, "format_message", None)  # typer's errors about the command line
        if usage is not None:
            if usage():  # empty where the help is shown instead
                _say(f"error: {usage()}")
            return BAD_INPUT
        if isinstance(error, ValueError):
            _say(f"error: {error}")
            return BAD_INPUT
        _say(f"error: {type(error).__name__}: {error}")
        return 1


def _say(text: str) -> None:
    print(f"chickenfoot: {' '.join(text.split())}", file=sys.stderr)


def _print(renderable: RenderableType) -> None:
    _console().print(renderable)


def _console() -> Console:
    from rich.console import Console

    width = None if sys.stdout.isatty() else 200  # nothing is folded in a file or a pipe
    return Console(width=width, markup=False, emoji=False)


def _show(path: Path, as_json: bool, *, write: bool) -> None:
    from experiments import leaderboard
    from experiments.report import summary, write_html

    figures = summary(path)
    page = write_html(path) if write else None
    if as_json:
        print(json.dumps(figures, allow_nan=False))
        return
    _print(leaderboard.table(figures, _console().width))
    print(f"report: {page}")


@contextlib.contextmanager
def _progress(spec: TournamentSpec) -> Iterator[Callable[[int, int], None]]:
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
            _say(
                f"{spec.games:,} games of {most}{rounds} rounds: {spec.deals:,} deals x "
                f"{line_ups:,} line-up{'s' if line_ups > 1 else ''} x {spec.rules.players} "
                "rotations"
            )
            start, told = done, now
            bar.start()
        elif first < 0:
            first, began = done, now
        rate = ""
        if done == start < blocks:
            rate = "getting ready; the first use compiles, for up to a minute"
            if not console.is_terminal:
                _say(rate)
        elif done > first >= 0:
            speed = (done - first) / max(now - began, 1e-9)  # blocks a second
            left = round((blocks - done) / speed)
            rate = f"{speed * spec.rules.players * rounds:,.0f} rounds/s  "
            rate += f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
        bar.update(task, completed=done, rate=rate)
        if not console.is_terminal and EVERY <= now - told and done < blocks:
            told = now
            _say(f"{done}/{blocks} blocks  {rate}")

    try:
        yield tell
    finally:
        bar.stop()


@contextlib.contextmanager
def _measuring() -> Iterator[Callable[[str, int, int], None]]:
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
            _say(stage)

    with bar:
        yield tell


if __name__ == "__main__":
    main()
