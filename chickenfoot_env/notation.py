"""Text for tiles, actions and positions, both ways.

A tile is `5-7`, a play `5-7@5` (the tile 5-7 laid on a 5), the other actions `DRAW` and `PASS`. A
position is

    phase | open ends | hands | boneyard | seat to act

    ARMS 9/4 | - | 1-2 3-3 / 1-9 2-3 5-5 0-9 | 3-4 | 1      starter 9-9, four arms owed
    FOOT 6/2 | 2 3 5 8 | 2-9 / 1-1 | 3-5 0-6 | 0            foot on the 6-6, two toes owed
    OPEN | 3 8 | 1-2 4-5 / 3-4 | - | 0 drawn                the seat has drawn in this turn

`-` stands for none. Seats are separated by `/`. The ends leave out those that are owed. The
boneyard is in drawing order, the same end for all seats. Tiles that are not named are on the table.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env import kernels
from chickenfoot_env.game import (
    BONEYARD,
    GAME,
    GAME_OVER,
    NO_PIP,
    NO_ROUND,
    NO_SEAT,
    UNKNOWN,
    bit_matrix,
    tiles_of,
)
from chickenfoot_env.jit import records
from chickenfoot_env.rules import Rules, RulesError
from chickenfoot_env.tiles import HIGH, LOW, MAX_PIP, play_action, set_size, tile_id

DRAW, PASS = "DRAW", "PASS"
_NONE: Final = "-"
_DRAWN: Final = "drawn"
_FORM: Final = "phase | ends | hands | boneyard | seat, such as 'OPEN | 3 8 | 1-2 / 3-4 | - | 0'"


class NotationError(ValueError):
    """A text that means no tile, action, position or game."""


def parse_tile(text: str, max_pip: int = MAX_PIP) -> int:
    """The id of the tile written as `5-7` or `7-5`.

    Raises:
        NotationError: if it is no tile of a double-`max_pip` set.
    """
    match = re.fullmatch(r"(\d{1,2})-(\d{1,2})", text.strip())
    if match is None or max(pips := [int(pip) for pip in match.groups()]) > max_pip:
        raise NotationError(f"{text!r} is no tile: wanted is a-b with pips from 0 to {max_pip}")
    return tile_id(*pips)


def format_tile(tile: int) -> str:
    """The tile with this id as text."""
    return f"{LOW[tile]}-{HIGH[tile]}"


def parse_action(text: str, rules: Rules) -> int:
    """The id of the action written as `5-7@5`, `DRAW` or `PASS`.

    Raises:
        NotationError: if it is no action under these rules.
    """
    word = text.strip()
    if word in (DRAW, PASS):
        return rules.draw if word == DRAW else rules.pass_
    tile_text, at, attach_text = word.partition("@")
    if not at:
        raise NotationError(f"{text!r} is no action: wanted is DRAW, PASS or a play as 5-7@5")
    tile = parse_tile(tile_text, rules.max_pip)
    low, high = int(LOW[tile]), int(HIGH[tile])
    if attach_text not in (str(low), str(high)):
        raise NotationError(f"{text!r}: a {tile_text} can be laid @{low} or @{high}")
    attach = int(attach_text)
    return play_action(attach, low + high - attach, rules.max_pip)


def format_action(action: int, rules: Rules) -> str:
    """The action with this id as text.

    Raises:
        NotationError: if there is no such action under these rules.
    """
    return action_text(action, rules.max_pip)


def action_text(action: int, max_pip: int) -> str:
    """As `format_action`, of a double-`max_pip` set."""
    pips = max_pip + 1
    if action == pips * pips:
        return DRAW
    if action == pips * pips + 1:
        return PASS
    if not 0 <= action < pips * pips:
        raise NotationError(f"no action {action}: allowed are 0 to {pips * pips + 1}")
    attach, free = divmod(action, pips)
    return f"{format_tile(tile_id(attach, free))}@{attach}"


def legal_actions(game: np.void) -> list[str]:
    """What the seat to act may do, as text in the order of the action ids."""
    max_pip = int(game["max_pip"])
    mask = np.zeros((max_pip + 1) ** 2 + 2, np.bool_)
    hand, boneyard = game["held"][game["seat"]], game["hand_count"][BONEYARD]
    kernels.write_legal_mask(_as_record(game), hand, boneyard, mask)
    return [action_text(int(action), max_pip) for action in np.flatnonzero(mask)]


def explain_illegal(game: np.void, action: int) -> str:
    """One line that says why this action cannot be taken and what can be."""
    try:
        name = f"{action} ({action_text(action, int(game['max_pip']))})"
    except NotationError:
        name = f"{action} (no action of this set)"
    where = "a finished game" if game["over"] == GAME_OVER else f"'{format_position(game)}'"
    return f"action {name} is illegal in {where}; legal are {', '.join(legal_actions(game))}"


def format_position(game: np.void) -> str:
    """The position as text; rules, points and evidence are not part of it."""
    max_pip, players = int(game["max_pip"]), int(game["players"])
    ends = np.repeat(np.arange(max_pip + 1), game["ends"][: max_pip + 1]).tolist()
    foot, owed = int(game["foot"]), int(game["owed"])
    phase = "OPEN"
    if owed > 0:
        phase = f"{'ARMS' if foot == game['starter'] else 'FOOT'} {foot}/{owed}"
        for _ in range(owed):
            ends.remove(foot)
    hands = (_tiles_text(tiles_of(game["held"][seat], max_pip)) for seat in range(players))
    boneyard = _tiles_text(_drawing_order(game))
    seat = f"{game['seat']} {_DRAWN}" if game["has_drawn"] else f"{game['seat']}"
    return " | ".join([phase, " ".join(map(str, ends)) or _NONE, " / ".join(hands), boneyard, seat])


def _tiles_text(tiles: list[int]) -> str:
    return " ".join(map(format_tile, tiles)) or _NONE


def _drawing_order(game: np.void) -> list[int]:
    left = set(tiles_of(game["held"][BONEYARD], int(game["max_pip"])))
    order = (int(tile) for tile in game["order"][: set_size(int(game["max_pip"]))])
    return [tile for tile in order if tile in left]


def parse_position(text: str, rules: Rules | None = None) -> NDArray[np.void]:
    """The game that stands in this position, with no evidence and no points yet.

    Args:
        text: the position.
        rules: the game's rules; the round is the first one whose starter lies on the table.
            Without them it is one round of the `seed` rules for as many players as there are
            hands, with the smallest published set that has all pips named.

    Returns:
        (1,) GAME; already over if the position is blocked.

    Raises:
        NotationError: if the text is malformed or no such position can arise.
    """
    parts = [part.strip() for part in text.split("|")]
    if len(parts) != 5:
        raise NotationError(f"{len(parts)} parts in {text!r}: wanted is {_FORM}")
    phase_text, ends_text, hands_text, boneyard_text, seat_text = parts
    max_pip = rules.max_pip if rules else _smallest_set(text)
    hands = [_parse_tiles(hand, max_pip) for hand in hands_text.split("/")]
    boneyard = _parse_tiles(boneyard_text, max_pip)
    named = [tile for tiles in (*hands, boneyard) for tile in tiles]
    for tile in named:
        if named.count(tile) > 1:
            raise NotationError(f"tile {format_tile(tile)} is named twice in {text!r}")
    laid = [tile for tile in range(set_size(max_pip)) if tile not in named]
    foot, owed, is_starter = _parse_phase(phase_text, max_pip, laid)
    starter = foot if is_starter else _starter(laid, foot, rules)
    rules = rules or _rules_for(len(hands), max_pip, starter)
    seat, drawn = _parse_seat(seat_text, rules, hands)
    ends = _parse_ends(ends_text, max_pip, laid)
    _check_phase(rules, starter, foot, owed, is_starter, ends)

    games = np.zeros(1, GAME)
    game = games[0]
    for name, value in rules.record().items():
        game[name] = value
    game["starters"][: len(rules.starters)] = rules.starters
    game["round"], game["starter"] = _round_of(starter, rules), starter
    game["opened"], game["winner"] = 1 << starter, NO_SEAT
    game["seat"], game["has_drawn"], game["finder"] = seat, drawn, (seat - 1) % rules.players
    game["foot"], game["owed"] = foot, owed
    game["ends"][: max_pip + 1] = np.bincount(ends, minlength=max_pip + 1)
    if owed > 0:
        game["ends"][foot] += owed
    game["showing"] = sum(1 << pip for pip in np.flatnonzero(game["ends"]).tolist())
    game["drawn_since"], game["best_round"][: rules.players] = UNKNOWN, NO_ROUND
    game["drawn_since"][rules.players :], game["drawn_since"][:, max_pip + 1 :] = 0, 0
    _place_tiles(game, hands, boneyard, laid)
    if drawn:
        _check_drawn(game, hands[seat], rules)
    kernels.settle(records(games)[0])
    kernels.deal_due(records(games)[0])
    return games


def _as_record(game: np.void) -> np.void:
    """The record itself, readable by a kernel whether or not compilation is on."""
    one: np.void = records(np.asarray(game).reshape(1))[0]
    return one


def _smallest_set(text: str) -> int:
    highest = max((int(pip) for pip in re.findall(r"\d+", text.rpartition("|")[0])), default=0)
    return next((n for n in (9, 12, 15) if n >= highest), MAX_PIP)


def _parse_tiles(text: str, max_pip: int) -> list[int]:
    if text.strip() == _NONE:
        return []
    return [parse_tile(word, max_pip) for word in text.split()]


def _parse_phase(text: str, max_pip: int, laid: list[int]) -> tuple[int, int, bool]:
    if text == "OPEN":
        return NO_PIP, 0, False
    match = re.fullmatch(r"(ARMS|FOOT) (\d{1,2})/(\d{1,2})", text)
    if match is None:
        raise NotationError(f"phase {text!r}: wanted is OPEN, ARMS 9/4 or FOOT 6/2")
    kind, foot, owed = match[1], int(match[2]), int(match[3])
    if foot > max_pip or tile_id(foot, foot) not in laid or owed == 0:
        raise NotationError(f"phase {text!r}: {foot}-{foot} must be on the table, owed 1 or more")
    return foot, owed, kind == "ARMS"


def _starter(laid: list[int], foot: int, rules: Rules | None) -> int:
    """The pip of a double on the table that may have opened the round."""
    doubles = [int(LOW[tile]) for tile in laid if LOW[tile] == HIGH[tile] and LOW[tile] != foot]
    order = sorted(doubles, reverse=True)
    if rules and rules.starter_rule == "descending":
        order = list(rules.starters)
    for pip in order:
        if pip in doubles:
            return pip
    raise NotationError("no starter on the table: at least one double must lie there unnamed")


def _rules_for(players: int, max_pip: int, starter: int) -> Rules:
    hand_size = min(7, set_size(max_pip) // max(players, 1))
    try:
        return Rules(players=players, max_pip=max_pip, hand_size=hand_size, rounds=(starter,))
    except RulesError as error:
        raise NotationError(f"{players} hands of a double-{max_pip} set: {error}") from None


def _round_of(starter: int, rules: Rules) -> int:
    return rules.starters.index(starter) if rules.starter_rule == "descending" else 0


def _parse_seat(text: str, rules: Rules, hands: list[list[int]]) -> tuple[int, bool]:
    if len(hands) != rules.players:
        raise NotationError(f"{len(hands)} hands for {rules.players} players")
    match = re.fullmatch(rf"(\d{{1,2}})( {_DRAWN})?", text)
    if match is None or int(match[1]) >= rules.players:
        raise NotationError(
            f"seat {text!r}: wanted is 0 to {rules.players - 1}, "
            f"followed by {_DRAWN!r} if it has drawn in this turn"
        )
    for seat, hand in enumerate(hands):
        if not hand:
            raise NotationError(f"seat {seat} has no tiles: its round is over")
    return int(match[1]), match[2] is not None


def _parse_ends(text: str, max_pip: int, laid: list[int]) -> list[int]:
    words = [] if text == _NONE else text.split()
    if not all(word.isdecimal() and int(word) <= max_pip for word in words):
        raise NotationError(f"ends {text!r}: wanted are pips from 0 to {max_pip}, or -")
    ends = [int(word) for word in words]
    for pip in set(ends):
        showing = sum(pip in (LOW[tile], HIGH[tile]) and LOW[tile] != HIGH[tile] for tile in laid)
        if ends.count(pip) > showing:
            raise NotationError(
                f"{ends.count(pip)} ends show {pip}, but {showing} tiles on the table can"
            )
    return ends


def _check_phase(
    rules: Rules, starter: int, foot: int, owed: int, is_starter: bool, ends: list[int]
) -> None:
    if rules.starter_rule == "descending" and starter not in rules.starters:
        raise NotationError(f"no round of these rules has the starter {starter}-{starter}")
    most = rules.starter_arms if is_starter else rules.toes
    if owed > most:
        raise NotationError(f"{owed} tiles owed to {foot}-{foot}: at most {most} can be")
    if is_starter and len(ends) != rules.starter_arms - owed:
        begun = rules.starter_arms - owed
        raise NotationError(f"{len(ends)} ends with {begun} arms begun: wanted are {begun}")
    if owed == 0 and not ends:
        raise NotationError("no open ends: an OPEN position has some")


def _check_drawn(game: np.void, hand: list[int], rules: Rules) -> None:
    """A seat draws only when it has no play, so that the drawn tile alone may fit."""
    if rules.drawn_tile == "no":
        raise NotationError(f"{_DRAWN!r} under drawn_tile='no': a draw ends the turn")
    plays = [word for word in legal_actions(game) if "@" in word]
    playable = sorted({word.partition("@")[0] for word in plays})
    most = len(hand) if rules.last_double == "forbidden" else 1  # then a double may have waited
    if len(hand) < 2 or len(playable) > most:
        why = f"{', '.join(playable)} fit" if playable else "it has one tile"
        raise NotationError(f"seat {game['seat']} cannot have drawn in this turn: {why}")


def _place_tiles(
    game: np.void, hands: list[list[int]], boneyard: list[int], laid: list[int]
) -> None:
    for holder, tiles in [*enumerate(hands), (BONEYARD, boneyard)]:
        game["hand_count"][holder] = len(tiles)
        game["held"][holder] = bit_matrix(tiles)
    game["laid"] = bit_matrix(laid)
    order = [tile for hand in hands for tile in hand] + laid + boneyard
    game["order"][: len(order)] = order
