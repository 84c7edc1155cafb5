"""Writes docs/images/{replay,play,report}.png: the pages as a headless Chromium shows them."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import uvicorn
from playwright.sync_api import Page, sync_playwright

import agents
from chickenfoot_env import Rules, batch
from experiments import game_file, match, report
from experiments.playing import server
from experiments.replay import page
from experiments.tournament import runner
from experiments.tournament.spec import TournamentSpec

IMAGES = Path(__file__).parent / "images"
LINE_UP = ("mcts", "heuristic", "greedy", "random")
SEED, STEP = 1, 45  # a game, and a position of it in which mcts has a choice
DRAWN = 500  # milliseconds until an answer has been shown
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def replay(shown: Page, folder: Path) -> None:
    """A recorded game with the values of mcts."""
    rules = Rules(players=4, rounds=(9,))
    games = batch.deal(rules, np.array([SEED], np.uint64), rules.private_stride)
    decisions: list[np.ndarray] = []
    line_up = [agents.make(name) for name in LINE_UP]
    match.play(line_up, games, np.array([SEED], np.uint64), decisions=decisions)
    (game,) = game_file.record_games(rules, games, decisions, [LINE_UP])
    page.write(game, folder / "replay.html", judge="mcts")
    shown.goto(f"{(folder / 'replay.html').as_uri()}#{STEP}")


def play(shown: Page, _: Path) -> None:
    """A game that is being played, with a hint."""
    rules = Rules(players=4, rounds=(9,))
    table = server.Table(rules, LINE_UP[:3], 0, True, "mcts", lambda: SEED)
    with serving(table) as url:
        shown.goto(url)
        for _turn in range(5):
            shown.wait_for_selector("#choices:not([hidden])")
            with shown.expect_response("**/game/choose"):
                shown.locator(".move").first.click()
            shown.wait_for_timeout(DRAWN)
        shown.wait_for_selector("#choices:not([hidden])")
        shown.click("#hint")
        shown.wait_for_selector("#judged:not([hidden])")
        shown.mouse.move(0, 0)


def results(shown: Page, folder: Path) -> None:
    """The report of a tournament."""
    spec = TournamentSpec(LINE_UP, Rules(players=4), 10, 1)
    runner.run(spec, folder / "results.sqlite")
    shown.goto(report.write_html(folder / "results.sqlite").as_uri())


@contextmanager
def serving(table: server.Table) -> Iterator[str]:
    """The address of a server that runs meanwhile."""
    with server.listen("127.0.0.1", 0) as at:
        running = uvicorn.Server(uvicorn.Config(server.application(table), log_level="warning"))
        thread = threading.Thread(target=running.run, args=([at],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{at.getsockname()[1]}/"
        finally:
            running.should_exit = True
            thread.join()


def main() -> None:
    """Take all pictures."""
    found = (shutil.which(name) for name in BROWSERS)
    path = os.environ.get("CHICKENFOOT_BROWSER") or next((name for name in found if name), None)
    if path is None:
        sys.exit("no browser: install chromium, or name one in CHICKENFOOT_BROWSER")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name, take in (("replay", replay), ("play", play), ("report", results)):
            size = {"width": 1280, "height": 1000 if name == "report" else 880}
            shown = browser.new_page(viewport=size, reduced_motion="reduce")
            take(shown, Path(folder))
            shown.screenshot(path=IMAGES / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
