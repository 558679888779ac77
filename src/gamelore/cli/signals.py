"""Ending a command by a signal: gently if it stops in time, at once if it does not."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from gamelore.cli.streams import SHOW_CURSOR

GRACE_SECONDS = 1.5
"""Time that a command has to stop by itself."""
SAVE_SECONDS = 30.0
"""Time that it has at most where it is writing a file."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_on_signals(
    stop: Callable[[], None],
    is_saving: Callable[[], bool] = lambda: False,
    last_words: Callable[[], str] = lambda: "interrupted",
) -> Iterator[list[int]]:
    """Yield a list that gets the signals that ask for the end; the first calls `stop`.

    A kernel may run for longer than anybody wants to wait, and while it does, Python
    handles no signal. So another thread hears of signals too, and ends the process if
    the command has not stopped soon; `last_words` are then printed. A second signal of
    a kind acts as if it were not caught.
    """
    caught: list[int] = []
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    stopped = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        caught.append(number)
        signal.signal(number, before[signal.Signals(number)])
        stop()

    def watch() -> None:
        number = _receive(ours)
        if number is None or stopped.wait(GRACE_SECONDS):
            return
        if is_saving() and stopped.wait(SAVE_SECONDS):
            return
        cursor = SHOW_CURSOR if sys.stderr.isatty() else ""
        os.write(2, f"{cursor}{last_words()}\n".encode())
        os._exit(128 + number)

    for number in _SIGNALS:
        signal.signal(number, note)
    earlier = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    watcher = threading.Thread(target=watch, name="signals", daemon=True)
    watcher.start()
    try:
        yield caught
    finally:
        stopped.set()
        signal.set_wakeup_fd(earlier)
        for kind, handler in before.items():
            signal.signal(kind, handler)
        theirs.close()
        watcher.join()
        ours.close()


class Interrupter:
    """Acts as Ctrl-C does, for commands that unwind; give it to `stop_on_signals`."""

    def __init__(self) -> None:
        self._held = False
        self._pending = False

    def __call__(self) -> None:
        if self._held:
            self._pending = True
        else:
            raise KeyboardInterrupt

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let an interrupt wait until what must not be cut in two is done."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._pending:
            raise KeyboardInterrupt


def _receive(ours: socket.socket) -> int | None:
    """Return the first of our signals to come; nothing when the other end closes."""
    while heard := ours.recv(1):
        if heard[0] in _SIGNALS:
            return heard[0]
    return None
