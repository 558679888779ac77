"""The tree in plain Python: what it finds, and that it repeats."""

from __future__ import annotations

import math
import time
from typing import Any, Literal, TypeAlias

import pytest

from gamelore.engine import Interpreter, Simulator, simulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError, StuckError
from gamelore.games import load
from gamelore.gdl import Game, to_kif
from gamelore.player import Briefing, Clock
from gamelore.search.mcts import PlainTree, TreePlayer, TreeSettings

HUGE = """
(role a) (role b) (role c) (init begun)
{numbers}
(<= (legal ?r (pick ?x)) (role ?r) (num ?x))
(<= (next (best ?r)) (does ?r (pick 7)))
(<= (next over) (true begun))
(<= terminal (true over))
(<= (goal ?r 100) (true (best ?r)))
(<= (goal ?r 0) (role ?r) (not (true (best ?r))))
""".format(numbers=" ".join(f"(num {n})" for n in range(60)))
"""Three roles choose from 60 moves at once: 216,000 joint moves; 7 is best for all."""

Engine: TypeAlias = Literal["circuit", "interpreter"]

THREAT = "(cell 1 1 x) (cell 2 2 o) (cell 3 3 x) (cell 1 2 o) (cell 3 2 x) (control o)"


def search(
    engine: Simulator, playouts: int, seed: int = 1, **settings: Any
) -> PlainTree:
    tree = PlainTree(engine, TreeSettings(**settings), seed)
    tree.set_root(engine.initial_row())
    tree.search(playouts)
    return tree


@pytest.mark.parametrize("engine", ["circuit", "interpreter"])
@pytest.mark.parametrize(
    "name", ["tictactoe", "pig-10", "rock-paper-scissors", "trio-3x3"]
)
def test_the_same_seed_gives_the_same_search(name: str, engine: Engine) -> None:
    game = load(name)
    first, second = (search(simulator(game, engine), 60) for _ in range(2))
    assert first.analyse(0) == second.analyse(0)
    assert first.nodes == second.nodes
    assert first.playouts >= 60


@pytest.mark.parametrize("engine", ["circuit", "interpreter"])
def test_it_answers_a_threat(engine: Engine) -> None:
    sim = simulator(load("tictactoe"), engine)
    tree = PlainTree(sim, seed=2)
    tree.set_root(Position(sim, THREAT).row)
    tree.search(300)
    analysis = tree.analyse(1)
    assert to_kif(analysis.best.move) == "(mark 3 1)"
    assert [to_kif(joint[1]) for joint in analysis.best.line[:1]] == ["(mark 3 1)"]
    with pytest.raises(GameloreError, match="x has no choice here"):
        tree.analyse(0)


def test_visits_add_up() -> None:
    tree = search(simulator(load("connect-four")), 2000)
    for node in tree._table.values():
        below = sum(edge.visits for edge in node.edges.values())
        assert below <= node.visits
        if node.visits:
            assert sum(node.sums) == pytest.approx(100 * node.visits)
    root = tree._root
    assert root.visits == tree.playouts
    assert root.visits - tree._weight <= sum(e.visits for e in root.edges.values())


def test_hands_are_shown_equally_often() -> None:
    tree = search(simulator(load("rock-paper-scissors")), 10_000, playouts_per_leaf=1)
    for role in range(2):
        for candidate in tree.analyse(role).candidates:
            assert candidate.probability == pytest.approx(1 / 3, abs=0.02)


def test_hundreds_of_thousands_of_joint_moves() -> None:
    tree = search(simulator(Game.from_kif(HUGE)), 4000, playouts_per_leaf=1)
    assert 0 < tree.nodes <= 4001
    for role in range(3):
        analysis = tree.analyse(role)
        assert analysis.mixed
        assert to_kif(analysis.best.move) == "(pick 7)"


def test_the_player_takes_it_where_there_are_too_many_joint_moves() -> None:
    engine = simulator(Game.from_kif(HUGE))
    player = TreePlayer(1, TreeSettings(playouts=4000, playouts_per_leaf=1))
    player.start(Briefing(engine, "b"), Clock())
    position = Position.initial(engine)
    assert player.choose(position, Clock()) in position.legal_moves("b")
    assert isinstance(player._trees[0], PlainTree)
    assert player.last is not None
    assert to_kif(player.last.best.move) == "(pick 7)"


def test_memory_is_bounded() -> None:
    engine = simulator(load("connect-four"))
    tree = search(engine, 4000, nodes=1000, playouts_per_leaf=4)
    assert tree.nodes <= 1000 + 7
    row = tree._root.row
    tree.set_root(row)
    assert tree.nodes == 1, "all is below the root: it starts again"
    tree.search(2000)
    assert 1 < tree.nodes <= 1000 + 7


def test_what_is_known_below_a_new_root_stays() -> None:
    engine = simulator(load("connect-four"))
    tree = search(engine, 5000)
    edge = tree._root.edges[3]
    visits = edge.child.visits
    tree.set_root(edge.child.row)
    assert tree._root is edge.child
    assert tree._root.visits == visits > 0


def test_a_role_without_a_move_is_an_error() -> None:
    stuck = """
    (role a) (role b) (init s) (legal a x) (legal a y)
    (<= (legal b x) (true s)) (<= (next t) (true s)) (<= terminal (true u))
    (goal a 0) (goal b 0)
    """
    engine = Interpreter(Game.from_kif(stuck))
    tree = PlainTree(engine, seed=0)
    tree.set_root(engine.initial_row())
    with pytest.raises(StuckError, match="b has no legal move"):
        tree.search(10)


def test_playouts_are_as_many_as_asked_for() -> None:
    tree = search(Interpreter(load("tictactoe")), 7)
    assert tree.playouts == 7
    tree.search(5, end=time.monotonic() - 1)
    assert tree.playouts == 7
    tree.search(5, end=math.inf)
    assert tree.playouts == 12
