"""Chicken Foot for TorchRL: its `PettingZooWrapper`, set up for a game of turns.

    from chickenfoot_env.doors import torchrl

    env = torchrl.make_env(players=4, episode="round")
    rollout = env.rollout(1000)  # random, and legal
    own = torchrl.own_steps(rollout)  # for training

All seats are in one group, "seats", so that one network plays them all. With T steps, N seats, F
features and A actions a rollout holds, beside `done`, `terminated` and `truncated`,

    "seats", "observation", "observation"   (T, N, F) float32
    "seats", "mask"                         (T, N) bool      True for the seat to act
    "seats", "action_mask"                  (T, N, A) bool   its legal actions; True for the others
    "seats", "action"                       (T, N) int64     those of the others are not looked at
    "next", "seats", "reward"               (T, N, 1) float32

Games, action ids and features are those of the page of `chickenfoot_env.env`.

**Credit.** A row of the rollout pays what that step has brought each seat, and the next row is
another seat's turn: advantages over these rows are wrong. `own_steps` strings each seat's decisions
together, with what it has earned from one to the next, whoever acted in between.

**Seeds.** env.reset(seed=s) deals the same game as `chickenfoot_env.env`; env.set_seed(s), or
make_env(seed=s), is followed by the later ones, for TorchRL resets once more before a rollout.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Final

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper
except ImportError as error:
    raise ImportError(
        "chickenfoot_env.doors.torchrl needs TorchRL: pip install 'chickenfoot[torchrl]'"
    ) from error

from chickenfoot_env.decisions import Decisions
from chickenfoot_env.env import ChickenFootEnv

GROUP: Final = "seats"


class _ForTorchRL(Decisions):
    """Without infos, and with no reward for a reset: the first step pays it, too.

    TorchRL wants every info to be a number and there from the first step on.
    """

    _before: dict[str, float] | None = None  # what reset() has brought, until it is paid

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        super().reset(seed=seed, options=options)
        self.infos = {agent: {} for agent in self.possible_agents}
        self._before = self.rewards

    def step(self, action: int | None) -> None:
        super().step(action)
        if self._before is not None:
            for agent, earned in self._before.items():
                self.rewards[agent] += earned
            self._before = None


def make_env(
    *,
    play_forced: bool = True,
    group_map: Mapping[str, Sequence[str]] | None = None,
    return_state: bool = False,
    seed: int | None = None,
    **keywords: Any,
) -> Any:
    """The environment as TorchRL sees it.

    Args:
        play_forced: True: a decision with one legal action is taken for the seat, and an episode
            without any other is skipped. False: it is a step.
        group_map: which agents are in which group, by the group's name; None: all in "seats".
        return_state: whether to add everything, hidden tiles included, as "state", (T, S) float32.
        seed: 0 to 2**64 - 1; everything random follows from it. None: from a seed of the system's.
        **keywords: those of `chickenfoot_env.env`. TorchRL has its own masks for idle seats, so
            mask_idle changes nothing.

    Returns:
        A torchrl.envs.PettingZooWrapper.

    Raises:
        ValueError: for a keyword or a value that is not allowed.
    """
    table = _ForTorchRL(ChickenFootEnv(**keywords), play_forced)
    groups = {GROUP: table.possible_agents} if group_map is None else group_map
    with warnings.catch_warnings():
        # It warns of every PettingZoo but 1.24.3. The tests pass with that one and with 1.27.0.
        warnings.filterwarnings("ignore", "PettingZoo in TorchRL is tested using version")
        return PettingZooWrapper(
            table,
            use_mask=True,  # it refuses games of turns without
            group_map={name: list(agents) for name, agents in groups.items()},
            return_state=return_state,
            seed=seed,
        )


def own_steps(rollout: TensorDictBase, group: str = GROUP) -> Any:
    """The decisions of each seat, one after the other, from a rollout of all seats' turns.

    A step leads from a seat's decision to its next one in the same episode or to the episode's
    end. Its reward is what the seat has earned meanwhile, the first one's also what it had earned
    before, so that they add up to the seat's result. Where the rollout stops within an episode,
    the last decision of each seat is left out, for nothing is known of what follows; the one before
    is "done" and not "terminated", so that its value is bootstrapped.

    Args:
        rollout: (T,) consecutive steps, of one or more episodes.
        group: the group of all seats.

    Returns:
        A TensorDict of (S,) steps, S <= T, seat by seat within an episode: `group` with all its
        entries, each without the dimension of the seats; "seat", (S,) int64; and under "next"
        `group` with observation, action_mask, reward, done and terminated.
    """
    stops = (rollout["next", "done"].flatten().nonzero().flatten() + 1).tolist()
    if stops[-1:] != [len(rollout)]:
        stops.append(len(rollout))
    parts = []
    for start, stop in itertools.pairwise([0, *stops]):
        episode = rollout[start:stop]
        for seat in range(rollout[group].shape[1]):
            parts.append(_of_one_seat(episode, seat, group))
    return torch.cat(parts)


def _of_one_seat(episode: TensorDictBase, seat: int, group: str) -> TensorDict:
    """The own steps of one seat in one episode, or in the first part of one."""
    now, after = episode[group][:, seat], episode["next", group][:, seat]
    rows = now["mask"].nonzero().flatten()  # of its decisions
    stops = torch.cat([rows[1:], rows.new_tensor([len(now)])])[: len(rows)]  # next own turn, or end
    is_over = bool(episode["next", "done"][-1])
    if not is_over:
        rows, stops = rows[:-1], stops[:-1]
    earned = torch.cat([after["reward"].new_zeros(1, 1), after["reward"].cumsum(0)])  # before a row
    begins = rows.clone()
    begins[:1] = 0
    then = after[stops - 1].select("observation", "action_mask", "done", "terminated")
    then["reward"] = earned[stops] - earned[begins]
    if not is_over:
        then["done"][-1:] = True
    return TensorDict(
        {group: now[rows], "seat": torch.full_like(rows, seat), "next": {group: then}},
        batch_size=[len(rows)],
    )
