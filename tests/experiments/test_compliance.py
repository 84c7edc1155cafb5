"""The checker of agents: it passes those that keep to the interface, and finds each flaw."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from installed import install

import agents
from experiments import cli
from experiments.isolation import compliance
from experiments.isolation.compliance import FAILED, PASSED
from experiments.isolation.limits import Limits

SOURCE = '''
import os, time
import numpy as np
from chickenfoot_env import view
from chickenfoot_env.game import GAME_OVER

class First:
    name = "first"
    def act(self, views, seeds):
        return view.legal_mask(views).argmax(axis=1)

def legal(views, numbers):
    """For each view the legal action of this number, going round."""
    mask = view.legal_mask(views)
    order = mask.cumsum(axis=1) - 1
    return np.where(mask & (order == (numbers % mask.sum(axis=1))[:, None]), 1, 0).argmax(axis=1)

class Remembers(First):
    def __init__(self): self.asked = 0
    def act(self, views, seeds):
        self.asked += 1
        return legal(views, np.full(len(views), self.asked))

class Counts(First):
    def act(self, views, seeds): return legal(views, np.full(len(views), len(views)))

class Places(First):
    def act(self, views, seeds): return legal(views, np.arange(len(views)))

class Differs(First):
    def act(self, views, seeds): return legal(views, np.full(len(views), os.getpid()))

class Writes(First):
    def act(self, views, seeds):
        answers = super().act(views, seeds)
        views["points"] += 1
        return answers

class Small(First):
    def act(self, views, seeds):
        if len(views) and views["max_pip"].max() > 9: raise ValueError("only the double-nine set")
        return super().act(views, seeds)

class Alike(First):
    def act(self, views, seeds):
        if len(set(views["max_pip"].tolist())) > 1: raise ValueError("sets are mixed")
        return super().act(views, seeds)

class Plays(First):
    def act(self, views, seeds):
        return np.where(views["over"] == GAME_OVER, 0, super().act(views, seeds))

class Needs(First):
    def act(self, views, seeds): return super().act(views, seeds) + 0 * views["turn"][0]

class Illegal(First):
    def act(self, views, seeds): return np.full(len(views), 3)

class Slow(First):
    def act(self, views, seeds):
        if (views["players"] == 12).any(): time.sleep(1e6)
        return super().act(views, seeds)
'''
FLAWS = {  # agent -> the checks that it fails, and what they say
    "first": {},
    "remembers": {
        "asked again, it answers the same": "otherwise, first",
        "in another order, it answers the same": "otherwise, first",
        "one view at a time, it answers the same": "otherwise, first",
        "views of several rule sets may come together": "otherwise, first",
    },
    "counts": {
        "one view at a time, it answers the same": "otherwise, first",
        "views of several rule sets may come together": "otherwise, first",
    },
    "places": {
        "one view at a time, it answers the same": "otherwise, first",
        "in another order, it answers the same": "otherwise, first",
        "views of several rule sets may come together": "otherwise, first",
    },
    "differs": {
        "in a new process, it answers the same": "otherwise, first",
        "views of several rule sets may come together": "otherwise, first",
    },
    "writes": {"it leaves what it is shown as it is": "has written to its arguments"},
    "small": {
        "its actions are legal: seed_large, 12 seats": "raised ValueError: only the double-nine",
        "its actions are legal: double-eighteen, 3 seats": "raised ValueError: only the",
        "a finished game is answered with PASS": "raised ValueError: only the double-nine",
    },
    "alike": {"views of several rule sets may come together": "raised ValueError: sets are mixed"},
    "plays": {"a finished game is answered with PASS": "answered [0, 0, 0]; PASS is 101"},
    "needs": {"no views get no answers": "raised IndexError"},
    "slow": {
        "its actions are legal: seed_large, 12 seats": "took longer than 2 s, at ",
        "a finished game is answered with PASS": "took longer than 2 s",
    },
}
QUICK = ("first", "remembers", "writes", "plays")


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offered = {name: name.capitalize() for name in [*FLAWS, "illegal"]}
    monkeypatch.syspath_prepend(install(tmp_path, "flawed_agents", SOURCE, offered))


def examine(spec: str) -> dict[str, compliance.Finding]:
    limits = Limits(decision_seconds=2.0 if spec == "slow" else 60.0)
    return {finding.check: finding for finding in compliance.examine(spec, limits, 6)}


@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in FLAWS],
)
def test_a_flaw_is_found_by_the_checks_that_are_for_it(name: str) -> None:
    failed = {key: one for key, one in examine(name).items() if one.result == FAILED}
    assert failed.keys() == FLAWS[name].keys()
    for check, message in FLAWS[name].items():
        assert message in failed[check].detail


def test_illegal_actions_are_told_with_the_position() -> None:
    found = examine("illegal")["its actions are legal: seed, 4 seats"]
    assert found.result == FAILED
    assert "it chose 3, at " in found.detail and "; legal are " in found.detail


@pytest.mark.parametrize("name", ["random", "heuristic"])
def test_our_own_agents_pass(name: str) -> None:
    assert agents.is_own(name)
    found = examine(name)
    assert {finding.result for finding in found.values()} == {PASSED}
    told = found["its answers depend on seeds"].detail
    assert (" 0 of 30 positions" in told) == (name == "heuristic")


def test_an_agent_that_cannot_be_made_fails_at_once() -> None:
    (found,) = examine("nobody").values()
    assert found.result == FAILED and "no agent called 'nobody'" in found.detail


@pytest.mark.parametrize(("spec", "code"), [("first", 0), ("writes", 1)])
def test_the_command_prints_a_table_and_says_by_its_exit_code(
    spec: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["chickenfoot", "agents", "check", spec, "--positions", "2"]
    monkeypatch.setattr(sys, "argv", words)
    assert cli._exit_code() == code
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["check", "result"]
    (line,) = [line for line in lines if line.startswith("it leaves what it is shown")]
    assert (PASSED if code == 0 else FAILED) in line
