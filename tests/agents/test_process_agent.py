"""Programs as agents: the examples, the protocol, and what becomes of those that break it."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.described import described
from agents.process_agent import ProtocolError
from agents.specs import pieces, quoted, unquoted
from chickenfoot_env import batch, chance, notation, sampling, view
from chickenfoot_env.rules import Rules

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
HELLO = 'print(\'{"protocol": "chickenfoot", "version": 1}\', flush=True); input(); input();'


def positions(count: int = 40, rules: Rules | None = None, *, finished: bool = False) -> Any:
    """Views of games after 1 to `count` random plays, and seeds."""
    seeds = np.arange(count, dtype=np.uint64)
    games = batch.deal(rules or Rules(), seeds)
    for ply in range(count):
        actions = sampling.sample(batch.legal_mask(games), chance.derive(seeds, ply))
        going = games[ply:].copy()
        batch.step(going, actions[ply:])
        games[ply:] = going
    if finished:
        batch.random_playout(games, seeds)
    return view.observe(games, games["seat"].astype(np.int64)), seeds


def program(source: str) -> str:
    """The spec of a program in Python."""
    return f"process:cmd={quoted(f'{sys.executable} -c {json.dumps(source)}')}"


@pytest.mark.parametrize("interpreter", ["python3", "node"])
def test_the_examples_play_as_greedy_does(interpreter: str) -> None:
    if shutil.which(interpreter) is None:
        pytest.skip(f"there is no {interpreter}")
    path = EXAMPLES / f"heaviest_agent.{'js' if interpreter == 'node' else 'py'}"
    agent = agents.make(f'process:cmd="{interpreter} {path}"')
    for rules in (Rules(), Rules(players=8, max_pip=12), Rules(double_blank_points=0)):
        views, seeds = positions(rules=rules)
        np.testing.assert_array_equal(
            agent.act(views, seeds), agents.make("greedy").act(views, seeds)
        )
    views, seeds = positions(3, finished=True)
    assert (agent.act(views, seeds) == Rules().pass_).all()
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 32


def test_the_name_makes_the_agent_again() -> None:
    agent = agents.make(f"process:cmd=python3 {EXAMPLES / 'heaviest_agent.py'}")
    assert agents.make(agent.name).name == agent.name


def test_every_member_is_on_the_page_and_none_else() -> None:
    views, _ = positions(1)
    section = PAGE.partition("## The view")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)`", section, re.MULTILINE) == list(described(views[0]))


def test_a_view_is_told_by_names() -> None:
    game = notation.parse_position("FOOT 6/2 | 2 3 5 8 | 2-9 / 1-1 | 3-5 0-6 | 0")
    told = described(view.observe(game, np.array([0]))[0])
    assert told["hand"] == ["2-9"] and told["boneyard"] == 2 and told["hand_counts"] == [1, 1]
    assert (told["foot"], told["owed"]) == (6, 2)
    assert told["ends"] == [0, 0, 1, 1, 0, 1, 2, 0, 1, 0]
    assert "6-6" in told["table"] and "1-1" not in told["table"]
    assert told["rules"]["drawn_tile"] == "may" and told["rules"]["hand_size"] == 7
    assert json.loads(json.dumps(told)) == told


def test_no_member_tells_of_hidden_tiles() -> None:
    """The same view described, whatever the others hold and the boneyard's order."""
    told = []
    for hidden in ("1-1 | 3-5 0-6", "0-6 | 1-1 3-5", "3-5 | 0-6 1-1"):
        game = notation.parse_position(f"OPEN | 2 3 5 8 | 2-9 / {hidden} | 0")
        told.append(described(view.observe(game, np.array([0]))[0]))
    assert told[0] == told[1] == told[2]


def test_what_a_program_is_asked(tmp_path: Path) -> None:
    """As the page says: a greeting, then questions with a seed of 53 bits and the legal actions."""
    heard = tmp_path / "heard"
    source = (
        "import json, sys\n"
        "with open(sys.argv[1], 'w') as heard:\n"
        "    for line in sys.stdin:\n"
        "        question = json.loads(line); print(line, file=heard, flush=True)\n"
        "        legal = question.get('legal')\n"
        "        hello = {'protocol': 'chickenfoot', 'version': 1}\n"
        "        print(json.dumps({'action': legal[-1]} if legal else hello), flush=True)\n"
    )
    path = tmp_path / "program.py"
    path.write_text(source)
    agent = agents.make(f"process:cmd={quoted(f'{sys.executable} {path} {heard}')}")
    views, _ = positions(2)
    answers = agent.act(views, np.array([2**64 - 1, 5 << 11], np.uint64))
    hello, one, other = (json.loads(line) for line in heard.read_text().splitlines() if line)
    assert hello == {"type": "hello", "protocol": "chickenfoot", "version": 1}
    assert f"→ {json.dumps(hello)}" in PAGE
    assert (one["seed"], other["seed"]) == (2**53 - 1, 5)
    for row, question in enumerate((one, other)):
        legal = np.flatnonzero(view.legal_mask(views)[row]).tolist()
        assert question["legal"] == legal and answers[row] == legal[-1]
        texts = [notation.format_action(action, Rules()) for action in legal]
        assert question["legal_text"] == texts
        assert question["view"] == described(views[row])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (HELLO + "raise SystemExit(3)", "the program ended without an answer, exit code 3"),
        (HELLO + "print('{')", "the program answered '{': wanted is one JSON object"),
        (HELLO + "print('[1]')", r"the program answered '\[1\]': wanted is one JSON object"),
        (HELLO + "print('7' * 99999)", "the program answered with a line that does not end"),
        (HELLO + "print('{}')", "answered '{}': wanted is a legal action"),
        (HELLO + "print('{\"action\": true}')", "wanted is a legal action"),
        (HELLO + 'print(\'{"action": "9-9@1"}\')', "wanted is a legal action"),
    ],
)
def test_programs_that_break_the_protocol(source: str, message: str) -> None:
    agent = agents.make(program(source))
    with pytest.raises(ProtocolError, match=message):
        agent.act(*positions(1))


def test_a_program_that_has_ended_is_started_anew(tmp_path: Path) -> None:
    """It answers one question a life."""
    source = (
        HELLO + f"open({str(tmp_path / 'lives')!r}, 'a').write('x'); print('{{\"action\": 0}}')"
    )
    agent = agents.make(program(source))
    for _ in range(3):
        assert agent.act(*positions(1)).tolist() == [0]
        with pytest.raises(ProtocolError, match="ended without an answer, exit code 0"):
            agent.act(*positions(1))
    assert (tmp_path / "lives").read_text() == "xxx"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("process", "agent process needs its option cmd, as in process:cmd=..."),
        ('process:cmd=""', "agent process: cmd is empty"),
        ("process:cmd=/no/such/program", "No such file"),
        ('process:cmd="a', "has a quote that is not closed"),
        ('process:cmd="it\'s"', "No closing quotation"),
        ("process:cmd=true", "ended without an answer, exit code 0"),
        (program('print(\'{"protocol": "uci"}\')'), "wanted are protocol 'chickenfoot' and"),
        (program("print('{\"version\": 2}')"), "greeted with"),
    ],
)
def test_programs_that_cannot_be_used(spec: str, message: str) -> None:
    with pytest.raises(agents.AgentError) as raised:
        agents.make(spec)
    assert message in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", [""]),
        ("a,b", ["a", "b"]),
        ('x:cmd="a,b",c', ['x:cmd="a,b"', "c"]),
        (r'cmd="a \"b, c\" \\",d=1,', [r'cmd="a \"b, c\" \\"', "d=1", ""]),
    ],
)
def test_quotes_hold_commas_together(text: str, parts: list[str]) -> None:
    assert pieces(text) == parts


@pytest.mark.parametrize("value", ["", "a b", 'say "x, y"', "back\\slash\\", '\\"'])
def test_what_is_quoted_is_read_again(value: str) -> None:
    assert unquoted(quoted(value)) == value
    assert pieces(quoted(value)) == [quoted(value)]


def test_a_word_without_quotes_is_itself() -> None:
    assert unquoted("c:\\x") == "c:\\x"
