"""A page from its template, with style and scripts in it, so that it needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from typing import Any, Final

import jinja2

from chickenfoot_env.render.svg import definitions

_ENVIRONMENT: Final = jinja2.Environment(
    autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
)


def render(template: str, scripts: Sequence[str], max_pip: int, **names: Any) -> str:
    """The text of a page.

    Args:
        template: a file of this package.
        scripts: files of this package, in the order in which they run.
        max_pip: the highest pip of the tiles that are drawn.
        names: what else the template asks for.
    """
    faces = "\n".join(definitions(range(max_pip + 1)))
    code = [_text(script) for script in scripts]
    found = _ENVIRONMENT.from_string(_text(template))
    return found.render(style=_text("style.css"), faces=faces, scripts=code, **names)


def as_script(value: Any) -> str:
    """JSON that may stand in a script element, whatever the names in it are."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _text(name: str) -> str:
    return (resources.files("experiments.pages") / name).read_text(encoding="utf-8")
