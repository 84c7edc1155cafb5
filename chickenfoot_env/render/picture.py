"""What a picture shows: the table, the hands, whose turn it is. Made from a game or from a view.

A picture of a game shows every hand. A picture of a view shows what its seat may know: its own
hand, and of the others how many tiles they have. The plays of the round are known to all.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chickenfoot_env.game import BONEYARD, GAME_OVER, tiles_of
from chickenfoot_env.render.layout import Layout, lay_out
from chickenfoot_env.tiles import HIGH, LOW, Rows


@dataclass(frozen=True)
class Hand:
    """What is shown of one seat.

    Attributes:
        name: who sits there.
        points: of the finished rounds.
        count: tiles in the hand.
        tiles: their ids, ascending; None: hidden.
    """

    name: str
    points: int
    count: int
    tiles: tuple[int, ...] | None


@dataclass(frozen=True)
class Picture:
    """One position, ready to be drawn.

    Attributes:
        layout: the tiles on the table.
        hands: in the order of the seats.
        to_act: which of them is to act; None if none is.
        boneyard: tiles left in it.
        heading: the round and its starter.
        phase: what may be laid; nothing if the game is over.
        status: what to say about the turn.
    """

    layout: Layout
    hands: tuple[Hand, ...]
    to_act: int | None
    boneyard: int
    heading: str
    phase: str
    status: str


def picture_of_game(
    game: np.void,
    plays: Sequence[tuple[int, int]],
    names: Sequence[str] | None = None,
    status: str | None = None,
    layout: Layout | None = None,
) -> Picture:
    """A picture with every hand open.

    Args:
        game: one GAME record.
        plays: (attach, free) of this round in the order they were made, the starter's first.
        names: of the seats; None: seat 0 and so on.
        status: what to say about the turn; None: who is to act.
        layout: of these plays; None: that of `lay_out`.

    Raises:
        ValueError: if the plays do not lead to the table of the game, or the names are too few.
    """
    players, max_pip = int(game["players"]), int(game["max_pip"])
    names = _names(names, [f"seat {seat}" for seat in range(players)])
    hands = [tuple(tiles_of(game["held"][seat], max_pip)) for seat in range(players)]
    boneyard = int(game["hand_count"][BONEYARD])
    return _picture(game, plays, names, hands, int(game["seat"]), boneyard, status, layout)


def picture_of_view(
    view: np.void,
    plays: Sequence[tuple[int, int]],
    names: Sequence[str] | None = None,
    status: str | None = None,
    layout: Layout | None = None,
) -> Picture:
    """A picture of what one seat may know, seen from its chair: it is the first hand.

    Args:
        view: one VIEW record.
        plays: as for `picture_of_game`.
        names: of the seats, the observer's first; None: "you", "seat +1" and so on clockwise.
        status: as for `picture_of_game`.
        layout: as for `picture_of_game`.

    Raises:
        ValueError: as `picture_of_game` does.
    """
    players, max_pip = int(view["players"]), int(view["max_pip"])
    others = [f"seat +{seat}" for seat in range(1, players)]
    names = _names(names, ["you", *others])
    own = tuple(tiles_of(view["hand"], max_pip))
    hands: list[tuple[int, ...] | None] = [own, *[None] * (players - 1)]
    seat, boneyard = int(view["turn"]), int(view["boneyard"])
    return _picture(view, plays, names, hands, seat, boneyard, status, layout)


def finished(picture: Picture) -> Picture:
    """The picture of an episode that is over, in which nobody is to act, even in mid-game."""
    return dataclasses.replace(picture, to_act=None, phase="")


def _picture(
    record: np.void,
    plays: Sequence[tuple[int, int]],
    names: Sequence[str],
    hands: Sequence[tuple[int, ...] | None],
    seat: int,
    boneyard: int,
    status: str | None,
    layout: Layout | None,
) -> Picture:
    arms, toes, max_pip = (int(record[name]) for name in ("starter_arms", "toes", "max_pip"))
    _check_plays(plays, record["laid"], max_pip)
    over = bool(record["over"] == GAME_OVER)
    if status is None:
        has_drawn = ", has drawn" * int(record["has_drawn"])
        status = "the game is over" if over else f"{names[seat]} to act{has_drawn}"
    starter = int(record["starter"])
    shown = [
        Hand(name, int(points), int(count), tiles)
        for name, points, count, tiles in zip(
            names, record["points"], record["hand_count"], hands, strict=False
        )
    ]
    return Picture(
        layout=layout or _laid_out(tuple(plays), arms, toes, max_pip),
        hands=tuple(shown),
        to_act=None if over else seat,
        boneyard=boneyard,
        heading=f"Round {record['round'] + 1} of {record['rounds']}, starter {starter}-{starter}",
        phase="" if over else _phase(int(record["foot"]), int(record["owed"]), starter),
        status=status,
    )


@functools.lru_cache(maxsize=16)  # draws and passes leave the table as it is
def _laid_out(plays: tuple[tuple[int, int], ...], arms: int, toes: int, max_pip: int) -> Layout:
    return lay_out(plays, arms, toes, max_pip)


def _names(names: Sequence[str] | None, usual: Sequence[str]) -> Sequence[str]:
    if names is None:
        return usual
    if len(names) != len(usual):
        raise ValueError(
            f"{len(names)} names {list(names)}: wanted is one for each of {len(usual)} seats"
        )
    return names


def _check_plays(plays: Sequence[tuple[int, int]], laid: Rows, max_pip: int) -> None:
    played = sorted((min(play), max(play)) for play in plays)
    there = sorted((int(LOW[tile]), int(HIGH[tile])) for tile in tiles_of(laid, max_pip))
    if played != there:
        raise ValueError(
            f"{len(played)} plays do not lay the {len(there)} tiles on the table: wanted are all "
            "plays of this round in order, the starter's first"
        )


def _phase(foot: int, owed: int, starter: int) -> str:
    if owed == 0:
        return "any open end"
    if foot == starter:
        return f"starter: {owed} more arm{'s' * (owed > 1)} on the {foot}"
    return f"chicken foot: {owed} more toe{'s' * (owed > 1)} on the {foot}"
