"""The commands of `chickenfoot` that show a game or let somebody play one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from chickenfoot_env.transcript import Transcript


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
        terminal.show(viewer, _console())
    else:
        terminal.write(viewer, _console())


def _console() -> Console:
    """A console that takes texts as they are; in a file or pipe, 80 columns without colours."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else 80
    return Console(width=width, markup=False, emoji=False, highlight=False)
