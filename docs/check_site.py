"""Checks the built site: it loads nothing from elsewhere, and its links lead somewhere.

    python docs/check_site.py site

MkDocs checks the links of the pages that people write; this checks all that came out, those of the
reference included. Links to other sites are listed, and have to be well-formed; nothing is fetched.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {  # tag -> the attributes by which a browser loads something for the page
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "img": ("src", "srcset"),
    "input": ("src",),
    "link": ("href",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
}


class Page(HTMLParser):
    """What a page of HTML loads, links to, and can be linked to by.

    Attributes:
        loaded: addresses that a browser loads to show it.
        links: addresses that a reader may follow.
        anchors: the names after # that lead into it.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called by HTMLParser."""
        given = {name: value for name, value in attrs if value is not None}
        self.loaded += [given[name] for name in LOADED.get(tag, ()) if name in given]
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self.anchors |= {given[name] for name in ("id", "name") if name in given}


def examine(site: Path) -> tuple[list[str], set[str]]:
    """The faults of a built site, a line each, and the addresses elsewhere that it links to."""
    site = site.resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    faults = [] if pages else [f"{site}: no pages; build it first"]
    outward = set[str]()
    for path, page in pages.items():
        where = path.relative_to(site)
        faults += [f"{where} loads {one}" for one in page.loaded if _is_elsewhere(one)]
        for link in page.links:
            if _is_elsewhere(link):
                outward.add(link)
            elif not _leads_somewhere(site, path, link, pages):
                faults.append(f"{where} links to {link}, which is not there")
    faults += [f"not well-formed: {link}" for link in sorted(outward) if not _is_well_formed(link)]
    for path in sorted(site.rglob("*.css")):
        faults += [f"{path.relative_to(site)} loads {one}" for one in _loaded_by_style(path)]
    return faults, outward


def _is_elsewhere(address: str) -> bool:
    return bool(re.match(r"(?!data:)[a-z][a-z0-9+.-]*:|//", address))


def _leads_somewhere(site: Path, page: Path, link: str, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(link)
    name = unquote(parts.path)
    folder = site if name.startswith("/") else page.parent  # the page of errors knows no folder
    path = Path(os.path.normpath(folder / name.lstrip("/"))) if name else page
    if path not in pages:
        return path.is_file() and not parts.fragment
    fragment = unquote(parts.fragment)
    is_of_material = fragment.startswith("__")  # its script makes these
    return not fragment or is_of_material or fragment in pages[path].anchors


def _is_well_formed(link: str) -> bool:
    parts = urlsplit(link)
    host = parts.hostname or ""
    return parts.scheme in ("http", "https") and "." in host and not re.search(r"[\s<>\"]", link)


def _loaded_by_style(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    for address in re.findall(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)", text):
        yield from (one for one in address if one and _is_elsewhere(one))


if __name__ == "__main__":
    found, others = examine(Path(sys.argv[1]))
    print(f"{len(others)} links to other sites, which are not followed:")
    print("\n".join(f"    {link}" for link in sorted(others)))
    if found:
        sys.exit("\n".join(found))
