"""The keywords and arguments that the vector environments have beside `settings`, checked."""

from __future__ import annotations

import enum
import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.books import RANDOM_SEAT, ROTATING
from chickenfoot_env.rules import Rules

try:
    from gymnasium.vector import AutoresetMode as AutoresetMode
except ImportError:  # Gymnasium has it from 1.1 on

    class AutoresetMode(enum.Enum):  # type: ignore[no-redef]
        """When a new episode is dealt after one has ended."""

        NEXT_STEP = "NextStep"
        SAME_STEP = "SameStep"
        DISABLED = "Disabled"


_log = logging.getLogger(__name__)


class IllegalActionError(ValueError):
    """An action that is not legal; the message says what would be. Nothing has changed."""


def one_of(name: str, value: object, allowed: Sequence[object]) -> None:
    """Refuse the value of a keyword with a ValueError if it is none of those allowed."""
    if not any(value is one or (isinstance(value, str) and value == one) for one in allowed):
        raise ValueError(f"{name}={value!r}: allowed are {', '.join(map(repr, allowed))}")


def choose_autoreset(mode: str | AutoresetMode) -> AutoresetMode:
    """The mode of this name.

    Raises:
        ValueError: if there is none.
    """
    for each in AutoresetMode:
        if mode is each or (isinstance(mode, str) and mode in (each.name.lower(), each.value)):
            return each
    allowed = ", ".join(repr(each.name.lower()) for each in AutoresetMode)
    raise ValueError(f"autoreset_mode={mode!r}: allowed are {allowed}")


def choose_learner(learner: int | str, rules: Sequence[Rules]) -> int:
    """The seat that learns, or the number of the way in which it is found.

    Raises:
        ValueError: for a seat that is not at every table, or a word that is not known.
    """
    words = {"rotating": ROTATING, "random": RANDOM_SEAT}
    if isinstance(learner, str) and learner in words:
        return words[learner]
    seats = min(each.players for each in rules)
    if not isinstance(learner, int) or isinstance(learner, bool) or not 0 <= learner < seats:
        raise ValueError(
            f"learner={learner!r}: allowed are seats 0 to {seats - 1}, 'rotating' and 'random'"
        )
    return learner


def checked_actions(actions: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The actions as a contiguous int64 array.

    Raises:
        ValueError: if they are not `count` integers.
    """
    given = np.asarray(actions)
    if given.dtype.kind not in "iu" or given.shape != (count,):
        raise ValueError(
            f"actions are {given.dtype} of shape {given.shape}: wanted are integers of shape "
            f"({count},), one a game"
        )
    return np.ascontiguousarray(given, np.int64)


def reset_rows(
    options: Mapping[str, Any] | None, count: int, others_are_dealt: bool
) -> NDArray[np.bool_]:
    """The games that reset(options=...) is for: (B,) bool; all without a "reset_mask".

    Other options are named in a warning in the log.

    Raises:
        ValueError: for a mask of another kind, or one that leaves a game undealt.
    """
    options = dict(options or {})
    mask = options.pop("reset_mask", None)
    if options:
        _log.warning("reset options %s are not known and change nothing", list(options))
    if mask is None:
        return np.ones(count, np.bool_)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        what = mask.dtype if isinstance(mask, np.ndarray) else type(mask).__name__
        raise ValueError(f"reset_mask is {what}: wanted is a bool array")
    if mask.shape != (count,) or not mask.any():
        raise ValueError(
            f"reset_mask has shape {mask.shape} and {mask.sum()} True: wanted is ({count},), one a "
            "game, with a True"
        )
    if not others_are_dealt and not mask.all():
        raise ValueError("reset_mask: not all games have been dealt yet, so reset all of them")
    return mask
