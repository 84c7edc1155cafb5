"""An agent in a process of its own, that cannot harm whoever asks it.

A guarded agent raises `AgentFailedError` where the agent itself raises, ends its process, takes too
long or too much memory, or answers nonsense. A process that was lost or had to be ended is started
anew for the next question. Time and memory are watched from outside; memory needs /proc, which
Linux has.

This guards against mistakes. It is no sandbox: the agent has the rights of the user who runs it.
"""

from __future__ import annotations

import json
import time
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents import AgentError
from chickenfoot_env import batch, view
from chickenfoot_env.rules import Rules
from experiments.isolation import frames, host
from experiments.isolation.child import Child
from experiments.isolation.limits import Limits
from experiments.isolation.memory import resident
from experiments.match import AgentFailedError

START_SECONDS: Final = 120.0  # to import, make, load and compile what a first decision needs
_TICK: Final = 0.05  # seconds between two looks at the memory of an agent that thinks
_MOST_AT_ONCE: Final = 4096  # decisions in one question


class Guard:
    """The agent of a spec, in a process of its own; an `Agent` itself.

    Attributes:
        name: the spec.
        cheats: whether it is handed game records.
        simulations: those that the agent has counted; there only if it counts any.
        changed: whether it has ever written to what it was shown.
        restarts: how often its process had to be started anew.
    """

    simulations: int

    def __init__(self, spec: str, limits: Limits, at_once: int = 1) -> None:
        """Start it.

        Args:
            spec: for `agents.make`.
            limits: what it may take.
            at_once: decisions in one question, for a start; see `act`.

        Raises:
            AgentError: if there is no such agent, in one line.
        """
        self.name = spec
        self.cheats = False
        self.changed = False
        self.restarts = -1
        self._limits = limits
        self._child: Child | None = None
        self._warms_up = True
        self._at_once = at_once
        self._looked = 0.0
        self._counted = 0  # what the counter of the present process showed last
        self._start()

    def act(self, records: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """One action for each record; see `Agent.act`.

        A question that takes too long for the limit of one decision fails; so it is cut into parts
        that have taken a small part of that limit so far.

        Raises:
            AgentFailedError: in one line, what the agent did.
        """
        limit = self._limits.decision_seconds
        actions: list[int] = []
        while True:
            part = slice(len(actions), len(actions) + self._at_once)
            began = time.perf_counter()
            try:
                actions += self._ask(records[part], seeds[part], limit)
            except AgentFailedError:
                self._at_once = max(self._at_once // 2, 1)
                raise
            took = time.perf_counter() - began
            if took > limit / 4:
                self._at_once = max(self._at_once // 2, 1)
            elif took < limit / 16 and len(actions) == part.stop:
                self._at_once = min(2 * self._at_once, _MOST_AT_ONCE)
            if len(actions) == len(records):
                break
        return np.array(actions, np.int64)

    def close(self) -> None:
        """End its process."""
        if self._child is not None:
            self._child.end()
            self._child = None

    def __enter__(self) -> Guard:
        """The guarded agent itself; its process is ended with the context."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> None:
        self.restarts += 1
        self._child, self._counted = Child("experiments.isolation.host"), 0
        try:
            about = self._exchange(self.name.encode(), START_SECONDS)
            if "error" in about:
                self.close()
                raise AgentError(str(about["error"]))
            self.cheats = bool(about.get("cheats"))
            if about.get("simulations") is not None and not hasattr(self, "simulations"):
                self.simulations = 0
            self._count(about, on_record=False)
        except AgentFailedError as failed:
            self.close()
            raise AgentError(f"agent {self.name!r} cannot be made: it {failed}") from failed
        if self._warms_up:
            self._warm_up()

    def _warm_up(self) -> None:
        """One question that does not count: what it loads or compiles is no decision's time."""
        game = batch.deal(Rules(), np.zeros(1, np.uint64))
        batch.play_forced(game)
        shown = game if self.cheats else view.observe(game, game["seat"].astype(np.int64))
        try:
            reply = self._exchange(host.question(shown, np.zeros(1, np.uint64)), START_SECONDS)
            self._count(reply, on_record=False)
        except AgentFailedError:  # as it will on the record; it need not take that long each time
            self._warms_up = False

    def _ask(self, records: NDArray[np.void], seeds: NDArray[np.uint64], limit: float) -> list[int]:
        if self._child is None:
            try:
                self._start()
            except (AgentError, OSError) as error:
                raise AgentFailedError(f"could not be started anew: {error}") from error
            if self._child is None:  # it failed when it warmed up
                return self._ask(records, seeds, limit)
        reply = self._exchange(host.question(records, seeds), limit)
        self.changed |= bool(reply.get("changed"))
        self._count(reply)
        if "fault" in reply:
            raise AgentFailedError(str(reply["fault"]))
        actions = reply.get("actions")
        if not isinstance(actions, list) or len(actions) != len(records):
            raise self._lost("its process answered nonsense")
        if not all(isinstance(action, int) for action in actions):
            raise self._lost("its process answered nonsense")
        return [action if abs(action) < 2**62 else -1 for action in actions]

    def _count(self, reply: dict[str, Any], *, on_record: bool = True) -> None:
        """Note what the agent has counted; a counter that is none, or goes down, fails."""
        count = reply.get("simulations")
        if count is None and not hasattr(self, "simulations"):
            return
        if not isinstance(count, int):
            raise AgentFailedError(f"counts {count} simulations: wanted is a whole number")
        if count < self._counted:
            raise AgentFailedError(
                f"counted {count} simulations after {self._counted}: wanted is a number that "
                "never goes down"
            )
        if on_record:
            self.simulations += count - self._counted
        self._counted = count

    def _exchange(self, message: bytes, limit: float) -> dict[str, Any]:
        """Send a message to the process, and wait for the reply; at most `limit` seconds each."""
        assert self._child is not None
        stream, until = self._child.socket, time.monotonic() + limit

        def wait() -> float:
            now = time.monotonic()
            if now >= until:
                raise self._lost(f"took longer than {limit:g} s")
            if now - self._looked > _TICK:
                self._looked = now
                self._look()
            return min(until - now, _TICK)

        try:
            stream.settimeout(limit)
            frames.send(stream, message)
            reply = json.loads(frames.receive(stream, wait))
        except TimeoutError:
            raise self._lost(f"took longer than {limit:g} s") from None
        except (EOFError, OSError) as error:
            raise self._lost() from error
        except ValueError as error:
            raise self._lost("its process answered nonsense") from error
        if not isinstance(reply, dict):
            raise self._lost("its process answered nonsense")
        return reply

    def _look(self) -> None:
        """End the process if it has too much memory."""
        assert self._child is not None
        if resident(self._child.pid) > self._limits.memory_mb * 2**20:
            raise self._lost(f"took more than {self._limits.memory_mb} MiB of memory")

    def _lost(self, why: str | None = None) -> AgentFailedError:
        """End the process; the failure that says why, by how it ended if nothing else is known."""
        assert self._child is not None
        how = self._child.end()
        self._child = None
        return AgentFailedError(why or (how if how != "was running" else "closed its pipe"))
