"""Processes that are killed while others that they have begun are at work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def kill_once_done(text: str, folder: Path) -> None:
    """Run a script until it prints "one is done", and kill it.

    Raises `TimeoutExpired` if a process that it has begun stays.
    """
    script = folder / "script.py"
    script.write_text(text)
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "one is done\n"
        parent.kill()
        parent.communicate(timeout=60)  # until no process has its output open
