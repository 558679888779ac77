"""Gates in clasp, and calls of it that the clock need not wait for."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from typing import Any

import clingo

from gamelore.circuit import Program
from gamelore.search.puzzle.unrolled import LiteralCircuit

CONFLICTS = 300
"""Of one call."""

_OPTIONS = ("--warn=none", "--stats=0")


class GateSolver:
    """An answer-set program without recursion, in which every gate is a rule."""

    def __init__(self, program: Program) -> None:
        self.circuit = LiteralCircuit(program, self._make_and)
        self.gates: dict[int, tuple[int, int]] = {}
        """By its literal, the inputs of each gate."""
        self._control = clingo.Control(list(_OPTIONS), logger=lambda *_: None)
        with self._control.backend() as self.backend:
            self.add_rule([self.make_atom()], [])

    def open(self) -> Any:
        """Return a context in which atoms and rules can be added."""
        return self._control.backend()

    def make_atom(self) -> int:
        """Return a new literal."""
        atom: int = self.backend.add_atom()
        return atom

    def make_choice(self, condition: int) -> int:
        """Return a new literal that may be true where another one is."""
        atom = self.make_atom()
        self.backend.add_rule([atom], [condition], choice=True)
        return atom

    def add_rule(self, head: Sequence[int], body: Sequence[int]) -> None:
        """Add a rule; without a head, its body must not be true."""
        self.backend.add_rule(head, body)

    def forbid_two(self, literals: Sequence[int]) -> None:
        """Let at most one of some literals be true."""
        if len(literals) > 1:
            self.backend.add_weight_rule([], 2, [(one, 1) for one in literals])

    def solve(self, wanted: int, literals: Sequence[int]) -> SolverAnswer:
        """Look for an answer with a literal, for some conflicts.

        Where there is one, those of `literals` that are true in it are returned.
        """
        solving: Any = self._control.configuration.solve
        solving.solve_limit = str(CONFLICTS)
        found: list[set[int]] = []

        def read(model: clingo.Model) -> None:
            found.append({one for one in literals if model.is_true(one)})

        result = self._control.solve(assumptions=[wanted], on_model=read)
        return SolverAnswer(result.unsatisfiable is True, found[0] if found else None)

    def interrupt(self) -> None:
        """Have a call in another thread end soon."""
        self._control.interrupt()

    def _make_and(self, one: int, other: int) -> int:
        atom = self.make_atom()
        self.add_rule([atom], [one, other])
        self.gates[atom] = one, other
        return atom


class SolverAnswer:
    """What a call has found: that there is no answer, or one, or neither."""

    def __init__(self, refuted: bool, true: set[int] | None) -> None:
        self.refuted = refuted
        self.true = true


class SolverCall:
    """A call in a thread of its own."""

    def __init__(
        self, solver: GateSolver, wanted: int, literals: Sequence[int]
    ) -> None:
        self.answer = SolverAnswer(False, None)
        self._solver = solver
        self._wanted = wanted
        self._literals = literals
        self._done = threading.Event()
        name = "gamelore-solver"
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def wait(self, end: float) -> bool:
        """Wait until it is done, or the time by the monotonic clock is over."""
        if end == math.inf:
            return self._done.wait()
        return self._done.wait(max(0.0, end - time.monotonic()))

    def interrupt(self) -> None:
        """Have it end soon."""
        self._solver.interrupt()

    def _run(self) -> None:
        try:
            self.answer = self._solver.solve(self._wanted, self._literals)
        finally:
            self._done.set()
