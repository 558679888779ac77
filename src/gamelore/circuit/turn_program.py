"""The circuits of all turns, scheduled and laid out one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from gamelore.circuit.build import Circuit
from gamelore.circuit.cells import map_cells
from gamelore.circuit.minimise import SECONDS, VISITS, Effort, minimise
from gamelore.circuit.move_products import factor_moves
from gamelore.circuit.program import (
    LOOP,
    MANY,
    MANY_SLOTS,
    NO_MOVE,
    PRODUCT_SLOTS,
    UNKNOWN,
    Ints,
    Program,
    Turns,
)
from gamelore.circuit.schedule import schedule, schedule_in_cells
from gamelore.circuit.turns import (
    TurnCircuit,
    TurnOrder,
    find_turn_order,
    make_turn_circuits,
)

_FEWEST_IN_CELLS = 300  # gates of a turn: of fewer, runs of a kind are too short
_PASSES = 5  # over the gates of a turn, which are mostly minimised before
_WORTH_IT = 0.98  # of the cells of a turn: with no fewer, gates stay as they are


def schedule_turns(
    circuit: Circuit, effort: Effort = "normal"
) -> tuple[Program, Turns, bool]:
    """Lay the circuit of every turn out for kernels; and whether time cut it short.

    Turns are minimised, too: that is all of it for circuits that are too large as a
    whole. `effort`: how many gates are visited for all turns together
    """
    order = find_turn_order(circuit)
    turns = [factor_moves(turn) for turn in make_turn_circuits(circuit, order)]
    smaller = [_minimise_turn(turn, effort, len(turns)) for turn in turns]
    program, laid_out = lay_out_turns(order, [turn for turn, _ in smaller])
    return program, laid_out, any(cut_short for _, cut_short in smaller)


def _minimise_turn(
    turn: TurnCircuit, effort: Effort, turns: int
) -> tuple[TurnCircuit, bool]:
    """Return a turn with fewer gates, if these are fewer cells; whether time ended it.

    `turns`: how many share the visits of the effort
    """
    graph = turn.circuit.graph
    if turn.circuit.loops or graph.gates < _FEWEST_IN_CELLS:
        return turn, False
    visits = min(_PASSES * graph.gates, VISITS[effort] // turns)
    result = minimise(graph, effort, SECONDS[effort] / turns, visits=visits)
    most = _WORTH_IT * len(map_cells(graph))
    if result.graph.gates < graph.gates and len(map_cells(result.graph)) < most:
        turn = replace(turn, circuit=replace(turn.circuit, graph=result.graph))
    return turn, result.cut_short


def lay_out_turns(
    order: TurnOrder, circuits: Sequence[TurnCircuit]
) -> tuple[Program, Turns]:
    """Schedule the circuits of all turns, and stack them."""
    gates = sum(turn.circuit.graph.gates for turn in circuits)
    many = gates >= _FEWEST_IN_CELLS * len(circuits)
    lay_out = schedule_in_cells if many and not circuits[0].circuit.loops else schedule
    programs = [lay_out(turn.circuit) for turn in circuits]
    slots = max(program.slots for program in programs)
    program = _stack(programs)
    turns = _make_turns(order, circuits, programs, slots)
    return _with_scratch(program, turns), turns


def as_one_turn(program: Program) -> tuple[Program, Turns]:
    """Return a program for any position as the only turn's; each move is a group."""
    moves = len(program.legal)
    first = program.first_move
    turns = Turns(
        fluents=_ints([]),
        values=np.zeros((1, 0), np.int32),
        terminal=_ints([program.terminal]),
        goals=program.goals[np.newaxis],
        next=program.next[np.newaxis],
        moves=np.arange(moves, dtype=np.int32),
        legal=program.legal,
        move_ends=program.move_ends[np.newaxis],
        products=_ints([]).reshape(0, 3),
        product_ends=_ints([0]),
        groups=np.arange(first, first + moves, dtype=np.int32),
        group_ends=np.arange(1, 1 + moves, dtype=np.int32),
        group_slots=_ints([[first, first + moves]]),
        carried=program.carried,
        carried_ends=_ints([len(program.carried)]),
        single=_ints([1]),
        scratch=program.slots,
    )
    return _with_scratch(program, turns), turns


def _with_scratch(program: Program, turns: Turns) -> Program:
    """Return the program with slots for counting moves, after its own."""
    counts = MANY_SLOTS * -(-_most_moves(turns) // MANY)
    products = PRODUCT_SLOTS * int(np.diff(turns.product_ends, prepend=0).max())
    return program._replace(slots=turns.scratch + products + counts)


def _most_moves(turns: Turns) -> int:
    """Return the most moves that one role can choose from in one turn."""
    counts = np.diff(turns.move_ends.ravel(), prepend=0)
    return int(counts.max(initial=0))


def _stack(programs: Sequence[Program]) -> Program:
    """Return gates, segments and phases of programs, one after the other."""
    segments, phases, runs = [], [], []
    cell_runs, cell_phases = [], []
    gates = segment_count = run_count = cells = cell_run_count = 0
    for program in programs:
        starts = np.where(program.segments[:, :1] == LOOP, run_count, gates)
        segments.append(program.segments + np.hstack([0 * starts, starts, starts]))
        phases.append(program.phases + segment_count)
        runs.append(program.runs + np.array([gates, gates, 0, 0]))
        cell_runs.append(program.cell_runs + np.array([0, cells, cells]))
        cell_phases.append(program.cell_phases + cell_run_count)
        cells += len(program.cells)
        cell_run_count += len(program.cell_runs)
        gates += len(program.left)
        segment_count += len(program.segments)
        run_count += len(program.runs)
    return programs[0]._replace(
        left=_join(program.left for program in programs),
        right=_join(program.right for program in programs),
        slot=_join(program.slot for program in programs),
        cells=_join(program.cells for program in programs),
        cell_runs=_join(cell_runs),
        cell_phases=_join(cell_phases),
        segments=_join(segments),
        phases=_join(phases),
        runs=_join(runs),
    )


def _make_turns(
    order: TurnOrder,
    circuits: Sequence[TurnCircuit],
    programs: Sequence[Program],
    scratch: int,
) -> Turns:
    roles = len(programs[0].move_ends)
    counts = [np.diff(program.move_ends, prepend=0) for program in programs]
    groups = [
        [1 + turn.first_group + group for group in of_move]
        for turn in circuits
        for of_move in turn.groups
    ]
    known = [order.known(turn) for turn in range(len(programs))]
    fluents = sorted(set().union(*known))
    spans = [(1 + turn.first_group, 1 + turn.circuit.graph.inputs) for turn in circuits]
    return Turns(
        fluents=_ints(fluents),
        values=_ints(
            [[values.get(f, UNKNOWN) for f in fluents] for values in known]
        ).reshape(len(programs), len(fluents)),
        terminal=_ints([program.terminal for program in programs]),
        goals=np.stack([program.goals for program in programs]),
        next=np.stack([program.next for program in programs]),
        moves=_ints(list(chain.from_iterable(map(_list_moves, circuits)))),
        legal=_join(program.legal for program in programs),
        move_ends=_ints(np.cumsum(_join(counts))).reshape(len(programs), roles),
        products=_list_products(circuits),
        product_ends=_ints(np.cumsum([len(turn.products) for turn in circuits])),
        groups=_ints(list(chain.from_iterable(groups))),
        group_ends=_ints(np.cumsum([len(of_move) for of_move in groups])),
        group_slots=_ints(spans),
        carried=_join(program.carried for program in programs),
        carried_ends=_ints(np.cumsum([len(p.carried) for p in programs])),
        single=_ints([_has_single_groups(turn) for turn in circuits]),
        scratch=scratch,
    )


def _list_moves(turn: TurnCircuit) -> list[int]:
    """Return the moves of a turn, and `NO_MOVE` for each row and column."""
    parts = turn.circuit.move_count - len(turn.moves)
    return [*turn.moves, *[NO_MOVE] * parts]


def _list_products(circuits: Sequence[TurnCircuit]) -> Ints:
    """Return int32 [P, 3]: where rows and columns of products begin, and end."""
    first = 0
    products = []
    for turn in circuits:
        first += len(turn.moves)
        for product in turn.products:
            middle = first + product.rows
            end = middle + product.columns
            products.append((first, middle, end))
            first = end
    return _ints(products).reshape(-1, 3)


def _has_single_groups(turn: TurnCircuit) -> bool:
    """Whether each move is in one group, and no other move is in it."""
    return (
        not turn.products
        and all(map(len, turn.groups))
        and len(set(turn.groups)) == sum(map(len, turn.groups))
    )


def _join(arrays: Iterable[Ints]) -> Ints:
    return np.concatenate([*arrays]).astype(np.int32)


def _ints(values: object) -> Ints:
    return np.array(values, dtype=np.int32)
