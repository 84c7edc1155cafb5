"""PPO with TorchRL: all seats play and learn by one network, over the PettingZoo environment.

    python examples/torchrl_ppo.py --updates 20

It shows how TorchRL's parts fit a game of turns: masks go into a `MaskedCategorical`, and before
advantages are estimated `own_steps` strings the decisions of each seat together. TorchRL takes the
PettingZoo environment one step at a time, some hundred decisions a second. To train in earnest see
examples/ppo_self_play.py, which plays hundreds of games at once.

Needs TorchRL beside this package: pip install 'chickenfoot[torchrl]'.
"""

from __future__ import annotations

import argparse

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.envs import PettingZooWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from chickenfoot_env.doors.torchrl import GROUP, make_env, own_steps

OBSERVATION, MASK = (GROUP, "observation", "observation"), (GROUP, "action_mask")
LOGITS, ACTION, LOG_PROB = (GROUP, "logits"), (GROUP, "action"), (GROUP, "action_log_prob")
VALUE, ADVANTAGE, TARGET = (GROUP, "value"), (GROUP, "advantage"), (GROUP, "target")
PIPS = 25.0  # that count as a reward of 1


def networks(env: PettingZooWrapper, width: int = 128) -> tuple[ProbabilisticActor, ValueOperator]:
    """A policy and a value, both of what one seat sees, so that they play any seat."""
    features = env.observation_spec[OBSERVATION].shape[-1]
    actions = env.observation_spec[MASK].shape[-1]

    def layers(outputs: int) -> nn.Module:
        return nn.Sequential(nn.Linear(features, width), nn.Tanh(), nn.Linear(width, outputs))

    actor = ProbabilisticActor(
        TensorDictModule(layers(actions), in_keys=[OBSERVATION], out_keys=[LOGITS]),
        in_keys={"logits": LOGITS, "mask": MASK},
        out_keys=[ACTION],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=LOG_PROB,
    )
    return actor, ValueOperator(layers(1), in_keys=[OBSERVATION], out_keys=[VALUE])


def main() -> None:
    """Train, and print a line for each update."""
    parser = argparse.ArgumentParser(description="PPO with TorchRL for Chicken Foot.")
    parser.add_argument("--updates", type=int, default=20, help="rollouts to learn from")
    parser.add_argument("--steps", type=int, default=512, help="decisions of all seats in each")
    parser.add_argument("--players", type=int, default=4, help="seats at the table")
    parser.add_argument("--seed", type=int, default=1, help="everything random follows from it")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)

    env = make_env(players=options.players, episode="round", seed=options.seed)
    actor, critic = networks(env)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, normalize_advantage=True)
    advantages = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    keys = {name: (GROUP, name) for name in ("reward", "done", "terminated")}
    advantages.set_keys(value=VALUE, advantage=ADVANTAGE, value_target=TARGET, **keys)
    loss.set_keys(
        **{"action": ACTION, "sample_log_prob": LOG_PROB, "value": VALUE},
        **{"advantage": ADVANTAGE, "value_target": TARGET, **keys},
    )
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)

    for update in range(1, options.updates + 1):
        with torch.no_grad():
            rollout = env.rollout(options.steps, actor, break_when_any_done=False)
            data = own_steps(rollout)
            data["next", GROUP, "reward"] /= PIPS
            advantages(data)
        for _ in range(4):
            for rows in torch.randperm(len(data)).split(128):
                losses = loss(data[rows])
                total = sum(part for name, part in losses.items() if name.startswith("loss_"))
                optimizer.zero_grad()
                total.backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
        ends = data["next", GROUP, "terminated"].sum().item() / options.players
        print(
            f"update {update}  decisions {len(data)}  rounds {ends:.0f}  "
            f"loss {total.item():+.4f}  entropy {losses['entropy'].item():.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
