"""The GAME record: everything there is to know about one game, hidden tiles included.

A game is one record of a NumPy structured dtype and a batch of games is an array of records:
`games.copy()` clones, `games[i] = games[j]` forks, `games.tobytes()` saves, `games["ends"]` is a
(B, 19) view. A record carries its own rules, seed, round, points and chance, so a batch may mix
player counts and rule sets.

A holder's tiles are a symmetric bit matrix: bit y of row x is set if and only if the holder has the
tile x-y. A row has 19 bits and is kept in three bytes, the lowest first: bit y of row x is bit
y % 8 of `held[holder, x, y // 8]`. `tiles_of` and `bit_matrix` lead from bits to tiles and back,
`rows_of` to rows that are numbers. Holders are the seats, then BONEYARD.

At most one double can be short of tiles: no toe is a double, and nothing but toes may be laid until
a foot is complete (R15). So `foot` and `owed` describe starter and feet alike: the starter is a
foot with `starter_arms` toes. Ends of equal value are interchangeable, so the table is a count for
each pip.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from chickenfoot_env.rules import CHOICES, MAX_PLAYERS, MAX_POINTS, MAX_ROUNDS, MAX_TARGET
from chickenfoot_env.tiles import HIGH, LOW, MAX_PIPS, MAX_TILES, ROW_BYTES, Rows, set_size

BONEYARD: Final = MAX_PLAYERS  # the row of `held` and `hand_count` behind the seats'
NO_PIP: Final = -1  # `foot` when nothing is owed
NO_SEAT: Final = -1  # `winner` in the first round
UNKNOWN: Final = 255  # `drawn_since` of a pip that the seat has never shown to lack: no bound
NO_ROUND: Final = 2**31 - 1  # `best_round` before the first round that cost points
PLAYING, WENT_OUT, UNDEALT, GAME_OVER = 0, 1, 2, 3  # `over`

_BYTES: Final = np.array([1, 1 << 8, 1 << 16], np.uint32)  # what each byte of a row counts

TURN_RULES: Final = [  # copied from Rules, see there; choices are indices in rules.CHOICES
    ("max_pip", "i2"),
    ("players", "i2"),
    ("boneyard_reserve", "i2"),
    ("draw_count", "i2"),
    ("draw_when_stuck", "i2"),
    ("drawn_tile", "i2"),
    ("block_rule", "i2"),
    ("last_double", "i2"),
]
ROUND_RULES: Final = [  # the same for rules that not every turn asks for
    ("last_double_points", "i2"),
    ("double_blank_points", "i2"),
    ("blank_half_points", "i2"),
    ("target_points", "i2"),  # 0: no target
    ("hand_size", "i2"),
    ("starter_rule", "i2"),
    ("starter_source", "i2"),
    ("starter_missing", "i2"),
    ("hunt_first", "i2"),
    ("lead_rule", "i2"),
    ("starter_uses_turn", "i2"),
    ("starter_arms", "i2"),
    ("toes", "i2"),
    ("rounds", "i2"),  # number of rounds in the game
]
RULE_FIELDS: Final = [*TURN_RULES, *ROUND_RULES]

# Large batches wait for memory, which comes and goes in lines of 64 bytes; a record has 24 of them.
# NumPy's large arrays begin 16 bytes behind the start of a line, so byte 48 of a record is the
# first of one. From there on lies what every turn asks for.
GAME: Final = np.dtype(
    [
        *ROUND_RULES,
        ("starter", "i2"),  # pip of the round's starter
        ("round", "i2"),  # index of the round, 0 to rounds - 1
        ("hunted", "i2"),  # tiles drawn in the hunt for the starter
        ("finder", "i2"),  # seat that laid the starter; the lead seat if it was set aside
        ("winner", "i2"),  # seat that did best in the round before, or NO_SEAT
        ("blocked_rounds", "i2"),  # finished rounds in which nobody went out
        ("seed", "u8"),  # everything random about the game follows from it
        ("showing", "u4"),  # bit x is set if ends[x] > 0
        *TURN_RULES,
        ("seat", "i2"),  # whose turn it is
        ("has_drawn", "i2"),  # 1 if that seat has drawn in this turn
        ("passes", "i2"),  # turns in a row that ended with neither a play nor a draw
        ("over", "i2"),  # PLAYING or GAME_OVER; within kernels also what comes between two rounds
        ("foot", "i2"),  # pip of the starter or double being filled, else NO_PIP
        ("owed", "i2"),  # arms or toes that it still wants
        ("draw_stride", "i2"),  # places between the seats' own parts of the boneyard; 0 = shared
        ("hand_count", "i2", (MAX_PLAYERS + 1,)),  # tiles of each holder
        ("ends", "i2", (MAX_PIPS,)),  # open ends showing each pip, owed arms and toes included
        ("laid", "u1", (MAX_PIPS, ROW_BYTES)),  # the tiles on the table as a bit matrix
        ("held", "u1", (MAX_PLAYERS + 1, MAX_PIPS, ROW_BYTES)),  # the same for each holder's tiles
        ("drawn_since", "u1", (MAX_PLAYERS, MAX_PIPS)),  # evidence: the seat holds at most this
        # many tiles with the pip, all of them drawn since it last showed that it had none
        ("order", "u1", (MAX_TILES,)),  # this round's shuffled tile ids: seat s was dealt places
        # s * hand_size onward, the boneyard is what lies behind players * hand_size; a starter
        # set aside is in place 0 and moves all that by one
        ("starters", "u1", (MAX_ROUNDS,)),  # pip of the starter of each round
        ("unused", "u1", (13,)),  # makes the record as long as its lines
        ("zero_rounds", "i2", (MAX_PLAYERS,)),  # finished rounds of zero points, first tie-break
        ("opened", "u4"),  # bit x is set if x-x has opened a round of this game
        ("points", "i4", (MAX_PLAYERS,)),  # of the finished rounds
        ("best_round", "i4", (MAX_PLAYERS,)),  # lowest points above zero of a round, second
    ],
    align=True,
)


def check_games(games: NDArray[np.void]) -> NDArray[np.void]:
    """`games` themselves, if they are a contiguous one-dimensional array of GAME records.

    Raises:
        ValueError: if they are not.
    """
    return check_records(games, GAME, "games")


def check_records(array: NDArray[np.void], dtype: np.dtype[np.void], name: str) -> NDArray[np.void]:
    """`array` itself, if it is a contiguous (B,) array of `dtype`; `name` is for the message.

    Raises:
        ValueError: if it is not.
    """
    is_array = isinstance(array, np.ndarray)
    if is_array and array.dtype == dtype and array.ndim == 1 and array.flags.c_contiguous:
        return array
    if not is_array or array.dtype != dtype:
        what = array.dtype if is_array else type(array).__name__
        kind = name.rstrip("s").upper()
        raise ValueError(f"{name} are {str(what)[:60]}: wanted is an array of {kind} records")
    layout = "contiguous" if array.flags.c_contiguous else "strided"
    raise ValueError(
        f"{name} are a {layout} array of shape {array.shape}: wanted is a contiguous "
        f"one-dimensional array, such as {name}[:1] or {name}.copy()"
    )


def rows_of(matrix: Rows) -> NDArray[np.uint32]:
    """The rows of bit matrices as numbers.

    Args:
        matrix: (..., 19, 3) uint8, such as `games["held"]`, or what it would become, such as
            `views["hand"]`.

    Returns:
        (..., 19) uint32, bit y of row x for the tile x-y.
    """
    return np.asarray(matrix @ _BYTES if matrix.dtype == np.uint8 else matrix, np.uint32)


def tiles_of(matrix: Rows, max_pip: int) -> list[int]:
    """The tile ids in one bit matrix, ascending.

    Args:
        matrix: such as `game["held"][seat]` or `view["hand"]`.
        max_pip: the set's highest pip.
    """
    rows = rows_of(matrix)
    return [t for t in range(set_size(max_pip)) if int(rows[LOW[t]]) >> int(HIGH[t]) & 1]


def bit_matrix(tiles: Iterable[int]) -> NDArray[np.uint8]:
    """The bit matrix of these tile ids, (19, 3) uint8, such as `game["held"][seat]`."""
    matrix = np.zeros((MAX_PIPS, ROW_BYTES), np.uint8)
    for tile in tiles:
        low, high = int(LOW[tile]), int(HIGH[tile])
        matrix[low, high // 8] |= np.uint8(1 << high % 8)
        matrix[high, low // 8] |= np.uint8(1 << low % 8)
    return matrix


def problems(game: np.void) -> list[str]:
    """What is wrong with this record, as text; empty for one that can be played on."""
    found = _range_problems(game)
    if not found:
        found += _tile_problems(game)
    if not found:
        found += _table_problems(game) + _hand_problems(game)
    return found


def _range_problems(game: np.void) -> list[str]:
    """Single numbers that are out of range, the rules first."""
    max_pip, players = int(game["max_pip"]), int(game["players"])
    if not (2 <= max_pip < MAX_PIPS and 2 <= players <= MAX_PLAYERS):
        return [f"{players} players with a double-{max_pip} set"]
    tiles, rounds = set_size(max_pip), int(game["rounds"])
    boneyard = tiles - players * int(game["hand_size"]) - int(game["starter_source"])
    ranges = {
        **{name: (0, len(allowed) - 1) for name, allowed in CHOICES.items()},
        "boneyard_reserve": (0, tiles),
        "starter_uses_turn": (0, 1),
        "hand_size": (1, tiles // players),
        "starter_arms": (1, max_pip),
        "toes": (1, 3),
        "last_double_points": (0, MAX_POINTS),
        "double_blank_points": (0, MAX_POINTS),
        "blank_half_points": (0, MAX_POINTS),
        "target_points": (0, MAX_TARGET),
        "rounds": (1, MAX_ROUNDS),
        "draw_stride": (0, max(boneyard - 1, 0) // (players - 1)),
        "round": (0, rounds - 1),
        "starter": (0, max_pip),
        "finder": (0, players - 1),
        "winner": (NO_SEAT, players - 1),
        "hunted": (0, tiles),
        "foot": (NO_PIP, max_pip),
        "owed": (0, max(game["starter_arms"], game["toes"])),
        "seat": (0, players - 1),
        "has_drawn": (0, 1),
        "passes": (0, players),
        "over": (PLAYING, GAME_OVER),
        "blocked_rounds": (0, rounds),
        "points": (0, NO_ROUND),
        "zero_rounds": (0, rounds),
        "best_round": (1, NO_ROUND),
    }
    found = []
    for name, (low, high) in ranges.items():
        values = np.atleast_1d(game[name])
        values = values[:players] if len(values) > 1 else values
        if values.min() < low or values.max() > high:
            found.append(f"{name} is {game[name]}: allowed are {low} to {high}")
    if (game["starters"][: max(rounds, 0)] > max_pip).any():
        found.append(f"starters {game['starters'].tolist()} of a double-{max_pip} set")
    return found


def _tile_problems(game: np.void) -> list[str]:
    """Tiles that are not in exactly one place."""
    found = []
    max_pip, players = int(game["max_pip"]), int(game["players"])
    owners: dict[int, list[str]] = {t: [] for t in range(set_size(max_pip))}
    for holder in range(MAX_PLAYERS + 1):
        name = "the boneyard" if holder == BONEYARD else f"seat {holder}"
        tiles = tiles_of(game["held"][holder], max_pip)
        if len(tiles) != game["hand_count"][holder]:
            found.append(f"{name} has {len(tiles)} tiles, counted {game['hand_count'][holder]}")
        if players <= holder < BONEYARD and tiles:
            found.append(f"{name} has tiles, but there are {players} players")
        for tile in tiles:
            owners[tile].append(name)
    for tile in tiles_of(game["laid"], max_pip):
        owners[tile].append("the table")
    for tile, where in owners.items():
        if len(where) != 1:
            place = " and ".join(where) or "nowhere"
            found.append(f"tile {LOW[tile]}-{HIGH[tile]} is in {place}")
    matrices = np.array([*game["held"], game["laid"]])
    bits = np.unpackbits(matrices, axis=-1, bitorder="little")
    if bits[:, max_pip + 1 :].any() or bits[:, :, max_pip + 1 :].any():
        found.append(f"a bit matrix of tiles has pips above {max_pip}")
    elif np.any(bits[:, :, :MAX_PIPS] != bits[:, :, :MAX_PIPS].transpose(0, 2, 1)):
        found.append("a bit matrix of tiles is not symmetric")
    return found or _order_problems(game)


def _order_problems(game: np.void) -> list[str]:
    """A shuffled order that is none, or that does not end with the boneyard where it must."""
    size, left = set_size(int(game["max_pip"])), int(game["hand_count"][BONEYARD])
    order = game["order"][:size].tolist()
    if sorted(order) != list(range(size)):
        return ["the shuffled order does not name every tile once"]
    boneyard = tiles_of(game["held"][BONEYARD], int(game["max_pip"]))
    if game["draw_stride"] == 0 and sorted(order[size - left :]) != boneyard:
        return ["the boneyard is not the end of the shuffled order"]
    return []


def _table_problems(game: np.void) -> list[str]:
    """A starter, foot or ends that do not fit the tiles on the table."""
    found = []
    pips = int(game["max_pip"]) + 1
    foot, owed, ends = int(game["foot"]), int(game["owed"]), game["ends"]
    laid, starter = rows_of(game["laid"]), int(game["starter"])
    if not int(laid[starter]) >> starter & 1:
        found.append(f"the starter {starter}-{starter} is not on the table")
    if np.any(ends < 0) or np.any(ends[pips:] != 0):
        found.append(f"ends {ends.tolist()} must be 0 or more, and 0 above max_pip")
    if game["showing"] != sum(1 << pip for pip in np.flatnonzero(ends).tolist()):
        found.append(f"showing {game['showing']:b} must be the row of the ends {ends.tolist()}")
    if (owed > 0) != (foot != NO_PIP):
        found.append(f"owed {owed} with foot {foot}: a foot and only a foot is owed tiles")
    elif owed > 0 and ends[foot] < owed:
        found.append(f"the foot on {foot} is owed {owed} but has {ends[foot]} open ends")
    elif owed > 0 and not int(laid[foot]) >> foot & 1:
        found.append(f"a foot on {foot}, but {foot}-{foot} is not on the table")
    for pip in range(pips):
        free = int(ends[pip]) - (owed if pip == foot else 0)
        showing = (int(laid[pip]) & ~(1 << pip)).bit_count()
        if free > showing:
            found.append(f"{free} ends show {pip}, but {showing} tiles on the table can")
    return found


def _hand_problems(game: np.void) -> list[str]:
    """Hands that contradict the evidence."""
    found, held = [], rows_of(game["held"])
    for seat in range(int(game["players"])):
        for pip in range(int(game["max_pip"]) + 1):
            bound = int(game["drawn_since"][seat, pip])
            has = int(held[seat, pip]).bit_count()
            if has > bound:
                found.append(f"seat {seat} has {has} tiles with {pip}; the evidence allows {bound}")
    return found
