"""docs/watching.md: its code runs, its pictures are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

from experiments import game_file

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "watching.md").read_text(encoding="utf-8")
README = (DOCS.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


def test_the_code_records_a_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    block = BLOCKS[0]
    names: dict[str, object] = {}
    exec(compile(block, "watching.md", "exec"), names)
    (game,) = game_file.read_games(tmp_path / "first.jsonl")
    assert [game] == names["records"][:1]


def test_the_code_makes_an_animation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, block = BLOCKS
    exec(compile(block, "watching.md", "exec"), {})
    with Image.open(tmp_path / "round.gif") as animation:
        assert animation.size == (1280, 960)
        assert animation.n_frames > 3


@pytest.mark.parametrize("text", [PAGE, README])
def test_its_pictures_are_there(text: str) -> None:
    folder = DOCS if text is PAGE else DOCS.parent
    found = re.findall(r"\]\(((?:docs/)?images/[^)]*)\)", text)
    assert found and all((folder / path).is_file() for path in found)
