"""A position as JSON values, for pages that draw it in a browser.

With a seat, it is made from what that seat may see, and holds nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from chickenfoot_env import batch
from chickenfoot_env.notation import format_tile
from chickenfoot_env.render.layout import Layout
from chickenfoot_env.rules import Rules
from experiments.replay import story
from experiments.replay.story import Step


def position(
    step: Step, names: Sequence[str], knows: int | None = None, layout: Layout | None = None
) -> dict[str, Any]:
    """All that a page shows of a position.

    Args:
        step: the position.
        names: of the seats.
        knows: the seat whose view is shown; None: all hands are open.
        layout: of the table; None: that of `lay_out`.

    Returns:
        `tiles` are [attach, free, x, y, angle] and `ends` [pip, x, y, angle, owed], both as in
        `render.layout`; `hands` are by seat, the `tiles` of a hidden one null; `most` in them is
        the evidence.
    """
    shown = story.picture(step, names, knows, layout)
    first, seats = knows or 0, len(names)
    hands = {}
    for place, hand in enumerate(shown.hands):
        seat = (first + place) % seats
        hands[str(seat)] = {
            "points": hand.points,
            "count": hand.count,
            "tiles": None if hand.tiles is None else [format_tile(tile) for tile in hand.tiles],
            "most": {str(pip): most for pip, most in story.evidence(step, seat).items()},
        }
    pips = int(step.game["max_pip"][0]) + 1
    return {
        "told": story.tell(step, names, knows),
        "heading": shown.heading,
        "phase": shown.phase,
        "status": shown.status,
        "boneyard": shown.boneyard,
        "round": step.round,
        "seat": step.seat,
        "toAct": step.to_act,
        "laid": step.action is not None and step.action < pips**2,
        "hub": shown.layout.hub,
        "tiles": _tiles(shown.layout),
        "ends": _ends(shown.layout),
        "hands": hands,
    }


def moves(
    step: Step, rules: Rules, values: Mapping[int, float], taken: int | None
) -> list[list[Any]]:
    """What the seat to act may do: [name, value in pips or None, 1 if it was taken or 0].

    Args:
        step: the position.
        rules: of the game.
        values: of actions; where there are some, the best comes first.
        taken: the action that was taken, or None.
    """
    if step.to_act is None:
        return []
    legal = batch.legal_mask(step.game)[0].nonzero()[0].tolist()
    legal.sort(key=lambda action: -values.get(action, -math.inf))
    known = {action: round(value, 2) for action, value in values.items()}
    return [[story.name_action(a, rules), known.get(a), int(a == taken)] for a in legal]


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What is new in a position: values by key, but of `hands` only those that differ.

    What has become of `tiles` and `ends` is [place, number of entries that go there, new entries].
    """
    found = {key: value for key, value in after.items() if value != before.get(key)}
    for key in {"tiles", "ends"} & {*found} & {*before}:
        found[key] = _splice(before[key], after[key])
    if "hands" in found and "hands" in before:
        old = before["hands"]
        found["hands"] = {s: hand for s, hand in after["hands"].items() if hand != old[s]}
    return found


def _splice(old: Sequence[Any], new: Sequence[Any]) -> list[Any]:
    """What differs between the equal entries at the beginning and those at the end."""
    most = min(len(old), len(new))
    first = next((i for i in range(most) if old[i] != new[i]), most)
    most -= first
    last = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    return [first, len(old) - first - last, new[first : len(new) - last]]


def _tiles(layout: Layout) -> list[list[float]]:
    return [
        [tile.attach, tile.free, round(tile.x, 3), round(tile.y, 3), round(tile.angle, 2)]
        for tile in layout.tiles
    ]


def _ends(layout: Layout) -> list[list[float]]:
    return [
        [end.pip, round(end.x, 2), round(end.y, 2), round(end.angle, 1), int(end.owed)]
        for end in layout.ends
    ]
