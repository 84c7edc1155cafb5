"""PettingZoo's checkers accept every published rule set with 2 to 8 seats."""

from __future__ import annotations

import importlib
import itertools
from functools import partial
from types import SimpleNamespace

import pettingzoo.test as checks
import pytest
from quiet import no_other_warnings

from chickenfoot_env import chickenfoot_v0
from chickenfoot_env.presets import PRESETS
from chickenfoot_env.rules import Rules
from chickenfoot_env.rules_text import seat_counts

SEATS = range(2, 9)
ALL = [(name, seats) for name in PRESETS for seats in seat_counts(name) if seats in SEATS]
# One of each rule set, and every number of seats among them.
SOME = [
    max((pair for pair in ALL if pair[0] == name), key=lambda pair: (pair[1] - turn) % len(SEATS))
    for turn, name in enumerate(PRESETS)
]
each_preset = pytest.mark.parametrize(("preset", "players"), SOME)


def made(preset: str, players: int, **keywords: str) -> partial[object]:
    """What makes the environment, wrapped as usual."""
    rules = Rules.preset(preset, players=players)
    return partial(chickenfoot_v0.env, rules=rules, **keywords)


def check(preset: str, players: int, steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run every checker of PettingZoo for so many actions or a little more."""
    make, cycles = made(preset, players), -(-steps // players)
    # It samples without a mask and wants a parallel twin, which this game has not.
    state_test = importlib.import_module("pettingzoo.test.state_test")
    unmasked = made(preset, players, on_illegal="random_legal")()
    with no_other_warnings():
        checks.api_test(make(), num_cycles=cycles)
        checks.seed_test(make, num_cycles=steps)
        checks.render_test(make)
        checks.test_save_obs(make())
        state_test.test_state_space(unmasked)
        state_test.test_state(unmasked, num_cycles=cycles)
        # It plays until five seconds have passed by this clock.
        benchmark = importlib.import_module("pettingzoo.test.performance_benchmark")
        clock = SimpleNamespace(time=partial(next, itertools.count(0.0, 5 / cycles)))
        monkeypatch.setattr(benchmark, "time", clock)
        benchmark.performance_benchmark(make())


def test_every_rule_set_and_every_number_of_seats_is_among_those_checked() -> None:
    assert [name for name, _ in SOME] == list(PRESETS)
    assert {seats for _, seats in SOME} == set(SEATS)
    assert len(ALL) > 90


@each_preset
def test_every_checker_passes_without_other_warnings(
    preset: str, players: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(preset, players, 60, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "players"), ALL)
def test_every_checker_passes_with_every_number_of_seats(
    preset: str, players: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(preset, players, 400, monkeypatch)
