"""The manager against players that misbehave, over real sockets.

Every case leads to the right fault within its clock, and leaves nothing behind.
"""

from __future__ import annotations

import math
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest

from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.gdl import Game
from gamelore.ggp.manager.manager import ManagedMatch, Manager, MatchSettings
from gamelore.ggp.manager.match_peers import ABORT_LIMIT
from gamelore.ggp.manager.peers import RemotePeer
from gamelore.ggp.net.client import Call
from gamelore.match.record import Fault

if TYPE_CHECKING:
    from tests.ggp.conftest import CallClock

RULES = """
(role ann) (role bob) (init (step 0)) (succ 0 1) (succ 1 2)
(<= (legal ?r (go 1 2)) (role ?r)) (<= (legal ?r stay) (role ?r))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 2))) (goal ann 50) (goal bob 50)
"""
STEPS = 2
CLOCK = MatchSettings(start_clock=0.3, play_clock=0.3, grace=0.1)

Behaviour: TypeAlias = Callable[[socket.socket, str], None]
"""What a player does with a connection and the message it carried."""


def http(body: bytes, head: str = "", status: str = "200 OK") -> bytes:
    """A reply with whatever headers are given."""
    return f"HTTP/1.0 {status}\r\nContent-type: text/acl\r\n{head}\r\n".encode() + body


def reply(body: bytes) -> bytes:
    return http(body, f"Content-length: {len(body)}\r\n")


def sending(data: bytes) -> Behaviour:
    def behave(connection: socket.socket, message: str) -> None:
        connection.sendall(data)

    return behave


def hang(connection: socket.socket, message: str) -> None:
    """Say nothing until the other side goes."""
    while connection.recv(4096):
        pass


def then_hang(data: bytes) -> Behaviour:
    def behave(connection: socket.socket, message: str) -> None:
        connection.sendall(data)
        hang(connection, message)

    return behave


def trickle(connection: socket.socket, message: str) -> None:
    """A byte every now and then."""
    for byte in reply(b"stay" + b" " * 1000):
        connection.sendall(bytes([byte]))
        time.sleep(0.05)


def pour(head: bytes) -> Behaviour:
    """100 MB."""

    def behave(connection: socket.socket, message: str) -> None:
        connection.sendall(head)
        for _ in range(100):
            connection.sendall(b"x" * 1_000_000)

    return behave


def reset(connection: socket.socket, message: str) -> None:
    """Break the connection rather than close it."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def answer_late(connection: socket.socket, message: str) -> None:
    """Answer once nobody waits any more."""
    hang(connection, message)
    connection.sendall(reply(b"stay"))


class ScriptedPlayer:
    """Listens on a port, and does as it is told with each kind of message."""

    def __init__(self, **behaviours: Behaviour) -> None:
        self.behaviours = {
            "START": sending(reply(b"ready")),
            "PLAY": sending(reply(b"stay")),
            "STOP": sending(reply(b"done")),
            "ABORT": sending(reply(b"aborted")),
            **behaviours,
        }
        self.messages: list[str] = []
        self.requests: list[bytes] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._connections: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            self._connections.append(connection)
            thread = threading.Thread(
                target=self._serve, args=[connection], daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            data = b""
            while b"\r\n\r\n" not in data:
                data += connection.recv(65536)
            head, _, body = data.partition(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length:")[1].split()[0])
            while len(body) < length:
                body += connection.recv(65536)
            self.requests.append(head + b"\r\n\r\n" + body)
            self.messages.append(body.decode())
            self.behaviours[body.decode().split()[1]](connection, body.decode())

    def close(self) -> None:
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)
            assert not thread.is_alive()

    @property
    def peer(self) -> RemotePeer:
        return RemotePeer("127.0.0.1", self.port)


@pytest.fixture
def make_player() -> Iterator[Callable[..., ScriptedPlayer]]:
    """Makes scripted players; afterwards nothing of the manager's is left open."""
    players: list[ScriptedPlayer] = []

    def make(**behaviours: Behaviour) -> ScriptedPlayer:
        players.append(ScriptedPlayer(**behaviours))
        return players[-1]

    threads, files = threading.active_count(), open_files()
    yield make
    for player in players:
        player.close()
    assert threading.active_count() <= threads
    assert open_files() <= files


@pytest.fixture
def serve(
    make_player: Callable[..., ScriptedPlayer], call_clock: CallClock
) -> Callable[..., ScriptedPlayer]:
    """Makes scripted players, whom the manager calls on a clock of the test.

    They are given the kinds of messages that they do not answer in time.
    """
    players: dict[int, tuple[ScriptedPlayer, tuple[str, ...]]] = {}

    def make(*silent: str, **behaviours: Behaviour) -> ScriptedPlayer:
        player = make_player(**behaviours)
        players[player.port] = player, silent
        return player

    def is_silent(call: Call) -> bool:
        player, silent = players[call.address.port]
        if not any(f"( {kind} ".encode() in call.request for kind in silent):
            return False
        end = time.monotonic() + 60
        while call.request not in player.requests:  # time goes on once it has come
            assert time.monotonic() < end
            time.sleep(0.001)
        return True

    call_clock.is_silent = is_silent
    return make


def open_files() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def run(
    ann: ScriptedPlayer, bob: ScriptedPlayer, settings: MatchSettings = CLOCK
) -> ManagedMatch:
    simulator = Interpreter(Game.from_kif(RULES, name="steps"))
    return Manager(simulator, settings).run([ann.peer, bob.peer], seed=1)


def list_faults(match: ManagedMatch, role: str = "ann") -> list[Fault]:
    assert match.record.complete
    assert len(match.record.moves) == STEPS
    others = [fault for fault in match.record.faults if fault.role != role]
    assert not others, others
    return [fault for fault in match.record.faults if fault.role == role]


HOSTILE: dict[str, tuple[Behaviour, str, str]] = {
    "nothing": (hang, "late", "no answer in 0.4 s"),
    "a byte at a time": (trickle, "late", "no answer in 0.4 s"),
    "too late": (answer_late, "late", "no answer in 0.4 s"),
    "half a header, then nothing": (then_hang(b"HTTP/1.0 200"), "late", "no answer"),
    "half a body, then nothing": (
        then_hang(http(b"(go", "Content-length: 8\r\n")),
        "late",
        "no answer",
    ),
    "no length and no end": (then_hang(http(b"stay")), "late", "no answer"),
    "100 MB announced": (
        pour(http(b"", "Content-length: 100000000\r\n")),
        "failed",
        "over 100,000 bytes of content",
    ),
    "100 MB unannounced": (pour(http(b"")), "failed", "over 100,000 bytes of content"),
    "100 MB of headers": (pour(b"HTTP/1.0 200 OK\r\n"), "failed", "bytes of headers"),
    "100 MB of nothing HTTP": (pour(b""), "failed", "bytes of headers"),
    "binary": (sending(bytes(range(256))), "failed", "closed within the headers"),
    "a binary first line": (sending(b"\x00\xff\r\n\r\nstay"), "failed", "not an HTTP"),
    "a binary body": (sending(reply(bytes(range(256)))), "illegal", "unreadable"),
    "no HTTP": (sending(b"stay"), "failed", "closed within the headers"),
    "length too long": (
        sending(http(b"stay", "Content-length: 10\r\n")),
        "failed",
        "closed after 4 of 10 bytes",
    ),
    "length too short": (
        sending(http(b"(go 1 2)", "Content-length: 5\r\n")),
        "illegal",
        "never closed",
    ),
    "length no number": (
        sending(http(b"stay", "Content-length: many\r\n")),
        "failed",
        "content length is not a number",
    ),
    "length negative": (
        sending(http(b"stay", "Content-length: -4\r\n")),
        "failed",
        "content length is not a number",
    ),
    "chunked": (
        sending(http(b"4\r\nstay\r\n0\r\n\r\n", "Transfer-Encoding: chunked\r\n")),
        "failed",
        "transfer encodings are not understood",
    ),
    "closed at once": (sending(b""), "failed", "closed without an answer"),
    "closed in the header": (sending(b"HTTP/1.0 2"), "failed", "within the headers"),
    "closed in the body": (
        sending(http(b"(go 1", "Content-length: 8\r\n")),
        "failed",
        "closed after 5 of 8 bytes",
    ),
    "reset": (reset, "failed", "the connection broke"),
    "illegal move": (sending(reply(b"( draw 9 9 )")), "illegal", "(draw 9 9) is not"),
    "garbage": (sending(reply(b")))(((")), "illegal", "the answer is no move"),
    "unbalanced": (sending(reply(b"( go 1 2")), "illegal", "never closed"),
    "empty": (sending(reply(b"")), "illegal", "found none"),
    "empty parentheses": (sending(reply(b"()")), "illegal", "empty parentheses"),
    "a list of lists": (
        sending(reply(b"((go 1 2) (go 1 2))")),
        "illegal",
        "the answer is no move",
    ),
    "a variable": (sending(reply(b"?move")), "illegal", "no variables"),
    "deep": (sending(reply(b"(a " * 5000 + b")" * 5000)), "illegal", "nested"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_move_that_never_comes_is_drawn_at_random(
    serve: Callable[..., ScriptedPlayer], call_clock: CallClock, case: str
) -> None:
    behaviour, kind, message = HOSTILE[case]
    silent = ["PLAY"] if kind == "late" else []
    match = run(serve(*silent, PLAY=behaviour), serve())
    faults = list_faults(match)
    assert [fault.step for fault in faults] == list(range(STEPS))
    for fault in faults:
        assert fault.kind == kind
        assert message in fault.message
    limit = STEPS * 0.4 if kind == "late" else 0.0
    assert call_clock.elapsed == pytest.approx(limit)


ACCEPTED: dict[str, Behaviour] = {
    "as the reference player": sending(reply(b"( go 1 2 )")),
    "no length": sending(http(b"(go 1 2)")),
    "status 500": sending(http(b"(go 1 2)", status="500 Internal Server Error")),
    "newlines inside": sending(reply(b"\n(\r\n go\n1\n\n2 )\r\n")),
    "trailing text": sending(reply(b"(go 1 2) as you wish (stay")),
    "bytes after the length": sending(http(b"(go 1 2)(stay)", "Content-length: 8\r\n")),
    "tight parentheses": sending(reply(b"(go 1 2)")),
    "a comment": sending(reply(b"; thinking\n(go 1 2)")),
    "keep-alive": then_hang(
        http(b"(go 1 2)", "Content-Length: 8\r\nConnection: keep-alive\r\n").replace(
            b"HTTP/1.0", b"HTTP/1.1"
        )
    ),
    "bare line ends": sending(b"HTTP/1.0 200 OK\nContent-length: 8\n\n(go 1 2)"),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_oddities_are_accepted(serve: Callable[..., ScriptedPlayer], case: str) -> None:
    match = run(serve(PLAY=ACCEPTED[case]), serve())
    assert list_faults(match) == []
    assert [joint[1] for joint in match.record.moves] == ["stay", "stay"]
    assert all(str(joint[0]) == "(go 1 2)" for joint in match.record.moves)


@pytest.mark.timing
def test_two_that_hang_cost_one_clock(
    make_player: Callable[..., ScriptedPlayer],
) -> None:
    started = time.monotonic()
    match = run(make_player(PLAY=hang), make_player(PLAY=hang))
    elapsed = time.monotonic() - started
    assert len(match.record.faults) == 2 * STEPS
    assert STEPS * 0.4 <= elapsed < 1.5 * STEPS * 0.4


def test_two_that_hang_at_the_start_cost_one_clock(
    serve: Callable[..., ScriptedPlayer], call_clock: CallClock
) -> None:
    match = run(serve("START", START=hang), serve("START", START=hang))
    faults = {(fault.role, fault.step, fault.kind) for fault in match.record.faults}
    assert faults == {("ann", -1, "late"), ("bob", -1, "late")}
    assert call_clock.elapsed == pytest.approx(0.3)


def test_the_start_clock_ends_when_all_are_ready(
    serve: Callable[..., ScriptedPlayer], call_clock: CallClock
) -> None:
    match = run(serve(), serve(), MatchSettings(start_clock=60, play_clock=60))
    assert match.record.faults == ()
    assert call_clock.elapsed == 0.0


def test_one_that_is_busy(serve: Callable[..., ScriptedPlayer]) -> None:
    match = run(serve(START=sending(reply(b"busy"))), serve())
    (fault,) = list_faults(match)
    assert (fault.step, fault.message) == (-1, "busy with another match")


def test_one_that_hangs_at_the_end(serve: Callable[..., ScriptedPlayer]) -> None:
    match = run(serve("STOP", STOP=hang), serve(STOP=sending(b"")))
    faults = {(f.role, f.step, f.kind) for f in match.record.faults}
    assert faults == {("ann", STEPS, "late"), ("bob", STEPS, "failed")}


def test_one_that_is_not_there(serve: Callable[..., ScriptedPlayer]) -> None:
    absent = serve()
    absent.close()
    match = run(absent, serve())
    faults = list_faults(match)
    assert [fault.step for fault in faults] == [-1, 0, 1, 2]
    assert all(f.message == "no connection: connection refused" for f in faults)


def test_one_whose_queue_is_full(
    serve: Callable[..., ScriptedPlayer], call_clock: CallClock
) -> None:
    """A port whose queue of connections is full answers nobody."""
    full = socket.create_server(("127.0.0.1", 0), backlog=0)
    waiting = []
    for _ in range(3):
        filler = socket.socket()
        filler.setblocking(False)
        filler.connect_ex(full.getsockname())
        waiting.append(filler)
    call_clock.is_silent = lambda call: call.address.port == full.getsockname()[1]
    try:
        simulator = Interpreter(Game.from_kif(RULES, name="steps"))
        peers = [RemotePeer(*full.getsockname()), serve().peer]
        match = Manager(simulator, CLOCK).run(peers, seed=1)
    finally:
        for filler in (full, *waiting):
            filler.close()
    faults = list_faults(match)
    assert len(faults) == STEPS + 2
    assert all(f.kind in ("failed", "late") for f in faults)


def test_the_bytes_are_those_of_the_reference_manager(
    serve: Callable[..., ScriptedPlayer],
) -> None:
    ann, bob = serve(), serve(PLAY=sending(reply(b"(go 1 2)")))
    match = run(ann, bob)
    head, _, body = ann.requests[0].partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST / HTTP/1.0"
    assert "Sender: GAMESERVER" in lines
    assert "Content-Type: text/acl" in lines
    assert f"Content-Length: {len(body)}" in lines
    assert f"Opponents: 127.0.0.1%3A{bob.port}" in lines
    start = f"( START {match.match} ann ( (role ann) (role bob) (init (step 0)) "
    assert ann.messages[0].startswith(start)
    assert ann.messages[0].endswith(" ) 0.3 0.3 )")
    assert ann.messages[1:] == [
        f"( PLAY {match.match} NIL )",
        f"( PLAY {match.match} ( stay (go 1 2) ) )",
        f"( STOP {match.match} ( stay (go 1 2) ) )",
    ]


def test_scrambled_rules_and_moves(serve: Callable[..., ScriptedPlayer]) -> None:
    """Players see no word of the game's; records see no other."""

    def play_stay(connection: socket.socket, message: str) -> None:
        connection.sendall(reply(b"stay"))  # a word that it cannot know

    ann = serve(PLAY=play_stay)

    def echo(connection: socket.socket, message: str) -> None:
        """Repeats the other's last move once there is one, which is always legal."""
        words = message.replace("(", " ( ").replace(")", " ) ").split()
        connection.sendall(reply(b"nonsense" if "NIL" in words else last_word(message)))

    def last_word(message: str) -> bytes:
        inner = message.split("(", 2)[2].strip(" )")
        return inner.split()[-1].encode() if "(" not in inner else b"?"

    bob = serve(PLAY=echo)
    settings = MatchSettings(0.3, 0.3, 0.1, scramble=True)
    match = run(ann, bob, settings)
    for message in ann.messages + bob.messages:
        for word in ("ann", "bob", "stay", "go", "step", "succ"):
            assert f" {word} " not in message.replace("(", " ( ").replace(")", " ) ")
    assert match.match.startswith("match.")
    faults = [fault for fault in match.record.faults if fault.role == "ann"]
    assert [fault.message for fault in faults] == [
        "stay is not legal: unknown word stay"
    ] * STEPS
    names = {"stay", "(go 1 2)"}
    assert all(str(move) in names for joint in match.record.moves for move in joint)


def test_an_interrupt_aborts_the_match(
    serve: Callable[..., ScriptedPlayer], call_clock: CallClock
) -> None:
    ann, bob = serve(), serve("ABORT", ABORT=hang)
    simulator = Interpreter(Game.from_kif(RULES, name="steps"))

    def interrupt(moment: object) -> None:
        if getattr(moment, "moves", ()):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Manager(simulator, CLOCK).run([ann.peer, bob.peer], observer=interrupt)
    assert 0.0 < call_clock.elapsed <= ABORT_LIMIT
    for player in (ann, bob):
        assert player.messages[-1].startswith("( ABORT steps.")
        assert not any("STOP" in message for message in player.messages)


def test_clocks_must_end(serve: Callable[..., ScriptedPlayer]) -> None:
    with pytest.raises(Exception, match="need clocks that end"):
        run(serve(), serve(), MatchSettings(math.inf, math.inf))
