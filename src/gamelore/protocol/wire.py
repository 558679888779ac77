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


class Request(NamedTuple):
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
        return KEEP.lower() in self.headers


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
        return KEEP.lower() in self.headers


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

_Whole = TypeVar("_Whole", Request, Reply)


class _Reader(ABC, Generic[_Whole]):
    """Gathers a head and a body from the bytes fed to it."""

    def __init__(self, limits: WireLimits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self.first = ""
        """The first line, once the head is there."""
        self.headers: Mapping[str, str] = {}
        self._bytes = bytearray()
        self._body_at = 0  # 0: the head is not complete
        self._length: int | None = None

    def feed(self, data: bytes) -> _Whole | None:
        """Take bytes as they come; the whole message once it is there.

        What follows the whole message is not looked at.
        """
        self._bytes += data
        if not self._body_at and not self._read_head():
            return None
        if self._length is None:
            if len(self._bytes) - self._body_at > self.limits.body:
                raise self._too_large()
            return None
        stop = self._body_at + self._length
        if len(self._bytes) < stop:
            return None
        return self._whole(bytes(self._bytes[self._body_at : stop]))

    def finish(self) -> _Whole | None:
        """The peer has closed: what it sent, if that is whole; `None` if nothing."""
        if not self._bytes:
            return None
        if not self._body_at:
            raise WireError("the connection was closed within the headers")
        there = len(self._bytes) - self._body_at
        if self._length is not None and there < self._length:
            raise WireError(
                f"the connection was closed after {there} of {self._length} bytes"
            )
        return self._whole(bytes(self._bytes[self._body_at :]))

    @abstractmethod
    def _whole(self, body: bytes) -> _Whole:
        """The message with this body."""

    @abstractmethod
    def _check_first(self, words: Sequence[str]) -> None:
        """Refuse a first line that is none."""

    @abstractmethod
    def _no_length(self) -> int | None:
        """What a missing length means."""

    def _read_head(self) -> bool:
        """Read first line and headers once they are there."""
        stop = self._bytes.find(b"\r\n\r\n", 0, self.limits.head)
        after = stop + 4
        if stop < 0:
            stop = self._bytes.find(b"\n\n", 0, self.limits.head)
            after = stop + 2
        if stop < 0:
            if len(self._bytes) >= self.limits.head:
                message = f"over {self.limits.head:,} bytes of headers"
                raise WireError(message, 431)
            return False
        first, _, lines = self._bytes[:stop].decode("latin-1").partition("\n")
        self.first = first.rstrip("\r")
        self._check_first(self.first.split(" "))
        self.headers = _headers(lines)
        self._body_at = after
        self._length = self._body_length()
        return True

    def _body_length(self) -> int | None:
        if "transfer-encoding" in self.headers:
            raise WireError("transfer encodings are not understood", 501)
        length = self.headers.get("content-length")
        if length is None:
            return self._no_length()
        if not _LENGTH.fullmatch(length):
            raise WireError("the content length is not a number")
        if int(length) > self.limits.body:
            raise self._too_large()
        return int(length)

    def _too_large(self) -> WireError:
        return WireError(f"over {self.limits.body:,} bytes of content", 413)


class RequestReader(_Reader[Request]):
    """Reads one request."""

    @property
    def expects_continue(self) -> bool:
        """Whether the peer waits for a word before it sends the body."""
        return self.headers.get("expect", "").lower() == "100-continue"

    def _whole(self, body: bytes) -> Request:
        method, target, _ = self.first.split(" ")
        return Request(method, target, self.headers, body)

    def _check_first(self, words: Sequence[str]) -> None:
        if len(words) != 3 or not all(words) or not words[2].startswith("HTTP/"):
            raise WireError("not an HTTP request")
        if not words[2].startswith("HTTP/1."):
            raise WireError("only HTTP/1 is spoken here", 505)
        if words[0] not in ("POST", "GET", "OPTIONS"):
            raise WireError("only POST, GET and OPTIONS are understood", 405)

    def _no_length(self) -> int:
        if self.first.startswith("POST"):
            raise WireError("a POST needs a content length", 411)
        return 0


class ReplyReader(_Reader[Reply]):
    """Reads one reply; without a length it lasts until the peer closes."""

    def _whole(self, body: bytes) -> Reply:
        return Reply(int(self.first.split(" ")[1]), self.headers, body)

    def _check_first(self, words: Sequence[str]) -> None:
        status = words[1] if len(words) > 1 else ""
        if not words[0].startswith("HTTP/") or not _STATUS.fullmatch(status):
            raise WireError("not an HTTP reply")

    def _no_length(self) -> None:
        return None


@lru_cache(maxsize=128)  # peers send the same ones over and over
def _headers(lines: str) -> Mapping[str, str]:
    """Headers by lower-case name; of one given twice the last counts."""
    return {name.lower(): value.strip() for name, value in _HEADER.findall(lines)}
