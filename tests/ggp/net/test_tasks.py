"""Coroutines side by side: answers find their way, and one never waits for another."""

from __future__ import annotations

import doctest
import errno
import socket
import threading
import time
import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from gamelore.agents.agent import PlayerAgent
from gamelore.engine import simulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl import Move
from gamelore.ggp.manager.manager import (
    ManagedMatch,
    Manager,
    MatchSettings,
    MatchSpec,
    Moment,
)
from gamelore.ggp.manager.peers import LocalPeer, RemotePeer
from gamelore.ggp.net import tasks as tasks_module
from gamelore.ggp.net.client import Address, Call, Outcome, PendingCall, go_on
from gamelore.ggp.net.connection import Connection
from gamelore.ggp.net.http import HttpRequest, Reply, write_request
from gamelore.ggp.net.listener import Listener
from gamelore.ggp.net.tasks import (
    CallCoroutine,
    make_calls,
    run_concurrently,
    run_coroutine,
)
from gamelore.ggp.player.server import PlayerServer
from gamelore.match.referee import Mishap
from gamelore.player import Briefing, Clock

if TYPE_CHECKING:
    from tests.ggp.conftest import CallClock


class Echo:
    """Answers every request with its own text.

    It answers `slow` ones after a while, and `held` ones once they are released.
    """

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.unanswered: list[Connection] = []
        self.released = threading.Event()
        self.listener = Listener("127.0.0.1", 0, self._answer)
        self.listener.start()

    def _answer(self, connection: Connection, request: HttpRequest) -> None:
        self.heard.append(request.text)
        if request.text.startswith("slow"):
            time.sleep(0.3)
        if request.text == "held":
            self.released.wait(60)
        if request.text == "silence":
            self.unanswered.append(connection)
        else:
            connection.reply(request.text)

    def call(self, text: str, seconds: float = 60.0) -> Call:
        return Call(Address.of(*self.listener.address), write_request(text), seconds)


@pytest.fixture
def echo() -> Iterator[Echo]:
    peer = Echo()
    yield peer
    peer.released.set()
    peer.listener.stop()


def read_text(outcome: Outcome) -> str:
    return outcome.text if isinstance(outcome, Reply) else outcome.kind


def task(echo: Echo, *rounds: list[str]) -> CallCoroutine[list[str]]:
    """Say all of each round at once; what was answered."""
    answers: list[str] = []
    for texts in rounds:
        outcomes = yield [echo.call(text) for text in texts]
        answers += map(read_text, outcomes)
    return answers


def test_answers_come_in_the_order_of_calls(echo: Echo) -> None:
    calls = [echo.call(text) for text in ("slow", "quick", "last")]
    assert [*map(read_text, make_calls(calls))] == ["slow", "quick", "last"]


def test_every_coroutine_gets_its_own_answers(echo: Echo) -> None:
    texts = [[[f"{n}.{r}.{k}" for k in range(2)] for r in range(4)] for n in range(9)]
    results = [*run_concurrently((task(echo, *each) for each in texts), at_once=4)]
    expected = [[text for round in each for text in round] for each in texts]
    assert sorted(results) == sorted(expected)
    assert len(echo.heard) == 9 * 4 * 2


def test_nobody_waits_for_another(echo: Echo) -> None:
    held, quick = task(echo, ["held"]), task(echo, *[["quick"]] * 20)
    results = run_concurrently([held, quick], at_once=2)
    assert next(results) == ["quick"] * 20
    echo.released.set()
    assert next(results) == ["held"]


def test_no_more_at_once_than_is_wished(echo: Echo) -> None:
    open_now: list[int] = []
    most: list[int] = []

    def counted(number: int) -> CallCoroutine[int]:
        open_now.append(number)
        most.append(len(open_now))
        yield [echo.call(str(number))]
        open_now.remove(number)
        return number

    assert sorted(run_concurrently(map(counted, range(10)), at_once=3)) == [*range(10)]
    assert max(most) == 3


def test_silence_costs_one_clock_in_all(echo: Echo, call_clock: CallClock) -> None:
    call_clock.is_silent = lambda call: True

    def wait() -> CallCoroutine[Outcome]:
        (outcome,) = yield [echo.call("silence", 0.3)]
        return outcome

    outcomes = [*run_concurrently((wait() for _ in range(8)), at_once=8)]
    assert call_clock.elapsed == pytest.approx(0.3)
    assert all(isinstance(each, Mishap) and each.kind == "late" for each in outcomes)


def test_running_out_of_connections_is_told(
    echo: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(family: int, kind: int) -> socket.SocketType:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(socket, "SocketType", full)
    with pytest.raises(GameloreError, match="can be opened: too many open files"):
        make_calls([echo.call("quick")])


def test_a_coroutine_may_say_nothing() -> None:
    def silent() -> CallCoroutine[str]:
        return "done"
        yield  # what makes it a coroutine

    assert run_coroutine(silent()) == "done"


def takes_leave(echo: Echo, name: str, texts: Iterable[str]) -> CallCoroutine[str]:
    try:
        for text in texts:
            yield [echo.call(text)]
    except BaseException:
        yield [echo.call(f"bye {name}")]
        raise
    return name


def fails(error: BaseException) -> Iterator[str]:
    """One text, then an error."""
    yield "quick"
    raise error


@pytest.mark.parametrize("error", [GameloreError("it went wrong"), KeyboardInterrupt()])
def test_an_error_is_thrown_into_all_others(echo: Echo, error: BaseException) -> None:
    coroutines = [
        takes_leave(echo, "a", ["slow"]),
        takes_leave(echo, "b", fails(error)),
        takes_leave(echo, "c", ["slow"]),
        takes_leave(echo, "d", ["never said"]),
    ]
    with pytest.raises(type(error)) as raised:
        list(run_concurrently(coroutines, at_once=3))
    assert raised.value is error
    assert sorted(t for t in echo.heard if "bye" in t) == ["bye a", "bye b", "bye c"]
    assert "never said" not in echo.heard


def test_an_interrupt_while_waiting_lets_all_take_leave(
    echo: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = iter(range(100))

    def interrupted(lines: Sequence[PendingCall]) -> None:
        if next(count) == 1:
            raise KeyboardInterrupt
        go_on(lines)

    monkeypatch.setattr("gamelore.ggp.net.tasks.go_on", interrupted)
    coroutines = [takes_leave(echo, name, ["slow", "slow"]) for name in "ab"]
    with pytest.raises(KeyboardInterrupt):
        list(run_concurrently(coroutines, at_once=2))
    assert {"bye a", "bye b"} <= {*echo.heard}


def test_what_ended_before_an_interrupt_is_not_lost(
    echo: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second call of b is interrupted in the round in which a ends."""

    def for_all(lines: Sequence[PendingCall]) -> None:
        while any(line.outcome is None for line in lines):
            go_on(lines)

    def interrupted(call: Call) -> PendingCall:
        if b"interrupt" in call.request:
            raise KeyboardInterrupt
        return PendingCall(call)

    monkeypatch.setattr("gamelore.ggp.net.tasks.go_on", for_all)
    monkeypatch.setattr("gamelore.ggp.net.tasks.PendingCall", interrupted)
    texts = {"a": ["quick"], "b": ["quick", "interrupt"]}
    coroutines = [takes_leave(echo, name, each) for name, each in texts.items()]
    found = []
    with pytest.raises(KeyboardInterrupt):
        for result in run_concurrently(coroutines, at_once=2):
            found.append(result)
    assert found == ["a"]
    assert echo.heard[-1] == "bye b"


def test_whoever_stops_listening_ends_all(echo: Echo) -> None:
    texts = {"a": ["quick"], "b": ["slow"]}
    coroutines = [takes_leave(echo, name, each) for name, each in texts.items()]
    results = run_concurrently(coroutines, at_once=2)
    assert next(results) == "a"
    assert isinstance(results, Generator)
    results.close()
    assert echo.heard[-1] == "bye b"


def test_the_docstring_is_true() -> None:
    result = doctest.testmod(tasks_module)
    assert result.attempted > 0
    assert result.failed == 0


# ── matches ─────────────────────────────────────────────────────────────────────────


class Bookish:
    """Always plays the same in the same position, whatever else it plays."""

    def __init__(self, seed: int) -> None:
        self._role = ""

    def start(self, briefing: Briefing, clock: Clock) -> None:
        self._role = briefing.role

    def choose(self, position: Position, clock: Clock) -> Move:
        legal = position.legal_moves(self._role)
        # by facts: the rows of two engines differ, and a compiled one may come late
        return legal[zlib.crc32(repr(position.facts).encode()) % len(legal)]


PATIENCE = 60.0
"""Seconds in which players must have left their matches."""


@pytest.fixture
def players() -> Iterator[list[RemotePeer]]:
    with ExitStack() as stack:
        agents = [PlayerAgent(Bookish) for _ in range(2)]
        servers = [PlayerServer(each, port=0, at_once=6) for each in agents]
        for server in servers:
            stack.enter_context(server)
        peers = [RemotePeer(*server.address) for server in servers]
        for peer in peers:
            stack.callback(peer.close)
        yield peers
        # an ABORT may be answered after the second that a manager waits for it
        end = time.monotonic() + PATIENCE
        while any(server.matches for server in servers):
            assert time.monotonic() < end, "a match is still under way"
            time.sleep(0.01)


def told(match: ManagedMatch) -> tuple[object, ...]:
    return match.seed, match.players, match.record


@pytest.mark.parametrize(
    ("game", "count", "at_once"),
    [("pig-10", 8, 4), pytest.param("pig", 12, 6, marks=pytest.mark.slow)],
)
def test_matches_side_by_side_are_those_one_after_the_other(
    game: str, count: int, at_once: int, players: list[RemotePeer]
) -> None:
    manager = Manager(simulator(load(game)), MatchSettings(3600, 3600))
    specs = [MatchSpec(players[:: 1 - 2 * (n % 2)], seed=n) for n in range(count)]
    one_by_one = [manager.run(spec.peers, seed=spec.seed) for spec in specs]
    together = [*manager.run_side_by_side(specs, at_once=at_once)]
    assert len({len(match.record.moves) for match in together}) > 1
    together.sort(key=lambda match: match.seed)
    assert [*map(told, together)] == [*map(told, one_by_one)]
    assert all(match.record.complete for match in together)
    assert not any(match.record.faults for match in together)
    assert len({match.match for match in together}) == count


def test_players_told_too_much_at_once_are_busy(players: list[RemotePeer]) -> None:
    manager = Manager(simulator(load("tictactoe")), MatchSettings(10, 5))
    matches = [*manager.run_side_by_side((MatchSpec(players, n) for n in range(8)), 8)]
    assert len(matches) == 8
    faults = [fault for match in matches for fault in match.record.faults]
    assert any("busy" in fault.message for fault in faults)


def test_players_in_this_process_play_one_at_a_time() -> None:
    peers = [LocalPeer(PlayerAgent(Bookish), name) for name in "ab"]
    manager = Manager(simulator(load("tictactoe")), MatchSettings(10, 5))
    (match,) = manager.run_side_by_side([MatchSpec(peers)])
    assert match.record.complete
    with pytest.raises(GameloreError, match="only players on the network"):
        list(manager.run_side_by_side([MatchSpec(peers)] * 2, at_once=2))
    for peer in peers:
        peer.close()


def test_an_interrupt_aborts_all_matches(players: list[RemotePeer]) -> None:
    def interrupt(moment: Moment) -> None:
        if len(moment.moves) == 3:
            raise KeyboardInterrupt

    manager = Manager(simulator(load("tictactoe")), MatchSettings(10, 5))
    specs = [MatchSpec(players, seed=n, observer=interrupt) for n in range(4)]
    with pytest.raises(KeyboardInterrupt):
        list(manager.run_side_by_side(specs, at_once=4))
