"""A second process that compiles kernels which this one is going to need.

Each kernel is compiled by one process, while others that need it wait; so on a new
machine two cores have it ready sooner. Where kernels are there already, no process is
begun.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from threading import Thread

from gamelore.kernels import when_compiling
from gamelore.processors import count_cores

_INPUT = 0  # the number of standard input's file
_COMMAND = "from gamelore.ahead import work; work()"


@contextmanager
def compiled_ahead(task: str) -> Iterator[None]:
    """Have a process do a task as soon as this one has a kernel to compile.

    The task is the import path of a function, as in "package.module:function". The
    process ends with the block, if not before.
    """
    with ExitStack() as running:

        def begin() -> None:
            running.enter_context(_process(task))

        if count_cores() > 1:
            running.enter_context(when_compiling(begin))
        yield


@contextmanager
def _process(task: str) -> Iterator[int]:
    """Have a process do a task while the block runs; its number."""
    process = subprocess.Popen(
        [sys.executable, "-c", _COMMAND, task],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # an interrupt is for the process that began it
    )
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()
        assert process.stdin is not None
        process.stdin.close()


def work() -> None:
    """Do the task that the command line names, while standard input stays open.

    That is closed when the process that began this one ends, however it ends.
    """
    Thread(target=_end_with_input, daemon=True).start()
    module, _, name = sys.argv[1].partition(":")
    getattr(import_module(module), name)()


def _end_with_input() -> None:
    while os.read(_INPUT, 1):
        pass
    os._exit(0)
