"""Self-play: every seat's decisions, what each has earned, and the streams made of them."""

from __future__ import annotations

import copy
import doctest
import pickle
import re
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray
from one_seat import GREEDY

from agents import make
from chickenfoot_env import Rules, batch, chance, chickenfoot_v0, encode, sampling, self_play
from chickenfoot_env.game import GAME_OVER
from chickenfoot_env.self_play import SelfPlayVectorEnv, Tick
from chickenfoot_env.trajectories import NONE, trajectories

TINY: dict[str, Any] = {
    **{"players": 2, "max_pip": 2, "hand_size": 1, "starter_arms": 2, "toes": 1},
    "rounds": (2, 1),
}


def legal(tick: Tick, number: int) -> NDArray[np.int64]:
    """A legal action of each row that depends on the row's number and that of the step alone."""
    rows = np.arange(len(tick.seat), dtype=np.uint64)
    return sampling.sample(tick.action_mask, chance.derive(rows, number))


def played(
    envs: SelfPlayVectorEnv, steps: int, seed: Any = 1
) -> tuple[list[Tick], list[NDArray[np.int64]]]:
    """The ticks and actions of a stretch from a reset."""
    ticks, actions = [envs.reset(seed)], []
    for number in range(steps):
        actions.append(legal(ticks[-1], number))
        ticks.append(envs.step(actions[-1]))
    return ticks, actions


def keywords_of(players: int, reward: str, episode: str) -> dict[str, Any]:
    max_pip = 12 if players > 6 else 9
    return {
        **{"players": players, "max_pip": max_pip, "reward": reward, "episode": episode},
        "rounds": (max_pip, 4),
    }


@pytest.mark.parametrize("episode", ["game", "round"])
@pytest.mark.parametrize("reward", ["points", "win"])
@pytest.mark.parametrize("players", range(2, 9))
def test_every_seat_is_paid_its_result(players: int, reward: str, episode: str) -> None:
    check_sums(keywords_of(players, reward, episode), 5, 160)


@pytest.mark.parametrize("reward", ["points", "win"])
@pytest.mark.parametrize("play_forced", [True, False])
def test_seats_that_never_decide_are_paid_too(reward: str, play_forced: bool) -> None:
    """With one tile each most seats are done before they have a choice."""
    idle = check_sums({**TINY, "reward": reward, "episode": "game"}, 5, 200)
    assert idle > 10
    check_sums({**TINY, "play_forced": play_forced, "reward": reward}, 5, 200)


@pytest.mark.parametrize("opponents", [None, GREEDY])
def test_seats_that_opponents_play_are_paid_too(opponents: Any) -> None:
    keywords = keywords_of(4, "points", "round")
    check_sums({**keywords, "opponents": opponents, "share": 0.5}, 6, 100)


def check_sums(keywords: dict[str, Any], count: int, steps: int) -> int:
    """Compare what every seat is told with how each game ends; the idle seats are counted."""
    envs = SelfPlayVectorEnv(count, **keywords)
    tick = envs.reset(7)
    players = int(tick.players[0])
    told = np.zeros((count, players))
    asked = np.zeros((count, players), np.bool_)
    episodes = idle = 0
    rows = np.arange(count)
    assert not tick.ended.any()
    for number in range(steps):
        assert (tick.first == ~asked[rows, tick.seat]).all()
        told[rows, tick.seat] += tick.reward
        asked[rows, tick.seat] = True
        actions = legal(tick, number)
        ends = final_games(envs, keywords, actions)
        tick = envs.step(actions)
        assert not tick.final_reward[~tick.ended].any()
        assert not tick.acted[~tick.ended].any()
        assert (tick.ended == [game is not None for game in ends]).all()
        for row in np.flatnonzero(tick.ended):
            total = told[row] + tick.final_reward[row]
            game = ends[row]
            winners = batch.standings(game)[0] == 1
            is_win = keywords["reward"] == "win"
            wanted = winners / winners.sum() if is_win else batch.margins(game)[0]
            assert total == pytest.approx(wanted, abs=1e-9)
            assert (tick.acted[row] == asked[row]).all()
            idle += int((~asked[row]).sum())
            episodes += 1
            told[row], asked[row] = 0.0, False
    assert episodes > 2
    return idle


def final_games(
    envs: SelfPlayVectorEnv, keywords: dict[str, Any], actions: NDArray[np.int64]
) -> list[Any]:
    """The finished game of each row in which the actions end the episode, else None.

    The batch core plays it; where opponents take part, a copy of the environment's own books does.
    """
    games = envs._episodes.games.copy()
    if "opponents" in keywords:
        twin = copy.deepcopy(envs._episodes)
        twin.advance(np.arange(len(actions)), actions)
        games = twin.games
    else:
        batch.step(games, actions)
        if keywords.get("play_forced", True):
            batch.play_forced(games)
    return [games[i : i + 1] if game["over"] == GAME_OVER else None for i, game in enumerate(games)]


@pytest.mark.parametrize("players", [2, 4, 7])
def test_ticks_are_the_turns_of_the_table(players: int) -> None:
    """Seats, observations, masks and rewards of PettingZoo's loop, forced turns included."""
    keywords = keywords_of(players, "points", "round")
    envs = SelfPlayVectorEnv(1, play_forced=False, **keywords)
    tick = envs.reset([21])
    table = chickenfoot_v0.raw_env(**keywords)
    table.reset(seed=21)
    episodes = number = 0
    while episodes < 3:
        seen, reward, over, _truncation, _info = table.last()
        assert not over
        assert table.agent_selection == f"player_{tick.seat[0]}"
        assert (tick.observation[0] == seen["observation"]).all()
        assert (tick.action_mask[0] == seen["action_mask"].astype(bool)).all()
        assert tick.reward[0] == pytest.approx(reward)
        action = legal(tick, number)
        number += 1
        tick = envs.step(action)
        table.step(int(action[0]))
        assert tick.ended[0] == table.is_over
        if table.is_over:
            due = [table._cumulative_rewards[agent] for agent in table.possible_agents]
            assert tick.final_reward[0] == pytest.approx(due)
            table.reset()
            episodes += 1


def test_forced_turns_are_no_ticks() -> None:
    ticks, _actions = played(SelfPlayVectorEnv(20), 60)
    assert all((tick.action_mask.sum(axis=1) > 1).all() for tick in ticks)
    ticks, _actions = played(SelfPlayVectorEnv(20, play_forced=False), 60)
    assert any((tick.action_mask.sum(axis=1) == 1).any() for tick in ticks)


def test_shapes_and_kinds() -> None:
    envs = SelfPlayVectorEnv(3, players=5, rounds=(9,))
    tick = played(envs, 3)[0][-1]
    size = encode.size(9)
    wanted: dict[str, tuple[tuple[int, ...], Any]] = {
        "seat": ((3,), np.int64),
        "observation": ((3, size), np.float32),
        "action_mask": ((3, 102), np.bool_),
        "reward": ((3,), np.float64),
        "first": ((3,), np.bool_),
        "ended": ((3,), np.bool_),
        "final_reward": ((3, 5), np.float64),
        "acted": ((3, 5), np.bool_),
        "players": ((3,), np.int64),
        "skipped": ((3,), np.int64),
    }
    assert {name: (part.shape, part.dtype) for name, part in tick._asdict().items()} == wanted
    assert all(envs.observation_space.contains(row) for row in tick.observation)
    assert all(envs.action_space.contains(action) for action in legal(tick, 0))
    assert (encode.features(envs.views()) == tick.observation).all()
    assert (envs.views()["turn"] == 0).all()


def test_a_mixed_batch_pads_what_is_told_of_seats() -> None:
    tables = [Rules(players=n, max_pip=12, rounds=(12,)) for n in range(2, 9)]
    envs = SelfPlayVectorEnv(7, rules=tables)
    ticks, _actions = played(envs, 250)
    assert (ticks[0].players == np.arange(2, 9)).all()
    alone = [
        played(SelfPlayVectorEnv(1, rules=rules), 0, [1 + i])[0] for i, rules in enumerate(tables)
    ]
    for i, stream in enumerate(alone):
        assert (stream[0].observation[0] == ticks[0].observation[i]).all()
    ends = np.zeros(7, np.int64)
    for tick in ticks:
        ends += tick.ended
        for row in np.flatnonzero(tick.ended):
            there = row + 2
            assert not tick.final_reward[row, there:].any()
            assert not tick.acted[row, there:].any()
            assert tick.acted[row, :there].any()
    assert (ends > 0).all()


@pytest.mark.parametrize("opponents", [None, make("heuristic")])
def test_a_game_does_not_depend_on_the_batch(opponents: Any) -> None:
    keywords: dict[str, Any] = {"opponents": opponents, "share": 0.4 if opponents else 0.0}
    short, long = (
        played(SelfPlayVectorEnv(count, players=3, **keywords), 60)[0] for count in (5, 33)
    )
    for one, other in zip(short, long, strict=True):
        for mine, theirs in zip(one, other, strict=True):
            assert (mine == theirs[:5]).all()


def test_the_same_seed_plays_the_same_and_resets_go_on() -> None:
    first, second = (SelfPlayVectorEnv(4), SelfPlayVectorEnv(4))
    assert pickle.dumps(played(first, 40)) == pickle.dumps(played(second, 40))
    later = [first.reset().observation, second.reset().observation]
    assert (later[0] == later[1]).all()
    assert (first.reset().observation != later[0]).any()


def test_what_is_returned_does_not_change_later() -> None:
    envs = SelfPlayVectorEnv(4, players=2)
    kept = [envs.reset(1)]
    before = copy.deepcopy(kept)
    for number in range(40):
        kept.append(envs.step(legal(kept[-1], number)))
        before.append(copy.deepcopy(kept[-1]))
    assert pickle.dumps(kept) == pickle.dumps(before)


def test_copy_false_fills_the_same_arrays() -> None:
    fast, slow = SelfPlayVectorEnv(4, copy=False), SelfPlayVectorEnv(4)
    mine, yours = fast.reset(1), slow.reset(1)
    first = mine
    for number in range(40):
        assert mine.observation is first.observation
        assert mine.action_mask is first.action_mask
        assert all((a == b).all() for a, b in zip(mine, yours, strict=True))
        actions = legal(yours, number)
        mine, yours = fast.step(actions), slow.step(actions)
    with pytest.raises(ValueError, match="the ticks share their memory"):
        trajectories([mine, fast.step(legal(mine, 0))], [legal(mine, 0)])


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))]
)
def test_a_copy_goes_on_alike_and_apart(duplicate: Any) -> None:
    envs = SelfPlayVectorEnv(4, opponents=GREEDY, share=0.5)
    tick = played(envs, 9)[0][-1]
    twin = duplicate(envs)
    told: list[list[bytes]] = [[], []]
    for i, each in enumerate((envs, twin)):
        following = tick
        for number in range(50):
            following = each.step(legal(following, number))
            told[i].append(b"".join(part.tobytes() for part in following))
    assert told[0] == told[1]


def test_opponents_play_their_share_of_the_games() -> None:
    """There one seat has ticks, another one in each episode; in the others all have."""
    envs = SelfPlayVectorEnv(12, players=3, opponents=[GREEDY, make("random")], share=0.25)
    ticks, _actions = played(envs, 120)
    seats: list[list[set[int]]] = [[set()] for _ in range(12)]
    for tick in ticks:
        for row in range(12):
            if tick.ended[row]:
                seats[row] += [set() for _ in range(1 + tick.skipped[row])]
            seats[row][-1].add(int(tick.seat[row]))
    scripted = [row for row in range(12) if all(len(seen) <= 1 for seen in seats[row])]
    assert scripted == [3, 7, 11]
    for row in scripted:
        for episode, seen in enumerate(seats[row]):
            assert seen <= {(row + episode + ticks[0].skipped[row]) % 3}
    assert all({0, 1, 2} in seats[row] for row in range(12) if row not in scripted)


@pytest.mark.parametrize("share", [0.0, 0.1, 1 / 3, 0.7, 1.0])
def test_the_share_is_kept_for_any_number_of_games(share: float) -> None:
    for count in (1, 9, 30):
        envs = SelfPlayVectorEnv(count, share=share)
        scripted = (envs._episodes._learners != -1).sum()
        assert scripted == int(count * share + 1e-9)


def test_critic_features_show_everything_from_the_seat_to_act_on() -> None:
    """The blocks of the table's state, turned."""
    envs = SelfPlayVectorEnv(1, players=3, play_forced=False, rounds=(9,), episode="game")
    table = chickenfoot_v0.raw_env(players=3, rounds=(9,))
    tick = envs.reset([5])
    table.reset(seed=5)
    size, tiles = encode.size(9), 55
    for number in range(25):
        everything = envs.critic_features()
        assert everything.shape == (1, 3 * size + tiles)
        assert everything.dtype == np.float32
        state = table.state()
        for behind in range(3):
            seat = (int(tick.seat[0]) + behind) % 3
            mine = everything[0, behind * size : (behind + 1) * size]
            assert (mine == state[seat * size : (seat + 1) * size]).all()
        assert (everything[0, -tiles:] == state[-tiles:]).all()
        assert (everything[0, :size] == tick.observation[0]).all()
        action = legal(tick, number)
        tick = envs.step(action)
        table.step(int(action[0]))
    mixed = SelfPlayVectorEnv(2, rules=[Rules(players=2), Rules(players=4)])
    mixed.reset(1)
    everything = mixed.critic_features()
    assert everything.shape == (2, 4 * size + tiles)
    assert not everything[0, 2 * size : 4 * size].any()
    assert everything[0, -tiles:].sum() > everything[1, -tiles:].sum() > 10


# Trajectories


@pytest.mark.parametrize("keywords", [{}, {"players": 2, "reward": "win"}, TINY])
def test_what_a_seat_sees_next_is_its_own_next_observation(keywords: dict[str, Any]) -> None:
    ticks, actions = played(SelfPlayVectorEnv(6, **keywords), 90)
    data = trajectories(ticks, actions)
    following = data.next_observation
    streams = 0
    for game in range(6):
        for seat in range(int(ticks[0].players[0])):
            rows = data.stream(game, seat)
            assert (np.diff(rows) > 0).all()
            for t, row in enumerate(rows):
                tick, here = divmod(int(row), 6)
                assert (here, data.seat[row]) == (game, seat)
                assert (data.observation[row] == ticks[tick].observation[game]).all()
                assert (data.action_mask[row] == ticks[tick].action_mask[game]).all()
                assert data.action[row] == actions[tick][game]
                if data.next_row[row] == NONE:
                    assert not following[row].any()
                elif t + 1 < len(rows):
                    assert data.next_row[row] == rows[t + 1]
                    assert (following[row] == data.observation[rows[t + 1]]).all()
                    assert data.reward[row] == ticks[rows[t + 1] // 6].reward[game]
            ends = data.terminated[rows]
            if "win" not in keywords.values() and keywords is not TINY:
                assert ends.sum() > 1
            streams += 1
    assert streams == 6 * ticks[0].players[0]
    assert sorted(data.order) == list(range(90 * 6))


def test_a_stream_is_paid_what_the_ticks_say() -> None:
    """For each episode and seat: all rewards but those before its first decision."""
    ticks, actions = played(SelfPlayVectorEnv(5, players=3), 100)
    data = trajectories(ticks, actions)
    wanted = np.zeros((5, 3))
    open_since = np.full((5, 3), -1)
    for t, tick in enumerate(ticks):
        for game in range(5):
            if tick.ended[game]:
                wanted[game] += np.where(tick.acted[game], tick.final_reward[game], 0.0)
                open_since[game] = -1
            if not tick.first[game]:
                wanted[game, tick.seat[game]] += tick.reward[game]
            open_since[game, tick.seat[game]] = t
    found = np.zeros((5, 3))
    np.add.at(found, (np.arange(500) % 5, data.seat[:500]), data.reward)
    assert found == pytest.approx(wanted)
    incomplete = {divmod(int(row), 5) for row in np.flatnonzero(~data.complete)}
    seats = {(int(t), g) for g in range(5) for t in open_since[g] if 0 <= t < 100}
    assert incomplete == seats
    assert (data.reward[~data.complete] == 0.0).all()


def test_a_stretch_may_go_on_from_an_earlier_one() -> None:
    ticks, actions = played(SelfPlayVectorEnv(3), 60)
    whole = trajectories(ticks, actions)
    second = trajectories(ticks[30:], actions[30:])
    assert (second.action == whole.action[90:]).all()
    assert (second.reward == whole.reward[90:]).all()
    assert (second.terminated == whole.terminated[90:]).all()


def test_ticks_that_do_not_fit_are_named() -> None:
    ticks, actions = played(SelfPlayVectorEnv(3), 3)
    for some, others in ((ticks, actions[:2]), (ticks[:3], actions), (ticks[:1], [])):
        with pytest.raises(ValueError, match=r"\d ticks and \d actions: wanted are actions, and"):
            trajectories(some, others)


# Bad input


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"num_envs": -1}, "num_envs=-1: allowed are whole numbers from 1"),
        ({"reward": "score"}, "reward='score': allowed are 'points', 'win'"),
        ({"episode": "match"}, "episode='match': allowed are 'game', 'round'"),
        ({"share": 1.5}, r"share=1\.5: allowed are numbers from 0 to 1"),
        ({"share": True}, "share=True: allowed"),
        ({"share": float("nan")}, "share=nan: allowed"),
        ({"copy": "yes"}, "copy='yes': allowed are True, False"),
        ({"play_forced": 3}, "play_forced=3: allowed are True, False"),
        ({"opponents": [GREEDY, None]}, "wanted are agents"),
        ({"learner": 0}, "no keyword 'learner'; there are rules, .*players.*share"),
        ({"rules": [Rules(), Rules(max_pip=6)]}, "one max_pip"),
    ],
)
def test_a_wrong_keyword_is_named(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        SelfPlayVectorEnv(**keywords)
    assert "\n" not in str(caught.value)


def test_an_illegal_action_changes_no_game() -> None:
    envs = SelfPlayVectorEnv(4)
    tick = envs.reset(1)
    before = envs._episodes.games.copy()
    actions = legal(tick, 0)
    for wrong in (-1, 9999, int(np.argmin(tick.action_mask[2]))):
        bad = actions.copy()
        bad[2] = wrong
        with pytest.raises(ValueError, match=rf"game 2: action {wrong} .*; legal are "):
            envs.step(bad)
    with pytest.raises(ValueError, match="actions are float64"):
        envs.step(actions.astype(float))
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        envs.step(actions[:3])
    assert (envs._episodes.games == before).all()
    envs.step(actions)


def test_before_a_reset_everything_asks_for_one() -> None:
    envs = SelfPlayVectorEnv(2)
    for call in (lambda: envs.step(np.zeros(2, np.int64)), envs.views, envs.critic_features):
        with pytest.raises(gymnasium.error.ResetNeeded, match="before reset"):
            call()
    for seed in (-1, "one", [1], 1.5):
        with pytest.raises(ValueError, match="seed"):
            envs.reset(seed)


def test_the_page_tells_the_truth() -> None:
    result = doctest.testmod(self_play)
    assert result.attempted > 4
    assert result.failed == 0
    page = self_play.__doc__ or ""
    for name in (*self_play._KEYWORDS, "num_envs", "rules"):
        assert re.search(rf"^    {name}  ", page, re.MULTILINE), name
