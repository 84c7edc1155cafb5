"""render_mode="human": a real window on a virtual display, and one line where there is none."""

from __future__ import annotations

import copy
import pickle
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo.test as checks
import pytest
from gymnasium.utils.env_checker import check_env
from PIL import Image, ImageGrab

from chickenfoot_env import chickenfoot_v0
from chickenfoot_env.env import ChickenFootEnv
from chickenfoot_env.render import window
from chickenfoot_env.render.scene import HEIGHT, WIDTH
from chickenfoot_env.render.window import NoWindowError, Window
from chickenfoot_env.single_env import ChickenFootSingleEnv
from chickenfoot_env.vector_env import ChickenFootVectorEnv

Make = Callable[..., Any]


def two_games(**keywords: Any) -> ChickenFootVectorEnv:
    return ChickenFootVectorEnv(2, **keywords)


def advance(env: Any) -> None:
    """Take the first legal action."""
    first = env.unwrapped.action_masks().argmax(axis=-1)
    env.step(first if np.ndim(first) else int(first))


ENVIRONMENTS = [chickenfoot_v0.env, ChickenFootSingleEnv, two_games]
every_environment = pytest.mark.parametrize("make", ENVIRONMENTS)


@pytest.fixture(scope="module")
def virtual_display() -> Iterator[str]:
    """The name of a display that nobody sees, with room for the whole picture."""
    if shutil.which("Xvfb") is None or window.importlib.util.find_spec("_tkinter") is None:
        pytest.skip("no Xvfb (apt install xvfb) or no tkinter")
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    yield f":{server.stdout.readline().strip()}"
    server.terminate()
    server.wait()
    server.stdout.close()


@pytest.fixture
def display(virtual_display: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same, in use, and with windows that do not wait to be looked at."""
    monkeypatch.setenv("DISPLAY", virtual_display)
    for kind in (ChickenFootEnv, ChickenFootSingleEnv, ChickenFootVectorEnv):
        monkeypatch.setitem(kind.metadata, "render_fps", 1000)
    return virtual_display


def screenshot(display: str) -> Any:
    """(1200, 1600, 3) uint8."""
    return np.asarray(ImageGrab.grab(xdisplay=display))


@every_environment
def test_the_window_shows_the_picture_until_it_is_closed(
    make: Make, display: str, tmp_path: Path
) -> None:
    env, twin = make(render_mode="human"), make(render_mode="rgb_array")
    for each in (env, twin):
        each.reset(seed=3)
    for _ in range(3):
        for each in (env, twin):
            advance(each)
        frame = twin.render()
        frame = frame[0] if isinstance(frame, tuple) else frame  # the first game
        seen = screenshot(display)
        Image.fromarray(seen).save(tmp_path / "screen.png")  # for whoever wants to look at it
        assert (seen[:HEIGHT, :WIDTH] == frame).all()
        assert env.render() is None
    env.close()
    assert not screenshot(display).any()
    env.close()


@pytest.mark.usefixtures("display")
def test_the_checkers_open_the_window_too() -> None:
    checks.render_test(chickenfoot_v0.env)
    env = gymnasium.make("ChickenFoot-v0", on_illegal="forfeit").unwrapped
    assert env.metadata["render_modes"] == ["ansi", "svg", "rgb_array", "human"]
    check_env(env)


def test_a_window_closed_by_hand_stays_closed(display: str) -> None:
    env = ChickenFootSingleEnv(render_mode="human")
    env.reset(seed=1)
    root = env._envs._window._root
    root.tk.call(root.protocol("WM_DELETE_WINDOW"))  # what a click on the cross calls
    assert not screenshot(display).any()
    advance(env)
    assert not screenshot(display).any()


def test_the_window_fits_a_small_screen(monkeypatch: pytest.MonkeyPatch, display: str) -> None:
    import tkinter

    monkeypatch.setattr(tkinter.Tk, "winfo_screenheight", lambda _self: 600)
    env = chickenfoot_v0.env(render_mode="human")
    env.reset(seed=1)
    seen = screenshot(display)
    assert seen[539].any() and not seen[540:].any()
    assert seen[:540, 719].any() and not seen[:, 720:].any()
    env.close()


def test_a_picture_stays_for_its_time_and_the_same_one_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, display: str
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(window.time, "sleep", slept.append)
    monkeypatch.setattr(window.time, "monotonic", lambda: sum(slept))
    monkeypatch.setitem(ChickenFootEnv.metadata, "render_fps", 2)
    env = chickenfoot_v0.env(render_mode="human")
    env.reset(seed=1)
    assert sum(slept) == pytest.approx(0.5, abs=0.03)
    env.render()
    assert sum(slept) == pytest.approx(0.5, abs=0.03)
    advance(env)
    assert sum(slept) == pytest.approx(1.0, abs=0.06)
    env.close()


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env)), ChickenFootEnv.clone]
)
def test_copies_have_no_window(duplicate: Callable[[Any], Any], display: str) -> None:
    env = chickenfoot_v0.raw_env(render_mode="human")
    env.reset(seed=1)
    twin = duplicate(env)
    env.close()
    advance(twin)
    assert twin.render() is None
    assert not screenshot(display).any()


@every_environment
@pytest.mark.parametrize(
    ("display", "reason"),
    [(None, "there is no display: DISPLAY is not set"), (":9876", "couldn't connect to display")],
)
def test_without_a_display_one_line_says_so(
    make: Make, display: str | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tkinter")
    monkeypatch.setattr(window.sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    if display:
        monkeypatch.setenv("DISPLAY", display)
    env = make(render_mode="human")
    with pytest.raises(NoWindowError) as caught:
        env.reset(seed=1)
    message = str(caught.value)
    assert reason in message and "\n" not in message
    assert message.endswith('; "ansi", "svg" and "rgb_array" need none')
    env.close()


def test_without_tkinter_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(window.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(NoWindowError, match=r"but this Python has no tkinter .*apt install"):
        Window("title", 2)._open()


@every_environment
def test_where_there_is_no_display_the_checkers_are_not_told_of_windows(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window.sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    assert make().metadata["render_modes"] == ["ansi", "svg", "rgb_array"]
    monkeypatch.setattr(window.sys, "platform", "darwin")
    if window.importlib.util.find_spec("_tkinter"):
        assert "human" in make().metadata["render_modes"]
