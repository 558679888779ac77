"""Connections that a manager and a player of ours use again, and when they do not."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from gamelore.agents.agent import PlayerAgent
from gamelore.agents.builtin import PLAYERS
from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import simulator
from gamelore.engine.position import Position
from gamelore.games import load
from gamelore.gdl import Move
from gamelore.ggp.manager.manager import Manager, MatchSettings
from gamelore.ggp.manager.peers import RemotePeer
from gamelore.ggp.messages import Info, Play, Start, list_rules, write_message
from gamelore.ggp.net import listener
from gamelore.ggp.net.client import Address, Call, ConnectionPool
from gamelore.ggp.net.http import Reply, ReplyReader, write_request
from gamelore.ggp.net.tasks import make_calls
from gamelore.ggp.player.server import PlayerServer
from gamelore.player import Clock

INFO = write_message(Info())


@pytest.fixture
def server() -> Iterator[PlayerServer]:
    with PlayerServer(PlayerAgent(PLAYERS["random"], 1), port=0) as serving:
        yield serving


def ask(line: socket.socket, text: str, keep: bool = True) -> Reply:
    """A server's reply on a connection that may have been used before."""
    line.sendall(write_request(text, keep=keep))
    reader = ReplyReader()
    while (reply := reader.feed(line.recv(65_536))) is None:
        pass
    return reply


def test_a_connection_is_used_as_often_as_is_wished(server: PlayerServer) -> None:
    with socket.create_connection(server.address, timeout=60) as line:
        for _ in range(5):
            assert ask(line, INFO).keeps
        assert not ask(line, INFO, keep=False).keeps
        assert line.recv(1) == b""  # closed, as for any other manager


def test_it_may_come_in_pieces_every_time(server: PlayerServer) -> None:
    with socket.create_connection(server.address, timeout=60) as line:
        for _ in range(2):
            data = write_request(INFO, keep=True)
            line.sendall(data[:20])
            assert threading.Event().wait(0.05) is False
            line.sendall(data[20:])
            reply = ReplyReader().feed(line.recv(65_536))
            assert reply is not None
            assert reply.keeps


def test_one_that_rests_for_long_is_closed(
    monkeypatch: pytest.MonkeyPatch, server: PlayerServer
) -> None:
    monkeypatch.setattr(listener, "_REST", 0.2)
    with socket.create_connection(server.address, timeout=60) as line:
        assert ask(line, INFO).keeps
        assert line.recv(1) == b""


def test_one_that_was_closed_is_replaced() -> None:
    pool = ConnectionPool()
    request = write_request(INFO, keep=True)
    with PlayerServer(PlayerAgent(PLAYERS["random"], 1), port=0) as first:
        address = Address.of(*first.address)
        assert isinstance(make_calls([Call(address, request, 5, pool)])[0], Reply)
    again = PlayerServer(PlayerAgent(PLAYERS["random"], 1), port=address.port)
    with again:
        for _ in range(2):
            (reply,) = make_calls([Call(address, request, 5, pool)])
            assert isinstance(reply, Reply)
            assert reply.keeps
    pool.close()


def test_a_match_needs_one_connection_to_each_player(
    monkeypatch: pytest.MonkeyPatch, server: PlayerServer
) -> None:
    accepted = []
    accept = listener.Listener._accept

    def counted(self: listener.Listener) -> None:
        accepted.append(1)
        accept(self)

    monkeypatch.setattr(listener.Listener, "_accept", counted)
    with PlayerServer(PlayerAgent(PLAYERS["random"], 2), port=0) as other:
        peers = [RemotePeer(*each.address) for each in (server, other)]
        manager = Manager(simulator(load("tictactoe")), MatchSettings(10, 5))
        for seed in range(3):
            assert not manager.run(peers, seed=seed).record.faults
        for peer in peers:
            peer.close()
    assert len(accepted) == 2


class Stubborn(RandomPlayer):
    """Thinks for longer than it may, until it is let go."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.thinks = threading.Event()
        self.go = threading.Event()

    def choose(self, position: Position, clock: Clock) -> Move:
        self.thinks.set()
        self.go.wait(60)
        return super().choose(position, clock)


def test_a_player_that_thinks_on_does_not_hold_up_the_next_message() -> None:
    player = Stubborn()
    agent = PlayerAgent(lambda seed: player, 1)
    rules = list_rules(load("tictactoe"))
    with (
        PlayerServer(agent, port=0) as server,
        socket.create_connection(server.address, timeout=60) as line,
    ):
        assert ask(line, write_message(Start("m", "x", rules, 20, 0.3))).keeps
        late = ask(line, write_message(Play("m", None)))
        assert not late.keeps
        assert late.text.strip("( )").startswith("mark")
        player.go.set()


def test_a_request_that_comes_too_early_is_answered_in_its_turn() -> None:
    player = Stubborn()
    rules = list_rules(load("tictactoe"))
    with (
        PlayerServer(PlayerAgent(lambda seed: player, 1), port=0) as server,
        socket.create_connection(server.address, timeout=60) as line,
    ):
        ask(line, write_message(Start("m", "x", rules, 20, 100)))
        line.sendall(write_request(write_message(Play("m", None)), keep=True))
        assert player.thinks.wait(60)
        line.sendall(write_request(INFO, keep=False))
        player.go.set()
        received = b""
        while data := line.recv(65_536):
            received += data
    first, second = received.split(b"HTTP/1.0 ")[1:]
    assert b"mark" in first
    assert b"available" in second or b"busy" in second


def wait_until(condition: Callable[[], bool]) -> None:
    """Fail if something does not come to hold."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_one_who_leaves_before_the_answer_leaves_nothing_behind() -> None:
    player = Stubborn()
    rules = list_rules(load("tictactoe"))
    with PlayerServer(PlayerAgent(lambda seed: player, 1), port=0) as server:
        watched = server._listener._selector.get_map()
        assert len(watched) == 2  # the port, and what wakes its leader
        with socket.create_connection(server.address, timeout=60) as line:
            ask(line, write_message(Start("m", "x", rules, 20, 100)))
            wait_until(lambda: len(watched) == 3)
            line.sendall(write_request(write_message(Play("m", None)), keep=True))
            assert player.thinks.wait(60)
        player.go.set()
        wait_until(lambda: len(watched) == 2)
        with socket.create_connection(server.address, timeout=60) as line:
            assert ask(line, INFO).keeps
