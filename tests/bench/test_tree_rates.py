"""Rates inside trees: what is measured, at which sizes."""

from __future__ import annotations

import pytest

from gamelore.bench.tree_rates import measure_trees
from gamelore.engine import CircuitSimulator, simulator
from gamelore.games import load


def test_both_kinds_of_playouts_at_every_size() -> None:
    engine = simulator(load("connect-four"))
    assert isinstance(engine, CircuitSimulator)
    rates = list(measure_trees(engine, sizes=(20, 2000), seconds=0.01, rounds=2))
    found = {(rate.lookahead, rate.nodes): rate for rate in rates}
    assert {key for key in found if key[1] == 2000} == {(True, 2000), (False, 2000)}
    for rate in rates:
        assert rate.share > 0
        assert rate.peer_per_s is rate.ratio is None
    assert found[True, 2000].slices == found[False, 2000].slices == 2


def test_a_peer_is_measured_beside_it() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is an extra")
    engine = simulator(load("hex-7x7"))
    assert isinstance(engine, CircuitSimulator)
    for rate in measure_trees(engine, peer=True, sizes=(500,), seconds=0.01, rounds=1):
        assert rate.peer_per_s is not None
        assert rate.ratio is not None
        assert rate.ratio > 0
