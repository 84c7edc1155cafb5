"""The actor and the critic in the form that sb3-contrib's MaskablePPO trains."""

from __future__ import annotations

from typing import Any, Final

import torch
from sb3_contrib.common.maskable.distributions import (
    MaskableCategorical,
    MaskableCategoricalDistribution,
    MaybeMasks,
)
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import nn

from agents.ppo.network import PolicyNetwork, ValueNetwork
from agents.ppo.shape import Shape

_NEVER: Final = -1e8  # the logit of an illegal action


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


class LegalActions(MaskableCategoricalDistribution):
    """What MaskablePPO's categorical distribution does, in a third of its time.

    That one takes exponentials of numbers far below zero, one for each illegal action, where some
    processors' routines are ten times slower. And its sampler draws a random number for each
    action and may, very rarely, take one of probability 0 (PyTorch issue 91863). This one draws a
    single number, and cannot.
    """

    def proba_distribution(self, action_logits: torch.Tensor) -> LegalActions:
        """All actions are legal until `apply_masking`; logits are (B, A)."""
        self._logits = action_logits
        self.apply_masking(None)
        return self

    def apply_masking(self, masks: MaybeMasks) -> None:
        """(B, A) bool, or None: all actions are legal."""
        logits = self._logits
        if masks is not None:
            legal = torch.as_tensor(masks, dtype=torch.bool, device=logits.device)
            logits = torch.where(legal, logits, logits.new_tensor(_NEVER))
        self._log_probs, self._probs = logits.log_softmax(1), logits.softmax(1)

    @property
    def distribution(self) -> MaskableCategorical:
        """The same in PyTorch's form."""
        return MaskableCategorical(logits=self._log_probs)

    def log_prob(self, actions: torch.Tensor) -> torch.Tensor:
        """(B,) of (B,) actions."""
        return self._log_probs.gather(1, actions.long().unsqueeze(1)).squeeze(1)

    def entropy(self) -> torch.Tensor:
        """(B,) in nats."""
        return -(self._probs * self._log_probs).sum(1)

    def sample(self) -> torch.Tensor:
        """(B,) legal actions."""
        shares = self._probs.cumsum(1)
        whole = shares[:, -1:]
        places = torch.rand(len(shares), 1, device=shares.device) * whole
        places = torch.minimum(places, whole.nextafter(torch.zeros_like(whole)))
        return torch.searchsorted(shares, places, right=True).squeeze(1)

    def mode(self) -> torch.Tensor:
        """(B,) the likeliest action, the first among equals."""
        return self._log_probs.argmax(1)


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
        self.action_dist = LegalActions(self._shape.actions)
        self.value_net = nn.Linear(self._value_width, 1)
        nn.init.orthogonal_(self.value_net.weight)
        nn.init.zeros_(self.value_net.bias)
        self.optimizer = self.optimizer_class(
            self.parameters(),
            lr=lr_schedule(1),
            **{"fused": True, **self.optimizer_kwargs},
        )

    def _get_constructor_parameters(self) -> dict[str, Any]:
        parameters = super()._get_constructor_parameters()
        return {**parameters, "shape": self._shape, "value_width": self._value_width}
