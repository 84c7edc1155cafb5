"""Flat Monte Carlo: it tries its legal actions in sampled worlds and takes the one that ends best.

A world is a full game that agrees with all that the seat knows (`chickenfoot_env.worlds`). Every
action is played out in the same worlds, all seats by one simple policy, so that the luck of a world
is shared by the actions that are compared. The budget, `worlds` playouts for each legal action, is
spent by sequential halving (Karnin, Koren, Somekh: Almost optimal exploration in multi-armed
bandits, 2013): in each of ceil(log2 n) stages the remaining actions get equal parts, and the worse
half of them is given up.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.base import AgentError, check_question
from agents.playout import earned, play_on, policy_number
from chickenfoot_env import kernels
from chickenfoot_env.chance import fold
from chickenfoot_env.game import GAME
from chickenfoot_env.jit import compiled, part, records, whole
from chickenfoot_env.placing import PLAN, make_plan
from chickenfoot_env.tiles import MAX_PIP, action_count
from chickenfoot_env.worlds import deal_hidden, write_public

_MOST: Final = action_count(MAX_PIP)  # legal actions there can be


class FlatMCAgent:
    """Takes the action with the best mean margin of the round over sampled worlds."""

    def __init__(self, worlds: int = 64, rollout: str = "heuristic") -> None:
        """Set the budget.

        Args:
            worlds: playouts for each legal action, on average.
            rollout: how all seats play on in a playout: random, greedy or heuristic.

        Raises:
            AgentError: for a value that is not allowed.
        """
        if not 1 <= worlds <= 1_000_000:
            raise AgentError(f"worlds={worlds} of flat_mc: allowed are 1 to 1,000,000")
        self._policy = policy_number("flat_mc", rollout)
        self._worlds = worlds
        self.name = f"flat_mc:worlds={worlds},rollout={rollout}"

    def act(self, views: NDArray[np.void], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """One action for each view; see `Agent.act`."""
        views, seeds = check_question(views, seeds)
        actions = np.empty(len(views), np.int64)
        wrong = _act(records(views), seeds, self._worlds, self._policy, actions)
        if wrong >= 0:
            raise ValueError(f"view {wrong} is of no game: wanted are views made by view.observe")
        return actions


@compiled
def _act(
    views: NDArray[np.void],
    seeds: NDArray[np.uint64],
    worlds: int,
    policy: int,
    actions: NDArray[np.int64],
) -> int:
    """Fill `actions`; the first view that is of no game, or -1."""
    blank, known = np.zeros(1, GAME), np.zeros(1, GAME)
    world, trial = np.zeros(1, GAME), np.zeros(1, GAME)
    plan = np.zeros(1, PLAN)
    left, sums = np.empty(_MOST, np.int64), np.empty(_MOST)
    for i in range(len(views)):
        v = views[i]
        plays = kernels.count_plays(v, v.hand)
        count = kernels.count_legal(v, plays, v.boneyard)
        for n in range(count):
            left[n] = kernels.nth_legal(v, v.hand, plays, v.boneyard, n)
            sums[n] = 0.0
        if count > 1:
            if not make_plan(v, plan[0]):
                return i
            known[0] = blank[0]
            write_public(v, known[0])
        stages, halves = 0, count
        while halves > 1:
            halves = (halves + 1) // 2
            stages += 1
        budget, used = worlds * count, whole(0)
        for _ in range(stages):
            for _ in range(max(1, budget // (stages * count))):
                stream = fold(seeds[i], used)
                used += 1
                world[0] = known[0]
                if not deal_hidden(plan[0], world[0], stream):
                    return i
                for n in range(count):
                    trial[0] = world[0]
                    kernels.apply(trial[0], left[n])
                    play_on(trial[0], policy, stream)
                    sums[n] += earned(trial[0], world[0], whole(v.turn))
            count = _keep_better_half(left, sums, count)
        actions[i] = left[0]
    return -1


@part
def _keep_better_half(left: NDArray[np.int64], sums: NDArray[np.float64], count: int) -> int:
    """Put the half with the higher sums first, each in its old order; how many these are."""
    keep = (count + 1) // 2
    while count > keep:
        worst = count - 1
        for n in range(count - 2, -1, -1):
            if sums[n] < sums[worst]:
                worst = n
        for n in range(worst, count - 1):
            left[n], sums[n] = left[n + 1], sums[n + 1]
        count -= 1
    return count
