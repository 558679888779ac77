"""What compiling a game gives: names for the bits, the program, and how it went."""

from __future__ import annotations

from dataclasses import dataclass

from gamelore.circuit.program import Program
from gamelore.gdl import Fact, Move, Term


@dataclass(frozen=True)
class Statistics:
    """Sizes at each step of compiling, and the seconds it took."""

    ground_rules: int
    gates_built: int
    """Before minimising."""
    gates: int
    """After it."""
    depth: int
    gates_scheduled: int
    """With what two phases both compute, and what loops repeat."""
    slots: int
    loop_variables: int
    ground_seconds: float
    build_seconds: float
    minimise_seconds: float
    schedule_seconds: float

    @property
    def seconds(self) -> float:
        """All of it."""
        return (
            self.ground_seconds
            + self.build_seconds
            + self.minimise_seconds
            + self.schedule_seconds
        )


@dataclass(frozen=True)
class Feature:
    """A feature as one role sees it: what each of its atoms counts if it is true."""

    name: Term
    averaged: bool
    """Whether its value is the mean of what is counted, and not the sum."""
    weights: tuple[float, ...]


@dataclass(frozen=True)
class CompiledGame:
    """Everything that simulation needs of a game."""

    fluents: tuple[Fact, ...]
    initial: tuple[bool, ...]
    moves: tuple[tuple[Move, ...], ...]
    program: Program
    statistics: Statistics
    features: tuple[tuple[Feature, ...], ...] = ()
    """Per role, or once for all roles if they see the same; `program.features` has the
    literals of all their atoms, one after the other."""
