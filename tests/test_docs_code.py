"""The pages of docs/ run: their Python does what they print, their commands exist and work."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from experiments.cli import app

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {path.relative_to(DOCS).as_posix(): path for path in sorted(DOCS.rglob("*.md"))}
TEXTS = {
    **{name: path.read_text(encoding="utf-8") for name, path in PAGES.items()},
    "README.md": (DOCS.parent / "README.md").read_text(encoding="utf-8"),
}
# A block of Python, and the block of text right behind it: what it prints.
PYTHON = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^    chickenfoot (?!: )(.*)$", re.MULTILINE)
# tests/doors/test_docs_doors.py and test_docs_tournaments.py, test_docs_watching.py, test_readme.py
# run the code of these.
ELSEWHERE = {"doors.md", "tournaments.md", "watching.md", "README.md"}
RUN = sorted(name for name in TEXTS if PYTHON.search(TEXTS[name]) and name not in ELSEWHERE)
COMMANDS = sorted({line for text in TEXTS.values() for line in COMMAND.findall(text)})


def test_there_is_something_to_run() -> None:
    assert {"tutorial/game.md", "tutorial/agent.md", "design.md"} <= {*RUN}
    assert len(COMMANDS) > 30
    assert all(text.count("```python") == len(PYTHON.findall(text)) for text in TEXTS.values())


@pytest.mark.parametrize("name", RUN)
def test_the_python_of_a_page_runs_and_prints_what_the_page_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "page"}
    for code, printed in PYTHON.findall(TEXTS[name]):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, name, "exec"), names)
        if printed:
            assert _trimmed(out.getvalue()) == _trimmed(printed)


def test_the_agent_of_the_tutorial_beats_greedy_as_it_says() -> None:
    names: dict[str, Any] = {"__name__": "page"}
    for code, _ in PYTHON.findall(TEXTS["tutorial/agent.md"]):
        exec(compile(code, "agent.md", "exec"), names)
    assert names["deals"].mean() > 2 * names["error"]


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_has_the_options_that_it_is_given(line: str) -> None:
    name, *arguments = shlex.split(line, comments=True)
    group = get_command(app)
    command = group.get_command(group.make_context("chickenfoot", ["doctor"]), name)
    assert command is not None, line
    if arguments and hasattr(command, "commands") and arguments[0] in command.commands:
        command = command.commands[arguments.pop(0)]
    command.make_context(name, arguments).close()


def test_the_tournament_of_the_tutorial_has_the_results_that_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows are compared but for the cost of a decision, which is that of a machine."""
    monkeypatch.chdir(tmp_path)
    text = TEXTS["tutorial/tournament.md"]
    first, report, _search, *kept = COMMAND.findall(text)
    shown = re.search(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert shown is not None
    _run(first)
    told = capsys.readouterr().out
    for row in shown[1].splitlines()[4:]:
        assert row.split()[:-2] in [line.split()[:-2] for line in told.splitlines()]
    _run(report)
    assert (tmp_path / "results" / "first" / "report.html").is_file()
    for line in kept:
        _run(line)
    assert (tmp_path / "game.html").is_file()


@pytest.mark.parametrize("line", ["rules", "agents"])
def test_the_commands_that_tell_something_do(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert line in COMMANDS
    _run(line)
    assert len(capsys.readouterr().out.splitlines()) > 8


def _run(line: str) -> None:
    app(shlex.split(line, comments=True), standalone_mode=False)


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
