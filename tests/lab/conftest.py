"""One lab and one browser for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.lab.browsing import CHROMIUM, FLAGS, PATIENCE, WIDE
from tests.lab.running import RunningLab, run_lab


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    """One lab for all tests that leave nothing behind."""
    with run_lab(tmp_path_factory.mktemp("lab")) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, without a window."""
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any, lab: RunningLab, request: Any) -> Iterator[Any]:
    """A page of the lab; whatever goes wrong in it fails the test."""
    size = getattr(request, "param", WIDE)
    context = browser.new_context(viewport=size)
    context.set_default_timeout(PATIENCE)
    opened = context.new_page()
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on(
        "console",
        lambda message: (
            faults.append(message.text) if message.type == "error" else None
        ),
    )
    opened.goto(lab.address)
    opened.wait_for_selector(".board svg")
    yield opened
    context.close()
    assert faults == []
