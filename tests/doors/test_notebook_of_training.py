"""The notebook on training, which needs PyTorch; the others run in tests/test_notebooks.py."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

pytest.importorskip("stable_baselines3")

from test_notebooks import FOLDER, TRAINING, executed, kinds_of_outputs


def test_every_cell_runs(tmp_path: Path) -> None:
    found = executed(TRAINING, tmp_path)
    kept = nbformat.read(FOLDER / f"{TRAINING}.ipynb", as_version=4)
    assert kinds_of_outputs(found) == kinds_of_outputs(kept)
