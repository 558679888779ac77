"""Compiled kernels are kept by content: every clone and environment shares them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gamelore.engine.compiled import _kernels_64
from gamelore.kernels import KernelCacheLocator, kernel_folder


def test_the_cache_does_not_depend_on_where_sources_lie() -> None:
    compiled: Any = _kernels_64.value_of
    function = compiled.py_func
    here = KernelCacheLocator.from_function(function, "here/_kernels_64.py")
    there = KernelCacheLocator.from_function(function, "there/_kernels_64.py")
    assert here is not None
    assert there is not None
    assert here.get_cache_path() == there.get_cache_path()
    assert Path(here.get_cache_path()) == kernel_folder(_kernels_64.__name__)


def test_kernels_of_other_sources_have_other_folders() -> None:
    folders = {
        kernel_folder(f"gamelore.engine.compiled.{name}")
        for name in ("_kernels", "_kernels_64", "_feature_kernels")
    }
    assert len(folders) == 3
