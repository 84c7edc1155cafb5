"""`chickenfoot replay` in a terminal: step through a game by keys, or print all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from experiments import keys
from experiments.replay import story
from experiments.replay.board import WIDTH, board
from experiments.replay.story import Step, Story

PAUSE: Final = 1.0  # seconds of a position in automatic play
HELP: Final = "→ next  ← back  ↑↓ round  Home End  space auto  number Enter: go there  q quit"
_FORWARD: Final = (keys.RIGHT, "n", "l", "\r", "\n")
_BACK: Final = (keys.LEFT, "p", "h", "b")
_NEXT_ROUND, _LAST_ROUND = (keys.DOWN, keys.PAGE_DOWN, "j"), (keys.UP, keys.PAGE_UP, "k")
_FOOTER: Final = 4  # lines below the board
_QUIT: Final = ("q", "Q", "\x1b", keys.END_OF_INPUT)


class Viewer:
    """A game at one of its positions.

    Attributes:
        at: index of the position that is shown.
    """

    def __init__(self, told: Story, names: Sequence[str], seat: int | None = None) -> None:
        """Begin with the first deal.

        Args:
            told: the game.
            names: of the seats.
            seat: the one whose view is shown; None: all hands are.
        """
        self._steps, self._names, self._seat = told.steps, names, seat
        self._draw = told.rules.draw
        self.at = 0

    @property
    def last(self) -> int:
        """Index of the last position."""
        return len(self._steps) - 1

    def move(self, key: str, typed: str = "") -> None:
        """Go where a key leads; Enter behind a number goes to that position."""
        step = self._steps[self.at]
        if typed and key in ("\r", "\n"):
            self.at = int(typed)
        elif key in _FORWARD:
            self.at += 1
        elif key in _BACK:
            self.at -= 1
        elif key == keys.HOME or key == "g":
            self.at = 0
        elif key == keys.END or key == "G":
            self.at = self.last
        elif key in _NEXT_ROUND:
            self.at = self._begin_of(step.round + 1)
        elif key in _LAST_ROUND:
            begin = self._begin_of(step.round)
            self.at = begin if begin < self.at else self._begin_of(step.round - 1)
        self.at = min(max(self.at, 0), self.last)

    def screen(self, width: int = WIDTH, height: int | None = None) -> Text:
        """The position, in at most so many lines if that can be.

        Where the evidence makes it too high it is left out.
        """
        text = self._screen(self._steps[self.at], width)
        if height is not None and len(text.plain.splitlines()) > height:
            return self._screen(self._steps[self.at], width, with_evidence=False)
        return text

    @property
    def seen_by(self) -> str:
        """Whose view is shown, in words."""
        return "" if self._seat is None else f"  as {self._names[self._seat]} saw it"

    def whole(self, width: int = WIDTH) -> Iterator[Text]:
        """The whole game: each action in a line, and the table where a round begins and ends."""
        for index, step in enumerate(self._steps):
            if step.action is None or step.ends or index == self.last:
                yield Text(f"\n{index}")
                yield self._screen(step, width)
                yield Text()
            else:
                yield Text(f"{index:>5}  {story.tell(step, self._names, self._seat)}")

    def _begin_of(self, number: int) -> int:
        """The first position of a round, or the nearest there is."""
        rounds = [step.round for step in self._steps]
        if number > rounds[-1]:
            return self.last
        return next(index for index, there in enumerate(rounds) if there >= number)

    def _screen(self, step: Step, width: int, *, with_evidence: bool = True) -> Text:
        shown = story.picture(step, self._names, self._seat)
        first = self._seat or 0
        seats = [(first + place) % len(self._names) for place in range(len(self._names))]
        known = [story.tell_evidence(story.evidence(step, seat)) for seat in seats]
        told = story.tell(step, self._names, self._seat)
        laid = step.action is not None and step.action < self._draw
        return board(shown, told, known if with_evidence else (), width, laid)


def show(viewer: Viewer, console: Console) -> None:
    """Let the user step through a game, until they have seen enough.

    Raises:
        KeyboardInterrupt: on Ctrl-C.
    """
    width = min(max(console.width, 60), 100)
    auto, typed = False, ""
    with console.screen(hide_cursor=True), keys.listening():
        while True:
            console.clear()
            console.print(viewer.screen(width, console.height - _FOOTER), soft_wrap=True)
            line = f"{viewer.at} of {viewer.last}{viewer.seen_by}{'  (auto)' if auto else ''}"
            console.print(Text(f"\n{line}  {typed and '> ' + typed}\n{HELP}", "dim"))
            key = keys.read_key(PAUSE if auto else None)
            if key is None:
                key = keys.RIGHT
            elif key in _QUIT:
                return
            elif key.isdecimal():
                typed += key
                continue
            else:
                auto = key == " " and not auto
            viewer.move(key, typed)
            typed = ""
            auto = auto and viewer.at < viewer.last


def write(viewer: Viewer, console: Console) -> None:
    """Print the whole game."""
    for text in viewer.whole(min(console.width, 100)):
        console.print(text, soft_wrap=True)
