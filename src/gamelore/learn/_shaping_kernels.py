"""Rewards along the way: what the features of positions have earned a role.

N nodes of the state graph, F features, C columns to count them in, S slots of the
circuit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gamelore.engine.compiled._feature_kernels import FeatureProgram, count_rows
from gamelore.engine.compiled._kernels_64 import LANES


class Ledger(NamedTuple):
    """What every position has earned a role, whatever the way to it."""

    rewards: np.ndarray  # float64 [F]   of a feature's going up by 1; [0] for nothing
    earned: np.ndarray  # float64 [N]
    measured: np.ndarray  # int64 [1]   so many nodes have their features counted
    features: FeatureProgram
    words: np.ndarray  # uint64 [2 S]   for the circuit
    room: np.ndarray  # uint64 [64]
    columns: np.ndarray  # float32 [64, C]


class Earnings(NamedTuple):
    """A ledger, and how it is kept."""

    ledger: Ledger
    measure: Any  # pointer to what counts the features of nodes that are new


def measure(program, nodes, ledger):
    """Find what nodes that are new have earned; their number."""
    begin, end = ledger.measured[0], np.int64(nodes.used[0])
    columns = ledger.columns
    for first in range(begin, end, LANES):
        lanes = min(LANES, end - first)
        rows = nodes.rows[first : first + lanes]
        count_rows(program, ledger.features, ledger.words, rows, ledger.room, columns)
        for lane in range(lanes):
            total = 0.0
            for feature in range(ledger.rewards.shape[0]):
                counted = np.float64(columns[lane, feature])
                total += ledger.rewards[feature] * counted
            ledger.earned[first + lane] = total
    ledger.measured[0] = end
    return np.int64(end - begin)


def measure_nothing(program, nodes, ledger):
    """Where nothing is earned, or Python counts."""
    return np.int64(0)
