"""The search of games of one player, on both engines."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import pytest

from gamelore.engine import CircuitSimulator, Interpreter, Simulator, simulator
from gamelore.engine.position import Position
from gamelore.engine.simulator import Row
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.match.match import play_match
from gamelore.player import Briefing, Clock
from gamelore.search.mcts import TreePlayer, TreeSettings
from gamelore.search.puzzle import PlainPuzzleSearch, PuzzleSearch

Solve: TypeAlias = Callable[[Simulator], dict[bytes, int | None]]
Follow: TypeAlias = Callable[[Simulator, Row, Sequence[int]], int]

NAMES = ["lamps", "square", "impossible", *(f"graph-{seed}" for seed in range(4))]
MEMORY = 64 << 20
ENOUGH = 100_000  # playouts


def make(engine: Simulator, seed: int = 0) -> PuzzleSearch | PlainPuzzleSearch:
    if isinstance(engine, CircuitSimulator):
        return PuzzleSearch(engine, MEMORY, 100, seed)
    return PlainPuzzleSearch(engine, 10_000, 100, seed)


@pytest.fixture(scope="module")
def solitaire() -> CircuitSimulator:
    engine = simulator(load("peg-solitaire"))
    assert isinstance(engine, CircuitSimulator)
    return engine


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["circuit", "interpreter"])
def test_every_position_is_solved_as_by_brute_force(
    name: str, kind: str, sheets: dict[str, Game], solve: Solve, follow: Follow
) -> None:
    game = sheets[name]
    engine = simulator(game) if kind == "circuit" else Interpreter(game)
    search = make(engine)
    expected = solve(engine)
    for data in list(expected)[:25]:
        row = np.frombuffer(data, np.uint64).copy()
        search.set_root(row)
        assert search.search(ENOUGH)
        path = search.best.path
        if path is None:
            assert expected[data] is None
        else:
            assert path.goal == expected[data]
            assert follow(engine, row, path.moves) == path.goal


def test_the_path_is_followed_from_move_to_move(sheets: dict[str, Game]) -> None:
    engine = simulator(sheets["lamps"])
    search = make(engine)
    search.search(ENOUGH)
    path = search.best.path
    assert path is not None
    row = engine.initial_row()
    for number, move in enumerate(path.moves[:-1], 1):
        row = engine.advance_one(row, (move,))
        search.set_root(row)
        assert search.best.proven
        assert search.best.path is not None
        assert search.best.path.moves == path.moves[number:]


def test_a_budget_gives_the_same_path_however_it_is_divided(
    solitaire: CircuitSimulator,
) -> None:
    found = []
    for parts in (1, 7):
        search = make(solitaire, seed=3)
        target = 12_000
        while search.playouts < target and not search.best.proven:
            search.search(min(-(-target // parts), target - search.playouts))
        found.append((search.playouts, search.best.path))
    assert found[0] == found[1]
    assert found[0][1] is not None


def test_another_seed_gives_other_rollouts(solitaire: CircuitSimulator) -> None:
    begun = []
    for seed in (1, 2):
        search = make(solitaire, seed)
        search.search(600)
        begun.append(search.first_moves()[0].tolist())
    assert begun[0] != begun[1]


def test_a_clock_that_runs_out_leaves_the_best_path(
    solitaire: CircuitSimulator, follow: Follow
) -> None:
    search = make(solitaire)
    search.search(2_000)
    best, done = search.best.path, search.playouts
    assert best is not None
    assert not search.search(ENOUGH, time.monotonic() - 1)
    assert (search.best.path, search.playouts) == (best, done)
    assert follow(solitaire, solitaire.initial_row(), best.moves) == best.goal


@pytest.mark.parametrize("kind", ["circuit", "interpreter"])
@pytest.mark.parametrize("name", ["lamps", "square", "impossible"])
def test_matches_of_the_tree_player_have_no_fault(
    name: str, kind: str, sheets: dict[str, Game], solve: Solve
) -> None:
    game = sheets[name]
    engine = simulator(game) if kind == "circuit" else Interpreter(game)
    best = solve(engine)[engine.initial_row().tobytes()]
    player = TreePlayer(1, TreeSettings(playouts=ENOUGH))
    record = play_match(engine, {"robot": player}, move_limit=50)
    assert record.faults == ()
    assert record.goals == (best,)


def test_a_match_on_a_small_budget_has_no_fault(solitaire: CircuitSimulator) -> None:
    player = TreePlayer(1, TreeSettings(playouts=100))
    record = play_match(solitaire, {"solver": player}, move_limit=50)
    assert record.faults == ()
    assert record.goals[0] is not None


def test_an_analysis_shows_the_path_and_its_goal(sheets: dict[str, Game]) -> None:
    engine = simulator(sheets["square"])
    player = TreePlayer(1)
    player.start(Briefing(engine, "robot"), Clock())
    analysis = player.analyse(Position.initial(engine), Clock(), lines=1)
    assert analysis.solved
    assert (analysis.value, analysis.moves_left) == (100, 7)
    assert len(analysis.best.line) == 7
    assert analysis.best.proven
    assert {one.move for one in analysis.candidates} == set(
        Position.initial(engine).legal_moves("robot")
    )


def test_dice_are_left_to_the_tree() -> None:
    sheet = """
    (role robot) (role random) (init (at 0))
    (legal robot roll) (legal robot stop) (legal random 1) (legal random 2)
    (<= (next (at ?n)) (does random ?n) (does robot roll))
    (<= (next over) (does robot stop))
    (<= terminal (true over)) (<= terminal (true (at 1))) (<= terminal (true (at 2)))
    (<= (goal robot 50) (true over)) (<= (goal robot 100) (true (at 2)))
    (<= (goal robot 90) (true (at 1))) (<= (goal robot 0) (true (at 0)))
    (goal random 0)
    """
    engine = simulator(Game.from_kif(sheet, name="dice"))
    player = TreePlayer(1, TreeSettings(playouts=2000))
    player.start(Briefing(engine, "robot"), Clock())
    assert str(player.choose(Position.initial(engine), Clock())) == "roll"
