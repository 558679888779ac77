"""Where playouts start: which turn positions are in, and what their slots hold there.

Shapes: n positions, K words each. Most playouts start from the first position. What
must be known of that one is found in plain Python, once, so that no kernel is compiled
for it on a new machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gamelore.circuit import CompiledGame
from gamelore.circuit.program import PHASES, TERMINAL, UNKNOWN, Turns
from gamelore.engine.compiled import _kernels, _turn_kernels
from gamelore.engine.compiled.plain import read_slots
from gamelore.engine.simulator import Rows

if TYPE_CHECKING:
    from gamelore.engine.compiled.simulator import CircuitSimulator

NO_TURN = -1


@dataclass(frozen=True)
class Starts:
    """Positions of one turn from which playouts start."""

    turn: int
    """Its number, or `NO_TURN`."""
    numbers: npt.NDArray[np.intp]
    """int [n]: which of all positions they are"""
    reset: npt.NDArray[np.int32]
    """int32 [·]: the slots that say where a match begins"""
    bits: Rows
    """uint64 [n, ·]: what these slots hold in each position"""


def find_first(simulator: CircuitSimulator) -> Starts | None:
    """Return the first position as a start; none if it is terminal."""
    compiled, position = simulator.compiled, simulator.initial_row()[None]
    program, present = compiled.program, compiled.initial
    (terminal,) = read_slots(program, TERMINAL, present, [program.terminal])
    if terminal:
        return None
    (turn,) = _find_turns(compiled.turns, position).tolist()
    reset = _list_reset(compiled, turn)
    phase = TERMINAL
    if turn != NO_TURN:
        program, phase = compiled.turn_program, PHASES * turn + TERMINAL
    found = read_slots(program, phase, present, (2 * reset).tolist())
    bits = np.zeros((1, 64 * max(1, -(-len(reset) // 64))), np.bool_)
    bits[0, : len(found)] = found
    rows = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
    return Starts(turn, np.zeros(1, np.intp), reset, rows)


def find_starts(
    simulator: CircuitSimulator, positions: Rows, going: npt.NDArray[np.intp]
) -> Iterator[Starts]:
    """Find the starts of playouts from positions, turn by turn.

    going: int [·], the numbers of those that are not terminal
    """
    turns = _find_turns(simulator.compiled.turns, positions[going])
    for turn in np.unique(turns).tolist():
        numbers = going[turns == turn]
        reset = _list_reset(simulator.compiled, turn)
        bits = np.zeros((len(numbers), max(1, -(-len(reset) // 64))), np.uint64)
        rows, literals = positions[numbers], 2 * reset
        if turn == NO_TURN:
            program, words = simulator.program, simulator.allocated_words()
            _kernels.gather_starts(program, words, rows, literals, bits)
        else:
            program, words = simulator.compiled.turn_program, simulator.turn_words()
            _turn_kernels.gather_turn_starts(program, turn, words, rows, literals, bits)
        yield Starts(turn, numbers, reset, bits)


def _find_turns(turns: Turns, positions: Rows) -> npt.NDArray[np.int64]:
    """Return int64 [n]: the turn of each position, or `NO_TURN`."""
    words = positions[:, turns.fluents >> 6]
    bits = (words >> (turns.fluents & 63).astype(np.uint64)) & np.uint64(1)
    found = np.full(len(positions), NO_TURN, np.int64)
    for turn, values in enumerate(turns.values):
        found[((bits == values) | (values == UNKNOWN)).all(axis=1)] = turn
    return found


def _list_reset(compiled: CompiledGame, turn: int) -> npt.NDArray[np.int32]:
    """Return int32 [·]: the slots that say where a match begins in a turn."""
    fluents = np.arange(1, 1 + len(compiled.fluents), dtype=np.int32)
    carried = compiled.program.carried
    if turn != NO_TURN:
        turns = compiled.turns
        first = turns.carried_ends[turn - 1] if turn else 0
        carried = turns.carried[first : turns.carried_ends[turn]]
    return np.concatenate([fluents, carried])
