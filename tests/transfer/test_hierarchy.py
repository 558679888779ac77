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
from gamelore.graph import Atlas, Template, Templates
from gamelore.transfer import (
    Hierarchy,
    Knowledge,
    Learned,
    Lesson,
    OpponentModel,
    find_features,
    fit_opponent,
    learn_values,
    target_templates,
)

WORTH = {"L": 0.0, "D": 0.5, "W": 1.0}


def afterstates(atlas: Atlas, role: int) -> list[int]:
    """All positions that a role's moves lead to, terminal ones not counted."""
    seen, waiting, found = {atlas.root}, [atlas.root], set()
    while waiting:
        node = waiting.pop()
        for edge in atlas.edges(node):
            if atlas.mover(node) == role and not atlas.is_terminal(edge.child):
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
    tictactoe: Atlas, lesson: Lesson, sharpness: float, trust: float
) -> None:
    model = OpponentModel(sharpness, trust)
    features = {
        feature: Learned(100 * model.explain(feature, WORTH), 10 + n, 1)
        for n, feature in enumerate(find_features(tictactoe, 0))
    }
    found = fit_opponent(Knowledge((replace(lesson, features=features),)))
    assert found.sharpness == pytest.approx(sharpness, abs=1e-6)
    assert found.trust == pytest.approx(trust)


def test_nothing_learned_explains_nothing() -> None:
    assert fit_opponent(Knowledge()) == OpponentModel(0.0, 0.0)


def shortened(template: Template, depth: int) -> Template:
    if isinstance(template, str):
        return template
    if depth == 0:
        return "N"
    return frozenset(shortened(part, depth - 1) for part in template)


def plain_value(template: Template, hierarchy: Hierarchy, level: int = 0) -> float:
    """The value of a deep template by plain recursion, from 0 to 1."""
    known: dict[Template, float] = {
        feature.template: learned.value / 100
        for feature, learned in hierarchy.knowledge.values().items()
    }
    if isinstance(template, str):
        return WORTH.get(template, 0.5)
    if level == 0 and shortened(template, hierarchy.plan.depth) in known:
        return known[shortened(template, hierarchy.plan.depth)]
    if level == hierarchy.plan.head:
        return known.get(template, 0.5)
    below = [plain_value(part, hierarchy, level + 1) for part in template]
    return max(below) if level % 2 else hierarchy.model.mix(below)


@pytest.mark.parametrize(("depth", "turns"), [(2, 1), (1, 1), (1, 2)])
def test_the_kernel_equals_the_plain_recursion(
    tictactoe: Atlas, lesson: Lesson, depth: int, turns: int
) -> None:
    found = find_features(tictactoe, 0, depth)
    features = {
        feature: Learned(float(30 + 40 * n / len(found)), 1 + n, 1)
        for n, feature in enumerate(found)
        if n % 3  # some are not known
    }
    taught = Knowledge((replace(lesson, features=features, depth=depth),))
    hierarchy = Hierarchy(tictactoe, 0, taught, turns)
    assert hierarchy.templates.depth == depth + 2 * turns
    nodes = np.array(afterstates(tictactoe, 0)[::2], np.int32)
    hierarchy.values(nodes)  # from now on their features are remembered
    values = hierarchy.values(nodes)
    for node, value in zip(nodes, values, strict=True):
        template = hierarchy.templates.template(int(node))
        assert value == pytest.approx(100 * plain_value(template, hierarchy))
    assert len(set(np.round(values, 9))) > len(set(features)) / 2


def test_what_was_learned_stands_and_ends_are_what_they_are(
    tictactoe: Atlas, lesson: Lesson, board: Callable[[str], Row]
) -> None:
    hierarchy = Hierarchy(tictactoe, 0, Knowledge((lesson,)))
    drawings = ["XX. XOO .OX", "XXX OO. ...", "OOO XX. X.."]
    nodes = np.array([tictactoe.number(board(d)) for d in drawings], np.int32)
    assert hierarchy.values(nodes).tolist() == [63.36, 100.0, 0.0]


def test_composed_values_are_nearer_to_the_truth(tictactoe: Atlas) -> None:
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
    shallow = Templates(tictactoe, 0)
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


def test_nothing_is_searched_but_what_shallow_features_need(
    lesson: Lesson, board: Callable[[str], Row]
) -> None:
    simulator = choose_simulator(load("tictactoe"))
    searched = []
    for deep in (False, True):
        atlas = Atlas(simulator)
        knowledge = Knowledge((lesson,))
        node = np.array([atlas.number(board("X.. ... ..."))], np.int32)
        if deep:
            Hierarchy(atlas, 0, knowledge).values(node)
        else:
            target_templates(atlas, 0, knowledge).numbers(node)
        searched.append(len(atlas))
    assert searched[0] == searched[1]


def test_a_deep_template_is_made_of_what_was_met(
    tictactoe: Atlas, lesson: Lesson, board: Callable[[str], Row]
) -> None:
    templates = Hierarchy(tictactoe, 0, Knowledge((lesson,))).templates
    parent, child = (
        tictactoe.number(board(drawing)) for drawing in ("X.. ... ...", "XO. X.. ...")
    )
    assert templates.template(parent) == frozenset({frozenset({"N"})})
    met = Templates(tictactoe, 0).template(child)
    templates.number(child)
    deep = templates.template(parent)
    assert deep == frozenset({frozenset({"N"}), frozenset({"N", met})})


def test_wrong_uses(tictactoe: Atlas, lesson: Lesson) -> None:
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
from gamelore.atlas import Atlas
from gamelore.games import load
from gamelore.simulate import simulator
from gamelore.transfer import Feature, Hierarchy, Knowledge, Learned, Lesson
features = {Feature.parse("L"): Learned(1.0, 1, 1)}
lesson = Lesson("nim", "0f", "x", "novice", 1, {0: "L", 100: "W"}, features)
atlas = Atlas(simulator(load("nim-1-2"), "interpreter"))
hierarchy = Hierarchy(atlas, 0, Knowledge((lesson,)))
print(hierarchy.values(np.array([atlas.root], np.int32)))
"""
    told = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert told[0] == told[1] != ""
