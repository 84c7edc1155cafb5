"""The commands that play tournaments and show their results."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from experiments.cli import progress
from experiments.cli.console import console, say, show

RESULTS: Final = "results.sqlite"


def tournament(
    agents: Annotated[
        str, typer.Option(help="Agents, separated by commas; repeat one to enter it twice.")
    ] = "ppo,mcts,greedy,random",
    players: Annotated[int, typer.Option(help="Seats at the table.")] = 4,
    deals: Annotated[int, typer.Option(help="Deals that each line-up plays.")] = 40,
    seed: Annotated[int, typer.Option(help="Everything random follows from it.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("results"),
    rules: Annotated[
        str, typer.Option(help='Preset and changes, such as "puremco" or "seed,rounds=9/8".')
    ] = "seed",
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            help="free-for-all, round-robin, gauntlet (of the last agent), ladder, self-play.",
        ),
    ] = "free-for-all",
    seatings: Annotated[
        str, typer.Option(help="Of a deal: rotations, or permutations where they are few.")
    ] = "rotations",
    until_decided: Annotated[
        str | None,
        typer.Option(help="Two agents, one,other: stop when it is decided which is better."),
    ] = None,
    margin_bounds: Annotated[
        str, typer.Option(help="Points a game by which the one beats the other: decide which.")
    ] = "0,2",
    alpha: Annotated[float, typer.Option(help="Chance to decide wrongly for the larger.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Chance to decide wrongly for the smaller.")] = 0.05,
    fewest_deals: Annotated[int, typer.Option(help="Deals before which nothing is decided.")] = 200,
    games: Annotated[
        Path | None,
        typer.Option(help="File for a record of every game, for chickenfoot replay."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the results in --out.")
    ] = False,
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
    batch_size: Annotated[
        int, typer.Option(help="Games played at once, at most; does not change the results.")
    ] = 4096,
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
    from experiments.isolation.limits import Limits
    from experiments.tournament import spec as specs

    entered, until = specs.parse_agents(agents), None
    if format_ == "self-play":
        entered = specs.copies(entered, players)
    if until_decided is not None:
        bounds = specs.parse_bounds(margin_bounds, alpha, beta, fewest_deals)
        until = specs.Until(*specs.parse_pair(until_decided), bounds)
    spec = specs.TournamentSpec(
        entered,
        specs.parse_rules(rules, players),
        deals,
        seed,
        format=format_,
        seatings=seatings,
        until=until,
        limits=Limits(decision_seconds, memory_mb, guard_all),
    )
    if workers is None:
        workers = int(any(map(spec.limits.guard, spec.agents)))
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
    from experiments.tournament.runner import run

    try:
        with progress.of_blocks(spec) as tell, contextlib.redirect_stdout(sys.stderr):
            run(
                spec,
                path,
                resume=resume,
                batch_size=batch_size,
                workers=workers,
                ray=ray,
                progress=tell,
                games=games,
            )
    except KeyboardInterrupt:
        again = f"{spec.command()} --out {shlex.quote(str(out))}"
        if games is not None:
            again += f" --games {shlex.quote(str(games))}"
        if path.exists():
            say(f"interrupted; all finished blocks are kept. To go on: {again} --resume")
        else:
            say(f"interrupted before the first block was finished. To start again: {again}")
        raise
    _show(path, as_json, write=True)


def report(
    file: Annotated[Path, typer.Argument(help="A results file, such as results/results.sqlite.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the figures as one JSON object; write nothing.")
    ] = False,
    alpha_rank: Annotated[
        bool, typer.Option("--alpha-rank", help="Add alpha-rank to the figures, by OpenSpiel.")
    ] = False,
) -> None:
    """Show the leaderboard of a results file, and write report.html and report.json beside it."""
    _show(file, as_json, write=not as_json, alpha_rank=alpha_rank)


def _show(path: Path, as_json: bool, *, write: bool, alpha_rank: bool = False) -> None:
    from experiments import figures as figures_of
    from experiments import leaderboard
    from experiments.report import write_html, write_json

    figures = figures_of.summary(path)
    if alpha_rank:
        figures = figures_of.with_alpha_rank(figures)
    page = write_html(path, figures) if write else None
    if write:
        write_json(path, figures)
    if as_json:
        print(json.dumps(figures, allow_nan=False))
        return
    show(leaderboard.table(figures, console().width))
    for line in leaderboard.remarks(figures):
        print(line)
    print(f"report: {page}")
