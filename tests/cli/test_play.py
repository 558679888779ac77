"""`gamelore play`: a person's session, from pipes and at a terminal."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Sequence

import pytest
from click.testing import CliRunner, Result

from gamelore.cli import main
from gamelore.cli.session import Wish, listed, understand
from gamelore.gdl import read_term, to_kif

MOVES = [read_term(text) for text in ["(mark 1 1)", "(mark 1 2)", "noop"]]


def play(lines: Sequence[str], *arguments: str) -> Result:
    arguments = ("play", *arguments, "--against", "random")
    return CliRunner().invoke(main, list(arguments), input="\n".join([*lines, ""]))


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("1", "(mark 1 1)"),
        ("3", "noop"),
        ("(mark 1 2)", "(mark 1 2)"),
        ("mark 1 2", "(mark 1 2)"),
        ("MARK  1 2", "(mark 1 2)"),
    ],
)
def test_moves_by_number_and_by_name(line: str, move: str) -> None:
    assert understand(line, MOVES) == read_term(move)


@pytest.mark.parametrize("line", ["0", "4", "-1", "", "mark", "9" * 5000, "(", "1.0"])
def test_lines_that_mean_nothing(line: str) -> None:
    assert understand(line, MOVES) is None


@pytest.mark.parametrize("line", ["u", "U", "undo"])
def test_wishes_by_letter_and_by_name(line: str) -> None:
    assert understand(line, MOVES) is Wish.UNDO


def test_the_list_numbers_every_move() -> None:
    text = listed(MOVES * 20)
    for number in range(1, 61):
        assert f"{number:>3}  {to_kif(MOVES[(number - 1) % 3])}" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_whole_match() -> None:
    result = play(["1"] * 9, "tictactoe")
    assert result.exit_code == 0
    assert result.output.startswith("you are x in tictactoe; h helps\n")
    assert "o plays (mark " in result.output
    assert "x gets " in result.output
    assert result.output.splitlines()[-1].startswith("o gets ")


def test_the_seed_repeats_a_match() -> None:
    outputs = [play(["1"] * 9, "tictactoe", "--seed", s).output for s in "1122"]
    assert outputs[0] == outputs[1]
    assert outputs[2] == outputs[3]
    assert outputs[0] != outputs[2]


def test_undo_returns_to_the_last_decision() -> None:
    result = play(["5", "1", "u", "u", "q"], "tictactoe")
    boards = result.output.split("x to move\n")[:-1]
    assert len(boards) == 5
    empty = "1  . . .\n2  . . .\n3  . . .\n"
    assert empty in boards[0]
    assert empty in boards[4]
    assert boards[1].splitlines()[-3:] == boards[3].splitlines()[-3:]
    assert boards[2].splitlines()[-3:] != boards[1].splitlines()[-3:]


def test_there_may_be_nothing_to_take_back() -> None:
    assert "there is no move to take back" in play(["u", "q"], "nim").output


def test_help_and_nonsense_do_not_move() -> None:
    result = play(["h", "nonsense", "m", "q"], "tictactoe")
    assert "take back your last move" in result.output
    assert "no such move: nonsense; h helps" in result.output
    assert result.output.count("  1  (mark 1 1)") == 2
    assert "plays" not in result.output


@pytest.mark.parametrize("lines", [["q"], [], ["1"]])
def test_leaving_is_no_error(lines: list[str]) -> None:
    result = play(lines, "tictactoe")
    assert result.exit_code == 0
    assert result.output.endswith("you left the match\n")


def test_the_second_role() -> None:
    result = play(["q"], "tictactoe", "--role", "o")
    assert result.output.index("x plays (mark") < result.output.index("o to move")


def test_unknown_roles_are_usage_errors() -> None:
    result = play([], "pig", "--role", "random")
    assert result.exit_code == 2
    assert "pig has no role random: choose from first, second" in result.output


@pytest.mark.parametrize(
    "game", ["rock-paper-scissors", "trio", "peg-solitaire", "pig"]
)
def test_every_kind_of_game(game: str) -> None:
    result = play(["1"] * 200, game)
    assert result.exit_code == 0, result.output
    assert " gets " in result.output


def test_others_are_not_seen_to_move_before_you_do() -> None:
    result = play(["1", "q"], "rock-paper-scissors")
    assert result.output.index("left> 1") < result.output.index("right plays")


def read_until(terminal: int, wanted: bytes) -> bytes:
    """What a terminal shows, up to something wanted or to its end."""
    seen = b""
    deadline = time.monotonic() + 60
    while wanted not in seen and time.monotonic() < deadline:
        try:
            seen += os.read(terminal, 4096)
        except OSError:  # the other side has closed it
            break
    return seen


def test_ctrl_c_at_a_terminal() -> None:
    terminal, child = pty.openpty()
    command = [sys.executable, "-m", "gamelore", "play", "nim", "--against", "random"]
    process = subprocess.Popen(
        command, stdin=child, stdout=child, stderr=child, start_new_session=True
    )
    os.close(child)
    try:
        seen = read_until(terminal, b"first> ")
        time.sleep(0.5)  # the prompt is shown a moment before it is listened to
        process.send_signal(signal.SIGINT)
        # Read on: readline waits for its output to be read before it lets go.
        seen += read_until(terminal, b"never printed")
        assert process.wait(timeout=30) == 130
    finally:
        process.kill()
        process.wait()
        os.close(terminal)
    assert b"interrupted" in seen
    assert b"Traceback" not in seen
