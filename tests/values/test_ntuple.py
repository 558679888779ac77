"""n-tuple networks beside slow definitions of what they do."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from tests.values.slow_network import SlowNetwork, list_facts

from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import CircuitSimulator, simulator
from gamelore.engine.position import Position
from gamelore.engine.simulator import Rows
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl import to_kif
from gamelore.graph import StateGraph
from gamelore.learn._match_kernels import Assignments, MatchBuffers
from gamelore.learn.config import TrainConfig
from gamelore.learn.learners import Episode, ValueLearner
from gamelore.learn.match_buffers import new_buffers
from gamelore.learn.schedules import Fixed
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.match.match import play_match
from gamelore.player import Briefing, Clock
from gamelore.search.alpha_beta import AlphaBetaPlayer
from gamelore.settings import SettingError
from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.functions import ValueFunction
from gamelore.values.ntuple.model import NTupleModel
from gamelore.values.ntuple.settings import NTupleSettings
from gamelore.values.ntuple.structure import Structure, build_structure

SMALL = NTupleSettings(tuples=6, tuple_length=4)
RULE = TDSettings(step_size=0.8, discount=0.9, trace_decay=0.6, risk=0.2)


def load_engine(name: str) -> CircuitSimulator:
    found = simulator(load(name))
    assert isinstance(found, CircuitSimulator)
    return found


def random_match(sim: CircuitSimulator, seed: int) -> Episode:
    players = {r: RandomPlayer(seed + i) for i, r in enumerate(sim.roles)}
    return Episode.of(sim, play_match(sim, players))


def make_trainer(
    sim: CircuitSimulator, settings: NTupleSettings, rule: TDSettings = RULE
) -> Trainer:
    config = TrainConfig(
        rule, SelfPlay(), schedule=Fixed(0.2), function=settings, seed=3
    )
    return Trainer(StateGraph(sim), config)


def get_function(trainer: Trainer) -> ValueFunction:
    assert trainer.function is not None
    return trainer.function


def get_structure(function: ValueFunction) -> Structure:
    assert isinstance(function.model, NTupleModel)
    return function.model.structure


@pytest.mark.parametrize("coherence", [True, False])
@pytest.mark.parametrize(
    ("game", "exchange"),
    [("tictactoe", False), ("tictactoe", True), ("connect-four", False)],
)
def test_it_learns_as_defined(game: str, exchange: bool, coherence: bool) -> None:
    sim = load_engine(game)
    trainer = make_trainer(sim, replace(SMALL, exchange=exchange, coherence=coherence))
    function = get_function(trainer)
    slow = SlowNetwork(get_structure(function))
    assert get_structure(function).exchange == exchange
    learner = ValueLearner(trainer.values(0))
    met = []
    for seed in range(0, 12, 2):
        episode = random_match(sim, seed)
        learner.learn(episode)
        goal = sim.goals(episode.rows[-1:])[0, 0] / 100
        slow.learn(list_facts(sim, episode.rows[1:-1]), goal, RULE, coherence)
        met.append(episode.rows[:-1])
    rows = np.concatenate(met)
    expected = np.array([slow.value(facts) for facts in list_facts(sim, rows)])
    assert function.evaluate(rows) == pytest.approx(expected, abs=1e-5)
    assert np.abs(expected - 0.5).max() > 0.1


@pytest.mark.parametrize("best", [True, False])
def test_after_random_moves_the_best_is_the_target(best: bool) -> None:
    """A random match is learned from as its best moves would have gone on."""
    sim = load_engine("tictactoe")
    settings = replace(SMALL, best_after_random=best)
    config = TrainConfig(RULE, SelfPlay(), schedule=Fixed(1.0), function=settings)
    trainer = Trainer(StateGraph(sim), config)
    buffers = new_buffers(1, 20)
    slow = SlowNetwork(get_structure(get_function(trainer)))
    for _ in range(8):
        rows = _play_one(trainer, buffers)
        if best:
            _learn_best(sim, slow, rows)
    rows = np.concatenate([random_match(sim, 3).rows[:-1], rows])
    expected = [slow.value(facts) for facts in list_facts(sim, rows)]
    assert get_function(trainer).evaluate(rows) == pytest.approx(expected, abs=1e-5)
    assert bool(get_function(trainer).weights()["tables"].any()) == best


def _play_one(trainer: Trainer, buffers: MatchBuffers, epsilon: float = 1.0) -> Rows:
    """Have a trainer play and learn one match; return its open afterstates."""
    assignments = Assignments(np.zeros(1, np.int8), np.full(1, epsilon), 0, 0, 1)
    status, _ = trainer._run_in_kernel(buffers, assignments)
    assert status == 0
    nodes, own = trainer.graph.nodes, buffers.own
    children = nodes.child[own.edges[: own.length[0]]]
    rows: Rows = nodes.rows[children[nodes.mover[children] != -1]].copy()
    return rows


def _learn_best(sim: CircuitSimulator, slow: SlowNetwork, rows: Rows) -> None:
    for row in rows[::-1]:
        after = sim.expand(row[None]).successors
        values = [slow.value(facts) for facts in list_facts(sim, after)]
        goals = sim.goals(after)[:, 0] / 100
        worth = np.where(sim.terminal(after), goals, values)
        mover = int(np.argmax([one[0].sum() for one in sim.legal(row[None])]))
        best = float(worth.max() if mover == 0 else worth.min())
        slow.learn(list_facts(sim, row[None]), best, RULE, SMALL.coherence)


@pytest.mark.parametrize("epsilon", [0.0, 1.0])
@pytest.mark.parametrize(
    ("game", "depth", "tree"),
    [("tictactoe", 2, False), ("tictactoe", 3, True), ("connect-3", 2, True)],
)
def test_targets_are_searched(
    game: str, depth: int, tree: bool, epsilon: float
) -> None:
    """They are minimax values, and mix with the result where moves were chosen."""
    sim = load_engine(game)
    settings = replace(SMALL, search_depth=depth, tree_updates=tree)
    rule = replace(RULE, discount=1.0)
    config = TrainConfig(rule, SelfPlay(), schedule=Fixed(epsilon), function=settings)
    trainer = Trainer(StateGraph(sim), config)
    buffers = new_buffers(1, 50)
    slow = SlowNetwork(get_structure(get_function(trainer)))
    for _ in range(4):
        rows = _play_one(trainer, buffers, epsilon)
        end = int(trainer.graph.nodes.child[buffers.own.edges[len(rows)]])
        goal = trainer.graph.nodes.goals[end, 0] / 100
        _learn_searched(slow, sim, rows, goal, config)
    rows = np.concatenate([random_match(sim, 3).rows[:-1], rows])
    expected = [slow.value(facts) for facts in list_facts(sim, rows)]
    assert get_function(trainer).evaluate(rows) == pytest.approx(expected, abs=1e-5)
    assert np.abs(np.array(expected) - 0.5).max() > 0.05


def _minimax(slow: SlowNetwork, sim: CircuitSimulator, row: Rows, depth: int) -> float:
    """Return the value to the first player; every position counts, no window."""
    if sim.terminal(row)[0]:
        return float(sim.goals(row)[0, 0] / 100)
    if depth == 0:
        return slow.value(list_facts(sim, row)[0])
    values = [
        _minimax(slow, sim, after[None], depth - 1)
        for after in sim.expand(row).successors
    ]
    return max(values) if _find_mover(sim, row) == 0 else min(values)


def _find_mover(sim: CircuitSimulator, row: Rows) -> int:
    return int(np.argmax([legal[0].sum() for legal in sim.legal(row)]))


def _learn_searched(
    slow: SlowNetwork,
    sim: CircuitSimulator,
    rows: Rows,
    goal: float,
    config: TrainConfig,
) -> None:
    """Learn from the open afterstates of a match as it is defined."""
    settings, rule = config.function, config.learner
    assert isinstance(settings, NTupleSettings)
    assert isinstance(rule, TDSettings)
    depth, target = settings.search_depth, goal
    for row in rows[::-1]:
        if settings.tree_updates:
            values = []
            for after in sim.expand(row[None]).successors:
                values.append(_minimax(slow, sim, after[None], depth - 1))
                if not sim.terminal(after[None])[0]:
                    facts = list_facts(sim, after[None])
                    slow.learn(facts, values[-1], rule, settings.coherence)
            searched = (max if _find_mover(sim, row[None]) == 0 else min)(values)
        else:
            searched = _minimax(slow, sim, row[None], depth)
        kept = 0.0 if config.schedule(np.zeros(1, np.int64))[0] else rule.trace_decay
        target = searched + kept * (target - searched)
        slow.learn(list_facts(sim, row[None]), target, rule, settings.coherence)


def test_settings_of_searched_targets() -> None:
    with pytest.raises(SettingError, match="search_depth"):
        NTupleSettings(tree_updates=True)
    with pytest.raises(GameloreError, match="discount"):
        make_trainer(load_engine("tictactoe"), replace(SMALL, search_depth=2))


def test_a_learner_finds_room_for_its_search() -> None:
    """From matches that anybody played, the same is learned on a small state graph."""
    sim = load_engine("connect-3")
    rule = replace(RULE, discount=1.0)
    found = []
    for grown in (False, True):
        trainer = make_trainer(sim, replace(SMALL, search_depth=5), rule)
        learner = ValueLearner(replace(trainer.values(0), graph=StateGraph(sim)))
        for _ in range(12 * grown):
            learner.values.graph.grow()
        size = len(learner.values.graph.nodes.rows)
        learner.learn(random_match(sim, 4))
        assert (len(learner.values.graph.nodes.rows) == size) == grown
        found.append(get_function(trainer).weights()["tables"])
    assert np.array_equal(found[0], found[1])
    assert found[0].any()


def test_openings_are_random() -> None:
    sim = load_engine("connect-3")
    config = TrainConfig(
        RULE, SelfPlay(), schedule=Fixed(0.0), opening=3, function=SMALL, seed=1
    )
    trainer = Trainer(StateGraph(sim), config)
    trainer.run(40)
    plain = Trainer(StateGraph(sim), replace(config, opening=0))
    plain.run(40)
    # Without them the same few openings are played over and over.
    assert trainer.graph.nodes.used[0] > 1.5 * plain.graph.nodes.used[0]


@pytest.mark.parametrize("game", ["tictactoe", "connect-four", "breakthrough-6x6"])
@pytest.mark.parametrize("exchange", [False, True])
def test_kernels_evaluate_as_defined(game: str, exchange: bool) -> None:
    """Moves on the state graph and leaves of a search have the values of facts."""
    sim = load_engine(game)
    trainer = make_trainer(sim, replace(SMALL, exchange=exchange))
    trainer.run(60)
    function = get_function(trainer)
    structure = get_structure(function)
    slow = SlowNetwork(structure)
    tables = function.weights()["tables"]
    for row, facts in zip(*_positions(sim), strict=True):
        value = function.evaluate(row[None])[0]
        places = _places(structure, facts)
        keys, _ = slow.keys(facts)
        for key, place in zip(keys, places, strict=True):
            slow.weights[key] = float(tables[place])
        assert value == pytest.approx(slow.value(facts), abs=1e-5)
        evaluator = ValueFunctionEvaluator(function)
        player = AlphaBetaPlayer(evaluator, depth=1, seed=1)
        mover = int(np.argmax([legal[0].sum() for legal in sim.legal(row[None])]))
        player.start(Briefing(sim, sim.roles[mover]), Clock())
        player.choose(Position.from_row(sim, row), Clock())
        children = sim.expand(row[None]).successors
        if player.last is None:  # there was one move only
            assert len(children) == 1
            continue
        best = _best_child(sim, function, children, mover)
        assert player.last.value == pytest.approx(best, abs=1e-5)


def _positions(sim: CircuitSimulator) -> tuple[Rows, list[frozenset[int]]]:
    rows = random_match(sim, 5).rows[:-1]
    return rows, list_facts(sim, rows)


def _places(structure: Structure, facts: frozenset[int]) -> list[int]:
    """Return where the weights of a position are."""
    view = next((v for v, fact in enumerate(structure.turns) if fact in facts), 0)
    coding = 1 if structure.exchange and view else 0
    places: list[int] = structure.find_bases()[view].tolist()
    for fact, steps in enumerate(structure.list_steps(coding)):
        for slot, step in steps:
            places[slot] += step * (fact in facts)
    return places


def _best_child(
    sim: CircuitSimulator, function: ValueFunction, children: Rows, mover: int
) -> float:
    values = function.evaluate(children)
    values = values if mover == 0 else 1 - values
    ended = sim.terminal(children)
    return float(np.where(ended, sim.goals(children)[:, mover] / 100, values).max())


# ── the whole ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("coherence", [True, False])
def test_the_same_seed_has_the_same_weights(coherence: bool) -> None:
    sim = load_engine("connect-3")
    settings = replace(SMALL, coherence=coherence)
    found = []
    for _ in range(2):
        trainer = make_trainer(sim, settings)
        trainer.run(200)
        found.append(get_function(trainer).weights())
    assert np.array_equal(found[0]["tables"], found[1]["tables"])
    assert np.array_equal(found[0]["changes"], found[1]["changes"])
    assert len(found[0]["changes"]) == coherence * len(found[0]["tables"])
    parts = make_trainer(sim, settings)
    for matches in (1, 99, 100):
        other = make_trainer(sim, settings)
        other.restore(parts.state())
        other.run(matches)
        parts = other
    assert np.array_equal(get_function(parts).weights()["tables"], found[0]["tables"])


def test_tuples_do_not_depend_on_the_order_of_facts() -> None:
    """They are drawn by what facts say, and cover what ends the match."""
    sim = load_engine("connect-four")
    drawn = build_structure(sim, NTupleSettings(tuples=40), 1)
    texts = [
        {to_kif(sim.fluents[f]).rsplit(" ", 1)[0] for f in drawn.digits[d].facts}
        for one in drawn.tuples
        for d in one
    ]
    assert all(len(text) == 1 for text in texts)
    assert len(drawn.tuples) == 40
    lines = build_structure(sim, NTupleSettings(tuples=38, tuple_length=4), 1)
    assert len({frozenset(one) for one in lines.tuples}) == 38
    assert all(len(one) == 4 for one in lines.tuples)


@pytest.mark.parametrize("walk", ["rules", "board", "auto"])
def test_what_hardly_varies_is_in_no_tuple(walk: Literal["rules", "board"]) -> None:
    """Tuples of draughts are of cells, not of the square of a piece that jumps on."""
    sim = load_engine("english-draughts")
    drawn = build_structure(sim, NTupleSettings(tuples=12, walk=walk), 1)
    facts = {f for one in drawn.tuples for d in one for f in drawn.digits[d].facts}
    heads = {to_kif(sim.fluents[fact]).split()[0] for fact in facts}
    assert "(cell" in heads
    assert "(jumping" not in heads


def test_q_learning_is_refused() -> None:
    sim = load_engine("tictactoe")
    config = TrainConfig(QSettings(), SelfPlay(), function=SMALL)
    with pytest.raises(GameloreError, match="n-tuple networks learn by TD"):
        Trainer(StateGraph(sim), config)
