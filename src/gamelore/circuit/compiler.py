"""From rules to a program that kernels run, made once per machine."""

from __future__ import annotations

import time
from dataclasses import replace

from gamelore.circuit.build import Circuit, build, loops_in_order
from gamelore.circuit.compiled import CompiledGame, Feature, Statistics
from gamelore.circuit.minimise import Effort, Minimised, minimise
from gamelore.circuit.schedule import schedule
from gamelore.circuit.store import load, save
from gamelore.circuit.turn_program import schedule_turns
from gamelore.gdl import Game
from gamelore.gdl.features import FeatureRules
from gamelore.ground import GroundGame, GroundLimits, ground

_MOST_TO_COMPARE = 50_000  # gates of a circuit that is built in two ways


def compile_game(
    game: Game,
    limits: GroundLimits | None = None,
    *,
    features: FeatureRules | None = None,
    effort: Effort = "normal",
    cached: bool = True,
) -> CompiledGame:
    """Return a game's program, from the cache if that has it with no less effort.

    Features become a part of it, in a phase of their own. `GroundingLimit` where
    grounding takes more than the limits allow. The same rules and the same effort give
    the same program, whatever else the machine does, unless `statistics.cut_short`.
    """
    if cached:
        stored = load(game, features)
        if stored is not None and stored.statistics.reaches(effort):
            return stored
    compiled = _compile(game, limits, features, effort)
    if cached:
        save(game, compiled, features)
    return compiled


def improve_game(
    game: Game,
    limits: GroundLimits | None = None,
    *,
    features: FeatureRules | None = None,
    effort: Effort = "high",
) -> CompiledGame:
    """Return a game's program after that effort or more, and no less for lack of time.

    Compiles again what is in the cache with less effort, or was cut short, and replaces
    it by what is better.
    """
    stored = load(game, features)
    if stored is not None:
        statistics = stored.statistics
        if statistics.reaches(effort) and not statistics.cut_short:
            return stored
        if statistics.reaches(effort):
            effort = statistics.effort
    compiled = _compile(game, limits, features, effort)
    if stored is not None and not compiled.statistics.is_better_than(stored.statistics):
        return stored
    save(game, compiled, features)
    return compiled


def _compile(
    game: Game,
    limits: GroundLimits | None,
    features: FeatureRules | None,
    effort: Effort,
) -> CompiledGame:
    clock = time.perf_counter
    started = clock()
    grounded = ground(game, limits, features)
    ground_done = clock()
    circuit, result = choose_circuit(grounded, effort)
    small = with_minimised(circuit, result)
    minimise_done = clock()
    program = schedule(small)
    turn_program, turns = schedule_turns(small)
    statistics = Statistics(
        ground_rules=len(grounded.heads),
        gates_built=circuit.graph.gates,
        gates=small.graph.gates,
        depth=small.graph.depth(),
        gates_scheduled=len(program.left),
        slots=program.slots,
        loop_variables=len(program.runs),
        turns=len(turns.terminal),
        gates_per_turn=len(turn_program.left) / len(turns.terminal),
        effort=effort,
        cut_short=result.cut_short,
        ground_seconds=ground_done - started,
        minimise_seconds=minimise_done - ground_done,
        schedule_seconds=clock() - minimise_done,
    )
    views = tuple(
        tuple(Feature(one.name, one.averaged, one.weights) for one in view)
        for view in circuit.features
    )
    return CompiledGame(
        fluents=circuit.fluents,
        initial=circuit.initial,
        moves=circuit.moves,
        program=program,
        turn_program=turn_program,
        turns=turns,
        statistics=statistics,
        features=views,
    )


def choose_circuit(grounded: GroundGame, effort: Effort) -> tuple[Circuit, Minimised]:
    """Return a circuit and what minimising leaves of it, in the better order of two.

    That is the order of gates that leaves fewer; large circuits are only gathered.
    """
    circuit = build(grounded)
    result = minimise(circuit.graph, effort)
    if not 0 < circuit.graph.gates <= _MOST_TO_COMPARE:
        return circuit, result
    other = build(grounded, gathered=False)
    smaller = minimise(other.graph, effort)
    if smaller.graph.gates < result.graph.gates:
        return other, smaller
    return circuit, result


def with_minimised(circuit: Circuit, minimised: Minimised) -> Circuit:
    """Return the circuit with a minimised graph, unless loops would need each other."""
    small = replace(circuit, graph=minimised.graph)
    return small if loops_in_order(small) else circuit
