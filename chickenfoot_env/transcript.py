"""A whole game as one line of JSON that can be replayed and checked.

    {"format": 1, "rules": {"players": 2}, "seed": 7, "draw_stride": 0, "line_up": ["a", "b"],
     "rounds": [{"starter": "9-9", "seat": 1, "hunted": 4, "actions": "4-9@9 DRAW PASS"}, ...],
     "points": [85, 112], "over": true, "checksum": "..."}

`rules` are the fields that differ from the `seed` preset. Dealing, hunting for the starter and
laying it follow from the seed; a round names what came of them: the starter, the seat that laid it
and the tiles drawn in the hunt. A round that ends with its deal, as some do when each seat is dealt
one tile, is left out. `points` are those of the finished rounds. The checksum is the start of the
SHA-256 of the line without it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import batch, notation
from chickenfoot_env.game import GAME_OVER
from chickenfoot_env.notation import NotationError
from chickenfoot_env.rules import Rules, RulesError
from chickenfoot_env.tiles import tile_id

_FORMAT: Final = 1
_KEYS: Final = ("format", "rules", "seed", "draw_stride", "line_up", "rounds", "points", "over")


@dataclass(frozen=True)
class Transcript:
    """One game from its deal to its end, or as far as it was played.

    Attributes:
        rules: the rules it was played by.
        seed: the game's seed, 0 to 2**64 - 1.
        draw_stride: see `batch.deal`.
        line_up: the agents' names in seat order, or () if they are not known.
        actions: the action ids in the order they were taken.
    """

    rules: Rules
    seed: int
    draw_stride: int
    line_up: tuple[str, ...]
    actions: tuple[int, ...]

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**64:
            raise NotationError(f"seed {self.seed}: allowed are 0 to 2**64 - 1")
        if len(self.line_up) not in (0, self.rules.players):
            raise NotationError(f"{len(self.line_up)} names for {self.rules.players} players")

    def replay(self) -> Iterator[NDArray[np.void]]:
        """Each position of the game, (1,) GAME: after the deal, and after each action.

        Raises:
            NotationError: at the first action that is illegal, naming it.
        """
        try:
            game = batch.deal(self.rules, np.array([self.seed], np.uint64), self.draw_stride)
        except ValueError as error:
            raise NotationError(str(error)) from None
        yield game.copy()
        for ply, action in enumerate(self.actions):
            if game["over"][0] == GAME_OVER:
                raise NotationError(f"action {ply}: the game was over before it")
            try:
                batch.step(game, np.array([action]))
            except ValueError as error:
                reason = str(error).removeprefix("game 0: ")
                raise NotationError(f"action {ply}: {reason}") from None
            yield game.copy()

    def to_json(self) -> str:
        """The game as one line of JSON.

        Raises:
            NotationError: if the actions cannot be replayed.
        """
        content = self._content()
        return _dumps({**content, "checksum": _checksum(content)})

    @classmethod
    def from_json(cls, line: str) -> Transcript:
        """The game in this line, replayed and checked against all that the line says of it.

        Raises:
            NotationError: if the line is no game, cannot be replayed, or was changed.
        """
        content = _loads(line)
        checksum = content.pop("checksum", None)
        transcript = cls._from_content(content)
        for key, value in transcript._content().items():
            if key == "rounds":
                _compare_rounds(value, content[key])
            elif content[key] != value:
                said = str(content[key])[:80]
                raise NotationError(f"the replay gives {key} {value}, the line says {said}")
        if checksum != _checksum(content):
            raise NotationError(
                f"checksum {checksum!r}: the line adds up to {_checksum(content)!r}, so it was "
                "changed after it was written"
            )
        return transcript

    def _content(self) -> dict[str, Any]:
        positions = list(self.replay())
        rounds: list[dict[str, Any]] = []
        words: list[str] = []
        for index, game in enumerate(record[0] for record in positions):
            if not rounds or game["round"] != positions[index - 1]["round"][0]:
                words = []
                rounds.append(_round(game, words))
            if index < len(self.actions):
                words.append(notation.format_action(self.actions[index], self.rules))
        for entry in rounds:
            entry["actions"] = " ".join(entry["actions"])
        last = positions[-1][0]
        values = (
            _FORMAT,
            self.rules.differences(),
            self.seed,
            self.draw_stride,
            list(self.line_up),
            rounds,
            last["points"][: self.rules.players].tolist(),
            bool(last["over"] == GAME_OVER),
        )
        return dict(zip(_KEYS, values, strict=True))

    @classmethod
    def _from_content(cls, content: dict[str, Any]) -> Transcript:
        if missing := [key for key in _KEYS if key not in content]:
            raise NotationError(f"no game: {', '.join(missing)} missing")
        if content["format"] is True or content["format"] != _FORMAT:
            raise NotationError(f"format {content['format']!r}: this version reads {_FORMAT}")
        try:
            rules = Rules.preset("seed", **content["rules"])
            actions = tuple(
                notation.parse_action(word, rules)
                for entry in content["rounds"]
                for word in entry["actions"].split()
            )
            seed, stride = (_whole(content, key) for key in ("seed", "draw_stride"))
            names = tuple(str(name) for name in content["line_up"])
        except RulesError as error:
            raise NotationError(f"rules: {error}") from None
        except (AttributeError, KeyError, TypeError) as error:
            raise NotationError(f"no game: {type(error).__name__} {error}") from None
        return cls(rules, seed, stride, names, actions)


def _whole(content: dict[str, Any], key: str) -> int:
    value = content[key]
    if not isinstance(value, int) or isinstance(value, bool):
        raise NotationError(f"{key} is {str(value)[:80]!r}: wanted is a whole number")
    return value


def _compare_rounds(played: list[dict[str, Any]], said: list[dict[str, Any]]) -> None:
    if len(played) != len(said):
        raise NotationError(f"the replay has {len(played)} rounds, the line has {len(said)}")
    for number, (mine, theirs) in enumerate(zip(played, said, strict=True)):
        for key in sorted({*mine, *theirs}):
            if mine.get(key) != theirs.get(key):
                raise NotationError(
                    f"round {number}: the replay gives {key} {str(mine.get(key))[:80]}, "
                    f"the line says {str(theirs.get(key))[:80]}"
                )


def _round(game: np.void, words: list[str]) -> dict[str, Any]:
    starter = int(game["starter"])
    return {
        "starter": notation.format_tile(tile_id(starter, starter)),
        "seat": int(game["finder"]),
        "hunted": int(game["hunted"]),
        "actions": words,
    }


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(_dumps(content).encode()).hexdigest()[:16]


def _dumps(content: dict[str, Any]) -> str:
    return json.dumps(content, separators=(",", ":"), sort_keys=True)


def _loads(line: str) -> dict[str, Any]:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise NotationError(f"no game: not JSON ({str(error)[:80]})") from None
    if not isinstance(content, dict):
        raise NotationError(f"no game: a JSON {type(content).__name__}, wanted is an object")
    return content
