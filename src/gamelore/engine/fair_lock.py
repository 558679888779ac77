"""A lock that threads get in the order in which they ask for it."""

from __future__ import annotations

import threading
from collections import deque


class FairLock:
    """A lock for `with`; not reentrant.

    Python's own locks may be taken again by the thread that has just released them, so
    that a thread which works in a loop keeps all others waiting.
    """

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._held = False
        self._waiting: deque[threading.Lock] = deque()

    def __enter__(self) -> None:
        with self._mutex:
            if not self._held:
                self._held = True
                return
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        try:
            turn.acquire()
        except BaseException:  # an interrupt: give up the place, or the lock itself
            with self._mutex:
                waits = turn in self._waiting
                if waits:
                    self._waiting.remove(turn)
            if not waits:
                self._release()
            raise

    def __exit__(self, *raised: object) -> None:
        self._release()

    def _release(self) -> None:
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().release()  # the lock stays held, by the next
            else:
                self._held = False
