"""From rules to a program that kernels run, made once per machine.

The least effort gives a program that can be played at once: gates as they were built,
and one circuit for all turns. It is a stage on the way to a better one, since both are
over the same fluents and moves in the same order: rows and numbers of moves mean the
same to both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

from gamelore.circuit.build import Circuit, build, loops_in_order
from gamelore.circuit.compiled import CompiledGame, Feature, Statistics
from gamelore.circuit.disjunctions import factor_disjunctions
from gamelore.circuit.minimise import Effort, Minimised, minimise
from gamelore.circuit.schedule import schedule
from gamelore.circuit.store import load, save
from gamelore.circuit.turn_program import as_one_turn, schedule_turns
from gamelore.garbage import no_collections
from gamelore.gdl import Game
from gamelore.gdl.features import FeatureRules
from gamelore.ground import GroundGame, GroundLimits, ground

_Result = TypeVar("_Result")

_MOST_TO_COMPARE = 50_000  # gates of a circuit that is built in several ways
_FEWEST_IN_STAGES = 10_000  # gates as built: of fewer, the better circuit is soon there


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
        stored = find_compiled(game, features, effort)
        if stored is not None:
            return stored
    compiled = _Compilation(game, limits, features).compile(effort)
    if cached:
        save(game, compiled, features)
    return compiled


def find_compiled(
    game: Game, features: FeatureRules | None = None, effort: Effort = "normal"
) -> CompiledGame | None:
    """Return what the cache has of a game, if no less effort went into it."""
    stored = load(game, features)
    return stored if stored is not None and stored.statistics.reaches(effort) else None


def compile_in_stages(
    game: Game,
    limits: GroundLimits | None = None,
    *,
    features: FeatureRules | None = None,
    effort: Effort = "normal",
) -> Iterator[CompiledGame]:
    """Return a game's program as soon as it can be played, then that of the effort.

    The last one is that of `compile_game`; before it comes, where that takes much
    longer, one with the least effort. Each takes the place of the one before in the
    cache, and what is there already is not made again.
    """
    stored = load(game, features)
    if stored is not None:
        yield stored
        if stored.statistics.reaches(effort):
            return
    compilation = _Compilation(game, limits, features)
    if stored is None and compilation.circuit.graph.gates >= _FEWEST_IN_STAGES:
        first = compilation.compile("least")
        save(game, first, features)
        yield first
    compiled = compilation.compile(effort)
    save(game, compiled, features)
    yield compiled


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
    compiled = _Compilation(game, limits, features).compile(effort)
    if stored is not None and not compiled.statistics.is_better_than(stored.statistics):
        return stored
    save(game, compiled, features)
    return compiled


class _Compilation:
    """A game on its way to programs; what several of them need is made once."""

    def __init__(
        self, game: Game, limits: GroundLimits | None, features: FeatureRules | None
    ) -> None:
        with no_collections():
            self.ground_seconds, self.grounded = _timed(
                lambda: ground(game, limits, features)
            )

    @cached_property
    def _built(self) -> tuple[float, Circuit]:
        with no_collections():
            return _timed(lambda: build(self.grounded))

    @property
    def circuit(self) -> Circuit:
        """The circuit that is built first, not minimised."""
        return self._built[1]

    def compile(self, effort: Effort) -> CompiledGame:
        """Return the program that an effort leads to."""
        with no_collections():
            return self._compile(effort)

    def _compile(self, effort: Effort) -> CompiledGame:
        build_seconds, built = self._built
        seconds, (circuit, result) = _timed(
            lambda: choose_circuit(self.grounded, effort, built)
        )
        small = with_minimised(circuit, result)
        started = time.perf_counter()
        program = schedule(small)
        cut_short = result.cut_short
        if effort == "least":
            turn_program, turns = as_one_turn(program)
        else:
            turn_program, turns, turns_cut_short = schedule_turns(small, effort)
            cut_short |= turns_cut_short
        statistics = Statistics(
            ground_rules=len(self.grounded.heads),
            gates_built=circuit.graph.gates,
            gates=small.graph.gates,
            depth=small.graph.depth(),
            gates_scheduled=len(program.left),
            slots=program.slots,
            loop_variables=len(program.runs),
            turns=len(turns.terminal),
            gates_per_turn=len(turn_program.left) / len(turns.terminal),
            effort=effort,
            cut_short=cut_short,
            ground_seconds=self.ground_seconds,
            minimise_seconds=build_seconds + seconds,
            schedule_seconds=time.perf_counter() - started,
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


def _timed(function: Callable[[], _Result]) -> tuple[float, _Result]:
    """Return how many seconds a call took, and its result."""
    started = time.perf_counter()
    result = function()
    return time.perf_counter() - started, result


def choose_circuit(
    grounded: GroundGame, effort: Effort, built: Circuit | None = None
) -> tuple[Circuit, Minimised]:
    """Return a circuit and what minimising leaves of it: the fewest gates of three.

    They are gathered, in the order of the rules, or gathered with large ORs factored.
    Large circuits are only gathered, and so are all with the least effort. `built`: the
    gathered circuit, if it is there.
    """
    circuit = built or build(grounded)
    result = minimise(circuit.graph, effort)
    if effort == "least" or not 0 < circuit.graph.gates <= _MOST_TO_COMPARE:
        return circuit, result
    others = [build(grounded, gathered=False)]
    factored = factor_disjunctions(circuit.graph)
    if factored is not None:
        others.append(replace(circuit, graph=factored))
    for other in others:
        smaller = minimise(other.graph, effort)
        if smaller.graph.gates < result.graph.gates:
            circuit, result = other, smaller
    return circuit, result


def with_minimised(circuit: Circuit, minimised: Minimised) -> Circuit:
    """Return the circuit with a minimised graph, unless loops would need each other."""
    small = replace(circuit, graph=minimised.graph)
    return small if loops_in_order(small) else circuit
