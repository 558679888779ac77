"""`gamelore play`: a person's session, from pipes and at a terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import gamelore
from gamelore.cli import main
from gamelore.cli.terminal import Terminal, colour, describe_result
from gamelore.engine.position import Position
from gamelore.match.record import MatchRecord


def play(lines: Sequence[str], *arguments: str) -> Result:
    arguments = ("play", *arguments, "--against", "random")
    return CliRunner().invoke(main, list(arguments), input="\n".join([*lines, ""]))


ALL = [str(number) for number in range(1, 10)]


def test_a_whole_match() -> None:
    result = play(ALL * 3, "tictactoe")
    assert result.exit_code == 0
    assert result.output.startswith("you are x in tictactoe; h helps\n")
    assert "o plays (mark " in result.output
    verdict, own, other = result.output.splitlines()[-3:]
    goal = int(own.removeprefix("you (x) get "))
    assert other == f"o gets {100 - goal}"
    assert verdict == {100: "you win", 50: "a draw", 0: "you lose: o wins"}[goal]


def test_the_final_board_does_not_say_whose_move_it_would_be() -> None:
    output = play(ALL * 3, "tictactoe").output
    boards = output.split("   1 2 3\n")[1:]
    assert all("x to move" in board for board in boards[:-1])
    assert "to move" not in boards[-1]


def test_the_last_move_is_marked_on_the_final_board() -> None:
    simulator = gamelore.simulator(gamelore.load("tictactoe"))
    before = Position(simulator)
    for cell in ("1 1", "2 1", "1 2", "2 2"):
        before = before.advance(f"(mark {cell})")
    after = before.advance("(mark 1 3)")
    assert after.is_terminal
    terminal = Terminal(simulator.game, "x")
    terminal._previous = before
    drawn = terminal._draw(after)
    assert drawn.count(click.style("x", fg="cyan", reverse=True, bold=True)) == 1
    assert "to move" not in drawn


def test_the_seed_repeats_a_match() -> None:
    outputs = [play(ALL * 3, "tictactoe", "--seed", s).output for s in "1122"]
    assert outputs[0] == outputs[1]
    assert outputs[2] == outputs[3]
    assert outputs[0] != outputs[2]


def test_undo_returns_to_the_last_decision() -> None:
    result = play(["5", "1", "2", "u", "u", "q"], "tictactoe", "--seed", "3")
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


def test_numbers_of_moves_stay_the_same() -> None:
    result = play(["5", "9", "8", "1", "q"], "tictactoe", "--seed", "2")
    listed = [line for line in result.output.splitlines() if "(mark" in line]
    numbers = {
        (int(number), move)
        for line in listed
        for number, move in re.findall(r"(\d)  (\(mark \d \d\))", line)
    }
    assert numbers == {
        (3 * row + column + 1, f"(mark {row + 1} {column + 1})")
        for row in range(3)
        for column in range(3)
    }


def test_moves_are_typed_by_cell() -> None:
    result = play(["2 2", "q"], "tictactoe")
    assert "2  . x ." in result.output


def test_a_player_that_fails_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "from gamelore.agents import RandomPlayer\n"
    text += "class Broken(RandomPlayer):\n    def choose(self, *_): return nothing\n"
    (tmp_path / "broken_player.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    arguments = ["play", "tictactoe", "--against", "broken_player:Broken"]
    result = CliRunner().invoke(main, arguments, input="5\nq\n")
    assert "o gave no move (NameError: name 'nothing'" in result.output
    assert result.exit_code == 0


@pytest.mark.parametrize("value", ["nan", "inf", "0", "-1", "1e300"])
def test_clocks_that_cannot_be(value: str) -> None:
    result = play([], "tictactoe", f"--clock={value}")
    assert result.exit_code == 2
    assert "'--clock': must be more than 0 and at most 86400 seconds" in result.output


def test_unknown_players_are_usage_errors() -> None:
    arguments = ["play", "tictactoe", "--against", "minmax"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "'--against': there is no player 'minmax'; did you mean" in result.output


@pytest.mark.parametrize(
    ("goals", "verdict"),
    [
        ((100, 0, 0), "you win"),
        ((50, 50, 0), "you share the win with b"),
        ((0, 50, 50), "you lose: b and c win"),
        ((0, 100, 0), "you lose: b wins"),
    ],
)
def test_three_players(goals: tuple[int, ...], verdict: str) -> None:
    record = MatchRecord("trio", ("a", "b", "c"), (), goals, complete=True)
    assert describe_result(record, "a") == verdict


def test_the_last_move_is_marked_and_pieces_have_colours() -> None:
    before = "1  . .\n2  x .\nx to move"
    after = "1  o .\n2  x .\no to move"
    drawn = colour(after, before, ("x", "o")).splitlines()
    assert (
        drawn[0]
        == "1  " + click.style("o", fg="yellow", reverse=True, bold=True) + " ."
    )
    assert drawn[1] == "2  " + click.style("x", fg="cyan", bold=True) + " ."
    assert drawn[2] == "o to move"
    assert colour("K q", "", ("white", "black")) == "K q"


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
    lines = [str(number) for number in range(1, 100)] * 20
    result = play(lines, game)
    assert result.exit_code == 0, result.output
    assert " get " in result.output


def test_others_are_not_seen_to_move_before_you_do() -> None:
    result = play(["1", "q"], "rock-paper-scissors")
    assert result.output.index("left> 1") < result.output.index("right plays")


def read_until(
    terminal: int, wanted: bytes, on_silence: Callable[[], None] = lambda: None
) -> bytes:
    """What a terminal shows, up to something wanted or to its end."""
    seen = b""
    while wanted not in seen:
        if not select.select([terminal], [], [], SILENCE)[0]:
            on_silence()
            continue
        try:
            seen += os.read(terminal, 4096)
        except OSError:  # the other side has closed it
            break
    return seen


SILENCE = 10.0  # seconds


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
        # Read on: readline waits for its output to be read before it lets go. A busy
        # machine may not listen yet: who sees nothing happen presses the keys again.
        again = partial(process.send_signal, signal.SIGINT)
        seen += read_until(terminal, b"never printed", again)
        assert process.wait(timeout=300) == 130
    finally:
        process.kill()
        process.wait()
        os.close(terminal)
    assert b"interrupted" in seen
    assert b"Traceback" not in seen


def test_levels() -> None:
    arguments = ["play", "tictactoe", "--level", "1", "--seed", "1"]
    results = [
        CliRunner().invoke(main, arguments, input="\n".join([*ALL * 3, ""]))
        for _ in range(2)
    ]
    assert results[0].exit_code == 0, results[0].output
    assert "o plays (mark " in results[0].output
    assert results[0].output == results[1].output


@pytest.mark.parametrize("level", ["0", "11", "x"])
def test_levels_that_there_are_not(level: str) -> None:
    result = CliRunner().invoke(main, ["play", "tictactoe", "--level", level])
    assert result.exit_code == 2
    assert "'--level'" in result.output


def test_a_level_is_a_player() -> None:
    result = play([], "tictactoe", "--level", "3")
    assert result.exit_code == 2
    assert "--level and --against both say who plays" in result.output


def test_the_strongest_plays_where_nobody_is_named() -> None:
    result = CliRunner().invoke(main, ["play", "tictactoe"], input="5\nq\n")
    assert result.exit_code == 0, result.output
    assert "o plays (mark " in result.output
    shown = CliRunner().invoke(main, ["play", "--help"]).output
    assert "[default: trained]" in " ".join(shown.split())


def test_weights_that_come_with_a_game_play_it() -> None:
    """And it says where their strength comes from."""
    arguments = ["play", "connect-four", "--against", "trained", "--clock", "0.1"]
    result = CliRunner().invoke(main, arguments, input="4\nq\n")
    assert result.exit_code == 0, result.output
    assert "yellow plays (drop " in result.output
    assert "trained: an n-tuple network after" in result.stderr
    assert "of self-play" in result.stderr
