"""`gamelore analyse`: what it prints, and what it refuses."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gamelore.cli import main
from gamelore.cli.analysis_view import describe_analysis
from gamelore.engine.position import Position
from gamelore.search.mcts import Analysis, Candidate


def analyse(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["analyse", *arguments])


WON = ["tictactoe", "--moves", "(mark 1 1) (mark 1 2)"]


def test_a_solved_position() -> None:
    result = analyse(*WON, "--playouts", "50000", "--lines", "2")
    assert result.exit_code == 0, result.output
    head, _, headings, best, second, more, _, value = result.output.splitlines()
    assert head.startswith("x to move in tictactoe: ")
    assert headings.split() == ["move", "visits", "share", "value", "95%", "then"]
    assert " 100  " in best
    assert " proven  " in best
    assert second.startswith("(mark ")
    assert more == "and 5 moves more"
    assert value == "solved: x gets 100 if everybody plays well"


def test_the_seed_repeats_an_analysis() -> None:
    arguments = ["connect-four", "--playouts", "3000", "--seed"]
    outputs = [analyse(*arguments, seed).output for seed in "112"]
    assert outputs[0] == outputs[1]
    assert outputs[0] != outputs[2]


def test_json_lines() -> None:
    result = analyse("connect-four", "--playouts", "3000", "--json", "--lines", "3")
    assert result.exit_code == 0, result.output
    records = [json.loads(line) for line in result.output.splitlines()]
    playouts = [record["playouts"] for record in records]
    assert playouts == sorted(playouts)
    assert playouts[-1] >= 3000
    assert len(records[-1]["candidates"]) == 3
    assert records[-1]["role"] == "red"


def test_moves_in_one_text_or_in_several() -> None:
    budget = ["--playouts", "1000"]
    one = analyse("connect-four", "--moves", "(drop 4) (drop 3)", *budget)
    two = analyse("connect-four", "--moves", "(drop 4)", "--moves", "(drop 3)", *budget)
    assert one.output == two.output
    assert one.output.startswith("red to move")


def test_joint_moves_and_roles_that_choose_at_once() -> None:
    moves = ["--moves", "rock rock", "--role", "right", "--playouts", "1000"]
    result = analyse("rock-paper-scissors", *moves)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("right to move in rock-paper-scissors")
    assert "choosing at random by the shares" in result.output


def test_a_position_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "facts.kif"
    position = Position("tictactoe").advance("(mark 1 1)").advance("(mark 1 2)")
    file.write_text(repr(position).split("'")[3])
    budget = ["--playouts", "50000"]
    result = analyse("tictactoe", "--position", str(file), *budget)
    assert result.output == analyse(*WON, *budget).output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tictactoe", "--moves", "(mark 4 4)"], "(mark 4 4) is not a legal move of x"),
        (["tictactoe", "--moves", "(mark"], "error: "),
        (["tictactoe", "--role", "o"], "o has no choice here but noop; x can choose"),
        (["tictactoe", "--role", "z"], "has no role z: choose from x, o"),
        (
            ["connect-four", "--moves", " ".join(f"(drop {c})" for c in "1212121")],
            "the match of connect-four is over here: red gets 100, yellow gets 0",
        ),
        (
            ["rock-paper-scissors", "--moves", "rock"],
            "left and right move at once: give a move for each of left, right",
        ),
    ],
)
def test_what_cannot_be_analysed(arguments: list[str], message: str) -> None:
    result = analyse(*arguments)
    assert result.exit_code == 1
    assert message in result.output


@pytest.mark.parametrize("option", ["--seconds=nan", "--seconds=0", "--playouts=0"])
def test_limits_that_cannot_be(option: str) -> None:
    assert analyse("tictactoe", option).exit_code == 2


def test_long_lines_are_cut_off_in_a_terminal() -> None:
    position = Position("tictactoe")
    first = position.legal_moves("x")[0]
    after = position.advance(first)
    reply = after.legal_moves("o")[0]
    line = ((first, "noop"), ("noop", reply))
    candidate = Candidate(first, 10, 62.5, probability=1.0, line=line)
    analysis = Analysis("x", (candidate,), 10, 2, solved=False, value=62.5)
    wide = describe_analysis(analysis, position, 5)
    assert wide.splitlines()[3].endswith("(mark 1 2)")
    narrow = describe_analysis(analysis, position, 5, 40).splitlines()
    assert max(map(len, narrow[2:])) == 40
    assert narrow[3].endswith("…")
    assert wide.splitlines()[-1] == "x gets about 62.5"


@pytest.mark.slow
def test_ctrl_c_leaves_what_is_known() -> None:
    terminal, child = pty.openpty()
    command = [sys.executable, "-m", "gamelore", "analyse", "connect-four"]
    process = subprocess.Popen(
        [*command, "--seconds", "86400"],
        stdin=child,
        stdout=child,
        stderr=child,
        start_new_session=True,
    )
    os.close(child)
    seen, interrupted = b"", False
    try:
        while True:
            try:
                seen += os.read(terminal, 65536)
            except OSError:  # the other side has closed it
                break
            if b"red gets about" in seen and not interrupted:
                process.send_signal(signal.SIGINT)
                interrupted = True
        assert process.wait(timeout=300) == 130
    finally:
        process.kill()
        process.wait()
        os.close(terminal)
    assert b"Traceback" not in seen
    assert b"(drop 4)" in seen[-3000:]
    assert b"red gets about" in seen[-200:]
