"""Moves that share playouts by the facts they add."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gamelore.engine import CircuitSimulator, simulator
from gamelore.games import load
from gamelore.search.mcts import CircuitTree, TreeSettings
from gamelore.search.mcts._tree_kernels import EXPANDED
from gamelore.search.mcts.lasting_facts import facts_last


def searched(name: str, playouts: int, **settings: Any) -> CircuitTree:
    engine = simulator(load(name))
    assert isinstance(engine, CircuitSimulator)
    tree = CircuitTree(engine, TreeSettings(**{"nodes": 20_000, **settings}), 1)
    tree.set_root(engine.initial_row())
    tree.search(playouts)
    return tree


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("hex-4x4", True),
        ("connect-four-4x4", True),
        ("tictactoe", True),
        ("othello-4x4", False),
        ("breakthrough-6x6", False),
        ("nim", False),
    ],
)
def test_stones_that_stay_are_found(name: str, last: bool) -> None:
    engine = simulator(load(name))
    assert facts_last(engine) is last


def test_the_key_of_a_move_is_a_fact_that_no_other_move_adds() -> None:
    tree = searched("hex-5x5", 3000, rave=1000)
    nodes, edges = tree._tree.nodes, tree._tree.edges
    found = 0
    for node in np.flatnonzero(nodes.status[: tree.nodes] == EXPANDED):
        span = slice(nodes.first[node], nodes.first[node] + nodes.degree[node])
        added = nodes.rows[edges.child[span]] & ~nodes.rows[node]
        bits = np.unpackbits(added.view(np.uint8), axis=1, bitorder="little")
        unique = bits.sum(axis=0) == 1
        for row, key in zip(bits, edges.key[span], strict=True):
            if key >= 0:
                assert row[key]
                assert unique[key]
                found += 1
            else:
                assert len(bits) == 1 or not row[unique].any()
    assert found > 100


def test_tables_count_playouts_below_their_nodes() -> None:
    tree = searched("hex-4x4", 20_000, playouts_per_leaf=1, rave=1000)
    tree._abandon()
    nodes, facts = tree._tree.nodes, tree._tree.facts
    owners = np.flatnonzero(nodes.table[: tree.nodes])
    assert len(owners) == facts.used[0] > 10
    for node in owners:
        table = nodes.table[node] - 1
        assert facts.playouts[table].max() <= nodes.visits[node]
        assert (facts.goals[table] <= facts.playouts[table]).all()
        stones = np.unpackbits(nodes.rows[node].view(np.uint8), bitorder="little")
        # What is true for good is true at the end of every playout that was counted.
        names = [str(fact) for fact in tree.engine.fluents]
        counted = facts.playouts[table].max()
        for number, name in enumerate(names):
            if stones[number] and ("red" in name or "blue" in name) and "cell" in name:
                assert facts.playouts[table][number] == counted


def test_it_can_be_switched_off_and_is_where_facts_do_not_last() -> None:
    for name, shared in (
        ("hex-5x5", True),
        ("othello-6x6", False),
        ("connect-four-4x4", False),  # few moves
    ):
        assert bool(len(searched(name, 200)._tree.facts.playouts)) is shared
    assert len(searched("hex-5x5", 200, rave=0)._tree.facts.playouts) == 0
    assert len(searched("othello-4x4", 200, rave=9)._tree.facts.playouts) > 0


def test_a_tree_that_forgets_keeps_the_tables_of_nodes_that_stay() -> None:
    tree = searched("hex-5x5", 30_000, nodes=4000, rave=1000, expand_after=5)
    row = tree.engine.expand(tree.engine.initial_row()[np.newaxis]).successors[3]

    def tables() -> dict[bytes, list[float]]:
        arrays = tree._tree
        owners = np.flatnonzero(arrays.nodes.table[: tree.nodes])
        return {
            arrays.nodes.rows[node].tobytes(): [
                *arrays.facts.playouts[arrays.nodes.table[node] - 1].tolist(),
                *arrays.facts.goals[arrays.nodes.table[node] - 1].tolist(),
            ]
            for node in owners
        }

    before, count = tables(), tree.nodes
    tree.set_root(row.copy())
    assert tree.nodes < count
    after, used = tables(), int(tree._tree.facts.used[0])
    assert 0 < len(after) == used < len(before)
    assert all(before[key] == values for key, values in after.items())
    assert not tree._tree.facts.playouts[used:].any()
    assert not tree._tree.facts.goals[used:].any()
    tree.search(5000)
    assert tree._tree.facts.used[0] > used
