"""Rows and columns say of every position what the moves in their place said."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from tests.circuit.queens import QUEENS

from gamelore.circuit import move_products
from gamelore.circuit.build import build
from gamelore.circuit.graph import TRUE, GraphBuilder
from gamelore.circuit.move_groups import TurnCircuit
from gamelore.circuit.move_products import factor_moves
from gamelore.circuit.turns import find_turn_order, make_turn_circuits
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.ground import ground

LANES = 256
_ALL = (1 << LANES) - 1


def make_turns(game: Game) -> list[TurnCircuit]:
    circuit = build(ground(game))
    return make_turn_circuits(circuit, find_turn_order(circuit))


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small products are worth while."""
    monkeypatch.setattr(move_products, "_FEWEST_PER_PART", 2)
    monkeypatch.setattr(move_products, "_FEWEST_PARTS", 0)


@pytest.fixture(scope="module")
def queens() -> TurnCircuit:
    return make_turns(Game.from_kif(QUEENS, "queens"))[0]


def random_inputs(turn: TurnCircuit, seed: int) -> list[int]:
    """Return random positions and moves: mostly empty boards, so that much is legal."""
    random = Random(seed)
    return [
        random.getrandbits(LANES)
        & random.getrandbits(LANES)
        & random.getrandbits(LANES)
        for _ in range(turn.circuit.graph.inputs)
    ]


def list_legal(
    turn: TurnCircuit, outputs: list[int], lane: int
) -> Counter[frozenset[int]]:
    """Return the groups of every legal move, pairs of rows and columns included."""
    first = 1 + turn.circuit.goal_count
    legal = [
        bool(lanes >> lane & 1)
        for lanes in outputs[first : first + turn.circuit.move_count]
    ]
    singles = len(turn.moves)
    found = Counter(
        frozenset(turn.groups[move]) for move in range(singles) if legal[move]
    )
    for product in turn.products:
        middle = singles + product.rows
        end = middle + product.columns
        found.update(
            frozenset((*turn.groups[row], *turn.groups[column]))
            for row in range(singles, middle)
            for column in range(middle, end)
            if legal[row] and legal[column]
        )
        singles = end
    assert singles == len(legal)
    return found


def assert_same(turn: TurnCircuit, factored: TurnCircuit, seed: int) -> None:
    inputs = random_inputs(turn, seed)
    one, other = (t.circuit.graph.evaluate(inputs, _ALL) for t in (turn, factored))
    goals = 1 + turn.circuit.goal_count
    assert one[:goals] == other[:goals]
    assert (
        one[goals + turn.circuit.move_count :]
        == (other[goals + factored.circuit.move_count :])
    )
    for lane in range(0, LANES, 8):
        found = list_legal(turn, one, lane)
        assert found == list_legal(factored, other, lane)


@pytest.mark.parametrize("seed", range(3))
def test_pairs_are_the_moves_that_were_legal(queens: TurnCircuit, seed: int) -> None:
    factored = factor_moves(queens)
    assert len(factored.products) == 16  # a cell to arrive at is one
    assert len(factored.moves) < len(queens.moves) / 2
    assert_same(queens, factored, seed)


def test_large_products_are_divided(
    queens: TurnCircuit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(move_products, "MOST_PARTS", 5)
    factored = factor_moves(queens)
    assert all(max(p.rows, p.columns) <= 5 for p in factored.products)
    assert len(factored.products) > 16
    assert_same(queens, factored, seed=5)


def test_what_is_no_product_stays(queens: TurnCircuit) -> None:
    """A move with another precondition, and two that have the same groups."""
    graph, count = queens.circuit.graph, queens.circuit.move_count
    first = 1 + queens.circuit.goal_count
    random = Random(1)
    changed = sorted(random.sample(range(count), count // 50))
    builder = GraphBuilder(graph.inputs)
    meaning = [2 * node for node in range(1 + graph.inputs)]
    for a, b in zip(graph.left.tolist(), graph.right.tolist(), strict=True):
        meaning.append(builder.both(meaning[a >> 1] ^ a & 1, meaning[b >> 1] ^ b & 1))
    outputs = [meaning[o >> 1] ^ o & 1 for o in graph.outputs.tolist()]
    for move in changed:
        literal = 2 * random.randrange(1, 1 + len(queens.circuit.fluents))
        outputs[first + move] = builder.both(outputs[first + move], literal)
    groups = list(queens.groups)
    groups[1] = groups[0]
    other = replace(
        queens,
        circuit=replace(queens.circuit, graph=builder.finish(outputs)),
        groups=tuple(groups),
    )
    factored = factor_moves(other)
    assert factored.products
    assert_same(other, factored, seed=2)


def test_a_row_may_have_no_precondition_of_its_own() -> None:
    text = """(role r) (init (free 1 a)) (init (left 2)) (succ 0 1) (succ 1 2)
        (side a) (side b) (n 1) (n 2) (n 3) (n 4) (n 5) (n 6) (n 7) (n 8) (n 9) (n 0)
        (<= (row ?x ?y) (n ?x) (n ?y))
        (<= (legal r (take ?i ?s ?x ?y)) (side ?s) (row ?x ?y) (true (free ?i ?s)))
        (<= (next (has x ?x ?y)) (does r (take ?i ?s ?x ?y)))
        (<= (next (gone ?s)) (does r (take ?i ?s ?x ?y)))
        (<= (next (free ?x ?s)) (side ?s) (n ?x) (true (has x ?y ?x)))
        (<= (next (had ?i)) (does r (take ?i ?s ?x ?y)))
        (<= (next (left ?m)) (true (left ?n)) (succ ?m ?n))
        (<= terminal (true (left 0))) (<= terminal (true (gone a)))
        (<= (goal r 100) (true (had 1))) (<= (goal r 0) (not (true (had 1))))"""
    (turn,) = make_turns(Game.from_kif(text))
    factored = factor_moves(turn)
    assert factored.products
    first = 1 + factored.circuit.goal_count
    literals = factored.circuit.graph.outputs[first + len(factored.moves) :]
    assert TRUE in literals[: factored.circuit.move_count - len(factored.moves)]
    assert_same(turn, factored, seed=0)


def test_few_moves_are_left_alone() -> None:
    for turn in make_turns(load("breakthrough")):
        assert factor_moves(turn) is turn
        assert factor_moves(turn, fewest=0) is turn  # two groups: no pairs
