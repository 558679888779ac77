"""Reward shaping by potentials: each feature of a position times its reward, summed.

N nodes of the state graph, F features, C columns to count them in, S slots of the
circuit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gamelore.engine.compiled._feature_kernels import FeatureProgram, count_rows
from gamelore.engine.compiled._kernels_64 import LANES
from gamelore.values._function_kernels import NO_FEATURES as NO_FEATURES


class Potentials(NamedTuple):
    """The potential of every node to a role."""

    rewards: np.ndarray  # float64 [F]   of a feature's going up by 1; [0] for none
    potential: np.ndarray  # float64 [N]
    counted: np.ndarray  # int64 [1]   so many nodes have their potential
    features: FeatureProgram
    words: np.ndarray  # uint64 [2 S]   64 lanes of the circuit
    block: np.ndarray  # uint64 [64]   buffer for counting
    columns: np.ndarray  # float32 [64, C]


class ShapingHandle(NamedTuple):
    """Potentials, and what finds those of new nodes."""

    potentials: Potentials
    extend: Any  # pointer: of program, nodes, potentials


def extend_potentials(program, nodes, potentials):
    """Find the potentials of new nodes; return how many there were."""
    begin, end = potentials.counted[0], np.int64(nodes.used[0])
    columns, words, block = potentials.columns, potentials.words, potentials.block
    for first in range(begin, end, LANES):
        lanes = min(LANES, end - first)
        rows = nodes.rows[first : first + lanes]
        count_rows(program, potentials.features, words, rows, block, columns)
        for lane in range(lanes):
            total = 0.0
            for feature in range(potentials.rewards.shape[0]):
                counted = np.float64(columns[lane, feature])
                total += potentials.rewards[feature] * counted
            potentials.potential[first + lane] = total
    potentials.counted[0] = end
    return np.int64(end - begin)


def extend_nothing(program, nodes, potentials):
    """Do nothing: there is no shaping, or Python finds potentials."""
    return np.int64(0)
