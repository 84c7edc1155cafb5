"""A notebook as a page of the site: its text, its code, and the outputs that are kept in it.

Nothing is executed. What is read is a notebook as `make notebooks` leaves it.
"""

from __future__ import annotations

import base64
import re

from nbformat import NotebookNode

ENDINGS = {"image/svg+xml": ".svg", "image/png": ".png"}  # the better of two first
WIDEST = 120  # characters in a line of a table; longer lines are prose, which may be folded
TITLE = re.compile(r"<title>(.*?)</title>")


def page(notebook: NotebookNode, name: str) -> tuple[str, dict[str, bytes]]:
    """The page in Markdown, and the files of its images.

    Args:
        notebook: in version 4 of the format.
        name: what the files of images begin with; a number and an ending follow.

    Raises:
        ValueError: if a cell has ended with an error.
    """
    parts: list[str] = []
    images: dict[str, bytes] = {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(_fenced(cell.source, "bash" if cell.source.startswith("%%bash") else "python"))
        for output in cell.outputs:
            if output.output_type == "error":
                raise ValueError(f"{name}: a cell ends with {output.ename}; run make notebooks")
            kind = next((kind for kind in ENDINGS if kind in output.get("data", {})), None)
            if kind is None:
                text = output.text if output.output_type == "stream" else output.data["text/plain"]
                fold = " .fold" if max(map(len, text.splitlines()), default=0) > WIDEST else ""
                parts.append(_fenced(text, f"{{ .text .no-copy .output{fold} }}"))
            else:
                file = f"{name}_{len(images) + 1}{ENDINGS[kind]}"
                parts.append(f"![{_alternative(output.data[kind])}]({file})")
                images[file] = _content(output.data[kind], kind)
    return "\n\n".join(parts) + "\n", images


def _fenced(text: str, language: str) -> str:
    longest = max(map(len, re.findall(r"^ *(`{3,})", text, re.MULTILINE)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence} {language}\n{text.rstrip()}\n{fence}"


def _alternative(data: str) -> str:
    """What is read aloud: the title that a picture of a table has; the text tells of plots."""
    title = TITLE.search(data)
    return title[1] if title else "A plot of what the code above has computed"


def _content(data: str, kind: str) -> bytes:
    return base64.b64decode(data) if kind == "image/png" else data.encode()
