"""How agents are named wherever they are listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

LABEL: Final = 24  # characters of an agent's name in a plot
MARK: Final = "†"  # behind the name of an agent that cheats
YARDSTICK: Final = "sees hidden tiles: a yardstick, no competitor"


def marked(agent: dict[str, Any]) -> str:
    """The name of an agent of a summary, with a mark if it cheats."""
    return f"{agent['name']} {MARK}" if agent["cheats"] else str(agent["name"])


def short(agents: Sequence[dict[str, Any]]) -> list[str]:
    """The names for a plot, cut where they are long."""
    names = ((agent["name"], f" {MARK}" if agent["cheats"] else "") for agent in agents)
    return [
        (name if len(name) <= LABEL else name[: LABEL - 1] + "…") + mark for name, mark in names
    ]
