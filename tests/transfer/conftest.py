"""Tic-tac-toe positions from drawings, and a source result."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gamelore.engine import Row, simulator
from gamelore.games import load
from gamelore.gdl import Compound
from gamelore.graph import StateGraph
from gamelore.transfer import PatternEstimate, SourceResult, TreePattern


@pytest.fixture(scope="session")
def tictactoe() -> StateGraph:
    return StateGraph(simulator(load("tictactoe")))


@pytest.fixture(scope="session")
def board(tictactoe: StateGraph) -> Callable[[str], Row]:
    """A position from three rows, such as `X.. .O. ..X`; who has fewer marks moves."""

    def position(drawing: str) -> Row:
        facts = [
            Compound("cell", (str(r), str(c), mark.lower()))
            for r, line in enumerate(drawing.split(), start=1)
            for c, mark in enumerate(line, start=1)
            if mark != "."
        ]
        mover = "x" if drawing.count("X") == drawing.count("O") else "o"
        return tictactoe.simulator.encode([*facts, Compound("control", (mover,))])

    return position


RESULT = SourceResult(
    game="tictactoe",
    rules="0f",
    role="x",
    opponent="novice",
    matches=3000,
    outcomes={0: "L", 50: "D", 100: "W"},
    patterns={
        TreePattern.parse("L (N W)"): PatternEstimate(40.18, 120, 17),
        TreePattern.parse("(D)"): PatternEstimate(50.0, 8, 3),
        TreePattern.parse("(W)"): PatternEstimate(63.36, 1, 1),
    },
    settings={"step_size": 0.3, "seed": 7, "scaled": False, "limit": None},
)


@pytest.fixture
def result() -> SourceResult:
    return RESULT
