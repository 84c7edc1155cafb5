"""One thread for whatever would start more of them behind our back."""

from __future__ import annotations

import os
from typing import Final

_LIBRARIES: Final = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB", "NUMEXPR")


def use_one_thread() -> None:
    """Tell the linear algebra libraries and JAX; they listen only before they are imported."""
    for library in _LIBRARIES:
        os.environ[f"{library}_NUM_THREADS"] = "1"
    os.environ["VECLIB_MAXIMUM_THREADS"] = "1"
    flags = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flags}".strip()
    os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"  # it would print a line when imported
