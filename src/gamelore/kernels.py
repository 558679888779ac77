"""How kernels are compiled: by numba, once per machine.

Numba's own cache does not notice when a function that a kernel calls has changed in
another file, so the compiled kernels of a module are kept in a folder named after its
source, all that it imports from gamelore, and the bundles of arrays that there are: a
kernel is stored with the types of its arguments, which may come from anywhere. Where
the folder cannot be written, kernels are compiled in every process anew.
"""

from __future__ import annotations

import ctypes
import hashlib
import pickle
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from time import sleep
from typing import Any

import llvmlite.ir
import numba
import numba.experimental.function_type  # knows the types of pointers to kernels
from numba.core import event, types
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    UserProvidedCacheLocator,
)
from numba.core.ccallback import CFunc
from numba.core.runtime.nrt import rtsys
from numba.extending import intrinsic

from gamelore._compile_kernels import KernelCompiler, PartCompiler
from gamelore.cache import cache_folder, report_unwritable
from gamelore.files import LockedError, locked

_SOURCE = Path(__file__).parent.parent
_PROGRAM = "circuit/program.py"
_BUNDLE = re.compile(r"^class (\w+)\(NamedTuple\):\n((?: .*\n|\n)*)", re.MULTILINE)
_FIELD = re.compile(r"^    (\w+):", re.MULTILINE)
_IMPORT = re.compile(r"^from (gamelore\.[\w.]+) import ", re.MULTILINE)


@cache
def kernel_folder(module: str) -> Path:
    """Return where the compiled kernels of a module, as it is now, are kept."""
    digest = hashlib.sha256(f"{numba.__version__} {_bundles()}".encode())
    for source in sorted(_sources(module)):
        digest.update(source.read_bytes())
    return cache_folder() / f"kernels-{digest.hexdigest()[:16]}"


@cache
def _bundles() -> str:
    """Return the name and the fields of every bundle of arrays that kernels take."""
    package = _SOURCE / "gamelore"
    found = []
    for source in sorted([*package.rglob("_*kernels*.py"), package / _PROGRAM]):
        for bundle in _BUNDLE.finditer(source.read_text(encoding="utf-8")):
            module = source.relative_to(_SOURCE).as_posix()
            fields = " ".join(_FIELD.findall(bundle[2]))
            found.append(f"{module} {bundle[1]}: {fields}")
    return "\n".join(found)


@cache
def _sources(module: str) -> frozenset[Path]:
    """Return the file of a module, and those its kernels may contain code of."""
    path = _SOURCE.joinpath(*module.split(".")).with_suffix(".py")
    found = {path}
    for imported in _IMPORT.findall(path.read_text(encoding="utf-8")):
        if imported == __name__ or imported.rpartition(".")[2].startswith("_"):
            found |= _sources(imported)
        else:
            found.add(_SOURCE.joinpath(*imported.split(".")).with_suffix(".py"))
    return frozenset(found)


@contextmanager
def report_compilation(report: Callable[[str], None]) -> Iterator[None]:
    """Call `report` with the name of each kernel that is about to be compiled."""
    with event.install_listener("numba:compile", _CompilationListener(report)):
        yield


class _CompilationListener(event.Listener):  # type: ignore[misc]
    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report

    def on_start(self, event: Any) -> None:
        self._report(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: Any) -> None:
        pass


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function on first use, without the GIL, and keep the result on disk."""
    return _kernel(function)


def part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that only kernels call.

    Python cannot call it, which saves the code that would take its arguments apart: for
    bundles of arrays that is more than the function itself.
    """
    return _part(function)


def lean(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a kernel that allocates nothing, and so need not count references.

    Counting takes longer than the work where bundles of arrays go through small steps.
    """
    return _kernel(function, _nrt=False)


def lean_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that only lean kernels call, into each of them."""
    return _part(function, forceinline=True, _nrt=False)


def lean_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that only kernels call, and that allocates nothing, apart.

    It may call itself; LLVM decides which of its calls it becomes a part of.
    """
    return _part(function, _nrt=False)


def as_part(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a lean kernel for other lean kernels, without an entry for Python."""
    compiled: Any = kernel
    return _part(compiled.py_func, _nrt=False)


def direct(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel that Python calls without having all argument types found out.

    Numba does that at every call, which takes it 0.4 ms where bundles of arrays hold a
    pointer to a kernel. Here types are told by the classes of the arguments alone, so
    arrays in the same place must be alike and contiguous from call to call.
    """
    compiled: Any = kernel
    entries: dict[tuple[type, ...], Callable[..., Any]] = {}

    def call(*arguments: Any) -> Any:
        if compiled.py_func.__name__ in _only:
            compiled.compile(tuple(map(numba.typeof, arguments)))
            raise _CompiledOnly
        classes = tuple(map(type, arguments))
        entry = entries.get(classes)
        if entry is not None:
            return entry(*arguments)
        result = compiled(*arguments)
        signature = tuple(map(numba.typeof, arguments))
        if signature in compiled.overloads:
            entries[classes] = compiled.overloads[signature].entry_point
        return result

    return call


def compile_only(name: str, use: Callable[[], object]) -> None:
    """Compile the kernel that `use` calls by way of `direct`, and do not run it.

    Pointers made meanwhile are good for their types alone: they are not compiled.
    """
    _only.append(name)
    try:
        use()
    except _CompiledOnly:
        pass
    finally:
        _only.remove(name)


class _CompiledOnly(BaseException):
    """The kernel is there that was wanted."""


_only: list[str] = []


@contextmanager
def when_compiling(do: Callable[[], None]) -> Iterator[None]:
    """Call a function once, when the first kernel is about to be compiled and kept."""
    pending = [do]
    _pending.append(pending)
    try:
        yield
    finally:
        _pending.remove(pending)


_pending: list[list[Callable[[], None]]] = []


def pointer(function: Callable[..., Any], result: Any, *arguments: Any) -> Any:
    """Compile a function that kernels call through a pointer they are given.

    A kernel's code contains that of all it calls, so what is large and called from many
    is compiled apart, once. Result and arguments are examples of their types.
    """
    return _pointed(function, result, arguments)


def lean_pointer(function: Callable[..., Any], result: Any, *arguments: Any) -> Any:
    """The same for a function that allocates nothing: no references are counted."""
    return _pointed(function, result, arguments, _nrt=False)


@intrinsic  # type: ignore[untyped-decorator]
def call_address(context: Any, address: Any, arguments: Any) -> Any:
    """Call a function by the address of a pointer, in a kernel; it returns int64.

    To give kernels an address takes no time, a pointer some 0.1 ms. The arguments are a
    tuple, of exactly the types that the pointer was made with.
    """

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        values = [builder.extract_value(given[1], i) for i in range(len(arguments))]
        kinds = [context.get_value_type(kind) for kind in arguments]
        kind = llvmlite.ir.FunctionType(llvmlite.ir.IntType(64), kinds)
        function = builder.inttoptr(given[0], kind.as_pointer())
        return builder.call(function, values)

    return types.int64(types.uint64, arguments), code


@cache
def absent_address() -> int:
    """Return an address for kernels that never call it; what is there returns 0."""
    address = ctypes.cast(_absent, ctypes.c_void_p).value
    assert address is not None
    return address


_absent = ctypes.CFUNCTYPE(ctypes.c_int64)(lambda: 0)


def _pointed(
    function: Callable[..., Any],
    result: Any,
    arguments: tuple[Any, ...],
    **options: bool,
) -> Any:
    signature = tuple(map(numba.typeof, arguments)), numba.typeof(result)
    compiled: Any = CFunc(
        function,
        signature,
        {},
        {"error_model": "numpy", **options},
        pipeline_class=KernelCompiler,
    )
    compiled._cache = _KernelCache(function)
    if not _only:
        compiled.compile()
    return compiled


def _kernel(function: Callable[..., Any], **options: bool) -> Callable[..., Any]:
    compiled: Any = _compiled(function, pipeline_class=KernelCompiler, **options)
    compiled._cache = _KernelCache(function)
    dispatcher: Callable[..., Any] = compiled
    return dispatcher


def _part(function: Callable[..., Any], **options: bool) -> Callable[..., Any]:
    return _compiled(
        function, pipeline_class=PartCompiler, no_cpython_wrapper=True, **options
    )


def _compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    compile_it: Any = numba.njit
    # A wrapper for C would only be needed if kernels were values to other kernels.
    compile_it = compile_it(
        nogil=True, error_model="numpy", no_cfunc_wrapper=True, **options
    )
    dispatcher: Any = compile_it(function)
    find_template = dispatcher.get_call_template

    def find_one_template(arguments: Any, named: Any) -> Any:
        """Numba would compile a function anew for each constant it is called with."""
        plain = tuple(map(types.unliteral, arguments))
        named = {name: types.unliteral(kind) for name, kind in named.items()}
        return find_template(plain, named)

    dispatcher.get_call_template = find_one_template
    found: Callable[..., Any] = dispatcher
    return found


class KernelCacheLocator(UserProvidedCacheLocator):  # type: ignore[misc]  # numba has no types
    """Keeps kernels in our folder, which is named after all they are made of."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file = file
        self._lineno = function.__code__.co_firstlineno
        self._cache_path = str(kernel_folder(function.__module__))

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> KernelCacheLocator:
        return cls(py_func, py_file)

    def get_cache_path(self) -> str:
        return self._cache_path

    def get_source_stamp(self) -> int:
        return 0


class _Format(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [KernelCacheLocator]  # noqa: RUF012 - as numba has it


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """Compiled kernels on disk; what cannot be read or written is done without.

    While one process compiles a kernel, others that need it wait for the result.
    """

    _impl_class = _Format

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._lock = Path(self._cache_path) / f"{function.__name__}.lock"
        self._turn = ExitStack()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        self._turn.close()  # in case that compiling failed
        kept = self._load(sig, target_context)
        if kept is None and self._await_turn():
            kept = self._load(sig, target_context)
            if kept is not None:
                self._turn.close()
        return kept

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            report_unwritable(error)
            self.disable()
        except _DAMAGE:  # of the index: write another one
            self.flush()
        finally:
            self._turn.close()

    def _load(self, sig: Any, target_context: Any) -> Any:
        """Return a kernel from disk, without what only compiling needs.

        Numba's own method first imports and registers all that it could compile, which
        takes as long as importing numba. Compiled code needs no more than the runtime.
        """
        try:
            rtsys.initialize(target_context)
            return self._load_overload(sig, target_context)
        except (OSError, *_DAMAGE):
            return None

    def _await_turn(self) -> bool:
        """Take the kernel's lock; return whether another process had it."""
        for attempt in range(int(_PATIENCE / _PAUSE)):
            try:
                self._lock.parent.mkdir(parents=True, exist_ok=True)
                self._turn.enter_context(locked(self._lock))
                for pending in _pending:
                    if pending:
                        pending.pop()()
                return attempt > 0
            except LockedError:
                sleep(_PAUSE)
            except OSError:
                return False
        return False


PART: Any = {
    "pipeline_class": PartCompiler,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,
}
"""Options of numba's for what is only a part of kernels, and counts no references."""

_PAUSE, _PATIENCE = 0.05, 600
"""Seconds between attempts at a lock, and until a kernel is compiled without it."""

_DAMAGE = (EOFError, pickle.UnpicklingError, AttributeError, ImportError, IndexError)
"""What reading a damaged pickle raises."""
