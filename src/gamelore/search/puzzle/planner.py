"""Plans by clasp: is there a path of at most so many moves to a better goal?

The game is unrolled step by step. Where the unrolled game ends by itself (a counter of
steps), that there is no answer proves that no path is better.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gamelore.engine import CircuitSimulator
from gamelore.engine.simulator import Row
from gamelore.search.puzzle.adaptation import RolloutAdaptation
from gamelore.search.puzzle.path import BestPath
from gamelore.search.puzzle.solver import CONFLICTS, GateSolver, SolverCall
from gamelore.search.puzzle.unrolled import TRUE, can_unroll

_FIRST_HORIZON, _LAST_HORIZON = 4, 512  # moves
_USUAL_HORIZON = 64  # the first, at most
_MOST_GATES = 300_000  # of an unrolled game
_MOST_GATES_PER_MOVE = 50_000
_FIRST_PATIENCE = 3_000  # conflicts, then the next horizon is tried; it grows
_GATE_WORK = 16  # moves of a rollout that take as long as a gate takes to be made
CONFLICT_WORK = 600
"""Moves of a rollout that take as long as a conflict."""


class Planner:
    """Searches by a solver: one horizon after the other, in steps."""

    pause = 0.15
    """Seconds that a step may take, where many gates are made."""
    nodes = 0

    def __init__(
        self,
        simulator: CircuitSimulator,
        best: BestPath,
        rollouts: RolloutAdaptation,
    ) -> None:
        """`rollouts`: tell how long paths are, for the first horizon."""
        program = simulator.program
        small = len(program.left) <= _MOST_GATES_PER_MOVE
        self.simulator = simulator
        self.best = best
        self.over = not (small and can_unroll(program))
        """Whether it has nothing to do any more."""
        self.work = 0
        self._rollouts = rollouts
        self._patience = _FIRST_PATIENCE
        self._least = _FIRST_HORIZON  # no path is better within fewer moves
        self._most = _LAST_HORIZON  # more are too many for a solver
        self._horizon = 0
        self._game: _UnrolledGame | None = None
        self._call: SolverCall | None = None

    def step(self, end: float = math.inf) -> int:
        """Unroll one move more, or solve for some conflicts; return the work done."""
        before = self.work
        if self._game is None:
            self._game = _UnrolledGame(self.simulator, self.best.row)
            if not self._horizon:
                self._horizon = _FIRST_HORIZON
                while self._horizon < min(self._rollouts.longest, _USUAL_HORIZON):
                    self._horizon *= 2
        elif self._game.depth <= self._horizon and not self._game.ended:
            self._unroll(self._game)
        else:
            self._solve(self._game, end)
        return max(1, self.work - before)

    def stop(self) -> None:
        """Have the solver end soon, if it is at work."""
        if self._call is not None:
            self._call.interrupt()

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _next_horizon(self, ended: bool) -> None:
        """Go on with the next horizon; after the last, from the first with patience."""
        self._horizon *= 2
        if self._horizon > self._most or ended:
            self._horizon = self._least
            self._patience *= 4
        self.over = self._least > self._most
        self._game = None

    def _unroll(self, game: _UnrolledGame) -> None:
        made = game.gates
        game.extend()
        self.work += 1 + _GATE_WORK * (game.gates - made)
        if game.gates > _MOST_GATES:
            self._most = self._horizon // 2
            self._next_horizon(False)

    def _solve(self, game: _UnrolledGame, end: float) -> None:
        above = self.best.goal if game.relaxed else self.best.highest - 1
        above = max(above, self.best.goal)
        if self._call is None:
            target = game.target(above)
            if target is None:
                self._refute(game, above)
                return
            self._call = SolverCall(game.solver, target, game.move_literals)
        if not self._call.wait(end):
            return
        answer, self._call = self._call.answer, None
        game.conflicts += CONFLICTS
        self.work += CONFLICT_WORK * CONFLICTS
        if answer.true is not None:
            if not self.best.offer(game.read_moves(answer.true)):
                self.over = self.best.goal <= above  # else a better one was found
        elif answer.refuted:
            self._refute(game, above)
        elif game.conflicts >= self._patience:
            self._next_horizon(game.ended)

    def _refute(self, game: _UnrolledGame, above: int) -> None:
        """Note that no path within the horizon has a goal above this."""
        if above > self.best.goal:
            game.relaxed = True  # then look for any better goal
        elif game.ended:
            self.best.exhausted = self.best.path is not None
            self.over = True
        else:
            self._least = 2 * self._horizon
            self._next_horizon(False)


class _UnrolledGame:
    """The moves of a game up to some step, in a solver."""

    def __init__(self, simulator: CircuitSimulator, row: Row) -> None:
        self.solver = GateSolver(simulator.program)
        self.depth = 0
        self.conflicts = 0
        self.relaxed = False
        """Whether the best goal of all is out of reach within the horizon."""
        self.ended = False
        """Whether every path has come to an end."""
        self.move_literals: list[int] = []
        self._values: list[int] = simulator.program.goal_values.tolist()
        self._open = TRUE
        self._wins: list[tuple[int, int]] = []  # goals, and literals of reaching them
        self._moves: list[list[tuple[int, int]]] = []  # per step, moves and literals
        self._targets: dict[int, int] = {}
        facts = simulator.fact_matrix(row[None])[0].tolist()
        self._fluents = [TRUE if one else -TRUE for one in facts]

    @property
    def gates(self) -> int:
        """Gates made so far."""
        return len(self.solver.gates)

    def extend(self) -> None:
        """Add one more move."""
        circuit = self.solver.circuit
        with self.solver.open() as self.solver.backend:
            circuit.set_position(self._fluents)
            terminal = circuit.terminal()
            arrived = circuit.conjoin(self._open, terminal)
            for value, goal in zip(self._values, circuit.goals(), strict=True):
                won = circuit.conjoin(arrived, goal)
                if won != -TRUE:
                    self._wins.append((value, won))
            self._open = circuit.conjoin(self._open, -terminal)
            self.ended = self._open == -TRUE
            if not self.ended:
                circuit.set_moves(self._choose(circuit.legal()))
                self._fluents = circuit.next()
        self.depth += 1

    def target(self, above: int) -> int | None:
        """Return the literal of reaching a goal above a value; nothing if it cannot."""
        wins = [won for value, won in self._wins if value > above]
        if not wins:
            return None
        if above not in self._targets:
            with self.solver.open() as self.solver.backend:
                self._targets[above] = self.solver.make_atom()
                for won in wins:
                    self.solver.add_rule([self._targets[above]], [won])
        return self._targets[above]

    def read_moves(self, true: set[int]) -> list[int]:
        """Return the moves that are made, up to the end of the match."""
        path = []
        for options in self._moves:
            made = [move for move, literal in options if literal in true]
            if not made:
                break
            path += made
        return path

    def _choose(self, legal: Sequence[int]) -> list[int]:
        """Return literals of moves, of which one is true while the match is open."""
        solver, chosen = self.solver, [-TRUE] * len(legal)
        for move, literal in enumerate(legal):
            allowed = solver.circuit.conjoin(literal, self._open)
            if allowed != -TRUE:
                chosen[move] = solver.make_choice(allowed)
        able = [one for one in chosen if one != -TRUE]
        some = solver.make_atom()
        for one in able:
            solver.add_rule([some], [one])
        solver.add_rule([], [self._open, -some])
        solver.forbid_two(able)
        self.move_literals += able
        self._moves.append([(m, one) for m, one in enumerate(chosen) if one != -TRUE])
        return chosen
