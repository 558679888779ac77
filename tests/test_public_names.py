"""The names gamelore offers, so that none comes or goes unnoticed."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import gamelore

PUBLIC = {
    "Agent",
    "AlphaBetaPlayer",
    "Analysis",
    "Briefing",
    "Candidate",
    "Clock",
    "Cosine",
    "Evaluator",
    "Fixed",
    "Game",
    "GameloreError",
    "GdlError",
    "Geometric",
    "IllegalMoveError",
    "Knowledge",
    "LearningAgent",
    "LinearSettings",
    "Lookahead",
    "MatchRecord",
    "MonteCarloPlayer",
    "Move",
    "NestedMonteCarloPlayer",
    "NTupleSettings",
    "NetworkSettings",
    "Player",
    "PlayerSettings",
    "Playouts",
    "Position",
    "Problem",
    "QSettings",
    "RandomPlayer",
    "RunConfig",
    "SearchLimits",
    "SelfPlay",
    "Simulator",
    "Snapshot",
    "StateGraph",
    "TDSettings",
    "Table",
    "TrainConfig",
    "Trainer",
    "TrainingRun",
    "TransferAgent",
    "TreePattern",
    "TreePlayer",
    "TreeSettings",
    "extract_from_trainer",
    "find_patterns",
    "initialise_roles",
    "library",
    "load",
    "load_knowledge",
    "make_agent",
    "perft",
    "play_batch",
    "play_match",
    "save_knowledge",
    "simulator",
}


def test_public_names() -> None:
    assert set(gamelore.__all__) == PUBLIC


def test_every_public_name_is_there() -> None:
    for name in gamelore.__all__:
        assert getattr(gamelore, name) is not None


def test_the_version_is_the_installed_one() -> None:
    assert gamelore.__version__ == importlib.metadata.version("gamelore")
    assert "__version__" in dir(gamelore)


def test_importing_gamelore_does_not_import_what_simulates() -> None:
    code = "import sys, gamelore; print({'numba', 'clingo', 'rich'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"
