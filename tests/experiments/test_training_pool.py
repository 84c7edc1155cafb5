"""The opponents of a training: frozen, drawn anew for each update, the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

import agents
from agents.ppo.agent import PPOAgent
from agents.ppo.policy_file import Policy, parameter_shapes
from agents.ppo.shape import Shape
from chickenfoot_env import batch, view
from chickenfoot_env.rules import Rules
from experiments.training.pool import MEMBERS, Pool
from experiments.training.settings import SCRIPTED

SHAPE = Shape(9, 8)


def policy(number: int) -> Policy:
    """Weights that play in their own way."""
    rng = np.random.default_rng(number)
    arrays = {
        name: rng.normal(0.0, 0.6, size).astype(np.float32)
        for name, size in parameter_shapes(SHAPE).items()
    }
    return Policy(SHAPE, arrays, {"number": number})


def as_bytes(one: Policy) -> bytes:
    return b"".join(array.tobytes() for array in one.arrays.values())


def filled(size: int, seed: int = 1, count: int = 4) -> Pool:
    pool = Pool(size, seed)
    for number in range(count):
        pool.add(policy(number))
    return pool


def test_snapshots_are_frozen() -> None:
    """What is learned later does not change them, nor how they play."""
    pool, learning = Pool(4, 1), policy(1)
    pool.add(learning)
    kept = as_bytes(pool.snapshots[0])
    views = view.observe(batch.deal(Rules(), np.arange(50, dtype=np.uint64)), np.zeros(50, int))
    views = views[views["turn"] == 0]
    plays = PPOAgent.of(pool.snapshots[0]).policy(views)
    for array in learning.arrays.values():
        array += 1.0
    assert as_bytes(pool.snapshots[0]) == kept
    assert (PPOAgent.of(pool.snapshots[0]).policy(views) == plays).all()
    assert (PPOAgent.of(learning).policy(views) != plays).any()


@pytest.mark.parametrize(("size", "left"), [(0, []), (1, [3]), (3, [1, 2, 3]), (9, [0, 1, 2, 3])])
def test_the_oldest_snapshots_go(size: int, left: list[int]) -> None:
    assert [each.training["number"] for each in filled(size).snapshots] == left


def line_ups(pool: Pool, updates: range) -> list[tuple[str, ...]]:
    """Who plays in each update; a snapshot by its place."""
    kept = {id(each.arrays): str(place) for place, each in enumerate(pool.snapshots)}
    told = []
    for update in updates:
        pool.pick(update)
        players = [member.player for member in pool.members]
        told.append(tuple(kept[id(p._arrays)] if p.name == "ppo" else p.name for p in players))
    return told


def test_members_are_drawn_anew_for_each_update() -> None:
    told = line_ups(filled(3), range(400))
    assert len(set(told)) > 50 and {len(each) for each in told} == {MEMBERS}
    everybody = [name for each in told for name in each]
    count = {name: everybody.count(name) / len(everybody) for name in {*everybody}}
    scripted = {agents.make(name).name for name in SCRIPTED}
    assert count.keys() == scripted | {"0", "1", "2"}
    for share in count.values():
        assert share == pytest.approx(1 / 6, abs=0.04)


def test_the_draw_depends_on_seed_and_update_alone() -> None:
    told = line_ups(filled(3), range(60))
    again = filled(3)
    assert line_ups(again, range(30, 60)) == told[30:]
    assert line_ups(again, range(60)) == told
    assert line_ups(filled(3, seed=2), range(60)) != told


def test_without_snapshots_all_members_are_scripted() -> None:
    told = line_ups(Pool(0, 1), range(50))
    assert {name for each in told for name in each} == {agents.make(n).name for n in SCRIPTED}


def test_a_member_plays_as_the_agent_that_it_is_now() -> None:
    pool = filled(3)
    games = batch.deal(Rules(), np.arange(200, dtype=np.uint64))
    views = view.observe(games, games["seat"].astype(np.int64))
    seeds = np.arange(200, dtype=np.uint64)
    names, answers = set(), set()
    for update in range(12):
        pool.pick(update)
        for member in pool.members:
            found = member.act(views, seeds)
            assert (found == member.player.act(views, seeds)).all()
            assert batch.legal_mask(games)[np.arange(200), found].all()
            names.add(member.name)
            answers.add(found.tobytes())
    assert len(names) == 4 and len(answers) >= 6
    assert any((PPOAgent.of(pool.snapshots[i], 1.0).act(views, seeds).tobytes()) in answers
               for i in range(3))  # snapshots sample  # fmt: skip
