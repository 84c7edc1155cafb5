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

B games, T ticks, F features of a seat, C of the critic, A actions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import (
    MaskableRolloutBuffer,
    MaskableRolloutBufferSamples,
)
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from agents.ppo import critic
from agents.ppo.standings import Standings
from agents.ppo.streams import advantages
from agents.threads import spread
from chickenfoot_env.rules import MAX_PLAYERS
from chickenfoot_env.self_play import SelfPlayVectorEnv, Tick
from chickenfoot_env.trajectories import trajectories

SCALE: Final = 25.0  # pips that count as a reward of 1; about the spread of a round's margin
WIN_SCALE: Final = 0.1  # the same for changes of the chance to win
SHARPNESS: Final = 0.5  # of the policy in the warm-up: logits a pip

Schedule = Callable[[float], float]  # of the progress remaining, from 1 to 0


class SelfPlayVecEnv(VecEnv):
    """B games in which all seats learn, as Stable-Baselines3 wants to hold them.

    It cannot be stepped as other environments can, for from step to step another seat acts;
    `SelfPlayPPO` ticks the games instead.

    Args:
        games: made with copy=True.
        sees_all: whether observations go on with what only a critic may see.
        standings: by the number of seats, what standings are worth. With it, `games` are of
            episode="game" and reward="win", and each seat is told at its next decision by how much
            its chance to win has changed: whole games are learned from their rounds. Without it,
            rewards are those of `games`.

    Attributes:
        games: as given.
        tick: the last one.
        scale: rewards are divided by it.
    """

    def __init__(
        self,
        games: SelfPlayVectorEnv,
        sees_all: bool = True,
        standings: Mapping[int, Standings] | None = None,
    ) -> None:
        self.games, self.sees_all = games, sees_all
        self.tick: Tick | None = None
        self.scale = SCALE if standings is None else WIN_SCALE
        self._standings = standings
        self._worth = np.zeros((games.num_envs, MAX_PLAYERS))  # of each seat, when it last decided
        features = games.observation_space.shape[0]
        size = features + (critic.size(games.rules[0].max_pip) if sees_all else 0)
        low = np.zeros(size, np.float32)
        low[features:] = -np.inf  # margins
        high = np.where(low == 0.0, 1.0, np.inf).astype(np.float32)
        super().__init__(games.num_envs, spaces.Box(low, high), games.action_space)

    def observation(self) -> NDArray[np.float32]:
        """Of the decisions that the games wait for: (B, F + C) float32, or (B, F)."""
        assert self.tick is not None
        if not self.sees_all:
            return self.tick.observation
        hidden = critic.critic_features(self.games.games())
        return np.concatenate([self.tick.observation, hidden], 1)

    def reset(self) -> NDArray[np.float32]:
        """Deal new games, unless there are some that can be gone on with."""
        if self.tick is None:
            self.tick = self._valued(self.games.reset(self._seeds[0]))
        return self.observation()

    def play(self, actions: NDArray[np.int64]) -> Tick:
        """Take the decision of every game."""
        self.tick = self._valued(self.games.step(actions))
        return self.tick

    def state(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs to go on from here."""
        return {**self.games.state(), "worth": self._worth.copy()}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from a state of games that were made alike.

        Raises:
            ValueError: for anything else than such a state.
        """
        if state["worth"].shape != self._worth.shape:
            raise ValueError(f"a state of {len(state['worth'])} games, not {len(self._worth)}")
        self.tick = self.games.restore(state)
        self._worth = state["worth"].astype(np.float64)

    def _valued(self, tick: Tick) -> Tick:
        """The tick with rewards by what the standings are worth."""
        if self._standings is None:
            return tick
        games, rows, seats = (
            self.games.games(),
            np.arange(len(tick.seat)),
            tick.final_reward.shape[1],
        )
        now = np.zeros((len(rows), MAX_PLAYERS))
        for players in np.unique(tick.players).tolist():
            some = np.flatnonzero(tick.players == players)
            now[some, :players] = self._standings[players](games[some])
        final = np.where(tick.acted, tick.final_reward - self._worth[:, :seats], 0.0)
        reward = np.where(tick.first, 0.0, now[rows, tick.seat] - self._worth[rows, tick.seat])
        self._worth[rows, tick.seat] = now[rows, tick.seat]
        return tick._replace(reward=reward, final_reward=final)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Refused; see above."""
        raise NotImplementedError("all seats learn here: SelfPlayPPO ticks the games by itself")

    def step_wait(self) -> Any:
        """Refused; see above."""
        raise NotImplementedError("all seats learn here: SelfPlayPPO ticks the games by itself")

    def close(self) -> None:
        """Nothing is open."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """None for `render_mode`; there is nothing else."""
        if attr_name != "render_mode":
            raise AttributeError(attr_name)
        return [None] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refused: nothing can be set."""
        raise AttributeError(attr_name)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """Refused: games have no methods."""
        raise AttributeError(method_name)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """They are not."""
        return [False] * self.num_envs


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
