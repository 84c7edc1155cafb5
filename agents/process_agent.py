"""An agent that is a program: it is asked by JSON lines, in any language.

A question is one line on the program's standard input, and its answer one line on its standard
output; `docs/protocol.md` is the protocol. What it writes to its standard error is shown. The
program is started when the agent is made, and again after it has ended or broken the protocol.

A program that does not answer is waited for without end. Tournaments guard such agents, with a
limit on their time and memory; see `experiments.isolation.guard`.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.base import AgentError, check_question
from agents.described import described
from agents.lifetime import die_with
from agents.specs import quoted
from chickenfoot_env import notation, view

PROTOCOL: Final = "chickenfoot"
VERSION: Final = 1
LONGEST: Final = 2**16  # characters of an answer


class ProtocolError(RuntimeError):
    """A program that broke the protocol; the message says how."""


class ProcessAgent:
    """Asks a program for each decision."""

    def __init__(self, cmd: str) -> None:
        """Start the program.

        Args:
            cmd: the command, with its arguments; it is parted as a shell would, but no shell runs.

        Raises:
            AgentError: if it cannot be started, or does not say that it knows the protocol.
        """
        self.name = f"process:cmd={quoted(cmd)}"
        try:
            self._words = shlex.split(cmd)
        except ValueError as error:
            raise AgentError(f"agent process: cmd={cmd!r}: {error}") from None
        if not self._words:
            raise AgentError("agent process: cmd is empty; wanted is a command, as in a shell")
        self._program: subprocess.Popen[str] | None = None
        try:
            self._start()
        except (OSError, ProtocolError) as error:
            raise AgentError(f"agent process: {cmd!r} cannot be used: {error}") from error

    def act(self, views: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """One action for each view; see `Agent.act`.

        Raises:
            ProtocolError: if the program ends, or answers with no action.
        """
        views, seeds = check_question(views, seeds)
        legal = view.legal_mask(views)
        actions = np.empty(len(views), np.int64)
        for row, (record, seed) in enumerate(zip(views, seeds.tolist(), strict=True)):
            actions[row] = self._decide(record, np.flatnonzero(legal[row]).tolist(), seed)
        return actions

    def close(self) -> None:
        """End the program: close its input, and kill it if it goes on all the same."""
        program, self._program = self._program, None
        if program is None:
            return
        for stream in (program.stdin, program.stdout):
            with contextlib.suppress(OSError):
                assert stream is not None
                stream.close()
        try:
            program.wait(1)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()

    def __del__(self) -> None:
        """A program that nobody asks any more is ended."""
        if getattr(self, "_program", None) is not None:
            self.close()

    def _start(self) -> None:
        parent = os.getpid()
        self._program = subprocess.Popen(
            self._words,
            preexec_fn=lambda: die_with(parent),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )
        hello = {"type": "hello", "protocol": PROTOCOL, "version": VERSION}
        answer = self._exchange(hello)
        if (answer.get("protocol"), answer.get("version")) != (PROTOCOL, VERSION):
            raise self._broken(
                f"greeted with {_short(answer)}: wanted are protocol {PROTOCOL!r} and "
                f"version {VERSION}"
            )

    def _decide(self, record: np.void, legal: list[int], seed: int) -> int:
        pips = int(record["max_pip"]) + 1
        texts = [notation.action_text(action, pips - 1) for action in legal]
        answer = self._exchange(
            {
                "type": "act",
                "seed": seed >> 11,  # 53 bits, which every language's numbers hold
                "legal": legal,
                "legal_text": texts,
                "view": described(record),
            }
        )
        action = answer.get("action")
        if isinstance(action, str) and action in texts:
            return legal[texts.index(action)]
        if isinstance(action, int) and not isinstance(action, bool) and abs(action) < 2**31:
            return action
        raise ProtocolError(
            f"answered {_short(answer)}: wanted is a legal action as number or text"
        )

    def _exchange(self, question: dict[str, Any]) -> dict[str, Any]:
        if self._program is None:
            self._start()
        assert self._program is not None
        stdin, stdout = self._program.stdin, self._program.stdout
        assert stdin is not None and stdout is not None
        line = ""
        with contextlib.suppress(BrokenPipeError):  # it has ended, as the empty line tells
            stdin.write(json.dumps(question, separators=(",", ":")) + "\n")
            stdin.flush()
            line = stdout.readline(LONGEST)
        if not line:
            raise self._broken(None)
        if not line.endswith("\n"):
            raise self._broken("answered with a line that does not end")
        try:
            answer = json.loads(line)
        except ValueError:
            raise self._broken(f"answered {_short(line)}: wanted is one JSON object") from None
        if not isinstance(answer, dict):
            raise self._broken(f"answered {_short(answer)}: wanted is one JSON object")
        return answer

    def _broken(self, how: str | None) -> ProtocolError:
        """End the program, which nobody can follow any more; the error that says why."""
        program = self._program
        self.close()
        if how is None:
            assert program is not None
            how = f"ended without an answer, exit code {program.returncode}"
        return ProtocolError(f"the program {how}")


def _short(answer: Any) -> str:
    text = answer.strip() if isinstance(answer, str) else json.dumps(answer)
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
