"""The compiled network: what it computes, beside a literal one, whatever the batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from literal_network import literal_logits, log_softmax, positions, random_policy

from agents.ppo.agent import PPOAgent
from chickenfoot_env import view

SHAPES: list[dict[str, Any]] = [{"width": 8}, {"width": 7, "standings": True}, {"width": 16}]


@pytest.mark.parametrize("max_pip", [6, 9, 12])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_it_is_the_network_that_its_page_describes(shape: dict[str, Any], max_pip: int) -> None:
    """The same weights for every set and every number of seats."""
    policy = random_policy(1, **shape)
    views = positions(max_pip, 11)
    legal = view.legal_mask(views)
    assert len(views) > 100 and {*views["players"].tolist()} == {*range(2, 9)}
    assert legal[:, -1].any()  # PASS, with a playable tile just drawn
    found = PPOAgent.of(policy).policy(views)
    wanted = log_softmax(literal_logits(policy, views), legal)
    assert np.log(found[legal]) == pytest.approx(wanted[legal], abs=1e-4)
    assert np.ptp(wanted[legal]) > 0.5  # the network tells actions apart


def test_probabilities_add_up_and_illegal_actions_have_none() -> None:
    views = positions(9, 44)
    found = PPOAgent.of(random_policy(2)).policy(views)
    assert (found.dtype, found.shape) == (np.float32, (len(views), 102))
    assert found.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    legal = view.legal_mask(views)
    assert (found[~legal] == 0.0).all()
    assert (found[legal] > 0.0).all()


def test_huge_logits_leave_probabilities_finite() -> None:
    policy = random_policy(3)
    arrays = {name: array * np.float32(30.0) for name, array in policy.arrays.items()}
    found = PPOAgent.of(policy._replace(arrays=arrays)).policy(positions(9, 11))
    assert np.isfinite(found).all()
    assert found.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    assert (found.max(axis=1) > 0.999).mean() > 0.5


def test_a_row_has_the_same_bytes_in_every_batch() -> None:
    agent, views = PPOAgent.of(random_policy(4, width=16), 1.0), positions(9, 33)
    seeds = np.arange(len(views), dtype=np.uint64)
    together, actions = agent.policy(views), agent.act(views, seeds)
    order = np.random.default_rng(1).permutation(len(views))
    assert agent.policy(views[order]).tobytes() == together[order].tobytes()
    assert (agent.act(views[order], seeds[order]) == actions[order]).all()
    alone = [PPOAgent.of(random_policy(4, width=16)).policy(views[i : i + 1]) for i in range(40)]
    assert np.concatenate(alone).tobytes() == together[:40].tobytes()


def test_sets_may_be_mixed_in_a_question_but_not_in_policies() -> None:
    agent = PPOAgent.of(random_policy(5))
    parts = [positions(max_pip, 11) for max_pip in (6, 9, 12)]
    views = np.concatenate(parts)
    order = np.random.default_rng(2).permutation(len(views))
    mixed = agent.act(views[order], np.zeros(len(views), np.uint64))
    apart = [agent.act(part, np.zeros(len(part), np.uint64)) for part in parts]
    assert (mixed == np.concatenate(apart)[order]).all()
    with pytest.raises(ValueError, match="views of double-6 and double-9 sets: ask apart"):
        agent.policy(views)
    assert agent.policy(np.zeros(0, view.VIEW)).shape == (0, 0)


def test_points_and_rounds_count_for_a_network_with_standings_alone() -> None:
    views = positions(9, 22)
    other = views.copy()
    other["points"][:, 0] += 60
    for standings in (False, True):
        agent = PPOAgent.of(random_policy(6, standings=standings))
        same = agent.policy(views).tobytes() == agent.policy(other).tobytes()
        assert same != standings
