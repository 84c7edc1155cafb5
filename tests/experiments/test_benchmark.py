"""`chickenfoot bench`: that it measures what it says. No test looks at how fast anything is."""

from __future__ import annotations

import io
import json
import statistics
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pettingzoo.test as checks
import pytest
from rich.console import Console

from chickenfoot_env import batch, chance, chickenfoot_v0
from chickenfoot_env.env import ChickenFootEnv
from chickenfoot_env.game import GAME, GAME_OVER
from chickenfoot_env.rules import Rules
from chickenfoot_env.vector_env import ChickenFootVectorEnv
from chickenfoot_env.view import VIEW
from experiments import cli
from experiments.benchmark import core, one_thread, printed, recorded, runner, tables, vectors
from experiments.benchmark.measurement import Measurement, Ratio, Scale
from experiments.benchmark.nothing_env import NothingEnv

ROUNDS = 3
QUICK = Scale(quick=True)
SMALL = Rules(players=3, max_pip=6, hand_size=5, rounds=(6, 5))
OWN = [measurement.name for measurement in runner.OWN]
PEERS = [measurement.name for measurement in runner.PEERS]


def bench(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "experiments.cli", "bench", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture(scope="module")
def quick_run() -> subprocess.CompletedProcess[str]:
    """A quick run of everything with --json."""
    return bench("--quick", "--json", "--peers", "--repeats", str(ROUNDS))


@pytest.fixture(scope="module")
def figures(quick_run: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """What it prints."""
    told: dict[str, Any] = json.loads(quick_run.stdout)
    return told


def told_nothing(what: str, done: int, total: int) -> None:
    """Progress that nobody looks at."""


# The figures


def test_everything_of_ours_is_measured(figures: dict[str, Any]) -> None:
    measured = [one["name"] for one in figures["measurements"]]
    assert measured[: len(OWN)] == OWN
    assert len({*OWN, *PEERS}) == len(OWN) + len(PEERS)


def test_every_figure_is_positive_and_the_median_of_its_rounds(figures: dict[str, Any]) -> None:
    for one in [*figures["measurements"], *figures["ratios"]]:
        assert len(one["by_round"]) == ROUNDS and min(one["by_round"]) > 0, one
        assert one["median"] == statistics.median(one["by_round"])
        assert (one["low"], one["high"]) == (min(one["by_round"]), max(one["by_round"]))
    for one in figures["measurements"]:
        assert one["seconds_a_step"] == pytest.approx(1 / one["median"])
        assert min(one["steps"]) > 0 and one["cores"] > 0 and one["warm_up_seconds"] > 0


def test_ratios_are_those_of_the_rounds(figures: dict[str, Any]) -> None:
    rounds = {one["name"]: one["by_round"] for one in figures["measurements"]}
    own = [one for one in figures["ratios"] if {*one["over"], *one["under"]} <= {*OWN}]
    assert len(own) == len(core.RATIOS) + len(tables.RATIOS)
    for one in figures["ratios"]:
        for number, value in enumerate(one["by_round"]):
            fast = max(rounds[name][number] for name in one["over"])
            slow = min(rounds[name][number] for name in one["under"])
            assert value == pytest.approx(fast / slow)
        fast = max(max(rounds[name]) for name in one["over"])
        slow = min(max(rounds[name]) for name in one["under"])
        assert one["of_best"] == pytest.approx(fast / slow)


def test_goals_are_judged_by_the_median(figures: dict[str, Any]) -> None:
    judged = [one for one in figures["measurements"] if one["goal"] is not None]
    assert len([one for one in judged if one["package"] is None]) == 13
    for one in judged:
        assert one["reached"] == (one["median"] >= one["goal"])
    for one in figures["ratios"]:
        at_most = one["median"] <= one["goal"]
        assert one["reached"] == (at_most if one["at_most"] else one["median"] >= one["goal"])


def test_a_round_is_the_sum_of_its_turns() -> None:
    """What has a ratio takes three of them, so that all have met the same machine."""
    names = ["alone", "aec_nothing", "playout", "aec"]
    ran: list[str] = []

    def prepared(name: str) -> runner._Prepared:
        results = iter([(10, 1.0), (30, 1.0), (20, 3.0)] * 2)

        def run() -> tuple[int, float]:
            ran.append(name)
            return next(results)

        return runner._Prepared(Measurement(name, "", "", lambda scale: run), run, 0.0)

    ready = {name: prepared(name) for name in names}
    runner._measure([*ready.values()], 2, lambda *told: None)
    assert ran == [*["playout", "aec", "aec_nothing"] * 3, "alone"] * 2
    assert ready["aec"].rates == [12.0, 12.0] and ready["aec"].steps == [60, 60]
    assert ready["alone"].rates == [10.0, 30.0] and ready["alone"].steps == [10, 30]


def test_the_pace_of_a_machine_is_that_of_a_peer_beside_where_goals_were_set() -> None:
    measurement = Measurement("ours", "", "", lambda scale: lambda: (1, 1.0), goal=8e6)
    rates = [3e6, 9e6, 5e6]
    ours = runner._Prepared(measurement, lambda: (1, 1.0), 0.0, [1] * 3, rates, [1.0] * 3)
    told = runner._figures(ours, pace=[0.5, 1.0, 0.5])
    assert (told["reached"], told["there"]) == (False, 9e6)
    assert runner._figures(ours, pace=[])["there"] is None
    row = next(printed.groups({"measurements": [told]}))[1][0]
    assert row[-1] == "8.00 M or more: missed here; there 9.00 M, reached"


def test_the_pace_is_told_where_its_peer_is_installed(figures: dict[str, Any]) -> None:
    rates = {one["name"]: one["by_round"] for one in figures["measurements"]}
    if runner.PACE not in rates:
        assert figures["pace"] is None
        assert all(one["there"] is None for one in figures["measurements"])
        return
    assert figures["pace"]["by_round"] == [rate / 4.2e6 for rate in rates[runner.PACE]]
    assert any(line.startswith("goals: ") for line in printed.remarks(figures))


def test_every_peer_is_measured_or_said_to_be_missing(figures: dict[str, Any]) -> None:
    assert [peer["name"] for peer in figures["peers"]] == PEERS
    measured = [one["name"] for one in figures["measurements"]]
    for peer in figures["peers"]:
        assert (peer["name"] in measured) == peer["measured"] == (peer["why_not"] is None)


def test_it_is_said_what_it_ran_on(figures: dict[str, Any]) -> None:
    facts = figures["facts"]
    assert facts["cores"] >= facts["usable_cores"] >= 1 and facts["processor"]
    assert facts["python"] == ".".join(map(str, sys.version_info[:3]))
    assert facts["versions"]["numpy"] == np.__version__
    assert {"load_before", "load_after"} <= facts.keys()


def test_memory_is_that_of_the_records(figures: dict[str, Any]) -> None:
    memory = figures["memory"]
    assert (memory["game_bytes"], memory["view_bytes"]) == (GAME.itemsize, VIEW.itemsize)
    assert memory["games"] == 1024 and memory["steps"] >= QUICK.steps(10_000_000)
    if sys.platform == "linux":
        assert memory["resident_bytes"] >= 1024 * GAME.itemsize


def test_the_table_has_a_row_for_each_figure(figures: dict[str, Any]) -> None:
    text = io.StringIO()
    Console(file=text, width=250).print(printed.table(figures))
    lines = [" ".join(line.split()) for line in text.getvalue().splitlines()]
    for one in figures["measurements"]:
        start = f"{one['what']} {printed.rate(one['median'])} {printed.rate(one['low'])} to "
        assert any(line.startswith(start) for line in lines), start
    for one in figures["ratios"]:
        assert any(line.startswith(one["what"]) for line in lines)
    for peer in figures["peers"]:
        if not peer["measured"]:
            assert any(line.startswith(f"{peer['what']}: {peer['why_not']}") for line in lines)
    assert "two threads play the same games as one, to the byte" in lines
    assert lines[-1].startswith("--quick")


def test_what_is_compared_runs_one_after_the_other() -> None:
    told: list[str] = []
    runner.run(QUICK, 1, lambda what, done, total: told.append(what), only="aec")
    rounds = [what.removeprefix("round 1 of 1: ") for what in told if what.startswith("round")]
    compared = ["aec", "aec_nothing", "aec_raw", "aec_raw_nothing"]
    assert rounds == [*compared * runner.TURNS, "aec_raw_blind", "aec_loop"]


# The command


def test_progress_goes_to_stderr(quick_run: subprocess.CompletedProcess[str]) -> None:
    stages = ["preparing", *(f"round {n + 1} of {ROUNDS}" for n in range(ROUNDS)), "once"]
    told = [line for line in quick_run.stderr.splitlines() if line.startswith("chickenfoot: ")]
    assert told == [f"chickenfoot: {stage}" for stage in stages]  # peers may say something, too


def test_only_what_is_asked_for_is_measured() -> None:
    told = json.loads(bench("--quick", "--json", "--repeats", "1", "--only", "aec_raw").stdout)
    names = [one["name"] for one in told["measurements"]]
    assert names == ["aec_raw", "aec_raw_nothing", "aec_raw_blind"]
    assert [one["name"] for one in told["ratios"]] == ["aec_raw_to_nothing"]
    assert told["memory"] is told["same_bytes_from_two_threads"] is None
    assert told["peers"] == []


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--repeats", "0"), "--repeats 0: allowed are whole numbers from 1"),
        (("--repeats", "many"), "'--repeats'"),
        (("--only", "chess"), "--only 'chess': nothing has that in its name; there are playout, "),
        (("--only", "rlcard"), "nothing has that in its name"),  # a peer, without --peers
    ],
)
def test_bad_options_are_refused_in_one_line(arguments: tuple[str, ...], part: str) -> None:
    done = bench("--quick", *arguments, code=2)
    assert done.stdout == ""
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("chickenfoot: error: ") and part in line


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., Any]], int]:
    """Runs `chickenfoot bench` in this process, with another runner; the exit code."""

    def run(instead: Callable[..., Any]) -> int:
        monkeypatch.setattr(one_thread, "use_one_thread", lambda: None)
        monkeypatch.setattr(runner, "run", instead)
        monkeypatch.setattr(sys, "argv", ["chickenfoot", "bench"])
        return cli._exit_code()

    return run


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (KeyboardInterrupt(), 130, "interrupted; nothing is kept of a run that was not finished"),
        (RuntimeError("no\nluck"), 1, "error: RuntimeError: no luck"),
    ],
)
def test_a_run_that_is_broken_off_says_so_in_one_line(
    in_process: Callable[[Callable[..., Any]], int],
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    line: str,
) -> None:
    def fail(*arguments: Any, **keywords: Any) -> None:
        raise error

    assert in_process(fail) == code
    told = capsys.readouterr()
    assert told.out == "" and told.err.strip().splitlines() == [f"chickenfoot: {line}"]


def test_a_peer_that_is_not_installed_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rlcard", None)  # importing it raises ImportError
    told = runner.run(QUICK, 1, told_nothing, only="rlcard_uno", with_peers=True)
    assert told["measurements"] == []
    (peer,) = told["peers"]
    assert not peer["measured"] and peer["why_not"].startswith("not installed (")


def test_a_peer_that_does_not_work_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rlcard", object())
    told = runner.run(QUICK, 1, told_nothing, only="rlcard_uno", with_peers=True)
    assert told["peers"][0]["why_not"] == "AttributeError: 'object' object has no attribute 'make'"


def test_our_own_failure_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(scale: Scale) -> Any:
        raise ImportError("broken")

    broken = Measurement("broken", "group", "what", fail)
    monkeypatch.setattr(runner, "OWN", (broken,))
    with pytest.raises(ImportError, match="broken"):
        runner.run(QUICK, 1, told_nothing, only="broken")


# What is measured


def running(games: Any) -> int:
    return int((games["over"] != GAME_OVER).sum())


@pytest.mark.parametrize("each_tick", [batch.legal_mask, core.mask_and_features])
def test_steps_of_a_batch_are_actions_in_running_games(each_tick: Callable[..., Any]) -> None:
    taken = recorded.record(SMALL, 20, 20)  # some of the games end within them
    games, steps = taken.start.copy(), 0
    for actions in taken.actions:
        steps += running(games)
        assert batch.legal_mask(games)[np.arange(20), actions].all()
        batch.step(games, actions)
    assert 0 < running(games) < 20
    before = taken.start.tobytes()
    for _ in range(2):
        count, _ = core.take_actions(each_tick, taken, 3)()
        assert count == 3 * steps
        assert taken.games.tobytes() == games.tobytes()
    assert taken.start.tobytes() == before


def test_recorded_games_are_not_in_step_with_one_another() -> None:
    games = recorded.mid_game(core.SEED_RULES, 256)
    assert len(np.unique(games["round"])) > 2
    assert len(np.unique(games["hand_count"][:, :4].sum(axis=1))) > 20
    assert running(games) == 256


def test_a_recorded_whole_game_goes_to_its_end() -> None:
    taken = recorded.record_whole(SMALL, 3)
    assert taken.start.tobytes() == batch.deal(SMALL, np.array([3], np.uint64)).tobytes()
    assert running(taken.games) == 0
    assert core.take_actions(batch.legal_mask, taken, 1)()[0] == len(taken.actions)


def test_playouts_count_what_every_game_took() -> None:
    run = core.playouts(SMALL, 640, QUICK)
    games = batch.deal(SMALL, np.arange(10, dtype=np.uint64))
    one_by_one = [
        batch.random_playout(games[i : i + 1], chance.derive(np.array([i], np.uint64), 1))[0]
        for i in range(10)
    ]
    assert run()[0] == run()[0] == sum(one_by_one)


@pytest.mark.parametrize("name", ["mask", "step", "observe", "features", "choose"])
def test_every_part_is_timed_once_a_step(name: str) -> None:
    games = recorded.record(core.SEED_RULES, 16)
    assert core.part(name, QUICK)()[0] == games.steps


@pytest.mark.parametrize("count", [10, 11])
def test_two_threads_play_the_same_games(count: int) -> None:
    halves = core.Halves(count)
    alone = halves.dealt.copy()
    steps = batch.random_playout(alone, halves.streams)
    for threads in (1, 2):
        games, taken, _ = halves.play(threads)
        assert games.tobytes() == alone.tobytes() and taken == steps.sum()
    assert core.same_bytes_from_two_threads(QUICK)


class Counting(NothingEnv):
    """Counts the steps that are no agent's last."""

    taken = 0

    def step(self, action: int | None) -> None:
        self.taken += action is not None
        super().step(action)


@pytest.mark.parametrize("repeats", [1, 2])
def test_steps_of_the_environment_are_its_steps(repeats: int) -> None:
    table = Counting(4, 342, 102, 2**62)
    for number in range(repeats):
        count, _ = tables.replay(lambda: table, 1, True, QUICK)()
        assert table.taken == (number + 1) * count == (number + 1) * len(tables.played(1)[0])


def test_the_loop_of_a_user_counts_no_last_steps() -> None:
    table = Counting(3, 5, 7, 11)
    count, _ = tables.play_at_random(lambda: table, QUICK)()
    assert count == table.taken == 11
    assert table.agents == []


def test_both_environments_get_whole_games_of_ours() -> None:
    table = chickenfoot_v0.raw_env()
    table.reset(seed=0)
    for action in tables.played(1)[0]:
        assert not table.is_over
        table.step(action)
    assert table.is_over


def test_nothing_is_observed_with_observe_false(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(self: ChickenFootEnv, agent: str) -> Any:
        raise AssertionError("an observation was built")

    monkeypatch.setattr(ChickenFootEnv, "observe", forbidden)
    assert tables.replay(chickenfoot_v0.raw_env, 1, False, QUICK)()[0] > 0
    with pytest.raises(AssertionError, match="was built"):
        tables.replay(chickenfoot_v0.raw_env, 1, True, QUICK)()


def test_steps_of_a_vector_environment_are_decisions_in_running_games() -> None:
    made: list[Any] = []

    def make(count: int) -> Any:
        made.append(ChickenFootVectorEnv(count, players=3, episode="round"))
        return made[0]

    run = vectors.gymnasium_steps(make, 1024, QUICK)
    (envs,) = made
    step, decisions = envs.step, 0

    def counted(actions: Any) -> Any:
        nonlocal decisions
        *results, infos = step(actions)
        if "episode" in infos:
            decisions += int(infos["episode"]["l"].sum())
        return *results, infos

    envs.step = counted
    steps = sum(run()[0] for _ in range(20))
    # Those of the episodes that have not ended yet are not in their statistics.
    assert decisions <= steps <= decisions + 16 * 30
    assert decisions > 0


# The environment that does nothing


@pytest.mark.parametrize("make", [partial(tables.nothing, 50), tables.wrapped_nothing])
def test_the_environment_that_does_nothing_is_one(make: Callable[[], Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in (  # PettingZoo expects arrays and pictures of most environments
            "Observation is not a NumPy array",
            "Observation space for each agent probably should be gymnasium.spaces.box or ",
            "Environment has not defined a render",
        ):
            warnings.filterwarnings("ignore", f"^{message}")
        checks.api_test(make(), num_cycles=200)


def test_the_environment_that_does_nothing_has_our_shapes_in_fresh_arrays() -> None:
    ours, nothing = chickenfoot_v0.raw_env(), tables.nothing()
    for table in (ours, nothing):
        table.reset(seed=0)
    assert ours.possible_agents == nothing.possible_agents
    first, second = nothing.observe("player_0"), nothing.observe("player_0")
    for name, array in ours.observe("player_0").items():
        assert (first[name].shape, first[name].dtype) == (array.shape, array.dtype)
        assert not np.shares_memory(first[name], second[name])
    for agent in ours.possible_agents:
        assert ours.observation_space(agent) == nothing.observation_space(agent)
        assert ours.action_space(agent) == nothing.action_space(agent)


# Ratios and numbers


def test_a_ratio_of_many_is_that_of_fastest_to_slowest() -> None:
    ratio = Ratio("flat", "", ["a", "b", "c"], ["a", "b", "c"], 1.5, at_most=True)
    rates = {"a": [1.0, 6.0], "b": [2.0, 3.0], "c": [4.0, 2.0], "d": [9.0, 9.0]}
    assert ratio.of(rates) == [4.0, 3.0]
    assert ratio.of_best(rates) == 6.0 / 3.0
    assert ratio.of({"a": [1.0], "b": [1.0]}) is None
    assert ratio.is_reached(1.5) and not ratio.is_reached(1.6)
    assert Ratio("", "", ["a"], ["d"], 0.7).is_reached(0.7)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (23_449_000.0, "23.4 M"),
        (999_600.0, "1.00 M"),
        (999_400.0, "999 k"),
        (14_250.0, "14.2 k"),
        (1_284.0, "1.28 k"),
        (62.5, "62.5"),
    ],
)
def test_rates_have_three_digits(value: float, text: str) -> None:
    assert printed.rate(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(43.1e-9, "43.1 ns"), (2.22e-6, "2.22 µs"), (0.0607, "60.7 ms"), (12.34, "12.3 s")],
)
def test_times_have_three_digits(value: float, text: str) -> None:
    assert printed.duration(value) == text
