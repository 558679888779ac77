"""Graphs over literals of another: what follows from a literal, and what changes."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from gamelore.circuit.evaluation import AssumingBuilder, Evaluation, imply_in
from gamelore.circuit.graph import FALSE, TRUE, Graph, GraphBuilder

INPUTS = 4
MASK = (1 << (1 << INPUTS)) - 1
COLUMNS = [
    sum(1 << row for row in range(1 << INPUTS) if row >> i & 1) for i in range(INPUTS)
]
"""All assignments of the inputs, one for each bit."""

seeds = st.integers(0, 2**32)


def grow(builder: GraphBuilder, random: Random, gates: int) -> list[int]:
    """Add random gates; return all literals there are, none inverted."""
    literals = [builder.input(i) for i in range(INPUTS)]
    for _ in range(gates):
        a, b = (random.choice(literals) ^ random.randint(0, 1) for _ in range(2))
        literals.append(builder.both(a, b) & ~1)
    return literals


def truth(builder: GraphBuilder, literal: int) -> int:
    """Return a literal's value in every assignment, one for each bit."""
    return builder.finish([literal]).evaluate(COLUMNS, MASK)[0]


def random_graph(random: Random) -> Graph:
    builder = GraphBuilder(INPUTS)
    literals = grow(builder, random, 12)
    return builder.finish([random.choice(literals) ^ 1, *literals[-3:]])


@given(seeds)
def test_what_is_implied_holds_wherever_the_literal_does(seed: int) -> None:
    random, builder = Random(seed), AssumingBuilder(INPUTS)
    literals = grow(builder, random, 12)
    one = random.choice(literals) ^ random.randint(0, 1)
    where = truth(builder, one)
    for literal, value in builder.imply(one).items():
        assert where & ~(truth(builder, literal ^ 1 ^ value)) & MASK == 0
    other = random.choice(literals) ^ random.randint(0, 1)
    if builder.implies(one, other):
        assert where & ~truth(builder, other) & MASK == 0


def test_parts_imply_an_or() -> None:
    builder = AssumingBuilder(INPUTS)
    a, b, c = (builder.input(i) for i in range(3))
    two, three = builder.disjoin([a, b]), builder.disjoin([a, b, c])
    assert builder.implies(a, two)
    assert builder.implies(two, three)
    assert not builder.implies(three, two)
    both = builder.conjoin([a, b ^ 1, c])
    assert builder.input_values([both]) == {1: TRUE, 2: FALSE, 3: TRUE}


def test_what_is_assumed_is_a_constant_until_it_is_not() -> None:
    builder = AssumingBuilder(INPUTS)
    a, b = builder.input(0), builder.input(1)
    both = builder.both(a, b)
    builder.assume(both)
    assert builder.both(a, b) == TRUE
    assert builder.simplify(a ^ 1) == FALSE
    with builder.without_assumptions():
        assert builder.both(a, b) == both
        assert builder.simplify(a) == a
    assert builder.simplify(b) == TRUE


@given(seeds)
def test_an_evaluation_is_the_graph_over_other_literals(seed: int) -> None:
    random = Random(seed)
    graph, builder = random_graph(random), GraphBuilder(INPUTS)
    given = [random.choice(grow(builder, random, 6)) for _ in range(INPUTS)]
    found = Evaluation(builder, graph, given)
    wanted = graph.evaluate([truth(builder, literal) for literal in given], MASK)
    outputs = [found.output(number) for number in range(len(wanted))]
    assert [truth(builder, literal) for literal in outputs] == wanted


@given(seeds)
def test_changes_are_those_of_another_evaluation(seed: int) -> None:
    random = Random(seed)
    graph, builder = random_graph(random), GraphBuilder(INPUTS)
    literals = grow(builder, random, 6)
    first = [random.choice(literals) for _ in range(INPUTS)]
    second = [random.choice([one, random.choice(literals)]) for one in first]
    found = Evaluation(builder, graph, first)
    changed = found.change({1 + i: literal for i, literal in enumerate(second)})
    whole = Evaluation(builder, graph, second)
    for number in range(len(graph.outputs)):
        assert found.output(number, changed) == whole.output(number)
    assert all(found.values[node] != value for node, value in changed.items())


def test_a_forced_node_has_another_value() -> None:
    builder = GraphBuilder(2)
    a, b = builder.input(0), builder.input(1)
    graph = builder.finish([builder.both(a, b)])
    forced = Evaluation(builder, graph, [a, b], {3: TRUE})
    assert forced.output(0) == TRUE
    assert imply_in(graph, 6) == {3: TRUE, 1: TRUE, 2: TRUE}
