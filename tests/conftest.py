"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def corpus_folder() -> Path | None:
    """The folder of public games to test against, where there is one."""
    named = os.environ.get("GAMELORE_CORPUS")
    folder = Path(named) if named else ROOT.parent / "shared" / "corpus"
    return folder if (folder / "games").is_dir() else None


@pytest.fixture(scope="session")
def corpus() -> Path:
    folder = corpus_folder()
    if folder is None:
        pytest.skip("no corpus at ../shared/corpus or $GAMELORE_CORPUS")
    return folder
