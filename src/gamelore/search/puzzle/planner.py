"""Plans by clasp: is there a path of at most so many moves to a better goal?

The game is unrolled step by step, each gate as a rule of an answer-set program without
recursion. Where the unrolled game ends by itself (a counter of steps), that there is no
answer proves that no path is better.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence

import clingo

from gamelore.engine import CircuitSimulator
from gamelore.engine.simulator import Row
from gamelore.search.puzzle.adaptation import RolloutAdaptation
from gamelore.search.puzzle.path import BestPath
from gamelore.search.puzzle.unrolled import TRUE, LiteralCircuit, can_unroll

_FIRST_HORIZON, _LAST_HORIZON = 4, 512  # moves
_USUAL_HORIZON = 64  # the first, at most
_MOST_GATES = 300_000  # of an unrolled game
_CONFLICTS = 300  # of one call of the solver
_FIRST_PATIENCE = 3_000  # conflicts, then the next horizon is tried; it doubles
_GATE_WORK = 16  # moves of a rollout that take as long as a gate takes to be made
_CONFLICT_WORK = 600  # … and a conflict

_OPTIONS = ("--warn=none", "--stats=0", "--configuration=handy")


class Planner:
    """Searches by a solver: one horizon after the other, in steps."""

    pause = 0.0
    nodes = 0

    def __init__(
        self,
        simulator: CircuitSimulator,
        best: BestPath,
        rollouts: RolloutAdaptation,
    ) -> None:
        """`rollouts`: tell how long paths are, for the first horizon."""
        self.simulator = simulator
        self.best = best
        self.over = not can_unroll(simulator.program)
        """Whether it has nothing to do any more."""
        self.work = 0
        self._patience = _FIRST_PATIENCE
        self._least = _FIRST_HORIZON  # no path is better within fewer moves
        self._most = _LAST_HORIZON  # more are too many for a solver
        self._horizon = 0
        self._rollouts = rollouts
        self._task: _Solving | None = None
        self._game = _UnrolledGame(simulator, best.row)

    def step(self, end: float = math.inf) -> int:
        """Unroll one move more, or solve for some conflicts; return the work done."""
        before = self.work
        if not self._horizon:
            self._horizon = _FIRST_HORIZON
            while self._horizon < min(self._rollouts.longest, _USUAL_HORIZON):
                self._horizon *= 2
        if self._game.depth <= self._horizon and not self._game.ended:
            self._unroll(self._game)
        else:
            self._solve(self._game, end)
        return max(1, self.work - before)

    def stop(self) -> None:
        """Have the solver end soon, if it is at work."""
        if self._task is not None:
            self._task.interrupt()
        self.over = True

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _next_horizon(self) -> None:
        """Go on with the next horizon; after the last, from the first with patience."""
        self._horizon *= 2
        if self._horizon > self._most or (self._game.ended and self._task is None):
            self._horizon = self._least
            self._patience *= 4
        self.over = self._least > self._most
        if not self.over:
            self._game = _UnrolledGame(self.simulator, self.best.row)

    def _unroll(self, game: _UnrolledGame) -> None:
        made = game.gates
        game.extend()
        self.work += 1 + _GATE_WORK * (game.gates - made)
        if game.gates > _MOST_GATES:
            self._most = self._horizon // 2
            self._next_horizon()

    def _solve(self, game: _UnrolledGame, end: float) -> None:
        if self._task is None:
            above = self.best.goal if game.relaxed else self.best.highest - 1
            self._task = _Solving(game, max(above, self.best.goal))
        task = self._task
        if not task.wait(end):
            return
        self._task = None
        game.conflicts += _CONFLICTS
        self.work += _CONFLICT_WORK * _CONFLICTS
        if task.moves is not None:
            if not self.best.offer(task.moves):
                self.over = True  # goals of the rules conflict: no plan is to be had
        elif task.refuted:
            self._refute(game, task.above)
        elif game.conflicts >= self._patience:
            self._next_horizon()

    def _refute(self, game: _UnrolledGame, above: int) -> None:
        """Note that no path within the horizon has a goal above this."""
        if above > self.best.goal:
            game.relaxed = True  # then look for any better goal
        elif game.ended:
            self.best.exhausted = self.best.path is not None
            self.over = True
        else:
            self._least = 2 * self._horizon
            self._next_horizon()


class _UnrolledGame:
    """The moves of a game up to some step, in a solver."""

    def __init__(self, simulator: CircuitSimulator, row: Row) -> None:
        self.control = clingo.Control(list(_OPTIONS), logger=lambda *_: None)
        self.depth = 0
        self.conflicts = 0
        self.relaxed = False
        """Whether the best goal of all is out of reach within the horizon."""
        self.ended = False
        """Whether every path has come to an end."""
        self._values: list[int] = simulator.program.goal_values.tolist()
        self._circuit = LiteralCircuit(simulator.program, self._make_and)
        self._open = TRUE
        self._wins: list[tuple[int, int]] = []  # goals, and literals of reaching them
        self._moves: list[list[tuple[int, int]]] = []  # per step, moves and literals
        self._targets: dict[int, int] = {}
        facts = simulator.fact_matrix(row[None])[0].tolist()
        self._fluents = [TRUE if one else -TRUE for one in facts]
        with self.control.backend() as self._backend:
            first = self._backend.add_atom()
            assert first == TRUE
            self._backend.add_rule([first])

    @property
    def gates(self) -> int:
        """Gates made so far."""
        return self._circuit.gates

    def extend(self) -> None:
        """Add one more move."""
        circuit = self._circuit
        with self.control.backend() as self._backend:
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

    def solve(self, above: int) -> tuple[bool, list[int] | None]:
        """Look for a path to a goal above a value, for some conflicts.

        Returns whether there is none, and the moves of one that was found.
        """
        target = self._target(above)
        if target is None:
            return True, None
        configuration = self.control.configuration
        configuration.solve.solve_limit = str(_CONFLICTS)
        found: list[list[int]] = []

        def read(model: clingo.Model) -> None:
            found.append(self._read_moves(model))

        result = self.control.solve(assumptions=[target], on_model=read)
        return result.unsatisfiable is True, found[0] if found else None

    def _target(self, above: int) -> int | None:
        """Return the literal of reaching a goal above a value, if any is known."""
        wins = [won for value, won in self._wins if value > above]
        if not wins:
            return None
        if above not in self._targets:
            with self.control.backend() as backend:
                self._targets[above] = backend.add_atom()
                for won in wins:
                    backend.add_rule([self._targets[above]], [won])
        return self._targets[above]

    def _make_and(self, one: int, other: int) -> int:
        atom = self._backend.add_atom()
        self._backend.add_rule([atom], [one, other])
        return atom

    def _choose(self, legal: Sequence[int]) -> list[int]:
        """Return literals of moves, of which one is true while the match is open."""
        chosen = [-TRUE] * len(legal)
        for move, literal in enumerate(legal):
            allowed = self._circuit.conjoin(literal, self._open)
            if allowed != -TRUE:
                chosen[move] = self._backend.add_atom()
                self._backend.add_rule([chosen[move]], [allowed], choice=True)
        able = [one for one in chosen if one != -TRUE]
        some = self._backend.add_atom()
        for one in able:
            self._backend.add_rule([some], [one])
        self._backend.add_rule([], [self._open, -some])
        if len(able) > 1:
            self._backend.add_weight_rule([], 2, [(one, 1) for one in able])
        self._moves.append([(m, one) for m, one in enumerate(chosen) if one != -TRUE])
        return chosen

    def _read_moves(self, model: clingo.Model) -> list[int]:
        """Return the moves of a model, up to the end of the match."""
        path = []
        for options in self._moves:
            made = [move for move, literal in options if model.is_true(literal)]
            if not made:
                break
            path += made
        return path


class _Solving:
    """A call of the solver in a thread, which the clock does not wait for."""

    def __init__(self, game: _UnrolledGame, above: int) -> None:
        self.above = above
        self.refuted = False
        self.moves: list[int] | None = None
        self._game = game
        self._done = threading.Event()
        name = "gamelore-planner"
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def wait(self, end: float) -> bool:
        """Wait until it is done, or the time by the monotonic clock is over."""
        if end == math.inf:
            return self._done.wait()
        return self._done.wait(max(0.0, end - time.monotonic()))

    def interrupt(self) -> None:
        """Have it end soon."""
        self._game.control.interrupt()

    def _run(self) -> None:
        try:
            self.refuted, self.moves = self._game.solve(self.above)
        finally:
            self._done.set()
