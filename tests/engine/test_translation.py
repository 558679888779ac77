"""The same game in other rules: translations of positions and moves."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from gamelore.engine import simulator
from gamelore.engine.position import Position
from gamelore.engine.translation import Translation, find_translation
from gamelore.games import load
from gamelore.gdl import Game, to_kif
from gamelore.gdl.canonical import canonical_form

# Tic-tac-toe with blank cells, letters, and the second role to move first.
NOUGHTS = """
(role nought) (role cross)
(step a b) (step b c)
(letter a) (letter b) (letter c)
(<= (init (square ?f ?g blank)) (letter ?f) (letter ?g))
(init (turn cross))
(<= (legal ?p (put ?f ?g)) (true (turn ?p)) (true (square ?f ?g blank)))
(<= (legal cross wait) (true (turn nought)))
(<= (legal nought wait) (true (turn cross)))
(<= (next (square ?f ?g ?p)) (does ?p (put ?f ?g)))
(<= (next (square ?f ?g blank)) (true (square ?f ?g blank)) (not (taken ?f ?g)))
(<= (next (square ?f ?g ?p)) (true (square ?f ?g ?p)) (distinct ?p blank))
(<= (taken ?f ?g) (does ?p (put ?f ?g)))
(<= (next (turn nought)) (true (turn cross)))
(<= (next (turn cross)) (true (turn nought)))
(<= (three ?p) (true (square ?f a ?p)) (true (square ?f b ?p)) (true (square ?f c ?p))
    (distinct ?p blank))
(<= (three ?p) (true (square a ?g ?p)) (true (square b ?g ?p)) (true (square c ?g ?p))
    (distinct ?p blank))
(<= (three ?p) (true (square a a ?p)) (true (square b b ?p)) (true (square c c ?p))
    (distinct ?p blank))
(<= (three ?p) (true (square a c ?p)) (true (square b b ?p)) (true (square c a ?p))
    (distinct ?p blank))
(<= open (true (square ?f ?g blank)))
(<= made (three ?p))
(<= terminal made)
(<= terminal (not open))
(<= (goal ?p 100) (three ?p))
(<= (goal cross 0) (three nought))
(<= (goal nought 0) (three cross))
(<= (goal ?p 50) (role ?p) (not made))
"""
MISERE = (
    NOUGHTS.replace("(goal ?p 100) (three ?p)", "(goal ?p 100) (lost ?p)")
    .replace(
        "(<= open",
        "(<= (lost cross) (three nought)) (<= (lost nought) (three cross))\n(<= open",
    )
    .replace("(goal cross 0) (three nought)", "(goal cross 0) (three cross)")
    .replace("(goal nought 0) (three cross)", "(goal nought 0) (three nought)")
)


def translate(text: str, name: str = "tictactoe") -> Translation | None:
    return find_translation(simulator(Game.from_kif(text)), simulator(load(name)))


def test_a_game_is_found_in_other_rules() -> None:
    found = translate(NOUGHTS)
    assert found is not None
    assert found.roles == (1, 0)
    position = Position(found.played).advance("(put b b)").advance("(put a c)")
    row = found.translate(position.row[np.newaxis])[0]
    same = Position.from_row(found.known, row)
    assert same.mover == "x"
    texts = {to_kif(fact) for fact in same.facts}
    assert {"(control x)", "(cell 2 2 x)"} < texts
    (corner,) = texts - {"(control x)", "(cell 2 2 x)"}
    assert corner in {f"(cell {row} {column} o)" for row in (1, 3) for column in (1, 3)}


@pytest.mark.parametrize("seed", range(3))
def test_moves_lead_to_the_same_positions(seed: int) -> None:
    found = translate(NOUGHTS)
    assert found is not None
    random = np.random.default_rng(seed)
    position = Position(found.played)
    while not position.is_terminal:
        mover = position.mover
        if mover is None:  # one move is left
            position = position.advance(
                *[position.legal_moves(r)[0] for r in position.roles]
            )
            continue
        role = found.roles.index(position.roles.index(mover))
        names = found.match_moves(position.row, role)
        assert names is not None
        assert sorted(map(str, names.values())) == sorted(
            map(str, position.legal_moves(mover))
        )
        own = Position.from_row(
            found.known, found.translate(position.row[np.newaxis])[0]
        )
        assert set(names) == set(own.legal_moves(found.known.roles[role]))
        move = list(names)[int(random.integers(len(names)))]
        position, own = position.advance(names[move]), own.advance(move)
        assert (found.translate(position.row[np.newaxis])[0] == own.row).all()
        assert position.is_terminal == own.is_terminal
    own = Position.from_row(found.known, found.translate(position.row[np.newaxis])[0])
    goals = list(position.goals.values())
    assert [goals[n] for n in found.roles] == list(own.goals.values())


def test_other_names_and_another_order_make_no_difference() -> None:
    game = canonical_form(Game.from_kif(NOUGHTS)).game
    assert find_translation(simulator(game), simulator(load("tictactoe"))) is not None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (MISERE, "tictactoe"),
        (NOUGHTS, "tictactoe-4x4"),
        (NOUGHTS, "connect-3"),
        (
            NOUGHTS.replace("(true (square a c ?p))", "(true (square a b ?p))"),
            "tictactoe",
        ),
    ],
)
def test_another_game_is_not_taken_for_the_same(text: str, name: str) -> None:
    assert translate(text, name) is None


@pytest.mark.parametrize(
    "name", ["trio", "peg-solitaire", "pig", "rock-paper-scissors"]
)
def test_games_of_other_kinds_are_not_compared(name: str) -> None:
    engine = simulator(load(name))
    assert find_translation(engine, simulator(load("tictactoe"))) is None
    assert find_translation(simulator(load("tictactoe")), engine) is None


@pytest.mark.parametrize(
    ("sheet", "name", "same"),
    [
        ("breakthrough", "breakthrough", True),
        ("breakthroughSuicide", "breakthrough", False),
        ("reversi", "othello", True),
        ("reversiSuicide", "othello", False),
        ("conn4", "connect-four", True),
        ("hex", "hex-9x9", True),  # drawn on its other side, with facts of its own
    ],
)
def test_public_sheets(corpus: Path, sheet: str, name: str, same: bool) -> None:
    text = (corpus / "games" / f"{sheet}.kif").read_text(encoding="utf-8")
    assert (translate(text, name) is not None) is same


def test_nothing_is_found_once_time_is_over() -> None:
    engine = simulator(load("tictactoe"))
    assert find_translation(engine, engine) is not None
    assert find_translation(engine, engine, end=-math.inf) is None
