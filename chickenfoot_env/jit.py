"""Compilation, and the forms that records and integers take in compiled code."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba import extending, types
from numpy.typing import NDArray

from chickenfoot_env.lowering import PartCompiler

Record: TypeAlias = Any  # a GAME or VIEW record inside a kernel, its fields read as attributes

COMPILATION_OFF: Final = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]

# Nothing takes a kernel's address, so the wrapper for that is not compiled.
_OPTIONS: Final[Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_PART_OPTIONS: Final[Any] = {
    **_OPTIONS,
    "no_cpython_wrapper": True,
    "pipeline_class": PartCompiler,
    "_nrt": False,  # no memory is managed: Numba's own name for it
}

_type_of: Final[Any] = numba.typeof

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile `function`, which Python calls, and keep the machine code for later processes.

    It is compiled on its first call, together with all parts that it calls.

    Numba keeps it beside the source or, where that cannot be written, in the user's cache
    directory. Where neither can be written the function is compiled anew in each process.
    """
    if COMPILATION_OFF:
        return np.errstate(over="ignore")(function)  # compiled integers wrap around in silence
    try:
        dispatcher = numba.njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # no writable place for the cache
        return cast(F, numba.njit(**_OPTIONS)(function))
    _stamp(dispatcher, Path(function.__code__.co_filename).parent)
    return cast(F, dispatcher)


def part(function: F) -> F:
    """Let `function` be compiled into the compiled functions that call it.

    A part neither makes nor returns arrays. Numba need not count references in it then, which for
    a tuple of thirty arrays takes longer than most calls.

    Python can call it too, for a test or a try; then it is compiled by itself.
    """
    if COMPILATION_OFF:
        return compiled(function)
    return cast(F, _Part(function))


class Direct:
    """A compiled function, called without Numba's look at the types of its arguments.

    For one game that look takes as long as the work. Whoever calls it has to know that all
    arguments are of the same types each time, and arrays contiguous and aligned; these need not be
    in the form that `records` gives.

    Args:
        function: what `compiled` made.

    Attributes:
        call: the function. Machine code for the arguments of its first call is compiled then.
    """

    __slots__ = ("_function", "call")

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.call: Callable[..., Any] = self._interpreted if COMPILATION_OFF else self._first_call

    def _interpreted(self, *arguments: Any) -> Any:
        """Kernels read fields as attributes."""
        return self._function(
            *(
                records(each) if isinstance(each, np.ndarray) and each.dtype.names else each
                for each in arguments
            )
        )

    def _first_call(self, *arguments: Any) -> Any:
        result = self._function(*arguments)
        types_of = tuple(_type_of(each) for each in arguments)
        self.call = cast(Any, self._function).get_overload(types_of)
        return result


class _Part:
    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.dispatcher = numba.njit(**_PART_OPTIONS)(function)

    def __call__(self, *arguments: Any) -> Any:
        return self._by_itself(*arguments)

    @functools.cached_property
    def _by_itself(self) -> Callable[..., Any]:
        alone: Callable[..., Any] = compiled(self.dispatcher.py_func)
        return alone


@extending.typeof_impl.register(_Part)
def _type_of_part(part: _Part, _context: Any) -> Any:
    return types.Dispatcher(part.dispatcher)


def instruction(build: Callable[[Any, Any], Any]) -> Callable[[F], F]:
    """Let a function of one unsigned integer compile to what `build` makes of it.

    With compilation on, only compiled functions can call it.

    Args:
        build: from an LLVM builder and the argument as a 64-bit value, the 64-bit result.
    """

    def replace(function: F) -> F:
        if COMPILATION_OFF:
            return function

        def typed(_context: Any, argument: Any) -> Any:
            def generate(_target: Any, builder: Any, _signature: Any, values: Any) -> Any:
                return build(builder, values[0])

            return types.int64(types.uint64), generate

        typed.__name__, typed.__doc__ = function.__name__, function.__doc__
        return cast(F, extending.intrinsic(typed))

    return replace


def count_bits(builder: Any, row: Any) -> Any:
    """The machine's instruction for the number of bits set among the low 32."""
    return builder.ctpop(builder.and_(row, row.type(0xFFFFFFFF)))


def count_zeros(builder: Any, row: Any) -> Any:
    """The machine's instruction for the number of zeros below the lowest bit set."""
    return builder.cttz(row, ir.IntType(1)(1))


def _stamp(dispatcher: Any, folder: Path) -> None:
    """Tie the machine code to all sources of its package, those around that, and this one.

    Numba compares the file of the function alone, but the code holds the functions that it calls,
    and constants of other modules.
    """
    packages = [each for each in (folder, *folder.parents) if (each / "__init__.py").is_file()]
    stamp = "".join(_digest(each) for each in (*packages, Path(__file__).parent))
    dispatcher._cache._cache_file._source_stamp = stamp


@functools.cache
def _digest(folder: Path) -> str:
    sources = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        sources.update(path.read_bytes())
    return sources.hexdigest()


# Any integer as a signed 64-bit one, the only kind that kernels calculate with.
whole: Final = cast(Callable[[Any], int], np.int64)


class _Fields(np.record):  # type: ignore[misc]  # the stubs call it final, NumPy does not
    """A record whose fields come before NumPy's own attributes, as they do in compiled code."""

    def __getattribute__(self, name: str) -> Any:
        fields = super().__getattribute__("dtype").names or ()
        return self[name] if name in fields else super().__getattribute__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def records(array: NDArray[np.void]) -> NDArray[np.void]:
    """The same memory, in the form whose fields kernels can read with compilation off."""
    if COMPILATION_OFF:
        return array.view(np.dtype((_Fields, array.dtype)))
    return array
