"""Large ORs are factored, and stay what they were."""

from __future__ import annotations

import random

import pytest
from tests.circuit.test_graph import random_graph

from gamelore.circuit.disjunctions import factor_disjunctions
from gamelore.circuit.graph import Graph, GraphBuilder

ASSIGNMENTS = 1 << 9


def list_values(graph: Graph) -> list[int]:
    """Return the outputs for many random inputs."""
    generator = random.Random(3)
    inputs = [generator.getrandbits(ASSIGNMENTS) for _ in range(graph.inputs)]
    return graph.evaluate(inputs, (1 << ASSIGNMENTS) - 1)


def make_lines(length: int, wanted: int) -> Graph:
    """Return the graph of an OR over lines of so many points in a row."""
    builder = GraphBuilder(length)
    points = [builder.input(i) for i in range(length)]
    lines = [points[i : i + wanted] for i in range(length - wanted + 1)]
    return builder.finish([builder.disjoin(map(builder.conjoin, lines))])


@pytest.mark.parametrize(("length", "wanted"), [(9, 3), (15, 5), (12, 7)])
def test_lines_are_looked_at_together(length: int, wanted: int) -> None:
    graph = make_lines(length, wanted)
    factored = factor_disjunctions(graph)
    assert factored is not None
    assert factored.gates < graph.gates
    assert list_values(factored) == list_values(graph)


def test_few_lines_are_left_alone() -> None:
    assert factor_disjunctions(make_lines(8, 5)) is None


def test_long_lines_are_left_alone() -> None:
    """An AND of more literals than are looked at is one literal of the OR."""
    graph = make_lines(24, 14)
    factored = factor_disjunctions(graph)
    assert factored is not None
    assert list_values(factored) == list_values(graph)
    assert factored.gates <= graph.gates


def make_products(seed: int) -> Graph:
    """Return a graph of some ORs of random ANDs, which share literals and gates."""
    generator = random.Random(seed)
    builder = GraphBuilder(10)
    literals = [builder.input(i) for i in range(10)]
    outputs = []
    for _ in range(3):
        products = []
        for _ in range(generator.randint(1, 20)):
            chosen = generator.sample(literals, generator.randint(1, 5))
            products.append(
                builder.conjoin(x ^ generator.randint(0, 1) for x in chosen)
            )
        outputs.append(builder.disjoin(products))
        literals.append(outputs[-1])
        literals += products[:2]
    outputs.append(builder.conjoin(outputs))
    return builder.finish(x ^ generator.randint(0, 1) for x in outputs)


@pytest.mark.parametrize("seed", range(60))
def test_graphs_stay_what_they_were(seed: int) -> None:
    for graph in (make_products(seed), random_graph(seed)):
        factored = factor_disjunctions(graph)
        if factored is not None:
            assert list_values(factored) == list_values(graph)
