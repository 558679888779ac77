"""Signs of progress: on standard error, and only where someone watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


@contextmanager
def waiting(message: str) -> Iterator[None]:
    """Show that something goes on, and leave no trace of it."""
    if not sys.stderr.isatty():
        yield
        return
    with Console(stderr=True).status(message):
        yield


@contextmanager
def progress(message: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar; what is yielded takes how many more of the total are done."""
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
