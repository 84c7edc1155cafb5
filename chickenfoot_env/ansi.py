"""The board as text, for people: at most 80 columns, every hand and the boneyard open.

Round 1 of 10, starter 9-9          player_2 to act
FOOT 6/2: 2 more on the 6           boneyard 19 tiles

Open ends: 2 3 5 6 6 9

  player_0   12 points   3 tiles   0-1 2-9 4-4
> player_1    0 points   1 tile    1-1
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Final

import numpy as np

from chickenfoot_env.game import BONEYARD, tiles_of
from chickenfoot_env.notation import format_tile

WIDTH: Final = 80


def board(game: np.void, agents: Sequence[str], status: str) -> str:
    """The whole position, hidden tiles included.

    Args:
        game: one GAME record.
        agents: the name of each seat.
        status: what to say about the turn, such as "player_1 to act".
    """
    max_pip = int(game["max_pip"])
    ends = np.repeat(np.arange(max_pip + 1), game["ends"][: max_pip + 1])
    starter = int(game["starter"])
    place = f"Round {game['round'] + 1} of {game['rounds']}, starter {starter}-{starter}"
    lines = [
        f"{place:<38}{status}",
        f"{_phase(game):<38}boneyard {_count(int(game['hand_count'][BONEYARD]), 'tile')}",
        "",
        *_wrapped("Open ends: ", [str(pip) for pip in ends]),
        "",
    ]
    for seat, agent in enumerate(agents):
        mark = ">" if status.startswith(agent + " ") else " "
        points = _count(int(game["points"][seat]), "point")
        tiles = tiles_of(game["held"][seat], max_pip)
        head = f"{mark} {agent:<9} {points:>11}   {_count(len(tiles), 'tile'):<8}   "
        lines += _wrapped(head, [format_tile(tile) for tile in tiles])
    return "\n".join(lines) + "\n"


def _phase(game: np.void) -> str:
    foot, owed = int(game["foot"]), int(game["owed"])
    if owed == 0:
        return "OPEN: any open end"
    kind = "ARMS" if foot == game["starter"] else "FOOT"
    return f"{kind} {foot}/{owed}: {owed} more on the {foot}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _wrapped(head: str, words: Sequence[str]) -> list[str]:
    """`head` followed by the words, in as many lines as they need."""
    text = " ".join(words) or "-"
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_on_hyphens=False,
        drop_whitespace=True,
    )
