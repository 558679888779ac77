"""Alpha-beta finds what plain minimax finds, on both engines, and plays by it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import CircuitSimulator, Row, Simulator, simulator
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.position import Position
from gamelore.errors import GameloreError, NotTurnTakingError
from gamelore.games import load
from gamelore.gdl import Game, to_kif
from gamelore.gdl.features import FeatureRules
from gamelore.match.match import play_match
from gamelore.player import Briefing, Clock, Player
from gamelore.search.alpha_beta import (
    AlphaBetaPlayer,
    SearchLimits,
    _PonderedSearch,
)
from gamelore.search.compiled_alpha_beta import CircuitSearch
from gamelore.search.evaluator import (
    STAKES,
    ConstantEvaluator,
    Evaluator,
    FeatureEvaluator,
    HeuristicEvaluator,
)
from gamelore.search.plain_alpha_beta import PlainSearch, ResumableSearch, SearchResult

MARKS = """
(<= (weighted ahead 1 ?x ?y) (me ?p) (true (cell ?x ?y ?p)) (middle ?x ?y))
(<= (weighted ahead -2 ?x ?y) (me ?p) (true (cell ?x ?y ?q)) (role ?q)
    (distinct ?p ?q) (corner ?x ?y))
(<= (feature own ?x ?y) (me ?p) (true (cell ?x ?y ?p)))
(middle 2 2) (middle 2 1) (corner 1 1) (corner 3 3)
"""
"""Features of tic-tac-toe that favour one move over another."""

PIECES = """
(<= (weighted lead 1 ?s) (me ?p) (true (cell ?s ?p ?kind)))
(<= (weighted lead -1 ?s) (me ?p) (opponent ?p ?q) (true (cell ?s ?q ?kind)))
"""
"""Features of draughts: pieces, own ones less the other side's."""

MANY = """
(role one) (role two)
(init (turn one))
(digit 0) (digit 1) (digit 2) (digit 3) (digit 4) (digit 5) (digit 6) (digit 7)
(digit 8)
(<= (legal one (take ?a ?b)) (true (turn one)) (digit ?a) (digit ?b))
(<= (legal one wait) (true (turn two)))
(<= (legal two (take ?a ?b)) (true (turn two)) (digit ?a) (digit ?b))
(<= (legal two wait) (true (turn one)))
(<= (next (turn two)) (true (turn one)))
(<= (next (turn one)) (true (turn two)))
(<= (next (took ?r ?a ?b)) (does ?r (take ?a ?b)))
(<= (next (took ?r ?a ?b)) (true (took ?r ?a ?b)))
(<= terminal (true (took two ?a ?b)))
(<= (goal one 100) (true (took one 8 8)) (not (true (took two 8 7))))
(<= (goal one 30) (true (took one 8 8)) (true (took two 8 7)))
(<= (goal one 20) (not (true (took one 8 8))))
(<= (goal two 0) (true (took one 8 8)) (not (true (took two 8 7))))
(<= (goal two 70) (true (took one 8 8)) (true (took two 8 7)))
(<= (goal two 80) (not (true (took one 8 8))))
"""
"""A game with 81 moves, more than fit one 64-lane pass."""


def minimax(
    engine: Simulator, evaluator: Evaluator, row: Row, depth: int, role: int
) -> float:
    """The value by definition."""
    scale = evaluator.goal_scale(engine, role)
    position = Position.from_row(engine, row)
    moving = [r for r, name in enumerate(engine.roles) if is_mover(position, name)]
    mover = moving[0] if moving else 0
    values = []
    for _, child in position.successors():
        if child.is_terminal:
            values.append(scale.value(child.goal(engine.roles[role])))
        elif depth == 1:
            found = evaluator.evaluate(engine, child.row[None], mover, role)
            values.append(float(found[0]))
        else:
            values.append(minimax(engine, evaluator, child.row, depth - 1, role))
    if engine.roles[mover] == "random":
        return sum(values) / len(values)
    return max(values) if mover == role else min(values)


def is_mover(position: Position, role: str) -> bool:
    return len(position.legal_moves(role)) > 1


def random_rows(engine: Simulator, count: int, seed: int) -> list[Row]:
    """Open positions of random play."""
    random = np.random.default_rng(seed)
    rows: list[Row] = []
    while len(rows) < count:
        row = engine.initial_row()
        for _ in range(int(random.integers(12))):
            children = engine.expand(row[None]).successors
            following = children[int(random.integers(len(children)))]
            if engine.terminal(following[None])[0]:
                break
            row = following
        rows.append(row)
    return rows


def find(
    search: ResumableSearch, row: Row, depth: int, favourite: int = -1
) -> SearchResult:
    search.begin(row, depth, 3, favourite)
    while (found := search.search(7)) is None:
        pass
    return found


def circuit(game: str) -> CircuitSimulator:
    engine = simulator(load(game), "circuit")
    assert isinstance(engine, CircuitSimulator)
    return engine


def marks() -> FeatureEvaluator:
    rules = FeatureRules.from_kif(MARKS, load("tictactoe"))
    return FeatureEvaluator(rules, {"ahead": 1.0, "own": -0.25})


def pieces() -> FeatureEvaluator:
    rules = FeatureRules.from_kif(PIECES, load("english-draughts"))
    return FeatureEvaluator(rules, {"lead": 1.0})


EVALUATORS: dict[str, Evaluator] = {
    "tictactoe": marks(),
    "connect-3": ConstantEvaluator(),
    "nim": ConstantEvaluator(),
    "pig": ConstantEvaluator(),
    "trio-3x3": ConstantEvaluator(),
    "breakthrough-5x5": ConstantEvaluator(),
    "abalone": HeuristicEvaluator(),
}

DEPTHS = {"abalone": 2, "pig": 4, "breakthrough-5x5": 2}


@pytest.mark.parametrize("game", EVALUATORS)
def test_the_kernel_finds_the_value_by_definition(game: str) -> None:
    evaluator = EVALUATORS[game]
    engine = evaluator.prepare(circuit(game))
    assert isinstance(engine, CircuitSimulator)
    for role in range(2):
        # A table of few entries, so that they have to give way to one another.
        search = CircuitSearch(engine, evaluator, role, entries=64)
        for row in random_rows(engine, 1 if game == "abalone" else 8, seed=role):
            for depth in range(1, 1 + DEPTHS.get(game, 3)):
                found = find(search, row, depth)
                expected = minimax(engine, evaluator, row, depth, role)
                assert found.value == pytest.approx(expected, abs=1e-9)
                check_move(engine, evaluator, row, depth, role, found)


def check_move(
    engine: Simulator,
    evaluator: Evaluator,
    row: Row,
    depth: int,
    role: int,
    found: SearchResult,
) -> None:
    """Where the role moves, its move must have the value that was found."""
    position = Position.from_row(engine, row)
    if not is_mover(position, engine.roles[role]):
        return
    child = position.advance(engine.moves[role][found.move])
    if child.is_terminal:
        goal = child.goal(engine.roles[role])
        value = evaluator.goal_scale(engine, role).value(goal)
    elif depth == 1:
        value = float(evaluator.evaluate(engine, child.row[None], role, role)[0])
    else:
        value = minimax(engine, evaluator, child.row, depth - 1, role)
    assert value == pytest.approx(found.value, abs=1e-9)


@pytest.mark.parametrize("game", ["tictactoe", "connect-3", "nim", "pig"])
def test_the_interpreter_finds_the_same(game: str) -> None:
    evaluator = EVALUATORS[game]
    engine = evaluator.prepare(circuit(game))
    slow = evaluator.prepare(Interpreter(load(game)))
    assert isinstance(engine, CircuitSimulator)
    fast_search = CircuitSearch(engine, evaluator, 0)
    slow_search = PlainSearch(slow, evaluator, 0)
    for row in random_rows(engine, 4, seed=5):
        twin = slow.encode(engine.facts(row))
        for depth in (1, 3):
            fast, plain = find(fast_search, row, depth), find(slow_search, twin, depth)
            assert fast.value == pytest.approx(plain.value, abs=1e-9)


@pytest.mark.parametrize("game", EVALUATORS)
def test_null_windows_change_no_value(game: str) -> None:
    evaluator = EVALUATORS[game]
    engine = evaluator.prepare(circuit(game))
    assert isinstance(engine, CircuitSimulator)
    search = CircuitSearch(engine, evaluator, 0, entries=64, selective=True)
    for row in random_rows(engine, 1 if game == "abalone" else 8, seed=9):
        found = find(search, row, 2)  # not deep enough for anything to be left out
        expected = minimax(engine, evaluator, row, 2, 0)
        assert found.value == pytest.approx(expected, abs=1e-9)
        check_move(engine, evaluator, row, 2, 0, found)


@pytest.mark.parametrize(
    ("game", "deep"), [("tictactoe", 9), ("nim", 16), ("connect-four-4x4", 16)]
)
def test_what_a_selective_search_proves_is_so(game: str, deep: int) -> None:
    evaluator = ConstantEvaluator()
    engine = circuit(game)
    extremes = {evaluator.goal_scale(engine, 0).value(goal) for goal in (0, 100)}
    proofs = 0
    for row in random_rows(engine, 12, seed=4):
        exact = find(CircuitSearch(engine, evaluator, 0), row, deep)
        search = CircuitSearch(engine, evaluator, 0, entries=256, selective=True)
        for depth in (3, 5, 7):
            found = find(search, row, depth)
            if found.value in extremes:
                assert found.value == exact.value
                proofs += 1
        # Beyond all ends, reductions leave nothing out.
        assert find(search, row, 60).value == exact.value
    assert proofs


@pytest.mark.parametrize("selective", [False, True])
@pytest.mark.parametrize("game", ["english-draughts", "pig", "nim"])
def test_forced_moves_cost_no_depth(game: str, selective: bool) -> None:
    evaluator = pieces() if game == "english-draughts" else ConstantEvaluator()
    engine = evaluator.prepare(circuit(game))
    assert isinstance(engine, CircuitSimulator)
    for role in range(2):
        fast = CircuitSearch(
            engine, evaluator, role, selective=selective, extending=True
        )
        plain = PlainSearch(engine, evaluator, role, extending=True)
        for row in random_rows(engine, 8, seed=6):
            for depth in (1, 2):  # not deep enough for anything to be left out
                found, expected = find(fast, row, depth), find(plain, row, depth)
                assert found.value == pytest.approx(expected.value, abs=1e-9)


def test_an_exchange_is_searched_to_its_end() -> None:
    """In draughts, white must take the man that black offers, and black take back."""
    engine = pieces().prepare(circuit("english-draughts"))
    position = Position.initial(engine).advance("(step 11 15)")
    offer = position.advance("(step 24 20)").advance("(step 15 19)")
    values = []
    for extending in (False, True):
        search = PlainSearch(engine, pieces(), 0, extending=extending)
        values.append(find(search, offer.row, 1).value)
    assert values == [-1.0, 0.0]


@pytest.mark.slow
def test_abalone_has_the_same_values_three_moves_ahead() -> None:
    evaluator = HeuristicEvaluator()
    engine = evaluator.prepare(circuit("abalone"))
    assert isinstance(engine, CircuitSimulator)
    for role in range(2):
        fast = CircuitSearch(engine, evaluator, role)
        plain = PlainSearch(engine, evaluator, role)
        for row in random_rows(engine, 4, seed=role):
            assert find(fast, row, 3).value == find(plain, row, 3).value


def test_more_than_64_moves_are_looked_at() -> None:
    position = Position.initial(simulator(Game.from_kif(MANY), "circuit"))
    player = started(AlphaBetaPlayer(depth=2), position, "one")
    assert to_kif(player.choose(position, Clock())) == "(take 8 8)"
    assert player.last is not None and player.last.value == 30
    reply = position.advance("(take 8 8)")
    player = started(AlphaBetaPlayer(depth=2), reply, "two")
    assert to_kif(player.choose(reply, Clock())) == "(take 8 7)"


def started(player: AlphaBetaPlayer, position: Position, role: str) -> AlphaBetaPlayer:
    player.start(Briefing(position.simulator, role), Clock())
    return player


@pytest.mark.parametrize("selective", [False, True])
def test_pauses_change_nothing(selective: bool) -> None:
    evaluator = FeatureEvaluator("threats")
    engine = evaluator.prepare(circuit("connect-four"))
    assert isinstance(engine, CircuitSimulator)
    row = engine.initial_row()
    in_one_go, in_steps = (
        CircuitSearch(engine, evaluator, 0, selective=selective) for _ in range(2)
    )
    in_one_go.begin(row, 6, seed=3)
    assert in_one_go.search(1 << 40) == find(in_steps, row, 6)
    assert in_steps.nodes == in_one_go.nodes


def test_a_selective_search_is_smaller() -> None:
    evaluator = FeatureEvaluator("threats")
    engine = evaluator.prepare(circuit("connect-four"))
    assert isinstance(engine, CircuitSimulator)
    full, selective = (
        CircuitSearch(engine, evaluator, 0, selective=one) for one in (False, True)
    )
    for row in random_rows(engine, 4, seed=2):
        find(full, row, 9)
        find(selective, row, 9)
    assert selective.nodes < full.nodes / 2


def test_a_table_and_an_order_save_work() -> None:
    engine = circuit("connect-four")
    fast, plain = (
        CircuitSearch(engine, ConstantEvaluator(), 0),
        PlainSearch(engine, ConstantEvaluator(), 0),
    )
    row = engine.initial_row()
    assert find(fast, row, 7).value == find(plain, row, 7).value
    assert fast.nodes < plain.nodes / 2
    again = fast.nodes
    find(fast, row, 7)
    assert fast.nodes - again < 20


def test_the_stack_grows() -> None:
    engine = circuit("connect-four")
    search = CircuitSearch(engine, ConstantEvaluator(), 0, positions=8)
    full = CircuitSearch(engine, ConstantEvaluator(), 0)
    row = engine.initial_row()
    assert find(search, row, 6) == find(full, row, 6)


# ── the player ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("engine", ["circuit", "interpreter"])
def test_it_wins_at_once_and_holds_out_long(engine: str) -> None:
    played = simulator(load("tictactoe"), engine)  # type: ignore[arg-type]
    marks = "(cell 1 1 x) (cell 1 2 x) (cell 2 1 o) (cell 2 2 o)"
    position = Position(played, f"{marks} (control x)")
    for seed in range(5):
        player = started(AlphaBetaPlayer(depth=5, seed=seed), position, "x")
        assert to_kif(player.choose(position, Clock())) == "(mark 1 3)"
        assert player.reached == 1
    lost = Position(played, "(cell 1 2 o) (cell 2 2 x) (cell 3 3 x) (control o)")
    for seed in range(5):
        player = started(AlphaBetaPlayer(depth=6, seed=seed), lost, "o")
        assert to_kif(player.choose(lost, Clock())) == "(mark 1 1)", "stops the threat"
        assert player.reached == 3


def test_the_seed_decides_between_equals() -> None:
    engine = circuit("tictactoe")
    position = Position.initial(engine)

    def first(seed: int) -> str:
        player = started(AlphaBetaPlayer(depth=1, seed=seed), position, "x")
        return to_kif(player.choose(position, Clock()))

    assert len({first(seed) for seed in range(60)}) == 9
    assert first(4) == first(4)


@pytest.mark.usefixtures("thread_clock")
@pytest.mark.parametrize("engine", ["circuit", "interpreter"])
def test_it_keeps_its_clock(engine: str) -> None:
    played = simulator(load("connect-four"), engine)  # type: ignore[arg-type]
    position = Position.initial(played)
    limits = SearchLimits(deepest=60)
    player = started(AlphaBetaPlayer(limits=limits), position, "red")

    def keeps_it() -> bool:
        before = time.monotonic()
        player.choose(position, Clock(0.4, started=before))
        deep = player.reached > (5 if engine == "circuit" else 0)
        return time.monotonic() - before < 0.4 and deep

    assert any(keeps_it() for _ in range(3))


def test_it_thinks_on_the_others_time() -> None:
    engine = circuit("connect-four")
    player = AlphaBetaPlayer(limits=SearchLimits(3, 60))
    player.start(Briefing(engine, "red", ponders=True), Clock())
    position = Position.initial(engine)
    move = player.choose(position, Clock())
    before, thread = player.nodes, player._pondering._thread
    assert thread is not None
    while player.nodes < before + 100:
        time.sleep(0.001)
    position = position.advance(move)
    position = position.advance(position.legal_moves("yellow")[0])
    assert player.choose(position, Clock()) in position.legal_moves("red")
    assert not thread.is_alive()
    assert player._pondering.is_active
    player.rest()
    assert not player._pondering.is_active
    player.choose(position, Clock())  # an answer that is late begins nothing
    assert not player._pondering.is_active


def test_a_limit_of_nodes_repeats() -> None:
    engine = circuit("connect-four")
    position = Position.initial(engine)
    limits = SearchLimits(depth=20, nodes=3000)

    def decide() -> tuple[object, ...]:
        player = started(AlphaBetaPlayer(seed=2, limits=limits), position, "red")
        before = player.nodes
        move = player.choose(position, Clock())
        return move, player.last, player.reached, player.nodes - before

    assert decide() == decide()
    assert decide()[3] == 3000


def test_it_never_loses_tictactoe() -> None:
    engine = circuit("tictactoe")
    for seed in range(6):
        players: dict[str, Player] = {
            "x": RandomPlayer(seed),
            "o": AlphaBetaPlayer(depth=9, seed=seed),
        }
        record = play_match(engine, players)
        assert record.faults == () and record.goals[1] in (50, 100)


def test_the_heuristic_player_beats_random_play_in_abalone() -> None:
    engine = circuit("abalone")  # without features: the player has its own engine
    players: dict[str, Player] = {
        "black": RandomPlayer(1),
        "white": AlphaBetaPlayer(HeuristicEvaluator(), 2, 1),
    }
    record = play_match(engine, players)
    assert record.faults == ()
    assert record.goals == (0, 100)


def test_moves_at_once_are_refused() -> None:
    engine = simulator(load("rock-paper-scissors"), "circuit")
    for played in (engine, Interpreter(load("rock-paper-scissors"))):
        position = Position.initial(played)
        player = started(AlphaBetaPlayer(depth=2), position, position.roles[0])
        with pytest.raises(NotTurnTakingError, match="two roles have a choice"):
            player.choose(position, Clock())


def test_weights_of_unknown_features_are_refused() -> None:
    evaluator = FeatureEvaluator("heuristic", {"lead": 1.0, "leed": 2.0})
    engine = evaluator.prepare(circuit("abalone"))
    with pytest.raises(GameloreError, match="no feature leed; there are lead"):
        evaluator.evaluate(engine, engine.initial_row()[None], 0, 0)


def test_goals_outweigh_features() -> None:
    engine = HeuristicEvaluator().prepare(circuit("abalone"))
    scale = HeuristicEvaluator().goal_scale(engine, 1)
    assert scale.value(100) == STAKES
    assert scale.value(0) == -STAKES
    assert scale.value(50) == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"depth": 0}, "depth must be in 1 to 1000, got 0"),
        ({"deepest": -1}, "deepest must be in 0 to 1000, got -1"),
        ({"nodes": -5}, "nodes must not be negative, got -5"),
        ({"entries": 100}, "entries must be a power of two, got 100"),
    ],
)
def test_limits_that_cannot_be(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SearchLimits(**changes)


class KnownSearch:
    """A search of which every depth is known at once, as from a full table."""

    nodes = 0

    def __init__(self) -> None:
        self.budgets: list[int] = []

    def begin(self, row: Row, depth: int, seed: int = 0, favourite: int = -1) -> None:
        pass

    def search(self, budget: int) -> SearchResult | None:
        self.budgets.append(budget)
        return SearchResult(0.5, 0)


def test_depths_that_are_known_do_not_raise_the_budget_for_ever() -> None:
    """Kernels take it as an integer of 64 bits."""
    search = KnownSearch()
    pondered = _PonderedSearch(search, np.zeros(1, np.uint64), 200)
    while pondered.step():
        pass
    assert len(search.budgets) == 200
    assert max(search.budgets) < 2**63


def test_a_selective_player_sees_all_moves_to_a_given_depth() -> None:
    """Without a clock it chooses as the full search does; with nodes it goes deeper."""
    engine = simulator(load("connect-four"))
    reached = []
    for limits in (SearchLimits(7), SearchLimits(7, selective=True)):
        player = AlphaBetaPlayer(limits=limits)
        player.start(Briefing(engine, "red"), Clock())
        player.choose(Position(engine), Clock())
        reached.append((player.last, player.nodes))
    assert reached[0] == reached[1]
    player = AlphaBetaPlayer(limits=SearchLimits(40, nodes=2000, selective=True))
    player.start(Briefing(engine, "red"), Clock())
    player.choose(Position(engine), Clock())
    full = AlphaBetaPlayer(limits=SearchLimits(40, nodes=2000))
    full.start(Briefing(engine, "red"), Clock())
    full.choose(Position(engine), Clock())
    assert player.reached > full.reached
