"""A recorded game as one page for a browser, which needs nothing else and loads nothing.

A page of one seat holds what that seat could see: no hidden tile, no seed to find one out with,
and only that seat's own choices.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.base import Evaluator
from chickenfoot_env.render.pips import COLOURS
from chickenfoot_env.rules_text import describe
from chickenfoot_env.transcript import Transcript
from experiments.game_file import GameFileError
from experiments.pages.template import as_script, render
from experiments.replay import story, values
from experiments.replay.position import changes, moves, position
from experiments.replay.story import Step, Story, seat_names


def write(transcript: Transcript, path: Path, seat: int | None = None, judge: str = "") -> None:
    """Write the page.

    Args:
        transcript: the game.
        path: of the page; its folder is made if need be.
        seat: whose view it shows; None: all hands are open.
        judge: the agent whose values it shows, see `values.judges`.

    Raises:
        ValueError: for an agent that gives no values, or a page that cannot be written.
    """
    text = html(transcript, seat, judge)
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    except OSError as error:
        raise GameFileError(f"cannot write {path}: {error.strerror or error}") from None


def html(transcript: Transcript, seat: int | None = None, judge: str = "") -> str:
    """The text of the page; the arguments are those of `write`."""
    return render(
        "replay.html.j2",
        scripts=["draw.js", "replay.js"],
        title="Chicken Foot: " + ", ".join(seat_names(transcript)),
        data=as_script(content(transcript, seat, judge)),
        rules=describe(transcript.rules),
        max_pip=transcript.rules.max_pip,
    )


def content(transcript: Transcript, seat: int | None = None, judge: str = "") -> dict[str, Any]:
    """What the page is about, as JSON values; the arguments are those of `write`."""
    told, names = Story.of(transcript), seat_names(transcript)
    asked = values.judges(judge, transcript, seat)
    entries = []
    before: dict[str, Any] = {}
    for index, (step, layout) in enumerate(zip(told.steps, story.layouts(told), strict=True)):
        entry = position(step, names, seat, layout)
        entry["moves"] = []
        if step.to_act is not None and seat in (None, step.to_act):
            taken = told.steps[index + 1].action if index + 1 < len(told.steps) else None
            entry["moves"] = _moves(step, transcript, asked[step.to_act], taken)
        entries.append(changes(before, entry))
        before = entry
    return {
        "names": names,
        "seat": seat,
        "judge": judge,
        "colours": COLOURS[: transcript.rules.max_pip + 1],
        "rounds": _rounds(told.steps, len(names)),
        "steps": entries,
    }


def _moves(
    step: Step, transcript: Transcript, judge: Evaluator | None, taken: int | None
) -> list[list[Any]]:
    thought = values.of_step(step, judge) if judge is not None else {}
    return moves(step, transcript.rules, thought, taken)


def _rounds(steps: Sequence[Step], seats: int) -> list[dict[str, Any]]:
    """Each round with its starter, its first and last position, and its points once it is over."""
    rounds: list[dict[str, Any]] = []
    for index, step in enumerate(steps):
        if not rounds or rounds[-1]["round"] != step.round:
            starter = int(step.game["starter"][0])
            rounds.append({"round": step.round, "starter": starter, "first": index})
            before = step.game["points"][0, :seats]
        rounds[-1]["last"] = index
        points = (step.game["points"][0, :seats] - before).tolist()
        rounds[-1]["points"] = points if step.ends else None
    return rounds
