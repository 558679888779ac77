"""Threads that wait for those that answer clicks."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress

_NICENESS = 10


def give_way() -> None:
    """Let this thread, which computes, wait for those that answer clicks, on Linux."""
    if sys.platform == "linux":  # elsewhere threads have the priority of the process
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
