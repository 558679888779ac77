"""The tree in kernels: it repeats, keeps what it knows, and stays whole when full."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gamelore.engine import CircuitSimulator
from gamelore.games import load
from gamelore.gdl import Game, to_kif
from gamelore.search.mcts import CircuitTree, TreeSettings, _tree_kernels
from gamelore.search.mcts._tree_kernels import EXPANDED, PROVEN, Edges, Nodes
from gamelore.search.mcts.tree import TooWideError

RARE = """
(role a) (role b) (init (step 0))
(<= (legal a left) (true (step ?n))) (<= (legal a right) (true (step ?n)))
(<= (legal a pass) (true (step ?n))) (<= (legal a noop) (true passed))
(<= (legal b noop) (true (step ?n)))
(<= (legal b take) (true passed)) (<= (legal b give) (true passed))
{successors}
(<= (next (step ?n)) (does a left) (true (step ?m)) (succ ?m ?n))
(<= (next stopped) (does a right)) (<= (next passed) (does a pass))
(<= (next taken) (does b take)) (<= (next given) (does b give))
(<= terminal (true stopped)) (<= terminal (true (step 12)))
(<= terminal (true taken)) (<= terminal (true given))
(<= (goal a 100) (true (step 12))) (<= (goal b 100) (true (step 12)))
(<= (goal a 50) (true stopped)) (<= (goal b 50) (true stopped))
(<= (goal a 0) (true taken)) (<= (goal b 100) (true taken))
(<= (goal a 100) (true given)) (<= (goal b 0) (true given))
""".format(successors=" ".join(f"(succ {n} {n + 1})" for n in range(12)))
"""The sum of goals is 100, but for one random match in 500,000."""

WIDE = """
(role a) (role b) {numbers}
(<= (legal ?r (pick ?x)) (role ?r) (num ?x))
(<= (next same) (does a (pick ?x)) (does b (pick ?x)))
(<= (next over) (does a (pick ?x)))
(init begun)
(<= terminal (true over))
(<= (goal a 100) (true same)) (<= (goal b 0) (true same))
(<= (goal a 0) (not (true same))) (<= (goal b 100) (not (true same)))
""".format(numbers=" ".join(f"(num {n})" for n in range(70)))
"""Two roles choose from 70 moves at once: 4,900 joint moves."""

SADDLE = """
(role a) (role b) (init begun)
(legal a up) (legal a down) (legal b left) (legal b right)
(<= (next (did ?x ?y)) (does a ?x) (does b ?y))
(<= (next over) (true begun))
(<= terminal (true over))
(pays up left 50) (pays up right 100) (pays down left 0) (pays down right 100)
(against 50 50) (against 100 0) (against 0 100)
(<= (goal a ?n) (true (did ?x ?y)) (pays ?x ?y ?n))
(<= (goal b ?m) (true (did ?x ?y)) (pays ?x ?y ?n) (against ?n ?m))
"""
"""Both choose at once; up and left is a saddle point, worth 50."""


def make(name: str, seed: int = 1, **settings: Any) -> CircuitTree:
    engine = CircuitSimulator(load(name))
    tree = CircuitTree(engine, TreeSettings(**settings), seed)
    tree.set_root(engine.initial_row())
    return tree


def arrays(tree: CircuitTree) -> list[np.ndarray]:
    """All arrays of a tree; of the hash table, too."""
    found: list[np.ndarray] = []
    waiting: list[Any] = [tree._tree]
    while waiting:
        one = waiting.pop()
        if isinstance(one, tuple):
            waiting.extend(one)
        else:
            found.append(one)
    return found


@pytest.mark.parametrize("name", ["connect-four", "trio", "tron", "pig"])
def test_the_same_seed_gives_the_same_tree(name: str) -> None:
    one, same, other = (make(name, seed, nodes=20_000) for seed in (3, 3, 4))
    one.search(20_000)
    while (left := 20_000 - same.playouts) > 0:
        same.search(min(left, 1999))  # however the playouts are cut into slices
    other.search(20_000)
    for first, second in zip(arrays(one), arrays(same), strict=True):
        assert (first == second).all()
    assert one.analyse(0) == same.analyse(0)
    assert (one._tree.nodes.sums != other._tree.nodes.sums).any()


@pytest.mark.parametrize("name", ["connect-four", "tron", "pig", "rock-paper-scissors"])
def test_what_is_under_way_is_taken_back(name: str, check_tree: Any) -> None:
    tree = make(name, playouts_per_leaf=4)
    tree.search(10_000)
    nodes = tree._tree.nodes
    assert (nodes.begun > nodes.visits).any()
    tree._abandon()
    assert (nodes.begun == nodes.visits).all()
    check_tree(tree)


def test_what_is_known_below_a_new_root_stays(check_tree: Any) -> None:
    tree = make("connect-four")
    tree.search(50_000)
    engine = tree.engine
    child = tree._tree.edges.child[3]
    visits, count = int(tree._tree.nodes.visits[child]), tree.nodes
    sums = tree._tree.nodes.sums[child].copy()
    tree.set_root(tree._tree.nodes.rows[child].copy())
    assert tree.nodes == count
    assert tree._tree.state[_tree_kernels.ROOT] == child
    assert tree._tree.nodes.visits[child] == visits > 1000
    assert (tree._tree.nodes.sums[child] == sums).all()
    role = engine.roles.index("yellow")
    assert sum(one.visits for one in tree.analyse(role).candidates) > 1000
    tree.search(10_000)
    tree._abandon()
    check_tree(tree)


def test_the_most_visited_nodes_are_kept(check_tree: Any) -> None:
    tree = make("connect-four", nodes=20_000, playouts_per_leaf=1, expand_after=3)
    row = tree.engine.initial_row()
    tree.search(60_000)
    tree._abandon()
    before = Nodes(*map(np.copy, tree._tree.nodes))
    edges = Edges(*map(np.copy, tree._tree.edges))
    assert tree.nodes > 0.6 * 20_000
    known = {
        before.rows[n].tobytes(): (int(before.visits[n]), before.sums[n].tolist())
        for n in range(tree.nodes)
    }
    tree.set_root(row)
    after = tree._tree.nodes
    assert 100 < tree.nodes <= 5000
    least = np.inf
    for n in range(tree.nodes):
        visits, sums = known.pop(after.rows[n].tobytes())
        assert (visits, sums) == (after.visits[n], after.sums[n].tolist())
        if after.status[n] == EXPANDED:
            least = min(least, visits)
    lost = {n for n in range(len(before.rows)) if before.rows[n].tobytes() in known}
    often = {n for n in lost if before.status[n] == EXPANDED}
    often = {n for n in often if before.visits[n] >= least}
    for parent in np.flatnonzero(before.status == EXPANDED):
        first, degree = before.first[parent], before.degree[parent]
        if often & set(edges.child[first : first + degree].tolist()):
            # By transposition below nodes that are forgotten, and by no other way.
            assert before.visits[parent] < least or parent in lost
    check_tree(tree)
    tree.search(60_000)
    tree._abandon()
    check_tree(tree)


@pytest.mark.parametrize(
    "name", ["connect-four", "breakthrough", "tron", "trio", "hex-7x7"]
)
def test_a_full_tree_is_whole(name: str, check_tree: Any) -> None:
    tree = make(name, nodes=1000, playouts_per_leaf=1)
    tree.search(20_000)
    assert tree.playouts >= 20_000
    tree._abandon()
    check_tree(tree)
    tree.set_root(tree.engine.initial_row())
    used = tree.nodes
    tree.search(5000)
    assert tree.nodes > used, "there is room again"


def test_a_proven_root_whose_moves_were_forgotten_is_proven_again() -> None:
    tree = make("tictactoe", nodes=20_000)
    assert tree.search(1_000_000)
    state, nodes = tree._tree.state, tree._tree.nodes
    proven = np.flatnonzero(
        (nodes.status[: tree.nodes] == PROVEN) & (nodes.degree[: tree.nodes] > 2)
    )
    node = int(proven[len(proven) // 2])
    goals = nodes.goals[node].tolist()
    tree._abandon()
    nodes.degree[node] = 0
    tree.set_root(nodes.rows[node].copy())
    assert state[_tree_kernels.ROOT] == node
    assert tree.search(100_000)
    assert nodes.goals[node].tolist() == goals


def test_goals_that_are_not_constant_after_all(check_tree: Any) -> None:
    engine = CircuitSimulator(Game.from_kif(RARE))
    tree = CircuitTree(engine, TreeSettings(), seed=1)
    assert tree.profile.constant_sum == (100, 0, 1)
    tree.set_root(engine.initial_row())
    tree.search(100_000)
    assert tree._tree.state[_tree_kernels.SUM] == -1
    assert tree.playouts >= 100_000
    stopped = next(c for c in tree.analyse(0).candidates if to_kif(c.move) == "right")
    assert (stopped.value, stopped.proven) == (50, True)
    assert not tree.solved, "left may be better"
    tree._abandon()
    check_tree(tree)


def test_too_many_joint_moves_are_an_error() -> None:
    engine = CircuitSimulator(Game.from_kif(WIDE))
    tree = CircuitTree(engine, seed=1)
    with pytest.raises(TooWideError, match="too many joint moves"):
        tree.set_root(engine.initial_row())


def test_a_saddle_point_is_proven_and_played() -> None:
    engine = CircuitSimulator(Game.from_kif(SADDLE))
    tree = CircuitTree(engine, seed=1)
    tree.set_root(engine.initial_row())
    assert tree.search(1000)
    for role, move in enumerate(["up", "left"]):
        analysis = tree.analyse(role)
        assert (to_kif(analysis.best.move), analysis.value) == (move, 50)
        assert analysis.best.proven


def test_a_game_without_a_gate_is_searched() -> None:
    rules = """
    (role a) (init s) (legal a x) (legal a y) (<= (next t) (does a x))
    (<= terminal (not (true s))) (<= (goal a 100) (true t))
    (<= (goal a 0) (not (true t)))
    """
    engine = CircuitSimulator(Game.from_kif(rules))
    assert len(engine.program.left) == 0
    tree = CircuitTree(engine, seed=1)
    tree.set_root(engine.initial_row())
    assert tree.search(1000)
    assert to_kif(tree.analyse(0).best.move) == "x"


@pytest.mark.parametrize("seed", range(3))
def test_hands_are_shown_equally_often(seed: int) -> None:
    tree = make("rock-paper-scissors", seed)
    tree.search(1_000_000)
    for role in range(2):
        for candidate in tree.analyse(role).candidates:
            assert candidate.probability == pytest.approx(1 / 3, abs=0.02)


def test_a_position_of_no_turn_is_searched() -> None:
    engine = CircuitSimulator(load("breakthrough-5x5"))
    row = engine.initial_row().copy()
    for number, fact in enumerate(engine.fluents):
        if to_kif(fact).startswith("(control"):
            row[number >> 6] |= np.uint64(1) << np.uint64(number & 63)
    tree = CircuitTree(engine, TreeSettings(nodes=100_000), seed=1)
    tree.set_root(row)
    tree.search(2000)
    assert len(tree._lanes.turns.terminal) == 1
    tree._abandon()
    nodes = tree._tree.nodes
    played = np.flatnonzero(nodes.visits[: tree.nodes])
    assert len(played) > 1
    sums = nodes.sums[played].sum(axis=1)  # 100, or nothing if both have won at once
    assert (sums <= 100 * nodes.visits[played]).all()
    assert sums.sum() > 0
