"""Decisive positions of Connect Four: how they are found, and whether they are."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from gamelore.bench.decisive import (
    GAME,
    LATEST,
    DecisivePosition,
    find_column,
    label,
    load_bitbully,
    load_positions,
    sample_decisive,
    save_positions,
    write_move,
)
from gamelore.engine import simulator
from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.errors import GameloreError
from gamelore.games import load


@pytest.fixture(scope="module")
def sim() -> Simulator:
    return simulator(load(GAME))


def centre_only(moves: Sequence[int]) -> Mapping[int, int]:
    """A solver to whom the middle column wins, and all others draw."""
    return {column: int(column == 3) for column in range(7)}


def test_labels() -> None:
    assert label((3,), {0: -4, 1: 0, 2: 0}) == DecisivePosition((3,), (1, 2), 0)
    assert label((3,), {0: 2, 1: 9, 2: -1}) == DecisivePosition((3,), (0, 1), 1)
    assert label((3,), {0: -2, 1: -9}) is None, "nothing is left to lose"


def test_positions_differ_and_repeat_with_the_seed(sim: Simulator) -> None:
    found = list(islice(sample_decisive(sim, centre_only, 5), 60))
    ends = [position.line(sim)[-1] for position in found]
    assert len({end.row.tobytes() for end in ends}) == len(found)
    assert not any(end.is_terminal for end in ends)
    assert max(len(position.moves) for position in found) <= LATEST
    assert found == list(islice(sample_decisive(sim, centre_only, 5), 60))
    assert found != list(islice(sample_decisive(sim, centre_only, 6), 60))


def test_positions_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "positions.json"
    positions = [DecisivePosition((), (3,), 1), DecisivePosition((3, 3), (2, 4), 0)]
    save_positions(path, positions)
    assert load_positions(path) == positions
    path.write_text("{}")
    with pytest.raises(GameloreError, match="no labelled positions"):
        load_positions(path)


@cache
def solve(position: Position) -> int:
    """The result for the player to move, by trying everything."""
    mover = position.roles[len(position.facts) % 2 - 1]
    if position.is_terminal:
        return ((position.goal(mover) or 0) > 50) - ((position.goal(mover) or 0) < 50)
    return max(-solve(position.advance(m)) for m in position.legal_moves(mover))


def test_the_solver_agrees_with_trying_everything(sim: Simulator) -> None:
    pytest.importorskip("bitbully", reason="bitbully is an extra")
    solver, rng, compared = load_bitbully(), random.Random(4), 0
    while compared < 8:
        position = Position(sim)
        moves: list[int] = []
        while not position.is_terminal and len(moves) < 35:
            legal = position.legal_moves(position.roles[len(moves) % 2])
            moves.append(find_column(rng.choice(legal)))
            position = position.advance(write_move(moves[-1]))
        if position.is_terminal:
            continue
        compared += 1
        found = {c: (s > 0) - (s < 0) for c, s in solver(moves).items()}
        legal = position.legal_moves(position.roles[len(moves) % 2])
        assert found == {find_column(m): -solve(position.advance(m)) for m in legal}
