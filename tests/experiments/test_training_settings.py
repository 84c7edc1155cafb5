"""Settings of a training run: what is refused before anything is done, in one line."""

from __future__ import annotations

import dataclasses
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from agents.ppo import policy_file
from agents.ppo.policy_file import MAX_ROUNDS, MAX_WIDTH
from agents.ppo.shape import Shape
from chickenfoot_env import RulesError
from experiments import cli
from experiments.training.settings import Settings

WHOLE = "allowed are whole numbers from"
BAD = [
    ("--players 1", "players='1': allowed are 2 to 12, a range such as 2-7, or several"),
    ("--players 13", "players='13': allowed are 2 to 12"),
    ("--players 4-2", "players='4-2': allowed are 2 to 12"),
    ("--players 2-", "players='2-': allowed are 2 to 12"),
    ("--players four", "players='four': allowed are 2 to 12"),
    ("--players 2-4-6", "players='2-4-6': allowed are 2 to 12"),
    ("--players 8", "8 players x 7 tiles = 56 tiles, but a double-9 set has 55"),
    ("--rules nonsense", "nonsense"),
    ("--rules seed,toes=7", "toes=7"),
    ("--rules seed,players=3", "players"),
    ("--seed -1", f"seed=-1: {WHOLE} 0 to 4294967295"),
    ("--seed 4294967296", f"seed=4294967296: {WHOLE} 0 to 4294967295"),
    ("--steps -5", f"steps=-5: {WHOLE} 0"),
    ("--minutes 0", "minutes=0: wanted is more than 0, or steps"),
    ("--minutes -3", "minutes=-3: wanted is more than 0, or steps"),
    ("--minutes nan", "minutes=nan: wanted is more than 0, or steps"),
    ("--minutes inf", "minutes=inf: wanted is more than 0, or steps"),
    ("--width 1", f"width=1: {WHOLE} 2 to {MAX_WIDTH}"),
    (f"--width {MAX_WIDTH + 1}", f"width={MAX_WIDTH + 1}: {WHOLE} 2 to {MAX_WIDTH}"),
    (f"--width {MAX_WIDTH} --rounds 4", "allowed with 4 rounds are widths of 2 to 983"),
    ("--rounds 0", f"rounds=0: {WHOLE} 1 to {MAX_ROUNDS}"),
    (f"--rounds {MAX_ROUNDS + 1}", f"rounds={MAX_ROUNDS + 1}: {WHOLE} 1 to {MAX_ROUNDS}"),
    ("--value-width 0", f"value_width=0: {WHOLE} 1"),
    ("--value-width 8193", f"value_width=8193: {WHOLE} 1 to 8192"),
    ("--games 100000000000", f"games=100000000000: {WHOLE} 1 to 65536"),
    ("--ticks 65537", f"ticks=65537: {WHOLE} 1 to 65536"),
    ("--worlds 1001", f"worlds=1001: {WHOLE} 1 to 1000"),
    ("--games 0", f"games=0: {WHOLE} 1"),
    ("--ticks 0", f"ticks=0: {WHOLE} 1"),
    ("--ticks 7", "ticks=7: wanted are twice as many as there are seats"),
    ("--ticks 11 --players 2-6", "ticks=11: wanted are twice as many as there are seats"),
    ("--batch 1", f"batch=1: {WHOLE} 2"),
    ("--epochs 0", f"epochs=0: {WHOLE} 1"),
    ("--worlds 0", f"worlds=0: {WHOLE} 1"),
    ("--snapshots -1", f"snapshots=-1: {WHOLE} 0"),
    ("--trace 1.1", "trace=1.1: allowed are 0 to 1"),
    ("--trace nan", "trace=nan: allowed are 0 to 1"),
    ("--warm-up -0.1", "warm_up=-0.1: allowed are 0 to 1"),
    ("--pool 2", "pool=2: allowed are 0 to 1"),
    ("--learning-rate 0", "learning_rate=0: allowed is more than 0, up to 1"),
    ("--learning-rate nan", "learning_rate=nan: allowed is more than 0, up to 1"),
    ("--clip 0", "clip=0: allowed is more than 0, up to 1"),
    ("--clip 1.5", "clip=1.5: allowed is more than 0, up to 1"),
    ("--entropy -1", "entropy=-1: allowed is"),
    ("--entropy 11", "entropy=11: allowed is"),
    ("--threads 0", f"--threads 0: {WHOLE} 1"),
    ("--device tpu", "--device tpu: allowed are auto, cpu and cuda"),
    ("--games many", "--games"),
    ("--depth 3", "--depth"),
]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """The exit code of the command with these words, and the lines on stderr."""

    def call(words: str, out: Path) -> tuple[int, list[str]]:
        argv = ["chickenfoot", "train", "ppo", *shlex.split(words), "--out", str(out)]
        monkeypatch.setattr(sys, "argv", argv)
        code = cli._exit_code()
        told = capsys.readouterr()
        assert told.out == ""
        return code, told.err.splitlines()

    return call


@pytest.mark.parametrize(("words", "message"), BAD)
def test_bad_settings_are_refused_before_anything_is_done(
    words: str, message: str, run, tmp_path: Path
) -> None:
    code, lines = run(words, tmp_path / "out")
    assert code == 2
    assert len(lines) == 1
    assert lines[0].startswith("chickenfoot: error: ") and message in lines[0]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("players", "rules", "wanted"),
    [
        ("2-8", "seed", ["--players 2-7", "--rules seed,hand_size=6"]),
        ("2,3,8", "toes=2", ["--players 2,3", "--rules toes=2,hand_size=6"]),
        ("2-7", "toes=2,hand_size=9", ["--players 2-6", "--rules toes=2,hand_size=7"]),
        ("9", "seed", ["--rules seed,hand_size=6"]),
        ("3", "max_pip=2,toes=9", []),
    ],
)
def test_where_there_are_too_few_tiles_it_says_what_to_write(
    players: str, rules: str, wanted: list[str]
) -> None:
    with pytest.raises(RulesError) as caught:
        Settings(players=players, rules=rules)
    _, _, told = str(caught.value).partition("; write ")
    options = told.split(" or ") if told else []
    assert options == wanted
    for option in options:
        name, value = option.removeprefix("--").split(" ")
        Settings(**{"players": players, "rules": rules, name: value})


def test_the_examples_of_the_help_can_be_trained() -> None:
    for name, count in (("players", 2), ("rules", 1)):
        told = Settings.__dataclass_fields__[name].metadata["help"]
        examples = re.findall(r'"([^"]+)"|(\w+=\d+)', told)
        assert len(examples) == count
        for example in examples:
            Settings(**{name: "".join(example)})


def test_the_help_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In words: what is in square brackets is markup there, and is lost."""
    monkeypatch.setattr(sys, "argv", ["chickenfoot", "train", "ppo", "--help"])
    assert cli._exit_code() == 0
    assert "needs the extra train" in capsys.readouterr().out


def test_the_widest_network_that_is_allowed_fits_into_a_file(tmp_path: Path) -> None:
    settings = Settings(width=983, rounds=4)
    shape = Shape(settings.tables()[0].max_pip, settings.width, settings.rounds, False)
    shapes = policy_file.parameter_shapes(shape)
    path = tmp_path / "policy.npz"
    arrays = {name: np.zeros(size, np.float32) for name, size in shapes.items()}
    policy_file.save(path, policy_file.Policy(shape, arrays, {}))
    assert policy_file.load(path).shape == shape


def test_tables_of_different_sets_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """No preset has them now."""
    settings = Settings(players="2-3", rules="max_pip=6,hand_size=5")
    assert [table.players for table in settings.tables()] == [2, 3]
    tables = [settings.tables()[0], Settings(players="3").tables()[0]]
    monkeypatch.setattr(Settings, "tables", lambda self: tables)
    with pytest.raises(ValueError, match="tables of different sets: one network plays one set"):
        Settings()


@pytest.mark.parametrize("value", [1.5, True, "3", None])
def test_numbers_of_other_kinds_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"games=.*: allowed are whole numbers from 1"):
        Settings(games=value)  # type: ignore[arg-type]


def test_without_pytorch_it_says_what_to_install(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    code, lines = run("--steps 100", tmp_path / "out")
    assert (code, len(lines)) == (2, 1)
    assert lines[0].endswith('training needs torch: pip install "chickenfoot[train]"')
    assert not (tmp_path / "out").exists()


def test_every_setting_is_an_option_with_a_help_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys, "argv", ["chickenfoot", "train", "ppo", "--help"])
    assert cli._exit_code() == 0
    told = capsys.readouterr().out
    for field in dataclasses.fields(Settings):
        assert f"--{field.name.replace('_', '-')}" in told
        assert field.metadata["help"] in told


def test_the_command_names_what_differs_from_the_defaults_alone() -> None:
    assert Settings().command() == "chickenfoot train ppo"
    settings = Settings(players="2-4", steps=500, minutes=3.0, sees_all=False, pool=0.5)
    wanted = "chickenfoot train ppo --players 2-4 --steps 500 --no-sees-all --pool 0.5"
    assert settings.command() == wanted
    assert Settings(minutes=2.5, trace=1.0).command().endswith("--minutes 2.5 --trace 1")
    assert "0.000123456789" in Settings(learning_rate=0.000123456789).command()
