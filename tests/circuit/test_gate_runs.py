"""Runs of gates of a kind: an order that is allowed, and the same playouts."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from random import Random

import numpy as np
import pytest

from gamelore.circuit import compile_game, gate_runs
from gamelore.circuit.gate_runs import gather_runs, measure_runs
from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.games import load


@pytest.mark.parametrize("seed", range(20))
def test_gates_come_after_those_they_read_and_not_far_from_where_they_were(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate_runs, "_WINDOW", 10)
    random = Random(seed)
    count = 200
    gates = [
        (100 + i, [100 + random.randrange(-50, max(1, i)) for _ in "ab"])
        for i in range(count)
    ]
    gates = [(n, [r for r in reads if r < n]) for n, reads in gates]
    kinds = [random.randrange(3) for _ in range(count)]
    order = gather_runs(gates, kinds)
    assert sorted(order) == list(range(count))
    when = {gates[place][0]: time for time, place in enumerate(order)}
    for number, reads in gates:
        assert all(when[read] < when[number] for read in reads if read >= 100)
    oldest = set(range(count))
    for place in order:
        assert place <= min(oldest) + 10 or place == min(
            p for p in oldest if all(when[r] < when[100 + p] for r in gates[p][1])
        )
        oldest.discard(place)
    runs = len(list(groupby(kinds[place] for place in order)))
    assert runs < 0.8 * len(list(groupby(kinds)))


def test_the_length_of_runs() -> None:
    left = np.array([2, 4, 3, 5, 7, 2, 2], np.int32)
    right = np.array([6, 8, 8, 8, 9, 4, 6], np.int32)
    assert measure_runs(left, right).tolist() == [2, 1, 2, 1, 1, 2, 1]
    assert measure_runs(left[:0], right[:0]).tolist() == []


def test_runs_play_as_gates_one_by_one_do() -> None:
    game = load("english-draughts")
    compiled = compile_game(game)
    program = compiled.turn_program
    assert len(program.span) == len(program.left)
    assert ((program.left & 1) >= (program.right & 1)).all()
    mixed = program._replace(span=np.zeros(0, np.int32))
    results = [
        CircuitSimulator(game, one).playouts(count=700, seed=5)
        for one in (compiled, replace(compiled, turn_program=mixed))
    ]
    assert results[0].goal_counts == results[1].goal_counts
    assert results[0].length_counts == results[1].length_counts


def test_small_circuits_stay_in_their_order() -> None:
    assert len(compile_game(load("tictactoe")).turn_program.span) == 0
