"""Searches towards a position: first where to end, then how to get there.

A solver finds a position that is terminal and has the best goal, given which facts
exclude each other in positions that were seen. A beam then goes where the fewest facts
differ from it. Where moves fill in a diagram (Latin squares, queens), that is all there
is to do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator
from gamelore.engine.simulator import NO_GOAL, Rows
from gamelore.gdl import Compound, Fact
from gamelore.search.puzzle._layer_kernels import LANES
from gamelore.search.puzzle._rollout_kernels import LIVE, Policies
from gamelore.search.puzzle.adaptation import (
    begin_rollouts,
    make_rollouts,
    roll_out,
)
from gamelore.search.puzzle.layers import LayeredSearch
from gamelore.search.puzzle.path import BestPath
from gamelore.search.puzzle.planner import CONFLICT_WORK
from gamelore.search.puzzle.solver import CONFLICTS, GateSolver, SolverCall
from gamelore.search.puzzle.unrolled import TRUE, can_unroll

_ENDS = 16  # times 512 random playouts, whose ends show what excludes what
_LONGEST = 500  # moves of those
_PIECE = 4_000_000  # gates of one call, in lanes of 512
_MOST_GATES = 50_000
_MOST_CALLS = 60  # of the solver, for one position
_WIDTHS = (64, 1024, 16384)  # of the beams towards each position


class TargetSearch:
    """Looks for a position to end in, and for a path to it."""

    def __init__(
        self,
        simulator: CircuitSimulator,
        best: BestPath,
        memory: int,
        random: npt.NDArray[np.uint64],
    ) -> None:
        """`random`: uint64 [4], a stream."""
        program = simulator.program
        self.simulator = simulator
        self.best = best
        self.over = len(program.left) > _MOST_GATES or not can_unroll(program)
        """Whether no position to end in is left."""
        self._memory = memory
        self._random = random
        self._call: SolverCall | None = None
        self._pass: LayeredSearch | None = None
        self._work = 0
        self._end = 0.0
        self._refuted = False
        self._steps = self._search()

    @property
    def pause(self) -> float:
        """Seconds that the next step may take longer than others."""
        return 0.1 if self._pass is None else self._pass.pause

    @property
    def nodes(self) -> int:
        """Positions that are kept."""
        return 0 if self._pass is None else self._pass.nodes

    def step(self, end: float) -> int:
        """Search on a little; return the work that was done."""
        before = self._work
        self._end = end
        self.over = next(self._steps, True)
        return max(1, self._work - before)

    def stop(self) -> None:
        """Have the solver end soon, if it is at work."""
        if self._call is not None:
            self._call.interrupt()

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _search(self) -> Iterator[bool]:
        """Take the goals from the highest down; yield False after each step."""
        yield from self._rule_out()
        exclusions = Exclusions(self.simulator.fluents)
        yield from self._observe(exclusions)
        for attempt, width in enumerate(_WIDTHS):
            last = attempt == len(_WIDTHS) - 1
            known = Exclusions(()) if last else exclusions
            for value in sorted(self.simulator.goal_values[0], reverse=True):
                if self.best.goal < value <= self.best.highest:
                    yield from self._aim(value, known, width)

    def _rule_out(self) -> Iterator[bool]:
        """Lower the highest goal while no terminal position whatever has it."""
        while not self.best.proven:
            ending = Ending(self.simulator, self.best.highest, Exclusions(()))
            yield False
            if (yield from self._solve(ending)) is not None or not self._refuted:
                break
            self.best.rule_out_highest()

    def _observe(self, exclusions: Exclusions) -> Iterator[bool]:
        """Play at random, and note what is true at once where matches end."""
        program = self.simulator.program
        rollouts = make_rollouts(self.simulator, self._random, _LONGEST)
        codes = max(1, len(program.legal))
        uniform = Policies(np.zeros((1, codes)), np.ones((1, codes)))
        rows = np.tile(self.best.row, (LANES, 1))
        steps = max(1, min(256, _PIECE // max(1, len(program.left))))
        for _ in range(_ENDS):
            begin_rollouts(program, rollouts, rows)
            while rollouts.state[LIVE]:
                roll_out(program, rollouts, uniform, steps)
                yield False
            ended = rollouts.final[rollouts.goal >= NO_GOAL]
            exclusions.observe(self.simulator.fact_matrix(ended, checked=False))
            self._work += int(rollouts.length.sum())
            yield False

    def _solve(self, ending: Ending) -> Generator[bool, None, set[int] | None]:
        """Return what is true in a position to end in, if one is found."""
        self._refuted = ending.wanted == -TRUE
        for _ in range(0 if self._refuted else _MOST_CALLS):
            self._call = SolverCall(ending.solver, ending.wanted, ending.fluents)
            while not self._call.wait(self._end):
                yield False
            answer, self._call = self._call.answer, None
            self._work += CONFLICTS * CONFLICT_WORK
            self._refuted = answer.refuted
            yield False
            if answer.refuted or answer.true is not None:
                return answer.true
        return None

    def _aim(self, value: int, known: Exclusions, width: int) -> Iterator[bool]:
        """Find a position with a goal, and go there by a beam."""
        ending = Ending(self.simulator, value, known)
        yield False
        true = yield from self._solve(ending)
        if true is None:
            return
        target, mask = ending.read(true)

        def score(rows: Rows) -> npt.NDArray[np.float64]:
            differing = np.bitwise_count((rows ^ target) & mask).sum(axis=1)
            return np.asarray(-differing.astype(np.float64))

        beam = LayeredSearch(self.simulator, self.best.row, self._memory, width, score)
        self._pass = beam
        while not beam.over:
            self._work += beam.step()
            if beam.goal > self.best.goal:
                self.best.offer(beam.path())
                if self.best.goal >= value:
                    break
            yield False
        self._pass = None


class Exclusions:
    """Facts that were never true at once in the positions that were seen.

    Of facts that differ in one argument, at most one may be true, or exactly one. Of
    two others, both would have been true often if they had nothing to do with each
    other.
    """

    _EXPECTED = 16.0  # positions, of two independent facts: e^-16 have none
    _MOST_FACTS = 3_000  # whose pairs are counted
    _OF_GROUPS = 64  # positions of each 512 that groups are counted in

    def __init__(self, fluents: Sequence[Fact]) -> None:
        groups: dict[Any, list[int]] = defaultdict(list)
        for number, fact in enumerate(fluents):
            if isinstance(fact, Compound):
                for place in range(len(fact.arguments)):
                    rest = (*fact.arguments[:place], *fact.arguments[place + 1 :])
                    groups[fact.functor, len(fact.arguments), place, rest].append(
                        number
                    )
        self._groups = [np.array(one) for one in groups.values() if len(one) > 1]
        self._least = np.full(len(self._groups), 2)
        self._most = np.zeros(len(self._groups), np.int64)
        self.always = np.ones(len(fluents), np.bool_)
        """bool [F]: facts that were true in every position"""
        self.never = np.ones(len(fluents), np.bool_)
        """bool [F]: facts that were true in none"""
        counted = len(fluents) if len(fluents) <= self._MOST_FACTS else 0
        self._pairs = np.zeros((counted, counted), np.float32)
        self._ends = 0

    def observe(self, facts: npt.NDArray[np.bool_]) -> None:
        """Count what is true in terminal positions.  facts: bool [n, F]"""
        if not len(facts):
            return
        self.always &= facts.all(axis=0)
        self.never &= ~facts.any(axis=0)
        few = facts[: self._OF_GROUPS]
        for number, group in enumerate(self._groups):
            if self._most[number] <= 1:
                counts = few[:, group].sum(axis=1)
                self._least[number] = min(self._least[number], counts.min())
                self._most[number] = max(self._most[number], counts.max())
        if len(self._pairs):
            numbers = facts.astype(np.float32)
            self._pairs += numbers.T @ numbers
            self._ends += len(facts)

    def groups(self) -> Iterator[tuple[list[int], bool]]:
        """Yield groups of which at most one is true, and whether one always is."""
        for group, least, most in zip(
            self._groups, self._least, self._most, strict=True
        ):
            if most == 1:
                yield group.tolist(), bool(least == 1)

    def pairs(self) -> list[list[int]]:
        """Return pairs of facts that exclude each other."""
        often = self._pairs.diagonal() / np.sqrt(max(1, self._ends))
        expected = np.outer(often, often)
        found = np.triu((self._pairs == 0) & (expected >= self._EXPECTED), 1)
        pairs: list[list[int]] = np.argwhere(found).tolist()
        return pairs


class Ending:
    """The terminal positions with a goal, as a solver's answers."""

    def __init__(
        self, simulator: CircuitSimulator, value: int, known: Exclusions
    ) -> None:
        program = simulator.program
        self.solver = GateSolver(program)
        self.width = simulator.width
        circuit = self.solver.circuit
        self._groups: list[list[int]] = []
        with self.solver.open() as self.solver.backend:
            self.fluents = [self.solver.make_choice(TRUE) for _ in program.next]
            for number in np.flatnonzero(known.always & ~known.never).tolist():
                self.solver.add_rule([], [-self.fluents[number]])
            for number in np.flatnonzero(known.never & ~known.always).tolist():
                self.solver.add_rule([], [self.fluents[number]])
            circuit.set_position(self.fluents)
            terminal = circuit.terminal()
            goals = circuit.goals()
            self.wanted = -TRUE
            for number, literal in zip(program.goal_values, goals, strict=True):
                if number == value:
                    self.wanted = circuit.conjoin(terminal, literal)
            for group, always in known.groups():
                literals = [self.fluents[number] for number in group]
                self.solver.forbid_two(literals)
                if always:
                    self.solver.add_rule([], [-one for one in literals])
                    self._groups.append(literals)
            for one, other in known.pairs():
                self.solver.add_rule([], [self.fluents[one], self.fluents[other]])

    def read(self, true: set[int]) -> tuple[npt.NDArray[np.uint64], ...]:
        """Return uint64 [K], uint64 [K]: a position, and the facts that matter."""
        support = self._support()
        target = [literal in true for literal in self.fluents]
        mask = [literal in support for literal in self.fluents]
        return _pack(target, self.width), _pack(mask, self.width)

    def _support(self) -> set[int]:
        """Return all atoms that the end and its goal depend on, directly or because a
        group has one fact that is true."""
        seen: set[int] = set()
        left = [abs(self.wanted)]
        while left:
            atom = left.pop()
            if atom not in seen:
                seen.add(atom)
                left += map(abs, self.solver.gates.get(atom, ()))
        for group in self._groups:
            if not seen.isdisjoint(group):
                seen |= set(group)
        return seen


def _pack(bits: Sequence[bool], width: int) -> npt.NDArray[np.uint64]:
    """Return bits as words, uint64 [K]."""
    padded = np.zeros(64 * width, np.bool_)
    padded[: len(bits)] = bits
    return np.packbits(padded, bitorder="little").view(np.uint64)
