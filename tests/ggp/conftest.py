"""What tests of the protocol share: a clock of calls, and servers that start soon."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from gamelore.ggp.net import client
from gamelore.ggp.net.client import Call, PendingCall
from gamelore.ggp.player.engines import Engines

PATIENCE = 60.0
"""Real seconds in which a peer that is to answer must do so."""


class CallClock:
    """The time that calls to peers run on, however long the machine takes.

    It moves, to the next deadline, only when none but silent peers are waited for.
    """

    def __init__(self) -> None:
        self.elapsed = 0.0
        self.is_silent: Callable[[Call], bool] = lambda call: False
        """Whether a call gets no answer in time."""
        self._wait = client._wait

    def monotonic(self) -> float:
        return self.elapsed

    def wait(self, waiting: Sequence[PendingCall], seconds: float) -> list[PendingCall]:
        """Return the calls that can go on, as the client's own function does."""
        only_silent = all(self.is_silent(call._call) for call in waiting)
        ready = self._wait(waiting, 0.0 if only_silent else PATIENCE)
        if not ready:
            assert only_silent, "a peer that is to answer did not"
            self.elapsed += seconds
        return ready


@pytest.fixture
def call_clock(monkeypatch: pytest.MonkeyPatch) -> CallClock:
    clock = CallClock()
    monkeypatch.setattr(client, "time", clock)
    monkeypatch.setattr(client, "_wait", clock.wait)
    return clock


@pytest.fixture(autouse=True)
def no_spare_process(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Have servers start no process before there is a game to compile.

    It takes half a second to import all that it may need. Tests of engines have it.
    """
    if "test_engines" not in request.node.nodeid:
        monkeypatch.setattr(Engines, "_have_spare", lambda engines: None)
