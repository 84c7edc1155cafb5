"""What a rollout of self-play has gathered, in the form that sb3-contrib's MaskablePPO takes.

B games, T ticks, A actions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import (
    MaskableRolloutBuffer,
    MaskableRolloutBufferSamples,
)


class DecisionBuffer(MaskableRolloutBuffer):
    """The complete decisions of one rollout, in the form that MaskablePPO takes.

    Attributes:
        columns: of all T * B decisions, complete or not, as in MaskableRolloutBufferSamples.
        known: (M,) int64, those that are complete.
        values: (M,) float32, what the critic expected of them.
        returns: (M,) float32, and what they brought.
        opinions: in the warm-up (T * B, A) float32, what each action is worth in pips, else None.
    """

    def reset(self) -> None:
        """Forget them."""
        self.columns: tuple[torch.Tensor, ...] = ()
        self.known = torch.zeros(0, dtype=torch.int64)
        self.values = self.returns = np.zeros(0, np.float32)
        self.opinions: torch.Tensor | None = None

    def fill(
        self,
        columns: Sequence[NDArray[Any]],
        known: NDArray[np.int64],
        opinions: NDArray[np.float32] | None,
    ) -> None:
        """Take the decisions of a rollout; see the attributes."""
        whole = MaskableRolloutBufferSamples(
            *(torch.as_tensor(column).to(self.device) for column in columns)
        )
        self.columns, self.known = tuple(whole), torch.from_numpy(known)
        self.values, self.returns = (
            column[self.known.to(self.device)].cpu().numpy()
            for column in (whole.old_values, whole.returns)
        )
        self.opinions = None if opinions is None else torch.as_tensor(opinions).to(self.device)

    def get(self, batch_size: int | None = None) -> Iterator[MaskableRolloutBufferSamples]:
        """All of them in random order, in parts of about `batch_size`."""
        for part in self.parts(batch_size):
            yield self.samples(part)

    def samples(self, part: torch.Tensor) -> MaskableRolloutBufferSamples:
        """Some decisions."""
        return MaskableRolloutBufferSamples(*(column[part] for column in self.columns))

    def parts(self, batch_size: int | None) -> Iterator[torch.Tensor]:
        """The decisions of each part, two or more: MaskablePPO divides by their deviation."""
        order = self.known[torch.randperm(len(self.known))]
        count = round(len(order) / (batch_size or len(order)))
        for part in order.tensor_split(max(1, min(count, len(order) // 2))):
            yield part.to(self.device)
