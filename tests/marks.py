"""Parameters of tests, some of which take long."""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import product
from typing import Any

import pytest


def mark_slow(values: Iterable[Any], slow: Container[Any]) -> list[Any]:
    """Return values as parameters; those that are slow only run in `make test-all`."""
    return [
        pytest.param(value, marks=[pytest.mark.slow] if value in slow else [])
        for value in values
    ]


def mark_half_slow(*pairs: tuple[Any, Any]) -> list[Any]:
    """Return all combinations of two values each as parameters; half of them are slow.

    In the other half, each value still meets both values of every other pair.
    """
    return [
        pytest.param(
            *(pair[place] for pair, place in zip(pairs, places, strict=True)),
            marks=[pytest.mark.slow] if sum(places) % 2 else [],
        )
        for places in product((0, 1), repeat=len(pairs))
    ]
