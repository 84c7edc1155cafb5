"""The agent that plays by a policy: temperature, legality, its spec, and the shipped weights."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from literal_network import positions, random_policy
from scipy import stats

import agents
from agents.base import AgentError
from agents.ppo import agent as ppo_agent
from agents.ppo import policy_file
from agents.ppo.agent import PPOAgent
from chickenfoot_env import batch, chance, view
from chickenfoot_env.game import GAME_OVER
from chickenfoot_env.presets import PRESETS
from chickenfoot_env.rules import Rules

SEEDS = chance.derive(np.arange(20_000, dtype=np.uint64), 3)


def test_temperature_0_takes_the_likeliest_action_whatever_the_seed() -> None:
    policy, views = random_policy(1), positions(9, 22)
    likeliest = PPOAgent.of(policy).policy(views).argmax(axis=1)
    for seed in (0, 7):
        actions = PPOAgent.of(policy).act(views, np.full(len(views), seed, np.uint64))
        assert (actions == likeliest).all()


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_it_samples_by_the_probabilities(temperature: float) -> None:
    """Chi-square over many seeds, in the positions with the most even choices."""
    policy, views = random_policy(2), positions(9, 22)
    likely = PPOAgent.of(policy).policy(views).astype(np.float64)
    rows = np.argsort((likely > 0.03).sum(axis=1))[-3:]
    for row in rows:
        wanted = likely[row] ** (1 / temperature)
        wanted *= len(SEEDS) / wanted.sum()
        asked = np.repeat(views[row : row + 1], len(SEEDS))
        actions = PPOAgent.of(policy, temperature).act(asked, SEEDS)
        count = np.bincount(actions, minlength=len(wanted))
        assert count[likely[row] == 0].sum() == 0
        common = wanted >= 5.0
        assert common.sum() >= 4
        rest = (~common) & (wanted > 0)
        told = np.append(count[common], count[rest].sum())
        expected = np.append(wanted[common], wanted[rest].sum())
        kept = expected > 0
        assert stats.chisquare(told[kept], expected[kept]).pvalue > 1e-4


def test_a_high_temperature_is_nearly_uniform() -> None:
    policy, views = random_policy(2), positions(9, 11)
    row = int(view.legal_mask(views).sum(axis=1).argmax())
    asked = np.repeat(views[row : row + 1], len(SEEDS))
    count = np.bincount(PPOAgent.of(policy, 1000.0).act(asked, SEEDS))
    count = count[count > 0]
    assert len(count) == view.legal_mask(views)[row].sum()
    assert stats.chisquare(count).pvalue > 1e-4


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_it_never_acts_illegally(preset: str, temperature: float) -> None:
    """Whole rounds of 2 and 4 seats; `batch.step` refuses illegal actions."""
    agent = PPOAgent.of(random_policy(3), temperature)
    for players in (2, 3):
        games = batch.deal(Rules.preset(preset, players=players), SEEDS[:12])
        steps = 0
        while (games["round"] < 1).any() and (games["over"] != GAME_OVER).any():
            views = view.observe(games, games["seat"].astype(np.int64))
            batch.step(games, agent.act(views, chance.derive(SEEDS[:12], steps)))
            steps += 1
        assert steps > 10


def test_a_path_makes_an_agent_and_its_name_makes_it_again(tmp_path: Path) -> None:
    path = tmp_path / "mine=1.npz"
    policy_file.save(path, random_policy(4))
    agent = agents.make(f"ppo:path={path},temperature=0.5")
    assert agent.name == f"ppo:path={path},temperature=0.5"
    again = agents.make(agent.name)
    views = positions(9, 11)
    seeds = SEEDS[: len(views)]
    wanted = PPOAgent.of(random_policy(4), 0.5).act(views, seeds)
    assert again.name == agent.name
    assert (agent.act(views, seeds) == wanted).all()
    assert (again.act(views, seeds) == wanted).all()


@pytest.mark.parametrize("temperature", ["-0.1", "1000.5", "nan", "inf"])
def test_a_temperature_that_makes_no_sense_is_refused(temperature: str) -> None:
    with pytest.raises(AgentError, match=r"^temperature=\S+ of ppo: allowed are 0 to 1,000$"):
        agents.make(f"ppo:temperature={temperature}")


@pytest.mark.parametrize("threads", [2, 3, 200])
def test_threads_share_the_work_and_change_nothing(threads: int) -> None:
    policy = random_policy(5)
    views = np.concatenate([positions(max_pip, 70)[:70] for max_pip in (6, 9)])
    views, seeds = views[np.random.default_rng(1).permutation(len(views))], SEEDS[: len(views)]
    alone = PPOAgent.of(policy, 1.0).act(views, seeds)
    assert (PPOAgent.of(policy, 1.0, threads).act(views, seeds) == alone).all()
    assert len(PPOAgent.of(policy, 1.0, threads).act(views[:0], seeds[:0])) == 0


@pytest.mark.parametrize("threads", ["0", "-1", "257"])
def test_a_number_of_threads_that_makes_no_sense_is_refused(threads: str) -> None:
    with pytest.raises(AgentError, match=r"^threads=\S+ of ppo: allowed are 1 to 256$"):
        agents.make(f"ppo:threads={threads}")


def test_the_shipped_weights_are_small_and_tell_what_made_them() -> None:
    assert ppo_agent.SHIPPED.stat().st_size <= 2 * 2**20
    policy = policy_file.load(ppo_agent.SHIPPED)
    assert policy.shape.max_pip == 9
    told = policy.training
    assert re.match(r"chickenfoot train ppo\b", told["command"])
    assert {"chickenfoot", "numpy", "torch", "stable-baselines3"} <= told["versions"].keys()
    assert told["decisions"] > 10_000
    anchors = {name.partition("/")[0] for name in told["exam"]}
    assert {"greedy", "heuristic"} <= anchors
    for result in told["exam"].values():
        assert result["low"] < result["margin"] < result["high"]
        assert result["deals"] >= 500
        assert 0 < result["win_share"] < 1


def test_the_shipped_agent_beats_greedy() -> None:
    """By three errors of the mean at the least, in single rounds with three of them."""
    rules = Rules(players=4, rounds=(9,))
    games = batch.deal(rules, SEEDS[:1200])
    ours = np.arange(len(games)) % 4
    agent, greedy = agents.make("ppo"), agents.make("greedy")
    while (running := games["over"] != GAME_OVER).any():
        seat = games["seat"].astype(np.int64)
        actions = np.full(len(games), rules.pass_)
        for player, rows in ((agent, running & (seat == ours)), (greedy, running & (seat != ours))):
            actions[rows] = player.act(view.observe(games[rows], seat[rows]), SEEDS[: rows.sum()])
        batch.step(games, actions)
    margins = batch.margins(games)[np.arange(len(games)), ours]
    assert margins.mean() > 3 * margins.std() / len(games) ** 0.5
