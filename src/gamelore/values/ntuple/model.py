"""n-tuple networks: their weights, and values by definition."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator
from gamelore.values._function_kernels import NTUPLE, FunctionShape, WeightArrays
from gamelore.values._ntuple_kernels import TupleArrays
from gamelore.values._unit_kernels import IDENTITY, SIGMOID
from gamelore.values.arrays import LANES, activate, zeros32
from gamelore.values.ntuple.settings import NTupleSettings
from gamelore.values.ntuple.structure import Structure, build_structure


class NTupleModel:
    """V = σ(± sum of a weight for every tuple and symmetry)."""

    width = 0
    """Hidden units."""

    def __init__(
        self, settings: NTupleSettings, simulator: CircuitSimulator, seed: int
    ) -> None:
        self.settings = settings
        self.structure = build_structure(simulator, settings, seed)
        self.shape = FunctionShape(
            kind=NTUPLE,
            activation=IDENTITY,
            output=SIGMOID,
            units=0,
            bias=0,
            coherence=int(settings.coherence),
        )
        tuples = make_arrays(self.structure, settings.coherence)
        self.arrays = WeightArrays(
            zeros32(0, 0), zeros32(1, LANES)[0], np.zeros(0), tuples
        )

    @property
    def count(self) -> int:
        """W: how many weights there are."""
        return self.structure.weights

    @property
    def _noted(self) -> int:
        """The weights whose changes are noted."""
        return self.count if self.settings.coherence else 0

    def initial_weights(self, seed: int, inputs_on: int) -> dict[str, npt.NDArray[Any]]:
        """Return the weights at first: all 0."""
        return {
            "tables": np.zeros(self.count, np.float32),
            "changes": np.zeros((self._noted, 2), np.float32),
        }

    def weights(self) -> dict[str, npt.NDArray[Any]]:
        """Return copies of `tables`, float32 [W], and `changes`, float32 [W or 0, 2].

        Changes are noted for temporal coherence only.
        """
        tuples = self.arrays.tuples
        return {
            "tables": tuples.weights[: self.count].copy(),
            "changes": tuples.changes[: self._noted].copy(),
        }

    def load(self, weights: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take these weights."""
        tuples = self.arrays.tuples
        tuples.weights[:] = 0.0
        tuples.changes[:] = 0.0
        tuples.weights[: self.count] = weights["tables"]
        tuples.changes[: self._noted] = weights["changes"]

    def evaluate(self, inputs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return float64 [n]: the values at inputs, float64 [n, I], fact by fact."""
        places, signs = self.find_places(inputs)
        total = self.arrays.tuples.weights[places].sum(axis=1, dtype=np.float64)
        return activate(signs * total, "sigmoid")

    def find_places(
        self, inputs: npt.NDArray[np.float64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Return int64 [n, S], the places of weights, and float64 [n], their sign."""
        structure, tuples = self.structure, self.arrays.tuples
        facts = inputs[:, : len(structure.codings[0][0])]
        views = np.zeros(len(facts), np.intp)
        for view, fact in reversed(list(enumerate(structure.turns))):
            views[facts[:, fact] == 1] = view
        places = np.zeros((len(facts), structure.slots), np.int64)
        for view in np.unique(views):
            chosen = views == view
            moved = facts[chosen] @ self._steps[tuples.codings[view]]
            places[chosen] = moved.astype(np.int64) + tuples.bases[view]
        return places, tuples.signs[views].astype(np.float64)

    @cached_property
    def _steps(self) -> list[npt.NDArray[np.float64]]:
        """Per coding, float64 [F, S], whole numbers: a product of these is faster."""
        codings = range(len(self.structure.codings))
        return [_step_matrix(self.structure, coding) for coding in codings]


def make_arrays(structure: Structure, coherence: bool) -> TupleArrays:
    """Return the tables, all 0, and how positions find their weights in them."""
    views = structure.views
    first: list[list[int]] = []
    slots: list[int] = []
    steps: list[int] = []
    for coding in range(len(structure.codings)):
        begins = [len(slots)]
        for entries in structure.list_steps(coding):
            slots += [slot for slot, _ in entries]
            steps += [step for _, step in entries]
            begins.append(len(slots))
        first.append(begins)
    signs = [-1.0 if structure.exchange and view else 1.0 for view in range(views)]
    codings = [int(structure.exchange and view > 0) for view in range(views)]
    size = structure.weights + structure.overflow()
    return TupleArrays(
        turns=np.array(structure.turns or (-1,), np.int32),
        codings=np.array(codings, np.int32),
        signs=np.array(signs, np.float32),
        bases=structure.find_bases(),
        first=np.array(first, np.int32),
        slots=np.array(slots, np.int32),
        steps=np.array(steps, np.int32),
        weights=np.zeros(size, np.float32),
        changes=np.zeros((size if coherence else 0, 2), np.float32),
    )


def _step_matrix(structure: Structure, coding: int) -> npt.NDArray[np.float64]:
    """Return float64 [F, S]: what each fact adds to the place of each slot."""
    steps = structure.list_steps(coding)
    matrix = np.zeros((len(steps), structure.slots))
    for fact, entries in enumerate(steps):
        for slot, step in entries:
            matrix[fact, slot] += step
    return matrix
