"""Commands that run in processes of their own, to be interrupted."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

Begin: TypeAlias = Callable[..., subprocess.Popen[str]]

TERM = pytest.param(signal.SIGTERM, marks=pytest.mark.slow)
"""To every command the same as Ctrl-C, which `test_group` shows."""


@pytest.fixture(params=[signal.SIGINT, TERM])
def stop_signal(request: pytest.FixtureRequest) -> signal.Signals:
    """A signal that ends a command."""
    return signal.Signals(request.param)


@pytest.fixture
def begin() -> Begin:
    """Start training that takes far too long, and wait until it has been saved."""

    def start(path: Path, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "gamelore", "learn", "tictactoe", *arguments]
        child = subprocess.Popen(
            [*command, "--save", str(path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        while not path.exists() and child.poll() is None:
            time.sleep(0.02)
        assert path.exists()
        return child

    return start
