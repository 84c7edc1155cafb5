"""The published rule sets as a list, and any rules as a sheet to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from chickenfoot_env.presets import PRESETS
from chickenfoot_env.rules import Rules
from chickenfoot_env.rules_text import describe, seat_counts
from experiments.tournament.spec import parse_rules, split_rules

if TYPE_CHECKING:
    from rich.table import Table


def listing() -> Table:
    """The presets: their names, for how many players they are, and their titles."""
    from rich.table import Table

    table = Table("rules", "players", "what they are", box=None, pad_edge=False)
    for name, preset in PRESETS.items():
        table.add_row(name, _from_to(seat_counts(name)), preset.title)
    return table


def sheet(text: str, players: int | None = None) -> str:
    """Rules in plain sentences, with their source, and how they differ from the seed preset.

    Args:
        text: as for `parse_rules`.
        players: seats at the table; None is 4, or the fewest that the preset is for.

    Raises:
        RulesError: as for `parse_rules`.
    """
    name, changes = split_rules(text)
    counts = seat_counts(name, changes) or seat_counts(name) or (4,)
    if players is None:
        players = 4 if 4 in counts else counts[0]
    rules = parse_rules(text, players)
    preset = PRESETS[name]
    lines = [f"{name}: {preset.title}", f"players: {_from_to(counts)}", f"source: {preset.source}"]
    if changes:
        lines.append(f"changed: {', '.join(changes)}")
    lines += ["", *(f"- {sentence}" for sentence in describe(rules))]
    if preset.assumed:
        lines += ["", "Assumed, where the source is silent or unclear:"]
        lines += [f"- {assumption}" for assumption in preset.assumed]
    return "\n".join([*lines, "", *_differences(rules)])


def _differences(rules: Rules) -> Iterator[str]:
    different = rules.differences()
    different.pop("players", None)
    if not different:
        yield "The rules are those of seed."
        return
    yield "Unlike seed:"
    for name in different:
        yield f"- {name} is {getattr(rules, name)}, not {getattr(Rules(), name)}"


def _from_to(counts: Sequence[int]) -> str:
    return f"{counts[0]} to {counts[-1]}"
