"""Linear value functions: their weights, and values by definition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from gamelore.values._function_kernels import LINEAR, FunctionShape, WeightArrays
from gamelore.values._unit_kernels import IDENTITY, SIGMOID, TANH
from gamelore.values.arrays import LANES, activate, zeros32
from gamelore.values.ntuple_arrays import no_tuples
from gamelore.values.settings import LinearSettings

ACTIVATIONS = {"identity": IDENTITY, "sigmoid": SIGMOID, "tanh": TANH}
"""Numbers of activations, as kernels know them."""


class LinearModel:
    """V = output(w · x)."""

    width = 0
    """Hidden units."""

    def __init__(self, settings: LinearSettings, inputs: int) -> None:
        self.settings = settings
        self.shape = FunctionShape(
            kind=LINEAR,
            activation=IDENTITY,
            output=ACTIVATIONS[settings.output],
            units=0,
            bias=int(settings.bias),
            coherence=0,
        )
        output = zeros32(1, LANES)[0]
        self.arrays = WeightArrays(zeros32(0, 0), output, np.zeros(inputs), no_tuples())

    def initial_weights(self, seed: int, inputs_on: int) -> dict[str, npt.NDArray[Any]]:
        """Return the weights at first: all the same, the bias 0."""
        direct = np.full(len(self.arrays.linear), self.settings.initial_value)
        direct[-1] = 0.0
        return {"direct": direct}

    def weights(self) -> dict[str, npt.NDArray[Any]]:
        """Return a copy: `direct`, float64 [I]."""
        return {"direct": self.arrays.linear.copy()}

    def load(self, weights: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take these weights."""
        self.arrays.linear[:] = weights["direct"]

    def evaluate(self, inputs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return float64 [n]: the values at inputs, float64 [n, I]."""
        return activate(inputs @ self.arrays.linear, self.settings.output)
