"""One position at a time sees and does what 512 lanes see and do."""

from __future__ import annotations

import numpy as np
import pytest

from gamelore.engine import CircuitSimulator
from gamelore.engine.simulator import Rows, StateView
from gamelore.games import load
from gamelore.gdl import to_kif

GAMES = ("tictactoe", "connect-four", "breakthrough-6x6", "english-draughts", "hex-3x3")


def random_rows(simulator: CircuitSimulator, seed: int) -> Rows:
    """Positions of random matches, ends included."""
    generator = np.random.default_rng(seed)
    rows = simulator.initial_row()[None].repeat(16, 0)
    met = [rows]
    for _ in range(60):
        rows = rows[~simulator.terminal(rows)]
        if not len(rows):
            break
        joint = [
            np.where(legal, generator.random(legal.shape), -1.0).argmax(axis=1)
            for legal in simulator.legal(rows)
        ]
        rows = simulator.advance(rows, np.stack(joint, axis=1).astype(np.int32))
        met.append(rows)
    return np.concatenate(met)


@pytest.mark.parametrize("name", GAMES)
def test_a_look_at_one_position_sees_what_512_lanes_see(name: str) -> None:
    simulator = CircuitSimulator(load(name))
    rows = random_rows(simulator, seed=5)
    assert simulator.terminal(rows).any()
    for row in rows:
        one, many = simulator.observe(row), StateView(simulator, row)
        assert one.terminal == many.terminal
        assert one.goals == many.goals
        assert one.legal == many.legal


@pytest.mark.parametrize("name", GAMES)
def test_one_step_leads_where_512_lanes_lead(name: str) -> None:
    simulator = CircuitSimulator(load(name))
    rows = random_rows(simulator, seed=6)
    expansion = simulator.expand(rows[::7])
    parents = rows[::7][expansion.parents]
    for parent, moves, child in zip(
        parents, expansion.moves, expansion.successors, strict=True
    ):
        assert (simulator.advance_one(parent, moves.tolist()) == child).all()


def test_legal_moves_are_sorted_by_their_text() -> None:
    simulator = CircuitSimulator(load("hex-11x11"))
    for moves in simulator.observe(simulator.initial_row()).legal:
        assert list(moves) == sorted(moves, key=to_kif)
