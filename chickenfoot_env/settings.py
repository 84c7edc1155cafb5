"""The keywords of the environment that are no rules of the game, checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final

from chickenfoot_env.rules import REFUSED, Rules, RulesError

_ALLOWED: Final[Mapping[str, tuple[str | None, ...]]] = {
    "reward": ("points", "win"),
    "episode": ("game", "round"),
    "on_illegal": ("raise", "forfeit", "random_legal"),
    "mask_idle": ("zeros", "ones"),
    "render_mode": (None, "ansi", "human"),
}


@dataclasses.dataclass(frozen=True)
class Settings:
    """What the environment does around the game; `chickenfoot_env.env` says what each one means.

    Raises:
        ValueError: for a value that is not allowed, naming those that are.
    """

    reward: str = "points"
    episode: str = "game"
    on_illegal: str = "raise"
    max_cycles: int | None = None
    mask_idle: str = "zeros"
    render_mode: str | None = None

    def __post_init__(self) -> None:
        for name, allowed in _ALLOWED.items():
            if getattr(self, name) not in allowed:
                raise ValueError(
                    f"{name}={getattr(self, name)!r}: allowed are {', '.join(map(repr, allowed))}"
                )
        cycles = self.max_cycles
        whole = isinstance(cycles, int) and not isinstance(cycles, bool)
        if cycles is not None and not (whole and cycles >= 1):
            raise ValueError(
                f"max_cycles={cycles!r}: allowed are whole numbers from 1, or None for no limit"
            )


def choose_rules(rules: Rules | None, fields: Mapping[str, Any]) -> Rules:
    """The rules that these keywords ask for: `rules` as they are, or the fields of Rules.

    Raises:
        RulesError: if both are given, for a keyword that is no field, and for rules that cannot be
            played.
    """
    known = [field.name for field in dataclasses.fields(Rules)]
    settings = [field.name for field in dataclasses.fields(Settings)]
    for name in fields:
        if name in REFUSED:
            raise RulesError(f"{name}: {REFUSED[name]}")
        if name not in known:
            raise RulesError(
                f"no keyword {name!r}; there are rules, the fields of the rules "
                f"({', '.join(known)}) and {', '.join(settings)}"
            )
    if rules is None:
        return Rules.preset("seed", **fields)
    if fields:
        raise RulesError(
            f"both rules and {', '.join(fields)} are given: change a field by "
            "dataclasses.replace(rules, ...) or leave rules out"
        )
    if not isinstance(rules, Rules):
        raise RulesError(
            f"rules={rules!r}: wanted is a Rules object, such as Rules.preset('seed', players=4)"
        )
    return rules
