"""A distribution with agents that is installed for a test: its files and its metadata."""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path


def install(folder: Path, name: str, source: str, agents: dict[str, str]) -> Path:
    """Put a distribution of one module into a folder, as pip would; the folder.

    Args:
        folder: goes onto the path.
        name: of the distribution and of its module.
        source: of the module.
        agents: entry points, name -> object in the module.
    """
    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    about = folder / f"{name}-1.2.dist-info"
    about.mkdir()
    lines = [f"{agent} = {name}:{made}" for agent, made in agents.items()]
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    (about / "entry_points.txt").write_text("\n".join(["[chickenfoot.agents]", *lines, ""]))
    (about / "RECORD").write_text("")
    return folder


def install_bad_agents(folder: Path) -> Path:
    """Install all classes of bad_agents.py, under their names in small letters."""
    source = (Path(__file__).parent / "experiments" / "bad_agents.py").read_text(encoding="utf-8")
    names = [name for name in re.findall(r"^class (\w+)", source, re.MULTILINE) if name[0] != "_"]
    return install(folder, "bad_agents", source, {name.lower(): name for name in names})


def environment(*more: Path) -> dict[str, str]:
    """Variables for a process that is to import what this one can, and what is in `more`."""
    path = [*map(str, more), *(entry for entry in sys.path if entry)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


def wait_for_the_end_of(*pids: int) -> None:
    """Fail if one of these processes is still there after a while."""
    until = time.monotonic() + 20
    while there := [pid for pid in pids if _runs(pid)]:
        assert time.monotonic() < until, f"processes {there} are still there"
        time.sleep(0.02)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
