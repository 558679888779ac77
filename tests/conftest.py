"""Fixtures shared by all tests."""

from __future__ import annotations

import gc
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

# How long an example takes is up to the machine.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", PATIENT)  # `make test-all` names it
settings.register_profile("brief", PATIENT, max_examples=10)
settings.load_profile("brief")

# A shell has its background jobs ignore Ctrl-C, and so would all programs started here.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Search seldom for garbage, and not among what was imported and collected.

    By default it took a twelfth of the time of all tests.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 20, 50)


def corpus_folder() -> Path | None:
    """The folder of public games to test against, where there is one."""
    named = os.environ.get("GAMELORE_CORPUS")
    folder = Path(named) if named else ROOT.parent / "shared" / "corpus"
    return folder if (folder / "games").is_dir() else None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say in one line that the browser's tests were left out, and how to get them."""
    skipped = terminalreporter.stats.get("skipped", [])
    if any("test_browser" in report.nodeid for report in skipped):
        terminalreporter.write_line(
            "the lab's tests in a browser were left out: install chromium"
            " (apt-get install chromium), or name it in $GAMELORE_CHROMIUM"
        )


@pytest.fixture(scope="session")
def corpus() -> Path:
    folder = corpus_folder()
    if folder is None:
        pytest.skip("no corpus at ../shared/corpus or $GAMELORE_CORPUS")
    return folder


@pytest.fixture
def thread_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let time pass only while this thread works: what others do takes none."""
    monkeypatch.setattr(time, "monotonic", time.thread_time)
