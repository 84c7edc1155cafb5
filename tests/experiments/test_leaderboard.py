"""The leaderboard of a terminal: what fits, and how a cheat is set apart."""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import Console

from experiments import leaderboard


def summary(*agents: dict[str, Any]) -> dict[str, Any]:
    return {"deals": 9, "games": 99, "players": 4, "agents": list(agents)}


def agent(name: str, sims: float | None, ms: float | None, *, cheats: bool = False) -> Any:
    return {
        "name": name,
        "cheats": cheats,
        "games": 1,
        "mean_points": 1.0,
        "margin": 1.0,
        "margin_low": -100.0,
        "margin_high": 100.0,
        "win_share": 0.5,
        "win_low": 0.5,
        "win_high": 0.6,
        "faults": 0,
        "valid": True,
        "decisions": 1,
        "simulations_per_decision": sims,
        "ms_per_decision": ms,
    }


def printed(figures: dict[str, Any], width: int, **options: Any) -> str:
    console = Console(width=width, markup=False, **options)
    with console.capture() as text:
        console.print(leaderboard.table(figures, width))
    return text.get()


@pytest.mark.parametrize(
    ("width", "counted", "cost"),
    [
        (200, True, ["3,000 sims 500.0 ms", "0.4 sims 250.0 µs", "2.0 µs", "-"]),
        (100, True, ["3,000 sims 500.0 ms", "0.4 sims 250.0 µs", "2.0 µs", "-"]),
        (80, True, ["3,000 sims\n500.0 ms", "0.4 sims\n250.0 µs", "2.0 µs", "-"]),
        (100, False, ["500.0 ms", "250.0 µs", "2.0 µs", "-"]),
        (80, False, None),
    ],
)
def test_leaderboard_has_the_costs_that_fit(
    width: int, counted: bool, cost: list[str] | None
) -> None:
    """On a narrow terminal only if simulations were counted, and then in two lines an agent."""
    spent = (("a", 3000.0, 500.0), ("b", 0.4, 0.25), ("c", 0.0, 0.002), ("d", None, None))
    figures = summary(
        *(agent(name, sims if counted or sims is None else 0.0, ms) for name, sims, ms in spent)
    )
    table = leaderboard.table(figures, width)
    cells = {str(column.header): list(column.cells) for column in table.columns}
    assert cells.get("cost of a\ndecision") == cost
    text = printed(figures, width)
    for name, column in cells.items():
        assert all(line in text for cell in (name, *column) for line in str(cell).split("\n"))


@pytest.mark.parametrize("width", [80, 100, 200])
def test_a_cheat_is_marked_and_told_of_below_the_table(width: int) -> None:
    figures = summary(agent("fair", 9.0, 1.0), agent("oracle", 9.0, 1.0, cheats=True))
    lines = [line.rstrip() for line in printed(figures, width).splitlines()]
    assert lines[-1] == "† sees hidden tiles: a yardstick, no competitor"
    assert next(line.split("  ")[0] for line in lines if "†" in line) == "oracle †"
    assert sum("†" in line for line in lines) == 2


def test_a_cheat_has_a_style_of_its_own() -> None:
    figures = summary(agent("fair", 9.0, 1.0), agent("oracle", 9.0, 1.0, cheats=True))
    text = printed(figures, 100, force_terminal=True, color_system="standard")
    styles = {line.split("m")[0] for line in text.splitlines() if "oracle" in line}
    assert styles == {"\x1b[2;3"}  # dim and italic
    (fair,) = [line for line in text.splitlines() if "fair" in line]
    assert "\x1b" not in fair


def test_a_table_without_cheats_tells_of_none() -> None:
    text = printed(summary(agent("fair", 9.0, 1.0)), 100)
    assert "†" not in text and "yardstick" not in text


def test_decision_and_warnings_are_told_below_the_table() -> None:
    figures = summary(agent("fair", 9.0, 1.0))
    told = {**figures, "decision": {"verdict": "Decided."}, "warnings": ["one", "two"]}
    assert leaderboard.remarks(told) == ["Decided.", "warning: one", "warning: two"]
    assert leaderboard.remarks({**told, "decision": None, "warnings": []}) == []
