"""One page: its socket, the requests under way, and what waits to be sent."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import OrderedDict
from contextlib import suppress

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from gamelore import __version__
from gamelore.errors import GameloreError
from gamelore.lab.desk import Desk
from gamelore.lab.events import Event, Failure
from gamelore.lab.requests import AnyRequest, Request
from gamelore.lab.shared import Lab
from gamelore.settings import SettingError

log = logging.getLogger(__name__)

LARGEST_FRAME = 8_000_000
"""Bytes of a message from a page."""
MOST_WAITING = 1000
"""Messages that wait for a page; one that takes none is let go."""
MOST_AT_ONCE = 24
"""Requests of a page that are under way."""
MOST_MISTAKES = 20
"""Messages of a page that are no requests; then it is let go."""
REQUEST_SECONDS = 660.0

TOO_MANY, TOO_SLOW, MALFORMED = 1013, 1013, 1007

_GONE = WebSocketDisconnect, OSError, RuntimeError  # what writing to nobody raises
_decode = msgspec.json.Decoder(AnyRequest).decode


class Connection:
    """A page that is connected."""

    def __init__(self, lab: Lab, socket: WebSocket) -> None:
        self._socket = socket
        self._desk = Desk(lab, self)
        self._numbers = itertools.count()
        self._waiting: OrderedDict[str, bytes] = OrderedDict()
        self._news = asyncio.Event()
        self._requests: set[asyncio.Task[None]] = set()
        self._mistakes = 0

    # ── sending ─────────────────────────────────────────────────────────────────────

    def send(self, event: Event) -> None:
        """Send a message; it waits its turn."""
        self.push(msgspec.json.encode(event))

    def push(self, content: bytes, slot: str = "") -> None:
        """Send bytes; of those that wait in one slot only the latest count."""
        self._waiting[slot or f"#{next(self._numbers)}"] = content
        self._news.set()

    async def _send_all(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            if len(self._waiting) > MOST_WAITING:
                await self._socket.close(TOO_SLOW, "too slow")
                return
            while self._waiting:
                _, content = self._waiting.popitem(last=False)
                await self._socket.send_text(content.decode())

    # ── receiving ───────────────────────────────────────────────────────────────────

    async def serve(self) -> None:
        """Carry out requests until the page is gone."""
        sender = asyncio.create_task(self._send_all())
        try:
            await self._desk.greet(__version__)
            await self._receive_all()
        except _GONE:
            pass  # the page is gone
        finally:
            self._desk.close()
            for task in (sender, *self._requests):
                task.cancel()
            with suppress(asyncio.CancelledError, *_GONE):
                await sender

    async def _receive_all(self) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text is None:
                self._object(0, "a message is text, not bytes")
            else:
                self._take(text)
            if self._mistakes > MOST_MISTAKES:
                await self._socket.close(MALFORMED, "too many malformed messages")
                return

    def _take(self, text: str) -> None:
        """Begin what a message asks for."""
        try:
            request: Request = _decode(text)
        except (msgspec.DecodeError, RecursionError) as error:
            self._object(_find_id(text), f"not understood: {error}")
            return
        if len(self._requests) >= MOST_AT_ONCE:
            self.send(Failure(re=request.id, message="too many requests at once"))
            return
        task = asyncio.create_task(self._carry_out(request))
        self._requests.add(task)
        task.add_done_callback(self._requests.discard)

    def _object(self, request: int, message: str) -> None:
        self._mistakes += 1
        self.send(Failure(re=request, message=message[:500]))

    async def _carry_out(self, request: Request) -> None:
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                await self._desk.handle(request)
        except SettingError as error:
            name = error.name.lstrip("-").replace("-", "_")
            self.send(Failure(re=request.id, message=str(error), setting=name))
        except TimeoutError:
            self.send(Failure(re=request.id, message="that took too long"))
        except (GameloreError, OSError, ValueError) as error:
            self.send(Failure(re=request.id, message=str(error)[:2000]))
        except Exception as error:  # a page must not end the server
            log.exception("a request failed")
            message = f"something is wrong in the lab: {type(error).__name__}: {error}"
            self.send(Failure(re=request.id, message=message[:2000]))


def _find_id(text: str) -> int:
    """Return the id of a message that is no request otherwise; 0 if it has none."""
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return 0
    number = found.get("id") if isinstance(found, dict) else None
    return number if isinstance(number, int) and 0 <= number < 2**53 else 0
