"""A headless Chromium for the tests of pages, where there is one."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE = 60.0  # seconds
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)


def executable() -> str | None:
    """The browser to test with: $CHICKENFOOT_BROWSER, or one that is installed."""
    found = (shutil.which(name) for name in NAMES)
    return os.environ.get("CHICKENFOOT_BROWSER") or next((path for path in found if path), None)


@contextmanager
def launched() -> Iterator[Browser]:
    """A running browser; without one the test is skipped."""
    api = pytest.importorskip("playwright.sync_api")
    path = executable()
    if path is None:
        pytest.skip(f"no browser: install chromium, one of {', '.join(NAMES)}")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, url: str, **options: Any) -> Iterator[Page]:
    """A page in a context of its own; an error in it, or anything that it loads, fails the test."""
    problems: list[str] = []
    context = browser.new_context(**options)
    page = context.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text))
    page.on("request", lambda request: _note(problems, request.url, url))
    page.goto(url)
    yield page
    context.close()
    assert not problems


def until(condition: Callable[[], bool]) -> None:
    """Wait until it holds; pages forbid the eval that Playwright's own way may need."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.02)


def _note(problems: list[str], requested: str, url: str) -> None:
    home = url.partition("#")[0]
    if not requested.startswith(("data:", home)):
        problems.append(f"loads {requested}")
