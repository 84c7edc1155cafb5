"""A process that plays blocks of a tournament for `experiments.tournament.workers`."""

from __future__ import annotations

import contextlib
import os
import socket
import time
import traceback
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

import agents
from agents import Agent
from experiments import match
from experiments.isolation.guard import Guard
from experiments.store import Block
from experiments.tournament.blocks import play_blocks, warm_up
from experiments.tournament.spec import TournamentSpec


def serve(stream: socket.socket) -> None:
    """Say which entries cheat, then play chunks of blocks until nobody asks any more.

    What goes wrong here is told and ends the process.
    """
    pipe: Connection[Any, Any] = Connection(stream.detach())
    spec, record = pipe.recv()
    try:
        with seated(spec) as players:
            pipe.send([match.cheats(player) for player in players])
            warm_up(spec, players)
            while True:
                first, stop = pipe.recv()
                pipe.send(play_chunk(spec, players, first, stop, record=record))
    except (EOFError, OSError):  # whoever asked is gone
        raise
    except Exception as error:
        if os.environ.get("CHICKENFOOT_TRACEBACK"):
            traceback.print_exc()
        line = f"a worker process failed: {type(error).__name__}: {error}"
        pipe.send(error if isinstance(error, ValueError) else RuntimeError(line))


@contextlib.contextmanager
def seated(spec: TournamentSpec) -> Iterator[list[Agent]]:
    """The agents of a tournament, those guarded that its limits are for.

    Raises:
        AgentError: in one line, if one cannot be made.
    """
    with contextlib.ExitStack() as stack:
        players: list[Agent] = []
        for name in spec.agents:
            if spec.limits.guard(name):
                players.append(stack.enter_context(Guard(name, spec.limits)))
            else:
                players.append(agents.make(name))
        yield players


def play_chunk(
    spec: TournamentSpec, players: Sequence[Agent], first: int, stop: int, *, record: bool
) -> tuple[list[Block], float]:
    """The blocks from `first` to before `stop`, and how many seconds they took."""
    began = time.perf_counter()
    blocks = list(play_blocks(spec, players, np.arange(first, stop), record=record))
    return blocks, time.perf_counter() - began
