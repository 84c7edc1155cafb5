"""The actor and the critic in the form that sb3-contrib's MaskablePPO trains."""

from __future__ import annotations

from typing import Any

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import nn

from agents.ppo.network import PolicyNetwork, ValueNetwork
from agents.ppo.shape import Shape


class ActorCritic(nn.Module):
    """Both networks, side by side: the actor never gets what the critic sees.

    Args:
        shape: of the policy network.
        size: F + C, the length of a whole observation.
        value_width: units of each hidden layer of the critic.
    """

    def __init__(self, shape: Shape, size: int, value_width: int) -> None:
        super().__init__()
        self.actor = PolicyNetwork(shape)
        self.critic = ValueNetwork(size, value_width)
        self.latent_dim_pi, self.latent_dim_vf = shape.actions, value_width

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(B, F + C) -> (B, A) logits, and (B, width) for the value."""
        return self.forward_actor(x), self.forward_critic(x)

    def forward_actor(self, x: torch.Tensor) -> torch.Tensor:
        """The logits, from the first F columns alone."""
        out: torch.Tensor = self.actor(x[:, : self.actor.shape.features])
        return out

    def forward_critic(self, x: torch.Tensor) -> torch.Tensor:
        """What the value is made of, from all columns."""
        out: torch.Tensor = self.critic(x)
        return out


class SeatPolicy(MaskableActorCriticPolicy):
    """A policy for observations whose first F columns are what the seat sees.

    Args:
        arguments: as of every policy.
        shape: of the policy network.
        value_width: of the value network.
        keywords: as of every policy.
    """

    def __init__(self, *arguments: Any, shape: Shape, value_width: int, **keywords: Any) -> None:
        self._shape, self._value_width = shape, value_width
        super().__init__(*arguments, **keywords)

    def _build(self, lr_schedule: Schedule) -> None:
        """Make the networks and the optimizer."""
        self.mlp_extractor: Any = ActorCritic(self._shape, self.features_dim, self._value_width)
        self.action_net = nn.Identity()  # the actor's output is the logits
        self.value_net = nn.Linear(self._value_width, 1)
        nn.init.orthogonal_(self.value_net.weight)
        nn.init.zeros_(self.value_net.bias)
        self.optimizer = self.optimizer_class(
            self.parameters(),
            lr=lr_schedule(1),
            **self.optimizer_kwargs,
        )

    def _get_constructor_parameters(self) -> dict[str, Any]:
        parameters = super()._get_constructor_parameters()
        return {**parameters, "shape": self._shape, "value_width": self._value_width}
