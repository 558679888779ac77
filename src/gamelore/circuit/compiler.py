"""From rules to a program that kernels run, cached on disk."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from gamelore.circuit.build import Circuit, build
from gamelore.circuit.minimise import minimise
from gamelore.circuit.schedule import Program, schedule
from gamelore.gdl import Fact, Game, Move
from gamelore.ground.grounder import GroundLimits, ground


@dataclass(frozen=True)
class CompiledGame:
    """Everything simulation needs: names for the bits, and the program."""

    fluents: tuple[Fact, ...]
    initial: tuple[bool, ...]
    moves: tuple[tuple[Move, ...], ...]
    program: Program
    statistics: Mapping[str, float]
    """Sizes before and after each step, and the seconds it took."""


def compile_game(game: Game, limits: GroundLimits | None = None) -> CompiledGame:
    t0 = time.perf_counter()
    grounded = ground(game, limits)
    t1 = time.perf_counter()
    circuit = build(grounded)
    t2 = time.perf_counter()
    before = circuit.graph.gates
    circuit = replace(circuit, graph=minimise(circuit.graph))
    t3 = time.perf_counter()
    program = schedule(circuit)
    t4 = time.perf_counter()
    return CompiledGame(circuit.fluents, circuit.initial, circuit.moves, program, dict(gates_before=before, gates=circuit.graph.gates, scheduled=len(program.left), slots=program.slots, ground=t1-t0, build=t2-t1, minimise=t3-t2, schedule=t4-t3))
