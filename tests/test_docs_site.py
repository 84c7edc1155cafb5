"""The documentation site: it builds without a warning, loads nothing, and has no dead links."""

from __future__ import annotations

import base64
import html
import importlib.util
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode, v4

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
MODULES = re.compile(r"^::: (\S+)$", re.MULTILINE)
needs_mkdocs = pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("material", "mkdocstrings_handlers")),
    reason="not installed: the extra docs",
)


@pytest.fixture(scope="module")
def checker() -> dict[str, Any]:
    """The names of docs/check_site.py."""
    return runpy.run_path(str(DOCS / "check_site.py"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make site` builds it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PATH": path},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


@needs_mkdocs
def test_the_site_loads_nothing_and_all_its_links_lead_somewhere(
    site: Path, checker: dict[str, Any]
) -> None:
    faults, outward = checker["examine"](site)
    assert faults == []
    assert "https://pettingzoo.farama.org" in outward


@needs_mkdocs
def test_names_in_the_text_lead_to_the_reference(site: Path) -> None:
    page = (site / "design.html").read_text(encoding="utf-8")
    assert 'href="reference/batch.html#chickenfoot_env.game.GAME"' in page
    assert 'href="reference/kernels.html#chickenfoot_env.kernels"' in page


@needs_mkdocs
def test_files_outside_the_docs_are_pages_and_links_to_them_are_links_to_these(site: Path) -> None:
    page = (site / "protocol.html").read_text(encoding="utf-8")
    assert 'href="examples/heaviest_agent_py.html"' in page
    assert "../examples/heaviest_agent.py" in (DOCS / "protocol.md").read_text(encoding="utf-8")
    assert "json.loads" in re.sub(
        r"<[^>]+>", "", (site / "examples" / "heaviest_agent_py.html").read_text(encoding="utf-8")
    )


@needs_mkdocs
def test_notebooks_are_pages_with_the_outputs_that_are_kept_in_them(site: Path) -> None:
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    assert notebooks
    for path in notebooks:
        text = (site / "notebooks" / f"{path.stem}.html").read_text(encoding="utf-8")
        words = _words(html.unescape(re.sub(r"<[^>]+>", "", text)))
        cells = [cell for cell in _read(path).cells if cell.cell_type == "code"]
        outputs = [output for cell in cells for output in cell.outputs]
        texts = [cell.source for cell in cells]
        texts += [output.text for output in outputs if output.output_type == "stream"]
        assert [one for one in texts if _words(one) not in words] == []
        shown = re.findall(r'<img alt="[^"]+" src="([^"]+)"', text)
        images = [(site / "notebooks" / name).read_bytes() for name in shown]
        assert images == [_image(output.data) for output in outputs if "data" in output]


@needs_mkdocs
def test_links_of_notebooks_lead_to_pages(site: Path) -> None:
    page = (site / "notebooks" / "05_your_own_agent.html").read_text(encoding="utf-8")
    body = page[page.index("<article") : page.index("</article>")]
    assert 'href="04_tournament.html"' in body
    assert 'href="../protocol.html"' in body and 'href="../examples/heaviest_agent_js.html"' in body
    assert ".ipynb" not in body
    assert 'href="notebooks/02_agents_and_search.html"' in (site / "index.html").read_text("utf-8")


def test_a_notebook_with_fences_long_lines_or_an_error() -> None:
    page = runpy.run_path(str(DOCS / "theme" / "notebook_page.py"))["page"]
    cell = v4.new_code_cell("%%bash\necho", outputs=[v4.new_output("stream", text="```\nx\n")])
    wide = v4.new_code_cell("x", outputs=[v4.new_output("stream", text="y" * 121)])
    text, images = page(v4.new_notebook(cells=[v4.new_markdown_cell("# T"), cell, wide]), "n")
    assert text.startswith("# T\n\n``` bash\n%%bash\necho\n```\n\n")
    assert "\n\n```` { .text .no-copy .output }\n```\nx\n````\n" in text
    assert "``` { .text .no-copy .output .fold }\nyyy" in text and images == {}
    failed = v4.new_code_cell("x", outputs=[v4.new_output("error", ename="NameError")])
    with pytest.raises(ValueError, match="n: a cell ends with NameError; run make notebooks"):
        page(v4.new_notebook(cells=[failed]), "n")


@needs_mkdocs
def test_the_reference_shows_fields_and_tables(site: Path) -> None:
    views = (site / "reference" / "views.html").read_text(encoding="utf-8")
    assert "relative seat to act: 0 is the observer" in views
    page = (site / "reference" / "env.html").read_text(encoding="utf-8")
    assert "<td>Observations</td>" in page and "=====" not in page


def test_each_module_of_the_reference_is_there_once() -> None:
    names = [
        name
        for path in sorted((DOCS / "reference").glob("*.md"))
        for name in MODULES.findall(path.read_text(encoding="utf-8"))
    ]
    assert len(names) > 80 and len({*names}) == len(names)
    for name in names:
        path = ROOT.joinpath(*name.split("."))
        assert path.with_suffix(".py").is_file() or (path / "__init__.py").is_file(), name


def test_the_page_of_commands_is_up_to_date() -> None:
    """If not: python docs/make_commands.py."""
    generator = runpy.run_path(str(DOCS / "make_commands.py"))
    written = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    assert written == generator["page"]()


def test_the_bibliography_has_what_the_pages_cite() -> None:
    known = _words((DOCS / "bibliography.md").read_text(encoding="utf-8"))
    text = (DOCS / "evaluation.md").read_text(encoding="utf-8")
    cited = re.findall(r"\*([^*]+)\*,(?: chapter \d+,)?\s+(\d{4})", text)
    assert len(cited) > 8
    for title, year in cited:
        assert _words(title) in known and f"({year})" in known


@pytest.mark.parametrize(
    "name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "tests/README.md"]
)
def test_links_to_files_lead_to_files(name: str) -> None:
    """The site has the pages of docs/ checked; these are read where the repository is."""
    page = ROOT / name
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert links or name != "README.md"
    assert [link for link in links if not (page.parent / link).exists()] == []


FAULTS = {
    '<script src="https://cdn.example.org/x.js"></script>': "loads https://cdn.example.org/x.js",
    '<link rel="stylesheet" href="//fonts.example.org/a.css">': "loads //fonts.example.org/a.css",
    '<a href="missing.html">x</a>': "links to missing.html, which is not there",
    '<a href="other.html#nowhere">x</a>': "links to other.html#nowhere, which is not there",
    '<a href="#nowhere">x</a>': "links to #nowhere, which is not there",
    '<a href="https://nohost">x</a>': "not well-formed: https://nohost",
}


@pytest.mark.parametrize("markup", FAULTS)
def test_each_fault_of_a_site_is_found(
    markup: str, checker: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "other.html").write_text('<h1 id="there">Other</h1>')
    page = tmp_path / "index.html"
    page.write_text('<a href="other.html#there">fine</a> <a href="https://example.org/">out</a>')
    assert checker["examine"](tmp_path) == ([], {"https://example.org/"})
    page.write_text(markup)
    (fault,) = checker["examine"](tmp_path)[0]
    assert fault.endswith(FAULTS[markup])


def test_a_style_that_loads_is_found(checker: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "index.html").touch()
    (tmp_path / "a.css").write_text("a { background: url(data:image/png;base64,x) }")
    assert checker["examine"](tmp_path)[0] == []
    (tmp_path / "a.css").write_text("@import 'https://fonts.example.org/b.css';")
    assert checker["examine"](tmp_path)[0] == ["a.css loads https://fonts.example.org/b.css"]


def _read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def _image(data: NotebookNode) -> bytes:
    svg = data.get("image/svg+xml")
    return svg.encode() if svg else base64.b64decode(data["image/png"])


def _words(text: str) -> str:
    return " ".join(text.lower().split())
