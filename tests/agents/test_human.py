"""The person as a player: what lines mean, and what a person can ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from gamelore.agents.human import Command, HumanPlayer, understand
from gamelore.agents.random_player import RandomPlayer
from gamelore.cli.terminal import list_moves
from gamelore.engine import simulator
from gamelore.engine.position import Position
from gamelore.games import load
from gamelore.gdl import Move, read_term, to_kif
from gamelore.match.match import play_match
from gamelore.player import Player

MOVES = [read_term(text) for text in ["(mark 1 1)", "(mark 1 2)", "noop"]]
NUMBERED = [(2, MOVES[0]), (5, MOVES[1]), (10, MOVES[2])]


class Script:
    """A screen on which a person types what was written down before."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines: Iterator[str] = iter(lines)
        self.positions: list[Position] = []
        self.said: list[str] = []

    def show_position(self, position: Position) -> None:
        self.positions.append(position)

    def show_moves(self, numbered: Sequence[tuple[int, Move]]) -> None:
        pass

    def say(self, text: str) -> None:
        self.said.append(text)

    def read_line(self, prompt: str) -> str:
        for line in self.lines:
            return line
        raise EOFError


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("2", "(mark 1 1)"),
        ("10", "noop"),
        ("(mark 1 2)", "(mark 1 2)"),
        ("mark 1 2", "(mark 1 2)"),
        ("MARK  1 2", "(mark 1 2)"),
        ("1 2", "(mark 1 2)"),
    ],
)
def test_moves_by_number_by_name_and_by_cell(line: str, move: str) -> None:
    assert understand(line, NUMBERED) == read_term(move)


@pytest.mark.parametrize("line", ["0", "4", "-1", "", "mark", "9" * 5000, "(", "1.0"])
def test_lines_that_mean_nothing(line: str) -> None:
    assert understand(line, NUMBERED) is None


def test_words_of_two_moves_mean_neither() -> None:
    moves = [(1, read_term("(push 1 2)")), (2, read_term("(pull 1 2)"))]
    assert understand("1 2", moves) is None


@pytest.mark.parametrize("line", ["u", "U", "undo"])
def test_commands_by_letter_and_by_name(line: str) -> None:
    assert understand(line, NUMBERED) is Command.UNDO


def test_the_list_numbers_every_move() -> None:
    moves = [(number, MOVES[number % 3]) for number in range(1, 61)]
    text = list_moves(moves)
    for number, move in moves:
        assert f"{number:>3}  {to_kif(move)}" in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("engine", ["circuit", "interpreter"])
def test_undo_goes_back_one_decision_at_a_time(engine: str) -> None:
    played = simulator(load("tictactoe"), engine)  # type: ignore[arg-type]
    screen = Script(["u", "2 2", "u", "1 1", "q"])
    players: dict[str, Player] = {"x": HumanPlayer(screen), "o": RandomPlayer(1)}
    record = play_match(played, players)
    assert screen.said == ["there is no move to take back"]
    assert not record.complete
    assert to_kif(record.moves[0][0]) == "(mark 1 1)"
    assert len(record.moves) == 2
    assert [len(p.facts) for p in screen.positions[::2]] == [
        len(screen.positions[0].facts)
    ] * len(screen.positions[::2])
