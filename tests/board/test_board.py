"""Boards inferred from rules: what is found, and what is drawn."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from tests.board.facts import read_facts

from gamelore import Game, Position, library, load
from gamelore.board import Board, Mark, infer_board
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.gdl import Compound, Fact, read_term

SVG = "{http://www.w3.org/2000/svg}"

KINDS = {
    "tictactoe": ("square", 9),
    "connect-four": ("square", 42),
    "othello-6x6": ("square", 36),
    "breakthrough": ("square", 64),
    "gomoku": ("square", 225),
    "trio": ("square", 25),
    "tron": ("square", 64),
}
"""Games whose boards rules alone must give: kind, and number of cells."""

PLANNED = {"hex-11x11": ("hex", 121), "abalone": ("hex", 61), "peg-solitaire": None}

SHEETS = {
    "plan": """
        (role solo) (init (has key)) (init (has rope))
        (<= (legal solo climb) (true (has rope)))
        (<= (next (has view)) (does solo climb))
        (<= terminal (true (has view))) (goal solo 100)""",
    "hexagons": """
        (role a) (role b) (init (turn a))
        (next-to 1 2) (next-to 2 3) (next-to 3 4)
        (<= (near ?x ?y ?x ?z) (next-to ?y ?z) (line ?x))
        (<= (near ?x ?y ?z ?y) (next-to ?x ?z) (line ?y))
        (<= (near ?x ?y ?u ?v) (next-to ?x ?u) (next-to ?v ?y))
        (line 1) (line 2) (line 3) (line 4)
        (<= (legal ?p (put ?x ?y)) (true (turn ?p)) (line ?x) (line ?y))
        (<= (next (stone ?x ?y ?p)) (does ?p (put ?x ?y)))
        (<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
        (<= terminal (true (stone 1 1 a)) (near 1 1 1 2))
        (goal a 50) (goal b 50)""",
    "chain": """
        (role solo) (after red blue) (after blue green) (after green pink)
        (init (at red red)) (init (clock zip)) (after-t zip zap) (after-t zap zop)
        (<= (next (clock ?y)) (true (clock ?x)) (after-t ?x ?y))
        (<= (legal solo (go ?x ?y)) (after ?z ?x) (after ?w ?y))
        (<= (next (at ?x ?y)) (does solo (go ?x ?y)))
        (<= terminal (true (at pink pink))) (goal solo 100)""",
    "towers": """
        (role solo) (init (on a b)) (init (on b c)) (init (on c t1)) (peg t1) (peg t2)
        (disc a) (disc b) (disc c)
        (<= (legal solo (put ?x ?y)) (disc ?x) (peg ?y))
        (<= (next (on ?x ?y)) (does solo (put ?x ?y)))
        (<= (next (on ?x ?y)) (true (on ?x ?y)) (not (moved ?x)))
        (<= (moved ?x) (does solo (put ?x ?y)))
        (<= terminal (true (on a t2)) (true (on b t2))) (goal solo 100)""",
}


def bare(name: str) -> Game:
    """A library game without its plan."""
    return replace(load(name), renderer=None)


def initial(game: Game) -> frozenset[Fact]:
    simulator = Interpreter(game)
    return simulator.facts(simulator.initial_row())


def cells_in(svg: str) -> set[str]:
    groups = ET.fromstring(svg).iter(f"{SVG}g")
    return {g.attrib["data-cell"] for g in groups if "data-cell" in g.attrib}


@pytest.mark.parametrize("name", KINDS)
def test_kind_and_cells_from_rules_alone(name: str) -> None:
    board = infer_board(bare(name))
    assert (board.kind, len(board.cells)) == KINDS[name]


@pytest.mark.parametrize("name", PLANNED)
def test_plans_of_the_library_give_cells(name: str) -> None:
    board = infer_board(load(name))
    assert (board.kind, len(board.cells)) == (PLANNED[name] or ("square", 33))


@pytest.mark.parametrize("entry", library(), ids=lambda entry: entry.name)
def test_every_library_game_draws_each_cell_once(entry: object) -> None:
    game = load(entry.name)  # type: ignore[attr-defined]
    facts = initial(game)
    board = infer_board(game)
    for theme in ("auto", "light", "dark"):
        svg = board.draw_svg(facts, theme=theme)
        assert cells_in(svg) == set(board.cells)
    assert board.draw_text(facts) == game.renderer(facts)  # type: ignore[misc]


def test_neighbours_make_hexagons() -> None:
    board = infer_board(Game.from_kif(SHEETS["hexagons"]))
    scene = board.describe(read_facts("(stone 2 3 a)", "(turn b)"))
    assert (board.kind, len(board.cells), scene.turn) == ("hex", 16, ("b",))
    spots = {cell.id: (cell.x, cell.y) for cell in scene.cells}
    (ax, ay), (bx, by) = spots["1 2"], spots["2 1"]
    assert (ax - bx) ** 2 + (ay - by) ** 2 == pytest.approx(1.0, abs=0.01)


def test_chains_of_words_are_axes_and_clocks_stay_hidden() -> None:
    board = infer_board(Game.from_kif(SHEETS["chain"]))
    scene = board.describe(read_facts("(at blue pink)", "(clock zap)"))
    assert (board.kind, len(board.cells)) == ("square", 16)
    assert [name for name, _ in scene.columns] == ["red", "blue", "green", "pink"]
    assert [piece.cell for piece in scene.pieces] == ["blue pink"]
    assert scene.counters == ()


def test_stacks() -> None:
    board = infer_board(Game.from_kif(SHEETS["towers"]))
    scene = board.describe(read_facts("(on a b)", "(on b c)", "(on c t1)"))
    height = {cell.id: cell.y for cell in scene.cells}
    assert board.kind == "stacks"
    assert height["a"] < height["b"] < height["c"] < height["t1"] == height["t2"]
    assert board.find_cells(read_term("(put a t2)")) == ("a", "t2")


def test_moves_name_their_cells_source_first() -> None:
    find = infer_board(bare("breakthrough")).find_cells
    assert find(read_term("(move 2 3 3 4)")) == ("2 3", "3 4")
    assert find("noop") == ()


def test_a_move_that_names_a_column_is_about_its_cells() -> None:
    board = infer_board(bare("connect-four"))
    assert set(board.find_cells(read_term("(drop 3)"))) == {
        f"{r} 3" for r in range(1, 7)
    }
    before, after = read_facts("(control red)"), read_facts("(cell 1 3 red)")
    move = read_term("(drop 3)")
    svg = board.draw_svg(after, last_move=move, previous=before)
    marked = [g for g in ET.fromstring(svg).iter(f"{SVG}g") if "last" in _classes(g)]
    assert [g.attrib["data-cell"] for g in marked] == ["1 3"]


def _classes(element: ET.Element) -> list[str]:
    return element.attrib.get("class", "").split()


def test_scenes_are_json_and_flipping_turns_the_board() -> None:
    board = infer_board(load("tictactoe"))
    facts = read_facts("(cell 1 1 x)", "(cell 2 2 o)", "(control x)")
    scene = board.describe(facts)
    assert json.loads(json.dumps(scene.as_json()))["turn"] == ["x"]
    assert {(p.cell, p.shape) for p in scene.pieces} == {
        ("1 1", "cross"),
        ("2 2", "ring"),
    }
    assert board.draw_svg(facts) != board.draw_svg(facts, flipped=True)


def test_marks_are_drawn_and_colours_checked() -> None:
    board = infer_board(load("tictactoe"))
    marks = [Mark("1 1", "0.5", "#ff0000"), Mark("2 2", "x", 'url(x)"onload="')]
    svg = board.draw_svg([], marks=[*marks, Mark("9 9", "unknown cell")])
    assert 'fill="#ff0000"' in svg
    assert "url(" not in svg
    assert "unknown" not in svg


HOSTILE = ("<script>alert(1)</script>", '"onload="x', "]]>&amp;<!--", "'><b>", "x{}y")


def test_names_of_rules_are_escaped() -> None:
    for name in HOSTILE:
        game = replace(bare("tictactoe"), name=name)
        board = infer_board(game)
        facts: list[Fact] = [
            Compound("cell", ("1", "1", "x")),
            Compound("cell", ("1", "2", name)),
            name,
            Compound(name, ("1",)),
        ]
        svg = board.draw_svg(facts, last_move=name, marks=[Mark("1 1", name, name)])
        tags = {element.tag.removeprefix(SVG) for element in ET.fromstring(svg).iter()}
        assert "script" not in tags
        assert "b" not in tags
        attributes = {a for e in ET.fromstring(svg).iter() for a in e.attrib}
        assert not {a for a in attributes if a.startswith("on")}
        board.draw_text(facts)


def test_a_game_without_a_board_lists_its_facts() -> None:
    board = infer_board(Game.from_kif(SHEETS["plan"]))
    facts = read_facts("(has key)", "(has rope)")
    assert board.kind == "facts"
    assert board.draw_text(facts).splitlines() == ["(has key)", "(has rope)"]
    ET.fromstring(board.draw_svg(facts))


def test_text_shows_every_piece() -> None:
    board = infer_board(bare("breakthrough-6x6"))
    facts = initial(load("breakthrough-6x6"))
    text = board.draw_text(facts)
    rows = [line.split()[1:] for line in text.splitlines() if line[:1].isdigit()]
    assert sum(glyph != "." for row in rows for glyph in row) == 24
    assert rows[0] == ["b"] * 6
    assert rows[-1] == ["w"] * 6


def test_positions_have_pictures() -> None:
    position = Position("tictactoe").advance("(mark 2 2)")
    assert isinstance(position.board, Board)
    assert cells_in(position._repr_svg_()) == set(position.board.cells)
    assert str(position) == position.board.draw_text(position.facts)


def test_the_final_picture_does_not_say_whose_move_it_would_be() -> None:
    position = Position("tictactoe")
    for cell in ("1 1", "2 1", "1 2", "2 2"):
        position = position.advance(f"(mark {cell})")
    assert "to move" in position._repr_svg_()
    final = position.advance("(mark 1 3)")
    assert final.is_terminal and "to move" not in final._repr_svg_()
