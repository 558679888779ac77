"""How many tic-tac-toe matches a second: in this process, and over the network.

    python benchmarks/protocol.py                 everything, about a minute
    python benchmarks/protocol.py --matches 300   fewer matches

Over loopback the players are two `gamelore serve --player random` processes. They and
the manager use connections again; the part "connect" is what it would cost with players
that want one for every message, as other programs do. A match waits for its players
most of the time, so the manager, one process, runs several side by side.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from serving import served

from gamelore.agents.agent import PlayerAgent
from gamelore.agents.builtin import PLAYERS
from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import Simulator, simulator
from gamelore.games import load
from gamelore.ggp.manager.manager import ManagedMatch, Manager, MatchSettings, MatchSpec
from gamelore.ggp.manager.peers import LocalPeer, RemotePeer
from gamelore.ggp.match_record import write_match
from gamelore.ggp.messages import (
    Message,
    Play,
    Start,
    Stop,
    read_message,
    read_move,
    write_message,
)
from gamelore.ggp.net.client import Address, Call
from gamelore.ggp.net.http import ReplyReader, RequestReader, write_reply, write_request
from gamelore.ggp.net.tasks import make_calls
from gamelore.match.match import play_match

GAME = "tictactoe"
CLOCKS = MatchSettings(start_clock=10, play_clock=5)
ROUNDS = 3
WARM_UP = 100

_ECHO = """
import socket
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True:
    connection, _ = server.accept()
    connection.recv(65536)
    connection.sendall(b"HTTP/1.0 200 OK\\r\\nContent-length: 4\\r\\n\\r\\nnoop")
    connection.close()
"""


class Run(NamedTuple):
    """Matches over the network, and what they cost."""

    matches: int
    seconds: float
    faults: int
    manager: float
    """Processor seconds of the manager."""
    players: float
    """Processor seconds of both players."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--at-once", type=int, nargs="*", default=[1, 4, 16])
    options = parser.parse_args()
    print(f"{GAME}, CPython {platform.python_version()}, {os.cpu_count()} cores\n")
    engine = simulator(load(GAME))
    in_process(engine, options.matches)
    over_loopback(engine, options.matches, options.at_once)
    parts(engine, options.matches)


# ── in this process ─────────────────────────────────────────────────────────────────


def in_process(engine: Simulator, matches: int) -> None:
    """Matches per second on the open path."""
    players = {"x": RandomPlayer(1), "o": RandomPlayer(2)}
    agents = [PlayerAgent(PLAYERS["random"], seed) for seed in (1, 2)]
    peers = [LocalPeer(each, f"r{i}") for i, each in enumerate(agents)]
    manager = Manager(engine, MatchSettings(float("inf"), float("inf")))
    show_rate(
        "in process, two players",
        matches,
        lambda seed: play_match(engine, players, seed=seed),
    )
    show_rate(
        "in process, by the manager",
        matches,
        lambda seed: manager.run(peers, seed=seed),
    )


def show_rate(title: str, matches: int, play: Callable[[int], object]) -> None:
    """Print the best and the median of some rounds."""
    rates = []
    play(0)
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for seed in range(matches):
            play(seed)
        rates.append(matches / (time.perf_counter() - started))
    median, best = statistics.median(rates), max(rates)
    print(f"{title:28} {median:8,.0f} matches/s   (best round {best:,.0f})")


# ── over the network ────────────────────────────────────────────────────────────────


def over_loopback(engine: Simulator, matches: int, at_once: Sequence[int]) -> None:
    """Matches per second with so many at once."""
    print("\nover loopback                 matches/s  processor ms per match")
    print("                                           manager   players  faults")
    manager = Manager(engine, CLOCKS)
    with served(2, "random", at_once=max(at_once)) as players:
        peers = [RemotePeer("127.0.0.1", port) for _, port in players]
        timed_run(manager, peers, players, WARM_UP, max(at_once))
        for count in at_once:
            run = timed_run(manager, peers, players, matches, count)
            show_run(f"{count} at once", run)
        with tempfile.TemporaryDirectory() as folder:
            run = timed_run(manager, peers, players, matches, count, folder)
            show_run("the same, with records", run)
        for peer in peers:
            peer.close()


def show_run(title: str, run: Run) -> None:
    each = 1000 / run.matches
    print(
        f"  {title:26} {run.matches / run.seconds:10,.0f}"
        f" {each * run.manager:11.2f} {each * run.players:9.2f} {run.faults:7}"
    )


def timed_run(
    manager: Manager,
    peers: Sequence[RemotePeer],
    players: Sequence[tuple[int, int]],
    matches: int,
    at_once: int,
    records: str | None = None,
) -> Run:
    """Run matches; where a folder is given, write a record of each."""
    specs = (MatchSpec(peers, seed) for seed in range(matches))
    of_players = sum(processor_seconds(process) for process, _ in players)
    of_manager = time.process_time()
    started = time.perf_counter()
    faults = 0
    for match in manager.run_side_by_side(specs, at_once):
        faults += len(match.record.faults)
        if records is not None:
            write_match(match, records)
    return Run(
        matches=matches,
        seconds=time.perf_counter() - started,
        faults=faults,
        manager=time.process_time() - of_manager,
        players=sum(processor_seconds(p) for p, _ in players) - of_players,
    )


def processor_seconds(process: int) -> float:
    """What a process has used so far; 0 where the system does not say."""
    path = Path(f"/proc/{process}/stat")
    if not path.exists():
        return 0.0
    user, system = path.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


# ── parts ───────────────────────────────────────────────────────────────────────────


def parts(engine: Simulator, matches: int) -> None:
    """What one match costs, part by part, one after the other."""
    rounds = max(10, matches // 10)
    agents = [PlayerAgent(PLAYERS["random"], seed) for seed in (1, 2)]
    peers = [LocalPeer(each, f"r{i}") for i, each in enumerate(agents)]
    manager = Manager(engine, MatchSettings(float("inf"), float("inf")))
    played = [manager.run(peers, seed=seed) for seed in range(rounds)]
    texts = [list_messages(match) for match in played]
    count = statistics.mean(len(each) for each in texts)
    print(f"\nparts of a match over loopback ({count:.1f} messages on average)")
    table = {
        "connect, send, receive, close": connecting(texts),
        "parse: requests and replies": parsing(played, texts),
        "decide: positions and players": deciding(engine, rounds),
        "record: write a file": recording(played),
    }
    for title, milliseconds in table.items():
        print(f"  {title:32} {milliseconds:7.3f} ms")


def list_messages(match: ManagedMatch) -> list[str]:
    """Every message of a match, for each player."""
    rules = (" ".join(match.rules.splitlines()),)
    moves = match.record.moves
    one: list[Message] = [
        Start(match.match, "x", rules, 10, 5),
        *(Play(match.match, joint) for joint in (None, *moves[:-1])),
        Stop(match.match, moves[-1]),
    ]
    return [write_message(message) for message in one for _ in range(2)]


def milliseconds_each(count: int, started: float) -> float:
    return 1000 * (time.perf_counter() - started) / count


def connecting(texts: Sequence[Sequence[str]]) -> float:
    """Against players that answer without thinking; two are asked at once."""
    with subprocess.Popen(
        [sys.executable, "-c", _ECHO], stdout=subprocess.PIPE, text=True
    ) as echo:
        try:
            assert echo.stdout is not None
            address = Address.of("127.0.0.1", int(echo.stdout.readline()))
            requests = [[write_request(text) for text in each] for each in texts]
            started = time.perf_counter()
            for each in requests:
                for pair in zip(each[::2], each[1::2], strict=True):
                    make_calls([Call(address, request, 5) for request in pair])
            return milliseconds_each(len(texts), started)
        finally:
            echo.terminate()


def parsing(played: Sequence[ManagedMatch], texts: Sequence[Sequence[str]]) -> float:
    """Both sides: writing and reading all requests and replies."""
    started = time.perf_counter()
    for match, each in zip(played, texts, strict=True):
        for text in each:
            request = RequestReader().feed(write_request(text))
            assert request is not None
            read_message(request.text)
        for joint in match.record.moves:
            for move in joint:
                reply = ReplyReader().feed(write_reply(str(move)))
                assert reply is not None
                read_move(reply.text)
    return milliseconds_each(len(played), started)


def deciding(engine: Simulator, rounds: int) -> float:
    """The rules and the players alone; each of manager and players follows them."""
    players = {"x": RandomPlayer(1), "o": RandomPlayer(2)}
    started = time.perf_counter()
    for seed in range(rounds):
        play_match(engine, players, seed=seed)
    return milliseconds_each(rounds, started)


def recording(played: Sequence[ManagedMatch]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        for match in played:
            write_match(match, folder)
        return milliseconds_each(len(played), started)


if __name__ == "__main__":
    main()
