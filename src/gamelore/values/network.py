"""Networks with one hidden layer: their weights, and values by definition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from gamelore.values._function_kernels import NETWORK, FunctionShape, WeightArrays
from gamelore.values.arrays import LANES, activate, round_up, zeros32
from gamelore.values.linear import ACTIVATIONS
from gamelore.values.ntuple_arrays import no_tuples
from gamelore.values.settings import NetworkSettings


class NetworkModel:
    """V = output(w · activation(W x))."""

    def __init__(self, settings: NetworkSettings, inputs: int) -> None:
        self.settings = settings
        self.inputs = inputs
        self.width = round_up(settings.hidden)
        self.shape = FunctionShape(
            kind=NETWORK,
            activation=ACTIVATIONS[settings.activation],
            output=ACTIVATIONS[settings.output],
            units=settings.hidden,
            bias=0,
            coherence=0,
        )
        output = zeros32(1, self.width + LANES)[0]
        hidden = zeros32(inputs, self.width)
        self.arrays = WeightArrays(hidden, output, np.zeros(0), no_tuples())

    def initial_weights(self, seed: int, inputs_on: int) -> dict[str, npt.NDArray[Any]]:
        """Return random weights; `inputs_on`: how many inputs are on at first."""
        settings = self.settings
        generator = np.random.default_rng(seed)
        spread = settings.initial_range or 1 / np.sqrt(inputs_on)
        outer = settings.initial_range or 1 / np.sqrt(settings.hidden)
        hidden = generator.uniform(-spread, spread, (self.inputs, settings.hidden))
        out = generator.uniform(-outer, outer, settings.hidden + 1)
        return {"hidden": hidden.astype(np.float32), "out": out.astype(np.float32)}

    def weights(self) -> dict[str, npt.NDArray[Any]]:
        """Return copies of `hidden`, float32 [I, units], and `out`, [units + 1]."""
        units = self.settings.hidden
        output = self.arrays.output
        out = np.append(output[:units], output[self.width])
        return {"hidden": self.arrays.hidden[:, :units].copy(), "out": out}

    def load(self, weights: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take these weights."""
        units = self.settings.hidden
        self.arrays.hidden[:, :units] = weights["hidden"]
        self.arrays.output[:units] = weights["out"][:-1]
        self.arrays.output[self.width] = weights["out"][-1]

    def evaluate(self, inputs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return float64 [n]: the values at inputs, float64 [n, I]."""
        hidden = inputs @ self.arrays.hidden.astype(np.float64)
        levels = activate(hidden, self.settings.activation)
        output = self.arrays.output.astype(np.float64)
        sums = levels @ output[: self.width] + output[self.width]
        return activate(sums, self.settings.output)
