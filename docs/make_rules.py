"""Writes docs/rules.md from the code: rules, fields, presets, and the last results of the proof."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from chickenfoot_env import rules as rules_page
from chickenfoot_env.presets import PRESETS, Preset
from chickenfoot_env.rules import CHOICES, REFUSED, Rules
from chickenfoot_env.rules_text import describe, seat_counts

DOCS = Path(__file__).parent


def page() -> str:
    """The text of docs/rules.md."""
    environment = jinja2.Environment(
        trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined, autoescape=False
    )
    template = environment.from_string((DOCS / "rules.md.j2").read_text(encoding="utf-8"))
    text = template.render(
        first_page=(rules_page.__doc__ or "").partition("\n\n")[2].strip(),
        seed=describe(Rules()),
        fields=_fields(),
        refused=REFUSED,
        presets=[_preset(preset) for preset in PRESETS.values()],
        proof=json.loads((DOCS / "proof.json").read_text(encoding="utf-8")),
    )
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _fields() -> list[dict[str, str]]:
    """The rows of the table of fields; what they mean is told in the docstring of Rules."""
    attributes = (Rules.__doc__ or "").partition("Attributes:\n")[2].partition("\n\n")[0]
    told = re.split(r"^        (\w+): ", attributes, flags=re.MULTILINE)[1:]
    pairs = zip(told[::2], told[1::2], strict=True)
    meanings = {name: " ".join(text.split()) for name, text in pairs}
    return [
        {
            "name": field.name,
            "default": f"`{field.default}`",
            "allowed": _allowed(field.name, field.default),
            "meaning": meanings[field.name].replace("|", "\\|"),
        }
        for field in dataclasses.fields(Rules)
    ]


def _allowed(name: str, default: Any) -> str:
    if name == "rounds":
        return "a name, or numbers"
    if name in CHOICES:
        return ", ".join(f"`{choice}`" for choice in CHOICES[name])
    if isinstance(default, bool):
        return "`True`, `False`"
    return "a number, `None`" if default is None else "a number"


def _preset(preset: Preset) -> dict[str, Any]:
    """What the page says of a preset."""
    counts = seat_counts(preset.name)
    return {
        "name": preset.name,
        "title": preset.title[0].upper() + preset.title[1:],
        "players": f"{counts[0]} to {counts[-1]}",
        "source": preset.source,
        "fields": {name: _value(value) for name, value in preset.fields.items()},
        "assumed": preset.assumed,
    }


def _value(value: Any) -> str:
    """A value, or what it is for each number of players, those with the same value together."""
    if not isinstance(value, Mapping):
        return f"`{value}`"
    players: dict[Any, list[str]] = {}
    for count, one in value.items():
        players.setdefault(one, []).append(str(count))
    return ", ".join(f"`{one}` ({', '.join(counts)} players)" for one, counts in players.items())


if __name__ == "__main__":
    (DOCS / "rules.md").write_text(page(), encoding="utf-8")
