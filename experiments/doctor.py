"""What works here, and what is wrong, in plain words.

Versions are compared with those that the installed package asks for, and every door is gone through
in a process of its own; see `doctor_doors`. Problems are what stops something that is installed
from working. Advice is what would work better otherwise.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from chickenfoot_env import __version__
from experiments.doctor_doors import ALL, CORE, DOORS, TORCH, Door

if TYPE_CHECKING:
    from rich.table import Table

SECONDS: Final = 300.0  # that a door may take; the first compilation on a slow machine included
LITTLE_MEMORY: Final = 2**30  # bytes
WORKS, MISSING, BROKEN = "works", "not installed", "broken"
_AT_LEAST: Final = ("numpy", "numba", "gymnasium", "pettingzoo")
_EXTRAS: Final = {"ray": "rllib"}  # of the libraries themselves

Progress = Callable[[str, int, int], None]  # what is tried, how many before it, of how many


def examine(progress: Progress) -> dict[str, Any]:
    """All findings, as JSON can hold them.

    Returns:
        "versions": of each library that is asked for; "machine"; "core": how the batch core did;
        "doors": name, library, version, state (one of "works", "not installed", "broken") and
        detail of each; "problems" and "advice": sentences.
    """
    results = {}
    for number, door in enumerate(ALL):
        progress(f"trying {door.name}", number, len(ALL))
        results[door.name] = _gone_through(door)
    findings: dict[str, Any] = {
        "versions": _versions(),
        "machine": _machine(),
        "core": results[CORE.name],
        "torch": results[TORCH.name],
        "doors": [results[door.name] for door in DOORS],
    }
    findings["problems"] = list(_problems(findings))
    findings["advice"] = list(_advice(findings))
    return findings


# Doors.


def _gone_through(door: Door) -> dict[str, Any]:
    result = {"name": door.name, "library": door.library, "version": _version(door.library)}
    missing = door.missing()
    if missing:
        return {**result, "state": MISSING, "detail": f"pip install 'chickenfoot[{door.extra}]'"}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "experiments.doctor_doors", door.name],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
            cwd=Path(__file__).parents[1],
        )
    except subprocess.TimeoutExpired:
        return {**result, "state": BROKEN, "detail": f"no answer in {SECONDS:.0f} seconds"}
    if done.returncode < 0:
        return {**result, "state": BROKEN, "detail": f"it crashed, signal {-done.returncode}"}
    if done.returncode > 0:
        return {**result, "state": BROKEN, "detail": _last_error(done.stderr)}
    told = json.loads(done.stdout.strip().splitlines()[-1])
    detail = f"{told['steps']} steps" if "steps" in told else ""
    return {**result, "state": WORKS, "detail": detail, **told}


def _last_error(stderr: str) -> str:
    """The line of a traceback that names the last error: its lines are the only ones indented."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    starts = [i for i, line in enumerate(lines) if line.startswith("Traceback ")]
    for line in lines[starts[-1] + 1 :] if starts else []:
        if not line.startswith(" "):
            return line
    return lines[-1] if lines else "it failed without a word"


# Versions.


def _version(library: str) -> str | None:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return None


def _wanted(library: str, *extras: str) -> Iterator[Requirement]:
    """What an installed library asks for, here and with these extras."""
    try:
        asked = importlib.metadata.requires(library) or []
    except importlib.metadata.PackageNotFoundError:
        return
    for text in asked:
        requirement, environments = Requirement(text), [{"extra": one} for one in ("", *extras)]
        if requirement.marker is None or any(map(requirement.marker.evaluate, environments)):
            yield requirement


def _versions() -> list[dict[str, Any]]:
    """Python and what chickenfoot asks for: name, version, wanted, and whether it is supported.

    Run from its sources, without an installation, it asks for nothing.
    """
    python, wanted = platform.python_version(), ""
    requirements = [Requirement(name) for name in _AT_LEAST]
    if _version("chickenfoot") is not None:
        wanted = importlib.metadata.metadata("chickenfoot")["Requires-Python"]
        requirements = list(_wanted("chickenfoot", *sorted({door.extra for door in ALL})))
    asked = [("python", python, SpecifierSet(wanted))]
    for requirement in requirements:
        version = _version(requirement.name)
        if version is not None:
            asked.append((requirement.name, version, requirement.specifier))
    return [
        {
            "name": name,
            "version": version,
            "wanted": str(specifier),
            "supported": specifier.contains(version, prereleases=True),
        }
        for name, version, specifier in asked
    ]


def _conflicts() -> Iterator[str]:
    """What the libraries behind doors ask for and have not got."""
    for door in ALL:
        extra = _EXTRAS.get(door.library, "")
        for requirement in _wanted(door.library, extra) if not door.missing() else ():
            version = _version(requirement.name)
            if version and not requirement.specifier.contains(version, prereleases=True):
                yield (
                    f"{door.library} asks for {requirement.name}{requirement.specifier}, but "
                    f"{version} is installed; if something is odd there, give {door.library} a "
                    "virtual environment of its own"
                )


# The machine.


def _machine() -> dict[str, Any]:
    usable = getattr(os, "sched_getaffinity", None)
    return {
        "chickenfoot": __version__,
        "system": f"{platform.system()} {platform.machine()}",
        "processors": len(usable(0)) if usable else os.cpu_count(),
        "free_memory_bytes": _free_memory(),
    }


def _free_memory() -> int | None:
    """What a new process could have, a container's limit considered; None where nobody tells."""
    found = []
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            found.append(int(line.split()[1]) * 1024)
    limit, used = (_lines(f"/sys/fs/cgroup/memory.{name}") for name in ("max", "current"))
    if limit and used and limit[0] != "max":
        found.append(int(limit[0]) - int(used[0]))
    return min(found, default=None)


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


# What to make of it.


def _problems(findings: Mapping[str, Any]) -> Iterator[str]:
    for one in findings["versions"]:
        if not one["supported"]:
            yield (
                f"{one['name']} {one['version']} is not supported, wanted is {one['wanted']}: "
                + ("use another Python" if one["name"] == "python" else "reinstall chickenfoot")
            )
    for one in (findings["core"], findings["torch"], *findings["doors"]):
        if one["state"] == BROKEN:
            yield f"{one['name']} is installed but does not work: {one['detail']}"
        elif one["state"] == MISSING and one is findings["core"]:
            yield "NumPy or Numba is missing: reinstall chickenfoot"


def _advice(findings: Mapping[str, Any]) -> Iterator[str]:
    core, machine = findings["core"], findings["machine"]
    if _version("chickenfoot") is None:
        yield (
            "chickenfoot is not installed, only its sources are used, and which versions it wants "
            "is not known: pip install -e ."
        )
    if core["state"] == WORKS and not core["compilation"]:
        yield (
            "compilation is switched off, and everything some hundred times as slow: unset "
            "NUMBA_DISABLE_JIT"
        )
    elif core["state"] == WORKS and core["cache"] is None:
        yield (
            "machine code can be kept nowhere, so that every process compiles anew, a quarter of a "
            "minute: set NUMBA_CACHE_DIR to a folder that can be written"
        )
    free = machine["free_memory_bytes"]
    if free is not None and free < LITTLE_MEMORY:
        yield f"{free / 2**30:.1f} GB of memory are free; training and RLlib want more"
    threads = findings["torch"].get("torch_threads", 1)
    if threads > 1:
        yield (
            f"PyTorch would use {threads} threads; for networks as small as these one is faster, "
            "on a busy machine many times: torch.set_num_threads(1), or OMP_NUM_THREADS=1"
        )
    yield from _conflicts()


# For people.


def lines(findings: Mapping[str, Any]) -> Iterator[str | Table]:
    """The findings in words, with a table of the doors."""
    from rich.table import Table

    machine, core = findings["machine"], findings["core"]
    free = machine["free_memory_bytes"]
    memory = "" if free is None else f", {free / 2**30:.1f} GB of memory free"
    yield (
        f"chickenfoot {machine['chickenfoot']}, {machine['system']}, "
        f"{machine['processors']} processors{memory}"
    )
    yield ", ".join(f"{one['name']} {one['version']}" for one in findings["versions"])
    if core["state"] == WORKS and core["cache"] is not None:
        was = "was there" if core["from_cache"] else "was compiled now and is there from now on"
        yield f"machine code, which can be written and {was}: {core['cache']}"
    table = Table("door", "library", "version", "", box=None, pad_edge=False)
    for one in (core, findings["torch"], *findings["doors"]):
        detail = f": {one['detail']}" if one["detail"] else ""
        version = one["version"] if one["state"] != MISSING else None
        table.add_row(one["name"], one["library"], version or "", f"{one['state']}{detail}")
    yield table
    for problem in findings["problems"]:
        yield f"Wrong: {problem}"
    for advice in findings["advice"]:
        yield f"Advice: {advice}"
    if not findings["problems"]:
        yield "Nothing is wrong."
