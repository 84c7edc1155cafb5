"""The RLlib door: key names, turns, rewards, ends, seeds, and RLlib's own parts on it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("ray.rllib")
pytest.importorskip("torch")

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.env_context import EnvContext
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import (
    ActionMaskingTorchRLModule,
)
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

from chickenfoot_env import batch, chickenfoot_v0
from chickenfoot_env.doors.rllib import ChickenFootMultiAgentEnv

GAMES: dict[str, dict[str, Any]] = {
    "2 seats": {"players": 2, "rounds": (9, 8)},
    "4 seats, a game": {},
    "a round": {"players": 5, "episode": "round"},
    "win": {"players": 3, "reward": "win", "rounds": (9, 8)},
    "8 seats, forced steps": {"players": 8, "hand_size": 5, "rounds": (9, 0), "play_forced": False},
    "cut short": {"players": 3, "max_cycles": 50},
    "cut before all have acted": {"players": 6, "max_cycles": 5, "play_forced": False},
    "one tile": {"max_pip": 4, "players": 3, "hand_size": 1, "rounds": "all_doubles"},
}
each_game = pytest.mark.parametrize("name", GAMES)
pytestmark = [
    # RLlib registers its environments under one id, and overrides it itself.
    pytest.mark.filterwarnings("ignore:.*Overriding environment rllib-multi-agent-env-v0"),
]


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator of one test's random choices."""
    return np.random.default_rng(20)


class Step:
    """What one call has returned, and the random legal actions that answer it."""

    def __init__(self, rng: np.random.Generator, *told: dict[str, Any]) -> None:
        self.observations, self.rewards, self.terminateds, self.truncateds, self.infos = told
        self.is_over = self.terminateds["__all__"] or self.truncateds["__all__"]
        self.actions = {
            agent: int(rng.choice(np.flatnonzero(seen["action_mask"])))
            for agent, seen in self.observations.items()
        }


def play(env: ChickenFootMultiAgentEnv, rng: np.random.Generator, **reset: Any) -> list[Step]:
    """One episode of uniformly random legal play, as RLlib would drive it."""
    observations, infos = env.reset(**reset)
    ongoing = {"__all__": False}
    steps = [Step(rng, observations, {}, ongoing, ongoing, infos)]
    while not steps[-1].is_over:
        steps.append(Step(rng, *env.step(steps[-1].actions)))
    return steps


# The interface.


def test_the_key_names_are_those_of_the_mask_module(rng: np.random.Generator) -> None:
    env = ChickenFootMultiAgentEnv({"players": 3, "episode": "round"})
    assert env.agents == env.possible_agents == ["player_0", "player_1", "player_2"]
    for agent in env.agents:
        space = env.get_observation_space(agent)
        assert set(space.spaces) == {"observations", "action_mask"}
        assert space["observations"].shape == (342,)
        assert space["action_mask"].shape == (env.get_action_space(agent).n,) == (102,)
    for step in play(env, rng, seed=1):
        for agent, seen in step.observations.items():
            assert env.get_observation_space(agent).contains(seen)


@each_game
def test_only_the_seat_to_act_is_shown_something_until_the_end(
    name: str, rng: np.random.Generator
) -> None:
    env = ChickenFootMultiAgentEnv(GAMES[name])
    *before, last = play(env, rng, seed=2)
    for step in before:
        (agent,) = step.observations
        assert step.infos == {agent: {"illegal_actions": 0}}
        assert step.rewards.keys() <= {agent}
        legal = step.observations[agent]["action_mask"].sum()
        assert legal >= (1 if GAMES[name].get("play_forced") is False else 2)
    assert list(last.observations) == list(last.rewards) == env.possible_agents
    for agent in env.possible_agents:
        assert last.infos[agent] == {"illegal_actions": 0, "outcome": env.env.outcome}
        assert np.flatnonzero(last.observations[agent]["action_mask"]).tolist() == [env.rules.pass_]


@each_game
def test_the_rewards_of_each_seat_add_up_to_its_result(name: str, rng: np.random.Generator) -> None:
    env = ChickenFootMultiAgentEnv(GAMES[name])
    for seed in range(5):
        got = dict.fromkeys(env.possible_agents, 0.0)
        for step in play(env, rng, seed=seed):
            for agent, reward in step.rewards.items():
                assert type(reward) is float
                got[agent] += reward
        returns = env.env.returns()
        assert list(got.values()) == pytest.approx(returns)
        if env.env.outcome != "truncated" and GAMES[name].get("reward") != "win":
            games = env.env.unwrapped._episode.games
            assert returns == pytest.approx(batch.margins(games)[0])


def test_nothing_is_paid_before_a_seats_first_decision(rng: np.random.Generator) -> None:
    """RLlib would drop it; it is paid with the second one, or at the end."""
    env = ChickenFootMultiAgentEnv(GAMES["one tile"])
    withheld = 0
    for seed in range(10):
        observations, infos = env.reset(seed=seed)
        step = Step(rng, observations, {}, {"__all__": False}, {"__all__": False}, infos)
        acted = set(observations)
        while not step.is_over:
            step = Step(rng, *env.step(step.actions))
            for agent in step.observations:
                if agent not in acted and not step.is_over:
                    assert step.rewards[agent] == 0.0
                    withheld += env.env.returns()[env.possible_agents.index(agent)] != 0.0
                acted.add(agent)
    assert withheld > 0


@each_game
def test_every_episode_ends_for_all_in_one_way(name: str, rng: np.random.Generator) -> None:
    env = ChickenFootMultiAgentEnv(GAMES[name])
    cut = "max_cycles" in GAMES[name]
    for step in play(env, rng, seed=3):
        assert step.terminateds.keys() == step.truncateds.keys() == {"__all__"}
        assert type(step.terminateds["__all__"]) is type(step.truncateds["__all__"]) is bool
    assert (step.terminateds["__all__"], step.truncateds["__all__"]) == (not cut, cut)
    with pytest.raises(ValueError, match="the episode is over: call reset"):
        env.step({"player_0": 0})


def test_wrong_use_is_refused() -> None:
    with pytest.raises(ValueError, match="no keyword 'toess'"):
        ChickenFootMultiAgentEnv({"toess": 3})
    with pytest.raises(ValueError, match="play_forced=3"):
        ChickenFootMultiAgentEnv({"play_forced": 3})
    env = ChickenFootMultiAgentEnv()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step({"player_0": 0})
    observations, _ = env.reset(seed=1)
    (agent,) = observations
    other = next(name for name in env.agents if name != agent)
    for actions in ({}, {other: 101}, {agent: 101, other: 101}):
        with pytest.raises(ValueError, match=f"wanted is {agent}'s"):
            env.step(actions)


def test_an_illegal_action_forfeits_unless_told_otherwise() -> None:
    env = ChickenFootMultiAgentEnv({"players": 3})
    (agent,) = env.reset(seed=1)[0]
    _, rewards, terminateds, truncateds, infos = env.step({agent: env.rules.pass_})
    assert rewards[agent] == -250.0 and sum(rewards.values()) == 0.0
    assert (terminateds, truncateds) == ({"__all__": True}, {"__all__": False})
    assert infos[agent] == {"outcome": "forfeit", "illegal_actions": 1}
    strict = ChickenFootMultiAgentEnv({"players": 3, "on_illegal": "raise"})
    strict.reset(seed=1)
    with pytest.raises(ValueError, match="illegal"):
        strict.step({agent: strict.rules.pass_})


def test_the_board_is_rendered() -> None:
    env = ChickenFootMultiAgentEnv({"render_mode": "ansi"})
    env.reset(seed=1)
    assert env.render_mode == "ansi"
    assert "to act" in env.render()
    env.close()


# Seeds.


def deal(env: ChickenFootMultiAgentEnv) -> bytes:
    """The tiles of the round that is being played."""
    order: bytes = env.env.unwrapped._episode.games["order"].tobytes()
    return order


def runner(index: int, **keywords: Any) -> ChickenFootMultiAgentEnv:
    """An environment as an env runner with this index makes it."""
    return ChickenFootMultiAgentEnv(EnvContext(keywords, worker_index=index))


def test_a_seed_deals_the_game_of_the_environment_and_later_ones_follow() -> None:
    env, plain = ChickenFootMultiAgentEnv(), chickenfoot_v0.raw_env()
    env.reset(seed=7)
    plain.reset(seed=7)
    assert deal(env) == plain._episode.games["order"].tobytes()
    env.reset()
    plain.reset()
    assert deal(env) == plain._episode.games["order"].tobytes()


def test_env_runners_have_deals_of_their_own() -> None:
    """RLlib gives the second game of runner 1 and the first one of runner 2 the same seed."""
    first, second, again = runner(1), runner(2), runner(2)
    for env in (first, second, again):
        env.reset(seed=9)
    assert deal(first) != deal(second) == deal(again)


def test_what_follows_after_rllibs_check_does_not_follow_from_its_seed() -> None:
    one, two = runner(0), runner(0)
    for env in (one, two):
        check_multiagent_environments(env)
        env.reset(seed=None, options=None)
    assert deal(one) != deal(two)
    for env in (one, two):
        check_multiagent_environments(env)
        env.reset(seed=3)
    assert deal(one) == deal(two)


def test_rllibs_check_passes_with_every_game_but_not_where_illegal_actions_raise() -> None:
    for keywords in GAMES.values():
        check_multiagent_environments(ChickenFootMultiAgentEnv(keywords))
    with pytest.raises(ValueError, match="step"):
        check_multiagent_environments(ChickenFootMultiAgentEnv({"on_illegal": "raise"}))


# RLlib's own parts.


class Recorded(ChickenFootMultiAgentEnv):
    """Remembers the result of every episode that was played out."""

    ends: list[tuple[dict[str, float], str]] = []  # noqa: RUF012 - of all of them, in order

    def step(self, action_dict: dict[str, Any]) -> Any:
        told = super().step(action_dict)
        if told[2]["__all__"] or told[3]["__all__"]:
            results = zip(self.possible_agents, self.env.returns().tolist(), strict=True)
            self.ends.append(({a: r for a, r in results if a in self._acted}, self.env.outcome))
        return told


def config(**keywords: Any) -> PPOConfig:
    """PPO with masks, which samples fragments shorter than an episode."""
    masked = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [8]}
    )
    return (
        PPOConfig()
        .environment(Recorded, env_config=keywords)
        .env_runners(num_env_runners=0, rollout_fragment_length=17)
        .multi_agent(policies={"seat"}, policy_mapping_fn=lambda agent, episode, **_: "seat")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"seat": masked}))
        .debugging(seed=3)
    )


@each_game
def test_the_episodes_that_rllib_samples_hold_every_seats_result(name: str) -> None:
    """Over fragments that cut through episodes while rewards and actions are pending."""
    sampler = MultiAgentEnvRunner(config=config(**GAMES[name]), worker_index=0)
    Recorded.ends.clear()  # RLlib has tried the environment out
    sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    finished, fragments = {}, 0
    while len(finished) < 3:
        for episode in sampler.sample():
            fragments += 1
            for agent, own in episode.agent_episodes.items():
                sums[episode.id_][agent] += own.get_return()
            if episode.is_done:
                finished[episode.id_] = (episode.is_terminated, episode.is_truncated)
    cut = "max_cycles" in GAMES[name]
    for (key, ended), (results, outcome) in zip(finished.items(), Recorded.ends, strict=True):
        assert dict(sums[key]) == pytest.approx(results)
        assert ended == (not cut, cut)  # were a truncated one terminated, it would not bootstrap
        assert outcome in ({"truncated"} if cut else {"went_out", "blocked"})
    assert fragments > len(finished) or name in ("cut before all have acted", "one tile")


@pytest.mark.slow
# Ray's own, which differ from version to version.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ppo_trains_two_iterations_with_masks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The code of the page on doors."""
    from chickenfoot_env.doors import rllib

    monkeypatch.setattr(rllib, "ChickenFootMultiAgentEnv", Recorded)
    Recorded.ends.clear()
    page = (Path(__file__).parents[2] / "docs" / "doors.md").read_text(encoding="utf-8")
    section = page.partition("\n## RLlib\n")[2].partition("\n## ")[0]
    (block,) = re.findall(r"^```python\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(block, "docs/doors.md", "exec"), names)
    told = names["result"]
    assert told["training_iteration"] == 2
    assert np.isfinite(told["learners"]["seat"]["policy_loss"])
    assert 0 < told["learners"]["seat"]["entropy"] < 3
    assert sum(told["env_runners"]["agent_episode_returns_mean"].values()) == pytest.approx(0)
    outcomes = [outcome for _, outcome in Recorded.ends]
    # RLlib tries each of the four games out with one action, which may be illegal.
    assert len(outcomes) > 50 and set(outcomes[4:]) <= {"went_out", "blocked"}
    assert capsys.readouterr().out.count(" rounds ") == 2


def test_without_rllib_the_door_says_what_to_install() -> None:
    code = "import sys; sys.modules['ray'] = None; import chickenfoot_env.doors.rllib"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "needs RLlib: pip install 'chickenfoot[ray]'" in done.stderr
