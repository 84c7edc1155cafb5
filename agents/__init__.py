"""The agents, by name: `make("greedy").act(views, seeds)`."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Final

from agents.base import Agent, AgentError
from agents.flat_mc_agent import FlatMCAgent
from agents.greedy_agent import GreedyAgent
from agents.heuristic_agent import HeuristicAgent
from agents.mcts_agent import MCTSAgent
from agents.oracle_agent import OracleAgent
from agents.ppo.agent import PPOAgent
from agents.ppo.search_agent import PPOMCTSAgent
from agents.random_agent import RandomAgent

__all__ = ["DESCRIPTIONS", "Agent", "AgentError", "make", "names", "options"]

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
_KINDS: Final = {int: "a whole number", float: "a number", str: "a word"}


def names() -> tuple[str, ...]:
    """The names that `make` knows, weakest agent first."""
    return tuple(AGENTS)


def options(name: str) -> dict[str, int | float | str]:
    """The options of an agent with their defaults, in the order of its constructor.

    Raises:
        AgentError: for an unknown name, in one line.
    """
    parameters = inspect.signature(_constructor(name)).parameters
    return {key: parameter.default for key, parameter in parameters.items()}


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
    return constructor(**_parse_options(name, constructor, text) if colon else {})


def _constructor(name: str) -> Callable[..., Agent]:
    if name not in AGENTS:
        raise AgentError(f"no agent called {name!r}; there are {', '.join(AGENTS)}")
    return AGENTS[name]


def _parse_options(
    name: str, constructor: Callable[..., Agent], given: str
) -> dict[str, int | float | str]:
    known = _known_options(constructor)
    allowed = f"its options are {', '.join(known)}" if known else "it has none"
    values: dict[str, int | float | str] = {}
    for option in given.split(","):
        key, equals, text = option.partition("=")
        if not equals:
            raise AgentError(f"option {option!r} of agent {name} is not option=value; {allowed}")
        if key not in known:
            raise AgentError(f"agent {name} has no option {key!r}; {allowed}")
        if key in values:
            raise AgentError(f"option {key!r} of agent {name} is given twice; once is allowed")
        try:
            values[key] = known[key](text)
        except ValueError:
            wanted = _KINDS[known[key]]
            raise AgentError(
                f"option {key}={text!r} of agent {name}: allowed is {wanted}"
            ) from None
    return values


def _known_options(constructor: Callable[..., Agent]) -> dict[str, type[int | float | str]]:
    if not inspect.signature(constructor).parameters:
        return {}
    hints = typing.get_type_hints(constructor.__init__)
    return {key: hints[key] for key in inspect.signature(constructor).parameters}
