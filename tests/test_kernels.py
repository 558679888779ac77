"""Compiled kernels are kept by content: every clone and environment shares them."""

from __future__ import annotations

import errno
import gc
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import pytest

from gamelore import cache, kernels
from gamelore.cache import CacheWarning
from gamelore.circuit import compile_game
from gamelore.circuit.program import Program
from gamelore.engine.compiled import _kernels_64
from gamelore.files import locked
from gamelore.games import load
from gamelore.kernels import (
    KernelCacheLocator,
    _bundles,
    absent_address,
    call_address,
    kernel,
    kernel_folder,
    lean,
    part,
    pointer,
    report_compilation,
)


def test_the_cache_does_not_depend_on_where_sources_lie() -> None:
    compiled: Any = _kernels_64.read
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
    fields = known["gamelore/circuit/program.py Program"]
    assert fields.split() == [*Program._fields]


# ── a cache that cannot be used ─────────────────────────────────────────────────────


@pytest.fixture
def cache_at(
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[[Path], None]]:
    """Make kernels believe that the cache is somewhere else."""

    def move(folder: Path) -> None:
        monkeypatch.setenv("GAMELORE_CACHE", str(folder))
        monkeypatch.setattr(cache, "_reported", [])
        kernel_folder.cache_clear()

    yield move
    kernel_folder.cache_clear()


def double(number: int) -> int:
    return 2 * number


double.__module__ = _kernels_64.__name__


def compile_twice() -> list[str]:
    """Compile two kernels that have never been compiled; the warnings there are."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert kernel(double)(21) == 42
        assert pointer(double, 1, 1).ctypes(4) == 8
    assert all(issubclass(one.category, CacheWarning) for one in caught)
    return [str(one.message) for one in caught]


def test_kernels_call_functions_by_their_addresses(
    cache_at: Callable[[Path], None], tmp_path: Path
) -> None:
    cache_at(tmp_path)

    def call(address, number):  # type: ignore[no-untyped-def]
        return call_address(address, (number,)) + 1  # type: ignore[call-arg]

    call.__module__ = double.__module__
    known = pointer(double, 1, 1)
    assert lean(call)(np.uint64(known.address), 20) == 41
    assert lean(call)(np.uint64(absent_address()), 20) == 1


def test_a_cache_that_is_no_folder_is_done_without(
    cache_at: Callable[[Path], None], tmp_path: Path
) -> None:
    blocked = tmp_path / "cache"
    blocked.write_text("in the way")
    cache_at(blocked)
    said = compile_twice()
    assert len(said) == 1
    assert said[0].startswith(f"cannot write to the cache {blocked}: ")
    assert said[0].endswith("; going on without it")


def test_a_full_disk_is_done_without(
    cache_at: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    cache_at(tmp_path)
    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", fail)
    assert compile_twice() == [
        f"cannot write to the cache {tmp_path}: no space left on device; going on"
        " without it"
    ]


def test_a_compiled_game_is_done_without(
    cache_at: Callable[[Path], None], tmp_path: Path
) -> None:
    blocked = tmp_path / "cache"
    blocked.write_text("in the way")
    cache_at(blocked)
    with pytest.warns(CacheWarning, match="going on without it"):
        compiled = compile_game(load("tictactoe"))
    assert compiled.fluents


def test_damaged_files_are_compiled_again(
    cache_at: Callable[[Path], None], tmp_path: Path
) -> None:
    cache_at(tmp_path)
    assert compile_twice() == []
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    for damage in (b"", b"\x80\x04garbage", bytes(range(256))):
        for path in files:
            path.write_bytes(damage)
        assert compile_twice() == []
    np.testing.assert_equal(kernel(double)(np.int64(3)), 6)


def test_a_kernel_is_compiled_by_one_process_at_a_time(
    cache_at: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache_at(tmp_path)
    folder = kernel_folder(double.__module__)
    folder.mkdir(parents=True)
    other = kernel(double)
    compiling = ExitStack()
    compiling.enter_context(locked(folder / "double.lock"))

    def finish(seconds: float) -> None:
        """While one waits, the other process ends what it does."""
        compiling.close()
        assert other(21) == 42

    monkeypatch.setattr(kernels, "sleep", finish)
    reported: list[str] = []
    with report_compilation(reported.append):
        assert kernel(double)(21) == 42
    assert reported == ["double"]
    with locked(folder / "double.lock"):
        assert kernel(double)(4) == 8  # what is there needs no lock


def test_compilation_is_reported() -> None:
    def double(number: int) -> int:
        return 2 * number

    compiled: Any = numba.njit(double)
    reported: list[str] = []
    with report_compilation(reported.append):
        assert compiled(2) == compiled(1) + 2
    assert reported == ["double"]


def wander(pair: tuple[int, int], numbers: npt.NDArray[np.int64], turns: int) -> int:
    """Set some variables once, others in branches and loops, and one not always."""
    first, second = pair
    total = first
    last = second
    for turn in range(turns):
        if numbers[turn] % 2:
            step = numbers[turn] + first
        elif turn:
            step = last - second
        else:
            continue
        first_half = step // 2
        while step > first_half and step > 0:
            step -= 3
            total += step
        last = step
    pair = (total, last)
    return pair[0] * 7 + pair[1] + first


wander.__module__ = _kernels_64.__name__


@pytest.mark.parametrize("compiled", [lean, kernel])
def test_variables_keep_their_values(
    compiled: Callable[..., Any], cache_at: Callable[[Path], None], tmp_path: Path
) -> None:
    cache_at(tmp_path)
    fast = compiled(wander)
    random = np.random.default_rng(5)
    for _ in range(200):
        numbers = random.integers(0, 9, 8)
        pair = (int(random.integers(5)), int(random.integers(5)))
        turns = int(random.integers(9))
        assert fast(pair, numbers, turns) == wander(pair, numbers, turns)


class Inner(NamedTuple):
    numbers: npt.NDArray[np.int64]
    factor: int


class Outer(NamedTuple):
    first: Inner
    second: Inner
    shift: int


def test_bundles_are_handed_on_as_they_are(
    cache_at: Callable[[Path], None], tmp_path: Path
) -> None:
    """Fields are taken from bundles that were put together in several ways."""
    cache_at(tmp_path)

    def add(inner, outer):  # type: ignore[no-untyped-def]
        total = outer.shift
        for number in inner.numbers:
            total += number * inner.factor
        return total

    add.__module__ = _kernels_64.__name__
    called: Any = part(add)

    def combine(outer, turns):  # type: ignore[no-untyped-def]
        chosen, other = outer.first, outer.second
        total = 0
        for turn in range(turns):
            swapped = Outer(other, chosen, outer.shift + turn)
            total = 3 * total + called(swapped.first, swapped) - called(chosen, outer)
            chosen, other = swapped.first, swapped.second
        return total

    combine.__module__ = _kernels_64.__name__
    outer = Outer(Inner(np.arange(5), 3), Inner(np.arange(7) - 2, -2), 11)
    for compiled in (lean, kernel):
        fast = compiled(combine)
        called = part(add)
        found = [fast(outer, turns) for turns in range(6)]
        called = add
        assert found == [combine(outer, turns) for turns in range(6)]  # type: ignore[no-untyped-call]


def test_objects_are_collected_again_after_compiling(
    cache_at: Callable[[Path], None], tmp_path: Path
) -> None:
    cache_at(tmp_path)
    assert kernel(double)(21) == 42
    assert gc.isenabled()


def test_parts_are_compiled_within_kernels_alone(
    cache_at: Callable[[Path], None], tmp_path: Path
) -> None:
    cache_at(tmp_path)
    inner = part(double)

    def outer(number):  # type: ignore[no-untyped-def]
        return inner(inner(number)) + 1

    outer.__module__ = double.__module__
    assert kernel(outer)(5) == 21
    compiled: Any = inner
    (library,) = [result.library for result in compiled.overloads.values()]
    names = [function.name for function in library.get_defined_functions()]
    assert names
    assert not any(map(library.codegen._engine.is_symbol_defined, names))
    kept = {path.name for path in tmp_path.rglob("*.nb*")}
    assert not any("double" in name for name in kept)
