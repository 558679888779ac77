"""Cases of moves: they say what the graph says for each move, and so do selectors."""

from __future__ import annotations

from random import Random

import pytest

from gamelore.circuit import selectors
from gamelore.circuit.build import build
from gamelore.circuit.graph import Graph, GraphBuilder
from gamelore.circuit.selectors import MoveCases, TooMuchWorkError, join_cases
from gamelore.circuit.turns import find_turn_order, make_turn_circuit
from gamelore.gdl import Game
from gamelore.ground import ground

FLUENTS, MOVES, LANES = 8, 12, 64
_ALL = (1 << LANES) - 1

WALKERS = """
(role a) (role b) (piece k) (piece n) (piece p)
(init (at 1 k)) (init (at 2 n)) (init (at 3 p)) (init (turn a))
(cell 1) (cell 2) (cell 3) (cell 4) (cell 5) (cell 6) (cell 7)
(<= (empty ?c) (cell ?c) (not (full ?c)))
(<= (full ?c) (true (at ?c ?p)))
(<= (legal ?r (go ?c ?d)) (true (turn ?r)) (full ?c) (empty ?d))
(<= (legal a wait) (true (turn b)))
(<= (legal b wait) (true (turn a)))
(<= (next (turn a)) (true (turn b)))
(<= (next (turn b)) (true (turn a)))
(<= (next (at ?d ?p)) (does ?r (go ?c ?d)) (true (at ?c ?p)))
(<= (next (at ?e ?p)) (does ?r (go ?c ?d)) (true (at ?e ?p)) (distinct ?e ?c)
    (distinct ?e ?d))
(<= terminal (true (at 7 k)))
(<= (goal ?r 100) (role ?r) (true (at 7 k)))
(<= (goal ?r 0) (role ?r) (not (true (at 7 k))))
"""


def random_graph(seed: int) -> Graph:
    """Gates over fluents and moves; many join a move and a fluent, as rules do."""
    random = Random(seed)
    builder = GraphBuilder(FLUENTS + MOVES)
    literals = [2 * (1 + i) for i in range(FLUENTS + MOVES)]
    for _ in range(60):
        one, other = (random.choice(literals) ^ random.getrandbits(1) for _ in "ab")
        literals.append(builder.both(one, other))
    outputs = [random.choice(literals) ^ random.getrandbits(1) for _ in range(10)]
    for _ in range(6):  # as if a piece moved: the same sources for several targets
        chosen = random.sample(range(MOVES), 4)
        outputs.append(
            builder.disjoin(
                builder.both(2 * (1 + FLUENTS + m), 2 * (1 + m % FLUENTS))
                for m in chosen
            )
        )
    return builder.finish(outputs)


@pytest.mark.parametrize("seed", range(40))
def test_cases_and_selectors_say_what_the_graph_says(seed: int) -> None:
    graph = random_graph(seed)
    builder = GraphBuilder(FLUENTS + 500)
    groups: dict[int, int] = {}

    def group(members: int) -> int:
        return builder.input(FLUENTS + groups.setdefault(members, len(groups)))

    inputs = {node: 2 * node for node in range(1, 1 + FLUENTS)}
    moves = range(1 + FLUENTS, 1 + FLUENTS + MOVES)
    cases = MoveCases(graph, builder, inputs, moves)
    found = [cases.of(literal) for literal in graph.outputs.tolist()]
    assert all(one is None or sum(one.values()) == cases.every for one in found), (
        "every move is in one case"
    )
    joined = join_cases(found, builder, group)
    made = builder.finish([0 if literal is None else literal for literal in joined])
    random = Random(seed)
    facts = [random.getrandbits(LANES) for _ in range(FLUENTS)]
    for move in range(MOVES):
        lanes = [_ALL * (m == move) for m in range(MOVES)]
        wanted = graph.evaluate([*facts, *lanes], _ALL)
        chosen = [0] * 500
        for members, number in groups.items():
            chosen[number] = _ALL * (members >> move & 1)
        values = made.evaluate([*facts, *chosen], _ALL)
        for literal, one, other in zip(joined, wanted, values, strict=True):
            assert literal is None or one == other


def test_what_moves_is_selected_once_for_all_cells() -> None:
    circuit = build(ground(Game.from_kif(WALKERS, "walkers")))
    turn = make_turn_circuit(circuit, find_turn_order(circuit), 0)
    groups = turn.circuit.graph.inputs - turn.first_group
    assert len(turn.moves) == 42
    assert groups <= 21, "what leaves, arrives at, or spares each of seven cells"


def test_cases_without_end_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "_MOST_WORK", 10)
    with pytest.raises(TooMuchWorkError):
        MoveCases(
            random_graph(1),
            GraphBuilder(FLUENTS),
            {node: 2 * node for node in range(1, 1 + FLUENTS)},
            range(1 + FLUENTS, 1 + FLUENTS + MOVES),
        )
    circuit = build(ground(Game.from_kif(WALKERS, "walkers")))
    turn = make_turn_circuit(circuit, find_turn_order(circuit), 0)
    assert len(turn.moves) == 42
