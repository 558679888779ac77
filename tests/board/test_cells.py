"""Cells that are not a plain rectangle: names, levels, rows of their own, hexagons."""

from __future__ import annotations

from itertools import product

from tests.board.facts import read_facts

from gamelore import Game
from gamelore.board import Board, BoardScene, infer_board
from gamelore.gdl import read_term

TWO_BOARDS = """
    (role x) (role o) (init (control x))
    {starts}
    (<= (legal ?p (take ?c ?b)) (true (control ?p)) (true (free ?c ?b)))
    (<= (next (mine ?c ?b)) (does x (take ?c ?b)))
    (<= (next (yours ?c ?b)) (does o (take ?c ?b)))
    (<= (next (free ?c ?b)) (true (free ?c ?b)) (does ?p (take ?d ?b)) (distinct ?c ?d))
    (<= (next (control o)) (true (control x)))
    (<= (next (control x)) (true (control o)))
    {lines}
    (<= terminal (row mine ?b)) (goal x 50) (goal o 50)"""
"""Cells a to i on each of two boards; only what wins says that they are squares."""

LINES = ("abc", "def", "ghi", "adg", "beh", "cfi", "aei", "ceg")

ROWS = """
    (role hunter) (role mouse) (init (control hunter))
    {cells}
    (<= (legal ?p (put ?x ?y)) (true (control ?p)) (true (cell ?x ?y empty)))
    (<= (next (cell ?x ?y trap)) (does hunter (put ?x ?y)))
    (<= (next (cell ?x ?y empty)) (true (cell ?x ?y empty)) (not (put ?x ?y)))
    (<= (put ?x ?y) (does ?p (put ?x ?y)))
    (<= (next (control mouse)) (true (control hunter)))
    (<= (next (control hunter)) (true (control mouse)))
    (<= terminal (true (cell 1 1 trap))) (goal hunter 50) (goal mouse 50)"""

HEXAGON = """
    (role red) (role blue) (init (control red))
    {numbers} {outside}
    (<= (legal ?p (put ?x ?y)) (true (control ?p)) (number ?x) (number ?y)
        (not (outside ?x ?y)))
    (<= (next (cell ?x ?y ?p)) (does ?p (put ?x ?y)))
    (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)))
    (<= (next (control blue)) (true (control red)))
    (<= (next (control red)) (true (control blue)))
    (<= terminal (true (cell 3 3 red))) (goal red 50) (goal blue 50)"""

DECLARED = """
    (role solo) {numbers} (wide 1 3) (wide 2 4) (wide 3 5) (wide 4 4) (wide 5 3)
    (upto 3 1) (upto 3 2) (upto 3 3) (upto 4 4) (upto 5 5)
    (<= (upto 4 ?n) (upto 3 ?n)) (<= (upto 5 ?n) (upto 4 ?n))
    (<= (base (stone ?x ?n)) (wide ?x ?w) (upto ?w ?n))
    (<= (legal solo (put ?x ?n)) (number ?x) (number ?n))
    (<= (next (stone ?x ?n)) (does solo (put ?x ?n)))
    (<= terminal (true (stone 3 3))) (goal solo 100)"""

PYRAMID = """
    (role red) (role blue) (init (control red)) {floor} (succ 0 1) (succ 1 2)
    (<= (legal ?p (put ?x ?y ?z)) (true (control ?p)) (succ ?w ?z) (succ ?v ?y)
        (succ ?u ?x) (full ?u ?v ?w) (full ?x ?v ?w) (full ?x ?y ?w))
    (<= (full ?x ?y ?z) (true (cube ?x ?y ?z ?c)))
    (<= (next (cube ?x ?y ?z ?p)) (does ?p (put ?x ?y ?z)))
    (<= (next (cube ?x ?y ?z ?c)) (true (cube ?x ?y ?z ?c)))
    (<= (next (control blue)) (true (control red)))
    (<= (next (control red)) (true (control blue)))
    (<= terminal (true (cube 2 2 2 red))) (goal red 50) (goal blue 50)"""


def numbers(last: int) -> str:
    return " ".join(f"(number {i})" for i in range(1, last + 1))


def draw(board: Board, *texts: str) -> BoardScene:
    return board.describe(read_facts(*texts))


def spots(scene: BoardScene) -> dict[str, tuple[float, float]]:
    return {cell.id: (cell.x, cell.y) for cell in scene.cells}


def two_boards(in_rules: bool) -> Board:
    starts = " ".join(f"(init (free {c} {b}))" for c in "abcdefghi" for b in ("l", "r"))
    if in_rules:
        lines = " ".join(
            "(<= (row mine ?b) " + " ".join(f"(true (mine {c} ?b))" for c in line) + ")"
            for line in LINES
        )
    else:
        lines = " ".join(f"(line {' '.join(line)})" for line in LINES)
        lines += " (<= (row mine ?b) (line ?c ?d ?e) (true (mine ?c ?b)))"
    return infer_board(Game.from_kif(TWO_BOARDS.format(starts=starts, lines=lines)))


def test_lines_that_win_lay_out_named_cells() -> None:
    for in_rules in (True, False):
        board = two_boards(in_rules)
        scene = draw(board, "(free a l)", "(mine b l)", "(yours e r)")
        where = spots(scene)
        assert len(board.cells) == 18
        for line in LINES:
            (ax, ay), (bx, by), (cx, cy) = (where[f"{name} l"] for name in line)
            assert (bx - ax, by - ay) == (cx - bx, cy - by)
            assert max(abs(bx - ax), abs(by - ay)) == 1
        assert min(x for name, (x, _) in where.items() if name.endswith("r")) > max(
            x for name, (x, _) in where.items() if name.endswith("l")
        )
        pieces = {(piece.cell, piece.owner) for piece in scene.pieces}
        assert pieces == {("b l", "x"), ("e r", "o")}
        assert board.find_cells(read_term("(take b r)")) == ("b r",)


def test_rows_with_names_of_their_own_interlock() -> None:
    rows = {"1": "1234", "2": "abc", "3": "1234", "4": "abc"}
    cells = " ".join(f"(init (cell {r} {c} empty))" for r in rows for c in rows[r])
    board = infer_board(Game.from_kif(ROWS.format(cells=cells)))
    where = spots(draw(board))
    assert (board.kind, len(board.cells)) == ("hex", 14)
    assert where["2 a"][0] == where["1 1"][0] + 0.5
    assert where["1 1"][0] == where["3 1"][0]


def test_cells_that_no_move_can_name_are_left_out() -> None:
    outside = [(x, y) for x, y in product(range(1, 6), repeat=2) if abs(x - y) > 2]
    text = HEXAGON.format(
        numbers=numbers(5), outside=" ".join(f"(outside {x} {y})" for x, y in outside)
    )
    board = infer_board(Game.from_kif(text))
    assert (board.kind, len(board.cells)) == ("hex", 19)


def test_declared_facts_say_what_the_cells_are() -> None:
    board = infer_board(Game.from_kif(DECLARED.format(numbers=numbers(5))))
    assert len(board.cells) == 3 + 4 + 5 + 4 + 3
    known = read_facts(*(f"(stone {x} {y})" for x, y in product(range(1, 6), repeat=2)))
    game = Game.from_kif(DECLARED.format(numbers=numbers(5)))
    assert len(infer_board(game, known).cells) == len(board.cells)


def test_a_fact_that_was_not_declared_counts_more_than_declarations() -> None:
    text = DECLARED.format(numbers=numbers(5)) + "(init (stone 1 5))"
    assert len(infer_board(Game.from_kif(text)).cells) == 25


def test_what_is_stacked_is_drawn_level_by_level() -> None:
    floor = [(x, y) for x in range(3) for y in range(x + 1)]
    text = PYRAMID.format(
        floor=" ".join(f"(init (cube {x} {y} 0 ground))" for x, y in floor)
    )
    known = [f"(cube {x} {y} {z} red)" for x, y in floor for z in range(y + 1)]
    known += [f"(cube {x} {y} 0 ground)" for x, y in floor] + ["(control red)"]
    board = infer_board(Game.from_kif(text), read_facts(*known))
    where = spots(draw(board))
    assert (board.kind, len(board.cells)) == ("hex", 6 + 3 + 1)
    floor_right = max(x for name, (x, _) in where.items() if name.endswith(" 0"))
    level_left = min(x for name, (x, _) in where.items() if name.endswith(" 1"))
    assert floor_right < level_left
    left, right = where["2 0 0"], where["2 1 0"]
    top = where["1 0 0"]
    assert top[0] == (left[0] + right[0]) / 2
