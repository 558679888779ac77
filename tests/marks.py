"""Parameters of tests, some of which take long."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import pytest


def mark_slow(values: Iterable[Any], slow: Container[Any]) -> list[Any]:
    """Return values as parameters; those that are slow only run in `make test-all`."""
    return [
        pytest.param(value, marks=[pytest.mark.slow] if value in slow else [])
        for value in values
    ]
