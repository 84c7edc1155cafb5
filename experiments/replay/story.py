"""A game as the list of its positions, ready to be shown: a recorded one, or one being played.

A round that ends is shown before the next one is dealt, which the engine does in one step.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import batch, notation, view
from chickenfoot_env.game import GAME_OVER, tiles_of
from chickenfoot_env.render.layout import Layout, lay_out_each
from chickenfoot_env.render.picture import Picture, picture_of_game, picture_of_view
from chickenfoot_env.render.play_log import PlayLog
from chickenfoot_env.rules import Rules
from chickenfoot_env.tiles import tile_id
from chickenfoot_env.transcript import Transcript

ROUND, GAME = "round", "game"  # what an action may end
YOU = "you"  # the name of a reader who sits at the table


@dataclass(frozen=True)
class Step:
    """One position of a game, and what led to it.

    Attributes:
        game: (1,) GAME. Where a round has ended it is as if the game had: nobody is to act.
        plays: (attach, free) of this round, the starter's first.
        ply: how many actions have been taken before this position.
        action: the last of them, or None: a round has just been dealt.
        seat: who took it; without one, who laid the starter.
        drawn: the tile that the seat has drawn with it, or None.
        ends: what has ended with it: ROUND, GAME or None.
    """

    game: NDArray[np.void]
    plays: tuple[tuple[int, int], ...]
    ply: int
    action: int | None
    seat: int
    drawn: int | None = None
    ends: str | None = None

    @property
    def round(self) -> int:
        """Index of the round."""
        return int(self.game["round"][0])

    @property
    def to_act(self) -> int | None:
        """The seat to act, if any is."""
        return None if self.game["over"][0] == GAME_OVER else int(self.game["seat"][0])


class Story:
    """A game told from its deal on.

    Attributes:
        rules: of the game.
        seed: of the game.
        draw_stride: of the game.
        game: (1,) GAME, as it stands.
        steps: its positions so far.
        actions: what has been done.
    """

    def __init__(
        self, rules: Rules, seed: int, draw_stride: int, actions: Iterable[int] = ()
    ) -> None:
        """Deal, and take these actions.

        Raises:
            ValueError: as `batch.deal` does, or at the first illegal action, naming it.
        """
        self.rules, self.seed, self.draw_stride = rules, seed, draw_stride
        self.game = batch.deal(rules, np.array([seed], np.uint64), draw_stride)
        self.actions: list[int] = []
        self.steps = [_deal(self.game, 0)]
        self._log = PlayLog(self.game[0])
        for action in actions:
            self.take(action)

    @classmethod
    def of(cls, transcript: Transcript) -> Story:
        """The story of a recorded game."""
        return cls(transcript.rules, transcript.seed, transcript.draw_stride, transcript.actions)

    def take(self, action: int) -> Step:
        """Take an action; the step that it leads to, behind which a new deal may follow.

        Raises:
            ValueError: if it is illegal, naming it; nothing has changed then.
        """
        if self.steps[-1].to_act is None:
            raise ValueError("the game is over: no action is left to take")
        before = self.game.copy()
        batch.step(self.game, np.array([action]))
        self.actions.append(action)
        ply, seat = len(self.actions), int(before["seat"][0])
        dealt = bool(self.game["round"][0] != before["round"][0])
        shown = _ended(before, action) if dealt else self.game.copy()
        over = bool(shown["over"][0] == GAME_OVER)
        self._log.actions.append(action)
        step = Step(
            game=shown,
            plays=tuple(self._log.plays),
            ply=ply,
            action=action,
            seat=seat,
            drawn=_drawn(before[0], shown[0], seat) if action == self.rules.draw else None,
            ends=ROUND if dealt else GAME if over else None,
        )
        self.steps.append(step)
        self._log.follow(self.game[0])
        if step.ends == ROUND:
            self.steps.append(_deal(self.game, ply))
        return step

    def transcript(self, line_up: Sequence[str]) -> Transcript:
        """The game so far as a record."""
        return Transcript(
            self.rules, self.seed, self.draw_stride, tuple(line_up), tuple(self.actions)
        )


def _deal(games: NDArray[np.void], ply: int) -> Step:
    starter = int(games["starter"][0])
    ends = GAME if games["over"][0] == GAME_OVER else None  # with tiny hands a deal can end it
    finder = int(games["finder"][0])
    return Step(games.copy(), ((starter, starter),), ply, None, finder, ends=ends)


def _ended(before: NDArray[np.void], action: int) -> NDArray[np.void]:
    """The position in which a round has ended: that of a game of which it is the last round."""
    games = before.copy()
    games["rounds"] = games["round"] + 1
    batch.step(games, np.array([action]))
    games["rounds"] = before["rounds"]
    return games


def _drawn(before: np.void, after: np.void, seat: int) -> int:
    """The tile that the seat has in addition."""
    max_pip = int(after["max_pip"])
    had = tiles_of(before["held"][seat], max_pip)
    (tile,) = (tile for tile in tiles_of(after["held"][seat], max_pip) if tile not in had)
    return tile


# Pictures and words


def picture(
    step: Step, names: Sequence[str], knows: int | None = None, layout: Layout | None = None
) -> Picture:
    """What is shown of a position.

    Args:
        step: the position.
        names: of the seats.
        knows: the seat whose view is shown, its hand alone and first; None: all hands.
        layout: of the table; None: that of `lay_out`.
    """
    status = f"the {step.ends} is over" if step.ends else None
    if knows is None:
        return picture_of_game(step.game[0], step.plays, names, status, layout)
    seen = view.observe(step.game, np.array([knows]))[0]
    return picture_of_view(seen, step.plays, [*names[knows:], *names[:knows]], status, layout)


def layouts(told: Story) -> list[Layout]:
    """The table at each step; within a round every tile stays where it lies."""
    rules, found = told.rules, []
    for _, steps in itertools.groupby(told.steps, key=lambda step: step.round):
        of_round = list(steps)
        tables = lay_out_each(of_round[-1].plays, rules.starter_arms, rules.toes, rules.max_pip)
        found += [tables[len(step.plays) - 1] for step in of_round]
    return found


def evidence(step: Step, seat: int) -> dict[int, int]:
    """What draws and passes have shown of a hand: the most tiles it can have with a pip."""
    max_pip, count = int(step.game["max_pip"][0]), int(step.game["hand_count"][0, seat])
    bounds = step.game["drawn_since"][0, seat, : max_pip + 1].tolist()
    return {pip: most for pip, most in enumerate(bounds) if most < count}


def tell_evidence(bounds: dict[int, int]) -> str:
    """The same in words, such as "no 3 5, at most 1 of 7"; "" for none."""
    told = []
    for most in sorted({*bounds.values()}):
        pips = " ".join(str(pip) for pip in bounds if bounds[pip] == most)
        told.append(f"no {pips}" if most == 0 else f"at most {most} of {pips}")
    return ", ".join(told)


def seat_names(transcript: Transcript) -> tuple[str, ...]:
    """A name for each seat, with the seat's number where several have the same."""
    seats = range(transcript.rules.players)
    names = transcript.line_up or tuple(f"seat {seat}" for seat in seats)
    return tuple(
        f"{name} ({seat})" if names.count(name) > 1 else name for seat, name in enumerate(names)
    )


def name_action(action: int, rules: Rules) -> str:
    """What an action is called, such as "4-1 on the 4"."""
    if action == rules.draw:
        return "draw"
    if action == rules.pass_:
        return "pass"
    attach, free = divmod(action, rules.max_pip + 1)
    return f"{notation.format_tile(tile_id(attach, free))} on the {attach}"


def tell(step: Step, names: Sequence[str], knows: int | None = None) -> str:
    """One line about what led to a position, such as "ann lays 4-1 on the 4".

    Args:
        step: the position.
        names: of the seats.
        knows: the seat whose drawn tiles may be named; None: those of all.
    """
    name, starter = names[step.seat], int(step.game["starter"][0])
    s = "" if name == YOU else "s"
    if step.action is None:
        hunted = int(step.game["hunted"][0])
        hunt = f", {hunted} tiles having been drawn in search of it" if hunted else ""
        return f"{name} {'have' if name == YOU else 'has'} the starter, {starter}-{starter}{hunt}"
    pips = int(step.game["max_pip"][0]) + 1
    if step.action < pips**2:
        attach, free = divmod(step.action, pips)
        told = f"{name} lay{s} {notation.format_tile(tile_id(attach, free))} on the {attach}"
    elif step.drawn is None:
        told = f"{name} pass{'' if name == YOU else 'es'}"
    else:
        known = knows in (None, step.seat)
        told = f"{name} draw{s}" + (f" {notation.format_tile(step.drawn)}" if known else "")
    if step.ends is None:
        return told
    if step.game["hand_count"][0, step.seat] == 0:
        return f"{told} and {'are' if name == YOU else 'is'} out"
    return f"{told} and the round is blocked"
