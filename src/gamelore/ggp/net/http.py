"""HTTP as the GGP protocol uses it: one request, one reply, one connection.

A manager and a player of ours agree to use a connection again, by a header that means
nothing to others: opening one takes longer than all the rest of an exchange.

Nothing here reads from or writes to the network: readers are fed bytes as they come,
and refuse with `WireError` what is malformed or beyond their limits.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar
from urllib.parse import quote, unquote

from gamelore.errors import WireError

MANAGER = "GAMESERVER"
"""Who sends requests, as the reference manager calls itself."""

KEEP = "Keep-Connection"
"""The header of a request that offers to use the connection again, and of the reply
that takes the offer."""

_KEEP = KEEP.lower()

_STATUSES = {
    200: "OK",
    400: "Bad Request",
    405: "Method Not Allowed",
    408: "Request Timeout",
    411: "Length Required",
    413: "Content Too Large",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    501: "Not Implemented",
    503: "Service Unavailable",
    505: "HTTP Version Not Supported",
}


@dataclass(frozen=True)
class WireLimits:
    """How many bytes a peer may send."""

    head: int = 16_384
    """Bytes of the first line and the headers."""
    body: int = 4_000_000
    """Bytes of the body; the largest published rules take a twentieth."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value < 1:
                raise ValueError(f"{field.name} must be positive, got {value}")


DEFAULT_LIMITS = WireLimits()


class HttpRequest(NamedTuple):
    """What a manager, or a browser, sent."""

    method: str
    target: str
    headers: Mapping[str, str]
    """By name in lower case."""
    body: bytes

    @property
    def text(self) -> str:
        """The message: the body, or for GET the target, URL-encoded."""
        if self.method == "GET":
            return unquote(self.target.lstrip("/").replace("+", " "))
        return self.body.decode("utf-8", "replace")

    @property
    def opponents(self) -> tuple[str, ...]:
        """The others' names, where the manager tells them: `Opponents: ann, bob`."""
        names = self.headers.get("opponents", "").split(",")
        return tuple(unquote(name.strip()) for name in names if name.strip())

    @property
    def keeps(self) -> bool:
        """Whether the manager would use the connection again."""
        return _KEEP in self.headers


class Reply(NamedTuple):
    """What a player answered."""

    status: int
    headers: Mapping[str, str]
    """By name in lower case."""
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    @property
    def keeps(self) -> bool:
        """Whether the player lets the connection be used again."""
        return _KEEP in self.headers


# ── writing ─────────────────────────────────────────────────────────────────────────


def write_request(
    text: str,
    *,
    host: str = "localhost",
    sender: str = MANAGER,
    receiver: str = "",
    opponents: Sequence[str] = (),
    keep: bool = False,
) -> bytes:
    """A message as the reference manager posts it; names go into headers."""
    body = text.encode("utf-8", "replace")
    head = _request_head(host, sender, receiver, tuple(opponents), keep)
    return b"%s%d\r\n\r\n%s" % (head, len(body), body)


@lru_cache(maxsize=256)  # it is the same for all messages to a player
def _request_head(
    host: str, sender: str, receiver: str, opponents: tuple[str, ...], keep: bool
) -> bytes:
    """All that comes before the length of the body."""
    others = ", ".join(quote(name, safe="") for name in opponents)
    extra = f"Opponents: {others}\r\n" if others else ""
    extra += f"{KEEP}: yes\r\n" if keep else ""
    head = (
        "POST / HTTP/1.0\r\n"
        "Accept: text/delim\r\n"
        f"Host: {_plain(host)}\r\n"
        f"Sender: {_plain(sender)}\r\n"
        f"Receiver: {_plain(receiver)}\r\n"
        f"{extra}"
        "Content-Type: text/acl\r\n"
        "Content-Length: "
    )
    return head.encode("latin-1", "replace")


@lru_cache(maxsize=1024)  # moves are few
def write_reply(text: str, status: int = 200, *, keep: bool = False) -> bytes:
    """A player's answer as the reference player sends it."""
    body = text.encode("utf-8", "replace")
    extra = f"{KEEP}: yes\r\n" if keep else ""
    head = (
        f"HTTP/1.0 {status} {_STATUSES[status]}\r\n"
        "Content-type: text/acl\r\n"
        f"Content-length: {len(body)}\r\n"
        f"{extra}"
        "Access-Control-Allow-Origin: *\r\n"
        "Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n"
        "Access-Control-Allow-Headers: Content-Type\r\n"
        "Access-Control-Allow-Age: 86400\r\n\r\n"
    )
    return head.encode("ascii") + body


CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
"""What a client that sends `Expect: 100-continue` waits for before the body."""


def _plain(value: str) -> str:
    """A header's value, which cannot hold the end of a line."""
    return " ".join(value.split()) if value.isprintable() else quote(value)


# ── reading ─────────────────────────────────────────────────────────────────────────

_STATUS = re.compile(r"[0-9]{3}")
_HEADER = re.compile(r"^([^:\s]++)[ \t]*+:([^\n]*+)", re.MULTILINE)
_LENGTH = re.compile(r"[0-9]{1,18}")
_HEADS_KEPT = 256  # peers send the same ones over and over

_Whole = TypeVar("_Whole", HttpRequest, Reply)


class _Head(NamedTuple):
    """All that comes before a body."""

    words: tuple[str, ...]
    """Of the first line."""
    headers: Mapping[str, str]
    length: int | None
    """Bytes of the body; None where it lasts until the peer closes."""


class _Reader(ABC, Generic[_Whole]):
    """Gathers a head and a body from the bytes fed to it."""

    def __init__(self, limits: WireLimits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self._bytes = bytearray()
        self._head: _Head | None = None
        self._body_at = 0

    def feed(self, data: bytes) -> _Whole | None:
        """Take bytes as they come; the whole message once it is there.

        What follows the whole message is not looked at.
        """
        self._bytes += data
        head = self._head or self._find_head()
        if head is None:
            return None
        if head.length is None:
            if len(self._bytes) - self._body_at > self.limits.body:
                raise self._too_large()
            return None
        stop = self._body_at + head.length
        if len(self._bytes) < stop:
            return None
        return self._whole(head, bytes(self._bytes[self._body_at : stop]))

    def finish(self) -> _Whole | None:
        """The peer has closed: what it sent, if that is whole; `None` if nothing."""
        if not self._bytes:
            return None
        if self._head is None:
            raise WireError("the connection was closed within the headers")
        there, length = len(self._bytes) - self._body_at, self._head.length
        if length is not None and there < length:
            raise WireError(
                f"the connection was closed after {there} of {length} bytes"
            )
        return self._whole(self._head, bytes(self._bytes[self._body_at :]))

    @abstractmethod
    def _whole(self, head: _Head, body: bytes) -> _Whole:
        """The message of these parts."""

    @abstractmethod
    def _read_head(self, data: bytes) -> _Head:
        """The head in these bytes; `WireError` if it is none."""

    def _find_head(self) -> _Head | None:
        """First line and headers, once they are there."""
        stop = self._bytes.find(b"\r\n\r\n", 0, self.limits.head)
        after = stop + 4
        if stop < 0:
            stop = self._bytes.find(b"\n\n", 0, self.limits.head)
            after = stop + 2
        if stop < 0:
            if len(self._bytes) >= self.limits.head:
                message = f"over {self.limits.head:,} bytes of headers"
                raise WireError(message, 431)
            return None
        head = self._read_head(bytes(self._bytes[:stop]))
        if head.length is not None and head.length > self.limits.body:
            raise self._too_large()
        self._head = head
        self._body_at = after
        return head

    def _too_large(self) -> WireError:
        return WireError(f"over {self.limits.body:,} bytes of content", 413)


class RequestReader(_Reader[HttpRequest]):
    """Reads one request."""

    @property
    def expects_continue(self) -> bool:
        """Whether the peer waits for a word before it sends the body."""
        if self._head is None:
            return False
        return self._head.headers.get("expect", "").lower() == "100-continue"

    def _whole(self, head: _Head, body: bytes) -> HttpRequest:
        return HttpRequest(head.words[0], head.words[1], head.headers, body)

    def _read_head(self, data: bytes) -> _Head:
        return _head_of_request(data)


class ReplyReader(_Reader[Reply]):
    """Reads one reply; without a length it lasts until the peer closes."""

    def _whole(self, head: _Head, body: bytes) -> Reply:
        return Reply(int(head.words[1]), head.headers, body)

    def _read_head(self, data: bytes) -> _Head:
        return _head_of_reply(data)


@lru_cache(_HEADS_KEPT)
def _head_of_request(data: bytes) -> _Head:
    head = _head_in(data)
    words = head.words
    if len(words) != 3 or not all(words) or not words[2].startswith("HTTP/"):
        raise WireError("not an HTTP request")
    if not words[2].startswith("HTTP/1."):
        raise WireError("only HTTP/1 is spoken here", 505)
    if words[0] not in ("POST", "GET", "OPTIONS"):
        raise WireError("only POST, GET and OPTIONS are understood", 405)
    length = _body_length(head.headers)
    if length is None and words[0] == "POST":
        raise WireError("a POST needs a content length", 411)
    return head._replace(length=length or 0)


@lru_cache(_HEADS_KEPT)
def _head_of_reply(data: bytes) -> _Head:
    head = _head_in(data)
    status = head.words[1] if len(head.words) > 1 else ""
    if not head.words[0].startswith("HTTP/") or not _STATUS.fullmatch(status):
        raise WireError("not an HTTP reply")
    return head._replace(length=_body_length(head.headers))


def _head_in(data: bytes) -> _Head:
    """First line and headers by lower-case name; of one given twice the last counts."""
    first, _, lines = data.decode("latin-1").partition("\n")
    headers = {name.lower(): value.strip() for name, value in _HEADER.findall(lines)}
    return _Head(tuple(first.rstrip("\r").split(" ")), headers, None)


def _body_length(headers: Mapping[str, str]) -> int | None:
    """What the headers say of the length."""
    if "transfer-encoding" in headers:
        raise WireError("transfer encodings are not understood", 501)
    length = headers.get("content-length")
    if length is None:
        return None
    if not _LENGTH.fullmatch(length):
        raise WireError("the content length is not a number")
    return int(length)
