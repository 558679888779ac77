"""A port that answers requests, whatever those who connect to it do.

One thread at a time leads: it reads requests from all connections, none of which can
hold it up, and works on each complete one itself, since most take less time than
handing them to another thread. A watchdog looks on: when a piece of work takes long, it
has a new thread lead, and the old one ends with its work. Both ring alarms.
"""

from __future__ import annotations

import errno
import logging
import selectors
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Lock, Thread, current_thread
from typing import TypeAlias

from gamelore.errors import WireError
from gamelore.ggp.net.connection import Connection, ListenerLimits, bound_socket, listen
from gamelore.ggp.net.http import CONTINUE, HttpRequest

log = logging.getLogger(__name__)

_CHUNK = 65_536
_TICK = 0.005  # seconds between looks of the watchdog while there is work
_IDLE_TICK = 0.02
_LONG = 0.02  # seconds of work after which another thread leads
_LOOK = 0.1  # seconds between looks for connections whose time is over
_ROUND = 1.0  # seconds between calls of `Listener.on_round`
_LINGER = 1.0  # seconds in which what a refused peer still sends is thrown away
_REST = 30.0  # seconds that a connection stays open between requests
_OUT_OF_ROOM = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


Work: TypeAlias = Callable[[Connection, HttpRequest], None]


class Alarm:
    """Something to be done at a time unless it is cancelled before."""

    __slots__ = ("at", "ring")

    def __init__(self, at: float, ring: Callable[[], None]) -> None:
        self.at = at
        self.ring = ring


class Listener:
    """Listens on a port, and has work done for each request."""

    def __init__(
        self,
        host: str,
        port: int,
        work: Work,
        limits: ListenerLimits | None = None,
        on_round: Callable[[], None] = lambda: None,
    ) -> None:
        """`work` is called for each request, and must have it answered, perhaps later.

        `on_round` is called about once a second, and must not take long.
        """
        self.limits = limits or ListenerLimits()
        self._work = work
        self._on_round = on_round
        self._socket = bound_socket(host, port)
        self._wake_receiver, self._wake_sender = socket.socketpair()
        self._wake_receiver.setblocking(False)
        self._wake_sender.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._wake_receiver, selectors.EVENT_READ, None)
        self._receiving: dict[Connection, None] = {}  # in the order they came
        self._leaving: dict[Connection, None] = {}  # being sent to, or drained
        self._resting: dict[Connection, None] = {}  # between requests
        self._handed_back: list[Connection] = []
        self._lock = Lock()
        self._term = 0  # counts the threads that have led
        self._work_began: float | None = None  # of the leader
        self._at_work = 0
        self._alarms: dict[Alarm, Alarm | None] = {}
        self._closing = Event()
        self._threads: list[Thread] = []

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        host, port = self._socket.getsockname()[:2]
        return str(host), int(port)

    # ── from other threads ──────────────────────────────────────────────────────────

    def start(self) -> None:
        """Begin to listen, and to answer; until now, connections were refused."""
        listen(self._socket)
        self._selector.register(self._socket, selectors.EVENT_READ, None)
        self._threads = [
            Thread(target=self._lead, args=(0,), name="gamelore-leader", daemon=True),
            Thread(target=self._watch, name="gamelore-watchdog", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> bool:
        """Close the port and all connections; False if that has been done before.

        Work under way is not waited for.
        """
        if self._closing.is_set():
            return False
        self._closing.set()
        self._wake()
        for thread in self._threads:
            if thread is not current_thread():
                thread.join(timeout=2.0)
        with self._lock:
            self._term += 1
        for connection in [*self._receiving, *self._leaving, *self._resting]:
            connection.socket.close()
        for sock in (self._socket, self._wake_receiver, self._wake_sender):
            sock.close()
        self._selector.close()
        return True

    def alarm(self, at: float, ring: Callable[[], None]) -> Alarm:
        """Have something short done at a time (of `time.monotonic`)."""
        alarm = Alarm(at, ring)
        self._alarms[alarm] = None
        return alarm

    def cancel(self, alarm: Alarm) -> None:
        self._alarms.pop(alarm, None)

    def send(self, connection: Connection, data: bytes) -> None:
        """Send a reply's bytes and close; the leader goes on if they do not fit."""
        try:
            sent = connection.socket.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            sent = len(data)  # nobody takes the rest
            connection.keeps = False
        if sent == len(data) and connection.request is not None:
            if connection.watched and not connection.keeps:
                self._hand_back(connection)
            elif not connection.keeps:
                connection.socket.close()
            return
        connection.keeps = False
        connection.unsent = memoryview(data)[sent:]
        self._hand_back(connection)

    def _hand_back(self, connection: Connection) -> None:
        """Have the leader see to a connection."""
        with self._lock:
            self._handed_back.append(connection)
        self._wake()

    def _wake(self) -> None:
        with suppress(OSError):  # full: then it is awake; closed: then all is over
            self._wake_sender.send(b"!")

    # ── the leader ──────────────────────────────────────────────────────────────────

    def _lead(self, term: int) -> None:
        """Answer requests for as long as this thread leads."""
        next_look = 0.0
        while self._term == term and not self._closing.is_set():
            for key, _ in self._selector.select(_TICK if self._alarms else _LOOK):
                if key.data is not None:
                    self._go_on(key.data)
                elif key.fileobj is self._socket:
                    self._accept()
                else:
                    self._take_back()
                if self._term != term:  # what else is ready, the new leader sees too
                    return
            now = time.monotonic()
            self._ring_alarms(now)
            if now >= next_look:
                next_look = now + _LOOK
                self._close_overdue(now)

    def _waiting(self) -> tuple[dict[Connection, None], ...]:
        """All connections that are waited for, each kind in the order of deadlines."""
        return self._receiving, self._leaving, self._resting

    def _accept(self) -> None:
        try:
            sock, peer = self._socket.accept()
        except OSError as error:
            if error.errno in _OUT_OF_ROOM and not self._drop_oldest():
                time.sleep(_TICK)
            return
        sock.setblocking(False)
        connection = Connection(sock, peer, self.limits, self.send)
        if sum(map(len, self._waiting())) >= self.limits.connections:
            self._drop_oldest()
        self._receive(connection)

    def _go_on(self, connection: Connection) -> None:
        if connection in self._resting:
            del self._resting[connection]
            self._receiving[connection] = None
            connection.arrived = time.monotonic()
            connection.deadline = connection.arrived + self.limits.request_seconds
            self._receive(connection)
        elif connection in self._receiving:
            self._receive(connection)
        elif connection in self._leaving:
            self._see_off(connection)
        else:  # it is worked for: what else it sends is for later
            self._unwatch(connection)

    def _receive(self, connection: Connection) -> None:
        """Take what has come, and have a complete request worked on."""
        reader = connection.reader
        assert reader is not None
        try:
            data = connection.socket.recv(_CHUNK)
            request = reader.feed(data) if data else reader.finish()
        except BlockingIOError:
            self._await(connection)
            return
        except OSError:
            self._forget(connection)
            return
        except WireError as error:
            log.warning("%s: %s", connection.name, error)
            self._forget(connection, keep_open=True)
            connection.reply(str(error), error.status)
            return
        if request is not None:
            connection.request = request
            connection.reader = None
            connection.keeps = request.keeps
            if request.keeps:  # and stays watched, which saves telling the system
                self._receiving.pop(connection, None)
            else:
                self._forget(connection, keep_open=True)
            self._have_worked(connection, request)
        elif not data:
            self._forget(connection)
        else:
            if reader.expects_continue and not connection.continued:
                connection.continued = True
                with suppress(OSError):
                    connection.socket.send(CONTINUE)
            self._await(connection)

    def _await(self, connection: Connection) -> None:
        if connection not in self._receiving:
            self._receiving[connection] = None
            self._watch_for(connection, selectors.EVENT_READ)

    def _watch_for(self, connection: Connection, events: int) -> None:
        """Be told of what happens to a connection."""
        if connection.watched:
            self._selector.modify(connection.socket, events, connection)
        else:
            self._selector.register(connection.socket, events, connection)
        connection.watched = True

    def _unwatch(self, connection: Connection) -> None:
        if connection.watched:
            connection.watched = False
            self._selector.unregister(connection.socket)

    def _forget(self, connection: Connection, keep_open: bool = False) -> None:
        """No longer wait for a connection."""
        for waiting in self._waiting():
            waiting.pop(connection, None)
        self._unwatch(connection)
        if not keep_open:
            connection.socket.close()

    def _drop_oldest(self) -> bool:
        """Close one connection that nobody works for, if there is one."""
        for oldest in [*self._resting, *self._leaving, *self._receiving][:1]:
            self._forget(oldest)
            return True
        return False

    def _close_overdue(self, now: float) -> None:
        while self._receiving:
            oldest = next(iter(self._receiving))
            if oldest.deadline > now:
                break
            log.warning("%s: no complete request in time", oldest.name)
            self._forget(oldest, keep_open=True)
            oldest.reply("the request did not come in time", 408)
        for waiting in (self._leaving, self._resting):
            while waiting:
                oldest = next(iter(waiting))
                if oldest.deadline > now:
                    break
                self._forget(oldest)

    def _rest(self, connection: Connection) -> None:
        """Wait for the next request of a connection that is kept."""
        connection.reset(self.limits.wire)
        connection.deadline = time.monotonic() + _REST
        self._resting[connection] = None
        if not connection.watched:
            self._watch_for(connection, selectors.EVENT_READ)

    def _take_back(self) -> None:
        """Go on with replies that could not be sent at once, or to refused requests,
        and with connections that another leader has answered."""
        with suppress(BlockingIOError):
            self._wake_receiver.recv(_CHUNK)
        with self._lock:
            connections, self._handed_back = self._handed_back, []
        for connection in connections:
            if connection.keeps:
                self._rest(connection)
                continue
            if connection.unsent is None:
                self._forget(connection)
                continue
            seconds = self.limits.request_seconds if connection.unsent else _LINGER
            connection.deadline = time.monotonic() + seconds
            self._leaving[connection] = None
            events = (
                selectors.EVENT_WRITE if connection.unsent else selectors.EVENT_READ
            )
            self._watch_for(connection, events)
            if not connection.unsent:
                self._half_close(connection)

    def _see_off(self, connection: Connection) -> None:
        """Send what is left of a reply; then wait until the peer has stopped sending.

        Closed before, the connection would be reset, and the reply perhaps lost.
        """
        try:
            if connection.unsent:
                sent = connection.socket.send(connection.unsent)
                connection.unsent = connection.unsent[sent:]
                if not connection.unsent:
                    self._watch_for(connection, selectors.EVENT_READ)
                    self._half_close(connection)
            elif not connection.socket.recv(_CHUNK):
                self._forget(connection)
        except BlockingIOError:
            pass
        except OSError:
            self._forget(connection)

    def _half_close(self, connection: Connection) -> None:
        with suppress(OSError):
            connection.socket.shutdown(socket.SHUT_WR)

    # ── work ────────────────────────────────────────────────────────────────────────

    def _have_worked(self, connection: Connection, request: HttpRequest) -> None:
        """Work on a request, in this thread."""
        with self._lock:
            term = self._term
            accepted = self._at_work < self.limits.at_work
            if accepted:
                self._at_work += 1
                self._work_began = time.monotonic()
        if not accepted:
            connection.reply("busy", 503)
            if connection.keeps:
                self._rest(connection)
            return
        try:
            self._work(connection, request)
        finally:  # an error ends this thread, and the watchdog starts another
            with self._lock:
                self._at_work -= 1
                leads = self._term == term
                if leads:
                    self._work_began = None
            if connection.keeps and leads:
                self._rest(connection)
            elif connection.keeps:
                self._hand_back(connection)

    # ── the watchdog ────────────────────────────────────────────────────────────────

    def _watch(self) -> None:
        next_round = time.monotonic() + _ROUND
        while not self._closing.wait(_TICK if self._at_work else _IDLE_TICK):
            now = time.monotonic()
            self._change_leader(now)
            self._ring_alarms(now)
            if now >= next_round:
                next_round = now + _ROUND
                self._on_round()

    def _ring_alarms(self, now: float) -> None:
        """Ring those whose time has come.

        Both the watchdog and the leader do: the system may hold up either.
        """
        for alarm in [alarm for alarm in list(self._alarms) if alarm.at <= now]:
            if self._alarms.pop(alarm, alarm) is None:  # nobody else has taken it
                alarm.ring()

    def _change_leader(self, now: float) -> None:
        """Have a new thread lead if the work of this one takes long, or it has died."""
        with self._lock:
            began = self._work_began
            busy = began is not None and now - began >= _LONG
            if self._threads[0].is_alive() and not busy:
                return
            leader = Thread(
                target=self._lead,
                args=(self._term + 1,),
                name="gamelore-leader",
                daemon=True,
            )
            self._term += 1
            try:
                leader.start()
            except RuntimeError:  # no more threads: the old one goes on
                self._term -= 1
                return
            self._work_began = None
            self._threads[0] = leader
