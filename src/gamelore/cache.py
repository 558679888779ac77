"""Where gamelore keeps what it can make again: compiled games and compiled kernels."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path


class CacheWarning(UserWarning):
    """The cache cannot be written to; everything works, but nothing is kept."""


def cache_folder() -> Path:
    """`$GAMELORE_CACHE`, or the place the platform has for caches."""
    named = os.environ.get("GAMELORE_CACHE")
    if named:
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "gamelore"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
        return Path(local) / "gamelore" / "cache"
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "gamelore"


def report_unwritable(error: OSError) -> None:
    """Warn that the cache cannot be written to, once in a process."""
    if _reported:
        return
    _reported.append(error)
    reason = (error.strerror or str(error)).lower()
    message = f"cannot write to the cache {cache_folder()}: {reason}"
    warnings.warn(f"{message}; going on without it", CacheWarning, stacklevel=2)


_reported: list[OSError] = []
