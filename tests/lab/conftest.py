"""One lab for all tests, and the browser that drives it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.lab.running import RunningLab, run_lab


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say in one line that the browser's tests were left out, and how to get them."""
    skipped = terminalreporter.stats.get("skipped", [])
    if any("test_browser" in report.nodeid for report in skipped):
        terminalreporter.write_line(
            "the lab's tests in a browser were left out: install chromium"
            " (apt-get install chromium), or name it in $GAMELORE_CHROMIUM"
        )


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    """One lab for all tests that leave nothing behind."""
    with run_lab(tmp_path_factory.mktemp("lab")) as running:
        yield running
