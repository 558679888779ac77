"""A circuit in plain Python agrees with the kernels."""

from __future__ import annotations

import numpy as np
import pytest
from tests.engine.compiled.test_compiled_simulator import random_rows

from gamelore.circuit.program import TERMINAL
from gamelore.engine.compiled.plain import read_slots
from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.games import load
from gamelore.gdl import Game

WALK = f"""(role a) {" ".join(f"(link {i} {(i + 1) % 9})" for i in range(9))}
    (init (on 0))
    (<= (legal a (switch ?i)) (link ?i ?j))
    (<= (next (on ?i)) (does a (switch ?i)) (not (true (on ?i))))
    (<= (next (on ?i)) (true (on ?i)) (not (does a (switch ?i))))
    (reach 0)
    (<= (reach ?j) (reach ?i) (link ?i ?j) (true (on ?i)))
    (<= (reach ?i) (reach ?j) (link ?i ?j) (true (on ?i)))
    (goal a 100)
    (<= terminal (reach 5))"""
"""Whether a match is over takes a loop."""


@pytest.mark.parametrize("name", ["tictactoe", "hex-5x5", "breakthrough", "walk"])
def test_ends_are_those_of_kernels(name: str) -> None:
    game = Game.from_kif(WALK, name) if name == "walk" else load(name)
    engine = CircuitSimulator(game)
    if name == "walk":
        assert engine.compiled.statistics.loop_variables > 0
    rows = random_rows(engine, 200, seed=4)
    bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
    present = bits[:, : len(engine.fluents)].astype(bool).tolist()
    program = engine.program
    read = [read_slots(program, TERMINAL, row, [program.terminal]) for row in present]
    found = [terminal for (terminal,) in read]
    assert found == engine.terminal(rows).tolist()
    assert True in found
