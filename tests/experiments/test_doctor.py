"""`chickenfoot doctor`: it really tries what is installed, and says what is wrong."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from experiments import doctor, doctor_doors

ALWAYS = ("PettingZoo", "Gymnasium")
OPTIONAL = tuple(door for door in doctor_doors.DOORS if door.extra)


def run(*arguments: str, code: int = 0, **changes: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "experiments.cli", "doctor", *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, **changes},
    )
    assert done.returncode == code, done.stderr + done.stdout
    assert "Traceback" not in done.stderr + done.stdout
    return done


def found(code: int = 0, **changes: str) -> dict[str, Any]:
    findings: dict[str, Any] = json.loads(run("--json", code=code, **changes).stdout)
    return findings


def by_name(findings: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {door["name"]: door for door in findings["doors"]}


def fake(folder: Path, name: str, code: str) -> None:
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text(code)


@pytest.fixture(scope="module")
def printed() -> subprocess.CompletedProcess[str]:
    """What `chickenfoot doctor --json` prints here."""
    return run("--json")


@pytest.fixture(scope="module")
def findings(printed: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """What it finds here."""
    told: dict[str, Any] = json.loads(printed.stdout)
    return told


def test_every_door_is_stepped_or_named_with_what_installs_it(findings: dict[str, Any]) -> None:
    doors = by_name(findings)
    assert list(doors) == [door.name for door in doctor_doors.DOORS]
    for name in ALWAYS:
        assert doors[name]["state"] == "works"
    for door in OPTIONAL:
        told = doors[door.name]
        if all(importlib.util.find_spec(module) for module in door.modules):
            assert told["state"] == "works"
            assert told["version"]
            assert told["steps"] > 0
        else:
            assert told["state"] == "not installed"
            assert told["detail"] == f"pip install 'chickenfoot[{door.extra}]'"


def test_the_core_was_stepped_and_its_machine_code_has_a_place(findings: dict[str, Any]) -> None:
    core = findings["core"]
    assert core["state"] == "works" and core["steps"] == doctor_doors.STEPS
    assert core["compilation"]
    assert Path(core["cache"]).is_dir()


def test_versions_and_machine_are_told(findings: dict[str, Any]) -> None:
    versions = {one["name"]: one for one in findings["versions"]}
    assert {"python", "numpy", "numba", "gymnasium", "pettingzoo"} <= set(versions)
    assert all(one["supported"] for one in versions.values())
    assert findings["machine"]["processors"] >= 1
    assert findings["problems"] == []


def test_it_is_told_in_words(findings: dict[str, Any]) -> None:
    told = run().stdout  # by now everything is compiled
    for word in ("chickenfoot", "numpy", "was there:", "PettingZoo", "Nothing is wrong."):
        assert word in told
    assert "Wrong:" not in told


def test_what_is_tried_goes_to_stderr(printed: subprocess.CompletedProcess[str]) -> None:
    assert "trying PettingZoo" in printed.stderr
    assert printed.stdout.count("\n") == 1


def test_a_broken_door_is_reported_in_one_line_and_stops_no_other(tmp_path: Path) -> None:
    fake(tmp_path, "pyspiel", "raise RuntimeError('made for\\nanother machine')")
    fake(tmp_path, "open_spiel", "")
    findings = found(1, PYTHONPATH=str(tmp_path))
    doors = by_name(findings)
    assert doors["OpenSpiel"]["state"] == "broken"
    assert doors["OpenSpiel"]["detail"] == "RuntimeError: made for"
    assert findings["problems"] == [
        "OpenSpiel is installed but does not work: RuntimeError: made for"
    ]
    for name in ALWAYS:
        assert doors[name]["state"] == "works"
    told = list(doctor.lines(findings))
    assert "Wrong: OpenSpiel is installed but does not work: RuntimeError: made for" in told
    assert "Nothing is wrong." not in told


def openspiel(
    folder: Path, code: str, monkeypatch: pytest.MonkeyPatch, seconds: float = 100.0
) -> dict[str, Any]:
    """What is found where this is OpenSpiel."""
    fake(folder, "pyspiel", code)
    fake(folder, "open_spiel", "")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(doctor, "SECONDS", seconds)
    return doctor._gone_through(next(door for door in OPTIONAL if door.name == "OpenSpiel"))


def test_a_door_that_kills_its_process_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    told = openspiel(tmp_path, code, monkeypatch)
    assert (told["state"], told["detail"]) == ("broken", "it crashed, signal 9")


def test_a_door_that_hangs_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = openspiel(tmp_path, "import time; time.sleep(60)", monkeypatch, 2.0)
    assert (told["state"], told["detail"]) == ("broken", "no answer in 2 seconds")


def test_a_library_without_its_own_parts_counts_as_not_installed() -> None:
    """Ray alone is no RLlib."""
    door = doctor_doors.Door("RLlib", "ray", "ray", ("json", "no_such_module"), dict)
    assert door.missing() == ["no_such_module"]
    assert doctor._gone_through(door)["detail"] == "pip install 'chickenfoot[ray]'"


def test_where_no_machine_code_can_be_kept_it_says_what_to_do() -> None:
    core: dict[str, Any] = {"state": "works", "compilation": True, "cache": None}
    findings = {"core": core, "machine": {"free_memory_bytes": None}, "torch": {}}
    assert any("set NUMBA_CACHE_DIR" in advice for advice in doctor._advice(findings))
    core["compilation"] = False
    assert any("unset NUMBA_DISABLE_JIT" in advice for advice in doctor._advice(findings))


def test_little_memory_and_many_threads_are_advised_against() -> None:
    core = {"state": "works", "compilation": True, "cache": "somewhere"}
    findings = {
        "core": core,
        "machine": {"free_memory_bytes": 2**29},
        "torch": {"torch_threads": 8},
    }
    advice = list(doctor._advice(findings))
    assert any(line.startswith("0.5 GB of memory are free") for line in advice)
    assert any("PyTorch would use 8 threads" in line for line in advice)


def test_a_version_out_of_range_is_a_problem() -> None:
    versions = [
        {"name": "numpy", "version": "1.20.0", "wanted": ">=1.26", "supported": False},
        {"name": "python", "version": "3.9.1", "wanted": ">=3.10", "supported": False},
    ]
    fine = {"name": "x", "state": "works", "detail": ""}
    findings = {"versions": versions, "core": fine, "torch": fine, "doors": []}
    assert list(doctor._problems(findings)) == [
        "numpy 1.20.0 is not supported, wanted is >=1.26: reinstall chickenfoot",
        "python 3.9.1 is not supported, wanted is >=3.10: use another Python",
    ]


def test_libraries_that_want_other_versions_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"pettingzoo": ["gymnasium<1.0; python_version>='3'", "numpy", 'x==9; extra == "all"']}
    monkeypatch.setattr("importlib.metadata.requires", lambda library: asked.get(library, []))
    (conflict,) = doctor._conflicts()
    assert conflict.startswith("pettingzoo asks for gymnasium<1.0, but ")


def test_the_last_error_of_a_traceback_is_found() -> None:
    stderr = (
        "warning: something\nTraceback (most recent call last):\n  File a\nKeyError: 1\n\n"
        "During handling:\n\nTraceback (most recent call last):\n  File b\nValueError: two\nlines\n"
        "and what was said after it\n"
    )
    assert doctor._last_error(stderr) == "ValueError: two"
    assert doctor._last_error("\n") == "it failed without a word"
