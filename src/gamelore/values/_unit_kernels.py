"""Units of networks: what they make of the sum of their inputs."""

from __future__ import annotations

import math

import numpy as np

from gamelore.kernels import lean_part

IDENTITY, SIGMOID, TANH = range(3)
"""Activations."""

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
_HALF = np.float32(0.5)
_LIMIT = np.float32(9.0)


@lean_part
def fast_tanh(x):
    """Return tanh(x) to within 1e-6, by a quotient of polynomials; float32."""
    x = min(max(x, -_LIMIT), _LIMIT)
    u = x * x
    over = np.float32(-4.933863436098212e-09) * u + np.float32(6.4293423968637064e-06)
    over = over * u + np.float32(0.002592305411365619)
    over = over * u + np.float32(0.12606818992511143)
    over = (over * u + np.float32(0.9999976251024486)) * x
    under = np.float32(0.00018374760108097566) * u + np.float32(0.02239824247236075)
    under = under * u + np.float32(0.45939344058414927)
    return over / (under * u + ONE)


@lean_part
def as_tanh(activation):
    """Return level, height and pace: the unit is level + height · tanh(pace · x)."""
    if activation == SIGMOID:
        return _HALF, _HALF, _HALF
    return ZERO, ONE, ONE


@lean_part
def activate(activation, total):
    """Return the value of an output at a sum, and its derivative there.  float64

    It is exact where it is near its limits, too: `fast_tanh` could not tell the values
    of moves apart there.
    """
    total = np.float64(total)
    if activation == IDENTITY:
        return total, 1.0
    pace = 1.0 if activation == SIGMOID else 2.0
    small = math.exp(-pace * abs(total))
    share = 1.0 / (1.0 + small)
    slope = pace * pace * small * share * share
    if activation == SIGMOID:
        return (share if total >= 0.0 else small * share), slope
    return math.copysign((1.0 - small) * share, total), slope


@lean_part
def add_up(terms):
    """Return the sum in eight parts: the same, however loops are compiled."""
    a = b = c = d = e = f = g = h = ZERO
    for part in range(np.uint64(terms.shape[0] // 8)):
        i = part << np.uint64(3)
        a += terms[i]
        b += terms[i | np.uint64(1)]
        c += terms[i | np.uint64(2)]
        d += terms[i | np.uint64(3)]
        e += terms[i | np.uint64(4)]
        f += terms[i | np.uint64(5)]
        g += terms[i | np.uint64(6)]
        h += terms[i | np.uint64(7)]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))
