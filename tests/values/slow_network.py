"""n-tuple networks by their definition, to compare kernels and arrays with."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from gamelore.engine import CircuitSimulator
from gamelore.engine.simulator import Rows
from gamelore.learn.settings import TDSettings
from gamelore.values.ntuple.structure import Structure


class SlowNetwork:
    """An n-tuple network by its definition: tables by what is true, as text.

    An entry's key is the tuple, the player to move, and the values of its digits.
    """

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.weights: dict[object, float] = defaultdict(float)
        self.errors: dict[object, float] = defaultdict(float)
        self.sizes: dict[object, float] = defaultdict(float)

    def keys(self, facts: frozenset[int]) -> tuple[list[object], float]:
        """Return the entries of a position, and their sign."""
        structure = self.structure
        turn = next((v for v, f in enumerate(structure.turns) if f in facts), 0)
        exchanged = structure.exchange and turn == 1
        symmetries = structure.codings[1 if exchanged else 0]
        keys: list[object] = []
        for number, places in enumerate(structure.tuples):
            for renamed in symmetries:
                seen = {renamed[fact] for fact in facts}
                values = tuple(self.digit(place, seen) for place in places)
                keys.append((number, 0 if exchanged else turn, values))
        return keys, -1.0 if exchanged else 1.0

    def digit(self, place: int, facts: set[int]) -> object:
        """Return which fact of a digit is true, or if none can become so."""
        digit = self.structure.digits[place]
        true = [fact for fact in digit.facts if fact in facts]
        if true or digit.support is None:
            return tuple(true)
        return any(f in facts for f in self.structure.digits[digit.support].facts)

    def value(self, facts: frozenset[int]) -> float:
        keys, sign = self.keys(facts)
        return float(1 / (1 + np.exp(-sign * sum(self.weights[k] for k in keys))))

    def learn(
        self, match: list[frozenset[int]], goal: float, rule: TDSettings, coherent: bool
    ) -> None:
        """TD(λ) from the end of a match back, with temporal coherence."""
        target = goal
        for facts in reversed(match):
            value = self.value(facts)
            keys, sign = self.keys(facts)
            error = target - value
            error *= 1 - rule.risk if error > 0 else 1 + rule.risk
            for key in keys:
                rate = 1.0
                if coherent and self.sizes[key] > 0:
                    rate = abs(self.errors[key]) / self.sizes[key]
                self.errors[key] += sign * error
                self.sizes[key] += abs(error)
                step = 4 * rule.step_size / len(keys)
                self.weights[key] += step * rate * sign * error
            target = rule.discount * (
                (1 - rule.trace_decay) * value + rule.trace_decay * target
            )


def list_facts(sim: CircuitSimulator, rows: Rows) -> list[frozenset[int]]:
    matrix = sim.fact_matrix(rows)
    return [frozenset(np.flatnonzero(row).tolist()) for row in matrix]
