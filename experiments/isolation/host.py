"""The process that one guarded agent lives in: it hands on questions and answers.

The messages are frames. First comes the agent's spec, and {"cheats", "simulations"} goes back, or
{"error"} if there is no such agent. Then come questions: a letter for the kind of records, V or G,
a line break, and one uint64 seed and one record for each decision. Back goes {"actions"} or
{"fault"}, with the agent's counter "simulations", None if it has none, and "changed": whether it
has written to what it was shown. What goes back is JSON: nobody has to run what an agent's process
says.
"""

from __future__ import annotations

import json
import socket
from typing import Any

import numpy as np
from numpy.typing import NDArray

import agents
from agents import Agent
from chickenfoot_env.game import GAME
from chickenfoot_env.view import VIEW
from experiments.isolation import frames
from experiments.match import cheats, raised, wrong_kind


def question(records: NDArray[np.void], seeds: NDArray[np.uint64]) -> bytes:
    """A question about (B,) VIEW or GAME records with (B,) seeds, as the host reads it."""
    kind = b"G\n" if records.dtype == GAME else b"V\n"
    return kind + seeds.tobytes() + records.tobytes()


def serve(stream: socket.socket) -> None:
    """Make the agent that is asked for, and answer for it until nobody asks any more."""
    spec = frames.receive(stream).decode()
    try:
        agent = agents.make(spec)
    except (Exception, SystemExit) as error:
        told = str(error) if isinstance(error, agents.AgentError) else _sentence(spec, error)
        frames.send(stream, json.dumps({"error": told}).encode())
        return
    about = {"cheats": cheats(agent), "simulations": _counter(agent)}
    frames.send(stream, json.dumps(about).encode())
    while True:
        reply = _answer(agent, frames.receive(stream))
        frames.send(stream, json.dumps(reply).encode())


def _sentence(spec: str, error: BaseException) -> str:
    return f"agent {spec!r} {raised(error)}"


def _answer(agent: Agent, message: bytes) -> dict[str, Any]:
    dtype = GAME if message[:1] == b"G" else VIEW
    count = (len(message) - 2) // (8 + dtype.itemsize)
    seeds = np.frombuffer(message, np.uint64, count, 2).copy()
    shown = np.frombuffer(message, dtype, count, 2 + 8 * count).copy()
    reply: dict[str, Any] = {}
    try:
        answers = agent.act(shown, seeds)
    except (Exception, SystemExit) as error:
        reply["fault"] = raised(error)
    else:
        fault = wrong_kind(answers, count)
        if fault is None:
            reply["actions"] = [int(action) for action in answers]
        else:
            reply["fault"] = fault
    reply["simulations"] = _counter(agent)
    reply["changed"] = message[2:] != seeds.tobytes() + shown.tobytes()
    return reply


def _counter(agent: Agent) -> Any:
    """The agent's counter of simulations as JSON can hold it; None without one."""
    count = getattr(agent, "simulations", None)
    return count if count is None or isinstance(count, int) else repr(count)
