"""Measurements of the batch core.

A step is one action in one game that is not over, forced draws and passes included, the dealing of
the next round with it where it ends a round. Deals of first rounds and copies of start positions
are not timed, and nor is choosing the actions, except in random playouts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import batch, chance, encode, sampling, view
from chickenfoot_env.rules import Rules
from experiments.benchmark.measurement import Measurement, Ratio, Run, Scale, clock
from experiments.benchmark.recorded import TICKS, Recorded, record, record_whole

SEED_RULES: Final = Rules(players=4)  # double-nine, 4 seats
SHORT_RULES: Final = Rules(players=4, rounds=(9, 8))  # for batches too large for whole games
STEPS: Final = 500_000  # in a round of a measurement, about
BATCHES: Final = (256, 1024, 4096, 16384, 65536)
TABLES: Final = (  # highest pip, seats
    (9, 2),
    (9, 4),
    (9, 7),
    (12, 4),
    (12, 8),
    (15, 8),
    (18, 4),
    (18, 8),
    (18, 12),
)


def playouts(rules: Rules, count: int, scale: Scale) -> Run:
    """Games played to their end by uniformly random choices inside the kernels."""
    seeds = np.arange(scale.games(count), dtype=np.uint64)
    dealt = batch.deal(rules, seeds)
    streams = chance.derive(seeds, 1)

    def run() -> tuple[int, float]:
        games = dealt.copy()
        began = clock()
        steps = batch.random_playout(games, streams)
        return int(steps.sum()), clock() - began

    return run


def take_actions(
    each_tick: Callable[[NDArray[np.void]], Any], recorded: Recorded, repeats: int
) -> Run:
    """`each_tick` of the whole batch and then one action in every game, over and over."""

    def run() -> tuple[int, float]:
        seconds = 0.0
        for _ in range(repeats):
            recorded.rewind()
            games = recorded.games
            began = clock()
            for actions in recorded.actions:
                each_tick(games)
                batch.step(games, actions)
            seconds += clock() - began
        return repeats * recorded.steps, seconds

    return run


def mask_and_features(games: NDArray[np.void]) -> None:
    """What a network is given: the legal actions and the float32 features of the seats to act."""
    batch.legal_mask(games)
    encode.features(view.observe(games, games["seat"]))


def step(
    each_tick: Callable[[NDArray[np.void]], Any], rules: Rules, count: int, scale: Scale
) -> Run:
    """Steps of a batch with actions from outside, each after `each_tick` of the batch."""
    games = scale.games(count)
    ticks = max(1, min(TICKS, scale.steps(STEPS) // games))
    recorded = record(rules, games, ticks)
    return take_actions(each_tick, recorded, max(1, scale.steps(STEPS) // recorded.steps))


def step_one(scale: Scale) -> Run:
    """Mask and step of a batch of one game, whole games one after the other."""
    games = [record_whole(SEED_RULES, seed) for seed in range(1 if scale.quick else 8)]
    runs = [take_actions(batch.legal_mask, game, 1 if scale.quick else 8) for game in games]

    def run() -> tuple[int, float]:
        steps, seconds = zip(*(one() for one in runs), strict=True)
        return sum(steps), sum(seconds)

    return run


def part(name: str, scale: Scale) -> Run:
    """One of the parts of a step, timed alone, as often as there are steps."""
    recorded = record(SEED_RULES, scale.games(1024))
    repeats = max(1, scale.steps(STEPS) // recorded.steps)
    if name == "step":
        return take_actions(lambda games: None, recorded, repeats)

    def run() -> tuple[int, float]:
        seconds = 0.0
        for _ in range(repeats):
            recorded.rewind()
            for tick, actions in enumerate(recorded.actions):
                seconds += _time_part(name, recorded.games, tick)
                batch.step(recorded.games, actions)
        return repeats * recorded.steps, seconds

    return run


def _time_part(name: str, games: NDArray[np.void], tick: int) -> float:
    seats = games["seat"].astype(np.int64)
    views = view.observe(games, seats) if name == "features" else None
    legal = batch.legal_mask(games) if name == "choose" else None
    seeds = chance.derive(games["seed"], tick)
    began = clock()
    if name == "mask":
        batch.legal_mask(games)
    elif name == "observe":
        view.observe(games, seats)
    elif views is not None:
        encode.features(views)
    elif legal is not None:
        sampling.sample(legal, seeds)
    return clock() - began


def deals(scale: Scale) -> Run:
    """First rounds dealt; here a step is a deal."""
    seeds = np.arange(scale.games(1024), dtype=np.uint64)
    repeats = max(1, scale.steps(STEPS) // 4 // len(seeds))

    def run() -> tuple[int, float]:
        began = clock()
        for _ in range(repeats):
            batch.deal(SEED_RULES, seeds)
        return repeats * len(seeds), clock() - began

    return run


class Halves:
    """The same batch played by one thread, or by two with half of the games each."""

    def __init__(self, count: int) -> None:
        seeds = np.arange(count, dtype=np.uint64)
        self.dealt = batch.deal(SEED_RULES, seeds)
        self.streams = chance.derive(seeds, 1)
        self.pool = ThreadPoolExecutor(2)  # its threads end with the process

    def play(self, threads: int) -> tuple[NDArray[np.void], int, float]:
        """The finished games, the steps they took, and the seconds by the wall clock."""
        games = self.dealt.copy()
        parts = np.array_split(np.arange(len(games)), threads)
        slices = [slice(int(rows[0]), int(rows[-1]) + 1) for rows in parts]
        began = time.perf_counter()
        work = [
            self.pool.submit(batch.random_playout, games[rows], self.streams[rows])
            for rows in slices
        ]
        steps = sum(int(done.result().sum()) for done in work)
        return games, steps, time.perf_counter() - began


def threaded(threads: int, scale: Scale) -> Run:
    """Random playouts by this many threads."""
    halves = Halves(scale.games(8192))
    return lambda: halves.play(threads)[1:]


def same_bytes_from_two_threads(scale: Scale) -> bool:
    """Whether two threads play the same games as one, to the byte."""
    halves = Halves(scale.games(8192))
    return halves.play(1)[0].tobytes() == halves.play(2)[0].tobytes()


_PARTS: Final = (
    ("mask", "legal mask"),
    ("step", "step: every action checked, then taken"),
    ("observe", "view of the seat to act"),
    ("features", "features of a view"),
    ("choose", "a random legal action from the mask"),
)


def _table_name(max_pip: int, players: int) -> str:
    return f"double_{max_pip}_seats_{players}"


def _tables() -> list[Measurement]:
    return [
        Measurement(
            f"{kind}_{_table_name(max_pip, players)}",
            "seats and sets",
            f"{told}, double-{max_pip}, {players} seats",
            partial(play, Rules(max_pip=max_pip, players=players)),
        )
        for kind, told, play in (
            ("playout", "playout", lambda rules, scale: playouts(rules, 1024, scale)),
            (
                "step",
                "step + mask",
                lambda rules, scale: step(batch.legal_mask, rules, 1024, scale),
            ),
        )
        for max_pip, players in TABLES
    ]


MEASUREMENTS: Final = (
    Measurement(
        "playout",
        "core, double-nine, 4 seats",
        "random playouts inside the kernels",
        partial(playouts, SEED_RULES, 4096),
        20e6,
    ),
    Measurement(
        "step_mask",
        "core, double-nine, 4 seats",
        "step + mask, 1,024 games",
        partial(step, batch.legal_mask, SEED_RULES, 1024),
        5e6,
    ),
    Measurement(
        "step_mask_features",
        "core, double-nine, 4 seats",
        "step + mask + float32 features, 1,024 games",
        partial(step, mask_and_features, SEED_RULES, 1024),
        2e6,
    ),
    Measurement(
        "step_mask_one",
        "core, double-nine, 4 seats",
        "step + mask, one game",
        step_one,
        300e3,
    ),
    *(
        Measurement(
            f"part_{name}", "parts of a step, 1,024 games, each alone", what, partial(part, name)
        )
        for name, what in _PARTS
    ),
    Measurement("part_deal", "parts of a step, 1,024 games, each alone", "deal of a round", deals),
    *(
        Measurement(
            f"step_mask_{count}",
            "size of the batch",
            f"step + mask, {count:,} games",
            partial(step, batch.legal_mask, SEED_RULES, count),
        )
        for count in BATCHES
    ),
    *(
        Measurement(
            f"playout_{count}",
            "size of the batch",
            f"playout of two rounds, {count:,} games",
            partial(playouts, SHORT_RULES, count),
        )
        for count in BATCHES[::2]
    ),
    *_tables(),
    *(
        Measurement(
            f"playout_threads_{threads}",
            "threads",
            f"playout, 8,192 games, {threads} thread{'s' * (threads > 1)}",
            partial(threaded, threads),
        )
        for threads in (1, 2)
    ),
)
RATIOS: Final = (
    Ratio(
        "step_flat",
        "step + mask, fastest to slowest batch of 256 to 65,536",
        [f"step_mask_{count}" for count in BATCHES],
        [f"step_mask_{count}" for count in BATCHES],
        1.5,
        at_most=True,
    ),
    Ratio(
        "playout_flat",
        "playout, fastest to slowest batch of 256 to 65,536",
        [f"playout_{count}" for count in BATCHES[::2]],
        [f"playout_{count}" for count in BATCHES[::2]],
        1.5,
        at_most=True,
    ),
    *(
        Ratio(
            f"{kind}_large",
            f"{told}, a step of double-18 with 8 seats to one of double-nine with 4",
            [f"{kind}_{_table_name(9, 4)}"],
            [f"{kind}_{_table_name(18, 8)}"],
            2.5,
            at_most=True,
        )
        for kind, told in (("playout", "playout"), ("step", "step + mask"))
    ),
    Ratio(
        "two_threads",
        "playout, two threads to one",
        ["playout_threads_2"],
        ["playout_threads_1"],
        1.7,
    ),
)
