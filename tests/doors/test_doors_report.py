"""The table of `make doors` says what the results files say."""

from __future__ import annotations

from pathlib import Path

import pytest
from doors import report

RESULTS = """<?xml version="1.0"?>
<testsuites><testsuite>
<properties><property name="pettingzoo" value="1.27.0" /><property name="gymnasium" value="1.4" />
{more}</properties>
<testcase classname="tests.env.test_env_pettingzoo" name="test_seed_test_passes[2 seats]" />
<testcase classname="tests.env.test_env_pettingzoo" name="test_seed_test_passes[4 seats]" />
<testcase classname="tests.env.test_env_pettingzoo" name="test_it_renders">
    <skipped message="no" /></testcase>
<testcase classname="tests.env.test_single_env" name="test_check_env">{inside}</testcase>
<testcase classname="" name="tests.doors.test_rllib"><skipped message="no ray" /></testcase>
</testsuite></testsuites>
"""


def results(folder: Path, more: str = "", inside: str = "") -> str:
    path = folder / "tests.xml"
    path.write_text(RESULTS.format(more=more, inside=inside), encoding="utf-8")
    return str(path)


def test_each_check_is_a_row_over_all_its_parameters(tmp_path: Path) -> None:
    assert [*report.rows(Path(results(tmp_path)))] == [
        ("pettingzoo", "1.27.0", "seed test passes", "passed 2"),
        ("pettingzoo", "1.27.0", "it renders", "skipped 1"),
        ("gymnasium", "1.4", "check env", "passed 1"),
    ]


def test_the_columns_are_aligned(tmp_path: Path) -> None:
    text = report.table(report.rows(Path(results(tmp_path))))
    assert text.splitlines() == [
        "library     version  check             result",
        "gymnasium   1.4      check env         passed 1",
        "pettingzoo  1.27.0   seed test passes  passed 2",
        "                     it renders        skipped 1",
    ]


def test_what_failed_and_what_is_missing_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = results(tmp_path, inside='<failure message="wrong" />')
    assert report.main([failed]) == 1
    told = capsys.readouterr().out
    assert "failed: gymnasium: check env\n" in told
    missing = "open-spiel, ray, stable-baselines3, torchrl"
    assert f"not installed anywhere: {missing}\n" in told
    assert "none failed" not in told


def test_a_library_that_is_left_out_is_not_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = results(tmp_path)
    left_out = ("open-spiel", "ray", "stable-baselines3", "torchrl")
    without = [word for library in left_out for word in ("--without", library)]
    assert report.main([*without, file]) == 0
    assert capsys.readouterr().out.endswith("\n3 checks, none failed, 1 skipped\n")
    assert report.main([*without[2:], file]) == 1
    assert capsys.readouterr().out.endswith("\nnot installed anywhere: open-spiel\n")
    with pytest.raises(SystemExit):
        report.main(["--without", "rllib", file])
    assert "invalid choice: 'rllib'" in capsys.readouterr().err


def test_without_results_it_fails_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        report.main([str(tmp_path / "tests.xml")])
    assert caught.value.code == 2
    assert "tests.xml: there is no such file" in capsys.readouterr().err.splitlines()[-1]


def test_a_library_that_is_there_but_whose_tests_cannot_be_run_is_in_the_table(
    tmp_path: Path,
) -> None:
    there = results(tmp_path, more='<property name="ray" value="2.60.0" />')
    found = [*report.rows(Path(there))]
    assert ("ray", "2.60.0", "its tests can be run", "skipped 1") in found
    broken = tmp_path / "broken.xml"
    broken.write_text(
        '<testsuites><testsuite><testcase classname="" name="tests.doors.test_rllib">'
        '<error message="collection failure" /></testcase></testsuite></testsuites>'
    )
    assert [*report.rows(broken)] == [("ray", "?", "its tests can be run", "failed 1")]


def test_every_file_of_tests_of_a_library_is_known() -> None:
    here = {path.stem for path in Path(__file__).parent.glob("test_*.py")}
    of_no_library = {"test_docs_doors", "test_doors_report", "test_ppo_self_play"}
    assert here - of_no_library <= report.LIBRARIES.keys()
