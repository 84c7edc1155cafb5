"""The TorchRL door: specs, legal play, rewards, the steps of each seat, and PPO on them."""

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
pytest.importorskip("torchrl")

from torchrl.envs import PettingZooWrapper  # noqa: E402
from torchrl.envs.utils import check_env_specs  # noqa: E402

from chickenfoot_env import chickenfoot_v0, encode  # noqa: E402
from chickenfoot_env.doors.torchrl import GROUP, make_env, own_steps  # noqa: E402

ROOT = Path(__file__).parents[2]
GAMES: dict[str, dict[str, Any]] = {
    "2 seats": {"players": 2, "rounds": (9,)},
    "rounds": {"players": 3, "episode": "round"},
    "win": {"players": 3, "reward": "win", "rounds": (9, 8)},
    "forced steps": {"players": 5, "episode": "round", "play_forced": False},
    "forfeit": {"on_illegal": "forfeit", "episode": "round"},  # has infos from the first step on
    "state": {"players": 3, "episode": "round", "return_state": True},
    "cut short": {"players": 3, "max_cycles": 60},
    "one tile": {"max_pip": 4, "players": 3, "hand_size": 1, "rounds": "all_doubles"},
}
each_game = pytest.mark.parametrize("name", GAMES)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Torch's threads get in one another's way."""
    torch.set_num_threads(1)
    torch.manual_seed(3)


def rolled_out(name: str, steps: int = 120) -> tuple[Any, Any]:
    """The environment, and a rollout of random play over one episode or more."""
    env = make_env(seed=5, **GAMES[name])
    return env, env.rollout(steps, break_when_any_done=False)


def episodes(rollout: Any) -> list[Any]:
    """The rollout cut where episodes end; the last one may be unfinished."""
    ends = rollout["next", "done"].flatten().nonzero().flatten() + 1
    return [part for part in rollout.tensor_split(ends.tolist()) if len(part)]


@each_game
def test_torchrls_checker_of_specs_passes(name: str) -> None:
    check_env_specs(make_env(**GAMES[name]), seed=1)


def test_each_seat_can_be_a_group_of_its_own() -> None:
    seats = {f"player_{seat}": [f"player_{seat}"] for seat in range(3)}
    env = make_env(players=3, group_map=seats)
    assert env.group_map == seats
    check_env_specs(env, seed=1)


def test_it_is_torchrls_own_wrapper_with_masks() -> None:
    env = make_env(players=3)
    assert type(env) is PettingZooWrapper
    assert env.use_mask
    assert env.group_map == {"seats": ["player_0", "player_1", "player_2"]}


@each_game
def test_the_actions_of_a_rollout_are_legal_and_observations_those_of_the_seat(name: str) -> None:
    _, rollout = rolled_out(name)
    played = rollout[GROUP]
    assert (played["mask"].sum(1) == 1).all()
    mask, action = played["action_mask"][played["mask"]], played["action"][played["mask"]]
    assert mask.gather(1, action[:, None]).all()
    assert (mask.sum(1) >= (1 if name == "forced steps" else 2)).all()
    assert played["action_mask"][~played["mask"]].all()
    names = {block.name: block.slice for block in encode.FEATURES}
    if GAMES[name].get("max_pip", 9) == 9:
        seen = played["observation", "observation"][played["mask"]]
        assert (seen[:, names["turn"]][:, 0] == 1).all()  # to itself it is seat 0, and to act


@each_game
def test_the_rewards_of_each_seat_add_up_to_its_result(name: str) -> None:
    env = make_env(seed=5, **GAMES[name])
    for seed in range(3):
        rollout = env.rollout(2000, auto_reset=False, tensordict=env.reset(seed=seed))
        assert rollout["next", "done"][-1]
        returns = env._env.unwrapped.returns()
        got = rollout["next", GROUP, "reward"].sum(0).squeeze(1).numpy()
        assert got == pytest.approx(returns, abs=1e-3)
        own = own_steps(rollout)
        for seat in range(len(returns)):
            mine = own["next", GROUP, "reward"][own["seat"] == seat]
            assert len(mine) == 0 or mine.sum().item() == pytest.approx(returns[seat], abs=1e-3)


@each_game
def test_every_decision_is_among_the_own_steps_of_its_seat(name: str) -> None:
    _, rollout = rolled_out(name)
    parts, rows = episodes(rollout), 0
    own = own_steps(rollout)
    for part in parts:
        over = bool(part["next", "done"][-1])
        for seat in range(part[GROUP].shape[1]):
            turns = part[GROUP][:, seat]
            turns = turns[turns["mask"]]
            count = len(turns) if over else max(len(turns) - 1, 0)
            mine = own[rows : rows + count]
            rows += count
            assert (mine["seat"] == seat).all()
            for key in ("action", "action_mask", ("observation", "observation")):
                assert torch.equal(mine[GROUP][key], turns[key][:count])
                if key != "action":  # what a seat sees next is what it saw when it acted next
                    following = mine["next", GROUP][key][: len(turns) - 1]
                    assert torch.equal(following, turns[key][1 : count + 1])
            done = mine["next", GROUP, "done"].flatten().tolist()
            assert done == [False] * (count - 1) + [True] * (count > 0)
            terminated = mine["next", GROUP, "terminated"].flatten().tolist()
            assert terminated == [False] * (count - 1) + [over and name != "cut short"] * (
                count > 0
            )
    assert rows == len(own)


def test_seeds_repeat_and_a_reset_with_one_deals_the_environments_game() -> None:
    one, two = (make_env(players=3, seed=9) for _ in range(2))
    for _ in range(2):
        seen = [env.reset()[GROUP, "observation", "observation"] for env in (one, two)]
        assert torch.equal(*seen)
    plain = chickenfoot_v0.raw_env(players=3)
    plain.reset(seed=4)
    seen = make_env(players=3, play_forced=False).reset(seed=4)[GROUP, "observation", "observation"]
    for seat, agent in enumerate(plain.possible_agents):
        np.testing.assert_array_equal(seen[seat].numpy(), plain.observe(agent)["observation"])


def test_wrong_keywords_are_refused() -> None:
    with pytest.raises(ValueError, match="no keyword 'toess'"):
        make_env(toess=3)
    with pytest.raises(ValueError, match="play_forced=3"):
        make_env(play_forced=3)  # type: ignore[arg-type]


def test_ppo_trains(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The example, with less of everything."""
    monkeypatch.setattr(
        sys, "argv", ["torchrl_ppo.py", "--updates", "2", "--steps", "100", "--players", "3"]
    )
    runpy.run_path(str(ROOT / "examples" / "torchrl_ppo.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    for line in lines:
        told = re.fullmatch(
            r"update \d  decisions \d+  rounds \d+  loss [+-]([\d.]+)  entropy ([\d.]+)", line
        )
        assert told and all(np.isfinite(float(number)) for number in told.groups())


def test_the_code_of_the_page_on_doors_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "doors.md").read_text(encoding="utf-8")
    section = page.partition("\n## TorchRL\n")[2].partition("\n## ")[0]
    (block,) = re.findall(r"^```python\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL)
    exec(compile(block, "docs/doors.md", "exec"), {})
    assert capsys.readouterr().out.startswith("200 turns, 19")


def test_without_torchrl_the_door_says_what_to_install() -> None:
    code = "import sys; sys.modules['torchrl'] = None; import chickenfoot_env.doors.torchrl"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "needs TorchRL: pip install 'chickenfoot[torchrl]'" in done.stderr
