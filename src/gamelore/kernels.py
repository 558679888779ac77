"""How kernels are compiled: by numba, once per machine.

Numba's own cache does not notice when a function that a kernel calls has changed in
another file, so compiled kernels are kept in a folder named after all kernel sources.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

from gamelore.cache import cache_folder


@cache
def kernel_folder() -> Path:
    """Where the compiled form of the present kernels is kept."""
    digest = hashlib.sha256(numba.__version__.encode())
    package = Path(__file__).parent
    for source in sorted([*package.rglob("_kernels.py"), *package.rglob("_lanes.py")]):
        digest.update(source.read_bytes())
    return cache_folder() / f"kernels-{digest.hexdigest()[:16]}"


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function on first use, without the GIL, and keep the result on disk."""
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(kernel_folder())
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy")(function)  # type: ignore[no-any-return]
    finally:
        numba.config.CACHE_DIR = previous
