"""A window that shows pictures, one after the other, for render_mode="human".

It is made with tkinter, which comes with Python: nothing is to be installed, it works on every
system, and it says at once if there is no display. (pygame, which Gymnasium's own games take, would
be one more package for the same picture.) The pixels are those of "rgb_array".
"""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from collections.abc import Sequence
from typing import Any, Final

from chickenfoot_env.render.picture import Picture
from chickenfoot_env.render.scene import HEIGHT, WIDTH

_MOST: Final = 0.9  # of the screen's width and height that the window may take up
_BLINK: Final = 0.02  # seconds between two looks at what the window is asked to do


class NoWindowError(RuntimeError):
    """There is no window to be had; the message says why, and what else there is."""


def usable(modes: Sequence[str]) -> list[str]:
    """The render modes that can be used here: "human" only where a window may be opened.

    Checkers of Gymnasium and PettingZoo try every mode that an environment names.
    """
    return [mode for mode in modes if mode != "human" or not _obstacle()]


class Window:
    """A window, opened with the first picture. Copies of it, and those of its owner, stay shut.

    Closed by hand it stays closed, and what is shown then is not seen.

    Args:
        title: what the system writes above it.
        fps: pictures a second at most.
    """

    def __init__(self, title: str, fps: float) -> None:
        self._title, self._seconds = title, 1 / fps
        self._root: Any = None  # the tkinter.Tk that is open
        self._is_shut = False
        self._shown: Picture | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _shut, (self._title, 1 / self._seconds)

    def show(self, picture: Picture) -> None:
        """Show the picture, and wait until it has been seen, or see to the window if it is shown.

        Raises:
            NoWindowError: if there is no display, or no tkinter.
        """
        if self._is_shut:
            return
        if self._root is None:
            self._open()
        until = time.monotonic()
        if picture != self._shown:
            self._draw(picture)
            until = time.monotonic() + self._seconds
        while True:
            self._root.update()
            if self._root is None or time.monotonic() >= until:  # update() may have closed it
                return
            time.sleep(_BLINK)

    def close(self) -> None:
        """Close the window, for good."""
        self._is_shut = True
        if self._root is not None:
            self._root.destroy()
            self._root = None

    def _open(self) -> None:
        if reason := _obstacle():
            raise _no_window(reason)
        import tkinter  # which not every Python has

        try:
            self._root = tkinter.Tk()
        except tkinter.TclError as error:
            raise _no_window(str(error)) from None
        self._root.title(self._title)
        self._root.resizable(False, False)
        self._root.protocol("WM_DELETE_WINDOW", self.close)
        room = self._root.winfo_screenwidth(), self._root.winfo_screenheight() * WIDTH / HEIGHT
        self._width = min(WIDTH, int(_MOST * min(room)))
        self._label = tkinter.Label(self._root, borderwidth=0)
        self._label.pack()

    def _draw(self, picture: Picture) -> None:
        import tkinter

        from chickenfoot_env.render.raster import rgb_array  # Matplotlib takes a second to import

        pixels = rgb_array(picture, self._width)
        head = f"P6 {pixels.shape[1]} {pixels.shape[0]} 255\n".encode()  # of a PPM file
        # Kept here, as tkinter does not keep what it shows.
        self._image = tkinter.PhotoImage(
            master=self._root, data=head + pixels.tobytes(), format="ppm"
        )
        self._label.configure(image=self._image)
        self._shown = picture


def _shut(title: str, fps: float) -> Window:
    window = Window(title, fps)
    window.close()
    return window


def _obstacle() -> str | None:
    """Why no window can be opened, as far as that can be told without opening one."""
    if importlib.util.find_spec("_tkinter") is None:
        return "this Python has no tkinter (Debian and Ubuntu: apt install python3-tk)"
    if sys.platform not in ("win32", "darwin") and not os.environ.get("DISPLAY"):
        return "there is no display: DISPLAY is not set"
    return None


def _no_window(reason: str) -> NoWindowError:
    return NoWindowError(
        f'render_mode="human" opens a window, but {reason}; "ansi", "svg" and "rgb_array" need none'
    )
