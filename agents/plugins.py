"""Agents of other distributions, found by their entry points.

A distribution names its agents in the group `chickenfoot.agents` of its metadata:

    [project.entry-points."chickenfoot.agents"]
    my_agent = "my_package.agents:MyAgent"

What stands there is called to make the agent: a class, or a function. Its parameters are the
agent's options; each has a default, and one with the annotation `int` or `float` is read as such.
Names of this package's own agents cannot be taken.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from typing import Any, Final

from agents.base import Agent, AgentError

GROUP: Final = "chickenfoot.agents"


def names() -> list[str]:
    """The names of all that are installed, in alphabetical order; nothing is imported for it."""
    return sorted({point.name for point in importlib.metadata.entry_points(group=GROUP)})


def constructor(name: str) -> Callable[..., Agent]:
    """What makes the agent of this name.

    Raises:
        AgentError: in one line, if two distributions have one, or it cannot be imported.
    """
    found = {_origin(p): p for p in importlib.metadata.entry_points(group=GROUP, name=name)}
    if len(found) > 1:
        raise AgentError(f"agent {name!r} is in {' and in '.join(sorted(found))}: remove one")
    ((source, point),) = found.items()
    try:
        loaded = point.load()
    except (Exception, SystemExit) as error:
        raise AgentError(
            f"agent {name!r} of {source} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    if not callable(loaded):
        raise AgentError(f"agent {name!r} of {source} is {loaded!r}: wanted is what makes an agent")
    made: Callable[..., Agent] = loaded
    return made


def make(name: str, options: dict[str, Any]) -> Agent:
    """The agent, if what was installed under its name makes one.

    Raises:
        AgentError: in one line, if it does not.
    """
    try:
        agent = constructor(name)(**options)
    except AgentError:
        raise
    except (Exception, SystemExit) as error:
        raise AgentError(
            f"agent {name!r} cannot be made: {type(error).__name__}: {error}"
        ) from error
    if not callable(getattr(agent, "act", None)) or not isinstance(
        getattr(agent, "name", None), str
    ):
        raise AgentError(f"agent {name!r} is {agent!r}: wanted is a name and act(views, seeds)")
    return agent


def origin(name: str) -> str:
    """The distribution of the agent of this name, and its version; "" if none has it."""
    points = importlib.metadata.entry_points(group=GROUP, name=name)
    return " and ".join(sorted({_origin(point) for point in points}))


def description(name: str) -> str:
    """The first line of its docstring, and the distribution that it comes from."""
    try:
        told = (constructor(name).__doc__ or "does not say what it does").strip()
    except AgentError as error:
        return str(error)
    return f"{told.splitlines()[0]} ({origin(name)})"


def _origin(point: importlib.metadata.EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value
