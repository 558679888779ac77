"""Values of deep patterns: composed as the plain recursion does, and to some use."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from gamelore.engine import Row
from gamelore.engine import simulator as choose_simulator
from gamelore.errors import KnowledgeError
from gamelore.games import load
from gamelore.graph import Pattern, PatternIndex, StateGraph
from gamelore.transfer import (
    ComposedValues,
    Knowledge,
    OpponentModel,
    PatternEstimate,
    SourceResult,
    extract_knowledge,
    find_patterns,
    fit_opponent,
    make_target_index,
)

REWARDS = {"L": 0.0, "D": 0.5, "W": 1.0}


def afterstates(graph: StateGraph, role: int) -> list[int]:
    """All positions that a role's moves lead to, terminal ones not counted."""
    seen, waiting, found = {graph.root}, [graph.root], set()
    while waiting:
        node = waiting.pop()
        for edge in graph.edges(node):
            if graph.mover(node) == role and not graph.is_terminal(edge.child):
                found.add(edge.child)
            if edge.child not in seen:
                seen.add(edge.child)
                waiting.append(edge.child)
    return sorted(found)


def test_how_opponents_choose() -> None:
    values = [0.0, 0.5, 1.0]
    assert OpponentModel(0, 1).mix(values) == pytest.approx(0.5)
    assert OpponentModel(100, 1).mix(values) == pytest.approx(0.0)
    assert OpponentModel(-100, 1).mix(values) == pytest.approx(1.0)
    assert OpponentModel(100, 0).mix(values) == pytest.approx(0.5)
    assert OpponentModel(np.log(3), 1).mix([0.0, 1.0]) == pytest.approx(0.25)


def test_models_are_checked() -> None:
    with pytest.raises(ValueError, match=r"shrinkage must be in \[0, 1\], got 2"):
        OpponentModel(0, 2)
    with pytest.raises(ValueError, match="inverse_temperature must be finite"):
        OpponentModel(np.inf, 1)


@pytest.mark.parametrize("sharpness", [-20.0, -3.0, 0.0, 2.5, 20.0])
@pytest.mark.parametrize("trust", [0.25, 1.0])
def test_the_model_behind_the_values_is_found(
    tictactoe: StateGraph, result: SourceResult, sharpness: float, trust: float
) -> None:
    model = OpponentModel(sharpness, trust)
    patterns = {
        pattern: PatternEstimate(100 * model.predict(pattern, REWARDS), 10 + n, 1)
        for n, pattern in enumerate(find_patterns(tictactoe, 0))
    }
    found = fit_opponent(Knowledge((replace(result, patterns=patterns),)))
    assert found.inverse_temperature == pytest.approx(sharpness, abs=1e-6)
    assert found.shrinkage == pytest.approx(trust)


def test_nothing_learned_explains_nothing() -> None:
    assert fit_opponent(Knowledge()) == OpponentModel(0.0, 0.0)


def shortened(pattern: Pattern, depth: int) -> Pattern:
    if isinstance(pattern, str):
        return pattern
    if depth == 0:
        return "N"
    return frozenset(shortened(part, depth - 1) for part in pattern)


def plain_values(
    patterns: Iterable[Pattern], composed: ComposedValues
) -> Iterator[float]:
    """Yield the values of deep patterns by plain recursion, from 0 to 1."""
    depth, head = composed.composition.depth, composed.composition.head
    known: dict[Pattern, float] = {
        pattern.tree: estimate.value / 100
        for pattern, estimate in composed.knowledge.values().items()
    }

    def value(pattern: Pattern, level: int) -> float:
        if isinstance(pattern, str):
            return REWARDS.get(pattern, 0.5)
        if level == 0 and shortened(pattern, depth) in known:
            return known[shortened(pattern, depth)]
        if level == head:
            return known.get(pattern, 0.5)
        below = [value(part, level + 1) for part in pattern]
        return max(below) if level % 2 else composed.model.mix(below)

    return (value(pattern, 0) for pattern in patterns)


@pytest.mark.parametrize(("depth", "turns"), [(2, 1), (1, 1), (1, 2)])
def test_the_kernel_equals_the_plain_recursion(
    tictactoe: StateGraph, result: SourceResult, depth: int, turns: int
) -> None:
    found = find_patterns(tictactoe, 0, depth)
    patterns = {
        pattern: PatternEstimate(float(30 + 40 * n / len(found)), 1 + n, 1)
        for n, pattern in enumerate(found)
        if n % 3  # some are not known
    }
    knowledge = Knowledge((replace(result, patterns=patterns, depth=depth),))
    composed = ComposedValues(tictactoe, 0, knowledge, turns)
    assert composed.pattern_index.depth == depth + 2 * turns
    nodes = np.array(afterstates(tictactoe, 0)[::2], np.int32)
    composed.values(nodes)  # from now on their patterns are remembered
    values = composed.values(nodes)
    numbers, places = np.unique(
        composed.pattern_index.numbers(nodes), return_inverse=True
    )
    structures = (composed.pattern_index.structure(int(n)) for n in numbers)
    plain = np.array([*plain_values(structures, composed)])
    np.testing.assert_allclose(values, 100 * plain[places])
    assert len(set(np.round(values, 9))) > len(set(patterns)) / 2


def test_what_was_learned_stands_and_ends_are_what_they_are(
    tictactoe: StateGraph, result: SourceResult, board: Callable[[str], Row]
) -> None:
    composed = ComposedValues(tictactoe, 0, Knowledge((result,)))
    drawings = ["XX. XOO .OX", "XXX OO. ...", "OOO XX. X.."]
    nodes = np.array([tictactoe.number(board(d)) for d in drawings], np.int32)
    assert composed.values(nodes).tolist() == [63.36, 100.0, 0.0]


def test_composed_values_are_nearer_to_the_truth(tictactoe: StateGraph) -> None:
    """From values of perfect play two plies deep, it values forks four plies deep."""

    @cache
    def truth(node: int) -> float:
        if tictactoe.is_terminal(node):
            return float(tictactoe.goals(node)[0])
        below = [truth(edge.child) for edge in tictactoe.edges(node)]
        return max(below) if tictactoe.mover(node) == 0 else min(below)

    nodes = np.array(afterstates(tictactoe, 0), np.int32)
    true = np.array([truth(int(node)) for node in nodes])
    rows = np.stack([tictactoe.row(int(node)) for node in nodes])
    shallow = PatternIndex(tictactoe, 0)
    knowledge = extract_knowledge(
        shallow, rows, true, np.ones(len(nodes), int), opponent="perfect", matches=1
    )
    composed = ComposedValues(tictactoe, 0, knowledge)
    assert composed.model.inverse_temperature > 2
    numbers = shallow.numbers(nodes)
    silent = np.array([not shallow.has_terminal(int(number)) for number in numbers])
    assert silent.sum() > 50
    composed.values(nodes)  # from now on their patterns are remembered
    error = np.abs(composed.values(nodes[silent]) - true[silent]).mean()
    assert error < 0.8 * np.abs(50 - true[silent]).mean()


def test_nothing_is_searched_but_what_shallow_patterns_need(
    result: SourceResult, board: Callable[[str], Row]
) -> None:
    simulator = choose_simulator(load("tictactoe"))
    searched = []
    for deep in (False, True):
        graph = StateGraph(simulator)
        knowledge = Knowledge((result,))
        node = np.array([graph.number(board("X.. ... ..."))], np.int32)
        if deep:
            ComposedValues(graph, 0, knowledge).values(node)
        else:
            make_target_index(graph, 0, knowledge).numbers(node)
        searched.append(len(graph))
    assert searched[0] == searched[1]


def test_a_deep_pattern_is_made_of_what_was_met(
    tictactoe: StateGraph, result: SourceResult, board: Callable[[str], Row]
) -> None:
    pattern_index = ComposedValues(tictactoe, 0, Knowledge((result,))).pattern_index
    parent, child = (
        tictactoe.number(board(drawing)) for drawing in ("X.. ... ...", "XO. X.. ...")
    )
    assert pattern_index.pattern(parent) == frozenset({frozenset({"N"})})
    met = PatternIndex(tictactoe, 0).pattern(child)
    pattern_index.number(child)
    deep = pattern_index.pattern(parent)
    assert deep == frozenset({frozenset({"N"}), frozenset({"N", met})})


def test_wrong_uses(tictactoe: StateGraph, result: SourceResult) -> None:
    with pytest.raises(ValueError, match="turns must be at least 1, got 0"):
        ComposedValues(tictactoe, 0, Knowledge((result,)), turns=0)
    mixed = Knowledge((result, replace(result, depth=3)))
    with pytest.raises(KnowledgeError, match="one depth are wanted, got 2, 3"):
        ComposedValues(tictactoe, 0, mixed)
    with pytest.raises(KnowledgeError, match="nothing was learned"):
        ComposedValues(tictactoe, 0, Knowledge())


def test_kernels_load_from_disk(capsys: pytest.CaptureFixture[str]) -> None:
    """Numba can store a recursive function that it then cannot load."""
    code = """
import numpy as np
from gamelore.graph import StateGraph
from gamelore.games import load
from gamelore.engine import simulator
from gamelore.transfer import ComposedValues, Knowledge, PatternEstimate
from gamelore.transfer import SourceResult, TreePattern
patterns = {TreePattern.parse("L"): PatternEstimate(1.0, 1, 1)}
result = SourceResult("nim", "0f", "x", "novice", 1, {0: "L", 100: "W"}, patterns)
graph = StateGraph(simulator(load("nim-1-2"), "interpreter"))
composed = ComposedValues(graph, 0, Knowledge((result,)))
print(composed.values(np.array([graph.root], np.int32)))
"""
    exec(code, {})  # stores them, where they are not
    told = capsys.readouterr().out
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == told != ""
