"""The one decorator behind which compilation hides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Record: TypeAlias = Any  # a GAME or VIEW record inside a kernel, its fields read as attributes

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile `function` on its first call and keep the machine code for later processes.

    Numba keeps it beside the source or, where that cannot be written, in the user's cache
    directory. Where neither can be written the function is compiled anew in each process.
    """
    try:
        compiler = numba.njit(cache=True, nogil=True, error_model="numpy")
        return cast(F, compiler(function))
    except RuntimeError:  # no writable place for the cache
        compiler = numba.njit(nogil=True, error_model="numpy")
        return cast(F, compiler(function))


@compiled
def whole(x: Any) -> int:
    """Any integer as a signed 64-bit one, the only kind that kernels calculate with."""
    return np.int64(x)  # type: ignore[return-value]  # an int to compiled code


class _Fields(np.record):  # type: ignore[misc]  # the stubs call it final, NumPy does not
    """A record whose fields come before NumPy's own attributes, as they do in compiled code."""

    def __getattribute__(self, name: str) -> Any:
        fields = super().__getattribute__("dtype").names or ()
        return self[name] if name in fields else super().__getattribute__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def records(array: NDArray[np.void]) -> NDArray[np.void]:
    """The same memory, in the form whose fields kernels can read with compilation off."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # read from the environment
        return array.view(np.dtype((_Fields, array.dtype)))
    return array
