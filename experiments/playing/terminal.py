"""`chickenfoot play`: a person at the terminal against agents, line by line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from chickenfoot_env import batch
from experiments import game_file
from experiments.playing import hints
from experiments.playing.session import Session
from experiments.replay import story
from experiments.replay.board import board
from experiments.replay.story import Step

HELP: Final = """\
  a number    take that choice; Enter alone takes the only one
  h           a hint: what each choice is worth, and why
  u           undo your last choice (with --practice)
  s FILE      save the game; s alone saves to the file of last time
  q           quit, as Ctrl-C and Ctrl-D do; with a file to save to, the game is saved
  ?           this"""

_QUIT: Final = ("q", "quit", "exit")


class QuitError(Exception):
    """The person has had enough."""


class Game:
    """A session at a terminal."""

    def __init__(
        self,
        session: Session,
        console: Console,
        file: Path | None = None,
        practice: bool = False,
        adviser: str = hints.ADVISER,
        read: Callable[[str], str] = input,
    ) -> None:
        """Prepare to play.

        Args:
            session: the game.
            console: where it is shown.
            file: where it is saved after each choice; None: nowhere unless asked.
            practice: whether choices may be taken back.
            adviser: the agent that hints come from.
            read: shows a prompt and returns a line; raises EOFError where there is none any more.
        """
        self._session, self._console, self._file = session, console, file
        self._practice, self._adviser, self._read = practice, adviser, read
        own = [i for i, step in enumerate(session.story.steps) if step.seat == session.seat]
        resumed = any(session.story.steps[i].action is not None for i in own)
        self._told = own[-1] if resumed else 0  # how many steps need not be told

    def play(self) -> None:
        """Play to the end, or until the person quits.

        Raises:
            KeyboardInterrupt: on Ctrl-C, once the game is saved.
        """
        try:
            self._say("? for help")
            while not self._session.is_over:
                self._tell()
                self._turn()
            self._tell()
            self._say(self._result())
            self._save_quietly()
        except (QuitError, EOFError):
            self._leave()
        except KeyboardInterrupt:
            self._leave()
            raise

    def _tell(self) -> None:
        """Say what has happened since last time; a round that has ended is shown with all hands."""
        session = self._session
        for step in session.story.steps[self._told :]:
            if step.ends:
                self._console.print(self._board(step, None), soft_wrap=True)
                if step.ends == story.ROUND:
                    self._ask("Enter for the next round ")
            elif step is not session.now:
                self._say(f"  {story.tell(step, session.names, session.seat)}")
        self._told = len(session.story.steps)

    def _turn(self) -> None:
        """Show the position and ask until one of the choices is taken."""
        session = self._session
        self._say("")
        self._console.print(self._board(session.now, session.seat), soft_wrap=True)
        self._say("")
        choices = session.choices()
        for number, choice in enumerate(choices, 1):
            self._say(f"{number:>4}  {story.name_action(choice, session.story.rules)}")
        while True:
            word, _, rest = self._ask("> ").strip().partition(" ")
            if word in ("u", "undo"):
                if self._undo():
                    return
            elif word in ("h", "hint"):
                self._hint(choices)
            elif word in ("s", "save"):
                self._save(rest.strip())
            elif word in ("?", "help"):
                self._say(HELP)
            elif (action := _chosen(word, choices)) is not None:
                session.choose(action)
                self._save_quietly()
                return
            else:
                self._say(f"{word!r} is none of 1 to {len(choices)}; ? for help")

    def _board(self, step: Step, seat: int | None) -> Text:
        session = self._session
        shown = story.picture(step, session.names, seat)
        players = len(session.names)
        order = [((seat or 0) + place) % players for place in range(players)]
        known = [
            "" if other == session.seat else story.tell_evidence(story.evidence(step, other))
            for other in order
        ]
        laid = step.action is not None and step.action < session.story.rules.draw
        told = story.tell(step, session.names, session.seat)
        return board(shown, told, known, min(max(self._console.width, 60), 100), laid)

    def _hint(self, choices: list[int]) -> None:
        session = self._session
        found = hints.hints(session.now, session.story.rules, session.names, self._adviser)
        self._say(f"what you may earn in the round, in pips, says {self._adviser}:")
        for hint in found:
            value = "" if hint.value is None else f"{hint.value:+.1f}"
            name = story.name_action(hint.action, session.story.rules)
            number = choices.index(hint.action) + 1
            self._say(f"{number:>4}  {name:<14} {value:>6}  {'; '.join(hint.reasons)}")

    def _undo(self) -> bool:
        if not self._practice:
            self._say("choices stand; with --practice they can be taken back")
        elif self._session.undo():
            self._told = len(self._session.story.steps)
            self._save_quietly()
            return True
        else:
            self._say("there is nothing to take back")
        return False

    def _save(self, name: str) -> None:
        file = Path(name) if name else self._file
        if file is None:
            self._say("save it where? s FILE")
            return
        try:
            game_file.write_game(file, self._session.transcript)
        except game_file.GameFileError as error:
            self._say(str(error))
            return
        self._file = file
        self._say(f"saved in {file}")

    def _save_quietly(self) -> None:
        if self._file is not None:
            game_file.write_game(self._file, self._session.transcript)

    def _leave(self) -> None:
        if self._file is None:
            self._say("\nthe game is not saved")
        else:
            self._save_quietly()
            self._say(f"\nto go on: chickenfoot play --resume {self._file}")

    def _result(self) -> str:
        """Who has won, and with how many points."""
        session = self._session
        (ranks,) = batch.standings(session.story.game)
        points = session.story.game["points"][0]
        order = sorted(range(len(ranks)), key=lambda seat: int(ranks[seat]))
        lines = [f"{ranks[seat]}. {session.names[seat]}: {points[seat]} points" for seat in order]
        return "\n".join(["", *lines])

    def _ask(self, prompt: str) -> str:
        line = self._read(prompt)
        if line.strip() in _QUIT:
            raise QuitError
        return line

    def _say(self, text: str) -> None:
        self._console.print(Text(text), soft_wrap=True)


def _chosen(word: str, choices: list[int]) -> int | None:
    """The choice that a word names, if it names one."""
    if not word and len(choices) == 1:
        return choices[0]
    if not word.isdecimal() or not 1 <= int(word) <= len(choices):
        return None
    return choices[int(word) - 1]
