"""Who is let in: hosts, origins, tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelore.lab.access import Access, is_loopback
from gamelore.lab.server import bind, find_address

LOCAL = Access()
OPEN = Access.open_to("192.168.1.5")


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8421", "localhost:1", "[::1]:9", "localhost", "127.3.2.1"]
)
def test_own_names_are_allowed(host: str) -> None:
    assert LOCAL.allows_host(host)


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example:8421",
        "192.168.1.5:8421",
        "localhost.evil.example",
        "a@b",
    ],
)
def test_other_names_are_refused(host: str | None) -> None:
    assert not LOCAL.allows_host(host)


def test_an_open_lab_takes_addresses_but_no_foreign_names() -> None:
    assert OPEN.allows_host("192.168.1.5:8421")
    assert OPEN.allows_host("10.0.0.1:8421")
    assert not OPEN.allows_host("evil.example")


@given(st.text(max_size=40), st.text(max_size=40))
def test_an_origin_must_be_the_host(origin: str, host: str) -> None:
    allowed = LOCAL.allows_origin(origin, host)
    assert not allowed or origin in (f"http://{host}", f"https://{host}")


def test_origins() -> None:
    host = "127.0.0.1:8421"
    assert LOCAL.allows_origin(f"http://{host}", host)
    assert not LOCAL.allows_origin("http://127.0.0.1:8422", host)
    assert not LOCAL.allows_origin("null", host)
    assert not LOCAL.allows_origin(None, host)


def test_a_token_is_made_where_others_can_connect() -> None:
    assert LOCAL.token is None
    assert LOCAL.allows_token(None)
    assert OPEN.token
    assert OPEN.allows_token(OPEN.token)
    assert not OPEN.allows_token(None)
    assert not OPEN.allows_token(OPEN.token + "x")
    assert Access.open_to("0.0.0.0", "mine").token == "mine"


def test_the_printed_address_has_the_token() -> None:
    with bind("127.0.0.1", 0) as bound:
        port = bound.getsockname()[1]
        assert find_address(bound, LOCAL) == f"http://127.0.0.1:{port}/"
        assert find_address(bound, OPEN).endswith(f":{port}/?token={OPEN.token}")


def test_loopback_addresses() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.9.9.9", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.0.1", "example.org")))
