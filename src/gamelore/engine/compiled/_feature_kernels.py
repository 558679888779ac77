"""Count the features of at most 64 positions to the pass.

Lanes are those of `_kernels_64`. F features, A atoms in blocks of 64; a column is a
feature, or counts the atoms of one that is an average.

    words    uint64 [2 S]   one word per literal
    block    uint64 [64]    a buffer
    columns  float32 [n, C]   the first F columns are the values
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.circuit.program import FEATURES
from gamelore.engine.compiled._kernels import transpose
from gamelore.engine.compiled._kernels_64 import LANES, put, run_phase
from gamelore.engine.compiled._lanes import count_ones
from gamelore.kernels import lean, lean_part

BLOCK = 64

_NONE = np.uint64(0)


class FeatureProgram(NamedTuple):
    """The features that one role counts: P pieces, each within one block."""

    atoms: np.ndarray  # int32 [A]   literals; 0 (false) fills the last block up
    blocks: np.ndarray  # int32 [P]   the block of each piece, ascending
    masks: np.ndarray  # uint64 [P]   its atoms in the block
    columns: np.ndarray  # int32 [P]   where they count
    weights: np.ndarray  # float32 [P]   what each counts
    averages: np.ndarray  # int32 [·, 2]   a feature, and the column it is divided by
    width: int  # C: columns


@lean_part
def count_features(features, words, lanes, block, columns):
    """Count every feature in the first lanes, once the phase FEATURES has run."""
    for lane in range(lanes):
        for column in range(features.width):
            columns[lane, column] = 0.0
    piece = 0
    for number in range(features.atoms.shape[0] // BLOCK):
        for i in range(BLOCK):
            block[i] = words[np.uint64(features.atoms[BLOCK * number + i])]
        transpose(block)
        while piece < features.blocks.shape[0] and features.blocks[piece] == number:
            mask, weight = features.masks[piece], features.weights[piece]
            column = features.columns[piece]
            for lane in range(lanes):
                ones = np.float32(count_ones(block[lane] & mask))
                columns[lane, column] += weight * ones
            piece += 1
    for average in range(features.averages.shape[0]):
        column, divisor = features.averages[average, 0], features.averages[average, 1]
        for lane in range(lanes):
            if columns[lane, divisor] > 0.0:
                columns[lane, column] /= columns[lane, divisor]


@lean_part
def spread(program, words, rows, first, lanes, block):
    """Put rows first … first + lanes into the lanes.  rows: uint64 [n, K]"""
    fluents = program.next.shape[0]
    for column in range((fluents + BLOCK - 1) // BLOCK):
        for i in range(BLOCK):
            block[i] = rows[first + i, column] if i < lanes else _NONE
        transpose(block)
        for bit in range(min(BLOCK, fluents - BLOCK * column)):
            put(words, 1 + BLOCK * column + bit, block[bit])


@lean
def count_rows(program, features, words, rows, block, columns):
    """Count every feature in positions.  rows: uint64 [n, K]"""
    for first in range(0, rows.shape[0], LANES):
        lanes = min(LANES, rows.shape[0] - first)
        spread(program, words, rows, first, lanes, block)
        run_phase(program, words, FEATURES)
        count_features(features, words, lanes, block, columns[first:])
