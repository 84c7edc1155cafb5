"""What a seat sees of a state, in the form in which OpenSpiel asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from chickenfoot_env import encode, notation, view
from chickenfoot_env.doors import openspiel_bounds, openspiel_log
from chickenfoot_env.game import RULE_FIELDS, tiles_of
from chickenfoot_env.rules import MAX_PLAYERS, Rules
from chickenfoot_env.tiles import MAX_PIPS

if TYPE_CHECKING:
    from chickenfoot_env.doors.openspiel import ChickenFootState

_RULES: Final = {name for name, _ in RULE_FIELDS}


class ChickenFootObserver:
    """What a seat sees of a state, as OpenSpiel asks for it.

    Attributes:
        tensor: float32, all blocks in a row.
        dict: its blocks by name: `player` (N,) is one-hot, `features` (F,) are those of
            `chickenfoot_env.encode`, zeros before the first round is opened; with perfect recall
            also those of `openspiel_log.pieces`.
    """

    def __init__(self, rules: Rules, recalls: bool) -> None:
        """Lay out the blocks, with perfect recall or without."""
        self._rules = rules
        self._recalls = recalls
        self._most = openspiel_bounds.round_points(rules)
        pieces = [
            openspiel_log.Piece("player", (rules.players,)),
            openspiel_log.Piece("features", (encode.size(rules.max_pip),)),
            *(openspiel_log.pieces(rules) if recalls else ()),
        ]
        sizes = [int(np.prod(piece.shape)) for piece in pieces]
        self.tensor = np.zeros(sum(sizes), np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1])
        self.dict = {
            piece.name: part.reshape(piece.shape) for piece, part in zip(pieces, parts, strict=True)
        }

    def set_from(self, state: ChickenFootState, player: int) -> None:
        """Write what the seat sees into `tensor`."""
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        if state.log:
            seen = view.observe(state.game_record(), np.array([player]))
            self.dict["features"][:] = encode.features(seen)[0]
        if self._recalls:
            openspiel_log.fill(state.log, player, self._rules, self._most, self.dict)

    def string_from(self, state: ChickenFootState, player: int) -> str:
        """What the seat sees, as text."""
        if self._recalls:
            return openspiel_log.text(state.log, player)
        if not state.log:
            return f"p{player}"
        return f"p{player} {_seen_text(view.observe(state.game_record(), np.array([player]))[0])}"


def _seen_text(seen: np.void) -> str:
    """Every field of a view that is no rule: hand=1-2,3-3 laid=9-9 ... ends=0,2,0 ..."""
    players, max_pip = int(seen["players"]), int(seen["max_pip"])
    words = []
    for name in [name for name in view.VIEW.names or () if name not in _RULES]:
        value = seen[name]
        if name in ("hand", "laid"):
            value = [notation.format_tile(tile) for tile in tiles_of(value, max_pip)]
        elif np.ndim(value) > 0:
            value = value[:players] if value.shape[0] == MAX_PLAYERS else value
            value = value[..., : max_pip + 1] if value.shape[-1] == MAX_PIPS else value
            value = value.ravel().tolist()
        text = str(value) if np.ndim(value) == 0 else ",".join(map(str, value)) or "-"
        words.append(f"{name}={text}")
    return " ".join(words)
