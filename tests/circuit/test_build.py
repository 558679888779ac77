"""Random ground games built into circuits: what they compute, and the way back."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.circuit.random_games import (
    RandomGame,
    evaluate_rules,
    make_game,
    random_inputs,
)

from gamelore.circuit import compile_game
from gamelore.circuit.build import Circuit, build, loops_in_order
from gamelore.circuit.minimise import equivalent
from gamelore.circuit.restore import restore_circuit
from gamelore.games import load
from gamelore.ground import ground

seeds = st.integers(0, 2**32)


def evaluate(circuit: Circuit, inputs: list[int]) -> list[int]:
    """Return the outputs; loop variables grow from false until nothing changes.

    `inputs`: 0 or 1 for each fluent and each move.
    """
    graph = circuit.graph
    values = [*inputs, *[0] * (graph.inputs - len(inputs))]
    for loop in circuit.loops:
        before = None
        while before != values:
            before = list(values)
            outputs = graph.evaluate(values, 1)
            for variable, products in zip(loop.variables, loop.updates, strict=True):
                values[variable] = int(
                    any(
                        outputs[leaf] and all(values[v] for v in factors)
                        for leaf, factors in products
                    )
                )
    return graph.evaluate(values, 1)


def list_inputs(game: RandomGame, true: set[int]) -> list[int]:
    moves = [atom for of_role in game.ground.move_atoms for atom in of_role]
    return [int(atom in true) for atom in [*game.ground.fluent_atoms, *moves]]


@given(seeds)
def test_a_circuit_says_what_the_rules_say(seed: int) -> None:
    game, random = make_game(seed), Random(seed)
    circuit = build(game.ground)
    for _ in range(8):
        true = random_inputs(game, random)
        wanted = evaluate_rules(game, true).outputs
        found = evaluate(circuit, list_inputs(game, true))
        assert list(map(bool, found[: len(wanted)])) == wanted


@given(seeds)
@example(195)  # two loops, of which the first is not the one that was found first
def test_what_a_circuit_is_made_of(seed: int) -> None:
    ground = make_game(seed).ground
    circuit = build(ground)
    moves = sum(map(len, ground.move_atoms))
    variables = [v for loop in circuit.loops for v in loop.variables]
    first = len(ground.fluents) + moves
    assert variables == [*range(first, circuit.graph.inputs)]
    assert circuit.move_count == moves
    assert (circuit.fluents, circuit.initial) == (ground.fluents, ground.initial)
    assert circuit.goal_count == sum(map(len, ground.goals))
    assert loops_in_order(circuit)


def test_loops_that_need_each_other_are_not_in_order() -> None:
    games = (build(make_game(seed).ground) for seed in range(500))
    circuit = next(c for c in games if len(c.loops) > 1 and not independent(c))
    assert loops_in_order(circuit)
    assert not loops_in_order(replace(circuit, loops=circuit.loops[::-1]))


def independent(circuit: Circuit) -> bool:
    return loops_in_order(replace(circuit, loops=circuit.loops[::-1]))


def test_recursion_makes_loops_and_no_other_rules_do() -> None:
    game = next(g for g in map(make_game, range(99)) if build(g.ground).loops)
    bodies = game.ground.bodies.copy()
    heads = {head for level in game.levels for head, _ in level}
    bodies[[x in heads for x in bodies.tolist()]] = game.ground.fluent_atoms[0]
    assert not build(replace(game.ground, bodies=bodies)).loops


@pytest.mark.parametrize("name", ["tictactoe", "nim", "rock-paper-scissors"])
def test_the_circuit_of_a_program_is_restored(name: str) -> None:
    """It computes what the circuit does that the program was made of."""
    game = load(name)
    restored = restore_circuit(compile_game(game), game.roles)
    built = build(ground(game))
    assert restored is not None
    assert restored.moves == built.moves
    assert restored.fluents == built.fluents
    assert restored.goal_values == built.goal_values
    assert equivalent(restored.graph, built.graph)
