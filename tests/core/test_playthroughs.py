"""The printed games are those that were read against the rules and pinned.

After a change of the rules as played: `make golden`, and read what differs.
"""

from __future__ import annotations

import pytest
from core.playthrough import FOLDER, PLAYS, path_of, playthrough


@pytest.mark.parametrize("name", PLAYS)
def test_a_printed_game_is_as_it_was_read(name: str) -> None:
    """Every position, view, choice and score of it."""
    assert playthrough(name).splitlines() == path_of(name).read_text(encoding="utf-8").splitlines()


def test_every_printed_game_is_played() -> None:
    """No text is left over from a game that is gone."""
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(PLAYS)
