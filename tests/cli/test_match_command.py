"""`gamelore match` and `gamelore watch`, in this process and as commands."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gamelore.agents.agent import PlayerAgent
from gamelore.agents.builtin import PLAYERS
from gamelore.cli import main
from gamelore.cli.match import match_seed
from gamelore.cli.watch import _guesses
from gamelore.ggp.match_record import read_match
from gamelore.ggp.player.server import PlayerServer

FAST = ("--engine", "interpreter", "--seed", "3")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def match(*arguments: str) -> Result:
    return run("match", *arguments, *FAST)


def test_one_match_is_told_move_by_move() -> None:
    result = match("tictactoe", "random", "random")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0].startswith("   1  (mark ") and lines[0].endswith("  noop")
    assert any(line.startswith("   1  x random ") for line in lines)
    assert "player" in result.output and "wins" in result.output


def test_many_matches_are_one_line_each_and_repeat() -> None:
    arguments = ("tictactoe", "random", "random", "--repeat", "4", "--swap")
    first, again = match(*arguments), match(*arguments)
    assert first.exit_code == 0, first.output
    lines = first.output.splitlines()
    assert lines[0].startswith("   1  x random ")
    assert lines[1].startswith("   2  x random#2 ")
    assert first.output == again.output
    assert not first.output.count("noop")


def test_quiet_prints_the_summary_only() -> None:
    result = match("tictactoe", "random", "random", "--repeat", "3", "--quiet")
    lines = result.output.strip().splitlines()
    assert lines[0].startswith("player")
    assert [line.split()[0] for line in sorted(lines[1:])] == ["random", "random#2"]


def test_json_says_it_all(tmp_path: Path) -> None:
    result = match(
        *("rock-paper-scissors", "random", "random", "--repeat", "5", "--json"),
        *("--output", str(tmp_path / "records")),
    )
    record = json.loads(result.output)
    assert record["game"] == "rock-paper-scissors"
    assert len(record["matches"]) == 5
    assert [each["seed"] for each in record["matches"]] == [
        match_seed(3, number) for number in range(5)
    ]
    for each in record["matches"]:
        assert read_match(each["file"]).match == each["match"]
    assert {row["player"] for row in record["players"]} == {"random", "random#2"}


def test_a_player_that_is_not_there_is_a_fault_and_a_warning() -> None:
    result = match("tictactoe", "random", "127.0.0.1:1", "--json")
    assert "127.0.0.1:1 does not answer: no connection" in result.stderr
    faults = json.loads(result.stdout)["matches"][0]["faults"]
    assert {fault["role"] for fault in faults} == {"o"}
    assert faults[0]["step"] == -1
    assert "127.0.0.1:1 never answered: no connection" in result.stderr
    assert result.exit_code == 1


@pytest.mark.parametrize("option", ["--start-clock", "--play-clock", "--grace"])
@pytest.mark.parametrize("value", ["nan", "-1", "inf", "soon"])
def test_clocks_must_be_numbers(option: str, value: str) -> None:
    result = match("tictactoe", "random", "random", option, value)
    assert result.exit_code == 2
    assert f"Invalid value for '{option}': " in result.output
    assert value in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tictactoe", "random"), "tictactoe takes 2 players, for x, o; 1 given"),
        (("tictactoe", "random", "minmax"), "did you mean minimax"),
        (("tictactoe", "random", "localhost:99999"), "there is no port 99999"),
        (("tictactoe", "random", "no.such.host.invalid:80"), "cannot find the host"),
        (("tictactoee", "random", "random"), "did you mean tictactoe"),
        (("tictactoe", "random", "random", "--at-once", "2"), "random is not on the"),
    ],
)
def test_mistakes_are_told(arguments: tuple[str, ...], message: str) -> None:
    result = match(*arguments)
    assert result.exit_code == 1
    assert message in result.output


def test_a_cut_off_match_gives_nobody_anything() -> None:
    result = match("tictactoe", "random", "random", "--move-limit", "2")
    assert "1 cut off at the move limit, which gives nobody anything" in result.output
    as_json = match("tictactoe", "random", "random", "--move-limit", "2", "--json")
    report = json.loads(as_json.output)
    assert report["matches"][0]["goals"] == [None, None]
    for row in report["players"]:
        assert row["goal"]["value"] == 0
        assert row["matches"] == 1
        assert row["wins"] == 0


def interrupted(
    folder: Path, *arguments: str, number: signal.Signals = signal.SIGINT
) -> str:
    """Have a process play, with a real signal once there are some records.

    What it printed.
    """
    command = [sys.executable, "-m", "gamelore", "match", "tictactoe", *arguments]
    command += ["--repeat", "1000000", "--engine", "interpreter"]
    process = subprocess.Popen(
        [*command, "--quiet", "--output", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 300
    while len([*folder.glob("*.json")]) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "interrupted" in errors
    return output


def check_records(folder: Path, output: str) -> None:
    """Whatever was finished is kept, and counted, and whole."""
    records = [*folder.glob("*.json")]
    assert len(records) >= 3
    assert f" {len(records)}\n" in output  # matches, in the last column
    assert all(read_match(path).completed for path in records)
    assert [*folder.glob(".*")] == []


def test_interrupts_keep_what_is_finished(tmp_path: Path) -> None:
    check_records(tmp_path, interrupted(tmp_path, "random", "random"))


@pytest.fixture
def addresses() -> Iterator[list[str]]:
    """Two players that take four matches at once."""
    with ExitStack() as stack:
        found, servers = [], []
        for seed in (1, 2):
            agent = PlayerAgent(PLAYERS["random"], seed)
            server = PlayerServer(agent, port=0, name=f"p{seed}", at_once=4)
            host, port = stack.enter_context(server).address
            found.append(f"{host}:{port}")
            servers.append(server)
        yield found
        assert not any(server.matches for server in servers)


def test_matches_at_once_are_all_played(addresses: list[str], tmp_path: Path) -> None:
    arguments = (
        "--repeat",
        "12",
        "--at-once",
        "4",
        "--swap",
        "--output",
        str(tmp_path),
    )
    result = match("tictactoe", *addresses, *arguments)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert [int(line.split()[0]) for line in lines[:12]] == [*range(1, 13)]
    assert sum(line.split()[1:3] == ["x", "p1"] for line in lines[:12]) == 6
    records = [read_match(path) for path in tmp_path.glob("*.json")]
    assert len({record.match for record in records}) == 12
    assert all(record.completed for record in records)
    assert "fault" not in "".join(lines[:12])


def test_an_interrupt_aborts_all_matches(
    addresses: list[str], tmp_path: Path, stop_signal: signal.Signals
) -> None:
    output = interrupted(tmp_path, *addresses, "--at-once", "4", number=stop_signal)
    check_records(tmp_path, output)


def test_the_live_view_in_a_terminal() -> None:
    """On a pseudo-terminal: a board appears, and the final frame stays."""
    output = in_terminal("match", "tictactoe", "random", "random", *FAST)
    assert "   1 2 3" in output
    assert "to move" not in output.rpartition("over after")[2]
    assert "over after" in output
    assert "wins" in output


@pytest.fixture
def record(tmp_path: Path) -> Path:
    match("tictactoe", "random", "random", "--output", str(tmp_path))
    (path,) = tmp_path.glob("*.json")
    return path


def test_watching_prints_every_position(record: Path) -> None:
    result = run("watch", str(record))
    assert result.exit_code == 0, result.output
    moves = len(read_match(record).moves)
    assert result.output.count("1 2 3") == moves + 1
    assert f"after 0 of {moves} moves" in result.output
    assert f"over after {moves} moves" in result.output
    assert "→ 100" in result.output or "→ 50" in result.output
    assert result.output.count(" to move") == moves  # not at the end


def test_watching_records_of_ggp_base(record: Path) -> None:
    values = json.loads(record.read_text(encoding="utf-8"))
    del values["gamelore"]
    values["errors"][1][0] = "TO"
    record.write_text(json.dumps(values), encoding="utf-8")
    plain = run("watch", str(record)).output
    assert "unknown game" in plain and "(control x)" in plain and "role 1: TO" in plain
    drawn = run("watch", str(record), "--game", "tictactoe").output
    assert "1 2 3" in drawn and "x: TO" in drawn
    values["gameMetaURL"] = "http://games.example.org/base/games/ticTacToe/v0/"
    record.write_text(json.dumps(values), encoding="utf-8")
    assert "1 2 3" in run("watch", str(record)).output


def test_games_are_guessed_by_their_names() -> None:
    assert _guesses("http://g.org/games/connectFour/") == [
        "connectFour",
        "connect-four",
        "connectfour",
    ]
    assert _guesses("") == []


def test_watching_a_damaged_record(record: Path) -> None:
    record.write_text(record.read_text(encoding="utf-8")[:-40], encoding="utf-8")
    result = run("watch", str(record))
    assert result.exit_code == 1
    assert "is no match record" in result.output


@pytest.mark.slow
def test_watching_in_a_terminal(record: Path) -> None:
    moves = len(read_match(record).moves)
    film = in_terminal("watch", str(record), "--speed", "100")
    assert film.count("1 2 3") == moves + 1
    stepped = in_terminal("watch", str(record), "--step", keys=b"  bq")
    assert [part[:6] for part in stepped.split("· after ")[1:]] == [
        f"{place} of {moves}" for place in (0, 1, 2, 1)
    ]


def in_terminal(*arguments: str, keys: bytes = b"") -> str:
    """What a command writes to a terminal; keys are pressed at its prompts."""
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "gamelore", *arguments],
        stdin=child,
        stdout=child,
        stderr=child,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "40"},
    )
    os.close(child)
    output, waiting = b"", keys
    deadline = time.monotonic() + 300
    try:
        while time.monotonic() < deadline:
            if not select.select([parent], [], [], 0.2)[0]:
                if process.poll() is not None:
                    break
                # Only now: what is typed before a prompt is ready is thrown away.
                if output.count(b"q: quit") > len(keys) - len(waiting):
                    os.write(parent, waiting[:1])
                    waiting = waiting[1:]
                continue
            try:
                data = os.read(parent, 65536)
            except OSError:  # the other side has closed
                break
            output += data
        assert process.wait(300) == 0, output.decode()
    finally:
        process.kill()
        os.close(parent)
    return output.decode()
