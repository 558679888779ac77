"""Playouts that are cut off count as the goals of the position they have come to."""

from __future__ import annotations

import pytest

from gamelore.engine import CircuitSimulator, simulator
from gamelore.games import load
from gamelore.gdl import Game, to_kif
from gamelore.search.mcts import CircuitTree, TreeSettings
from gamelore.search.mcts._tree_kernels import LIMIT

STEPS = 64

TURNS = f"""
(role red) (role yellow)
(init (step 0)) (init (control red))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (control yellow)) (true (control red)))
(<= (next (control red)) (true (control yellow)))
(<= (legal ?r take) (true (control ?r)))
(<= (legal ?r leave) (true (control ?r)))
(<= (legal red noop) (true (control yellow)))
(<= (legal yellow noop) (true (control red)))
(<= terminal (true (step {STEPS})))
{" ".join(f"(succ {n} {n + 1})" for n in range(STEPS))}
"""

IDLE = f"""{TURNS}
(<= (goal red 100) terminal) (<= (goal yellow 0) terminal)
(<= (goal red 30) (not (true (step {STEPS}))))
(<= (goal yellow 70) (not (true (step {STEPS}))))
"""

POINTS = f"""{TURNS}
(init (lead 32))
(<= (next (lead ?n)) (true (lead ?m)) (does red take) (succ ?m ?n))
(<= (next (lead ?n)) (true (lead ?m)) (does yellow take) (succ ?n ?m))
(<= (next (lead ?m)) (true (lead ?m)) (does red leave))
(<= (next (lead ?m)) (true (lead ?m)) (does yellow leave))
(<= ahead (true (lead ?n)) (more ?n))
(<= level (true (lead 32)))
(<= (goal red 100) ahead) (<= (goal yellow 0) ahead)
(<= (goal red 50) level) (<= (goal yellow 50) level)
(<= (goal red 0) (not ahead) (not level)) (<= (goal yellow 100) (not ahead) (not level))
{" ".join(f"(more {n})" for n in range(33, STEPS + 1))}
"""


def make_tree(game: Game, settings: TreeSettings) -> CircuitTree:
    engine = simulator(game)
    assert isinstance(engine, CircuitSimulator)
    tree = CircuitTree(engine, settings, 1)
    tree.set_root(engine.initial_row())
    return tree


@pytest.mark.parametrize("decisive", [True, False])
@pytest.mark.parametrize(("limit", "value"), [(16, 30.0), (2000, 100.0), (None, 100.0)])
def test_what_a_playout_counts(limit: int | None, value: float, decisive: bool) -> None:
    game = Game.from_kif(IDLE)
    settings = TreeSettings(playout_limit=limit, decisive=decisive, nodes=10_000)
    tree = make_tree(game, settings)
    tree.search(2000)
    assert tree.analyse(0).value == value
    assert {one.value for one in tree.analyse(0).candidates} == {value}


def test_playouts_are_cut_off_where_goals_midway_foretell_the_end() -> None:
    tree = make_tree(Game.from_kif(POINTS), TreeSettings(nodes=10_000))
    assert tree.profile.foretold > 0.6
    assert tree._tree.state[LIMIT] == 16
    tree.search(3000)
    best = tree.analyse(0).best
    assert to_kif(best.move) == "take"
    whole = TreeSettings(playout_limit=2000, nodes=10_000)
    assert make_tree(Game.from_kif(POINTS), whole)._tree.state[LIMIT] == 2000


@pytest.mark.parametrize("name", ["othello-6x6", "connect-four-4x4", "hex-5x5"])
def test_playouts_go_to_the_end_elsewhere(name: str) -> None:
    assert make_tree(load(name), TreeSettings(nodes=1000))._tree.state[LIMIT] == 2000
