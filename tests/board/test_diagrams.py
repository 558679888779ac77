"""Pictures of games that have no cells: scores, switches, states and tracks."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from tests.board.facts import read_facts

from gamelore import Game, load
from gamelore.board import Board, infer_board
from gamelore.gdl import read_term

DUEL = """
    (role red) (role blue) (init (redScore 0)) (init (blueScore 0))
    (init (armies red 3)) (init (armies blue 3)) (succ 0 1) (succ 1 2) (succ 2 3)
    (<= (legal ?p (send ?n)) (true (armies ?p ?m)) (succ ?n ?m))
    (<= (next (armies ?p ?n)) (does ?p (send ?n)))
    (<= (next (redScore ?n)) (does red (send ?n)))
    (<= (next (blueScore ?n)) (does blue (send ?n)))
    (<= terminal (true (redScore 3))) (goal red 50) (goal blue 50)"""

LAMPS = """
    (role solo) (init (off p)) (init (off q)) (init (on r))
    (legal solo a)
    (<= (next (on p)) (does solo a) (true (off p)))
    (<= (next (off p)) (does solo a) (true (on p)))
    (<= (next (on q)) (true (off q))) (<= (next (off q)) (true (on q)))
    (<= (next (on r)) (true (on r))) (<= (next (off r)) (true (off r)))
    (<= terminal (true (on p)) (true (on q)) (true (on r))) (goal solo 100)"""

STATES = """
    (role solo) (init start) (init even)
    (<= (legal solo a) (true start)) (<= (legal solo b) (true start))
    (<= (legal solo c) (true left))
    (<= (next left) (does solo a) (true start))
    (<= (next right) (does solo b) (true start))
    (<= (next end) (does solo c) (true left))
    (<= (next odd) (true even)) (<= (next even) (true odd))
    (<= terminal (true right)) (<= terminal (true end)) (goal solo 100)"""

TRACKS = """
    (role solo) (init (here a)) (init (there z)) (road a b) (road b c)
    (way z y) (way y x)
    (<= (legal solo (go ?n)) (true (here ?m)) (road ?m ?n))
    (<= (legal solo (fly ?n)) (true (there ?m)) (way ?m ?n))
    (<= (next (here ?n)) (does solo (go ?n)))
    (<= (next (there ?n)) (does solo (fly ?n)))
    (<= (next (here ?n)) (true (here ?n)) (does solo (fly ?m)))
    (<= (next (there ?n)) (true (there ?n)) (does solo (go ?m)))
    (<= terminal (true (here c)) (true (there x))) (goal solo 100)"""


def make_board(text: str) -> Board:
    return infer_board(Game.from_kif(text))


def test_numbers_of_roles_make_a_table() -> None:
    board = make_board(DUEL)
    facts = read_facts("(redScore 2)", "(blueScore 1)", "(armies blue 3)")
    scene = board.describe(facts)
    assert board.kind == "table"
    assert [name for name, _ in scene.rows] == ["red", "blue"]
    assert {name for name, _ in scene.columns} == {"Score", "armies"}
    shown = {(piece.cell, piece.label, piece.owner) for piece in scene.pieces}
    assert shown == {
        ("red Score", "2", "red"),
        ("blue Score", "1", "blue"),
        ("blue armies", "3", "blue"),
    }
    text = board.draw_text(facts).splitlines()
    assert text[1].split() == ["red", "2", "."]
    assert board.find_cells(read_term("(send 2)")) == ()


def test_a_table_can_be_drawn_both_ways_up() -> None:
    board = infer_board(replace(load("rock-paper-scissors"), renderer=None))
    facts = read_facts("(won left 2)", "(won right 1)")
    for flipped in (False, True):
        drawn = ET.fromstring(board.draw_svg(facts, flipped=flipped))
        boxes = [e for e in drawn.iter() if e.attrib.get("class") == "cell wide"]
        assert len(boxes) == 2
        assert not any("(-" in box.attrib["transform"] for box in boxes)


def test_switches_are_on_or_off() -> None:
    board = make_board(LAMPS)
    scene = board.describe(read_facts("(on p)", "(off q)", "(on r)"))
    assert board.cells == ("p", "q", "r")
    assert [(piece.cell, piece.kind) for piece in scene.pieces] == [
        ("p", "on"),
        ("r", "on"),
    ]
    assert scene.counters == ()


def test_states_follow_each_other_from_left_to_right() -> None:
    board = make_board(STATES)
    scene = board.describe(read_facts("left", "odd"))
    column = {cell.id: cell.x for cell in scene.cells}
    assert board.kind == "graph"
    assert column["start"] < column["left"] == column["right"] < column["end"]
    assert [piece.cell for piece in scene.pieces] == ["left"]
    assert [counter.label for counter in scene.counters] == ["odd"]
    assert len(scene.links) == 3


def test_each_thing_on_a_way_has_a_track() -> None:
    board = make_board(TRACKS)
    scene = board.describe(read_facts("(here b)", "(there z)"))
    assert [piece.cell for piece in scene.pieces] == ["here b", "there z"]
    places = [cell.id for cell in sorted(scene.cells, key=lambda cell: cell.x)]
    assert places[:3] == ["here a", "here b", "here c"]
    assert board.find_cells(read_term("(go c)")) == ("here c",)


@pytest.mark.parametrize("text", [DUEL, LAMPS, STATES, TRACKS])
def test_names_do_not_matter(text: str) -> None:
    """Diagrams come from the structure of rules: other functors give the same."""
    words = ("armies", "here", "there", "start", "left", "right", "end")
    renamed = text
    for word in words:
        renamed = renamed.replace(f"({word}", f"(q{word}").replace(
            f" {word})", f" q{word})"
        )
    first, second = make_board(text), make_board(renamed)
    assert (first.kind, len(first.cells)) == (second.kind, len(second.cells))
