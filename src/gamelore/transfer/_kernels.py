"""Values of deep patterns, composed from the values of the shallow ones in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.graph._kernels import NO_SHAPE, number_set
from gamelore.kernels import lean, lean_recursion


class Plan(NamedTuple):
    """What composing needs to know.  C outcomes."""

    values: np.ndarray  # float64 [·]   by pattern: what was learned, or NaN
    rewards: np.ndarray  # float64 [C]   what each outcome is worth
    depth: int  # of the features that were learned
    head: int  # plies above them: whole turns
    sharpness: float  # how the opponent chooses, per unit of value
    trust: float  # how much of a backed-up difference to believe, from 0 to 1
    unknown: float  # the value of what nothing is known of


@lean_recursion
def compose(shapes, plan, shape, level):
    """The value of a pattern `level` plies under an afterstate."""
    if shape < plan.rewards.shape[0]:
        return plan.rewards[shape]
    if shape == plan.rewards.shape[0]:
        return plan.unknown
    if level == plan.head:
        if shape < plan.values.shape[0] and not np.isnan(plan.values[shape]):
            return plan.values[shape]
        return plan.unknown
    first = shapes.first[shape]
    highest = -np.inf
    favourite, total, weights = -np.inf, 0.0, 0.0
    for item in range(first, first + shapes.size[shape]):
        value = compose(shapes, plan, np.int64(shapes.items[item]), level + 1)
        highest = max(highest, value)
        wish = -plan.sharpness * value
        if wish > favourite:  # weights are relative to the largest, so none overflows
            shrink = np.exp(favourite - wish)
            favourite, total, weights = wish, total * shrink, weights * shrink
        weight = np.exp(wish - favourite)
        total += weight * value
        weights += weight
    if level % 2 == 1:
        return highest
    return plan.unknown + plan.trust * (total / weights - plan.unknown)


@lean_recursion
def shorten(shapes, shape, depth):
    """The pattern of fewer plies in a deeper one, or NO_SHAPE for lack of room."""
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
def hierarchical_value(shapes, plan, shape):
    """What was learned of the feature in a deep pattern or else what is composed.

    Not a number where there is no room to work it out.
    """
    pattern = shorten(shapes, np.int64(shape), plan.depth)
    if pattern == NO_SHAPE:
        return np.nan
    if pattern < plan.values.shape[0] and not np.isnan(plan.values[pattern]):
        return plan.values[pattern]
    # a literal 0 would compile it for literals too, which numba cannot load from disk
    return compose(shapes, plan, np.int64(shape), np.int64(0))
