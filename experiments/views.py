"""Views of a results file, for notebooks and exports: names in place of numbers, a row a thing.

seat_results: one row a game and seat, in the order of `game`, counted from 1 as in a file of
games. margin: mean of the others' points minus its own; win_share: 1 for a win, 1/k for one
shared by k seats; forfeited: 1 where the agent was at fault, and fault says how.
block_results: one row a block and agent: sums of games, faults, decisions, simulations and
seconds, means a game of points, margin and win_share.
"""

from __future__ import annotations

import sqlite3
from typing import Final

VIEWS: Final = {
    "seat_results": """
        SELECT block * (SELECT MAX(rotation) + 1 FROM games) + rotation + 1 AS game,
            deal, block, line_up, rotation, seat, label AS agent, cheats, points, rank,
            SUM(points) OVER game / (COUNT(*) OVER game - 1.0)
                - points * COUNT(*) OVER game / (COUNT(*) OVER game - 1.0) AS margin,
            CASE rank WHEN 1 THEN 1.0 / SUM(rank = 1) OVER game ELSE 0.0 END AS win_share,
            rounds, blocked_rounds, rank = 0 AS forfeited, message AS fault
        FROM seats JOIN games USING (block, rotation) JOIN blocks USING (block)
            JOIN entries USING (entry) LEFT JOIN faults USING (block, rotation, seat)
        WINDOW game AS (PARTITION BY block, rotation)
    """,
    "block_results": """
        SELECT block, deal, line_up, agent, played.cheats, COUNT(*) AS games,
            AVG(points) AS points, AVG(margin) AS margin, AVG(win_share) AS win_share,
            SUM(forfeited) AS faults, COALESCE(decisions, 0) AS decisions,
            COALESCE(simulations, 0) AS simulations, COALESCE(seconds, 0.0) AS seconds
        FROM seat_results AS played JOIN entries ON label = agent
            LEFT JOIN costs USING (block, entry)
        GROUP BY block, agent
    """,
}


def add(connection: sqlite3.Connection, *, temporary: bool = False) -> None:
    """Define the views, where they are missing.

    Args:
        connection: to a results file.
        temporary: for this connection alone: older files have no views, and need not be written to.
    """
    kind = "TEMP VIEW" if temporary else "VIEW"
    for name, select in VIEWS.items():
        connection.execute(f"CREATE {kind} IF NOT EXISTS {name} AS {select.strip()}")
