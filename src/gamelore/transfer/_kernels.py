"""Values of deep patterns, composed from the values of the shallow ones in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.graph._pattern_kernels import NO_SHAPE, number_set
from gamelore.kernels import lean, lean_function, lean_part


class Composition(NamedTuple):
    """What values of deep patterns are composed from.  C outcomes."""

    values: np.ndarray  # float64 [·]   by pattern: its estimated value, or NaN
    rewards: np.ndarray  # float64 [C]   the reward of each outcome
    depth: int  # of the patterns with estimates
    head: int  # plies above them: whole turns
    inverse_temperature: float  # of the opponent's softmax choice, per unit of value
    shrinkage: float  # the factor on backed-up differences from the middle, 0 to 1
    unknown: float  # the value where nothing is known


@lean_part
def estimate(composition, shape):
    """Return the estimated value of a pattern, or NaN."""
    if shape < composition.values.shape[0]:
        return composition.values[shape]
    return np.nan


@lean_function
def compose(shapes, composition, shape, level):
    """Return the value of a pattern `level` plies under an afterstate."""
    if shape < composition.rewards.shape[0]:
        return composition.rewards[shape]
    if shape == composition.rewards.shape[0]:
        return composition.unknown
    if level == composition.head:
        value = estimate(composition, shape)
        return composition.unknown if np.isnan(value) else value
    first = shapes.first[shape]
    highest = -np.inf
    largest, total, weights = -np.inf, 0.0, 0.0
    for item in range(first, first + shapes.size[shape]):
        value = compose(shapes, composition, np.int64(shapes.items[item]), level + 1)
        highest = max(highest, value)
        exponent = -composition.inverse_temperature * value
        if exponent > largest:  # weights are relative to the largest, so none overflows
            factor = np.exp(largest - exponent)
            largest, total, weights = exponent, total * factor, weights * factor
        weight = np.exp(exponent - largest)
        total += weight * value
        weights += weight
    if level % 2 == 1:
        return highest
    mean = total / weights
    return composition.unknown + composition.shrinkage * (mean - composition.unknown)


@lean_function
def shorten(shapes, shape, depth):
    """Return the pattern cut to fewer plies, or NO_SHAPE if the buffer is full."""
    open_leaf = np.int64(shapes.open_leaf[0])
    if shape <= open_leaf:
        return np.int64(shape)
    if depth == 0:
        return open_leaf
    parts = shapes.below[depth]
    count = 0
    first = shapes.first[shape]
    for item in range(first, first + shapes.size[shape]):
        short = shorten(shapes, np.int64(shapes.items[item]), depth - 1)
        if short == NO_SHAPE:
            return np.int64(NO_SHAPE)
        place = 0
        while place < count and parts[place] < short:
            place += 1
        if place < count and parts[place] == short:
            continue
        for later in range(count, place, -1):
            parts[later] = parts[later - 1]
        parts[place] = short
        count += 1
    return np.int64(number_set(shapes, parts[:count]))


@lean
def composed_value(shapes, composition, shape):
    """Return the estimate of the pattern cut to its depth, or else a composed value.

    NaN if the buffer for patterns is full.
    """
    pattern = shorten(shapes, np.int64(shape), composition.depth)
    if pattern == NO_SHAPE:
        return np.nan
    value = estimate(composition, pattern)
    if not np.isnan(value):
        return value
    # a literal 0 would compile it for literals too, which numba cannot load from disk
    return compose(shapes, composition, np.int64(shape), np.int64(0))
