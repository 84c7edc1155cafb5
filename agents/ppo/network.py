"""The policy and value networks, in PyTorch.

The policy treats all pips alike. What a seat sees of a pip, how many tiles with it are in its hand,
hidden, wanted now, which seats lack it, what it is worth, becomes a vector. In each of a few rounds
the vectors of two pips that a tile of the hand or a hidden tile joins look at one another: a graph
network, whose nodes are the pips and whose edges are the tiles. A play, laying a tile by one half
and leaving the other, is scored by the vectors of its two halves. So what is learned of one pip
holds for all, and a network plays any set. `agents.ppo.forward` does the same without PyTorch.

B decisions, F features (`chickenfoot_env.encode`), P pips, A actions, C critic features
(`agents.ppo.critic`), D the width.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from agents.ppo.shape import HIDDEN_WEIGHT, PIP_BLOCKS, PIP_INPUTS, SEATS, Shape


class Round(nn.Module):
    """The vectors of all pips look at their neighbours.

    Args:
        width: D.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.own = nn.Linear(width, width)
        self.by_hand = nn.Linear(width, width, bias=False)
        self.by_hidden = nn.Linear(width, width, bias=False)
        self.by_all = nn.Linear(width, width, bias=False)

    def forward(self, vectors: torch.Tensor, joined: torch.Tensor) -> torch.Tensor:
        """(B, P, D) and (B, 2 * P, P), for each pip those that it is joined to -> (B, P, D)."""
        count, pips, width = vectors.shape
        seen = torch.bmm(joined, vectors).view(count * pips, 2 * width)
        near = torch.cat([self.by_hand.weight, self.by_hidden.weight], 1)
        found = torch.addmm(self.own(vectors).view(count * pips, width), seen, near.t())
        for_all = self.by_all(vectors.mean(1)).unsqueeze(1)
        out: torch.Tensor = (found.view(count, pips, width) + for_all).relu()
        return out


class PolicyNetwork(nn.Module):
    """Features of a seat -> a logit for each action; no other input.

    Args:
        shape: the set, D and R.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        pips, width = shape.pips, shape.width
        self.shape = shape
        self.pip_input = nn.Linear(PIP_INPUTS, width)
        self.table_input = nn.Linear(len(shape.table_scale()), width, bias=False)
        self.rounds = nn.ModuleList(Round(width) for _ in range(shape.rounds))
        self.attach = nn.Linear(width, width // 2 + 1)
        self.free = nn.Linear(width, width // 2 + 1)
        self.double_bonus = nn.Linear(width, 1)
        self.no_play = nn.Linear(width, 2)  # DRAW and PASS
        for layer in (self.attach, self.free):
            nn.init.orthogonal_(layer.weight, 0.1)
        for layer in (self.double_bonus, self.no_play):
            nn.init.zeros_(layer.weight)
        self.register_buffer("table_scale", torch.from_numpy(shape.table_scale()), persistent=False)
        self.register_buffer("values", torch.from_numpy(shape.pip_values()), persistent=False)
        grid, starts = shape.tile_grid(), [shape.block(name).start for name in ("hand", "laid")]
        tiles = np.concatenate([grid + start for start in starts])
        self.register_buffer("tiles", torch.from_numpy(tiles), persistent=False)
        self.register_buffer("doubles", torch.arange(pips) * (pips + 1), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(B, F) float32 -> (B, A) logits of all actions, legal or not."""
        shape, pips, count = self.shape, self.shape.pips, len(x)
        hand, laid = x.index_select(1, self.tiles).view(count, 2, pips, pips).unbind(1)
        hidden = 1.0 - hand - laid
        joined = torch.stack([hand, hidden * HIDDEN_WEIGHT], 2).view(count, 2 * pips, pips)
        each = [x[:, shape.block(name)] for name in PIP_BLOCKS]
        each += [matrix.diagonal(dim1=1, dim2=2) for matrix in (hand, hidden)]
        lacks = x[:, shape.block("lacks")].view(count, SEATS, pips)
        values = self.values.expand(count, -1, -1)
        pip_input = torch.cat([torch.stack(each, 1), values, lacks], 1).transpose(1, 2)
        table = (
            torch.cat([x[:, shape.block(name)] for name in shape.table_blocks], 1)
            * self.table_scale
        )
        first = (self.pip_input(pip_input) + self.table_input(table).unsqueeze(1)).relu()
        vectors = first
        for number, round_ in enumerate(self.rounds):
            found = round_(vectors, joined)
            vectors = found if number == 0 else vectors + found
        attach, free = self.attach(vectors), self.free(vectors)
        plays = torch.bmm(attach[..., 1:], free[..., 1:].transpose(1, 2)) * shape.scale
        plays = plays + attach[..., :1] + free[..., 0].unsqueeze(1)
        plays = plays.reshape(count, pips * pips)
        plays = plays.index_add(1, self.doubles, self.double_bonus(vectors).squeeze(2))
        return torch.cat([plays, self.no_play(vectors.mean(1))], 1)


class ValueNetwork(nn.Module):
    """Features of a seat and of the critic -> what the seat will earn, before the last layer.

    Args:
        size: F + C, or F for a critic that sees no more than the seat.
        width: units of each hidden layer.
    """

    def __init__(self, size: int, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        for layer in (self.layers[0], self.layers[2]):
            nn.init.orthogonal_(layer.weight, 2**0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(B, F + C) float32 -> (B, width)."""
        out: torch.Tensor = self.layers(x)
        return out
