"""PPO for Chicken Foot in one file: every seat learns, and one network plays them all.

    python examples/ppo_self_play.py --minutes 3

Needs PyTorch beside this package, and one core. An update plays `--num-envs` games for `--ticks`
decisions each, strings the decisions of every seat together, estimates advantages along these
streams alone, and takes a few epochs of clipped policy gradient steps. Every `--exam-every` updates
and at the end the policy plays single rounds against heuristic agents, each deal from every seat.
Its margin there, the others' mean points less its own in pips a round, tells whether it has learned
anything: the mean reward of self-play is 0 whatever is learned.

With --steps the same seed prints the same numbers again, but for the speed, on the same machine
with the same versions. --minutes stops by the clock.

B games, T ticks, F features, A actions; row t * B + i is what game i shows at tick t.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

import agents
from chickenfoot_env import Rules, batch, encode, view
from chickenfoot_env.self_play import SelfPlayVectorEnv, Tick
from chickenfoot_env.trajectories import NONE, Trajectories, trajectories
from experiments import match
from experiments.statistics import estimate

# Settings. Each is an option of the command line: num_envs is --num-envs.


def option(default: float | str, meaning: str) -> Any:
    """A field of Settings, with what --help says of it."""
    return dataclasses.field(default=default, metadata={"help": f"{meaning} ({default})"})


@dataclasses.dataclass(frozen=True)
class Settings:
    """What can be chosen; see --help."""

    minutes: float = option(3.0, "stop after so long, unless --steps is given")
    steps: int = option(0, "stop after so many decisions; 0: by the clock")
    players: int = option(4, "seats at each table")
    seed: int = option(1, "everything random follows from it")
    num_envs: int = option(256, "games at once")
    ticks: int = option(128, "decisions of each game in an update")
    width: int = option(128, "units of each of two hidden layers")
    learning_rate: float = option(1e-3, "at the start; it falls to 0 at the end")
    epochs: int = option(3, "passes over the decisions of an update")
    minibatch: int = option(1024, "decisions in a gradient step")
    clip: float = option(0.15, "how far the ratio of new to old probability counts")
    entropy: float = option(0.03, "weight of the entropy at the start; it falls like the rate")
    trace: float = option(0.95, "lambda of the advantages; rewards are not discounted")
    scale: float = option(25.0, "pips that count as a reward of 1")
    exam_every: int = option(25, "updates from one exam to the next; 0: at the end only")
    exam_deals: int = option(100, "deals of an exam; thirty times as many at the end")
    save: str = option("", "file for the weights at the end")


def command_line() -> Settings:
    """The settings asked for."""
    parser = argparse.ArgumentParser(description="PPO self-play for Chicken Foot.")
    for field in dataclasses.fields(Settings):
        name, meaning = field.name.replace("_", "-"), field.metadata["help"]
        parser.add_argument(
            f"--{name}", type=type(field.default), default=field.default, help=meaning
        )
    settings = Settings(**vars(parser.parse_args()))
    if settings.steps <= 0 and settings.minutes <= 0:
        parser.error(f"--minutes {settings.minutes}: wanted is more than 0, or --steps")
    return settings


# The network: what a seat sees -> how likely it takes each action, and what it expects to earn.


class Network(nn.Module):
    """Two hidden layers, with a head for the policy and one for the value."""

    def __init__(self, features: int, actions: int, width: int, generator: torch.Generator) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(features, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)
        gains = {self.body[0]: 2**0.5, self.body[2]: 2**0.5, self.policy: 0.01, self.value: 1.0}
        for layer, gain in gains.items():
            nn.init.orthogonal_(layer.weight, gain, generator=generator)
            nn.init.zeros_(layer.bias)

    def forward(
        self, observation: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """(M, F) float32 and (M, A) bool -> (M, A) log-probabilities and (M,) values.

        An illegal action has probability 0 and a log-probability of about -1e9.
        """
        hidden = self.body(observation)
        logits = self.policy(hidden).masked_fill(~mask, -1e9)
        return logits.log_softmax(1), self.value(hidden).squeeze(1)


# Playing: T decisions of each game, all seats by the network.


@dataclasses.dataclass(frozen=True)
class Stretch:
    """T ticks of self-play and the one behind them."""

    ticks: list[Tick]  # T + 1
    actions: list[NDArray[np.int64]]  # T of (B,)
    log_prob: torch.Tensor  # (T * B,) float32, of the actions taken
    value: NDArray[np.float64]  # ((T + 1) * B,), of the seat to act


@torch.no_grad()
def play(
    envs: SelfPlayVectorEnv, network: Network, tick: Tick, count: int, generator: torch.Generator
) -> Stretch:
    """Go on from a tick for `count` decisions of each game."""
    ticks, actions, log_probs, values = [tick], [], [], []
    for _ in range(count):
        mask = torch.from_numpy(tick.action_mask)
        log_prob, value = network(torch.from_numpy(tick.observation), mask)
        # The argmax of log p - log(exponential noise) is a sample of p; illegal ones stay out.
        noise = torch.empty_like(log_prob).exponential_(generator=generator).log()
        chosen = (log_prob - noise).masked_fill(~mask, -torch.inf).argmax(1)
        tick = envs.step(chosen.numpy())
        ticks.append(tick)
        actions.append(chosen.numpy())
        log_probs.append(log_prob.gather(1, chosen[:, None]).squeeze(1))
        values.append(value)
    values.append(
        network(torch.from_numpy(tick.observation), torch.from_numpy(tick.action_mask))[1]
    )
    return Stretch(ticks, actions, torch.cat(log_probs), torch.cat(values).double().numpy())


def advantages(
    data: Trajectories, reward: NDArray[np.float64], value: NDArray[np.float64], trace: float
) -> NDArray[np.float64]:
    """Generalised advantage estimates, each along the stream of one seat in one game.

    A decision is followed by the next one of the same seat, never by what another seat sees.

    Args:
        data: of T ticks and the one behind them.
        reward: (T * B,) float64.
        value: ((T + 1) * B,) float64.
        trace: lambda.

    Returns:
        (T * B,) float64; 0 where a decision is not complete.
    """
    has_next, complete = data.next_row != NONE, data.complete
    following = np.where(has_next, data.next_row, 0)
    error = reward + np.where(has_next, value[following], 0.0) - value[: len(reward)]
    result = np.zeros(len(value))  # 0 for the tick behind: what follows it is not known
    for start in range(len(reward) - data.games, -1, -data.games):  # later ticks first
        rows = slice(start, start + data.games)
        later = np.where(has_next[rows], result[following[rows]], 0.0)
        result[rows] = np.where(complete[rows], error[rows] + trace * later, 0.0)
    return result[: len(reward)]


# Learning: a few epochs of clipped policy gradient steps on one stretch.


@dataclasses.dataclass(frozen=True)
class Report:
    """What an update tells of itself."""

    loss: float  # mean of its gradient steps
    entropy: float  # of the policy, nats, mean over its decisions
    explained: float  # share of the variance of returns that the values foresaw


def learn(
    network: Network,
    optimizer: torch.optim.Optimizer,
    stretch: Stretch,
    settings: Settings,
    entropy_weight: float,
    generator: torch.Generator,
) -> Report:
    """Improve the network by the complete decisions of a stretch."""
    data = trajectories(stretch.ticks, stretch.actions)
    estimates = advantages(data, data.reward / settings.scale, stretch.value, settings.trace)
    known = np.flatnonzero(data.complete)
    target = estimates[known] + stretch.value[known]
    explained = 1.0 - estimates[known].var() / max(target.var(), 1e-12)
    gain = torch.from_numpy(estimates[known]).float()
    gain = (gain - gain.mean()) / (gain.std() + 1e-8)
    returns, old = torch.from_numpy(target).float(), stretch.log_prob[torch.from_numpy(known)]
    observation, mask = torch.from_numpy(data.observation), torch.from_numpy(data.action_mask)
    action, row = torch.from_numpy(data.action[known]), torch.from_numpy(known)

    losses, entropies = [], []
    for _ in range(settings.epochs):
        order = torch.randperm(len(known), generator=generator)
        for part in order.chunk(max(1, round(len(known) / settings.minibatch))):
            log_prob, value = network(observation[row[part]], mask[row[part]])
            entropy = -(log_prob.exp() * log_prob).sum(1).mean()
            ratio = (log_prob.gather(1, action[part, None]).squeeze(1) - old[part]).exp()
            clipped = ratio.clamp(1.0 - settings.clip, 1.0 + settings.clip)
            policy_loss = -torch.min(ratio * gain[part], clipped * gain[part]).mean()
            value_loss = 0.5 * (value - returns[part]).square().mean()
            loss = policy_loss + 0.5 * value_loss - entropy_weight * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()
            losses.append(loss.item())
            entropies.append(entropy.item())
    return Report(float(np.mean(losses)), float(np.mean(entropies)), float(explained))


# The exam: single rounds against heuristic agents, the same deals each time.


class Learned:
    """The network as an agent, which takes its most likely action."""

    name = "learned"

    def __init__(self, network: Network) -> None:
        self.network = network

    @torch.no_grad()
    def act(self, views: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """(M,) VIEW -> (M,) int64 action ids; the seeds are not used."""
        observation = torch.from_numpy(encode.features(views))
        log_prob, _value = self.network(observation, torch.from_numpy(view.legal_mask(views)))
        chosen: NDArray[np.int64] = log_prob.argmax(1).numpy()
        return chosen


def exam(network: Network, rules: Rules, opponent: str, deals: int) -> str:
    """The margin, in pips a round with its 95 % interval, where all others are such agents."""
    per_starter = -(-deals // len(rules.starters))
    seeds = np.arange(per_starter, dtype=np.uint64) + np.uint64(2**63)  # far from those of training
    tables = [
        batch.deal(dataclasses.replace(rules, rounds=(pip,)), seeds, rules.private_stride)
        for pip in rules.starters
    ]
    games = np.repeat(np.concatenate(tables), rules.players)  # a deal once for each of our seats
    seats = np.arange(len(games)) % rules.players
    seating = (np.arange(rules.players) == seats[:, None]).astype(np.int64)
    line_up = [agents.make(opponent), Learned(network)]
    match.play(line_up, games, np.zeros(len(games), np.uint64), seating=seating)
    margins = batch.margins(games)[np.arange(len(games)), seats]
    result = estimate(margins.reshape(-1, rules.players).mean(1))
    return f"{result.mean:+.2f} ({result.low:+.2f} to {result.high:+.2f})"


def main(settings: Settings) -> None:
    """Train, print a line for each update, and hold the last exam."""
    torch.set_num_threads(1)  # a second one only gets in the way of networks as small as this
    generator = torch.Generator().manual_seed(settings.seed)
    rules = Rules(players=settings.players)
    envs = SelfPlayVectorEnv(settings.num_envs, rules=rules, episode="round")
    network = Network(encode.size(rules.max_pip), rules.actions, settings.width, generator)
    optimizer = torch.optim.Adam(network.parameters(), settings.learning_rate, eps=1e-5)
    tick = envs.reset(settings.seed)
    begun, decisions, update, done = time.monotonic(), 0, 0, 0.0
    while done < 1.0:
        started = time.monotonic()
        optimizer.param_groups[0]["lr"] = settings.learning_rate * (1.0 - done)
        stretch = play(envs, network, tick, settings.ticks, generator)
        tick = stretch.ticks[-1]
        weight = settings.entropy * (1.0 - done)
        report = learn(network, optimizer, stretch, settings, weight, generator)
        decisions += settings.num_envs * settings.ticks
        update += 1
        speed = settings.num_envs * settings.ticks / (time.monotonic() - started)
        line = f"update {update}  decisions {decisions}  per second {speed:.0f}"
        line += f"  loss {report.loss:+.4f}  entropy {report.entropy:.3f}"
        line += f"  explained variance {report.explained:+.3f}"
        if settings.exam_every and update % settings.exam_every == 0:
            line += f"  margin {exam(network, rules, 'heuristic', settings.exam_deals)}"
        print(line, flush=True)
        minutes = (time.monotonic() - begun) / 60
        done = decisions / settings.steps if settings.steps else minutes / settings.minutes
    for opponent in ("greedy", "heuristic"):
        margin = exam(network, rules, opponent, 30 * settings.exam_deals)
        print(f"exam: margin against {settings.players - 1} {opponent} {margin} pips a round")
    if settings.save:
        torch.save(network.state_dict(), settings.save)


if __name__ == "__main__":
    main(command_line())
