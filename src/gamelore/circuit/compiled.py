"""What compiling a game gives: names for the bits, the program, and how it went."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import chain

import numpy as np

from gamelore.circuit.minimise import VISITS, Effort
from gamelore.circuit.program import Program, Turns
from gamelore.gdl import Fact, Move, Term, to_kif


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
    turns: int
    """That have circuits of their own in playouts."""
    gates_per_turn: float
    """On average."""
    effort: Effort
    """How far minimising went, unless time ended it."""
    cut_short: bool
    """Whether time ended minimising, so that another compilation can do better."""
    ground_seconds: float
    minimise_seconds: float
    """With building the graph."""
    schedule_seconds: float

    def reaches(self, effort: Effort) -> bool:
        """Return whether no less was done than this effort takes."""
        ranks = list(VISITS)
        return ranks.index(self.effort) >= ranks.index(effort)

    def is_better_than(self, other: Statistics) -> bool:
        """Return whether more was done to have few gates."""
        if self.effort != other.effort:
            return self.reaches(other.effort)
        return other.cut_short and self.gates < other.gates

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.ground_seconds + self.minimise_seconds + self.schedule_seconds


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
    turn_program: Program
    """The gates of all turns, for playouts in step."""
    turns: Turns
    statistics: Statistics
    features: tuple[tuple[Feature, ...], ...] = ()
    """Per role, or once for all roles if they see the same; `program.features` has the
    literals of all their atoms, one after the other."""

    def digest(self) -> str:
        """Return a hash of the programs and of what their bits mean: equal if these
        are, on any machine."""
        names = (map(to_kif, one) for one in (self.fluents, *self.moves))
        text = "\n".join(" ".join(of_kind) for of_kind in names)
        result = hashlib.sha256(f"{text}\n{self.initial}\n{self.features}".encode())
        for value in chain(self.program, self.turn_program, self.turns):
            array = np.asarray(value, np.int32)
            result.update(f"\n{array.shape}\n".encode())
            result.update(array.astype("<i4").tobytes())
        return result.hexdigest()[:16]
