"""Each method of the search for paths, by itself."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from gamelore.engine import CircuitSimulator, Simulator, simulator
from gamelore.engine.simulator import NO_GOAL
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.search.puzzle.adaptation import RolloutAdaptation
from gamelore.search.puzzle.beam import BeamSearch
from gamelore.search.puzzle.layers import LayeredSearch
from gamelore.search.puzzle.path import BestPath
from gamelore.search.puzzle.planner import Planner
from gamelore.search.puzzle.targets import Exclusions, TargetSearch
from gamelore.search.puzzle.unrolled import TRUE, LiteralCircuit

MEMORY = 64 << 20


def make_engine(game: Game) -> CircuitSimulator:
    engine = simulator(game)
    assert isinstance(engine, CircuitSimulator)
    return engine


def make_best(engine: Simulator) -> BestPath:
    return BestPath(engine, engine.initial_row())


def make_stream(seed: int) -> npt.NDArray[np.uint64]:
    state = np.random.SeedSequence(seed).generate_state(4, np.uint64)
    return state.astype(np.uint64)


@pytest.mark.parametrize("name", ["lamps", "square", "graph-0", "graph-1"])
def test_breadth_first_search_meets_every_position_once(
    name: str,
    sheets: dict[str, Game],
    solve: Callable[[Simulator], dict[bytes, int | None]],
) -> None:
    engine = make_engine(sheets[name])
    search = LayeredSearch(engine, engine.initial_row(), MEMORY)
    while not search.over:
        search.step()
    positions = {engine.initial_row().tobytes()}
    rows = engine.initial_row()[None]
    while len(rows):
        successors = np.unique(engine.expand(rows).successors, axis=0)
        rows = np.array(
            [row for row in successors if row.tobytes() not in positions], np.uint64
        ).reshape(-1, engine.width)
        positions |= {row.tobytes() for row in rows}
    assert search.complete
    assert search.nodes == len(positions)
    best = solve(engine)[engine.initial_row().tobytes()]
    assert search.goal == (NO_GOAL - 1 if best is None else best)


def test_tables_that_grow_keep_all_positions() -> None:
    engine = make_engine(load("peg-solitaire"))
    search = LayeredSearch(engine, engine.initial_row(), MEMORY)
    counts = [1]
    while search.depth < 8:
        depth = search.depth
        search.step()
        if search.depth > depth:
            counts.append(search.nodes)
    assert search.nodes > 16_384  # there were fewer at first
    rows, positions = engine.initial_row()[None], 1
    for _ in range(6):
        rows = np.unique(engine.expand(rows).successors, axis=0)
        positions += len(rows)  # a peg less with every move
    assert counts[6] == positions


def test_no_memory_is_the_end_and_no_proof() -> None:
    engine = make_engine(load("peg-solitaire"))
    search = LayeredSearch(engine, engine.initial_row(), 4 << 20)
    while not search.over:
        search.step()
    assert not search.complete


def test_a_beam_as_wide_as_the_layers_is_complete(sheets: dict[str, Game]) -> None:
    engine = make_engine(sheets["square"])
    search = LayeredSearch(engine, engine.initial_row(), MEMORY, 10_000)
    narrow = LayeredSearch(engine, engine.initial_row(), MEMORY, 3)
    for one in (search, narrow):
        while not one.over:
            one.step()
    assert search.complete
    assert not narrow.complete
    assert narrow.nodes < search.nodes


def test_beams_find_a_path(sheets: dict[str, Game]) -> None:
    engine = make_engine(sheets["lamps"])
    best = make_best(engine)
    beam = BeamSearch(engine, best, MEMORY)
    while not (beam.over or best.proven):
        beam.step(math.inf)
    assert best.goal == 100


def test_rollouts_adapt_to_the_best_path(sheets: dict[str, Game]) -> None:
    engine = make_engine(sheets["square"])
    best = make_best(engine)
    rollouts = RolloutAdaptation(engine, best, make_stream(1), 50)
    while rollouts.count < 100 * 512 and not best.proven:
        rollouts.step(math.inf)
    assert best.goal == 100
    assert rollouts.begun.sum() <= rollouts.count


@pytest.mark.parametrize(("name", "goal"), [("lamps", 100), ("square", 100)])
def test_the_planner_finds_a_path(
    name: str, goal: int, sheets: dict[str, Game]
) -> None:
    engine = make_engine(sheets[name])
    best = make_best(engine)
    rollouts = RolloutAdaptation(engine, best, make_stream(1), 50)
    planner = Planner(engine, best, rollouts)
    while not (planner.over or best.proven):
        planner.step()
    assert best.goal == goal


def test_the_planner_proves_that_nothing_is_better() -> None:
    sheet = """
    (role robot) (init (at 0)) (init (step 0))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (legal robot wait) (legal robot go)
    (<= (next (step ?t)) (true (step ?s)) (succ ?s ?t))
    (<= (next (at ?y)) (does robot go) (true (at ?x)) (succ ?x ?y))
    (<= (next (at 0)) (does robot go) (true (at 4)))
    (<= (next (at ?x)) (does robot wait) (true (at ?x)))
    (<= terminal (true (step 3)))
    (<= (goal robot 100) (true (at 4))) (<= (goal robot 70) (true (at 3)))
    (<= (goal robot 0) (not (true (at 3))) (not (true (at 4))))
    """
    engine = make_engine(Game.from_kif(sheet, name="too-far"))
    best = make_best(engine)
    planner = Planner(engine, best, RolloutAdaptation(engine, best, make_stream(1), 9))
    while not (planner.over or best.proven):
        planner.step()
    assert best.proven
    assert best.exhausted
    assert best.goal == 70


def test_a_position_to_end_in_is_found_and_reached(sheets: dict[str, Game]) -> None:
    engine = make_engine(sheets["square"])
    best = make_best(engine)
    search = TargetSearch(engine, best, MEMORY, make_stream(1))
    while not (search.over or best.proven):
        search.step(math.inf)
    assert best.goal == 100


def test_a_goal_that_contradicts_itself_is_ruled_out(sheets: dict[str, Game]) -> None:
    engine = make_engine(sheets["impossible"])
    best = make_best(engine)
    search = TargetSearch(engine, best, MEMORY, make_stream(1))
    for _ in range(20):
        search.step(math.inf)
    assert best.highest == 60


@pytest.mark.parametrize("name", ["lamps", "square", "impossible", "graph-2"])
def test_a_circuit_on_constants_agrees_with_the_engine(
    name: str, sheets: dict[str, Game]
) -> None:
    engine = make_engine(sheets[name])
    circuit = LiteralCircuit(engine.program, lambda one, other: pytest.fail("a gate"))
    random = np.random.default_rng(1)
    for _ in range(20):
        row = engine.initial_row()
        for _ in range(6):
            facts = engine.fact_matrix(row[None])[0].tolist()
            circuit.set_position([TRUE if fact else -TRUE for fact in facts])
            ended = bool(engine.terminal(row[None])[0])
            assert (circuit.terminal() == TRUE) == ended
            goals = [literal == TRUE for literal in circuit.goals()]
            values = engine.program.goal_values[goals].tolist()
            found = int(engine.goals(row[None])[0, 0])
            assert (values == [found]) or (found < 0 and len(values) != 1)
            (legal,) = engine.legal(row[None])
            assert [one == TRUE for one in circuit.legal()] == legal[0].tolist()
            if ended or not legal.any():
                break
            move = int(random.choice(np.flatnonzero(legal[0])))
            made = [TRUE if m == move else -TRUE for m in range(legal.shape[1])]
            circuit.set_moves(made)
            row = engine.advance_one(row, (move,))
            following = engine.fact_matrix(row[None])[0].tolist()
            assert [one == TRUE for one in circuit.next()] == following


def test_facts_that_exclude_each_other_are_told_from_chance() -> None:
    random = np.random.default_rng(1)
    coins = random.random((4000, 4)) < 0.5
    facts = np.column_stack([coins[:, 0], ~coins[:, 0], coins[:, 1], coins[:, 2:]])
    exclusions = Exclusions(("a", "b", "c", "d", "e"))
    exclusions.observe(facts)
    assert exclusions.pairs() == [[0, 1]]
