"""Numba's compiler, as kernels need it.

Bundles of arrays are what makes kernels large: numba hands each field of each array
from function to function, and keeps whole bundles in memory while a function runs. Here
they stay values, so that only what is used of them is left when LLVM begins its work.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from llvmlite import binding as llvm
from llvmlite.ir import IRBuilder
from llvmlite.ir.instructions import InsertValue
from numba.core import ir
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import InlineOverloads, NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from gamelore.garbage import no_collections

_LEFT_OUT = (InlineClosureLikes, InlineOverloads, NopythonRewrites)
"""Numba's passes for what kernels have none of: closures and expressions of arrays."""


class _Builder(IRBuilder):  # type: ignore[misc]
    """Takes values from what was put together of them, where that is known.

    To hand a bundle on is to take all of its fields from it, a hundred and more.
    """

    def extract_value(self, agg: Any, idx: Any, name: str = "") -> Any:
        path = [idx] if isinstance(idx, int) else list(idx)
        while isinstance(agg, InsertValue):
            whole, value = agg.operands
            where = list(agg.indices)
            shared = min(len(where), len(path))
            if where[:shared] != path[:shared]:
                agg = whole
            elif len(where) <= len(path):
                agg, path = value, path[len(where) :]
                if not path:
                    return agg
            else:
                break
        return super().extract_value(agg, path, name)


class _Lower(Lower):  # type: ignore[misc]
    """Turns a function into LLVM's language; what is set once at its start is a value.

    Numba keeps variables that several blocks use in memory, and clears them when they
    are used no more. Where references are counted, it must.
    """

    def setup_function(self, fndesc: Any) -> None:
        super().setup_function(fndesc)
        self.builder = _Builder(self.entry_block)
        self.call_helper = self.call_conv.init_call_helper(self.builder)

    def post_lower(self) -> None:
        super().post_lower()
        _drop_unused(self.function)

    def _find_singly_assigned_variable(self) -> None:
        super()._find_singly_assigned_variable()
        self._values: dict[str, Any] = {}
        self._lasting: set[str] = set()
        if not self.context.enable_nrt:
            assigned = [block.find_insts(ir.Assign) for block in self.blocks.values()]
            times = Counter(one.target.name for block in assigned for one in block)
            begin = self.blocks[self.firstblk].find_insts(ir.Assign)
            names = {one.target.name for one in begin}
            self._lasting = {name for name in names if times[name] == 1}

    def _alloca_var(self, name: str, fetype: Any) -> None:
        if name not in self._lasting:
            super()._alloca_var(name, fetype)

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        if name in self._lasting:
            self._values[name] = value
        else:
            super().storevar(value, name, argidx)

    def loadvar(self, name: str) -> Any:
        if name in self._lasting:
            return self._values[name]
        return super().loadvar(name)

    def delvar(self, name: str) -> None:
        if self.context.enable_nrt:
            super().delvar(name)


def _list_incoming(instruction: Any) -> list[Any]:
    """Return the values of a phi, which are no operands to llvmlite."""
    return [value for value, _ in getattr(instruction, "incomings", ())]


def _drop_unused(function: Any) -> None:
    """Drop what was put together of values, and is used no more."""
    blocks = function.blocks
    uses = Counter(
        id(operand)
        for block in blocks
        for instruction in block.instructions
        for operand in (*instruction.operands, *_list_incoming(instruction))
    )
    for block in reversed(blocks):
        kept = []
        for instruction in reversed(block.instructions):
            if isinstance(instruction, InsertValue) and not uses[id(instruction)]:
                uses.subtract(map(id, instruction.operands))
            else:
                kept.append(instruction)
        block.instructions[:] = reversed(kept)


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):  # type: ignore[misc]
    _name = "kernel_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        return _Lower


class _Compiler(Compiler):  # type: ignore[misc]
    """Runs the passes of numba that kernels need."""

    def define_pipelines(self) -> list[Any]:
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [
            (_Lowering if kind is NativeLowering else kind, text)
            for kind, text in manager.passes
            if kind not in _LEFT_OUT
        ]
        manager._finalized = False
        manager.finalize()
        return [manager]

    def compile_extra(self, function: Any) -> Any:
        with no_collections():
            return super().compile_extra(function)


class KernelCompiler(_Compiler):
    """Compiles a kernel."""

    def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
        super().__init__(typing, target, library, *others)
        self.state.library = _KernelLibrary(self.state.targetctx.codegen(), "kernel")
        self.state.library.enable_object_caching()


class PartCompiler(_Compiler):
    """Compiles a part as far as the kernels need it that will contain it."""

    def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
        super().__init__(typing, target, library, *others)
        self.state.library = _PartLibrary(target.codegen(), "part")


class _KernelLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel: memory and bundles are taken apart before anything else."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout
        if _HAS_PASSES:
            passes = llvm.create_new_function_pass_manager()
            passes.add_sroa_pass()
            passes.add_instruction_combine_pass()
            passes.add_simplify_cfg_pass()
            options = llvm.create_pipeline_tuning_options()
            builder = llvm.create_pass_builder(self._codegen._tm, options)
            for function in module.functions:
                if not function.is_declaration:
                    passes.run(function, builder)
        super()._optimize_functions(module)


class _PartLibrary(_KernelLibrary):
    """The code of a part: optimised and made executable in kernels, never by itself.

    A kernel is optimised with all that it contains, so what was done before to each
    part, and to the parts within parts, would be done again.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        """Make known to the engine only what numba refers to by address."""
        variables = self._final_module.global_variables
        environments = [str(v) for v in variables if v.name.startswith(_ENVIRONMENT)]
        self._codegen._add_module(llvm.parse_assembly("\n".join(environments)))
        self._finalize_dynamic_globals()
        self._finalized = True


_HAS_PASSES = hasattr(llvm, "create_new_function_pass_manager") and hasattr(
    llvm.newpassmanagers.FunctionPassManager, "add_sroa_pass"
)
"""Whether this version of llvmlite lets us choose passes one by one."""

_ENVIRONMENT = "_ZN08NumbaEnv"
"""How the names of numba's variables begin that point to a function's globals."""
