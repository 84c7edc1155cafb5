"""The text form of agents: `name:option=value,option="a value, with commas"`.

Within double quotes commas part nothing, and a backslash stands before a quote or a backslash that
is meant.
"""

from __future__ import annotations

import re

from agents.base import AgentError

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_PIECE = re.compile(r'((?:[^,"]|"(?:[^"\\]|\\.)*")*)(,|$)')


def pieces(text: str) -> list[str]:
    """What stands between the commas that are outside of quotes.

    Raises:
        AgentError: for a quote that is not closed.
    """
    found, place = [], 0
    while True:
        match = _PIECE.match(text, place)
        if match is None:
            raise AgentError(f"{text!r} has a quote that is not closed")
        found.append(match[1])
        if not match[2]:
            return found
        place = match.end()


def unquoted(value: str) -> str:
    """The value that is meant, with or without quotes around it."""
    whole = _QUOTED.fullmatch(value)
    return re.sub(r"\\(.)", r"\1", whole[1]) if whole else value


def quoted(value: str) -> str:
    """A value in quotes, as `unquoted` reads it."""
    escaped = re.sub(r'(["\\])', r"\\\1", value)
    return f'"{escaped}"'
