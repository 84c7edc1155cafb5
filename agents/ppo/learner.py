"""PPO by self-play, on sb3-contrib's MaskablePPO.

    envs = SelfPlayVecEnv(SelfPlayVectorEnv(512, players=4))
    policy = {"shape": Shape(max_pip=9, width=48), "value_width": 256}
    model = SelfPlayPPO(SeatPolicy, envs, n_steps=96, batch_size=2048, policy_kwargs=policy)
    model.learn(1_000_000)

Every seat of every game learns. A rollout ticks the games `n_steps` times, ties each decision to
the same seat's next one and leaves forced moves out; loss, updates, logger, callbacks, save and
load are those of MaskablePPO. A time step is a decision.

Two things make learning faster, and neither is there at play. The critic sees all hands, and how
the heuristic would play the round to its end. And in the warm-up, the first part of a training,
the policy does not follow the gradient of PPO: its logits learn to tell what the heuristic would
earn behind each action in the true game. That is next to free of chance, and right on average over
what the seat cannot see, but blind to everything that the heuristic would not do.

B games, A actions.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from agents.ppo import critic
from agents.ppo.decision_buffer import DecisionBuffer
from agents.ppo.streams import advantages
from agents.ppo.vec_env import SelfPlayVecEnv
from agents.threads import spread
from chickenfoot_env.trajectories import trajectories

SHARPNESS: Final = 0.5  # of the policy in the warm-up: logits a pip

Schedule = Callable[[float], float]  # of the progress remaining, from 1 to 0


class SelfPlayPPO(MaskablePPO):
    """The page above describes it.

    Args:
        policy: `agents.ppo.policy.SeatPolicy`, or another maskable policy.
        env: a SelfPlayVecEnv.
        warm_up: 0 to 1, the share of the training that is warm-up.
        worlds: in which each action is tried in the warm-up; the true one, and others like it.
        entropy: weight of the entropy in the loss, and how it falls.
        keywords: as of MaskablePPO. There is no discount.

    Attributes:
        illegal_samples: how often an action of probability 0 was sampled, and replaced.
        seconds: spent in "rollout" and "update".
    """

    rollout_buffer: DecisionBuffer

    def __init__(
        self,
        policy: Any,
        env: SelfPlayVecEnv | None,
        *,
        warm_up: float = 0.0,
        worlds: int = 1,
        entropy: Schedule | float = 0.01,
        **keywords: Any,
    ) -> None:
        self.warm_up, self.worlds, self.entropy = warm_up, worlds, _schedule(entropy)
        self.progress: Callable[[], float] | None = None
        self.illegal_samples = 0
        self.seconds = {"rollout": 0.0, "update": 0.0}
        keywords = {"gamma": 1.0, "rollout_buffer_class": DecisionBuffer, **keywords}
        super().__init__(policy, env, **keywords)

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: Any,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Tick the games, and fill the buffer with what all seats have gone through.

        Returns:
            False if the callback wants to stop.
        """
        assert isinstance(env, SelfPlayVecEnv) and env.tick is not None
        started = time.perf_counter()
        self.policy.set_training_mode(False)
        callback.on_rollout_start()
        ticks, chosen, values, log_probs, opinions = [env.tick], [], [], [], []
        size = env.observation_space.shape[0]
        observations = np.empty((n_rollout_steps, env.num_envs, size), np.float32)
        for number in range(n_rollout_steps):
            observation, mask = env.observation(), env.tick.action_mask
            with torch.no_grad():
                inputs = torch.as_tensor(observation).to(self.device)
                distribution = self.policy.get_distribution(inputs, mask)
                sampled = self._legal(distribution.get_actions(), mask)
                log_probs.append(distribution.log_prob(sampled).cpu().numpy())
                values.append(self.policy.predict_values(inputs).squeeze(1).cpu().numpy())
            actions = sampled.cpu().numpy()
            if self._is_warming_up:
                opinions.append(self._opinions(env.games.games()))
            ticks.append(env.play(actions))
            chosen.append(actions)
            observations[number] = observation
            callback.update_locals({"self": self})
            if not callback.on_step():
                return False
        last = env.observation()
        with torch.no_grad():
            inputs = torch.as_tensor(last).to(self.device)
            values.append(self.policy.predict_values(inputs).squeeze(1).cpu().numpy())
        data, value = trajectories(ticks, chosen), np.concatenate(values)
        gain = advantages(data, data.reward / env.scale, value.astype(np.float64), self.gae_lambda)
        known, rows = np.flatnonzero(data.complete), len(gain)
        columns = MaskableRolloutBufferSamples(
            observations=observations.reshape(rows, size),
            actions=data.action,
            old_values=value[:rows],
            old_log_prob=np.concatenate(log_probs),
            advantages=gain.astype(np.float32),
            returns=(gain + value[:rows]).astype(np.float32),
            action_masks=data.action_mask[:rows],
        )
        rollout_buffer.fill(columns, known, np.concatenate(opinions) if opinions else None)
        self.num_timesteps += len(known)
        episodes = sum(int(tick.ended.sum()) for tick in ticks[1:])
        self.logger.record("rollout/return", data.reward[known].sum() / max(episodes, 1))
        self._last_obs = last
        callback.on_rollout_end()
        self.seconds["rollout"] += time.perf_counter() - started
        return True

    def _opinions(self, games: NDArray[np.void]) -> NDArray[np.float32]:
        """(B, A) what each action is worth, found by as many threads as PyTorch has."""
        seeds = torch.randint(2**62, (len(games),)).numpy().astype(np.uint64)
        found = np.empty((len(games), self.action_space.n), np.float32)

        def find(part: NDArray[np.int64]) -> None:
            found[part] = critic.action_values(games[part], seeds[part], self.worlds)

        spread(find, np.arange(len(games)), torch.get_num_threads())
        return found

    def train(self) -> None:
        """Improve both networks by the decisions in the buffer."""
        started = time.perf_counter()
        if self.rollout_buffer.opinions is not None:
            self._learn_opinions(self.rollout_buffer.opinions)
        else:
            self.ent_coef = self.entropy(self._current_progress_remaining)
            super().train()
        self.seconds["update"] += time.perf_counter() - started

    @property
    def _is_warming_up(self) -> bool:
        return 1.0 - self._current_progress_remaining < self.warm_up

    def _learn_opinions(self, opinions: torch.Tensor) -> None:
        """One pass: the logits learn what each action is worth, and the critic what follows."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        losses = []
        for part in self.rollout_buffer.parts(self.batch_size):
            batch = self.rollout_buffer.samples(part)
            logits, latent = self.policy.mlp_extractor(batch.observations)
            legal = batch.action_masks
            error = (logits - SHARPNESS * opinions[part]) * legal
            count = legal.sum(1, keepdim=True)
            error = (error - error.sum(1, keepdim=True) / count) * legal
            surprise = self.policy.value_net(latent).squeeze(1) - batch.returns
            loss = (error.square().sum(1) / count.squeeze(1)).mean()
            loss = loss + self.vf_coef * surprise.square().mean()
            self.policy.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
            self.policy.optimizer.step()
            losses.append(loss.item())
        self.logger.record("train/warm_up_loss", np.mean(losses))

    def _legal(self, actions: torch.Tensor, mask: NDArray[np.bool_]) -> torch.Tensor:
        """The actions, where one is not legal the first legal one in its place.

        PyTorch may sample an index of probability 0, if very rarely (pytorch issue 91863).
        """
        legal = torch.as_tensor(mask).to(self.device)
        good = legal.gather(1, actions.unsqueeze(1)).squeeze(1)
        if bool(good.all()):
            return actions
        self.illegal_samples += int((~good).sum())
        return torch.where(good, actions, legal.to(torch.uint8).argmax(1))

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        super()._update_current_progress_remaining(num_timesteps, total_timesteps)
        if self.progress is not None:
            self._current_progress_remaining = 1.0 - self.progress()

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "progress", "seconds"]


def _schedule(given: Schedule | float) -> Schedule:
    return given if callable(given) else lambda _remaining: float(given)
