"""What the tests of doors share: the versions that they ran with, for the table of `make doors`."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable

import pytest

LIBRARIES = (
    *("chickenfoot", "gymnasium", "open-spiel", "pettingzoo"),
    *("ray", "sb3-contrib", "stable-baselines3", "torchrl"),
)


@pytest.fixture(scope="session", autouse=True)
def versions(record_testsuite_property: Callable[[str, object], None]) -> None:
    """Put them into the results file, if one is written."""
    for library in LIBRARIES:
        try:
            record_testsuite_property(library, importlib.metadata.version(library))
        except importlib.metadata.PackageNotFoundError:
            continue
