"""Graphs: built, pruned, minimised and scheduled, they compute the same."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelore.circuit.graph import FALSE, TRUE, Graph, GraphBuilder, prune
from gamelore.circuit.minimise import equivalent, minimise


def random_graph(seed: int, inputs: int = 12, gates: int = 200) -> Graph:
    generator = random.Random(seed)
    builder = GraphBuilder(inputs)
    literals = [builder.input(i) for i in range(inputs)]
    for _ in range(gates):
        a, b = generator.choices(literals, k=2)
        flip_a, flip_b = generator.getrandbits(1), generator.getrandbits(1)
        literals.append(builder.both(a ^ flip_a, b ^ flip_b))
    return builder.finish(generator.choices(literals[inputs:], k=20))


def test_constants_are_folded_and_equal_gates_made_once() -> None:
    builder = GraphBuilder(2)
    a, b = builder.input(0), builder.input(1)
    assert builder.both(a, FALSE) == FALSE
    assert builder.both(a, TRUE) == a
    assert builder.both(a, a) == a
    assert builder.both(a, a ^ 1) == FALSE
    assert builder.both(a, b) == builder.both(b, a)
    assert builder.finish([builder.both(a, b)]).gates == 1


@given(st.lists(st.booleans(), min_size=1, max_size=9))
def test_all_of_and_any_of_are_and_and_or(values: list[bool]) -> None:
    builder = GraphBuilder(len(values))
    literals = [builder.input(i) for i in range(len(values))]
    graph = builder.finish([builder.conjoin(literals), builder.disjoin(literals)])
    assert graph.evaluate([int(v) for v in values], 1) == [all(values), any(values)]


def test_empty_and_is_true_and_empty_or_is_false() -> None:
    builder = GraphBuilder(0)
    assert builder.conjoin([]) == TRUE
    assert builder.disjoin([]) == FALSE


@pytest.mark.parametrize("seed", range(5))
def test_minimised_computes_the_same_with_no_more_gates(seed: int) -> None:
    graph = random_graph(seed)
    small = minimise(graph).graph
    assert small.gates <= graph.gates
    assert equivalent(graph, small, seed=99)


def test_a_wrong_graph_is_not_equivalent() -> None:
    graph = random_graph(1)
    outputs = graph.outputs.copy()
    outputs[0] ^= 1
    assert not equivalent(graph, Graph(graph.inputs, graph.left, graph.right, outputs))


def test_pruning_drops_what_no_output_needs() -> None:
    builder = GraphBuilder(3)
    kept = builder.both(builder.input(0), builder.input(1))
    builder.both(builder.input(1), builder.input(2))
    graph = builder.finish([kept])
    assert graph.gates == 1
    assert prune(graph).gates == 1
    assert np.array_equal(graph.outputs, [2 * 4])
