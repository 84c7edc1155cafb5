"""Whether "better" runs in a circle: then no list from best to worst tells the whole truth.

A list orders the agents only if who beats whom never leads back to where it began. Among the pairs
that differ significantly, the agents of a circle are a strongly connected component.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph


def cycles(beats: Iterable[tuple[int, int]], entries: int) -> list[list[int]]:
    """The groups of entries that beat one another in a circle.

    Args:
        beats: (winner, loser) of each pair that differs significantly.
        entries: how many there are.

    Returns:
        Each group in ascending order; none, if there is no circle.
    """
    edges = list(beats)
    if not edges:
        return []
    winners, losers = zip(*edges, strict=True)
    graph = sparse.csr_array((np.ones(len(edges)), (winners, losers)), shape=(entries, entries))
    _, group_of = csgraph.connected_components(graph, directed=True, connection="strong")
    groups = [np.flatnonzero(group_of == group).tolist() for group in np.unique(group_of)]
    return sorted(group for group in groups if len(group) > 1)


def alpha_rank(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of time that each entry lasts when agents imitate those that beat them: (E,).

    Omidshafiei and others, alpha-rank: multi-agent evaluation by evolution, 2019, by OpenSpiel, for
    ever stronger selection: in a circle all members have a share, behind a best agent none.

    Args:
        differences: (E, E), points by which the row beats the column; 0 where neither is
            known to be better.

    Raises:
        ValueError: if OpenSpiel is not installed.
    """
    try:
        from open_spiel.python.egt import alpharank
    except ImportError:
        raise ValueError(
            "alpha-rank needs OpenSpiel, which is not installed: pip install 'chickenfoot[solve]'"
        ) from None
    _, _, shares, *_ = alpharank.compute(
        [np.asarray(differences, float)], m=50, use_inf_alpha=True, inf_alpha_eps=1e-3
    )
    return np.asarray(shares, float)
