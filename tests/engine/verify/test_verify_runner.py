"""Verifying in other processes: they end with what they work for."""

from __future__ import annotations

import os
from collections import deque
from pathlib import Path
from typing import Any

from tests.killing import kill_once_done

from gamelore.engine.verify.runner import _replay_in_pool

LEFT_ALONE = """
import time
from collections import deque
from gamelore.engine.verify.runner import _replay_in_pool

if __name__ == "__main__":
    reports = _replay_in_pool(time.sleep, deque([0.0, 3600.0]), 2, [])
    next(reports)
    print("one is done", flush=True)
    time.sleep(3600)
"""


def test_a_verification_given_up_is_not_waited_for(tmp_path: Path) -> None:
    done = tmp_path / "done"
    commands: deque[Any] = deque(["true", f"sleep 10; touch {done}"])
    verify_one: Any = os.system
    reports = _replay_in_pool(verify_one, commands, 2, [])
    next(reports)
    reports.close()  # type: ignore[attr-defined]
    assert not done.exists()


def test_processes_end_with_the_one_that_began_them(tmp_path: Path) -> None:
    kill_once_done(LEFT_ALONE, tmp_path)
