"""Parts of compiled functions: no references are counted in them, so they give none away."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numba.core.errors import TypingError
from numpy.typing import NDArray

from chickenfoot_env.jit import COMPILATION_OFF, compiled, part

ROOT = Path(__file__).parents[2]
NUMBERS = re.compile(r"None|(np\.)?(u?int|float|bool)\w*")


def parts() -> Iterator[tuple[str, ast.expr | None]]:
    """Where each part is, and what it is said to return."""
    for package in ("chickenfoot_env", "agents"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef):
                    names = {ast.unparse(each) for each in node.decorator_list}
                    if "part" in names:
                        yield f"{path.name}: {node.name}", node.returns


def test_parts_return_numbers() -> None:
    """An array that one returned would be given back to memory while it is in use."""
    found = dict(parts())
    assert len(found) > 100
    for place, returns in found.items():
        assert returns is not None, place
        told = ast.unparse(returns).removeprefix("tuple[").removesuffix("]")
        assert all(NUMBERS.fullmatch(each) for each in told.split(", ")), f"{place} -> {told}"


@part
def _careless(count: int) -> NDArray[np.float64]:
    return np.zeros(count)


@compiled
def _calls_it(count: int) -> float:
    return float(_careless(count)[0])


@pytest.mark.skipif(COMPILATION_OFF, reason="nothing is compiled")
def test_a_part_that_makes_an_array_does_not_compile() -> None:
    with pytest.raises(TypingError, match="zeros"):
        _calls_it(3)
