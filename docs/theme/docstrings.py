"""Docstrings of modules as Markdown, for the reference.

They are written for `help()`: tables and examples are indented blocks, and the pages of the
environments open with a table between rules of equal signs. Here an indented block becomes a fenced
one, and such a table one of Markdown. The docstrings of classes and functions are in google style,
which mkdocstrings reads by itself.

Constants have comments in place of docstrings. One behind a constant on a single line is what the
reference says of it; where there are several, as in the fields of a record, it shows the code.
"""

from __future__ import annotations

import io
import re
import tokenize
from typing import Any

import griffe

RULE = re.compile(r"^=+( +=+)+$")
INDENT = "    "


class ModuleDocstrings(griffe.Extension):
    """Rewrites the docstring of each module before it is rendered."""

    def on_module(self, *, mod: griffe.Module, **_: Any) -> None:
        """Called by griffe for every module that it has loaded."""
        if mod.docstring is not None:
            mod.docstring.value = markdown(mod.docstring.value)
        for constant in mod.attributes.values():
            told = comment("".join(f"{line}\n" for line in constant.lines))
            if constant.docstring is None and told:
                constant.docstring = griffe.Docstring(told, parent=constant)
                constant.value = None if told.startswith("```") else constant.value


def comment(code: str) -> str:
    """What the comments of a constant's definition say, as Markdown; empty if there are none."""
    comments = [
        token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(code).readline)
        if token.type == tokenize.COMMENT and not token.string.startswith(("# noqa", "# type:"))
    ]
    if code.count("\n") > 1:
        return f"```python\n{code}```" if len(comments) > 1 else ""
    return f"{comments[0][:1].upper()}{comments[0][1:]}." if comments else ""


def markdown(text: str) -> str:
    """The docstring of a module as Markdown."""
    lines, written = text.split("\n"), list[str]()
    while lines:
        if RULE.match(lines[0]):
            block = _take(lines, 1 + lines[1:].index(lines[0]) + 1)
            written += _table(block[1:-1], block[0].split(" ", 1)[0])
        elif lines[0].startswith(INDENT) and not _continues_an_item(written):
            count = next(
                (i for i, line in enumerate(lines) if line and not line.startswith(INDENT)),
                len(lines),
            )
            written += _fence([line[len(INDENT) :] for line in _take(lines, count)])
        else:
            written += _take(lines, 1)
    return "\n".join(written)


def _take(lines: list[str], count: int) -> list[str]:
    """The first lines, which are removed."""
    taken, lines[:] = lines[:count], lines[count:]
    return taken


def _continues_an_item(written: list[str]) -> bool:
    """Whether the paragraph so far is an item of a list, whose text goes on indented."""
    paragraph = list[str]()
    for line in reversed(written):
        if not line:
            break
        paragraph.append(line)
    return any(re.match(r"([-*]|\d+\.) ", line) for line in paragraph)


def _table(rows: list[str], first: str) -> list[str]:
    """Two columns as a table of Markdown without a head; a row goes on where its left is blank."""
    cells = list[list[str]]()
    for row in rows:
        left, right = row[: len(first)].strip(), row[len(first) :].strip()
        if left:
            cells.append([left, right])
        else:
            cells[-1][1] += f" {right}"
    told = [[cell.replace("``", "`") for cell in row] for row in cells]
    return ["| | |", "|---|---|", *(f"| {left} | {right} |" for left, right in told), ""]


def _fence(block: list[str]) -> list[str]:
    """A fenced block, in the language that it seems to be in."""
    while not block[-1]:
        block.pop()
    code = "\n".join(block)
    language = "text"
    if block[0].startswith(">>> "):
        language = "pycon"
    elif re.search(r"^(from|import) \w|^\w+ = \w+\(|^if \w+\(", code, re.MULTILINE):
        language = "python"
    elif block[0].startswith("["):
        language = "toml"
    return ["", f"```{language}", *block, "```", ""]
