"""Fixtures of the tests of the environment."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator of one test's random choices."""
    return np.random.default_rng(20)
