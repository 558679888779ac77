"""Who may use the lab: host names, origins, the token; and the headers of answers."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

COOKIE = "gamelore_lab"
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})

HEADERS: Mapping[str, str] = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-cache",
}
"""Go with every answer: nothing inline, nothing from or for another site."""


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    if host in LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def make_token() -> str:
    """Return a new token that nobody can guess."""
    return secrets.token_urlsafe(24)


@dataclass(frozen=True)
class Access:
    """Which requests are let in."""

    host: str = "127.0.0.1"
    """The address that the server listens on."""
    token: str | None = None
    """What a browser must know; nothing where only this machine can connect."""
    names: frozenset[str] = field(default_factory=frozenset)
    """Names of this machine, besides those of the loopback."""

    @classmethod
    def open_to(cls, host: str, token: str | None = None) -> Access:
        """Return the access to an address; a token is made where others can connect."""
        if is_loopback(host):
            return cls(host, token)
        names = {host.lower(), socket.gethostname().lower(), socket.getfqdn().lower()}
        return cls(host, token or make_token(), frozenset(names))

    def allows_host(self, header: str | None) -> bool:
        """Return whether a `Host` header names this machine.

        A page of another site whose name was made to lead here (DNS rebinding) sends
        its own name. Addresses cannot be made to lead elsewhere, so where others may
        connect any address will do.
        """
        name = _host_name(header)
        if name is None:
            return False
        if is_loopback(name) or name in self.names:
            return True
        return not is_loopback(self.host) and _is_address(name)

    def allows_origin(self, origin: str | None, host: str | None) -> bool:
        """Return whether a page of ours speaks: its origin is the host it speaks to."""
        if origin is None or host is None:
            return False
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.netloc == host

    def allows_token(self, given: str | None) -> bool:
        """Return whether somebody knows the token, if there is one."""
        if self.token is None:
            return True
        if given is None:
            return False
        return hmac.compare_digest(given.encode(), self.token.encode())


def _host_name(header: str | None) -> str | None:
    """Return the name in a `Host` header, without its port."""
    if not header:
        return None
    try:
        parts = urlsplit(f"//{header}")
        return None if parts.username or parts.path else parts.hostname
    except ValueError:
        return None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
