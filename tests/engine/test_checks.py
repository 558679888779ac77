"""The batch calls refuse what is not an array of positions or moves of the game."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gamelore.engine import CircuitSimulator, Interpreter, Simulator
from gamelore.errors import ArgumentError, IllegalMoveError
from gamelore.games import load
from gamelore.gdl.features import FeatureRules

GAME = load("tictactoe")
FEATURES = FeatureRules.from_kif("(<= (feature row ?y ?m) (true (cell 1 ?y ?m)))", GAME)
ENGINES = [CircuitSimulator(GAME, features=FEATURES), Interpreter(GAME, FEATURES)]

engines = pytest.mark.parametrize("simulator", ENGINES, ids=lambda one: one.engine)

CALLS = ("legal", "terminal", "goals", "expand", "fact_matrix", "feature_counts")


def start(simulator: Simulator) -> Any:
    rows = simulator.initial_row()[None]
    simulator.legal(rows)  # the interpreter numbers moves now
    return rows


def legal_moves(simulator: Simulator, rows: Any) -> Any:
    flags = simulator.legal(rows)
    return np.stack([one.argmax(axis=1) for one in flags], axis=1).astype(np.int32)


WRONG_ROWS = [
    (lambda rows: rows[0], r"got uint64 array of shape \[1\]; row\[None\] makes"),
    (lambda rows: np.hstack([rows, rows]), r"got uint64 array of shape \[1, 2\]"),
    (lambda rows: rows[:, :0], r"got uint64 array of shape \[1, 0\]"),
    (lambda rows: rows[None], r"got uint64 array of shape \[1, 1, 1\]"),
    (lambda rows: rows.astype(np.int64), r"got int64 array of shape \[1, 1\]"),
    (lambda rows: rows.astype(np.float64), "got float64 array"),
    (lambda rows: rows.astype(">u8"), "got >u8 array|got uint64 array"),
    (lambda rows: rows.tolist(), "got list"),
    (lambda _: None, "got NoneType None"),
]


@engines
@pytest.mark.parametrize("call", [*CALLS, "playouts", "advance"])
@pytest.mark.parametrize(("spoil", "message"), WRONG_ROWS)
def test_positions_of_the_wrong_kind(
    simulator: Simulator, call: str, spoil: Any, message: str
) -> None:
    rows = spoil(start(simulator))
    if call == "playouts" and rows is None:
        return
    arguments = [np.zeros((1, 2), np.int32)] if call == "advance" else []
    expected = r"positions must be a uint64 array of shape \[n, 1\], "
    with pytest.raises(ArgumentError, match=f"{expected}({message})"):
        getattr(simulator, call)(rows, *arguments)


@engines
@pytest.mark.parametrize("call", [*CALLS, "playouts"])
def test_rows_that_are_no_positions(simulator: Simulator, call: str) -> None:
    rows = np.array([[3], [2**63], [2**64 - 1]], np.uint64)
    simulator.encode(())
    rows[0] = start(simulator)[0]
    with pytest.raises(ArgumentError, match=r"positions\[1\] must be"):
        getattr(simulator, call)(rows)


@engines
@pytest.mark.parametrize("move", [99, -1, 2**31 - 1, -(2**31)])
def test_moves_out_of_range(simulator: Simulator, move: int) -> None:
    rows = np.repeat(start(simulator), 3, axis=0)
    moves = legal_moves(simulator, rows)
    moves[2, 1] = move
    with pytest.raises(
        ArgumentError,
        match=rf"moves\[2, 1\] must be the number of a move of o, from 0 to \d+,"
        rf" got {move}$",
    ):
        simulator.advance(rows, moves)


@engines
def test_moves_too_high_for_int32_do_not_wrap(simulator: Simulator) -> None:
    moves = legal_moves(simulator, start(simulator)).astype(np.int64)
    moves[0, 0] = 2**32
    with pytest.raises(ArgumentError, match=r"moves\[0, 0\] must be .* got 4294967296"):
        simulator.advance(start(simulator), moves)


@engines
@pytest.mark.parametrize(
    ("moves", "got"),
    [
        (np.zeros(2, np.int32), r"int32 array of shape \[2\]"),
        (np.zeros((1, 3), np.int32), r"int32 array of shape \[1, 3\]"),
        (np.zeros((2, 2), np.int32), r"int32 array of shape \[2, 2\]"),
        (np.zeros((1, 2)), r"float64 array of shape \[1, 2\]"),
        (np.zeros((1, 2), np.bool_), r"bool array of shape \[1, 2\]"),
        ([[0, 0]], r"list \[\[0, 0\]\]"),
    ],
)
def test_moves_of_the_wrong_kind(simulator: Simulator, moves: Any, got: str) -> None:
    with pytest.raises(
        ArgumentError,
        match=rf"moves must be an int32 array of shape \[1, 2\], got {got}",
    ):
        simulator.advance(start(simulator), moves)


@engines
def test_an_illegal_move_is_an_error(simulator: Simulator) -> None:
    expansion = simulator.expand(start(simulator))
    again = expansion.moves
    with pytest.raises(
        IllegalMoveError,
        match=r"moves\[0, 0\] is \d+, \(mark 1 1\), which is not a legal move of x in"
        r" positions\[0\] of tictactoe",
    ):
        simulator.advance(expansion.successors, again)
    assert len(simulator.advance(expansion.successors, again, checked=False)) == 9


def test_the_first_illegal_move_is_found_in_any_lane() -> None:
    simulator = ENGINES[0]
    rows = np.repeat(simulator.initial_row()[None], 1200, axis=0)
    moves = legal_moves(simulator, rows)
    illegal = int(np.flatnonzero(~simulator.legal(rows[:1])[1][0])[0])
    moves[777:, 1] = illegal
    with pytest.raises(IllegalMoveError, match=rf"moves\[777, 1\] is {illegal}, "):
        simulator.advance(rows, moves)


@engines
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("count", 0),
        ("count", -1),
        ("count", 1.5),
        ("count", float("nan")),
        ("count", 10**13),
        ("seed", -1),
        ("seed", "1"),
        ("threads", 0),
        ("move_limit", -1),
        ("move_limit", 10**12),
    ],
)
def test_numbers_of_playouts(simulator: Simulator, name: str, value: Any) -> None:
    with pytest.raises(ArgumentError, match=rf"{name} must be a whole number from"):
        simulator.playouts(**{name: value})


@engines
@pytest.mark.parametrize("role", [-1, 2, 0.0])
def test_the_role_that_features_are_counted_for(
    simulator: Simulator, role: Any
) -> None:
    with pytest.raises(ArgumentError, match="role must be a whole number from 0 to 1"):
        simulator.feature_counts(start(simulator), role)


@engines
@pytest.mark.parametrize("row", [np.zeros(2, np.uint64), np.zeros(1), [0], 3])
def test_one_row_of_the_wrong_kind(simulator: Simulator, row: Any) -> None:
    with pytest.raises(ArgumentError, match=r"row must be a uint64 array of shape"):
        simulator.facts(row)


@engines
def test_no_positions_at_all(simulator: Simulator) -> None:
    none = np.zeros((0, 1), np.uint64)
    assert simulator.terminal(none).shape == (0,)
    assert simulator.goals(none).shape == (0, 2)
    assert simulator.advance(none, np.zeros((0, 2), np.int32)).shape == (0, 1)
    assert simulator.expand(none).successors.shape == (0, 1)
    assert len(simulator.fact_matrix(none)) == 0


@engines
def test_other_integers_and_strides_are_fine(simulator: Simulator) -> None:
    rows = np.repeat(start(simulator), 6, axis=0)
    moves = legal_moves(simulator, rows).astype(np.int64)
    once = simulator.advance(rows, moves.astype(np.int32))
    assert (simulator.advance(rows, moves) == once).all()
    assert (simulator.advance(rows[::2], moves[::2]) == once[::2]).all()
    assert (simulator.advance(rows, np.asfortranarray(moves)) == once).all()


@engines
@settings(max_examples=60, deadline=None)
@given(
    rows=arrays.arrays(
        st.sampled_from([np.uint64, np.int64, np.float32, np.bool_]),
        arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
    ),
    moves=arrays.arrays(
        st.sampled_from([np.int32, np.int64, np.uint8, np.float64]),
        arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
    ),
)
def test_garbage_is_refused_or_computed(
    simulator: Simulator, rows: Any, moves: Any
) -> None:
    for call in CALLS:
        with suppress(ArgumentError):
            getattr(simulator, call)(rows)
    try:
        following = simulator.advance(rows, moves)
    except (ArgumentError, IllegalMoveError):
        return
    assert following.shape == rows.shape
