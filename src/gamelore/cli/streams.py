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

import click

INTERRUPTED = 130
PATIENCE = 1.5
"""Seconds that a command has to end after Ctrl-C."""


@contextmanager
def stopping_promptly(patience: float = PATIENCE) -> Iterator[None]:
    """End the process after Ctrl-C even where a kernel keeps Python from running.

    For commands that have nothing to save: those that unwind in time are left alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    ended = threading.Event()

    def watch() -> None:
        signals = os.read(reading, 1)
        os.close(reading)
        if signals == bytes([signal.SIGINT]) and not ended.wait(patience):
            os.write(2, b"interrupted\n")
            os._exit(INTERRUPTED)

    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        ended.set()
        signal.set_wakeup_fd(before)
        os.close(writing)


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
