"""Training runs: updates worked by hand, and one table by every path."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from tests.marks import mark_slow

from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import Interpreter, simulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.games import library, load
from gamelore.gdl import Move
from gamelore.graph import PatternIndex, StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.greedy_player import GreedyPlayer
from gamelore.learn.learners import Episode, QLearner, TDLearner, ValueLearner
from gamelore.learn.match_trainer import MatchTrainer
from gamelore.learn.role_values import PatternValues
from gamelore.learn.schedules import Cosine, Fixed
from gamelore.learn.settings import Lookahead, QSettings, TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.match.match import play_match
from gamelore.player import Briefing, Clock
from gamelore.search.policies import PlayerSettings
from gamelore.transfer import (
    Knowledge,
    extract_knowledge,
    initialise_values,
    make_target_index,
)

TURN_TAKING = [e.name for e in library() if e.players == 2 and e.moves == "alternating"]
LARGE = {
    "abalone",
    "abalone-4",
    "gomoku",
    "othello",
    "english-draughts",
    "breakthrough",
} | {f"hex-{n}x{n}" for n in range(6, 12)}

X_WINS = "(mark 1 1) (mark 2 1) (mark 1 2) (mark 2 2) (mark 1 3)"
O_WINS = "(mark 1 1) (mark 2 1) (mark 1 2) (mark 2 2) (mark 3 3) (mark 2 3)"


@cache
def make_graph(name: str) -> StateGraph:
    return StateGraph(simulator(load(name)))


def episode(text: str) -> Episode:
    """A match of tic-tac-toe, given by the moves of whose turn it is."""
    sim = make_graph("tictactoe").simulator
    positions, moves = [Position(sim)], []
    for move in text[1:-1].split(") ("):
        before = positions[-1]
        after = before.advance(f"({move})")
        positions.append(after)
        joint = next(j for j, p in before.successors() if p == after)
        moves.append([sim.move_number(r, m) for r, m in enumerate(joint)])
    return Episode(np.stack([p.row for p in positions]), np.array(moves, np.int32))


def afterstates(learner: ValueLearner, text: str) -> list[float]:
    """The values after each move of x, and of the end if o made it."""
    rows = episode(text).rows
    wanted = [*rows[1::2], *(rows[-1:] if len(rows) % 2 else [])]
    cells = [learner.table.find(row) for row in wanted]
    return [cell.value if cell else float("nan") for cell in cells]


def test_equation_2_by_hand() -> None:
    """α = 0.3, λ = 0.7, γ = 1, default 50; a win, the same again, then a loss."""
    learner = TDLearner(make_graph("tictactoe"), "x")
    learner.learn(episode(X_WINS))
    # nothing to learn before the end; there 100 - 50 = 50, of which 0.3 · 0.7^(t-p)
    assert afterstates(learner, X_WINS) == pytest.approx([57.35, 60.5, 65])
    learner.learn(episode(X_WINS))
    # t=1: 60.5 - 57.35 = 3.15        σ1 + 0.945
    # t=2: 65 - 60.5 = 4.5            σ2 + 1.35, σ1 + 0.945
    # t=3: 100 - 65 = 35              σ3 + 10.5, σ2 + 7.35, σ1 + 5.145
    assert afterstates(learner, X_WINS) == pytest.approx([64.385, 69.2, 75.5])
    learner.learn(episode(O_WINS))
    # t=1: 69.2 - 64.385 = 4.815      σ1 + 1.4445
    # t=2: 50 - 69.2 = -19.2          σ2 - 5.76, σ1 - 4.032
    # t=3: 50 - 50 = 0
    # t=4: 0 - 50 = -50               σ4 - 15, σ3 - 10.5, σ2 - 7.35, σ1 - 5.145
    assert afterstates(learner, O_WINS) == pytest.approx([56.6525, 56.09, 39.5, 35])
    assert afterstates(learner, X_WINS)[2] == pytest.approx(75.5)
    first = learner.table.find(episode(O_WINS).rows[1])
    assert first is not None
    assert first.visits == 3


def test_equation_2_with_a_discount() -> None:
    settings = TDSettings(discount=0.9)
    learner = TDLearner(make_graph("tictactoe"), "x", settings)
    learner.learn(episode(X_WINS))
    # t=1: 0.9 · 50 - 50 = -5         σ1 - 1.5
    # t=2: -5                         σ2 - 1.5, σ1 - 1.05
    # t=3: 50                         σ3 + 15, σ2 + 10.5, σ1 + 7.35
    assert afterstates(learner, X_WINS) == pytest.approx([54.8, 59, 65])


def test_the_end_may_be_no_afterstate() -> None:
    learner = TDLearner(
        make_graph("tictactoe"), "x", TDSettings(terminal_afterstate=False)
    )
    learner.learn(episode(O_WINS))
    values = afterstates(learner, O_WINS)
    # the last own move gets it all: -50 · 0.3, 0.21, 0.147
    assert values[:3] == pytest.approx([42.65, 39.5, 35])
    assert np.isnan(values[3])


def test_the_second_player_learns_its_own_afterstates() -> None:
    learner = TDLearner(make_graph("tictactoe"), "o")
    learner.learn(episode(O_WINS))
    assert len(learner.table) == 3
    rows = episode(O_WINS).rows
    cells = [learner.table.find(row) for row in rows[2::2]]
    assert [c.value for c in cells if c] == pytest.approx([57.35, 60.5, 65])


def test_algorithm_1_by_hand() -> None:
    """α = 0.1, γ = 0.9, 0 at first; a win, the same again, then a loss."""
    learner = QLearner(make_graph("tictactoe"), "x")

    def actions(text: str) -> list[float]:
        match = episode(text)
        keys = [
            np.append(row, np.uint64(joint[0]))
            for row, joint in zip(match.rows[:-1:2], match.moves[::2], strict=True)
        ]
        cells = [learner.table.find(key) for key in keys]
        return [cell.value if cell else float("nan") for cell in cells]

    learner.learn(episode(X_WINS))
    # 0.1 · 100; 0.1 · 0.9 · 10; 0.1 · 0.9 · 0.9
    assert actions(X_WINS) == pytest.approx([0.081, 0.9, 10])
    learner.learn(episode(X_WINS))
    # 9 + 10; 0.81 + 0.09 · 19; 0.0729 + 0.09 · 2.52
    assert actions(X_WINS) == pytest.approx([0.2997, 2.52, 19])
    learner.learn(episode(O_WINS))
    # the new action 0; the best one there is still 19: 2.268 + 0.09 · 19;
    # 0.26973 + 0.09 · 3.978
    assert actions(O_WINS) == pytest.approx([0.62775, 3.978, 0])


# ── initial values ──────────────────────────────────────────────────────────────────


def naive(graph: StateGraph, role: int, node: int, depth: int, rule: str) -> float:
    """Lookahead from its definition."""
    if graph.is_terminal(node):
        return float(graph.goals(node)[role])
    if depth == 0:
        return 50.0
    values = [naive(graph, role, e.child, depth - 1, rule) for e in graph.edges(node)]
    if graph.mover(node) == role or rule == "maxmax":
        return max(values)
    return min(values) if rule == "minimax" else sum(values) / len(values)


@pytest.mark.parametrize("rule", ["minimax", "maxmax", "avgmax"])
@pytest.mark.parametrize(
    ("name", "depth"), [("tictactoe", 1), ("tictactoe", 3), ("othello-4x4", 2)]
)
def test_lookahead_is_as_defined(name: str, depth: int, rule: str) -> None:
    graph = StateGraph(simulator(load(name)))
    config = TrainConfig(
        TDSettings(initialise="candidates"), lookahead=Lookahead(depth, rule)
    )
    trainer = Trainer(graph, config)
    trainer.run(40)
    considered = [cell for cell in trainer.table if cell.visits == 0]
    assert len(considered) > 50
    for cell in considered:
        expected = naive(graph, 0, graph.number(cell.row), depth, rule)
        assert cell.value == pytest.approx(expected, abs=1e-12)


def test_features_give_initial_values() -> None:
    graph = StateGraph(simulator(load("tictactoe")))
    pattern_index = PatternIndex(graph, 0)
    values = np.random.default_rng(1).random(len(pattern_index.shapes.first)) * 100
    values[::3] = np.nan
    config = TrainConfig(TDSettings(initialise="candidates"))
    trainer = Trainer(graph, config, PatternValues(pattern_index, values))
    trainer.run(100)
    kinds = set()
    for cell in trainer.table:
        if cell.visits:
            continue
        node = graph.number(cell.row)
        known = values[pattern_index.number(node)]
        expected = 50.0 if np.isnan(known) else known
        if graph.is_terminal(node):
            expected = float(graph.goals(node)[0])
        assert cell.value == expected
        kinds.add((graph.is_terminal(node), bool(np.isnan(known))))
    assert len(kinds) >= 3


def test_without_candidates_only_visited_positions_have_cells() -> None:
    trainer = Trainer(make_graph("tictactoe"), TrainConfig(lookahead=Lookahead()))
    trainer.run(100)
    assert trainer.table.visits.min() > 0


# ── one table by every path ─────────────────────────────────────────────────────────


NOVICE = PlayerSettings("novice", 0.1)
CONFIGS = {
    "td-random": ("tictactoe", 50, TrainConfig()),
    "td-alternate": ("tictactoe", 50, TrainConfig(opponent=NOVICE, role="alternate")),
    "td-lookahead": (
        "connect-3",
        30,
        TrainConfig(opponent=NOVICE, lookahead=Lookahead()),
    ),
    "td-candidates": (
        "tictactoe",
        40,
        TrainConfig(
            TDSettings(initialise="candidates"),
            PlayerSettings("weak", 0.2),
            lookahead=Lookahead(3, "avgmax"),
        ),
    ),
    "td-minimax": (
        "othello-4x4",
        20,
        TrainConfig(
            opponent=PlayerSettings("minimax"), role="second", schedule=Fixed(0.2)
        ),
    ),
    "td-dice": ("pig", 3, TrainConfig(opponent=NOVICE)),
    "td-search": (
        "tictactoe",
        30,
        TrainConfig(opponent=PlayerSettings("monte-carlo", playouts=5)),
    ),
    "q": ("nim", 50, TrainConfig(QSettings(), NOVICE, schedule=Cosine(40))),
    "q-alternate": ("hex-3x3", 40, TrainConfig(QSettings(), role="alternate")),
    "qm": ("tictactoe", 40, TrainConfig(QSettings(playouts=10), schedule=Fixed(0.1))),
    "qm-nested": (
        "tictactoe",
        15,
        TrainConfig(
            QSettings(playouts=3, level=2), role="alternate", schedule=Fixed(0.1)
        ),
    ),
    "qm-nested-dice": ("pig", 2, TrainConfig(QSettings(playouts=1, level=2), NOVICE)),
    "qm-one": ("tictactoe", 20, TrainConfig(QSettings(playouts=1))),
}


def features_for(graph: StateGraph, config: TrainConfig) -> list[PatternValues]:
    """Random values of patterns for every role that learns."""
    found = []
    for role in Trainer(graph, config).learner_roles:
        pattern_index = PatternIndex(graph, role)
        values = (
            np.random.default_rng(role).random(len(pattern_index.shapes.first)) * 100
        )
        found.append(PatternValues(pattern_index, values))
    return found


def assert_same(one: Trainer, other: Trainer) -> None:
    assert one.tables.keys() == other.tables.keys()
    for role, table in one.tables.items():
        twin = other.tables[role]
        assert table.rows.tobytes() == twin.rows.tobytes()
        assert table.values.tobytes() == twin.values.tobytes()
        assert table.visits.tobytes() == twin.visits.tobytes()
    for mine, theirs in zip(one.streams[:3], other.streams[:3], strict=True):
        assert (mine == theirs).all()


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("case", CONFIGS)
def test_bulk_and_open_path_are_one(case: str, seed: int) -> None:
    name, matches, config = CONFIGS[case]
    config = replace(config, seed=seed)
    bulk = Trainer(StateGraph(simulator(load(name))), config)
    opened = MatchTrainer(StateGraph(simulator(load(name))), config)
    record, other = bulk.run(matches), opened.run(matches)
    assert (record.rewards == other.rewards).all()
    assert (record.lengths == other.lengths).all()
    assert (record.cells == other.cells).all()
    assert_same(bulk, opened)
    assert opened.faults == []


@pytest.mark.parametrize("initialise", ["visited", "candidates"])
@pytest.mark.parametrize("name", ["tictactoe", "connect-3"])
def test_bulk_and_open_path_are_one_with_features(name: str, initialise: str) -> None:
    learner = TDSettings(initialise=initialise)  # type: ignore[arg-type]
    config = TrainConfig(learner, NOVICE, role="alternate", seed=2)
    trainers = []
    for kind in (Trainer, MatchTrainer):
        graph = StateGraph(simulator(load(name)))
        trainers.append(kind(graph, config, features_for(graph, config)))
        trainers[-1].run(40)
    assert_same(*trainers)


def test_bulk_and_open_path_are_one_on_the_interpreter() -> None:
    config = TrainConfig(opponent=NOVICE, lookahead=Lookahead(), seed=4)
    trainers = []
    for kind in (Trainer, MatchTrainer):
        # rows are numbers of positions in the order met, so that order must be one
        sim = Interpreter(load("nim"))
        graph = StateGraph(sim)
        graph.explore(graph.root, 30)
        trainers.append(kind(graph, config))
        trainers[-1].run(20)
    assert_same(*trainers)


def test_searching_trainers_on_the_interpreter_are_open() -> None:
    graph = StateGraph(Interpreter(load("tictactoe")))
    config = TrainConfig(
        QSettings(playouts=2), PlayerSettings("monte-carlo", playouts=2)
    )
    with pytest.raises(GameloreError, match="needs 'tictactoe' compiled"):
        Trainer(graph, config)
    record = MatchTrainer(graph, config).run(2)
    assert record.cells[-1] > 0


class Stubborn:
    """Always the first move; fails now and then."""

    def __init__(self) -> None:
        self.role = ""
        self.asked = 0

    def start(self, briefing: Briefing, clock: Clock) -> None:
        self.role = briefing.role

    def choose(self, position: Position, clock: Clock) -> Move:
        self.asked += 1
        if self.asked % 50 == 0:
            raise RuntimeError("no idea")
        return position.legal_moves(self.role)[0]


def test_any_player_can_be_the_opponent() -> None:
    rival = Stubborn()
    config = TrainConfig(schedule=Fixed(0.1))
    trainer = MatchTrainer(make_graph("tictactoe"), config, opponents={"o": rival})
    rewards = trainer.run(200).rewards
    assert rewards[-50:].mean() > 90, "one that never adapts is soon beaten"
    assert {fault.message for fault in trainer.faults} == {"RuntimeError: no idea"}
    assert trainer.faults[0].role == "o"


def test_a_run_in_parts_is_the_same() -> None:
    name, _, config = CONFIGS["td-candidates"]
    whole, parts = (
        Trainer(StateGraph(simulator(load(name))), config) for _ in range(2)
    )
    rewards = whole.run(500).rewards
    pieces = [parts.run(n).rewards for n in (1, 99, 400)]
    assert (np.concatenate(pieces) == rewards).all()
    assert_same(whole, parts)


def test_an_graph_that_knows_more_changes_nothing() -> None:
    config = TrainConfig(opponent=NOVICE, seed=9)
    used = StateGraph(simulator(load("tictactoe")))
    Trainer(used, TrainConfig(QSettings(), role="second")).run(5000)
    fresh, shared = Trainer(StateGraph(used.simulator), config), Trainer(used, config)
    fresh.run(300)
    shared.run(300)
    assert_same(fresh, shared)


def test_seeds_matter() -> None:
    tables = []
    for seed in (0, 1):
        trainer = Trainer(make_graph("tictactoe"), TrainConfig(seed=seed))
        trainer.run(100)
        tables.append(trainer.table.values.tobytes())
    assert tables[0] != tables[1]


def test_what_was_learned_plays() -> None:
    trainer = Trainer(make_graph("tictactoe"), TrainConfig(schedule=Fixed(0.1)))
    trainer.run(50_000)
    player = GreedyPlayer(trainer.values(0))
    before = trainer.table.values.tobytes()
    sim = trainer.graph.simulator
    goals = [
        play_match(sim, {"x": player, "o": RandomPlayer(seed)}).goals[0] or 0
        for seed in range(50)
    ]
    assert np.mean(goals) > 90
    assert trainer.table.values.tobytes() == before, "a player never learns"
    with pytest.raises(ValueError, match="the values are of role x, not o"):
        player.start(Briefing(sim, "o"), Clock())
    with pytest.raises(ValueError, match="the values are of another game"):
        player.start(Briefing(simulator(load("nim")), "x"), Clock())


def test_longest_matches_and_features_are_checked() -> None:
    with pytest.raises(GameloreError, match="more than 3 moves"):
        Trainer(make_graph("tictactoe"), TrainConfig(longest_match=3)).run(1)
    with pytest.raises(GameloreError, match="more than 3 moves"):
        MatchTrainer(make_graph("tictactoe"), TrainConfig(longest_match=3)).run(1)
    graph = StateGraph(simulator(load("tictactoe")))
    first = features_for(graph, TrainConfig())
    with pytest.raises(GameloreError, match="o learns too"):
        Trainer(graph, TrainConfig(role="alternate"), first)


@pytest.mark.parametrize(
    "make",
    [
        lambda: TDSettings(step_size=0),
        lambda: TDSettings(trace_decay=2),
        lambda: QSettings(discount=1.1),
        lambda: QSettings(playouts=-1),
        lambda: QSettings(search_time=0),
        lambda: QSettings(playouts=1, level=3),
        lambda: Lookahead(depth=0),
        lambda: Lookahead(rule="maximin"),
    ],
)
def test_settings_are_checked(make: object) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=r"must .*, got "):
        make()


# ── every game ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", mark_slow(TURN_TAKING, LARGE))
def test_every_game_can_be_learned(name: str) -> None:
    graph = StateGraph(simulator(load(name)))
    for config in (
        TrainConfig(opponent=NOVICE, role="alternate", lookahead=Lookahead(1)),
        TrainConfig(QSettings(), role="second"),
    ):
        trainer = Trainer(graph, config)
        record = trainer.run(6)
        goals = {*graph.simulator.goal_values[0], *graph.simulator.goal_values[1]}
        assert set(record.rewards) <= goals
        for role, table in trainer.tables.items():
            assert len(table) > 0
            values = graph.simulator.goal_values[role]
            assert table.values.min() >= min(values) - 1e-9
            assert table.values.max() <= max(values) + 1e-9


@cache
def gain_knowledge(name: str) -> Knowledge:
    """The knowledge from a few matches of a game against a novice."""
    graph = make_graph(name)
    trainer = Trainer(graph, TrainConfig(opponent=NOVICE))
    matches = 2 if name in LARGE else 20
    trainer.run(matches)
    table = trainer.table
    return extract_knowledge(
        PatternIndex(graph, 0),
        table.rows,
        table.values,
        table.visits,
        opponent="novice",
        matches=matches,
    )


@pytest.mark.parametrize("name", mark_slow(TURN_TAKING, LARGE))
def test_every_game_can_be_source_and_target(name: str) -> None:
    graph = make_graph(name)
    assert gain_knowledge(name).results[0].game == name
    knowledge = gain_knowledge("tictactoe")
    pattern_index = make_target_index(graph, 0, knowledge)
    values = PatternValues(pattern_index, initialise_values(knowledge, pattern_index))
    assert not np.isnan(values.values).all(), "something of tic-tac-toe applies"
    trainer = Trainer(graph, TrainConfig(opponent=NOVICE), values)
    trainer.run(3)
    assert len(trainer.table) > 0
