"""What a port is made of: the socket that listens, and those who have connected."""

from __future__ import annotations

import errno
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from threading import Lock
from typing import Any, TypeAlias

from gamelore.errors import GameloreError
from gamelore.ggp.net.http import HttpRequest, RequestReader, WireLimits, write_reply

_BACKLOG = 512


@dataclass(frozen=True)
class ListenerLimits:
    """What those who connect may take."""

    wire: WireLimits = field(default_factory=WireLimits)
    request_seconds: float = 10.0
    """From the first byte of a request to its last, and for taking the reply."""
    connections: int = 200
    """At once; beyond it, the one that has been sending for longest is closed."""
    at_work: int = 32
    """Requests worked on at once; more are turned away."""

    def __post_init__(self) -> None:
        for each in fields(self)[1:]:
            value = getattr(self, each.name)
            if not value > 0:
                raise ValueError(f"{each.name} must be positive, got {value}")


class Connection:
    """One who has connected: a request coming in, one reply going out."""

    __slots__ = (
        "_answered",
        "_lock",
        "_send",
        "arrived",
        "continued",
        "deadline",
        "keeps",
        "peer",
        "reader",
        "request",
        "socket",
        "unsent",
        "watched",
    )

    def __init__(
        self, sock: socket.socket, peer: Any, limits: ListenerLimits, send: Send
    ) -> None:
        self.socket = sock
        self.peer = peer
        self.arrived = time.monotonic()
        """When the request began to arrive; clocks run from then."""
        self.deadline = self.arrived + limits.request_seconds
        self.reader: RequestReader | None = RequestReader(limits.wire)
        self.request: HttpRequest | None = None
        self.unsent: memoryview | None = None
        self.watched = False
        """Whether the selector tells of what happens to it."""
        self.continued = False
        self.keeps = False
        """Whether it stays open after the reply, since the peer asks for it."""
        self._send = send
        self._lock = Lock()
        self._answered = False

    def reply(self, text: str, status: int = 200, *, last: bool = False) -> bool:
        """Send an answer, from any thread; False if there has been one already.

        `last`: the connection is not kept, though the peer may ask for it.
        """
        with self._lock:
            if self._answered:
                return False
            self._answered = True
            if last:
                self.keeps = False
        self._send(self, write_reply(text, status, keep=self.keeps))
        return True

    @property
    def answered(self) -> bool:
        return self._answered

    @property
    def name(self) -> str:
        """The peer's address, for the log."""
        peer = self.peer
        return f"{peer[0]}:{peer[1]}" if isinstance(peer, tuple) and peer else "a peer"

    def reset(self, limits: WireLimits) -> None:
        """Get ready for another request."""
        self.reader = RequestReader(limits)
        self.request = None
        self.continued = False
        self._answered = False


Send: TypeAlias = Callable[[Connection, bytes], None]
"""Sends a reply's bytes, and then closes or keeps the connection."""


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket bound to a port; `GameloreError` where that is not possible.

    Connections are refused until it is told to listen.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sock = socket.socket(family, kind, protocol)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(address)
        except OSError:
            sock.close()
            raise
    except (OSError, OverflowError, UnicodeError) as error:
        raise _cannot_listen(host, port, error) from None
    sock.setblocking(False)
    return sock


def listen(sock: socket.socket) -> None:
    """Take connections; `GameloreError` where another was quicker."""
    try:
        sock.listen(_BACKLOG)
    except OSError as error:
        host, port = sock.getsockname()[:2]
        raise _cannot_listen(host, port, error) from None


def _cannot_listen(host: str, port: int, error: Exception) -> GameloreError:
    reason = str(getattr(error, "strerror", None) or error).lower()
    if getattr(error, "errno", None) == errno.EADDRINUSE:
        reason = "somebody listens there already; choose another port"
    return GameloreError(f"cannot listen on {host}:{port}: {reason}")
