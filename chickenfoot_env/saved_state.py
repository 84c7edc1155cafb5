"""One environment's whole state as bytes: a header, one record, a checksum.

The header names the format and, by a hash, the layout of the record, so that bytes of another
version are refused rather than misread. Nothing is ever unpickled. What is read is checked: it must
be intact, of the same rules and settings, and a position that can be played.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv

from chickenfoot_env.episode import NO_PLAY, OUTCOMES
from chickenfoot_env.game import GAME, GAME_OVER, PLAYING, problems, tiles_of
from chickenfoot_env.rules import MAX_PLAYERS, Rules
from chickenfoot_env.settings import Settings
from chickenfoot_env.tiles import HIGH, LOW, MAX_TILES

NOBODY: Final = -1
_MODES: Final = (("reward", ("points", "win")), ("episode", ("game", "round")))

BOOK: Final = np.dtype(  # PettingZoo's books of one seat
    [
        ("present", "?"),  # it has not left
        ("terminated", "?"),
        ("truncated", "?"),
        ("reward", "f8"),
        ("cumulative", "f8"),
    ],
    align=True,
)

STATE: Final = np.dtype(
    [
        ("game", GAME),
        # Actions that have laid the tiles of this round behind the starter, in order, then NO_PLAY.
        # NO_PLAY alone: none has, or they are not known.
        ("plays", "i2", (MAX_TILES,)),
        *((name, "i1") for name, _ in _MODES),  # index of the setting in _MODES
        ("outcome", "i1"),  # index in OUTCOMES, as is the next
        ("round_outcome", "i1"),
        ("selection", "i1"),  # seat that `agent_selection` names
        ("resume", "i1"),  # seat that it will name when all have left, or NOBODY
        ("seed", "u8"),  # of the last reset that was given one
        ("episode_number", "i8"),  # resets since then
        ("cycles", "i8"),  # from here on: see Episode
        ("paid_rounds", "i2"),
        ("paid_blocked", "i2"),
        ("paid_points", "i4", (MAX_PLAYERS,)),
        ("illegal_actions", "i4", (MAX_PLAYERS,)),
        ("returns", "f8", (MAX_PLAYERS,)),
        ("books", BOOK, (MAX_PLAYERS,)),
    ],
    align=True,
)


class StateError(ValueError):
    """Bytes that are no state of this environment; the message says why."""


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=8).digest()


_NAME: Final = b"chickenfoot state 1\n"
_LAYOUT: Final = _digest(repr(STATE.descr).encode())
_HEADER: Final = _NAME + _LAYOUT
_SIZE: Final = len(_HEADER) + STATE.itemsize + len(_digest(b""))


def to_bytes(state: NDArray[np.void], settings: Settings) -> bytes:
    """The bytes that `from_bytes` reads; `state` is (1,) STATE, its settings not yet set."""
    for name, values in _MODES:
        state[name] = values.index(getattr(settings, name))
    body = _HEADER + state.tobytes()
    return body + _digest(body)


def write_books(
    books: NDArray[np.void], env: AECEnv[str, Any, Any], seats: Mapping[str, int]
) -> None:
    """Enter the environment's books in `books`, (12,) BOOK, zeroed; `seats` numbers its agents."""
    for agent in env.agents:
        books[seats[agent]] = (
            True,
            env.terminations[agent],
            env.truncations[agent],
            env.rewards[agent],
            env._cumulative_rewards[agent],
        )


def read_books(
    books: NDArray[np.void], env: AECEnv[str, Any, Any], seats: Mapping[str, int]
) -> None:
    """Set the environment's books to what `write_books` has entered."""
    rows = {agent: books[seat] for agent, seat in seats.items() if books[seat]["present"]}
    env.agents = list(rows)
    env.terminations = {agent: bool(row["terminated"]) for agent, row in rows.items()}
    env.truncations = {agent: bool(row["truncated"]) for agent, row in rows.items()}
    env.rewards = {agent: float(row["reward"]) for agent, row in rows.items()}
    env._cumulative_rewards = {agent: float(row["cumulative"]) for agent, row in rows.items()}


def from_bytes(data: bytes, rules: Rules, settings: Settings) -> NDArray[np.void]:
    """The state in these bytes, once it has passed every check.

    Args:
        data: what `to_bytes` gave.
        rules: those that the state's environment must have been made with.
        settings: likewise; only `reward` and `episode` need to be the same.

    Returns:
        (1,) STATE, a copy.

    Raises:
        StateError: if the bytes are damaged, of another version, rules or settings, or hold a
            position that cannot be played.
    """
    if not isinstance(data, bytes) or not data.startswith(_NAME):
        kind = f"bytes that begin with {data[:20]!r}" if isinstance(data, bytes) else repr(data)
        raise StateError(f"{kind[:80]}: wanted are bytes from get_state() of version 0")
    if not data.startswith(_HEADER):
        raise StateError("a state from another version of chickenfoot_env: it cannot be read here")
    if len(data) != _SIZE or _digest(data[:-8]) != data[-8:]:
        raise StateError(f"a damaged state: {len(data)} bytes of {_SIZE}, or a wrong checksum")
    state = np.frombuffer(data, STATE, 1, len(_HEADER)).copy()
    _check_settings(state[0], settings)
    _check_rules(state[0]["game"], rules, settings)
    wrong = _problems(state[0])
    if wrong:
        raise StateError(f"a state that cannot be played: {wrong[0]}")
    return state


def _check_settings(state: np.void, settings: Settings) -> None:
    for name, values in _MODES:
        mine = getattr(settings, name)
        if state[name] != values.index(mine):
            raise StateError(
                f"a state of an environment with another {name}: wanted is {name}={mine!r}"
            )


def _check_rules(game: np.void, rules: Rules, settings: Settings) -> None:
    starters = game["starters"].tolist()
    if settings.episode == "game":
        wanted = [list(rules.starters)]
    else:
        wanted = [[pip] for pip in rules.starters]
    for name, mine in {**rules.record(), "rounds": len(wanted[0])}.items():
        if game[name] != mine:
            raise StateError(
                f"a state of other rules: {name} is {game[name]} there and {mine} here"
            )
    if starters[: len(wanted[0])] not in wanted:
        raise StateError(
            f"a state of other rules: the starters are {starters[: len(wanted[0])]} there and "
            f"{list(rules.starters)} here"
        )


def _problems(state: np.void) -> list[str]:
    game = state["game"]
    players = int(game["players"])
    found = problems(game)
    if game["over"] not in (PLAYING, GAME_OVER):
        found.append(f"over is {game['over']}")
    seats = (state["selection"], max(int(state["resume"]), 0))
    if not all(0 <= seat < players for seat in seats) or state["books"]["present"][players:].any():
        found.append(f"seats {seats} of {players} players")
    if not all(0 <= state[name] < len(OUTCOMES) for name in ("outcome", "round_outcome")):
        found.append(f"an outcome {state['outcome']}")
    return found or _problems_of_plays(state["plays"], game)


def _problems_of_plays(plays: NDArray[np.int16], game: np.void) -> list[str]:
    pips = int(game["max_pip"]) + 1
    noted = plays[plays != NO_PLAY].tolist()
    if plays[: len(noted)].tolist() != noted or not all(0 <= play < pips**2 for play in noted):
        return [f"plays are {plays.tolist()[:20]}...: allowed are actions that lay a tile"]
    pairs = [(int(game["starter"]),) * 2, *(divmod(play, pips) for play in noted)]
    there = [(int(LOW[tile]), int(HIGH[tile])) for tile in tiles_of(game["laid"], pips - 1)]
    if noted and sorted((min(pair), max(pair)) for pair in pairs) != sorted(there):
        return [f"{len(pairs)} plays do not lay the {len(there)} tiles on the table"]
    return []
