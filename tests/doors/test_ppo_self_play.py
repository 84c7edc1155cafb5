"""The PPO in one file: its streams, what it learns, and that a seed repeats it."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from chickenfoot_env import Rules, chance, sampling  # noqa: E402  # torch is not everywhere
from chickenfoot_env.self_play import SelfPlayVectorEnv  # noqa: E402
from chickenfoot_env.trajectories import NONE, trajectories  # noqa: E402

ROOT = Path(__file__).parents[2]
FILE = ROOT / "examples" / "ppo_self_play.py"
MARGIN = r"([-+.\d]+) \(([-+.\d]+) to ([-+.\d]+)\)"
SMALL = "--players 2 --num-envs 64 --ticks 32 --width 64 --minibatch 256".split()
LINE = re.compile(
    r"update (\d+)  decisions (\d+)  per second \d+  loss ([-+.\d]+)  entropy ([.\d]+)"
    rf"  explained variance ([-+.\d]+)(?:  margin {MARGIN})?"
)


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    """The names of the file."""
    torch.set_num_threads(1)
    return runpy.run_path(str(FILE))


def run(*options: str) -> str:
    """What the file prints, run as a program."""
    done = subprocess.run(
        [sys.executable, "-W", "error", FILE, *options],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=600,
        check=True,
    )
    return done.stdout


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What a short training prints, and the weights it leaves."""
    weights = tmp_path_factory.mktemp("weights") / "policy.pt"
    options = ("--steps", "60000", "--exam-every", "15", "--exam-deals", "60")
    return run(*SMALL, *options, "--save", str(weights)), weights


def test_a_training_learns_and_ends_after_its_steps(printed: tuple[str, Path]) -> None:
    *lines, greedy, last = printed[0].splitlines()
    told = [match.groups() for match in map(LINE.fullmatch, lines) if match]
    assert len(told) == len(lines) == 30  # 2,048 decisions each
    assert [int(row[1]) for row in told][-1] == 61_440
    numbers = np.array([[float(value) for value in row[2:5]] for row in told])
    assert np.isfinite(numbers).all()
    entropy, explained = numbers[:, 1], numbers[:, 2]
    assert entropy[0] > 1.2 and entropy[-5:].mean() < 0.9 * entropy[0]
    assert explained[-5:].mean() > 0.05 > explained[0]
    assert [row[5] is not None for row in told] == ([False] * 14 + [True]) * 2
    assert greedy.startswith("exam: margin against 1 greedy ")
    result = re.fullmatch(f"exam: margin against 1 heuristic {MARGIN} pips a round", last)
    assert result is not None
    mean, low, high = map(float, result.groups())
    assert low < mean < high < low + 8
    assert mean > -13  # a random policy has about -25


def test_the_weights_are_kept_and_play(printed: tuple[str, Path], example: dict[str, Any]) -> None:
    rules = Rules(players=2)
    generator = torch.Generator().manual_seed(5)
    network = example["Network"](342, rules.actions, 64, generator)
    margins = []
    for weights in (network.state_dict(), torch.load(printed[1], weights_only=True)):
        network.load_state_dict(weights)
        told = re.fullmatch(MARGIN, example["exam"](network, rules, "heuristic", 200))
        margins.append([float(number) for number in told.groups()])
    assert margins[1][1] > margins[0][2]  # the intervals do not meet


def test_a_seed_repeats_a_training(
    example: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for seed in (4, 4, 5):
        settings = example["Settings"](
            seed=seed, steps=6000, num_envs=64, ticks=32, width=32, exam_every=2, exam_deals=10
        )
        example["main"](settings)
        told.append(re.sub(r"per second \d+", "", capsys.readouterr().out))
    assert told[0] == told[1] != told[2]


def test_advantages_go_along_the_stream_of_one_seat(example: dict[str, Any]) -> None:
    """Against a literal version: the streams one by one, from their ends."""
    envs = SelfPlayVectorEnv(5, players=3)
    ticks, actions = [envs.reset(seed=2)], []
    for number in range(70):
        seeds = chance.derive(np.arange(5, dtype=np.uint64), number)
        actions.append(sampling.sample(ticks[-1].action_mask, seeds))
        ticks.append(envs.step(actions[-1]))
    data = trajectories(ticks, actions)
    value = np.random.default_rng(3).normal(size=71 * 5)
    found = example["advantages"](data, data.reward, value, 0.9)
    expected = np.zeros(70 * 5)
    for game in range(5):
        for seat in range(3):
            for row in data.stream(game, seat)[::-1]:
                following = data.next_row[row]
                if data.terminated[row]:
                    expected[row] = data.reward[row] - value[row]
                elif following != NONE:
                    assert data.seat[following] == seat
                    later = expected[following] if following < 70 * 5 else 0.0
                    error = data.reward[row] + value[following] - value[row]
                    expected[row] = error + 0.9 * later
    assert found == pytest.approx(expected)
    assert (found[~data.complete] == 0).all() and (~data.complete).any()


def test_actions_are_samples_of_the_policy_and_legal(example: dict[str, Any]) -> None:
    rules = Rules(players=4)
    generator = torch.Generator().manual_seed(1)
    network = example["Network"](342, rules.actions, 32, generator)
    envs = SelfPlayVectorEnv(400, rules=rules)
    stretch = example["play"](envs, network, envs.reset([7] * 400), 1, generator)
    mask = torch.from_numpy(stretch.ticks[0].action_mask)
    log_prob, _value = network(torch.from_numpy(stretch.ticks[0].observation), mask)
    share = np.bincount(stretch.actions[0], minlength=rules.actions) / 400
    wanted = log_prob[0].exp().detach().numpy()  # the games are all the same
    assert abs(share - wanted).max() < 0.1
    assert (share[~stretch.ticks[0].action_mask[0]] == 0).all()
    assert (wanted[~stretch.ticks[0].action_mask[0]] == 0).all()


def test_the_file_is_short_and_its_help_names_every_option(example: dict[str, Any]) -> None:
    assert len(FILE.read_text(encoding="utf-8").splitlines()) <= 300
    shown = run("--help")
    for name in example["Settings"].__dataclass_fields__:
        assert f"--{name.replace('_', '-')} " in shown
    with pytest.raises(subprocess.CalledProcessError):
        run("--minutes", "0")
