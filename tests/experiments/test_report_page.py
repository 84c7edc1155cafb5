"""The page as a reader and a screen reader meet it: figures, sentences, links."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_results import Made, block, header

from chickenfoot_env.rules import Rules
from experiments import figures, report, store
from experiments.game_file import GameFileError
from experiments.report import plots, times
from experiments.tournament import runner
from experiments.tournament.spec import TournamentSpec

POINTS = np.random.default_rng(1).integers(0, 90, size=(12, 3, 3))
BLOCKS = (POINTS + np.array([0, 20, 60])).tolist()
Written = tuple[dict[str, Any], str, str]
ALL = ["margins", "ratings", "pairs", "spread", "times", "seats"]  # no blocked round more or less


class Figures(HTMLParser):
    """The figures of a page: name, alt text and caption of each; and all links."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[dict[str, str]] = []
        self.links: list[str] = []
        self._within = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = {name: value or "" for name, value in attrs}
        self._within = tag
        if tag == "figure":
            self.found.append({"name": held["class"], "alt": "", "caption": ""})
        if tag == "img":
            self.found[-1]["alt"] = held["alt"]
        if tag == "a":
            self.links.append(held["href"])

    def handle_endtag(self, tag: str) -> None:
        self._within = ""

    def handle_data(self, data: str) -> None:
        if self._within == "figcaption":
            self.found[-1]["caption"] += data


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The results and the games of a small tournament."""
    folder = tmp_path_factory.mktemp("recorded")
    rules = Rules(players=3, max_pip=6, hand_size=5, rounds=(6, 5))
    spec = TournamentSpec(("greedy", "random", "heuristic"), rules, 4, 1)
    runner.run(spec, folder / "results.sqlite", games=folder / "games.jsonl")
    return folder / "results.sqlite", folder / "games.jsonl"


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages without plots, which take longest."""
    monkeypatch.setattr(plots, "draw", lambda _: {"margins": plots.Plot("data:,", "data:,", "")})


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The figures of a results file, and its page, written twice."""
    path = tmp_path_factory.mktemp("written") / "results.sqlite"
    about = header(["a", "b", "c"], 3, len(BLOCKS), cheats=["c"])
    with store.writing(path, about) as results:
        for number, games in enumerate(BLOCKS):
            results.add(block(about, number, games))
    return figures.summary(path), page(path), page(path)


def test_every_figure_has_a_text_in_its_place_and_one_sentence(written: Written) -> None:
    found = Figures(written[1]).found
    assert [figure["name"] for figure in found] == ALL
    for figure in found:
        sentence = " ".join(figure["caption"].split())
        assert len(re.findall(r"[.!?](?:\s|$)", sentence)) == 1 and sentence.endswith("."), sentence
        title, _, told = figure["alt"].partition(". ")
        assert title and re.search(r"\d", told), figure


def test_texts_in_place_of_pictures_tell_the_figures(written: Written) -> None:
    held = written[0]
    first, _, cheat = held["agents"]
    told = {figure["name"]: figure["alt"] for figure in Figures(written[1]).found}
    interval = f"{first['margin_low']:+.1f} to {first['margin_high']:+.1f}"
    assert f"{first['name']} {first['margin']:+.1f} ({interval})" in told["margins"]
    assert f"c † {cheat['rating']:+.0f} (" in told["ratings"]
    assert f"seat 0 {held['seats'][0]['margin']:+.1f} (" in told["seats"]
    assert f"a against b {held['pairs'][0]['difference']:+.1f}" in told["pairs"]
    assert "500.0 ms, on the front" in told["times"]


def test_the_page_loads_nothing(written: Written) -> None:
    for link in re.findall(r"""(?:src|srcset|href|url)\s*[=(]\s*["']?([^"')\s]+)""", written[1]):
        assert link.startswith("data:")
    assert "<script" not in written[1] and "http" not in written[1]


def test_the_page_has_the_same_bytes_again(written: Written) -> None:
    assert written[1] == written[2]


@pytest.mark.parametrize(
    ("deals", "costs", "names"),
    [
        (1, [(0, 0, 0, 0.0), (1, 0, 0, 0.0), (2, 5, 0, 1.0)], ["margins", "pairs"]),
        (4, [], ["margins", "pairs", "times", "seats"]),
    ],
)
def test_a_figure_that_would_show_nothing_is_left_out(
    made: Made, deals: int, costs: list[Any], names: list[str]
) -> None:
    found = Figures(page(made(["a", "b", "c"], 3, BLOCKS[:deals], costs=costs))).found
    assert [figure["name"] for figure in found] == names


def test_the_leaderboard_has_ratings_and_skill_where_there_are_any(
    made: Made, undrawn: None
) -> None:
    names = ["oracle", "a", "random"]
    whole = page(made(names, 3, BLOCKS, cheats=["oracle"]))
    assert 'data-label="Rating"' in whole and 'data-label="Skill"' in whole


def test_the_leaderboard_of_few_deals_has_neither(made: Made, undrawn: None) -> None:
    few = page(made(["oracle", "a", "c"], 3, BLOCKS[:4], cheats=["oracle"]))
    assert "Rating" not in few and "Skill" not in few


def test_the_dark_plot_is_the_light_one_in_other_colours(made: Made) -> None:
    drawn = plots.draw(figures.summary(made(["a", "b"], 2, [[[1, 2], [3, 9]]] * 3)))["margins"]
    light, dark = (base64.b64decode(uri.partition(",")[2]) for uri in (drawn.light, drawn.dark))
    assert light != dark
    assert re.sub(rb"#\w{6}", b"", light) == re.sub(rb"#\w{6}", b"", dark)
    assert not any(colour.encode() in dark for colour in plots.DARK)


def test_the_front_is_of_those_that_nobody_beats_in_as_little_time() -> None:
    told = [
        {"name": name, "margin": margin, "ms_per_decision": ms, "cheats": name == "sees"}
        for name, margin, ms in (
            ("sees", 99, 0.1),
            ("slow", 50, 9.0),
            ("best", 50, 8.0),
            ("quick", 10, 1.0),
            ("also", 5, 1.0),
            ("never", -3, None),
        )
    ]
    assert times.front({"agents": told}) == ["quick", "best"]


def test_without_records_the_page_tells_how_to_see_the_decisive_games(
    recorded: tuple[Path, Path], undrawn: None
) -> None:
    path, _ = recorded
    held = figures.summary(path)
    text = page(path)
    assert Figures(text).links == []
    for game in held["decisive"]["games"]:
        number = game["game"]
        command = f"chickenfoot replay games.jsonl --game {number} --html game-{number}.html"
        assert f"<pre>{command}</pre>" in text


def test_with_records_the_page_links_to_replays_that_are_there(
    recorded: tuple[Path, Path], undrawn: None
) -> None:
    path, games = recorded
    links = Figures(page(path, games)).links
    numbers = [game["game"] for game in figures.summary(path)["decisive"]["games"]]
    assert links == [f"replays/game-{number}.html" for number in numbers] and len(links) == 3
    for link in links:
        assert "<!DOCTYPE html>" in (path.parent / link).read_text(encoding="utf-8")


def test_records_of_another_tournament_are_refused(
    recorded: tuple[Path, Path], tmp_path: Path
) -> None:
    path, games = recorded
    lines = games.read_text(encoding="utf-8").splitlines(keepends=True)
    other = tmp_path / "other.jsonl"
    other.write_text("".join(lines[1:] + lines[:1]), encoding="utf-8")
    with pytest.raises(GameFileError, match=r"game \d+ of .*other.jsonl is not game \d+ of"):
        report.write_html(path, games=other)
    other.write_text(lines[0], encoding="utf-8")
    with pytest.raises(GameFileError, match="there are games 1 to 1"):
        report.write_html(path, games=other)


def page(path: Path, games: Path | None = None) -> str:
    return report.write_html(path, games=games).read_text(encoding="utf-8")
