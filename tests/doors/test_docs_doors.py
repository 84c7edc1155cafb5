"""The code of docs/doors.md runs as written, section by section, where its libraries are."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "doors.md").read_text(encoding="utf-8")


def sections() -> dict[str, str]:
    """The code below each heading of the page, its blocks in a row."""
    found = {}
    for part in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]:
        blocks = re.findall(r"^```python\n(.*?)^```", part, flags=re.MULTILINE | re.DOTALL)
        found[part.split("\n")[0]] = "\n".join(blocks)
    return found


def libraries(code: str) -> set[str]:
    """The packages that the code imports, those of the doors that it uses included."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module or "")
    return {BEHIND_DOORS.get(module, module.split(".")[0]) for module in modules}


BEHIND_DOORS = {
    "chickenfoot_env.doors.openspiel": "pyspiel",
    "chickenfoot_env.doors.rllib": "ray",
    "chickenfoot_env.doors.stable_baselines": "stable_baselines3",
    "chickenfoot_env.doors.torchrl": "torchrl",
}
SECTIONS = sections()


def test_every_section_shows_how() -> None:
    assert {"OpenSpiel", "Stable-Baselines3", "A PPO in one file"} <= {*SECTIONS}
    assert all(SECTIONS.values())
    assert PAGE.count("```python") == len(re.findall(r"^```python\n", PAGE, flags=re.MULTILINE))


@pytest.mark.parametrize("section", SECTIONS)
def test_the_code_of_a_section_runs(section: str, tmp_path: Path) -> None:
    missing = [name for name in libraries(SECTIONS[section]) if not importlib.util.find_spec(name)]
    if missing:
        pytest.skip(f"not installed: {', '.join(sorted(missing))}")
    script = tmp_path / "section.py"
    script.write_text(SECTIONS[section], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
