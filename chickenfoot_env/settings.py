"""The keywords of the environment that are no rules of the game, checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Final

from chickenfoot_env.rules import REFUSED, Rules, RulesError

_ALLOWED: Final[Mapping[str, tuple[str | None, ...]]] = {
    "reward": ("points", "win"),
    "episode": ("game", "round"),
    "on_illegal": ("raise", "forfeit", "random_legal"),
    "mask_idle": ("zeros", "ones"),
    "render_mode": (None, "ansi", "svg", "rgb_array", "human"),
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


def choose_rules(
    rules: Rules | None, fields: Mapping[str, Any], others: Sequence[str] | None = None
) -> Rules:
    """The rules that these keywords ask for: `rules` as they are, or the fields of Rules.

    Args:
        rules: the value of the keyword `rules`.
        fields: the keywords left over.
        others: further keywords, for the message; None: the settings.

    Raises:
        RulesError: if both are given, for a keyword that is no field, and for rules that cannot be
            played.
    """
    known = [field.name for field in dataclasses.fields(Rules)]
    if others is None:
        others = [field.name for field in dataclasses.fields(Settings)]
    for name in fields:
        if name in REFUSED:
            raise RulesError(f"{name}: {REFUSED[name]}")
        if name not in known:
            raise RulesError(
                f"no keyword {name!r}; there are rules, the fields of the rules "
                f"({', '.join(known)}) and {', '.join(others)}"
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


def choose_tables(
    rules: Rules | Sequence[Rules] | None,
    fields: Mapping[str, Any],
    count: int,
    others: Sequence[str],
) -> tuple[Rules, ...]:
    """The rules of `count` games: the same for all, or those of a sequence over and over.

    Args:
        rules: the value of the keyword `rules`; a sequence is of one max_pip.
        fields: the keywords left over.
        count: the number of games.
        others: further keywords, for the message.

    Raises:
        ValueError: if there is no game, for rules of several sets, and as `choose_rules` does.
    """
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise ValueError(f"num_envs={count!r}: allowed are whole numbers from 1")
    if rules is None or isinstance(rules, (Rules, str)) or not isinstance(rules, Sequence):
        return (choose_rules(rules, fields, others),) * count
    if not rules:
        raise RulesError("rules=[]: wanted are Rules objects, one at least")
    chosen = [choose_rules(each, fields, others) for each in rules]
    sets = sorted({each.max_pip for each in chosen})
    if len(sets) > 1:
        raise RulesError(
            f"rules of sets with max_pip {' and '.join(map(str, sets))}: their observations and "
            "actions differ in size, so that one batch has one max_pip"
        )
    return tuple(chosen[i % len(chosen)] for i in range(count))
