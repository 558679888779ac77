"""From rules to a program that kernels run, made once per machine."""

from __future__ import annotations

import time
from dataclasses import replace

from gamelore.circuit.build import Circuit, build, loops_in_order
from gamelore.circuit.compiled import CompiledGame, Feature, Statistics
from gamelore.circuit.minimise import minimise
from gamelore.circuit.schedule import schedule
from gamelore.circuit.store import load, save
from gamelore.gdl import Game
from gamelore.gdl.features import FeatureRules
from gamelore.ground import GroundLimits, ground


def compile_game(
    game: Game,
    limits: GroundLimits | None = None,
    *,
    features: FeatureRules | None = None,
    cached: bool = True,
) -> CompiledGame:
    """A game's program, from the cache where it is there.

    Features become a part of it, in a phase of their own. `GroundingLimit` where
    grounding takes more than the limits allow.
    """
    if cached:
        stored = load(game, features)
        if stored is not None:
            return stored
    compiled = _compile(game, limits, features)
    if cached:
        save(game, compiled, features)
    return compiled


def _compile(
    game: Game, limits: GroundLimits | None, features: FeatureRules | None
) -> CompiledGame:
    clock = time.perf_counter
    started = clock()
    grounded = ground(game, limits, features)
    ground_done = clock()
    circuit = build(grounded)
    build_done = clock()
    small = minimised(circuit)
    minimise_done = clock()
    program = schedule(small)
    statistics = Statistics(
        ground_rules=len(grounded.heads),
        gates_built=circuit.graph.gates,
        gates=small.graph.gates,
        depth=small.graph.depth(),
        gates_scheduled=len(program.left),
        slots=program.slots,
        loop_variables=len(program.runs),
        ground_seconds=ground_done - started,
        build_seconds=build_done - ground_done,
        minimise_seconds=minimise_done - build_done,
        schedule_seconds=clock() - minimise_done,
    )
    views = tuple(
        tuple(Feature(one.name, one.averaged, one.weights) for one in view)
        for view in circuit.features
    )
    return CompiledGame(
        circuit.fluents, circuit.initial, circuit.moves, program, statistics, views
    )


def minimised(circuit: Circuit) -> Circuit:
    """The same circuit with fewer gates."""
    small = replace(circuit, graph=minimise(circuit.graph))
    return small if loops_in_order(small) else circuit
