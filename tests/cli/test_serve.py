"""`gamelore serve` as a process."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from gamelore.cli import main
from gamelore.engine.position import Position
from gamelore.games import load
from gamelore.gdl import Move
from gamelore.ggp.messages import (
    Play,
    Start,
    Stop,
    list_rules,
    read_move,
    write_message,
)
from gamelore.ggp.net.http import ReplyReader, write_request


@contextmanager
def serving(*options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server on a port that the system chooses."""
    command = [sys.executable, "-m", "gamelore", "serve", "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        for line in process.stderr:
            found = re.search(r"listens on 127\.0\.0\.1:(\d+)", line)
            if found:
                yield process, int(found[1])
                return
        raise AssertionError("the server did not start")
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def ask(port: int, text: str) -> str:
    with socket.create_connection(("127.0.0.1", port), timeout=300) as line:
        line.sendall(write_request(text))
        reader = ReplyReader()
        while (reply := reader.feed(line.recv(65_536))) is None:
            pass
    return reply.text


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network that has learned a little."""
    path = tmp_path_factory.mktemp("snapshots") / "net.ckpt"
    options = "--values network --hidden 8 --against self --matches 200"
    arguments = ["learn", "tictactoe", *options.split(), "--save", str(path)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("player", "name"),
    [
        ("random", "trio"),
        ("monte-carlo", "tron"),
        ("minimax", "tictactoe"),
        ("learned:FILE", "tictactoe"),
        ("learned:FILE:3", "tictactoe"),
        ("learned:FILE", "nim"),
    ],
)
def test_it_plays_a_match_and_ends_when_asked(
    player: str, name: str, stop_signal: signal.Signals, snapshot: Path
) -> None:
    player = player.replace("FILE", str(snapshot))
    game = load(name)
    with serving("--player", player, "--name", "eve") as (process, port):
        assert ask(port, "( INFO )") == "( ( name eve ) ( status available ) )"
        role = game.roles[0]
        start = Start("one", role, list_rules(game), 20, 1)
        assert ask(port, write_message(start)) == "ready"
        position = Position(game)
        joint: tuple[Move, ...] | None = None
        while not position.is_terminal:
            move = read_move(ask(port, write_message(Play("one", joint))))
            assert move in position.legal_moves(role)
            others = [position.legal_moves(other)[0] for other in game.roles[1:]]
            joint = (move, *others)
            position = position.advance(joint)
        assert ask(port, write_message(Stop("one", joint))) == "done"
        process.send_signal(stop_signal)
        assert process.wait(300) == 0
        assert process.stderr is not None
        report = process.stderr.read()
        assert "match one of game-" in report
        assert f" as {role}: " in report
        assert "eve has ended" in report
        assert "Traceback" not in report
        elsewhere = player.startswith("learned:") and name != "tictactoe"
        assert ("another player takes over" in report) == elsewhere


def test_a_snapshot_gives_its_name(snapshot: Path) -> None:
    with serving("--player", f"learned:{snapshot}:2") as (_, port):
        info = ask(port, "( INFO )")
    assert info == "( ( name gamelore-net ) ( status available ) )"


def test_a_port_in_use_is_an_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(
            main, ["serve", "--player", "random", "--port", port]
        )
    assert result.exit_code == 1
    assert (
        f"error: cannot listen on 127.0.0.1:{port}: somebody listens" in result.output
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--player", "randm"], "did you mean random?"),
        (["--player", "no_such_module:Player"], "cannot import"),
        (["--name", "two words"], "name must be one word"),
        (["--port", "70000"], "70000 is not in the range"),
        (["--at-once", "0"], "0 is not in the range"),
        (["--host", "no.such.host.invalid"], "cannot listen on no.such.host.invalid"),
    ],
)
def test_what_cannot_be_is_refused(options: list[str], message: str) -> None:
    arguments = ["serve", "--port", "0", "--player", "random", *options]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code in (1, 2)
    assert message in result.output
