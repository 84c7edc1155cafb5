"""Agents of other distributions."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from installed import environment, install

import agents
from agents import AgentError, plugins

SOURCE = '''
import numpy as np

class Shy:
    """Passes whenever it may.

    And more.
    """

    def __init__(self, depth: int = 2, share: float = 0.5, style="plain", *, quiet: str = "no"):
        self.options = depth, share, style, quiet
        self.name = f"shy:depth={depth}"

    def act(self, views, seeds):
        return np.zeros(len(views), np.int64)

def make_shy(depth: int = 7):
    return Shy(depth)

def fails():
    raise OSError("no weights")

def leaves():
    raise SystemExit(3)

def makes_nothing():
    return None

number = 7
'''
OFFERED = {
    "shy": "Shy",
    "made": "make_shy",
    "greedy": "Shy",
    "fails": "fails",
    "leaves": "leaves",
    "nothing": "makes_nothing",
    "number": "number",
    "gone": "Gone",
}


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path where one distribution is installed."""
    monkeypatch.syspath_prepend(install(tmp_path, "shy_agents", SOURCE, OFFERED))
    return tmp_path


def test_an_installed_agent_is_made_with_its_options() -> None:
    agent = agents.make('shy:share=0.25,depth=3,style="a,b",quiet=yes')
    assert agent.options == (3, 0.25, "a,b", "yes")
    assert agents.make("shy").options == (2, 0.5, "plain", "no")
    assert agents.make("made:depth=4").options[0] == 4
    assert agents.options("shy") == {"depth": 2, "share": 0.5, "style": "plain", "quiet": "no"}


def test_our_own_names_cannot_be_taken() -> None:
    assert type(agents.make("greedy")).__module__ == "agents.greedy_agent"
    assert "greedy" not in agents.others()
    assert agents.is_own("greedy") and not agents.is_own("shy:depth=3")


def test_they_are_listed_behind_our_own(site: Path) -> None:
    told = agents.others()
    assert list(told) == [*sorted({*OFFERED} - {"greedy"}), "process"]
    assert told["shy"] == "Passes whenever it may. (shy_agents 1.2)"
    assert "cannot be imported" in told["gone"]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("fails", "agent 'fails' cannot be made: OSError: no weights"),
        ("leaves", "agent 'leaves' cannot be made: SystemExit: 3"),
        ("nothing", "agent 'nothing' is None: wanted is a name and act(views, seeds)"),
        ("number", "agent 'number' of shy_agents 1.2 is 7: wanted is what makes an agent"),
        ("gone", "agent 'gone' of shy_agents 1.2 cannot be imported: AttributeError"),
        ("shy:width=3", "agent shy has no option 'width'; its options are depth, share, style"),
        ("shy:depth=x", "option depth='x' of agent shy: allowed is a whole number"),
        (
            "nobody",
            "there are random, greedy, heuristic, flat_mc, mcts, ppo, ppo_mcts, oracle, fails",
        ),
    ],
)
def test_what_cannot_be_made_is_one_line(spec: str, message: str) -> None:
    with pytest.raises(AgentError, match=re.escape(message)) as raised:
        agents.make(spec)
    assert "\n" not in str(raised.value)


def test_a_name_in_two_distributions_is_refused(site: Path) -> None:
    install(site, "more_agents", SOURCE, {"shy": "Shy"})
    with pytest.raises(AgentError, match=r"in more_agents 1.2 and in shy_agents 1.2: remove one"):
        agents.make("shy")


def test_a_distribution_that_pip_has_installed(tmp_path: Path) -> None:
    """From a wheel; a process that has it on its path finds the agent by its name."""
    wheel, about = tmp_path / "shy_wheel-3.1-py3-none-any.whl", "shy_wheel-3.1.dist-info"
    files = {
        "shy_wheel.py": SOURCE,
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: shy-wheel\nVersion: 3.1\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": f"[{plugins.GROUP}]\nshy2 = shy_wheel:Shy\n",
    }
    files[f"{about}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{about}/RECORD"])
    with zipfile.ZipFile(wheel, "w") as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    target = tmp_path / "target"
    words = ["-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", str(target)]
    subprocess.run([sys.executable, *words, str(wheel)], check=True)
    code = "import agents; print(agents.make('shy2:depth=3').options, agents.others()['shy2'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(target)
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "(3, 0.5, 'plain', 'no') Passes whenever it may. (shy-wheel 3.1)\n"


def test_arrays_go_through() -> None:
    assert agents.make("shy").act(np.zeros(3), None).tolist() == [0, 0, 0]
