"""One lab for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.lab.running import RunningLab, run_lab


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    """One lab for all tests that leave nothing behind."""
    with run_lab(tmp_path_factory.mktemp("lab")) as running:
        yield running
