"""Runs of cells of a kind: an order that is allowed, and longer runs."""

from __future__ import annotations

from itertools import groupby
from random import Random

import pytest

from gamelore.circuit import gate_runs
from gamelore.circuit.gate_runs import gather_runs


@pytest.mark.parametrize("seed", range(20))
def test_cells_come_after_those_they_read_and_not_far_from_where_they_were(
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
