"""The commands of `chickenfoot` that show a game or let somebody play one."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from experiments.cli.console import console, say

if TYPE_CHECKING:
    from chickenfoot_env.transcript import Transcript
    from experiments.playing.session import Session

# What play and serve share.
Against = Annotated[
    str, typer.Option(help="The other agents, clockwise from your seat, separated by commas.")
]
Seat = Annotated[int, typer.Option(help="Your seat, counted from 0.")]
RulesText = Annotated[
    str, typer.Option(help='Preset and changes, such as "puremco" or "seed,rounds=9/8".')
]
Practice = Annotated[bool, typer.Option("--practice", help="Choices may be taken back.")]
Hints = Annotated[str, typer.Option(help="The agent that hints come from.")]


def replay(
    file: Annotated[Path, typer.Argument(help="A file of games, as tournament --games writes.")],
    game: Annotated[int, typer.Option(help="Which of its games, counted from 1.")] = 1,
    seat: Annotated[
        int | None, typer.Option(help="Show only what this seat, counted from 0, may see.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write a page for a browser there, in place of showing.")
    ] = None,
    values: Annotated[
        str,
        typer.Option(
            help='On the page: what this agent thinks of each choice, such as "mcts"; "own" asks '
            "the agents of the line-up."
        ),
    ] = "",
    check: Annotated[
        bool, typer.Option("--check", help="Only check that every game is as its record says.")
    ] = False,
) -> None:
    """Step through a recorded game, or make a page of it."""
    from experiments import game_file

    if check:
        count = sum(1 for _ in game_file.read_games(file))
        print(f"{count:,} game{'' if count == 1 else 's'}, replayed to the end: all as recorded")
        return
    transcript = game_file.read_game(file, game)
    if seat is not None and not 0 <= seat < transcript.rules.players:
        raise ValueError(f"--seat {seat}: this game has seats 0 to {transcript.rules.players - 1}")
    if values and html is None:
        raise ValueError("--values goes with --html PAGE: values are shown on the page")
    if html is not None:
        _write_page(transcript, html, seat, values)
    else:
        _show(transcript, seat)


def _write_page(transcript: Transcript, path: Path, seat: int | None, values: str) -> None:
    from experiments.replay import page

    page.write(transcript, path, seat, values)
    print(f"replay: {path}")


def _show(transcript: Transcript, seat: int | None) -> None:
    from experiments.replay import terminal
    from experiments.replay.story import Story, seat_names

    viewer = terminal.Viewer(Story.of(transcript), seat_names(transcript), seat)
    if sys.stdin.isatty() and sys.stdout.isatty():
        terminal.show(viewer, console(80, highlight=False))
    else:
        terminal.write(viewer, console(80, highlight=False))


def play(
    against: Against = "mcts,heuristic,greedy",
    seat: Seat = 0,
    rules: RulesText = "seed",
    seed: Annotated[
        int | None, typer.Option(help="For the same deal again; without it, a new one.")
    ] = None,
    practice: Practice = False,
    hints: Hints = "mcts",
    save: Annotated[
        Path | None, typer.Option(help="File where the game is saved after each of your choices.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Go on with the game in this file, and save it there.")
    ] = None,
) -> None:
    """Play against agents in the terminal."""
    from experiments.playing import terminal
    from experiments.playing.hints import check_adviser

    check_adviser(hints)
    session = _session(against, seat, rules, seed, save, resume)
    shown = console(80, highlight=False)
    terminal.Game(session, shown, save or resume, practice, hints).play()


def serve(
    against: Against = "mcts,heuristic,greedy",
    seat: Seat = 0,
    rules: RulesText = "seed",
    practice: Practice = False,
    hints: Hints = "mcts",
    host: Annotated[
        str, typer.Option(help="Address to serve on; this one cannot be reached from elsewhere.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to serve on; 0: any that is free.")] = 8321,
) -> None:
    """Play against agents in a browser, served from this machine."""
    try:
        import fastapi  # noqa: F401  # the two that the extra brings
        import uvicorn  # noqa: F401
    except ImportError:
        raise ValueError(
            "serving needs FastAPI and uvicorn: pip install 'chickenfoot[serve]'"
        ) from None
    from experiments.playing import server
    from experiments.playing.hints import check_adviser
    from experiments.tournament.spec import parse_agents, parse_rules

    check_adviser(hints)
    names = parse_agents(against)
    played = parse_rules(rules, len(names) + 1)
    table = server.Table(played, names, seat, practice, hints, lambda: secrets.randbits(63))
    table.deal()
    with server.listen(host, port) as at:
        if host not in server.LOCAL:
            say(f"{host}: whoever can reach this machine can play, there is no password")
        where, number = at.getsockname()[:2]
        say(f"play at http://{where}:{number}/ in a browser; Ctrl-C ends")
        server.serve(table, at)


def _session(
    against: str, seat: int, rules: str, seed: int | None, save: Path | None, resume: Path | None
) -> Session:
    from experiments import game_file
    from experiments.playing.session import Session
    from experiments.tournament.spec import parse_agents, parse_rules

    if resume is not None:
        return Session.resume(game_file.read_game(resume, 1))
    if save is not None and save.exists():
        raise ValueError(f"{save} exists: go on with it by --resume, or save elsewhere")
    names = parse_agents(against)
    if seed is None:
        seed = secrets.randbits(32)
    elif not 0 <= seed < 2**64:
        raise ValueError(f"--seed {seed}: allowed are 0 to 2**64 - 1")
    return Session.begin(parse_rules(rules, len(names) + 1), names, seat, seed)
