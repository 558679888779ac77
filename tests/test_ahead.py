"""Another process compiles kernels, where some are missing, and stays with nobody."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from gamelore import ahead
from gamelore.ahead import compiled_ahead
from gamelore.engine.compiled import _kernels_64
from gamelore.engine.compiled.ahead import TASK as STEP
from gamelore.kernels import compile_only, direct, kernel, kernel_folder, pointer
from gamelore.learn.ahead import TASK as LEARNING
from gamelore.search.mcts.ahead import TASK as SEARCH


def triple(number: int) -> int:
    return 3 * number


def treble(number: int) -> int:
    return number + number + number


triple.__module__ = treble.__module__ = _kernels_64.__name__


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Keep kernels in a folder of the test's own."""
    monkeypatch.setenv("GAMELORE_CACHE", str(tmp_path / "cache"))
    kernel_folder.cache_clear()
    yield tmp_path / "cache"
    kernel_folder.cache_clear()


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What processes were begun for, and ended; there are none."""
    log: list[str] = []

    @contextmanager
    def process(task: str) -> Iterator[int]:
        log.append(task)
        yield 0
        log.append(f"end of {task}")

    monkeypatch.setattr(ahead, "_process", process)
    monkeypatch.setattr(ahead, "count_cores", lambda: 2)
    return log


def test_a_process_is_begun_when_the_first_kernel_is_missing(begun: list[str]) -> None:
    with compiled_ahead("task"):
        assert begun == []
        assert kernel(triple)(2) == 6
        assert begun == ["task"]
        assert kernel(treble)(2) == 6
        assert begun == ["task"]
    assert begun == ["task", "end of task"]
    with compiled_ahead("task"):
        assert kernel(triple)(2) == 6
    assert begun == ["task", "end of task"]


def test_one_core_is_for_one_process(
    begun: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "count_cores", lambda: 1)
    with compiled_ahead("task"):
        assert kernel(triple)(2) == 6
    assert begun == []


def test_a_kernel_may_be_compiled_without_being_run(empty_cache: Path) -> None:
    known: list[Any] = []

    def use() -> None:
        known.append(pointer(treble, 1, 1))
        direct(kernel(triple))(2)
        raise AssertionError("it was run")

    compile_only("triple", use)
    assert [path.name for path in empty_cache.rglob("*treble*.nbc")] == []
    assert len([*empty_cache.rglob("*triple*.nbc")]) == 1
    assert kernel(triple)(2) == 6
    assert known[0].address is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "name"),
    [(STEP, "step"), (SEARCH, "search_on"), (LEARNING, "run_table_matches")],
)
def test_tasks_compile_what_they_are_for(
    task: str, name: str, empty_cache: Path
) -> None:
    command = [sys.executable, "-c", "from gamelore.ahead import work; work()", task]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.wait() == 0
    assert len([*empty_cache.rglob(f"*.{name}-*.nbc")]) == 1


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for_end(process: int) -> None:
    for _ in range(600):
        if not is_running(process):
            return
        sleep(0.1)
    os.kill(process, signal.SIGKILL)
    pytest.fail("the process stays")


_KILLED = """
import sys, time
from gamelore import ahead
with ahead._process("signal:pause") as process:
    print(process, flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_process_ends_with_the_one_that_began_it(number: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _KILLED], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        process = int(parent.stdout.readline())
        assert is_running(process)
        parent.send_signal(number)
        parent.wait()
        wait_for_end(process)


def test_the_process_ends_with_the_block() -> None:
    with ahead._process("signal:pause") as process:
        assert is_running(process)
    assert not is_running(process)
