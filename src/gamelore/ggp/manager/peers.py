"""The peers of a manager: players on the network, and agents in this process."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from gamelore.agents.agent import Agent
from gamelore.errors import GameloreError, MessageError
from gamelore.gdl import Move
from gamelore.ggp.messages import Info, read_about, read_move, write_message
from gamelore.ggp.net.client import Address, Call, ConnectionPool
from gamelore.ggp.net.http import Reply, write_request
from gamelore.ggp.net.tasks import make_calls
from gamelore.match.referee import Mishap, failure
from gamelore.player import Clock

log = logging.getLogger(__name__)

INFO_LIMIT = 5.0
"""Seconds a player has to say who it is."""
CLOSE_LIMIT = 10.0
"""Seconds an agent in this process has to bring what it does to an end …"""
INTERRUPTED_LIMIT = 0.3
"""… and after an interrupt."""

_ADDRESS = re.compile(r"(\[[0-9a-fA-F:.%\w]+\]|[^\s:/\[\]]+):([0-9]{1,5})")
_TOKEN = re.compile(r";[^\r\n]*|[()]|[^\s();]+")

T = TypeVar("T")


def parse_address(spec: str) -> tuple[str, int] | None:
    """Host and port, where a text is `host:port`."""
    found = _ADDRESS.fullmatch(spec)
    if found is None:
        return None
    port = int(found[2])
    if not 0 < port < 65_536:
        raise GameloreError(f"{spec}: there is no port {port}; ports are 1 to 65535")
    return found[1].strip("[]"), port


class RemotePeer:
    """A player that listens on a port."""

    def __init__(self, host: str, port: int, name: str = "") -> None:
        self.address = Address.of(host, port)
        self.name = name or str(self.address)
        self.pool = ConnectionPool()

    def close(self) -> None:
        """Close the connections that were kept."""
        self.pool.close()

    def give_up(self) -> None:
        """Do nothing: a player on the network is told by ABORT."""


class LocalPeer:
    """An agent in this process.

    Where it plays against a clock it has a thread of its own, so that one that hangs
    costs its clock and no more. Without a clock it is called directly.
    """

    def __init__(self, agent: Agent, name: str) -> None:
        self.agent = agent
        self.name = name
        self._worker: _Worker | None = None
        self._close_limit = CLOSE_LIMIT

    def give_up(self) -> None:
        """Wait no longer than a moment for an agent that still thinks when closed."""
        self._close_limit = INTERRUPTED_LIMIT

    def begin(self, task: Callable[[Clock], T], seconds: float) -> AgentFuture[T]:
        """Have the agent do something against a clock that starts now."""
        clock = Clock(seconds)
        if math.isinf(seconds):
            return _DoneFuture(task, clock)
        if self._worker is None:
            self._worker = _Worker(self.name)
        return _RunningFuture(self._worker.begin(lambda: task(clock)), clock)

    def close(self) -> None:
        """No more matches; waits for what the agent has yet to write."""
        if self._worker is None:
            self.agent.close()
            return
        closing = self._worker.begin(self.agent.close)
        _RunningFuture(closing, Clock(self._close_limit)).end()
        self._worker.stop()
        self._worker = None


Peer: TypeAlias = RemotePeer | LocalPeer


class Done(NamedTuple, Generic[T]):
    """The result of a future."""

    result: T


class AgentFuture(Protocol[T]):
    """Something that an agent was asked to do."""

    def end(self, grace: float = 0.0) -> Done[T] | Mishap:
        """What came of it; waits until its clock, and some grace, is over."""


class _DoneFuture(Generic[T]):
    """A future that is done when it is made."""

    def __init__(self, task: Callable[[Clock], T], clock: Clock) -> None:
        self._outcome: Done[T] | Mishap
        try:
            self._outcome = Done(task(clock))
        except Exception as error:  # foreign code
            log.warning("an agent failed", exc_info=True)
            self._outcome = failure(error)

    def end(self, grace: float = 0.0) -> Done[T] | Mishap:
        return self._outcome


class _RunningFuture(Generic[T]):
    """A future that runs on another thread."""

    def __init__(self, future: Future[T], clock: Clock) -> None:
        self._future = future
        self._clock = clock

    def end(self, grace: float = 0.0) -> Done[T] | Mishap:
        try:
            return Done(self._future.result(max(0.0, self._clock.left + grace)))
        except BaseException as error:
            if self._future.done() and self._future.exception() is error:
                log.warning("an agent failed", exc_info=True)
                return failure(error)
            if not isinstance(error, TimeoutError):
                raise  # an interrupt while we wait
        self._future.cancel()  # what has not begun need not
        return Mishap("late", f"no answer in {self._clock.seconds + grace:g} s")


class _Worker:
    """A thread that does one thing after the other; it ends with the process."""

    def __init__(self, name: str) -> None:
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        Thread(target=self._run, name=f"agent {name}", daemon=True).start()

    def begin(self, task: Callable[[], T]) -> Future[T]:
        """Have something done as soon as all before it is."""
        future: Future[T] = Future()

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(task())
                except BaseException as error:  # whoever waits for it gets it
                    future.set_exception(error)

        self._tasks.put(run)
        return future

    def stop(self) -> None:
        """End the thread once all is done."""
        self._tasks.put(None)

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            task()


def introduce(
    peers: Sequence[RemotePeer], seconds: float = INFO_LIMIT
) -> list[tuple[RemotePeer, Mishap]]:
    """Ask players for their names, all at once; who gave no answer, and why.

    Those who do not give themselves a name keep the one they have.
    """
    silent = []
    text = write_message(Info())
    calls = []
    for peer in peers:
        request = write_request(text, host=peer.address.host, receiver=peer.name)
        calls.append(Call(peer.address, request, seconds))
    for peer, outcome in zip(peers, make_calls(calls), strict=True):
        if isinstance(outcome, Mishap):
            silent.append((peer, outcome))
            continue
        with suppress(MessageError):  # some players know no INFO
            peer.name = read_about(outcome.text).name or peer.name
    return silent


def read_answer(reply: Reply) -> Move | Mishap:
    """The move in a player's answer: its first term, whatever follows it."""
    try:
        return read_move(_first_term(reply.text))
    except MessageError as error:
        return Mishap("illegal", f"the answer is no move: {error}")


def _first_term(text: str) -> str:
    """A text without what follows its first term, as the reference manager reads it."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if token[0] == "(":
            depth += 1
        elif token[0] == ")":
            depth -= 1
        if depth <= 0 and token[0][0] != ";":
            return text[: token.end()]
    return text
