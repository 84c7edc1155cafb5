"""The agents, by name: `make("greedy").act(views, seeds)`."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Final

from agents import plugins
from agents.base import Agent, AgentError
from agents.flat_mc_agent import FlatMCAgent
from agents.greedy_agent import GreedyAgent
from agents.heuristic_agent import HeuristicAgent
from agents.mcts_agent import MCTSAgent
from agents.oracle_agent import OracleAgent
from agents.ppo.agent import PPOAgent
from agents.ppo.search_agent import PPOMCTSAgent
from agents.process_agent import ProcessAgent
from agents.random_agent import RandomAgent
from agents.specs import pieces, unquoted

__all__ = ["DESCRIPTIONS", "Agent", "AgentError", "is_own", "make", "names", "options"]

AGENTS: Final[dict[str, Callable[..., Agent]]] = {
    "random": RandomAgent,
    "greedy": GreedyAgent,
    "heuristic": HeuristicAgent,
    "flat_mc": FlatMCAgent,
    "mcts": MCTSAgent,
    "ppo": PPOAgent,
    "ppo_mcts": PPOMCTSAgent,
    "oracle": OracleAgent,
}
DESCRIPTIONS: Final[dict[str, str]] = {
    "random": "takes any legal action, all equally likely",
    "greedy": "lays its heaviest playable tile",
    "heuristic": "lays heavy tiles and doubles, and leaves ends that suit its own hand alone",
    "flat_mc": "tries its actions in sampled worlds",
    "mcts": "the same, and searches its own later choices",
    "ppo": "plays by a network that has learned by playing itself",
    "ppo_mcts": "mcts that asks this network first",
    "oracle": "searches the true game: sees all hidden tiles, a yardstick and no competitor",
}
PROCESS: Final = "process"  # the name of agents that are programs
_KINDS: Final = {int: "a whole number", float: "a number", str: "a word"}


def names() -> tuple[str, ...]:
    """The agents of this package, weakest first."""
    return tuple(AGENTS)


def others() -> dict[str, str]:
    """The agents that `make` knows beside those, each with what it does, in one line."""
    told = {name: plugins.description(name) for name in plugins.names() if name not in AGENTS}
    return {**told, PROCESS: "a program in any language that answers on its standard output"}


def is_own(spec: str) -> bool:
    """Whether the agent of a spec is one of this package, and none of somebody else."""
    return spec.partition(":")[0] in AGENTS


def options(name: str) -> dict[str, int | float | str]:
    """The options of an agent with their defaults, in the order of its constructor.

    One that must be given has "..." for a default.

    Raises:
        AgentError: for an unknown name, in one line.
    """
    parameters = _parameters(_constructor(name))
    return {k: "..." if p.default is p.empty else p.default for k, p in parameters.items()}


def make(spec: str) -> Agent:
    """The agent that a spec such as "greedy" or "name:option=value,option=value" asks for.

    An agent's options are the parameters of its constructor, read as the types annotated there.

    Raises:
        AgentError: for an unknown name or option or a value that is not allowed, in one line.
    """
    if not isinstance(spec, str):
        raise AgentError(f"agent {spec!r}: wanted is a text such as 'greedy'")
    name, colon, text = spec.partition(":")
    constructor = _constructor(name)
    chosen = _parse_options(name, constructor, text) if colon else {}
    for key, parameter in _parameters(constructor).items():
        if parameter.default is parameter.empty and key not in chosen:
            raise AgentError(f"agent {name} needs its option {key}, as in {name}:{key}=...")
    return constructor(**chosen) if name in _built_in() else plugins.make(name, chosen)


def _built_in() -> dict[str, Callable[..., Agent]]:
    return {**AGENTS, PROCESS: ProcessAgent}


def _constructor(name: str) -> Callable[..., Agent]:
    known = _built_in()
    if name in known:
        return known[name]
    installed = plugins.names()
    if name in installed:
        return plugins.constructor(name)
    there_are = ", ".join([*AGENTS, *(other for other in installed if other not in known), PROCESS])
    raise AgentError(f"no agent called {name!r}; there are {there_are}")


def _parse_options(
    name: str, constructor: Callable[..., Agent], given: str
) -> dict[str, int | float | str]:
    known = _known_options(constructor)
    allowed = f"its options are {', '.join(known)}" if known else "it has none"
    values: dict[str, int | float | str] = {}
    for option in pieces(given):
        key, equals, text = option.partition("=")
        if not equals:
            raise AgentError(f"option {option!r} of agent {name} is not option=value; {allowed}")
        if key not in known:
            raise AgentError(f"agent {name} has no option {key!r}; {allowed}")
        if key in values:
            raise AgentError(f"option {key!r} of agent {name} is given twice; once is allowed")
        try:
            values[key] = known[key](unquoted(text))
        except ValueError:
            wanted = _KINDS[known[key]]
            raise AgentError(
                f"option {key}={text!r} of agent {name}: allowed is {wanted}"
            ) from None
    return values


def _known_options(constructor: Callable[..., Agent]) -> dict[str, type[int | float | str]]:
    """The options of an agent with their types: words, unless they are numbers."""
    parameters = _parameters(constructor)
    if not parameters:
        return {}
    annotated = constructor.__init__ if inspect.isclass(constructor) else constructor
    hints = typing.get_type_hints(annotated)
    return {key: hints[key] if hints.get(key) in _KINDS else str for key in parameters}


def _parameters(constructor: Callable[..., Agent]) -> dict[str, inspect.Parameter]:
    """The parameters that can be given by name."""
    named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    parameters = inspect.signature(constructor).parameters
    return {key: p for key, p in parameters.items() if p.kind in named}
