"""Which package and which module may import which: an arrow never points back."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("chickenfoot_env", "agents", "experiments")  # each may import those before it
CORE = (  # modules of chickenfoot_env; each may import those before it
    "tiles",
    "lowering",
    "jit",
    "presets",
    "rules",
    "chance",
    "bits",
    "game",
    "prefetch",
    "dealing",
    "kernels",
    "notation",
    "batch",
    "view",
    "placing",
    "worlds",
    "encode",
    "transcript",
)  # any other module stands behind these
DRAWERS = {"utils", "util", "helpers", "helper", "common", "misc"}
HEAVY = ("torch", "matplotlib", "scipy", "ray", "pandas", "rich", "typer", "jinja2", "experiments")


def modules(package: str) -> list[Path]:
    """The Python files of a package."""
    files = sorted((ROOT / package).rglob("*.py"))
    assert files, f"no module of {package} in {ROOT}"
    return files


def dotted(path: Path) -> str:
    """The name by which a file is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path, name: str) -> Iterator[str]:
    """Every module that a file imports, also inside its functions, as an absolute name.

    `from package import thing` names package.thing, which may be a module or not.
    """
    is_package = path.name == "__init__.py"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = name.split(".")
                above = above[: len(above) - node.level + is_package]
                base = ".".join([*above, *([base] if base else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def layer(module: str) -> int:
    """The place of a module of chickenfoot_env; all that is no core module stands behind."""
    parts = module.split(".")
    if len(parts) < 2 or parts[1] not in CORE:
        return len(CORE)
    return CORE.index(parts[1])


def backward(name: str, imported: str) -> str | None:
    """What is wrong with one import, if anything is."""
    here, there = name.split(".")[0], imported.split(".")[0]
    if there not in PACKAGES:
        return None
    if PACKAGES.index(there) > PACKAGES.index(here):
        return f"{name} imports {imported}: {here} may not know of {there}"
    core = here == there == "chickenfoot_env" and layer(name) < len(CORE)
    if core and layer(imported) >= layer(name):
        return f"{name} imports {imported}: it may import {', '.join(CORE[: layer(name)])}"
    return None


@pytest.mark.parametrize("package", PACKAGES)
def test_no_import_points_back(package: str) -> None:
    """Between the packages, and between the core modules of the environment."""
    found = [
        wrong
        for path in modules(package)
        for imported in imports(path, dotted(path))
        if (wrong := backward(dotted(path), imported)) is not None
    ]
    assert not found, "\n".join(found)


def test_every_core_module_is_there() -> None:
    """A module that was renamed keeps its place in the order."""
    names = {dotted(path).split(".")[-1] for path in modules("chickenfoot_env")}
    assert {*CORE} <= names


@pytest.mark.parametrize(
    ("name", "imported", "allowed"),
    [
        ("chickenfoot_env.kernels", "chickenfoot_env.game.GAME", True),
        ("chickenfoot_env.game", "chickenfoot_env.kernels.play", False),
        ("chickenfoot_env.view", "chickenfoot_env.env", False),
        ("chickenfoot_env.env", "chickenfoot_env.view.observe", True),
        ("chickenfoot_env.batch", "agents.make", False),
        ("chickenfoot_env.env", "experiments.match", False),
        ("agents.base", "chickenfoot_env.view", True),
        ("agents.base", "experiments.match", False),
        ("experiments.match", "agents.make", True),
        ("agents.base", "numpy", True),
    ],
)
def test_the_order_of_the_layers(name: str, imported: str, allowed: bool) -> None:
    """Single imports that are right or wrong."""
    assert (backward(name, imported) is None) == allowed


def test_relative_and_local_imports_are_seen(tmp_path: Path) -> None:
    """All ways to write an import are read as absolute names."""
    file = tmp_path / "one.py"
    file.write_text(
        "import a.b\n"
        "from . import batch\n"
        "from .view import observe\n"
        "from .. import agents\n"
        "def later():\n"
        "    from experiments import match\n"
    )
    assert [*imports(file, "chickenfoot_env.doors.one")] == [
        "a.b",
        "chickenfoot_env.doors.batch",
        "chickenfoot_env.doors.view.observe",
        "chickenfoot_env.agents",
        "experiments.match",
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_is_a_drawer(package: str) -> None:
    """Files and folders are named for what they are about."""
    for path in modules(package):
        parts = {part.removesuffix(".py") for part in path.relative_to(ROOT).parts}
        assert not DRAWERS & parts, path


def loaded_by(statement: str) -> set[str]:
    """The top-level modules in memory after a statement in a fresh process."""
    code = f"import sys; {statement}; print(*{{name.split('.')[0] for name in sys.modules}})"
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return {*run.stdout.split()}


@pytest.mark.parametrize("package", ["chickenfoot_env", "chickenfoot_env.env", "agents"])
def test_importing_loads_nothing_heavy(package: str) -> None:
    """Playing needs neither a network, a plot nor a table; Numba and PettingZoo load their own."""
    own = loaded_by("import numba, gymnasium, pettingzoo, numpy.random")
    assert not {*HEAVY} & (loaded_by(f"import {package}") - own)
