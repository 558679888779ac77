"""HTTP without a network: requests and replies, whole and in pieces."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelore.errors import WireError
from gamelore.ggp.net.http import (
    HttpRequest,
    Reply,
    ReplyReader,
    RequestReader,
    WireLimits,
    write_reply,
    write_request,
)

SMALL = WireLimits(head=300, body=50)


def read_request(data: bytes, limits: WireLimits | None = None) -> HttpRequest | None:
    return RequestReader(limits or WireLimits()).feed(data)


def read_reply(data: bytes, limits: WireLimits | None = None) -> Reply | None:
    reader = ReplyReader(limits or WireLimits())
    return reader.feed(data) or reader.finish()


def test_a_request_is_written_as_the_reference_manager_does() -> None:
    assert write_request("( INFO )", receiver="ZE") == (
        b"POST / HTTP/1.0\r\n"
        b"Accept: text/delim\r\n"
        b"Host: localhost\r\n"
        b"Sender: GAMESERVER\r\n"
        b"Receiver: ZE\r\n"
        b"Content-Type: text/acl\r\n"
        b"Content-Length: 8\r\n\r\n"
        b"( INFO )"
    )


def test_a_reply_is_written_as_the_reference_player_does() -> None:
    assert write_reply("ready") == (
        b"HTTP/1.0 200 OK\r\n"
        b"Content-type: text/acl\r\n"
        b"Content-length: 5\r\n"
        b"Access-Control-Allow-Origin: *\r\n"
        b"Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n"
        b"Access-Control-Allow-Headers: Content-Type\r\n"
        b"Access-Control-Allow-Age: 86400\r\n\r\n"
        b"ready"
    )


def test_requests_are_read_back() -> None:
    request = read_request(write_request("( PLAY é NIL )", sender="me", receiver="you"))
    assert request is not None
    assert request.text == "( PLAY é NIL )"
    assert request.method == "POST"
    assert request.headers["sender"] == "me"
    assert request.headers["receiver"] == "you"
    assert request.opponents == ()


def test_opponents_are_read_back() -> None:
    names = ("ann", "bob, the second", "çelik\r\nSender: evil")
    request = read_request(write_request("( INFO )", opponents=names))
    assert request is not None
    assert request.opponents == names
    assert request.headers["sender"] == "GAMESERVER"


@given(st.text(max_size=30))
def test_no_name_breaks_out_of_its_header(name: str) -> None:
    data = write_request("( INFO )", host=name, sender=name, receiver=name)
    request = read_request(data, WireLimits())
    assert request is not None
    assert request.text == "( INFO )"
    assert set(request.headers) == {
        *("accept", "host", "sender", "receiver", "content-type", "content-length")
    }


def test_a_request_comes_in_pieces_of_any_size() -> None:
    data = write_request("( PLAY m1 (( mark 3 2 ) noop ) )")
    for size in (1, 2, 3, 7, 50):
        reader = RequestReader()
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        assert all(reader.feed(piece) is None for piece in pieces[:-1])
        request = reader.feed(pieces[-1])
        assert request is not None
        assert request.text == "( PLAY m1 (( mark 3 2 ) noop ) )"


def test_what_follows_a_request_is_not_looked_at() -> None:
    request = read_request(write_request("( INFO )") + b"GET /")
    assert request is not None
    assert request.text == "( INFO )"


def test_the_message_of_a_get_is_its_target() -> None:
    request = read_request(b"GET /%28%20INFO+%29 HTTP/1.1\r\nHost: x\r\n\r\n")
    assert request is not None
    assert request.text == "( INFO )"


def test_lines_may_end_without_a_return() -> None:
    request = read_request(b"POST / HTTP/1.0\nContent-length: 2\n\nhi")
    assert request is not None
    assert request.body == b"hi"


def test_a_client_may_wait_before_the_body() -> None:
    reader = RequestReader()
    head = b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    assert reader.feed(head) is None
    assert reader.expects_continue


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (b"hello\r\n\r\n", 400),
        (b"POST /\r\n\r\n", 400),
        (b"POST / HTTP/2\r\n\r\n", 505),
        (b"DELETE / HTTP/1.1\r\n\r\n", 405),
        (b"POST / HTTP/1.1\r\n\r\n", 411),
        (b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: \xb2\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 51\r\n\r\n", 413),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
        (b"A" * 300, 431),
        (b"POST / HTTP/1.1\r\nX: " + b"y" * 300 + b"\r\n\r\n", 431),
    ],
)
def test_bad_requests_are_refused_with_their_status(data: bytes, status: int) -> None:
    with pytest.raises(WireError) as caught:
        read_request(data, SMALL)
    assert caught.value.status == status
    assert write_reply(str(caught.value), status).startswith(b"HTTP/1.0 %d" % status)


def test_a_request_cut_off_is_refused() -> None:
    data = write_request("( INFO )")
    for size in (20, len(data) - 1):
        reader = RequestReader()
        assert reader.feed(data[:size]) is None
        with pytest.raises(WireError, match="was closed"):
            reader.finish()
    assert RequestReader().finish() is None


def test_replies_are_read_back() -> None:
    reply = read_reply(write_reply("( mark 1 1 )"))
    assert reply is not None
    assert (reply.status, reply.text) == (200, "( mark 1 1 )")


def test_a_reply_without_a_length_lasts_until_the_peer_closes() -> None:
    reader = ReplyReader()
    assert reader.feed(b"HTTP/1.0 500 Oops\r\n\r\n( mark") is None
    assert reader.feed(b" 1 1 )\n") is None
    reply = reader.finish()
    assert reply == Reply(500, {}, b"( mark 1 1 )\n")


@pytest.mark.parametrize(
    "data",
    [
        b"ready",
        b"ready\r\n\r\n",
        b"HTTP/1.0 ok\r\n\r\nready",
        b"HTTP/1.0 20\xb2 OK\r\n\r\nready",
        b"HTTP/1.0 200 OK\r\nContent-Length: 10\r\n\r\nready",
        b"HTTP/1.0 200 OK\r\nContent-Length: 1000\r\n\r\n",
        b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 51,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nready\r\n0\r\n\r\n",
        b"HTTP/1.0 200 OK\r\n" + b"X: y\r\n" * 100,
    ],
)
def test_bad_replies_are_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        read_reply(data, SMALL)


def test_limits_are_positive() -> None:
    with pytest.raises(ValueError, match="body must be positive, got 0"):
        WireLimits(body=0)


def test_fuzzed_bytes_are_read_or_refused() -> None:
    rng = random.Random(3)
    good = [write_request("( PLAY m NIL )"), write_reply("ready")]
    for _ in range(3000):
        data = bytearray(rng.choice(good))
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(data))
            data[at : at + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
        for reader in (RequestReader(SMALL), ReplyReader(SMALL)):
            try:
                whole = reader.feed(bytes(data)) or reader.finish()
            except WireError as error:
                assert str(error)
            else:
                assert whole is not None
