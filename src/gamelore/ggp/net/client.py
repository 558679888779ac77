"""Requests to peers: one connection each, one thread for all.

A peer that hangs costs its own clock and nobody else's: all sockets are waited for
together, and each call ends with a reply or a mishap when its time is over at the
latest, whatever the peer does.
"""

from __future__ import annotations

import errno
import math
import os
import select
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from gamelore.errors import GameloreError, WireError
from gamelore.ggp.net.http import Reply, ReplyReader, WireLimits
from gamelore.match.referee import Mishap

CONNECT_LIMIT = 5.0
"""Seconds a peer may take to accept a connection."""

REPLY_LIMITS = WireLimits(head=16_384, body=100_000)
"""A reply is one word or one move; the longest moves of public games have 100 bytes."""

KEPT_FOR = 10.0
"""Seconds after which a connection is not used again; players keep it for longer."""

_CHUNK = 65_536
_MOST_KEPT = 64  # connections to one peer
_SHORT = 1000  # bytes; longer replies are not remembered
_LONGEST_WAIT = 3600.0  # seconds; systems take no more than some days
_UNDER_WAY = {0, errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EAGAIN}

SocketAddress: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True)
class Address:
    """Where a peer listens, with its name resolved."""

    host: str
    port: int
    family: int
    location: SocketAddress

    @classmethod
    def of(cls, host: str, port: int) -> Address:
        """Resolve a host's name; `GameloreError` where there is no such host."""
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or error
            message = f"cannot find the host {host!r}: {str(reason).lower()}"
            raise GameloreError(message) from None
        # A name such as `localhost` stands for both families; players listen on IPv4.
        found.sort(key=lambda each: each[0] != socket.AF_INET)
        family, _, _, _, location = found[0]
        return cls(host, port, family, location)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


class ConnectionPool:
    """Connections to a peer that lets them be used again."""

    def __init__(self) -> None:
        self._free: list[tuple[socket.SocketType, float]] = []

    def take(self) -> socket.SocketType | None:
        """One that may still be open, if there is any."""
        while self._free:
            kept, since = self._free.pop()
            if time.monotonic() - since < KEPT_FOR:
                return kept
            kept.close()
        return None

    def give(self, used: socket.SocketType) -> None:
        """Have a connection used again, or closed if there are enough."""
        if len(self._free) < _MOST_KEPT:
            self._free.append((used, time.monotonic()))
        else:
            used.close()

    def close(self) -> None:
        while self._free:
            self._free.pop()[0].close()


class Call(NamedTuple):
    """A request to send, and how many seconds there are for all of it."""

    address: Address
    request: bytes
    seconds: float
    pool: ConnectionPool | None = None
    """Where connections come from and go to, if they are to be used again."""


Outcome: TypeAlias = Reply | Mishap


def go_on(calls: Sequence[PendingCall]) -> None:
    """Wait until any of the calls can go on, or its time is over; then do its part."""
    waiting = [call for call in calls if call.outcome is None]
    if not waiting:
        return
    soonest = min(call.deadline for call in waiting) - time.monotonic()
    for call in _wait(waiting, min(max(0.0, soonest), _LONGEST_WAIT)):
        call.go_on()
    now = time.monotonic()
    for call in waiting:
        if call.outcome is None and call.deadline <= now:
            call.run_out()


def _wait(waiting: Sequence[PendingCall], seconds: float) -> list[PendingCall]:
    """Those who can go on, once there are any or time is over."""
    if not hasattr(select, "poll"):
        return _wait_with_select(waiting, seconds)
    # Sockets live for one exchange: what the system is told of them is best not kept.
    poll = select.poll()
    by_number = {}
    for call in waiting:
        number = call.socket.fileno()
        by_number[number] = call
        poll.register(number, select.POLLOUT if call.is_sending else select.POLLIN)
    return [by_number[number] for number, _ in poll.poll(math.ceil(seconds * 1000))]


def _wait_with_select(
    waiting: Sequence[PendingCall], seconds: float
) -> list[PendingCall]:
    """As `_wait`, where the system has no `poll`."""
    sending = [call.socket for call in waiting if call.is_sending]
    receiving = [call.socket for call in waiting if not call.is_sending]
    ready = select.select(receiving, sending, sending, seconds)
    sockets = {id(each) for some in ready for each in some}
    return [call for call in waiting if id(call.socket) in sockets]


class PendingCall:
    """One call under way: connecting, sending, then receiving."""

    def __init__(self, call: Call, limits: WireLimits = REPLY_LIMITS) -> None:
        now = time.monotonic()
        self.outcome: Outcome | None = None
        self._call = call
        self._end = now + call.seconds
        self._limits = limits
        self._reader: ReplyReader | None = None
        kept = call.pool.take() if call.pool else None
        self._is_kept = kept is not None
        if kept is None:
            self._connect(now)
        else:
            self.socket = kept
            self._connected = True
            self.deadline = self._end
            self._begin_to_send()

    def _connect(self, now: float) -> None:
        call = self._call
        self.socket = _new_socket(call.address.family)
        self.deadline = min(self._end, now + CONNECT_LIMIT)
        self._connected = False
        code = self.socket.connect_ex(call.address.location)
        if code not in _UNDER_WAY:
            self._fail(code)
        else:
            self._begin_to_send()  # on loopback the connection is often there at once

    def _begin_to_send(self) -> None:
        self.is_sending = True
        self._unsent = memoryview(self._call.request)
        self._send()

    def hang_up(self) -> None:
        """Close the connection, or have it kept."""
        pool, outcome = self._call.pool, self.outcome
        if pool and isinstance(outcome, Reply) and outcome.keeps:
            pool.give(self.socket)
        else:
            self.socket.close()

    def go_on(self) -> None:
        """Do what the socket is ready for."""
        if self.is_sending:
            if not self._connected:
                code = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                if code:
                    self._fail(code)
                    return
            self._send()
        else:
            self._receive()

    def run_out(self) -> None:
        """End the call: its time is over."""
        if self._connected:
            self.outcome = Mishap("late", f"no answer in {self._call.seconds:g} s")
        else:
            limit = min(self._call.seconds, CONNECT_LIMIT)
            self.outcome = Mishap("failed", f"no connection in {limit:g} s")

    def _send(self) -> None:
        try:
            count = self.socket.send(self._unsent)
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno != errno.ENOTCONN:
                self._lose(error.errno)
            return
        self._connected = True
        self.deadline = self._end
        self._unsent = self._unsent[count:]
        if not self._unsent:
            self.is_sending = False

    def _receive(self) -> None:
        try:
            data = self.socket.recv(_CHUNK)
            self.outcome = self._read(data) if data else self._finish()
        except BlockingIOError:
            return
        except OSError as error:
            self._lose(error.errno)
        except WireError as error:
            self.outcome = Mishap("failed", str(error))

    def _read(self, data: bytes) -> Reply | None:
        """The reply, once it is whole."""
        if self._reader is None:
            if len(data) < _SHORT and (reply := _whole_reply(data)) is not None:
                return reply
            self._reader = ReplyReader(self._limits)
        return self._reader.feed(data)

    def _finish(self) -> Outcome | None:
        """The peer has closed."""
        if self._is_kept and self._reader is None:
            self._lose(None)
            return self.outcome
        reply = self._reader.finish() if self._reader else None
        return reply or Mishap("failed", "the connection was closed without an answer")

    def _lose(self, code: int | None) -> None:
        """The connection is gone; one that was kept may have been before we wrote."""
        if self._is_kept and self._reader is None:
            self._is_kept = False
            self.socket.close()
            self._connect(time.monotonic())
        else:
            self._fail(code)

    def _fail(self, code: int | None) -> None:
        reason = os.strerror(code).lower() if code else "unknown error"
        what = "the connection broke" if self._connected else "no connection"
        self.outcome = Mishap("failed", f"{what}: {reason}")


def _new_socket(family: int) -> socket.SocketType:
    """A socket that never waits, without the wrapping that most programs want."""
    try:
        new = socket.SocketType(family, socket.SOCK_STREAM)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise GameloreError(f"no more connections can be opened: {reason}") from None
    new.setblocking(False)
    if hasattr(socket, "TCP_QUICKACK"):
        # The request goes with the last packet of the handshake: one packet less, and
        # the peer is not woken before there is something to read.
        new.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 0)
    return new


@lru_cache(maxsize=4096)
def _whole_reply(data: bytes) -> Reply | None:
    """The reply that came in one piece, if it did; most have come before."""
    return ReplyReader(REPLY_LIMITS).feed(data)
