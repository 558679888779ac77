"""Compiled kernels are kept by content: every clone and environment shares them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gamelore.circuit.schedule import Program
from gamelore.engine.compiled import _kernels_64
from gamelore.kernels import KernelCacheLocator, _bundles, kernel_folder


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


def test_bundles_of_arrays_are_known_by_their_fields() -> None:
    """Kernels stored with the types of another version could not be loaded."""
    known = dict(line.split(": ", 1) for line in _bundles().splitlines())
    schedule = known["gamelore/circuit/schedule.py Program"]
    assert schedule.split() == [*Program._fields]
