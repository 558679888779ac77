"""Circuits of turns find what the whole circuit finds."""

from __future__ import annotations

import numpy as np
import pytest

from gamelore.circuit.program import LEGAL, NEXT, SHARED, TERMINAL, Program
from gamelore.engine import CircuitSimulator
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.graph.cofactors import TurnFacts, find_cofactors, no_cofactors

GAMES = "tictactoe", "connect-four", "breakthrough-6x6", "othello", "abalone"


def without_cofactors(simulator: CircuitSimulator) -> StateGraph:
    """A state graph that expands every node by the whole circuit."""
    graph = StateGraph(simulator)
    graph.cofactors = no_cofactors(simulator.width, len(simulator.roles))
    expansion = graph.nodes.expansion._replace(cofactors=graph.cofactors)
    graph.nodes = graph.nodes._replace(expansion=expansion)
    return graph


def count_gates(program: Program, *phases: int) -> int:
    spans = (program.phases[phase] for phase in phases)
    return sum(
        program.segments[segment, 2] - program.segments[segment, 1]
        for first, end in spans
        for segment in range(first, end)
    )


@pytest.mark.parametrize("name", GAMES)
def test_same_successors_as_by_the_whole_circuit(name: str) -> None:
    simulator = CircuitSimulator(load(name))
    fast, slow = StateGraph(simulator), without_cofactors(simulator)
    assert len(fast.cofactors.masks) == 2
    generator = np.random.default_rng(0)
    most = 0
    for _ in range(3):
        node = fast.root
        while not fast.is_terminal(node):
            edges = fast.edges(node)
            assert edges == slow.edges(node)
            assert fast.mover(node) == slow.mover(node)
            most = max(most, len(edges))
            node = edges[generator.integers(len(edges))].child
    assert len(fast) == len(slow)
    assert (fast.nodes.rows[: len(fast)] == slow.nodes.rows[: len(slow)]).all()
    assert (fast.nodes.goals[: len(fast)] == slow.nodes.goals[: len(slow)]).all()
    assert (most > 64) == (name == "abalone")  # so that some take two passes


def test_turns_take_fewer_gates() -> None:
    graph = StateGraph(CircuitSimulator(load("breakthrough-6x6")))
    whole = count_gates(graph.program, SHARED, LEGAL, NEXT)
    assert (2 * graph.cofactors.ends[:, 1] < whole).all()


def test_only_a_part_of_the_terminal_phase_is_shared() -> None:
    program = CircuitSimulator(load("connect-four")).program
    shared, terminal = program.phases[SHARED], program.phases[TERMINAL]
    assert shared[0] == terminal[0] and shared[1] < terminal[1]
    assert 0 < count_gates(program, SHARED) < count_gates(program, TERMINAL) / 10


def test_positions_that_belong_to_no_turn_are_expanded_all_the_same() -> None:
    simulator = CircuitSimulator(load("tictactoe"))
    nothing = np.zeros_like(simulator.initial_row())
    turns = {0: TurnFacts(~nothing, ~nothing), 1: TurnFacts(nothing, nothing)}
    cofactors = find_cofactors(simulator.program, turns)
    assert len(cofactors.masks) == 2
    graph, whole = StateGraph(simulator), without_cofactors(simulator)
    expansion = graph.nodes.expansion._replace(cofactors=cofactors)
    graph.nodes = graph.nodes._replace(expansion=expansion)
    assert graph.edges(graph.root) == whole.edges(whole.root)


def test_nothing_tells_turns_apart_without_differences() -> None:
    simulator = CircuitSimulator(load("tictactoe"))
    row = simulator.initial_row()
    turns = {0: TurnFacts(row, row), 1: TurnFacts(row, row)}
    assert len(find_cofactors(simulator.program, turns).masks) == 0
    assert len(find_cofactors(simulator.program, {}).masks) == 0
