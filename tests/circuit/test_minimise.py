"""Minimising: effort is counted in gates visited, and time only cuts it short."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from gamelore.circuit import compile_game, compiler, improve_game, store
from gamelore.circuit.build import build
from gamelore.circuit.graph import Graph
from gamelore.circuit.minimise import VISITS, Minimised, equivalent, minimise
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.ground import ground


@pytest.fixture(scope="module")
def graph() -> Graph:
    return build(ground(load("othello-6x6"))).graph


def same(one: Graph, other: Graph) -> bool:
    pairs = ((one.left, other.left), (one.right, other.right))
    return all(np.array_equal(a, b) for a, b in (*pairs, (one.outputs, other.outputs)))


def ticks(seconds: float) -> Iterator[float]:
    return count(0.0, seconds)


def test_the_result_does_not_depend_on_the_clock(graph: Graph) -> None:
    fast, slow = ticks(0.001), ticks(5.0)
    one = minimise(graph, clock=lambda: next(fast))
    other = minimise(graph, clock=lambda: next(slow))
    assert same(one.graph, other.graph)
    assert one.visits == other.visits
    assert not one.cut_short and not other.cut_short
    assert one.graph.gates < graph.gates
    assert equivalent(graph, one.graph, seed=7)


def test_no_more_gates_are_visited_than_the_effort_allows(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(VISITS, "normal", graph.gates - 1)
    assert minimise(graph) == Minimised(graph, 0, False)
    monkeypatch.setitem(VISITS, "normal", graph.gates)
    once = minimise(graph)
    assert once.visits == graph.gates
    assert once.graph.gates < graph.gates


def test_more_effort_leaves_no_more_gates(graph: Graph) -> None:
    results = [minimise(graph, effort) for effort in VISITS]
    gates = [result.graph.gates for result in results]
    assert gates == sorted(gates, reverse=True)


def test_what_time_cuts_short_is_marked(graph: Graph) -> None:
    clock = ticks(30.0)
    result = minimise(graph, seconds=60.0, clock=lambda: next(clock))
    assert result.cut_short
    assert 0 < result.visits < minimise(graph).visits
    assert minimise(graph, seconds=0.0) == Minimised(graph, 0, True)


# ── in the cache ────────────────────────────────────────────────────────────────────


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Game:
    monkeypatch.setenv("GAMELORE_CACHE", str(tmp_path))
    return load("nim")


def test_less_effort_is_enough_where_less_is_asked_for(game: Game) -> None:
    assert compile_game(game, effort="quick").statistics.effort == "quick"
    assert compile_game(game).statistics.effort == "normal"
    assert compile_game(game, effort="quick").statistics.effort == "normal"


def test_what_was_cut_short_is_used_until_it_is_improved(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(graph: Graph, effort: str) -> Minimised:
        return Minimised(graph, 0, True)

    with monkeypatch.context() as patch:
        patch.setattr(compiler, "minimise", give_up)
        poor = compile_game(game)
    assert poor.statistics.cut_short
    assert compile_game(game).statistics == poor.statistics
    better = improve_game(game, effort="normal")
    assert not better.statistics.cut_short
    assert better.statistics.gates < poor.statistics.gates
    stored = store.load(game)
    assert stored is not None and stored.statistics == better.statistics
    with monkeypatch.context() as patch:  # a worse one replaces nothing
        patch.setattr(compiler, "minimise", give_up)
        assert improve_game(game, effort="normal").statistics == better.statistics


def test_high_effort_replaces_normal(game: Game) -> None:
    compile_game(game)
    assert improve_game(game).statistics.effort == "high"
    assert compile_game(game).statistics.effort == "high"
