"""The only warnings of PettingZoo's checkers that the tests let pass."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

DICT_OBSERVATIONS = (  # PettingZoo expects these of a fixed list of its own environments only
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or "
    "gymnasium.spaces.discrete",
)


@contextmanager
def no_other_warnings() -> Iterator[None]:
    """Any other warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in DICT_OBSERVATIONS:
            warnings.filterwarnings("ignore", f"^{message}$")
        yield
