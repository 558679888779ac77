"""The current position of a match, worked out from the joint moves so far."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from threading import Lock

from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.errors import GameloreError
from gamelore.gdl import Move

log = logging.getLogger(__name__)


class PositionTracker:
    """Follows a history of joint moves, which grows, on one simulator."""

    def __init__(
        self, simulator: Simulator, history: Sequence[tuple[Move, ...]], name: str
    ) -> None:
        """`name`: of the match, for the log."""
        self.simulator = simulator
        self.left_out: set[int] = set()
        """Which joint moves are not legal as far as we know; they are left out."""
        self._history = history
        self._name = name
        self._lock = Lock()
        self._position: Position | None = None
        self._followed = 0  # how much of the history leads to the position

    def catch_up(self, until: float) -> Position | None:
        """Return the position after all joint moves so far, if it is known in time.

        A step that takes longer is finished, and kept for the next call.
        """
        if not acquire(self._lock, until):
            return None
        try:
            position = self._position or Position.initial(self.simulator)
            self._position = position
            while self._followed < len(self._history):
                if time.monotonic() >= until:
                    return None
                position = self._position = self._follow(position)
                self._followed += 1
            return position
        finally:
            self._lock.release()

    def _follow(self, position: Position) -> Position:
        """Return the position after the next joint move."""
        try:
            return position.advance(self._history[self._followed])
        except GameloreError as error:
            self.left_out.add(self._followed)
            reason = str(error).partition("; legal:")[0].partition("\n")[0]
            log.warning("%s: cannot follow: %s", self._name, reason)
            return position


def acquire(lock: Lock, until: float) -> bool:
    """Acquire a lock by a time (of `time.monotonic`); return whether it was."""
    if lock.acquire(blocking=False):  # as almost always
        return True
    return lock.acquire(timeout=max(0.0, until - time.monotonic()))
