"""The shelf of games: what plays a large one at first, and later."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gamelore.circuit import compiler
from gamelore.engine import CircuitSimulator, Simulator
from gamelore.lab.shelf import GameShelf
from gamelore.lab.workspace import Workspace

GAME = """
(role x) (init (at 0)) (next_to 0 1) (next_to 1 2) (next_to 2 3)
(<= (legal x (go ?n)) (true (at ?m)) (next_to ?m ?n)) (legal x stay)
(<= (next (at ?n)) (does x (go ?n)))
(<= (next (at ?n)) (true (at ?n)) (does x stay))
(<= terminal (true (at 3))) (<= (goal x ?n) (true (at ?n)))
"""


def effort(simulator: Simulator) -> str:
    assert isinstance(simulator, CircuitSimulator)
    return simulator.compiled.statistics.effort


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GameShelf:
    monkeypatch.setenv("GAMELORE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(compiler, "_FEWEST_IN_STAGES", 0)
    workspace = Workspace(tmp_path / "folder")
    workspace.create()
    return GameShelf(workspace)


def test_a_large_game_is_there_at_once_and_better_later(shelf: GameShelf) -> None:
    key = shelf.keep(GAME, f"walk {time.time_ns()}")
    first = shelf.prepare(key)
    assert effort(first.simulator) == "least"
    patience = time.monotonic() + 600
    while (better := shelf.prepare(key)).simulator is first.simulator:
        assert time.monotonic() < patience
        time.sleep(0.01)
    assert effort(better.simulator) == "normal"
    assert better.simulator.moves == first.simulator.moves
    assert better.board is first.board
    assert shelf.prepare(key) is better


def test_a_small_game_has_its_best_circuit_at_once(
    shelf: GameShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler, "_FEWEST_IN_STAGES", 1_000_000)
    prepared = shelf.prepare(shelf.keep(GAME, f"walk {time.time_ns()}"))
    assert effort(prepared.simulator) == "normal"
