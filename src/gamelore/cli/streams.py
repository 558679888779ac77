"""The process around a command: its signals, its output, its warnings."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import click

SHOW_CURSOR = "\x1b[?25h"
"""Shows the cursor again where a progress bar has hidden it."""
INTERRUPTED = 130
PATIENCE = 1.5
"""Seconds that a command has to end after Ctrl-C or SIGTERM."""


@contextmanager
def stopping_promptly(patience: float = PATIENCE) -> Iterator[None]:
    """End the process after Ctrl-C even where a kernel keeps Python from running.

    For commands that have nothing to save: those that unwind in time are left alone.
    SIGTERM unwinds, too, so that the cursor is shown again and processes are ended.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    ended = threading.Event()

    def watch() -> None:
        heard = os.read(reading, 1)
        os.close(reading)
        ending = heard and heard[0] in (signal.SIGINT, signal.SIGTERM)
        if ending and not ended.wait(patience):
            cursor = SHOW_CURSOR if sys.stderr.isatty() else ""
            os.write(2, f"{cursor}interrupted\n".encode())
            os._exit(128 + heard[0])

    terminate = signal.signal(signal.SIGTERM, _leave)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        ended.set()
        signal.signal(signal.SIGTERM, terminate)
        signal.set_wakeup_fd(before)
        os.close(writing)


def _leave(number: int, frame: FrameType | None) -> None:
    """Unwind, as Ctrl-C does; a second signal of the kind ends the process at once."""
    signal.signal(number, signal.SIG_DFL)
    raise SystemExit(128 + number)


@contextmanager
def shown_warnings() -> Iterator[None]:
    """Print warnings as messages, without the place in the code."""

    def show(message: Warning | str, *_: object) -> None:
        click.echo(f"warning: {message}", err=True)

    with warnings.catch_warnings():
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def reader_has_gone() -> bool:
    """Return whether nobody reads standard output any more, and then discard it."""
    try:
        output = sys.stdout.fileno()
    except (OSError, ValueError):
        return False
    poll = select.poll()
    poll.register(output, 0)
    if not any(event & select.POLLERR for _, event in poll.poll(0)):
        return False
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, output)
    os.close(nowhere)
    return True
