"""How kernels are compiled: by numba, once per machine.

Numba's own cache does not notice when a function that a kernel calls has changed in
another file, so the compiled kernels of a module are kept in a folder named after its
source, all that it imports from gamelore, and the bundles of arrays that there are: a
kernel is stored with the types of its arguments, which may come from anywhere.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numba

from gamelore.cache import cache_folder

_SOURCE = Path(__file__).parent.parent
_PROGRAM = "circuit/schedule.py"
_BUNDLE = re.compile(r"^class (\w+)\(NamedTuple\):\n((?: .*\n|\n)*)", re.MULTILINE)
_FIELD = re.compile(r"^    (\w+):", re.MULTILINE)


@cache
def kernel_folder(module: str) -> Path:
    """Where the compiled kernels of a module, as it is now, are kept."""
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
    """The file of a module, and those that its kernels may contain code of."""
    path = _SOURCE.joinpath(*module.split(".")).with_suffix(".py")
    found = {path}
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            "gamelore."
        ):
            imported = str(node.module)
            if imported.rpartition(".")[2].startswith("_"):
                found |= _sources(imported)
            else:
                found.add(_SOURCE.joinpath(*imported.split(".")).with_suffix(".py"))
    return frozenset(found)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function on first use, without the GIL, and keep the result on disk."""
    return _compiled(function)


def part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that only kernels call.

    Python cannot call it, which saves the code that would take its arguments apart: for
    bundles of arrays that is more than the function itself.
    """
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def lean(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a kernel that allocates nothing, and so need not count references.

    Counting takes longer than the work where bundles of arrays go through small steps.
    """
    return _compiled(function, _nrt=False)


def lean_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that only lean kernels call, into each of them."""
    return _compiled(
        function,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        forceinline=True,
        _nrt=False,
    )


def lean_recursion(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that calls itself, for lean kernels."""
    return _compiled(
        function, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False
    )


def direct(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Let Python call a kernel without having the types of all its arguments found out.

    Numba does that at every call, which takes it 0.4 ms where bundles of arrays hold a
    pointer to a kernel. Here types are told by the classes of the arguments alone, so
    arrays in the same place must be alike and contiguous from call to call.
    """
    compiled: Any = kernel
    entries: dict[tuple[type, ...], Callable[..., Any]] = {}

    def call(*arguments: Any) -> Any:
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


def pointer(function: Callable[..., Any], result: Any, *arguments: Any) -> Any:
    """Compile a function that kernels call through a pointer they are given.

    A kernel's code contains that of all it calls, so what is large and called from many
    is compiled apart, once. Result and arguments are examples of their types.
    """
    return _pointed(function, result, arguments)


def lean_pointer(function: Callable[..., Any], result: Any, *arguments: Any) -> Any:
    """The same for a function that allocates nothing: no references are counted."""
    return _pointed(function, result, arguments, _nrt=False)


def _pointed(
    function: Callable[..., Any],
    result: Any,
    arguments: tuple[Any, ...],
    **options: bool,
) -> Any:
    signature = numba.typeof(result)(*map(numba.typeof, arguments))
    compile_it: Any = numba.cfunc
    with _kernel_cache(function):
        return compile_it(signature, cache=True, error_model="numpy", **options)(
            function
        )


def _compiled(function: Callable[..., Any], **options: bool) -> Callable[..., Any]:
    with _kernel_cache(function):
        compile_it: Any = numba.njit
        return compile_it(cache=True, nogil=True, error_model="numpy", **options)(
            function
        )


class KernelCacheLocator:
    """Has numba keep a kernel in the folder of its module's sources.

    Numba's own locators put the path of the source file into that of the cache, so that
    every clone and every environment compiles all kernels again.
    """

    def __init__(self, function: Callable[..., Any], path: str) -> None:
        self._folder = kernel_folder(function.__module__)
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(
        cls, function: Callable[..., Any], path: str
    ) -> KernelCacheLocator | None:
        locator = cls(function, path)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator

    def ensure_cache_path(self) -> None:
        """Make the folder; raise `OSError` where nothing can be written there."""
        self._folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=self._folder).close()

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name  # names the sources already

    def get_disambiguator(self) -> str:
        return str(self._line)


@contextmanager
def _kernel_cache(function: Callable[..., Any]) -> Iterator[None]:
    """Let numba keep what is compiled here in our folder."""
    config: Any = numba.config
    folder, locators = config.CACHE_DIR, getattr(config, "CACHE_LOCATOR_CLASSES", "")
    config.CACHE_DIR = str(kernel_folder(function.__module__))
    config.CACHE_LOCATOR_CLASSES = f"{__name__}.{KernelCacheLocator.__name__}"
    try:
        yield
    finally:
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = folder, locators
