"""Managers that break every rule: a server answers or closes, and goes on."""

from __future__ import annotations

import gc
import logging
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from tests.marks import mark_slow

from gamelore.agents.agent import PlayerAgent
from gamelore.agents.builtin import PLAYERS
from gamelore.engine.position import Position
from gamelore.games import load
from gamelore.ggp.messages import Start, list_rules, read_move, write_message
from gamelore.ggp.net.connection import ListenerLimits
from gamelore.ggp.net.http import WireLimits, write_request
from gamelore.ggp.player.engines import EngineLimits
from gamelore.ggp.player.server import PlayerServer, ServerLimits

TICTACTOE = load("tictactoe")
LIMITS = ServerLimits(
    listener=ListenerLimits(
        WireLimits(body=1_500_000), request_seconds=1.0, connections=40
    ),
    engines=EngineLimits(seconds=100.0, memory_mb=2048),  # longer than exchanges wait,
)
needs_proc = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="memory is read from /proc"
)
AVAILABLE = b"( ( name victim ) ( status available ) )"


@pytest.fixture(scope="module")
def server() -> Iterator[PlayerServer]:
    agent = PlayerAgent(PLAYERS["random"])
    server = PlayerServer(agent, port=0, name="victim", limits=LIMITS)
    with server:
        yield server


@pytest.fixture(autouse=True)
def still_there(server: PlayerServer) -> Iterator[None]:
    """After every attack the server answers as before."""
    yield
    assert exchange(server, write_request("( INFO )")).endswith(AVAILABLE)


def read_all(line: socket.socket) -> bytes:
    """What a server sends until it closes; a reset after an answer counts as that."""
    pieces = []
    try:
        while piece := line.recv(65_536):
            pieces.append(piece)
    except ConnectionResetError:
        pass
    return b"".join(pieces)


def exchange(server: PlayerServer, data: bytes, seconds: float = 15.0) -> bytes:
    with socket.create_connection(server.address, timeout=seconds) as line:
        with suppress(ConnectionResetError, BrokenPipeError):
            line.sendall(data)
        return read_all(line)


def read_status(answer: bytes) -> int:
    assert answer.startswith(b"HTTP/1.0 "), answer[:100]
    return int(answer[9:12])


def read_body(answer: bytes) -> str:
    return answer.partition(b"\r\n\r\n")[2].decode()


def start_text(match: str = "m", start: float = 60, play: float = 30) -> str:
    return write_message(Start(match, "x", list_rules(TICTACTOE), start, play))


# ── bytes ───────────────────────────────────────────────────────────────────────────


def test_one_that_sends_nothing_is_closed(server: PlayerServer) -> None:
    assert read_status(exchange(server, b"")) == 408


def test_one_byte_at_a_time_is_cut_off(server: PlayerServer) -> None:
    data = write_request("( INFO )")
    with socket.create_connection(server.address, timeout=60) as line:
        for sent, byte in enumerate(data, 1):  # noqa: B007
            line.sendall(bytes([byte]))
            if select.select([line], [], [], 0.1)[0]:
                break
        assert sent < len(data)
        assert read_status(read_all(line)) == 408


def test_slow_ones_do_not_hold_a_match_up(server: PlayerServer) -> None:
    lines = [socket.create_connection(server.address) for _ in range(60)]
    for line in lines:
        line.sendall(b"POST / HTTP/1.0\r\nContent-")
    try:
        assert read_body(exchange(server, write_request(start_text()))) == "ready"
        move = read_body(exchange(server, write_request("( PLAY m NIL )")))
        assert read_move(move) in Position(TICTACTOE).legal_moves("x")
    finally:
        exchange(server, write_request("( ABORT m )"))
        for line in lines:
            line.close()


def test_a_hundred_megabytes_are_refused(server: PlayerServer) -> None:
    head = b"POST / HTTP/1.0\r\nContent-Length: 104857600\r\n\r\n"
    with socket.create_connection(server.address, timeout=60) as line:
        line.sendall(head)
        piece = b"(" * 1_000_000
        try:
            for _ in range(100):
                line.sendall(piece)
        except OSError:
            pass
        answer = read_all(line)
    assert not answer or read_status(answer) == 413


def test_a_long_body_announced_is_refused_at_once(server: PlayerServer) -> None:
    head = b"POST / HTTP/1.0\r\nContent-Length: 104857600\r\n\r\n"
    with socket.create_connection(server.address, timeout=60) as line:
        line.sendall(head)
        answer = line.recv(1000)
    assert read_status(answer) == 413


def test_headers_without_end_are_refused(server: PlayerServer) -> None:
    answer = exchange(server, b"POST / HTTP/1.0\r\n" + b"X: y\r\n" * 100_000)
    assert not answer or read_status(answer) == 431


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) + b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x80" * 500 + b"\n\n",
        b"\x00" * 20_000,
        b"hello\r\n\r\n",
        b"\r\n\r\n",
        b"POST\r\n\r\n",
        b"POST / HTTP/1.0\r\nContent-Length: many\r\n\r\nx",
        b"POST / HTTP/1.0\r\n\r\n( INFO )",
        b"DELETE / HTTP/1.1\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"8\r\n( INFO )\r\n0\r\n\r\n",
    ],
)
def test_what_is_no_request_is_refused(server: PlayerServer, data: bytes) -> None:
    assert 400 <= read_status(exchange(server, data)) <= 505


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe\x00binary\x80",
        b"( PLAY",
        b")",
        b"( HELLO world )",
        b"( PLAY )",
        b"(((((",
        b"( START m x",
        b"( " * 50_000,
        b"( START m x (" + b"(f " * 5000 + b")" * 5000 + b") 5 5 )",
        b"( START m x (" + b"(a " * 99 + b"b" + b")" * 99 + b") 5 5 )",
        b"( START m x ((role x)) 1e999 5 )",
        b"( START m x ((role x)) nan nan )",
        b"( START " + b"m" * 5000 + b" x ((role x)) 5 5 )",
        b"( PREVIEW ((role x)) 5 )",
        "( PLAY \u202e\u200b NIL )".encode(),
    ],
)
def test_what_is_no_message_is_refused(server: PlayerServer, body: bytes) -> None:
    head = b"POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body)
    answer = exchange(server, head + body)
    assert read_status(answer) == 400
    assert len(answer) < 1000


def test_a_length_too_short_cuts_the_message_off(server: PlayerServer) -> None:
    data = b"POST / HTTP/1.0\r\nContent-Length: 4\r\n\r\n( INFO )"
    assert read_status(exchange(server, data)) == 400


def test_a_length_too_long_is_waited_for_in_vain(server: PlayerServer) -> None:
    data = b"POST / HTTP/1.0\r\nContent-Length: 400\r\n\r\n( INFO )"
    assert read_status(exchange(server, data)) == 408
    with socket.create_connection(server.address, timeout=60) as line:
        line.sendall(data)
        line.shutdown(socket.SHUT_WR)
        assert read_status(read_all(line)) == 400


def test_connections_are_not_kept_alive(server: PlayerServer) -> None:
    head = b"POST / HTTP/1.1\r\nConnection: keep-alive\r\nContent-Length: 8\r\n\r\n"
    assert exchange(server, head + b"( INFO )").endswith(AVAILABLE)
    answer = exchange(server, 3 * (head + b"( INFO )"))
    assert answer == b"" or answer.count(b"HTTP/1.0 200") == 1


def test_one_that_waits_for_a_word_gets_it(server: PlayerServer) -> None:
    head = b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 8\r\n\r\n"
    with socket.create_connection(server.address, timeout=60) as line:
        line.sendall(head)
        assert line.recv(1000).startswith(b"HTTP/1.1 100 ")
        line.sendall(b"( INFO )")
        assert read_all(line).endswith(AVAILABLE)


def test_disconnecting_at_any_point_does_no_harm(server: PlayerServer) -> None:
    data = write_request(start_text("gone"))
    for size in (0, 1, 10, 60, 150, len(data) - 1, len(data)):
        line = socket.create_connection(server.address)
        line.sendall(data[:size])
        if size % 2:  # a reset instead of an orderly end
            linger = b"\x01\x00\x00\x00\x00\x00\x00\x00"
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        line.close()
    until = time.monotonic() + 60
    while not server.matches and time.monotonic() < until:
        time.sleep(0.02)
    assert read_body(exchange(server, write_request("( ABORT gone )"))) == "aborted"


def test_one_that_does_not_read_its_answer_is_left(server: PlayerServer) -> None:
    lines = [socket.create_connection(server.address) for _ in range(20)]
    for line in lines:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        line.sendall(write_request("( INFO )"))
    assert exchange(server, write_request("( INFO )")).endswith(AVAILABLE)
    for line in lines:
        line.close()


# ── matches ─────────────────────────────────────────────────────────────────────────


def test_many_questions_at_once_are_all_answered(server: PlayerServer) -> None:
    answers: list[str] = []
    exchange(server, write_request(start_text()))

    def play() -> None:
        answers.append(read_body(exchange(server, write_request("( PLAY m NIL )"))))

    threads = [threading.Thread(target=play, daemon=True) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    legal = Position(TICTACTOE).legal_moves("x")
    assert len(answers) == 20
    assert all(read_move(answer) in legal for answer in answers)
    assert read_body(exchange(server, write_request("( STOP m NIL )"))) == "done"


def test_clocks_of_no_time_are_answered(server: PlayerServer) -> None:
    text = start_text("quick", 0, 0)
    assert read_body(exchange(server, write_request(text))) == "ready"
    time.sleep(0.2)
    read_move(read_body(exchange(server, write_request("( PLAY quick NIL )"))))
    assert read_body(exchange(server, write_request("( STOP quick NIL )"))) == "done"


def explosive_rules() -> str:
    """A relation of a trillion tuples, which a grounder must not list."""
    digits = " ".join(f"(d {digit})" for digit in range(10))
    names = " ".join(f"?v{number}" for number in range(12))
    parts = " ".join(f"(d ?v{number})" for number in range(12))
    return (
        f"(role x) {digits} (init (at {' 0' * 12}))"
        f"(<= (legal x (go {names})) {parts})"
        f"(<= (next (at {names})) (does x (go {names})))"
        f"(<= terminal (true (at {' 9' * 12}))) (goal x 50)"
    )


def test_rules_that_explode_take_nobody_down(server: PlayerServer) -> None:
    text = f"( START big x ( {explosive_rules()} ) 2 1 )"
    assert read_body(exchange(server, write_request(text))) == "ready"
    for _ in range(2):
        read_move(read_body(exchange(server, write_request("( PLAY big NIL )"))))
        assert b"victim" in exchange(server, write_request("( INFO )"))
    assert read_body(exchange(server, write_request("( STOP big NIL )"))) == "done"
    # A game that compiles is played at once, although the other is not given up yet.
    assert read_body(exchange(server, write_request(start_text("next")))) == "ready"
    move = read_body(exchange(server, write_request("( PLAY next NIL )")))
    assert read_move(move) in Position(TICTACTOE).legal_moves("x")
    exchange(server, write_request("( ABORT next )"))


@pytest.mark.parametrize("games", mark_slow([3, 8], {8}))
def test_many_games_one_after_the_other(server: PlayerServer, games: int) -> None:
    for number in range(games):
        rules = (
            f"(role x) (init (n 0)) (<= (legal x (go ?n)) (s ?n)) (s {number})"
            "(<= (next (n 1)) (does x (go ?n))) (<= terminal (true (n 1))) (goal x 1)"
        )
        text = f"( START g{number} x ( {rules} ) 1 1 )"
        assert read_body(exchange(server, write_request(text))) == "ready"
        aborted = exchange(server, write_request(f"( ABORT g{number} )"))
        assert read_body(aborted) == "aborted"


# ── fuzz ────────────────────────────────────────────────────────────────────────────


def mutated(data: bytes, rng: Random) -> bytes:
    """Bytes with a few of them changed, left out, doubled or cut off."""
    changed = bytearray(data)
    for _ in range(rng.randrange(1, 8)):
        at = rng.randrange(len(changed) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            changed[at : at + 1] = rng.randbytes(1)
        elif kind == 1:
            del changed[at : at + rng.randrange(1, 20)]
        elif kind == 2:
            changed[at:at] = changed[at : at + rng.randrange(1, 30)]
        else:
            changed[at:at] = rng.choice([b"(", b")", b" ", b"\r\n", b"?", b"-1", b";"])
    return bytes(changed)


@pytest.fixture
def unlogged() -> Iterator[None]:
    """No log: the tests' own record of it would count as memory of the server."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def resources() -> tuple[int, int, int]:
    """Threads, open files, and memory in pages."""
    gc.collect()
    files = len(list(Path("/proc/self/fd").iterdir()))
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return threading.active_count(), files, pages


def attack(server: PlayerServer, cases: int, seed: int) -> None:
    """Send mutated requests, some of them in the middle of a match."""
    rng = Random(seed)
    texts = [
        "( INFO )",
        start_text("m", 0.05, 0.2),
        "( PLAY m NIL )",
        "( PLAY m ( (mark 1 1) noop ) )",
        "( STOP m ( (mark 2 2) noop ) )",
        "( ABORT m )",
        "( PREVIEW ( (role x) (init a) ) 0.05 )",
    ]
    for case in range(cases):
        if case % 50 == 0:
            exchange(server, write_request("( ABORT m )"))
            exchange(server, write_request(start_text("m", 0.05, 0.2)))
        text = rng.choice(texts)
        if rng.random() < 0.5:
            body = mutated(text.encode(), rng)
            head = b"POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body)
            data = head + body
        else:
            data = mutated(write_request(text), rng)
        with socket.create_connection(server.address, timeout=60) as line:
            try:
                line.sendall(data)
                line.shutdown(socket.SHUT_WR)
            except OSError:
                continue
            answer = read_all(line)
        assert not answer or answer.startswith(b"HTTP/1."), answer[:100]
    for match in server.matches:
        exchange(server, write_request(f"( ABORT {match} )"))


@needs_proc
@pytest.mark.usefixtures("unlogged")
@pytest.mark.parametrize(
    ("before", "count"),
    [(150, 250), pytest.param(400, 1000, marks=pytest.mark.slow)],
)
def test_fuzzed_requests_leave_no_trace(
    server: PlayerServer, before: int, count: int
) -> None:
    attack(server, before, seed=1)
    threads, files, pages = resources()
    attack(server, count, seed=2)
    time.sleep(1.0)
    threads_after, files_after, pages_after = resources()
    assert threads_after <= threads + 2
    assert files_after <= files + 8
    assert pages_after - pages < 20_000  # 80 MB


@needs_proc
@pytest.mark.slow
@pytest.mark.usefixtures("unlogged")
def test_fifty_thousand_fuzzed_requests(server: PlayerServer) -> None:
    attack(server, 2000, seed=3)
    threads, files, pages = resources()
    attack(server, 50_000, seed=4)
    time.sleep(1.0)
    threads_after, files_after, pages_after = resources()
    assert threads_after <= threads + 2
    assert files_after <= files + 8
    assert pages_after - pages < 25_000  # 100 MB
