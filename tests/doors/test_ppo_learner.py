"""The learner: its networks beside the compiled one, who sees what, and what MaskablePPO gives."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch  # these are not installed everywhere
from stable_baselines3.common.callbacks import BaseCallback, CheckpointCallback
from stable_baselines3.common.logger import configure

import agents
from agents.ppo import critic
from agents.ppo.agent import PPOAgent
from agents.ppo.learner import SHARPNESS, SelfPlayPPO
from agents.ppo.network import PolicyNetwork
from agents.ppo.policy import SeatPolicy
from agents.ppo.policy_file import Policy, load, parameter_shapes, save
from agents.ppo.shape import Shape
from agents.ppo.vec_env import SCALE, SelfPlayVecEnv
from chickenfoot_env import batch, chance, encode, sampling, view
from chickenfoot_env.rules import Rules
from chickenfoot_env.self_play import SelfPlayVectorEnv, Tick
from chickenfoot_env.trajectories import trajectories

torch.set_num_threads(1)

F = encode.size(9)


def vec_env(count: int = 16, sees_all: bool = True, **keywords: Any) -> SelfPlayVecEnv:
    return SelfPlayVecEnv(SelfPlayVectorEnv(count, **keywords), sees_all)


def model_on(env: SelfPlayVecEnv, **keywords: Any) -> SelfPlayPPO:
    settings: dict[str, Any] = {
        **{"n_steps": 24, "batch_size": 64, "n_epochs": 1, "seed": 1},
        "policy_kwargs": {"shape": Shape(9, 8), "value_width": 16},
        **keywords,
    }
    return SelfPlayPPO(SeatPolicy, env, **settings)


def randomise(module: torch.nn.Module) -> None:
    """Weights of which none is 0, as a training leaves them."""
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for weight in module.parameters():
            weight += 0.2 * torch.randn(weight.shape, generator=generator)


def middle_views(max_pip: int, players: int) -> np.ndarray:
    """Views of the seats to act in the middle of random rounds."""
    rules = Rules(players=players, max_pip=max_pip, hand_size=4)
    games = batch.deal(rules, np.arange(120, dtype=np.uint64))
    for number in range(40):
        rows = np.flatnonzero(np.arange(120) % 40 > number)
        some = games[rows]
        seeds = chance.derive(rows.astype(np.uint64), number)
        batch.step(some, sampling.sample(batch.legal_mask(some), seeds))
        games[rows] = some
    return view.observe(games, games["seat"].astype(np.int64))


def arrays_of(network: PolicyNetwork) -> dict[str, np.ndarray]:
    return {name: value.numpy().copy() for name, value in network.state_dict().items()}


# The networks.


@pytest.mark.parametrize("standings", [False, True])
@pytest.mark.parametrize(("max_pip", "players"), [(6, 2), (9, 4), (12, 8)])
def test_the_exported_policy_is_the_networks(
    max_pip: int, players: int, standings: bool, tmp_path: Path
) -> None:
    """Through a file, for a set other than the one of the training, too."""
    torch.manual_seed(1)  # some weights tell actions apart by more than a probability can hold
    network = PolicyNetwork(Shape(9, 12, rounds=2, standings=standings))
    randomise(network)
    save(tmp_path / "policy.npz", Policy(network.shape, arrays_of(network), {}))
    agent = PPOAgent.of(load(tmp_path / "policy.npz"))
    there = PolicyNetwork(Shape(max_pip, 12, rounds=2, standings=standings))
    there.load_state_dict(network.state_dict())
    views = middle_views(max_pip, players)
    legal = torch.from_numpy(view.legal_mask(views))
    with torch.no_grad():
        logits = there(torch.from_numpy(encode.features(views)))
    wanted = logits.masked_fill(~legal, -torch.inf).log_softmax(1)[legal].numpy()
    found = np.log(agent.policy(views)[legal.numpy()])
    assert found == pytest.approx(wanted, abs=1e-4)
    assert np.ptp(wanted) > 0.5


def test_a_file_holds_every_parameter_of_the_network() -> None:
    network = PolicyNetwork(Shape(9, 12))
    shapes = {name: tuple(value.shape) for name, value in network.state_dict().items()}
    assert shapes == parameter_shapes(network.shape)


def test_the_actor_never_sees_what_the_critic_sees() -> None:
    """Whatever stands in the critic's columns: the same bytes, and no gradient."""
    env = vec_env(32)
    model = model_on(env)
    randomise(model.policy)
    seen = torch.from_numpy(env.reset())
    assert seen.shape[1] == F + critic.size(9)
    mask = env.tick.action_mask
    other = torch.cat([seen[:, :F], torch.randn(len(seen), critic.size(9))], 1)
    with torch.no_grad():
        told = [model.policy.get_distribution(x, mask).distribution.logits for x in (seen, other)]
        assert told[0].numpy().tobytes() == told[1].numpy().tobytes()
        values = [model.policy.predict_values(x) for x in (seen, other)]
        assert (values[0] != values[1]).all()
    x = seen.clone().requires_grad_(True)
    actor = model.policy.mlp_extractor.forward_actor(x)
    (gradient,) = torch.autograd.grad(actor.square().sum(), x)
    assert gradient[:, :F].abs().sum() > 0
    assert (gradient[:, F:] == 0).all()
    actor_weights = [*model.policy.mlp_extractor.actor.parameters()]
    value = model.policy.predict_values(seen).sum()
    gradients = torch.autograd.grad(value, actor_weights, allow_unused=True)
    assert all(each is None for each in gradients)  # nor do they share a weight


def test_the_critics_columns_are_those_of_the_game() -> None:
    env = vec_env(8)
    seen = env.reset()
    assert (seen[:, :F] == env.tick.observation).all()
    assert (seen[:, F:] == critic.critic_features(env.games.games())).all()
    blind = vec_env(8, sees_all=False)
    blind.seed(env._seeds[0])
    assert blind.reset().shape == (8, F) == (8, blind.observation_space.shape[0])


# Rollouts and updates.


class Recorder(BaseCallback):
    """Which of its methods were called, and what a rollout has left."""

    def __init__(self, stop_after: int = 10**9) -> None:
        super().__init__()
        self.called: list[str] = []
        self._left = stop_after

    def _on_training_start(self) -> None:
        self.called.append("training start")

    def _on_rollout_start(self) -> None:
        self.called.append("rollout start")

    def _on_step(self) -> bool:
        self.called.append("step")
        assert self.locals["self"] is self.model
        self._left -= 1
        return self._left > 0

    def _on_rollout_end(self) -> None:
        self.called.append("rollout end")

    def _on_training_end(self) -> None:
        self.called.append("training end")


def test_callbacks_are_called_in_turn() -> None:
    recorder = Recorder()
    model = model_on(vec_env(), n_steps=16)
    model.learn(1, callback=recorder)
    rollout = ["rollout start", *["step"] * 16, "rollout end"]
    assert recorder.called == ["training start", *rollout, "training end"]
    model.learn(1, callback=recorder, reset_num_timesteps=False)
    assert recorder.called.count("rollout end") == 2


def test_a_callback_can_stop_the_training() -> None:
    recorder = Recorder(stop_after=5)
    model = model_on(vec_env())
    model.learn(10**6, callback=recorder)
    assert recorder.called.count("step") == 5
    assert "rollout end" not in recorder.called
    assert model.num_timesteps == 0


def test_the_buffer_holds_each_complete_decision_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A rollout again by hand, with the same actions: rewards, values and masks of each row."""
    env = vec_env(8, players=3)
    model = model_on(env, n_steps=60, gae_lambda=1.0)
    env.reset()
    twin = SelfPlayVectorEnv(8, players=3)
    ticks = [twin.restore(env.games.state())]
    taken: list[np.ndarray] = []
    step = env.games.step

    def watched(actions: np.ndarray) -> Tick:
        taken.append(actions)
        return step(actions)

    monkeypatch.setattr(env.games, "step", watched)
    model.learn(1)
    ticks += [twin.step(actions) for actions in taken]
    data = trajectories(ticks, taken)
    known = np.flatnonzero(data.complete)
    assert model.num_timesteps == len(known) > 200
    observations, actions, values, log_probs, gains, returns, masks = (
        column[model.rollout_buffer.known].numpy() for column in model.rollout_buffer.columns
    )
    assert (observations[:, :F] == data.observation[known]).all()
    assert (actions == data.action[known]).all()
    assert (masks == data.action_mask[known]).all()
    assert (masks.sum(axis=1) > 1).all()  # forced moves are not learned from
    assert gains == pytest.approx(returns - values, abs=1e-4)
    assert (log_probs < 0).all()
    ended = data.terminated[known]
    assert returns[ended] == pytest.approx(data.reward[known][ended] / SCALE, abs=1e-4)
    assert ended.sum() > 10


def test_probabilities_of_the_buffer_are_those_of_the_policy() -> None:
    env = vec_env(16)
    model = model_on(env, learning_rate=1e-12)
    model.learn(1)
    buffer = model.rollout_buffer
    rows = buffer.samples(buffer.known)
    with torch.no_grad():
        values, log_probs, _entropy = model.policy.evaluate_actions(
            rows.observations, rows.actions, action_masks=rows.action_masks
        )
    assert log_probs.numpy() == pytest.approx(rows.old_log_prob.numpy(), abs=1e-4)
    assert values.squeeze(1).numpy() == pytest.approx(rows.old_values.numpy(), abs=1e-4)
    assert (buffer.values == rows.old_values.numpy()).all()
    assert (buffer.returns == rows.returns.numpy()).all()


def test_no_part_of_a_pass_is_a_single_decision() -> None:
    """MaskablePPO divides by the deviation of its advantages, which one alone has not."""
    buffer = model_on(vec_env(2)).rollout_buffer
    for count in (2, 3, 7, 65, 4226, 4227):
        buffer.known = torch.arange(count)
        for size in (2, 3, 64, 10**6):
            sizes = [len(part) for part in buffer.parts(size)]
            assert min(sizes) >= min(2, count) and sum(sizes) == count
            assert max(sizes) - min(sizes) <= 1 and max(sizes) <= max(1.5 * size, 3)


def test_each_pass_shows_every_decision_once() -> None:
    model = model_on(vec_env())
    model.learn(1)
    buffer = model.rollout_buffer
    for size in (1, 50, 64, 10**6, None):
        parts = [*buffer.parts(size)]
        assert sorted(torch.cat(parts).tolist()) == buffer.known.tolist()
        assert sum(len(each.actions) for each in buffer.get(size)) == len(buffer.values)


class Sneaky:
    """A distribution that samples an index of probability 0 in some rows."""

    def __init__(self, actions: torch.Tensor) -> None:
        self._actions = actions

    def get_actions(self, deterministic: bool = False) -> torch.Tensor:
        return self._actions

    def log_prob(self, actions: torch.Tensor) -> torch.Tensor:
        return torch.zeros(len(actions))


def test_an_illegal_sample_is_replaced_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """`step` would refuse it, so the training would end."""
    env = vec_env(12)
    model = model_on(env, n_steps=16)
    spoilt = 0

    def sneaky(inputs: torch.Tensor, mask: np.ndarray) -> Sneaky:
        nonlocal spoilt
        actions = torch.from_numpy(mask.argmax(axis=1))
        actions[::5] = torch.from_numpy(mask.argmin(axis=1))[::5]
        spoilt += len(actions[::5])
        return Sneaky(actions)

    monkeypatch.setattr(model.policy, "get_distribution", sneaky)
    monkeypatch.setattr(model, "train", lambda: None)
    model.learn(1)
    assert model.illegal_samples == spoilt == 16 * 3
    mask = np.array([[False, True, True], [True, False, True], [False, False, True]])
    told = model._legal(torch.tensor([0, 2, 1]), mask)
    assert told.tolist() == [1, 2, 2]  # the first legal one, and what is legal stays
    assert model.illegal_samples == spoilt + 2


def test_threads_share_the_playouts_of_the_warm_up_and_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = vec_env(64)
    model = model_on(env, worlds=2)
    env.reset()
    found = []
    for threads in (1, 3, 100):
        monkeypatch.setattr(torch, "get_num_threads", lambda threads=threads: threads)
        torch.manual_seed(7)
        found.append(model._opinions(env.games.games()))
    assert np.ptp(found[0]) > 10.0
    assert (found[1] == found[0]).all() and (found[2] == found[0]).all()


def test_in_the_warm_up_the_logits_learn_what_actions_are_worth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Here doubles are worth 4 pips more than all else; logits tell it in their own unit."""
    asked: list[tuple[int, int]] = []

    def values(games: np.ndarray, seeds: np.ndarray, worlds: int) -> np.ndarray:
        asked.append((len(games), worlds))
        worth = np.zeros(102)
        worth[np.arange(10) * 11] = 4.0
        return np.where(batch.legal_mask(games), worth, 0.0).astype(np.float32)

    monkeypatch.setattr(critic, "action_values", values)
    model = model_on(vec_env(64), warm_up=1.0, worlds=5, learning_rate=2e-2)
    model.learn(4000)
    assert {*asked} == {(64, 5)}
    views = middle_views(9, 4)
    legal = view.legal_mask(views)
    is_double = np.zeros(102, np.bool_)
    is_double[np.arange(10) * 11] = True
    mixed = (legal & is_double).any(axis=1) & (legal & ~is_double).any(axis=1)
    assert mixed.sum() > 20
    with torch.no_grad():
        inputs = torch.from_numpy(encode.features(views[mixed]))
        logits = model.policy.mlp_extractor.actor(inputs).numpy()
    means = [
        np.nanmean(np.where(legal[mixed] & kind, logits, np.nan), axis=1)
        for kind in (is_double, ~is_double)
    ]
    assert np.mean(means[0] - means[1]) == pytest.approx(4.0 * SHARPNESS, abs=0.4)


def test_behind_the_warm_up_comes_ppo() -> None:
    model = model_on(vec_env(), warm_up=0.5, worlds=1)
    logged: list[set[str]] = []

    class Watch(BaseCallback):
        def _on_step(self) -> bool:
            return True

        def _on_rollout_end(self) -> None:
            logged.append({"opinions"} if model.rollout_buffer.opinions is not None else set())

    model.learn(2000, callback=Watch())
    assert logged[0] == {"opinions"} and logged[-1] == set()
    changes = sum(a != b for a, b in itertools.pairwise(logged))
    assert changes == 1
    assert len(logged) >= 4


def test_entropy_falls_as_its_schedule_says(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_on(vec_env(), entropy=lambda remaining: 0.5 * remaining)
    weights = []
    train = SelfPlayPPO.train

    def watched(self: SelfPlayPPO) -> None:
        train(self)
        weights.append(self.ent_coef)

    monkeypatch.setattr(SelfPlayPPO, "train", watched)
    model.learn(1500)
    assert len(weights) >= 4
    assert weights == sorted(weights, reverse=True)
    assert weights[0] > 0.3 > 0.15 > weights[-1]


# Saving, and what is not possible.


def test_a_saved_model_goes_on(tmp_path: Path) -> None:
    model = model_on(vec_env(), warm_up=0.2, worlds=3, entropy=0.07)
    model.learn(600)
    model.save(tmp_path / "model.zip")
    env = vec_env()
    loaded = SelfPlayPPO.load(tmp_path / "model.zip", env=env)
    assert (loaded.warm_up, loaded.worlds, loaded.entropy(1.0)) == (0.2, 3, 0.07)
    seen = env.reset()
    mask = env.tick.action_mask
    chosen = [
        each.predict(seen, action_masks=mask, deterministic=True)[0] for each in (model, loaded)
    ]
    assert (chosen[0] == chosen[1]).all()
    before = loaded.num_timesteps
    assert before == model.num_timesteps
    loaded.learn(200, reset_num_timesteps=False)
    assert loaded.num_timesteps > before
    weights = [each.policy.state_dict()["value_net.weight"] for each in (model, loaded)]
    assert (weights[0] != weights[1]).any()
    alone = SelfPlayPPO.load(tmp_path / "model.zip")  # to play, without games
    again = alone.predict(seen, action_masks=mask, deterministic=True)[0]
    assert (again == chosen[0]).all()


def test_sb3_callbacks_and_logger_work(tmp_path: Path) -> None:
    model = model_on(vec_env(), n_steps=16)
    model.set_logger(configure(str(tmp_path), ["csv"]))
    saver = CheckpointCallback(save_freq=16, save_path=str(tmp_path), name_prefix="kept")
    model.learn(400, callback=saver, log_interval=1)
    model.logger.close()
    assert len(list(tmp_path.glob("kept_*_steps.zip"))) >= 2
    log = (tmp_path / "progress.csv").read_text(encoding="utf-8").splitlines()
    assert {"rollout/return", "train/entropy_loss"} <= {*log[0].split(",")}


def test_the_same_seed_learns_the_same() -> None:
    def weights(seed: int) -> bytes:
        model = model_on(vec_env(), seed=seed, warm_up=0.5, worlds=2)
        model.learn(800)
        return b"".join(each.detach().numpy().tobytes() for each in model.policy.parameters())

    assert weights(1) == weights(1) != weights(2)


def test_all_seats_learn_in_games_of_any_size() -> None:
    tables = [Rules(players=2), Rules(players=4), Rules(players=7)]
    env = vec_env(6, rules=tables, opponents=agents.make("greedy"), share=0.34)
    model = model_on(env, n_steps=40)
    model.learn(500)
    assert model.num_timesteps >= 500


def test_it_cannot_be_stepped_like_other_environments() -> None:
    env = vec_env(2)
    env.reset()
    for attempt in (lambda: env.step_async(np.zeros(2)), env.step_wait):
        with pytest.raises(NotImplementedError, match="SelfPlayPPO ticks the games by itself"):
            attempt()
    assert env.get_attr("render_mode") == [None, None]
    assert env.env_is_wrapped(object) == [False, False]
    for wrong in (
        lambda: env.get_attr("hands"),
        lambda: env.set_attr("hands", 1),
        lambda: env.env_method("hands"),
    ):
        with pytest.raises(AttributeError, match="hands"):
            wrong()
