"""Searching on while the others think."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Lock, Thread

from gamelore.engine.position import Position
from gamelore.gdl import Move

_MOST = 60.0  # seconds


class Pondering:
    """A search on the others' time: in a thread, one at a time, and only if allowed."""

    def __init__(self) -> None:
        self._allowed = False
        self._stopped = Event()
        self._thread: Thread | None = None
        self._turn = Lock()  # who ends it for good and who begins take turns

    def __getstate__(self) -> dict[str, object]:
        """Pickle nothing: it starts anew elsewhere."""
        return {}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__init__()  # type: ignore[misc]

    @property
    def is_allowed(self) -> bool:
        """Whether a search may begin."""
        return self._allowed

    @property
    def is_active(self) -> bool:
        """Whether a search has begun and was not stopped."""
        return self._thread is not None

    def allow(self, allowed: bool) -> None:
        """Let searches begin, or not."""
        with self._turn:
            self._allowed = allowed

    def begin(self, step: Callable[[], bool]) -> None:
        """Search in a thread, if that is allowed, until it is stopped.

        `step`: searches for a short time; returns whether there is more to search.
        """
        with self._turn:
            if not self._allowed:
                return
            self._stopped.clear()
            self._thread = Thread(
                target=self._run, args=(step,), name="gamelore-ponder", daemon=True
            )
            self._thread.start()

    def stop(self) -> None:
        """End the search; what it searches is free when this returns."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self, step: Callable[[], bool]) -> None:
        end = time.monotonic() + _MOST
        while time.monotonic() < end and not self._stopped.is_set():
            if not step():
                break


def position_to_ponder(position: Position, role: int, move: Move) -> Position | None:
    """Return where a move of a role leads; none if the others choose at the same time,
    or if the match is over there."""
    for number, other in enumerate(position.roles):
        if number != role and len(position.legal_moves(other)) > 1:
            return None
    following = position.advance(move)
    return None if following.is_terminal else following
