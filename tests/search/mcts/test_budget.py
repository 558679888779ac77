"""Budgets of playouts: small ones are kept, and parts make no difference."""

from __future__ import annotations

import pytest

from gamelore.engine import CircuitSimulator, simulator
from gamelore.engine.position import Position
from gamelore.games import load
from gamelore.player import Briefing, Clock
from gamelore.search.mcts import CircuitTree, TreePlayer, TreeSettings


@pytest.fixture(scope="module")
def engine() -> CircuitSimulator:
    found = simulator(load("connect-four"))
    assert isinstance(found, CircuitSimulator)
    return found


@pytest.mark.parametrize("playouts", [None, 400])
def test_a_search_in_parts_is_the_same_as_in_one(
    engine: CircuitSimulator, playouts: int | None
) -> None:
    row = Position.initial(engine).row
    found = []
    for parts in ([4000], [1, 1500, 7, 1492, 1000], [400] * 10):
        tree = CircuitTree(engine, TreeSettings(playouts=playouts), seed=3)
        for part in parts:
            tree.set_root(row)  # already is: playouts under way go on
            tree.search(part)
        found.append(tree.analyse(0))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("playouts", [16, 100, 1000])
def test_most_playouts_of_a_small_budget_end(
    engine: CircuitSimulator, playouts: int
) -> None:
    tree = CircuitTree(engine, TreeSettings(playouts=playouts), seed=1)
    tree.set_root(Position.initial(engine).row)
    tree.search(playouts)
    assert playouts <= tree.playouts <= playouts + max(1, playouts // 16)
    ended = int(tree._tree.nodes.visits[tree._root])
    assert 0.9 * playouts <= ended <= tree.playouts


def test_another_root_begins_a_budget_of_its_own(engine: CircuitSimulator) -> None:
    tree = CircuitTree(engine, TreeSettings(), seed=1)
    first = Position.initial(engine)
    tree.set_root(first.row)
    tree.search(1)  # begins as many as there are lanes
    begun = tree.playouts
    tree.set_root(first.advance("(drop 4)").row)
    tree.search(1)
    assert tree.playouts > begun


@pytest.mark.parametrize("name", ["connect-four", "rock-paper-scissors"])
def test_a_budget_holds_while_the_start_clock_runs(name: str) -> None:
    found = simulator(load(name))
    player = TreePlayer(1, TreeSettings(playouts=100))
    player.start(Briefing(found, found.roles[0]), Clock(3600.0))
    assert 100 <= player._playouts <= 200
    player = TreePlayer(1, TreeSettings(seconds=0.01))
    player.start(Briefing(found, found.roles[0]), Clock(3600.0))
