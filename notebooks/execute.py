"""Executes the notebooks and writes what comes out back into them.

    python notebooks/execute.py

Each is executed from its first cell to its last, in a folder of its own that is gone afterwards. An
error in a cell is an error here. What is written changes only where code, text or results do: there
are no execution counts, times or metadata in it. `make notebooks` runs this; the tests do so with
--small and --out.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from traitlets.config import Config

FOLDER = Path(__file__).parent
SMALL = "CHICKENFOOT_SMALL"  # the cells with budgets look for this variable
SECONDS = 900.0  # for one cell
LANGUAGE = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def execute(path: Path) -> NotebookNode:
    """The notebook with its outputs.

    Raises:
        nbclient.exceptions.CellExecutionError: if a cell fails; the message shows it.
    """
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        place = {"metadata": {"path": folder}}
        client = NotebookClient(
            notebook,
            timeout=SECONDS,
            resources=place,
            coalesce_streams=True,
            record_timing=False,
            config=Config({"KernelManager": {"transport_encryption": "auto"}}),
        )
        client.execute()
    return steady(notebook)


def steady(notebook: NotebookNode) -> NotebookNode:
    """The same without all that differs from run to run."""
    notebook.metadata = nbformat.from_dict(LANGUAGE)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
        if cell.cell_type == "code":
            cell.execution_count = None
            for output in cell.outputs:
                output.pop("metadata", None)
                if output.output_type in ("display_data", "execute_result"):
                    output.metadata = nbformat.from_dict({})
                if output.output_type == "execute_result":
                    output.execution_count = None
    return notebook


def set_environment(small: bool, own: Path) -> None:
    """Give kernels this Python's commands, one thread each, and no settings of the user's."""
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    os.environ |= {"IPYTHONDIR": str(own), "JUPYTER_CONFIG_DIR": str(own), "OMP_NUM_THREADS": "1"}
    os.environ.pop(SMALL, None)
    if small:
        os.environ[SMALL] = "1"


def main() -> None:
    """Execute the notebooks that are named, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("numbers", nargs="*", help="how the names begin, such as 01; none: all")
    parser.add_argument("--small", action="store_true", help="with small budgets")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder for the results")
    arguments = parser.parse_args()
    chosen = tuple(arguments.numbers) or ("",)
    paths = [path for path in sorted(FOLDER.glob("*.ipynb")) if path.name.startswith(chosen)]
    if not paths:
        parser.error(f"no notebook begins with {' or '.join(chosen)}")
    with tempfile.TemporaryDirectory() as own:
        set_environment(arguments.small, Path(own))
        for path in paths:
            began = time.monotonic()
            nbformat.write(execute(path), arguments.out / path.name)
            print(f"{path.name}  {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
