"""Progress on standard error, if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from gamelore.kernels import report_compilation


@contextmanager
def waiting(message: str) -> Iterator[None]:
    """Show a line with a message, the seconds so far, and kernels being compiled."""
    if not sys.stderr.isatty():
        yield
        return
    columns = SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}")
    with Progress(*columns, console=Console(stderr=True), transient=True) as line:
        task = line.add_task(message, total=None)

        def report(kernel: str) -> None:
            text = f"compiling kernels, once on this machine: {kernel}"
            line.update(task, description=text)

        with report_compilation(report):
            yield


@contextmanager
def progress(message: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar, and yield a function that adds to what is done of the total."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    hidden = not sys.stderr.isatty()
    with Progress(*columns, console=console, disable=hidden, transient=True) as bar:
        task = bar.add_task(message, total=total)
        yield lambda done: bar.advance(task, done)
