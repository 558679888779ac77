"""The state graph against the simulator it is made of, on both engines."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
import pytest

from gamelore.engine import Interpreter, Simulator, simulator
from gamelore.errors import NotTurnTakingError, StuckError
from gamelore.games import load
from gamelore.gdl import Game, to_kif
from gamelore.graph import StateGraph

FEW = ["tictactoe", "nim", "connect-3", "capture-go", "hex-3x3", "pig"]
SMALL = [*FEW, "othello-4x4"]
LONG = pytest.param("othello-4x4", marks=pytest.mark.slow)  # on the interpreter

STUCK = """
(role x) (role o) (init (at 0)) (init (control x))
(<= (legal x left) (true (control x))) (<= (legal x right) (true (control x)))
(<= (legal x noop) (true (control o))) (<= (legal o noop) (true (control x)))
(<= (next (control o)) (true (control x)))
(<= (next (at 1)) (does x left)) (<= (next (at 2)) (does x right))
(<= terminal (true (at 2))) (<= (goal x 100) (true (at 2))) (goal o 0)
(<= (goal x 0) (not (true (at 2))))
"""


def reachable(graph: StateGraph) -> list[int]:
    """Every node that can be reached, nearest first."""
    found = {graph.root}
    waiting = deque([graph.root])
    while waiting:
        for edge in graph.edges(waiting.popleft()):
            if edge.child not in found:
                found.add(edge.child)
                waiting.append(edge.child)
    return list(found)


def sampled(graph: StateGraph, matches: int) -> Iterator[int]:
    """The nodes of random matches."""
    random = np.random.default_rng(1)
    for _ in range(matches):
        node = graph.root
        while not graph.is_terminal(node):
            yield node
            edges = graph.edges(node)
            node = edges[int(random.integers(len(edges)))].child
        yield node


def test_tictactoe_has_its_positions() -> None:
    graph = StateGraph(simulator(load("tictactoe")))
    nodes = reachable(graph)
    assert len(nodes) == len(graph) == 5478
    assert sum(map(graph.is_terminal, nodes)) == 958
    assert len({graph.row(node).tobytes() for node in nodes}) == 5478


@pytest.mark.slow
def test_tictactoe_is_the_same_on_the_interpreter() -> None:
    ours, theirs = (StateGraph(s) for s in engines("tictactoe"))
    pairs = {ours.root: theirs.root}
    waiting = [ours.root]
    while waiting:
        node = waiting.pop()
        twin = pairs[node]
        assert ours.mover(node) == theirs.mover(twin)
        assert ours.goals(node).tolist() == theirs.goals(twin).tolist()
        moves, others = dict(ours.moves(node)), dict(theirs.moves(twin))
        assert moves.keys() == others.keys()
        for move, child in moves.items():
            if child not in pairs:
                pairs[child] = others[move]
                waiting.append(child)
            assert pairs[child] == others[move]
    assert len(pairs) == len(theirs) == 5478


def engines(name: str) -> tuple[Simulator, Simulator]:
    return simulator(load(name)), Interpreter(load(name))


@pytest.mark.parametrize("name", SMALL)
def test_edges_are_what_the_simulator_expands(name: str) -> None:
    graph = StateGraph(simulator(load(name)))
    for node in set(sampled(graph, 20)):
        row = graph.row(node)[None]
        assert graph.is_terminal(node) == bool(graph.simulator.terminal(row)[0])
        if graph.is_terminal(node):
            assert graph.edges(node) == []
            assert (graph.goals(node) == graph.simulator.goals(row)[0]).all()
            continue
        expansion = graph.simulator.expand(row)
        mover = graph.mover(node)
        found = {edge.move: graph.row(edge.child) for edge in graph.edges(node)}
        assert list(found) == sorted(expansion.moves[:, mover].tolist())
        for joint, after in zip(expansion.moves, expansion.successors, strict=True):
            assert (found[int(joint[mover])] == after).all()


@pytest.mark.parametrize("name", [*FEW, LONG])
def test_engines_agree_on_random_matches(name: str) -> None:
    ours, theirs = (StateGraph(s) for s in engines(name))
    random = np.random.default_rng(2)
    for _ in range(3):
        node, twin = ours.root, theirs.root
        for _ in range(60):
            assert ours.mover(node) == theirs.mover(twin)
            assert ours.goals(node).tolist() == theirs.goals(twin).tolist()
            if ours.is_terminal(node):
                break
            moves, others = dict(ours.moves(node)), dict(theirs.moves(twin))
            assert moves.keys() == others.keys()
            move = list(moves)[int(random.integers(len(moves)))]
            node, twin = moves[move], others[move]


def test_edges_of_the_interpreter_do_not_depend_on_its_past() -> None:
    unused, used = Interpreter(load("nim")), Interpreter(load("nim"))
    used.playouts(count=20)
    orders = []
    for sim in (unused, used):
        graph = StateGraph(sim)
        nodes = (graph.root, *(edge.child for edge in graph.edges(graph.root)))
        orders.append([[to_kif(m) for m, _ in graph.moves(n)] for n in nodes])
    assert orders[0] == orders[1]


def test_growing_changes_nothing_but_room() -> None:
    graph = StateGraph(simulator(load("tictactoe")))
    graph.explore(graph.root, 3)
    before = [(graph.row(n).tobytes(), graph.edges(n)) for n in range(50)]
    size = len(graph.nodes.rows)
    graph.grow()
    assert len(graph.nodes.rows) == 2 * size
    assert [(graph.row(n).tobytes(), graph.edges(n)) for n in range(50)] == before
    assert all(graph.number(graph.row(node)) == node for node in range(len(graph)))


@pytest.mark.parametrize("engine", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_simultaneous_moves_are_refused(engine: int) -> None:
    graph = StateGraph(engines("rock-paper-scissors")[engine])
    with pytest.raises(NotTurnTakingError, match="two roles have a choice at once"):
        graph.edges(graph.root)


@pytest.mark.parametrize("interpreted", [False, True])
def test_a_role_without_a_move_is_an_error(interpreted: bool) -> None:
    game = Game.from_kif(STUCK, name="stuck")
    graph = StateGraph(Interpreter(game) if interpreted else simulator(game))
    going = [e.child for e in graph.edges(graph.root) if not graph.is_terminal(e.child)]
    with pytest.raises(StuckError, match="a role has no legal move in 'stuck'"):
        graph.edges(going[0])
