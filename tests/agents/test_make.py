"""Agents by name: what `make` accepts, and what it says about the rest."""

import numpy as np
import pytest

import agents
from agents import AgentError

KNOWN = (
    "there are random, greedy, heuristic, flat_mc, mcts, ppo, ppo_mcts, oracle, stubborn, process"
)


class Stubborn:
    """A stand-in for an agent with options."""

    def __init__(self, worlds: int = 64, share: float = 0.5, rollout: str = "random") -> None:
        """Keep the options, and name them all."""
        self.options = (worlds, share, rollout)
        self.name = f"stubborn:worlds={worlds},share={share},rollout={rollout}"

    def act(self, views: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Never asked."""
        raise NotImplementedError


@pytest.fixture
def stubborn(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent with options among the known ones."""
    monkeypatch.setitem(agents.AGENTS, "stubborn", Stubborn)


@pytest.mark.parametrize("name", agents.names())
def test_name_is_a_spec_that_makes_the_agent(name: str) -> None:
    spec = agents.make(name).name  # with all options written out
    assert agents.make(spec).name == spec
    assert spec.partition(":")[0] == name


def test_each_agent_is_described_in_one_line() -> None:
    assert tuple(agents.DESCRIPTIONS) == agents.names()
    assert all("\n" not in line for line in agents.DESCRIPTIONS.values())


@pytest.mark.usefixtures("stubborn")
def test_options_are_told_with_their_defaults_in_order() -> None:
    told = list(agents.options("stubborn").items())
    assert told == [("worlds", 64), ("share", 0.5), ("rollout", "random")]
    assert agents.options("greedy") == {}


@pytest.mark.parametrize("name", agents.names())
def test_defaults_are_those_of_the_agent_made(name: str) -> None:
    given = ",".join(f"{option}={value}" for option, value in agents.options(name).items())
    assert agents.make(f"{name}:{given}" if given else name).name == agents.make(name).name


def test_options_of_an_unknown_agent() -> None:
    with pytest.raises(AgentError, match="no agent called 'gredy'; there are random, greedy"):
        agents.options("gredy")


@pytest.mark.usefixtures("stubborn")
def test_options_are_read_as_the_constructor_types_them() -> None:
    agent = agents.make("stubborn:share=0.25,rollout=greedy,worlds=8")
    assert isinstance(agent, Stubborn)
    assert agent.options == (8, 0.25, "greedy")
    assert [type(value) for value in agent.options] == [int, float, str]


@pytest.mark.usefixtures("stubborn")
def test_options_that_are_not_given_keep_their_default() -> None:
    assert agents.make("stubborn:worlds=8").name == "stubborn:worlds=8,share=0.5,rollout=random"


@pytest.mark.usefixtures("stubborn")
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gredy", f"no agent called 'gredy'; {KNOWN}"),
        ("", f"no agent called ''; {KNOWN}"),
        ("Greedy", f"no agent called 'Greedy'; {KNOWN}"),
        ("greedy:depth=3", "agent greedy has no option 'depth'; it has none"),
        ("greedy:", "option '' of agent greedy is not option=value; it has none"),
        (
            "stubborn:world=3",
            "agent stubborn has no option 'world'; its options are worlds, share, rollout",
        ),
        (
            "stubborn:worlds",
            "option 'worlds' of agent stubborn is not option=value; "
            "its options are worlds, share, rollout",
        ),
        (
            "stubborn:worlds=many",
            "option worlds='many' of agent stubborn: allowed is a whole number",
        ),
        ("stubborn:worlds=1.5", "option worlds='1.5' of agent stubborn: allowed is a whole number"),
        ("stubborn:share=half", "option share='half' of agent stubborn: allowed is a number"),
        (
            "stubborn:worlds=1,worlds=2",
            "option 'worlds' of agent stubborn is given twice; once is allowed",
        ),
        (None, "agent None: wanted is a text such as 'greedy'"),
    ],
)
def test_a_spec_that_cannot_be_made_says_what_could(spec: str, message: str) -> None:
    with pytest.raises(AgentError) as error:
        agents.make(spec)
    assert str(error.value) == message
