"""Cells: they compute what their gates do, and play the same matches."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from gamelore.circuit import CompiledGame, compile_game
from gamelore.circuit.cells import Cell, evaluate_cell, map_cells
from gamelore.circuit.graph import Graph, GraphBuilder
from gamelore.circuit.program import (
    BOTH,
    EITHER,
    EVERY,
    GOALS,
    LEGAL,
    MAJORITY,
    NEXT,
    PHASES,
    SELECT,
    SLOT_WORDS,
    TERMINAL,
    Program,
    Turns,
)
from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.games import load

_MASK = (1 << 64) - 1


def random_graph(seed: int) -> Graph:
    random = Random(seed)
    builder = GraphBuilder(6)
    literals = [builder.input(i) for i in range(6)]
    for _ in range(random.randint(1, 60)):
        recent = literals[-8:] if random.random() < 0.7 else literals
        a, b = (random.choice(recent) ^ random.randrange(2) for _ in "ab")
        literals.append(builder.both(a, b))
    outputs = [x for x in literals[-5:] if x > 1] or literals[:1]
    return builder.finish(outputs)


def evaluate(graph: Graph, cells: dict[int, Cell], inputs: list[int]) -> list[int]:
    """Return the outputs of a graph by its cells alone."""
    values = dict(enumerate([0, *inputs]))

    def read(literal: int) -> int:
        return values[literal >> 1] ^ (_MASK if literal & 1 else 0)

    for node in sorted(cells):
        cell = cells[node]
        values[node] = evaluate_cell(cell.kind, *map(read, (*cell.inputs, 0)[:3]))
    return [read(literal) for literal in graph.outputs.tolist()]


@pytest.mark.parametrize("seed", range(60))
def test_cells_compute_what_their_gates_do(seed: int) -> None:
    graph = random_graph(seed)
    cells = map_cells(graph)
    random = Random(seed)
    inputs = [random.getrandbits(64) for _ in range(graph.inputs)]
    assert evaluate(graph, cells, inputs) == graph.evaluate(inputs, _MASK)
    gates = [gate for cell in cells.values() for gate in cell.gates]
    first = 1 + graph.inputs
    assert sorted(gates) == list(range(first, first + graph.gates))
    for node, cell in cells.items():
        assert cell.gates[-1] == node
        assert list(cell.gates) == sorted(cell.gates)


def single_cell(kind: int, flips: int) -> Cell:
    """Return the cell of a graph that computes one kind of cell, as gates do it."""
    builder = GraphBuilder(3)
    a, b, c = (builder.input(i) ^ ((flips >> i) & 1) for i in range(3))

    def either(x: int, y: int) -> int:
        return builder.both(x ^ 1, y ^ 1) ^ 1

    output = {
        BOTH: lambda: builder.both(a, b),
        EVERY: lambda: builder.both(builder.both(a, b), c),
        EITHER: lambda: builder.both(either(a, b), c),
        MAJORITY: lambda: either(builder.both(a, b), builder.both(c, either(a, b))),
        SELECT: lambda: either(builder.both(c, a), builder.both(c ^ 1, b)),
    }[kind]()
    (cell,) = map_cells(builder.finish([output])).values()
    return cell


@pytest.mark.parametrize("flips", range(8))
@pytest.mark.parametrize("kind", [BOTH, EVERY, EITHER, MAJORITY, SELECT])
def test_each_kind_is_found_however_its_inputs_are_inverted(
    kind: int, flips: int
) -> None:
    assert single_cell(kind, flips).kind == kind


def test_a_difference_is_a_selection() -> None:
    builder = GraphBuilder(2)
    a, b = builder.input(0), builder.input(1)
    one, other = builder.both(a, b ^ 1), builder.both(a ^ 1, b)
    graph = builder.finish([builder.both(one ^ 1, other ^ 1)])
    (cell,) = map_cells(graph).values()
    assert cell.kind == SELECT
    assert len(cell.gates) == 3


# ── in programs ─────────────────────────────────────────────────────────────────────


def without_cells(compiled: CompiledGame) -> CompiledGame:
    program = compiled.turn_program
    plain = program._replace(
        cells=program.cells[:0],
        cell_runs=program.cell_runs[:0],
        cell_phases=program.cell_phases[:0],
    )
    return replace(compiled, turn_program=plain)


@pytest.mark.parametrize("name", ["english-draughts", "hex-6x6", "breakthrough"])
def test_cells_play_as_gates_one_by_one_do(name: str) -> None:
    game = load(name)
    compiled = compile_game(game)
    program = compiled.turn_program
    assert 0 < len(program.cells) < len(program.left)
    results = [
        CircuitSimulator(game, one).playouts(count=700, seed=5)
        for one in (compiled, without_cells(compiled))
    ]
    assert results[0].goal_counts == results[1].goal_counts
    assert results[0].length_counts == results[1].length_counts


def list_moves(turns: Turns, turn: int) -> slice:
    """Return which of all moves are those of a turn."""
    ends = [0, *turns.move_ends[:, -1].tolist()]
    return slice(ends[turn], ends[turn + 1])


def run_gates(program: Program, phase: int, slots: list[int]) -> None:
    for segment in range(*program.phases[phase]):
        _, first, end = program.segments[segment].tolist()
        for gate in range(first, end):
            values = []
            for literal in (int(program.left[gate]), int(program.right[gate])):
                values.append(slots[literal >> 1] ^ (_MASK if literal & 1 else 0))
            slots[program.slot[gate]] = values[0] & values[1]


def run_cells(program: Program, phase: int, slots: list[int]) -> None:
    for run in range(*program.cell_phases[phase]):
        code, first, end = program.cell_runs[run].tolist()
        for *words, result in program.cells[first:end].tolist():
            values = [
                slots[word // SLOT_WORDS] ^ (_MASK if (code >> i) & 1 else 0)
                for i, word in enumerate(words)
            ]
            slots[result // SLOT_WORDS] = evaluate_cell(code >> 3, *values)


@pytest.mark.parametrize("name", ["english-draughts", "othello-6x6"])
def test_phases_leave_the_same_in_all_slots_that_are_read(name: str) -> None:
    compiled = compile_game(load(name))
    program, turns = compiled.turn_program, compiled.turns
    random = Random(2)
    for turn in range(len(turns.terminal)):
        begin = [0, *(random.getrandbits(64) for _ in range(program.slots - 1))]
        left = []
        for run in (run_gates, run_cells):
            slots, found = list(begin), []
            for phase, literals in (
                (TERMINAL, turns.terminal[turn : turn + 1]),
                (GOALS, turns.goals[turn]),
                (LEGAL, turns.legal[list_moves(turns, turn)]),
                (NEXT, turns.next[turn]),
            ):
                run(program, PHASES * turn + phase, slots)
                found += [slots[literal >> 1] for literal in literals.tolist()]
            left.append(found)
        assert left[0] == left[1]


def test_small_circuits_have_no_cells() -> None:
    assert len(compile_game(load("tictactoe")).turn_program.cells) == 0
