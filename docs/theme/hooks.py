"""What the site has beside the files of docs/, called by MkDocs (`hooks` in mkdocs.yml).

- Pages of the repository outside docs/: the changelog, the notebooks, the code of the examples. A
  link such as `../examples/heaviest_agent.py` leads to them here, and to the file where the
  repository is read.
- Names of modules, classes and functions in the text, such as `chickenfoot_env.view`, become links
  to the reference. So no page needs a link to a file of code.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import notebook_page
from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
PACKAGES = ("chickenfoot_env", "agents", "experiments")
LANGUAGES = {".py": "python", ".js": "javascript"}
LINK = re.compile(r"(?<=\]\()(?!https?:|#)([^)#\s]+)")


def outside() -> dict[str, str]:
    """The files of the repository that are pages of the site, and what they are called there."""
    pages = {
        f"examples/{path.name}": f"examples/{path.stem}_{path.suffix[1:]}.md"
        for path in sorted((ROOT / "examples").iterdir())
        if path.suffix in LANGUAGES
    }
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        pages[f"notebooks/{path.name}"] = f"notebooks/{path.stem}.md"
    return {**pages, "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}


def on_config(config: Any) -> Any:
    """Called first."""
    config.markdown_extensions.append(NamesAsLinks())
    return config


def on_files(files: Files, config: Any) -> Files:
    """Called with the files of docs/."""
    for path, page in outside().items():
        text, images = content(path)
        files.append(File.generated(config, page, content=text))
        for name, data in images.items():
            place = posixpath.join(posixpath.dirname(page), name)
            files.append(File.generated(config, place, content=data))
    return files


def content(path: str) -> tuple[str, dict[str, bytes]]:
    """The text of a page for a file of the repository, and the images beside it."""
    text = (ROOT / path).read_text(encoding="utf-8")
    suffix = Path(path).suffix
    if suffix == ".ipynb":
        return notebook_page.page(nbformat.reads(text, as_version=4), Path(path).stem)
    if suffix in LANGUAGES:
        text = f"# {path}\n\n```{LANGUAGES[suffix]}\n{text}```\n"
    return text, {}


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Called with the text of each page: its links out of docs/ become links to pages.

    In the search the reference comes last, as it has every word of the others many times.
    """
    if page.file.src_uri.startswith("reference/"):
        page.meta["search"] = {"boost": 0.001}  # a title weighs a thousand times a word of text
    pages = outside()
    source = {name: path for path, name in pages.items()}.get(page.file.src_uri)
    folder = posixpath.dirname(source if source else f"docs/{page.file.src_uri}")

    def target(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, match[1]))
        if path in pages:
            name = pages[path]
        elif source and path.startswith("docs/"):
            name = path.removeprefix("docs/")
        else:
            return match[1]
        return posixpath.relpath(name, posixpath.dirname(page.file.src_uri) or ".")

    return LINK.sub(target, markdown)


class NamesAsLinks(Extension):
    """Markdown in which names of our code are references to it."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802  # the name is Markdown's
        """Called by Markdown."""
        md.treeprocessors.register(_Names(md), "names", 5)


class _Names(Treeprocessor):
    def run(self, root: ElementTree.Element) -> None:
        self._visit(root)

    def _visit(self, parent: ElementTree.Element) -> None:
        for index, child in enumerate(list(parent)):
            if child.tag == "code":
                name = full_name(child.text or "")
                if name:
                    parent[index] = _reference(child, name)
            elif child.tag not in ("a", "autoref", "pre", "h1", "h2", "h3", "h4"):
                self._visit(child)


def full_name(code: str) -> str | None:
    """The name that the reference has it under, if the code is one of a package; else None."""
    if not re.fullmatch(r"\w+(\.\w+)+", code):
        return None
    first = code.partition(".")[0]
    if first in PACKAGES:
        return code
    there = [name for name in PACKAGES if (ROOT / name / f"{first}.py").is_file()]
    return f"{there[0]}.{code}" if len(there) == 1 else None


def _reference(code: ElementTree.Element, name: str) -> ElementTree.Element:
    """The same, as an optional reference: it stays plain where the reference does not have it."""
    element = ElementTree.Element("autoref", {"identifier": name, "optional": ""})
    element.append(code)
    element.tail, code.tail = code.tail, None
    return element
