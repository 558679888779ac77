"""Tables: every key its own cell, however many there are."""

from __future__ import annotations

import numpy as np
import pytest

from gamelore.engine import simulator
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.schedules import Fixed
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.values.table import Table


def filled(count: int, width: int = 2) -> Table:
    """A table of random keys, all different."""
    random = np.random.default_rng(count)
    rows = random.integers(0, 1 << 40, (count, width), dtype=np.uint64)
    rows[:, 0] = np.arange(count)
    values, visits = random.random(count), random.integers(0, 99, count, np.uint32)
    return Table.from_arrays(rows, values, visits)


@pytest.mark.parametrize("count", [0, 1, 1023, 1024, 1025, 30_000])
def test_every_key_is_found(count: int) -> None:
    table = filled(count)
    assert len(table) == len(list(table)) == count
    for row, value, visits in table:
        cell = table.find(row)
        assert cell is not None
        assert (cell.row == row).all()
        assert (cell.value, cell.visits) == (value, visits)


def test_other_keys_are_not_found() -> None:
    table = filled(1000)
    for cell in list(table)[:200]:
        other = cell.row.copy()
        other[1] ^= np.uint64(1)
        assert table.find(other) is None


def test_keys_that_differ_in_one_bit_have_their_own_cells() -> None:
    rows = np.array([[1 << bit] for bit in range(64)] + [[0]], np.uint64)
    table = Table.from_arrays(rows, np.arange(65.0), np.zeros(65, np.uint32))
    for number, row in enumerate(rows):
        cell = table.find(row)
        assert cell is not None
        assert cell.value == number


def test_growing_keeps_cells_and_their_order() -> None:
    table = filled(1000)
    rows, values, visits = (a.copy() for a in (table.rows, table.values, table.visits))
    size = len(table.arrays.values)
    table.grow()
    assert len(table.arrays.values) > size
    assert (table.rows == rows).all()
    assert (table.values == values).all()
    assert (table.visits == visits).all()
    cell = table.find(rows[-1])
    assert cell is not None
    assert cell.value == values[-1]


def test_cells_of_tictactoe_have_distinct_positions_and_are_small() -> None:
    graph = StateGraph(simulator(load("tictactoe")))
    trainer = Trainer(
        graph, TrainConfig(TDSettings(initialise="candidates"), schedule=Fixed(1.0))
    )
    trainer.run(30_000)
    table = trainer.table
    # afterstates of x, and positions that o ended
    assert len(table) > 2_600
    assert len(np.unique(table.rows, axis=0)) == len(table)
    assert table.bytes_per_cell <= 48
    assert all(bool(graph.simulator.facts(row)) for row in table.rows[:100])


def test_cells_take_at_most_48_bytes_at_any_size() -> None:
    """Worst right after growing; small games have one word per position."""
    table = Table(1)
    for _ in range(25):
        table.grow()
        size = len(table.arrays.values)
        full = table.arrays._replace(used=np.array([size * 2 // 3 + 1]))
        table.arrays = full
        assert table.bytes_per_cell <= 48
        table.arrays.used[0] = 0


def test_tables_grow_during_a_run() -> None:
    graph = StateGraph(simulator(load("connect-four")))
    trainer = Trainer(graph, TrainConfig(QSettings(), schedule=Fixed(0.5)))
    record = trainer.run(2_000)
    assert len(trainer.table) == record.cells[-1] > 10_000
    assert (np.diff(record.cells) >= 0).all()
    assert len(np.unique(trainer.table.rows, axis=0)) == len(trainer.table)
    # every match visits each of the learner's moves once: the second half of them
    moves = (record.lengths + 1) // 2
    assert int(trainer.table.visits.sum()) == int(moves.sum())
