"""Pages of the most decisive games, for the report to link to."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from chickenfoot_env.transcript import Transcript
from experiments import game_file
from experiments.game_file import GameFileError
from experiments.replay import page
from experiments.tournament import deals

FOLDER: Final = "replays"  # beside the results file


def write(path: Path, figures: dict[str, Any], games: Path) -> dict[int, str]:
    """Write a page for each game that the summary calls decisive.

    Args:
        path: of the results file.
        figures: its summary.
        games: the records of its games.

    Returns:
        The address of each page, seen from the report, by the number of the game.

    Raises:
        GameFileError: if the file of games cannot be read or is not of this tournament.
    """
    links = {}
    for game in (figures["decisive"] or {"games": []})["games"]:
        number = game["game"]
        transcript = game_file.read_game(games, number)
        if not _same(transcript, game, figures["seed"]):
            raise GameFileError(
                f"game {number} of {games} is not game {number} of {path}: wanted is the file "
                "that was written with these results"
            )
        name = f"game-{number}.html"
        page.write(transcript, path.parent / FOLDER / name)
        links[number] = f"{FOLDER}/{name}"
    return links


def _same(transcript: Transcript, game: dict[str, Any], seed: int) -> bool:
    """Whether this is the deal, the line-up and the outcome of that game."""
    dealt = int(deals.seeds(seed, np.array([game["deal"]]))[0])
    *_, last = transcript.replay()
    points = last["points"][0, : transcript.rules.players].tolist()
    known = (transcript.seed, list(transcript.line_up), points)
    return known == (dealt, game["line_up"], game["points"])
