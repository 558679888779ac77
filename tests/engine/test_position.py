"""The object API over positions."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from gamelore.engine import position as position_module
from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.errors import GdlError, IllegalMoveError, UnknownGameError
from gamelore.games import load, rules_text
from gamelore.gdl import Compound, Game, read_term

COINS = """
    (role a) (role b) (init (tossed 0))
    (<= (legal ?r heads) (role ?r)) (<= (legal ?r tails) (role ?r))
    (<= (next (shown ?r ?m)) (does ?r ?m))
    (<= terminal (true (shown ?r ?m)))
    (<= (goal a 100) (true (shown a ?m)) (true (shown b ?m)))
"""


@pytest.fixture(scope="module")
def tictactoe() -> Interpreter:
    return Interpreter(load("tictactoe"))


@pytest.fixture
def start(tictactoe: Interpreter) -> Position:
    return Position(tictactoe)


@pytest.fixture
def coins() -> Position:
    return Position(Interpreter(Game.from_kif(COINS, "coins")))


def test_what_a_position_tells(start: Position) -> None:
    assert start.roles == ("x", "o")
    assert start.mover == "x"
    assert not start.is_terminal
    assert len(start.legal_moves("x")) == 9
    assert start.legal_moves("x")[0] == read_term("(mark 1 1)")
    assert start.legal_moves("o") == ("noop",)
    with pytest.raises(ValueError, match="no role 'z' in tictactoe: it has x, o"):
        start.legal_moves("z")


def play(position: Position, *moves: str) -> Position:
    for move in moves:
        position = position.advance(move)
    return position


def test_a_match_to_its_end(start: Position) -> None:
    marks = ["(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)"]
    end = play(start, *marks)
    assert end.is_terminal
    assert end.goals == {"x": 100, "o": 0}
    assert end.goal("x") == 100
    assert list(end.successors()) == []
    with pytest.raises(IllegalMoveError, match="the match of tictactoe has ended"):
        end.advance("(mark 3 3)")


def test_the_last_move_is_forced_and_may_be_given_alone(start: Position) -> None:
    marks = [(1, 1), (1, 2), (1, 3), (2, 2), (2, 1), (2, 3), (3, 2), (3, 1)]
    position = play(start, *(f"(mark {a} {b})" for a, b in marks))
    assert position.mover is None
    assert position.advance("(mark 3 3)").is_terminal
    with pytest.raises(IllegalMoveError, match=r"\(mark 1 1\) is not a legal move"):
        position.advance("(mark 1 1)")


def test_every_way_to_give_a_joint_move(start: Position) -> None:
    mark = Compound("mark", ("2", "2"))
    after = start.advance(mark)
    assert after.mover == "o"
    assert after != start
    assert start.advance("(mark 2 2)") == after
    assert start.advance("( MARK 2 2 )".lower()) == after
    assert start.advance(mark, "noop") == after
    assert start.advance("(mark 2 2)", "noop") == after
    assert start.advance([mark, "noop"]) == after
    assert start.advance((mark, "noop")) == after
    assert start.advance({"x": mark, "o": "noop"}) == after
    assert start.advance({"x": "(mark 2 2)"}) == after


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            ["(mark 2 4)"],
            r"\(mark 2 4\) is not a legal move of x in tictactoe;"
            r" did you mean \(mark 2 .\)\?; legal: \(mark 1 1\), ",
        ),
        (["(mark 2 2)", "(mark 1 1)"], "of o in tictactoe; legal: noop$"),
        (["noop", "noop"], "noop is not a legal move of x"),
        (["a", "b", "c"], "a move for each of x, o; 3 given"),
        ([], "a move for each of x, o; 0 given"),
        ([{"o": "noop"}], "no move given for x"),
    ],
)
def test_illegal_moves_are_told(
    start: Position, given: list[str], message: str
) -> None:
    with pytest.raises(IllegalMoveError, match=message):
        start.advance(*given)


def test_moves_that_are_none(start: Position) -> None:
    with pytest.raises(ValueError, match="no role 'z'"):
        start.advance({"z": "noop"})
    with pytest.raises(GdlError):
        start.advance("(mark 2")
    with pytest.raises(TypeError, match="a move is a term or KIF text, not 3"):
        start.advance(["noop", 3])  # type: ignore[list-item]


def test_long_lists_of_legal_moves_are_cut() -> None:
    position = Position(Interpreter(load("gomoku")))
    with pytest.raises(IllegalMoveError, match=r"and \d+ more$"):
        position.advance("resign")


def test_simultaneous_moves_need_all_of_them(coins: Position) -> None:
    assert coins.mover is None
    with pytest.raises(IllegalMoveError, match="a, b move at once"):
        coins.advance("heads")
    after = coins.advance("heads", "heads")
    assert after.goals == {"a": 100, "b": None}
    assert coins.advance("heads", "tails").goal("a") is None


def test_successors(coins: Position, start: Position) -> None:
    joint = dict(coins.successors())
    assert sorted(joint) == [
        (a, b) for a in ("heads", "tails") for b in ("heads", "tails")
    ]
    for moves, after in joint.items():
        assert coins.advance(moves) == after
    assert len({after for _, after in start.successors()}) == 9


def test_equality_is_of_game_and_facts(start: Position, coins: Position) -> None:
    twin = Position(Interpreter(load("tictactoe")))
    assert twin == start
    assert hash(twin) == hash(start)
    assert start != coins
    assert start != "x"
    one = play(start, "(mark 1 1)", "(mark 2 2)", "(mark 3 3)")
    two = play(start, "(mark 3 3)", "(mark 2 2)", "(mark 1 1)")
    assert one == two
    assert len({one, two, twin, start}) == 2


def test_position_does_not_change(start: Position) -> None:
    before = start.facts
    start.advance("(mark 1 1)")
    assert start.facts == before
    with pytest.raises(ValueError, match="read-only"):
        start.row[0] = 7


def test_facts_as_text_or_terms(tictactoe: Interpreter, start: Position) -> None:
    after = start.advance("(mark 1 3)")
    assert Position(tictactoe, after.facts) == after
    assert Position(tictactoe, reversed(after.facts)) == after
    text = "(control o)\n(cell 1 3 x)"
    assert Position(tictactoe, text) == after
    assert Position(tictactoe, "").facts == ()
    with pytest.raises(GdlError):
        Position(tictactoe, "(control o")


def test_repr_pastes_back(start: Position, coins: Position) -> None:
    names = {"Position": Position, "Game": Game}
    after = start.advance("(mark 1 3)")
    assert repr(after) == "Position('tictactoe', '(cell 1 3 x) (control o)')"
    assert eval(repr(after), names) == after
    assert eval(repr(coins), names) == coins
    assert eval(repr(coins.advance("heads", "tails")), names) != coins


def test_games_by_name_path_and_rules(tmp_path: Path, start: Position) -> None:
    sheet = tmp_path / "own.kif"
    sheet.write_text(rules_text("tictactoe"))
    assert Position(sheet) == start
    assert Position(str(sheet)) == start
    assert eval(repr(Position(sheet)), {"Position": Position}) == start
    assert Position(load("tictactoe")) == start
    assert Position.initial("tictactoe") == start
    with pytest.raises(UnknownGameError, match="tictactoe"):
        Position("tiktaktoe")


def test_str_draws_the_board_or_lists_the_facts(
    start: Position, coins: Position
) -> None:
    assert str(start.advance("(mark 2 2)")).splitlines()[2] == "2  . x ."
    after = coins.advance("heads", "tails")
    assert str(after) == "(shown a heads)\n(shown b tails)"


def test_from_row(tictactoe: Interpreter, start: Position) -> None:
    row = tictactoe.initial_row()
    assert Position.from_row(tictactoe, row) == start
    row[0] = 99
    assert start.row[0] != 99


@pytest.mark.parametrize("engine", [CircuitSimulator, Interpreter])
@pytest.mark.parametrize("kept", [3, 16_384])
def test_remembered_successors_are_those_worked_out_anew(
    engine: Callable[[Game], Simulator], kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(position_module, "_REMEMBERED", kept)
    simulator = engine(load("tictactoe"))
    random = Random(5)
    for _ in range(60):
        position = Position(simulator)
        while not position.is_terminal:
            options = map(position.legal_moves, position.roles)
            joint = tuple(random.choice(moves) for moves in options)
            numbers = [simulator.move_number(r, m) for r, m in enumerate(joint)]
            anew = simulator.advance_one(position.row, numbers)
            position = position.advance(joint)
            assert (position.row == anew).all()
            assert position.facts == Position.from_row(simulator, anew).facts
            assert len(simulator.known_successors) <= kept


def test_what_was_worked_out_once_is_remembered(start: Position) -> None:
    joint = (start.legal_moves("x")[0], "noop")
    after = start.advance(joint)
    assert Position(start.simulator).advance(joint) is after
    assert start.advance([*joint]) == after
    with pytest.raises(IllegalMoveError):
        after.advance(joint)


def test_the_docstring_is_true() -> None:
    result = doctest.testmod(position_module)
    assert result.attempted > 0
    assert result.failed == 0
