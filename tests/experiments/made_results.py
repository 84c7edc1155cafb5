"""Results files with made-up figures."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from experiments import store

Made = Callable[..., Path]


def header(
    agents: Sequence[str], seats: int, deals: int, *, cheats: Sequence[str] = (), **run: Any
) -> store.Header:
    """A tournament of `deals` deals, with one line-up for each choice of agents."""
    line_ups = list(itertools.combinations(range(len(agents)), seats))
    rules = {"players": seats, "max_pip": 9, "rounds": "all_doubles"}
    return store.Header(
        run={
            "agents": list(agents),
            "rules": rules,
            "deals": deals,
            "seed": 5,
            "chickenfoot": "0",
            **run,
        },
        facts={"numpy": "2", "command": "chickenfoot tournament"},
        entries=[(name, name, name in cheats) for name in agents],
        line_ups=line_ups,
        blocks=deals * len(line_ups),
    )


def block(
    about: store.Header,
    number: int,
    games: Sequence[Sequence[int]],
    faults: Sequence[Any] = (),
    costs: Sequence[Any] = (),
) -> store.Block:
    """A block from the points of each game; a game's row lists them in the line-up's order.

    Unless costs are given, entry e of the line-up is asked 10 decisions, each of 3 e simulations
    and half a second.
    """
    line_up = about.line_ups[number % len(about.line_ups)]
    seats = []
    for rotation, points in enumerate(games):
        for place, (entry, own) in enumerate(zip(line_up, points, strict=True)):
            seat = (place - rotation) % len(line_up)
            rank = 1 + sum(other < own for other in points)
            seats.append((rotation, seat, entry, own, rank))
    rows = [(rotation, 10, 3) for rotation in range(len(games))]
    return store.Block(
        block=number,
        deal=number // len(about.line_ups),
        line_up=number % len(about.line_ups),
        games=rows,
        seats=seats,
        faults=faults,
        costs=costs or [(entry, 10, 30 * entry, 5.0) for entry in line_up],
    )
