"""Values of deep features: composed as the plain recursion does, and to some use."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
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
    Hierarchy,
    Knowledge,
    Learned,
    Lesson,
    OpponentModel,
    find_patterns,
    fit_opponent,
    learn_values,
    target_index,
)

WORTH = {"L": 0.0, "D": 0.5, "W": 1.0}


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
    with pytest.raises(ValueError, match=r"trust must be in \[0, 1\], got 2"):
        OpponentModel(0, 2)
    with pytest.raises(ValueError, match="sharpness must be finite"):
        OpponentModel(np.inf, 1)


@pytest.mark.parametrize("sharpness", [-20.0, -3.0, 0.0, 2.5, 20.0])
@pytest.mark.parametrize("trust", [0.25, 1.0])
def test_the_model_behind_the_values_is_found(
    tictactoe: StateGraph, lesson: Lesson, sharpness: float, trust: float
) -> None:
    model = OpponentModel(sharpness, trust)
    patterns = {
        pattern: Learned(100 * model.explain(pattern, WORTH), 10 + n, 1)
        for n, pattern in enumerate(find_patterns(tictactoe, 0))
    }
    found = fit_opponent(Knowledge((replace(lesson, patterns=patterns),)))
    assert found.sharpness == pytest.approx(sharpness, abs=1e-6)
    assert found.trust == pytest.approx(trust)


def test_nothing_learned_explains_nothing() -> None:
    assert fit_opponent(Knowledge()) == OpponentModel(0.0, 0.0)


def shortened(pattern: Pattern, depth: int) -> Pattern:
    if isinstance(pattern, str):
        return pattern
    if depth == 0:
        return "N"
    return frozenset(shortened(part, depth - 1) for part in pattern)


def plain_value(pattern: Pattern, hierarchy: Hierarchy, level: int = 0) -> float:
    """The value of a deep pattern by plain recursion, from 0 to 1."""
    known: dict[Pattern, float] = {
        pattern.pattern: learned.value / 100
        for pattern, learned in hierarchy.knowledge.values().items()
    }
    if isinstance(pattern, str):
        return WORTH.get(pattern, 0.5)
    if level == 0 and shortened(pattern, hierarchy.plan.depth) in known:
        return known[shortened(pattern, hierarchy.plan.depth)]
    if level == hierarchy.plan.head:
        return known.get(pattern, 0.5)
    below = [plain_value(part, hierarchy, level + 1) for part in pattern]
    return max(below) if level % 2 else hierarchy.model.mix(below)


@pytest.mark.parametrize(("depth", "turns"), [(2, 1), (1, 1), (1, 2)])
def test_the_kernel_equals_the_plain_recursion(
    tictactoe: StateGraph, lesson: Lesson, depth: int, turns: int
) -> None:
    found = find_patterns(tictactoe, 0, depth)
    patterns = {
        pattern: Learned(float(30 + 40 * n / len(found)), 1 + n, 1)
        for n, pattern in enumerate(found)
        if n % 3  # some are not known
    }
    taught = Knowledge((replace(lesson, patterns=patterns, depth=depth),))
    hierarchy = Hierarchy(tictactoe, 0, taught, turns)
    assert hierarchy.pattern_index.depth == depth + 2 * turns
    nodes = np.array(afterstates(tictactoe, 0)[::2], np.int32)
    hierarchy.values(nodes)  # from now on their features are remembered
    values = hierarchy.values(nodes)
    for node, value in zip(nodes, values, strict=True):
        pattern = hierarchy.pattern_index.pattern(int(node))
        assert value == pytest.approx(100 * plain_value(pattern, hierarchy))
    assert len(set(np.round(values, 9))) > len(set(patterns)) / 2


def test_what_was_learned_stands_and_ends_are_what_they_are(
    tictactoe: StateGraph, lesson: Lesson, board: Callable[[str], Row]
) -> None:
    hierarchy = Hierarchy(tictactoe, 0, Knowledge((lesson,)))
    drawings = ["XX. XOO .OX", "XXX OO. ...", "OOO XX. X.."]
    nodes = np.array([tictactoe.number(board(d)) for d in drawings], np.int32)
    assert hierarchy.values(nodes).tolist() == [63.36, 100.0, 0.0]


def test_composed_values_are_nearer_to_the_truth(tictactoe: StateGraph) -> None:
    """Taught perfect play two plies from the end, it sees forks four plies ahead."""

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
    taught = learn_values(
        shallow, rows, true, np.ones(len(nodes), int), opponent="perfect", matches=1
    )
    hierarchy = Hierarchy(tictactoe, 0, taught)
    assert hierarchy.model.sharpness > 2
    numbers = shallow.numbers(nodes)
    silent = np.array([not shallow.has_terminal(int(number)) for number in numbers])
    assert silent.sum() > 50
    hierarchy.values(nodes)  # from now on their features are remembered
    error = np.abs(hierarchy.values(nodes[silent]) - true[silent]).mean()
    assert error < 0.8 * np.abs(50 - true[silent]).mean()


def test_nothing_is_searched_but_what_shallow_patterns_need(
    lesson: Lesson, board: Callable[[str], Row]
) -> None:
    simulator = choose_simulator(load("tictactoe"))
    searched = []
    for deep in (False, True):
        graph = StateGraph(simulator)
        knowledge = Knowledge((lesson,))
        node = np.array([graph.number(board("X.. ... ..."))], np.int32)
        if deep:
            Hierarchy(graph, 0, knowledge).values(node)
        else:
            target_index(graph, 0, knowledge).numbers(node)
        searched.append(len(graph))
    assert searched[0] == searched[1]


def test_a_deep_template_is_made_of_what_was_met(
    tictactoe: StateGraph, lesson: Lesson, board: Callable[[str], Row]
) -> None:
    pattern_index = Hierarchy(tictactoe, 0, Knowledge((lesson,))).pattern_index
    parent, child = (
        tictactoe.number(board(drawing)) for drawing in ("X.. ... ...", "XO. X.. ...")
    )
    assert pattern_index.pattern(parent) == frozenset({frozenset({"N"})})
    met = PatternIndex(tictactoe, 0).pattern(child)
    pattern_index.number(child)
    deep = pattern_index.pattern(parent)
    assert deep == frozenset({frozenset({"N"}), frozenset({"N", met})})


def test_wrong_uses(tictactoe: StateGraph, lesson: Lesson) -> None:
    with pytest.raises(ValueError, match="turns must be at least 1, got 0"):
        Hierarchy(tictactoe, 0, Knowledge((lesson,)), turns=0)
    mixed = Knowledge((lesson, replace(lesson, depth=3)))
    with pytest.raises(KnowledgeError, match="one depth are wanted, got 2, 3"):
        Hierarchy(tictactoe, 0, mixed)
    with pytest.raises(KnowledgeError, match="nothing was learned"):
        Hierarchy(tictactoe, 0, Knowledge())


def test_kernels_load_from_disk() -> None:
    """Numba can store a recursive function that it then cannot load."""
    code = """
import numpy as np
from gamelore.graph import StateGraph
from gamelore.games import load
from gamelore.engine import simulator
from gamelore.transfer import TreePattern, Hierarchy, Knowledge, Learned, Lesson
features = {TreePattern.parse("L"): Learned(1.0, 1, 1)}
lesson = Lesson("nim", "0f", "x", "novice", 1, {0: "L", 100: "W"}, features)
graph = StateGraph(simulator(load("nim-1-2"), "interpreter"))
hierarchy = Hierarchy(graph, 0, Knowledge((lesson,)))
print(hierarchy.values(np.array([graph.root], np.int32)))
"""
    told = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert told[0] == told[1] != ""
