"""The notebooks: their form, what is kept of their outputs, and that every cell runs.

Here they run with small budgets, but for the one on training: it needs PyTorch, which the extra
`dev` does not bring. `tests/doors/test_notebook_of_training.py` runs it, in `make doors-short`.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode

FOLDER = Path(__file__).parent.parent / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))
NAMES = [path.stem for path in PATHS]
TRAINING = "03_train_ppo"
MOST_BYTES = 150_000
MOST_LINES = 5  # of a function


@pytest.fixture(params=PATHS, ids=NAMES)
def path(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param
    return found


@pytest.fixture
def notebook(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def executed(name: str, out: Path) -> NotebookNode:
    """The notebook with its outputs after all its cells have run with small budgets."""
    number = name.partition("_")[0]
    words = [sys.executable, FOLDER / "execute.py", number, "--small", "--out", out]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return nbformat.read(out / f"{name}.ipynb", as_version=4)


def kinds_of_outputs(notebook: NotebookNode) -> list[list[str]]:
    """For each cell, what comes out of it."""
    return [[output_kind(output) for output in cell.get("outputs", [])] for cell in notebook.cells]


def output_kind(output: NotebookNode) -> str:
    return str(output.name) if output.output_type == "stream" else "+".join(sorted(output.data))


def texts(notebook: NotebookNode) -> Iterator[str]:
    """All that is printed or shown as text or SVG."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            yield output.get("text", "")
            data = output.get("data", {})
            yield from (data[kind] for kind in data if kind != "image/png")


def functions(notebook: NotebookNode) -> Iterator[ast.FunctionDef]:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            tree = ast.parse(TransformerManager().transform_cell(cell.source))
            yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def test_there_are_five_in_order() -> None:
    assert [name[:2] for name in NAMES] == ["01", "02", "03", "04", "05"]
    assert TRAINING in NAMES


def test_each_is_a_valid_notebook(notebook: NotebookNode) -> None:
    nbformat.validate(notebook)
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)


def test_each_begins_with_its_title_and_says_how_long_it_takes(
    path: Path, notebook: NotebookNode
) -> None:
    first = notebook.cells[0].source
    assert first.startswith(f"# {int(path.stem[:2])}. ")
    assert "running" in first and "minute" in first


def test_outputs_are_kept_and_none_is_an_error_or_a_warning(notebook: NotebookNode) -> None:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert {"stream", "display_data"} <= {output.output_type for output in outputs}
    assert all(output.output_type != "error" for output in outputs)
    assert all(output.get("name") != "stderr" for output in outputs)


def test_nothing_is_kept_that_differs_from_run_to_run(notebook: NotebookNode) -> None:
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    for cell in notebook.cells:
        assert not cell.metadata and cell.get("execution_count") is None
    assert not [text for text in texts(notebook) if re.search(r"\b0x[0-9a-f]{6}", text)]


def test_no_output_names_a_folder_of_the_machine(notebook: NotebookNode) -> None:
    folders = ("/home/", "/root", "/tmp/", "/usr/", "/Users/", sys.prefix, str(FOLDER.parent))
    assert not [text for text in texts(notebook) if any(folder in text for folder in folders)]


def test_each_is_small(path: Path) -> None:
    assert path.stat().st_size < MOST_BYTES


def test_no_function_is_long(notebook: NotebookNode) -> None:
    for function in functions(notebook):
        assert function.end_lineno is not None
        assert function.end_lineno - function.lineno < MOST_LINES, function.name


def test_links_lead_to_files(notebook: NotebookNode) -> None:
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", prose):
        assert (FOLDER / target).exists(), target


@pytest.mark.parametrize("name", [name for name in NAMES if name != TRAINING])
def test_every_cell_runs(name: str, tmp_path: Path) -> None:
    found = executed(name, tmp_path)
    kept = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    assert [cell.source for cell in found.cells] == [cell.source for cell in kept.cells]
    assert kinds_of_outputs(found) == kinds_of_outputs(kept)
