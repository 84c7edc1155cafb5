"""What the policy network is made of: which features go where, and its size.

Shared by the network in PyTorch and the one in NumPy, so that both read the feature table alike.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import encode
from chickenfoot_env.rules import MAX_PLAYERS

SEATS: Final = MAX_PLAYERS
PIP_BLOCKS: Final = ("hand_pips", "unseen_pips", "open", "ends", "foot", "starter")  # one a pip
PIP_INPUTS: Final = len(PIP_BLOCKS) + 4 + SEATS  # these; the double held, or hidden; two values;
# which seats lack it
HIDDEN_WEIGHT: Final = 0.25  # hidden tiles are many, those of a hand few
_TABLE_BLOCKS: Final = ("owed", "has_drawn", "boneyard", "present", "hand_count")
_STANDINGS_BLOCKS: Final = ("rounds_left", "points")


@dataclasses.dataclass(frozen=True)
class Shape:
    """Of a policy network.

    Attributes:
        max_pip: the set that it plays with.
        width: D, the length of a pip's vector.
        rounds: R, how often the vectors look at their neighbours.
        standings: whether it sees the points of the game and the rounds that are left. One that
            has learned from single rounds must not.
    """

    max_pip: int
    width: int
    rounds: int = 1
    standings: bool = False

    @property
    def pips(self) -> int:
        """P."""
        return self.max_pip + 1

    @property
    def features(self) -> int:
        """F."""
        return encode.size(self.max_pip)

    @property
    def actions(self) -> int:
        """A."""
        return self.pips**2 + 2

    @property
    def scale(self) -> float:
        """What the products of two vectors are multiplied by."""
        return float((self.width // 2) ** -0.5)

    @property
    def table_blocks(self) -> tuple[str, ...]:
        """Feature blocks that are not of a pip or a tile."""
        return (*_TABLE_BLOCKS, *(_STANDINGS_BLOCKS if self.standings else ()))

    def table_scale(self) -> NDArray[np.float32]:
        """What their features are multiplied by, one number each, to bring them near 1."""
        scales = {"hand_count": self.pips / 2}
        blocks = [(self.block(name), scales.get(name, 1.0)) for name in self.table_blocks]
        return np.concatenate(
            [np.full(block.stop - block.start, scale, np.float32) for block, scale in blocks]
        )

    def block(self, name: str) -> slice:
        """Where a block of the feature table lies."""
        return _blocks(self.max_pip)[name]

    def pip_values(self) -> NDArray[np.float32]:
        """(2, P) float32: the points of each pip, in units of 9; and 1 for the blank."""
        pips = np.arange(self.pips)
        return np.stack([pips / 9.0, pips == 0]).astype(np.float32)

    def tile_grid(self) -> NDArray[np.int64]:
        """(P * P,) int64: the tile of each ordered pair of pips."""
        low, high = np.indices((self.pips, self.pips))
        small, large = np.minimum(low, high), np.maximum(low, high)
        grid: NDArray[np.int64] = (large * (large + 1) // 2 + small).reshape(-1)
        return grid


@functools.cache
def _blocks(max_pip: int) -> dict[str, slice]:
    return {feature.name: feature.slice for feature in encode.feature_table(max_pip)}
