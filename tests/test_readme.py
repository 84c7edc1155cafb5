"""The README's code runs as written, block after block, and does what the text says of it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What the blocks have defined, all of them run in order."""
    namespace: dict[str, Any] = {"__name__": "readme"}
    for block in BLOCKS:
        exec(compile(block, "README.md", "exec"), namespace)
    return namespace


def test_the_readme_has_a_block_for_each_quickstart() -> None:
    assert len(BLOCKS) == 6


def test_the_comments_on_shapes_are_right(names: dict[str, Any]) -> None:
    assert names["legal"].shape == (1000, 102)
    assert names["inputs"].shape == (1000, 342)
    assert "(1000, 102)" in README and "(1000, 342)" in README


def test_the_vector_environments_of_the_readme_play(names: dict[str, Any]) -> None:
    assert names["rewards"].shape == (256,) and names["terminations"].dtype == bool
    earned, final = names["learned_from"]
    assert len(earned) > 0 and final.shape[1] == 4 and abs(final.sum(axis=1)).max() < 300


def test_the_policy_trained_in_the_readme_is_close_to_greedy(names: dict[str, Any]) -> None:
    assert names["margin"] > -3.0  # a random policy has about -11


def test_the_leaderboard_of_the_readme_is_that_of_the_default_tournament() -> None:
    """As far as it can be told without playing it: who sits there, and how many games."""
    from experiments.cli import tournaments

    parameters = inspect.signature(tournaments.tournament).parameters
    asked = {name: parameter.default for name, parameter in parameters.items()}
    games = asked["deals"] * asked["players"]
    title = f"    {asked['deals']:,} deals, {games:,} games, {asked['players']} seats\n"
    assert title in README
    board = README.partition(title)[2].partition("\n\n")[0].splitlines()[3:]
    assert sorted(line.split()[0] for line in board) == sorted(asked["agents"].split(","))
    margins = [float(line.split()[3]) for line in board]
    assert margins == sorted(margins, reverse=True)
    assert {line.split()[1] for line in board} == {str(games)}
    command = f"--agents {asked['agents']} --players {asked['players']} --deals {asked['deals']} "
    assert command in README


def test_the_words_of_the_readme_name_each_command_that_exists() -> None:
    from experiments.cli import app

    names = [command.name or command.callback.__name__ for command in app.registered_commands]
    for name in names + [group.name for group in app.registered_groups]:
        assert f"chickenfoot {name}" in README
