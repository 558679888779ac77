"""Reward shaping in tables: changes of features are rewarded, by every learner."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import Engine, Row, Simulator, simulator
from gamelore.errors import CheckpointError, GameloreError
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.gdl.features import FeatureRules
from gamelore.graph import StateGraph
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.config import TrainConfig
from gamelore.learn.files import load_checkpoint, save_checkpoint
from gamelore.learn.learners import Episode, QLearner, TDLearner, ValueLearner
from gamelore.learn.match_trainer import MatchTrainer
from gamelore.learn.schedules import Fixed
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.match.match import play_match
from gamelore.search.policies import PlayerSettings
from gamelore.settings import flatten, to_json

SIDES = """
(<= (feature (men own) ?x ?y) (me ?p) (true (cell ?x ?y ?p)))
(<= (feature (men other) ?x ?y)
    (me ?p) (true (cell ?x ?y ?q)) (role ?q) (distinct ?p ?q))
(<= (feature (all) ?x ?y) (role ?q) (true (cell ?x ?y ?q)))
"""
SHAPING = (("(men own)", 2.5), ("(men other)", -0.3))


def sides(name: str = "tictactoe", engine: Engine = "auto") -> Simulator:
    game = load(name)
    return simulator(game, engine, features=FeatureRules.from_kif(SIDES, game))


def random_match(sim: Simulator, seed: int) -> Episode:
    players = {r: RandomPlayer(seed + i) for i, r in enumerate(sim.roles)}
    return Episode.of(sim, play_match(sim, players))


# ── the slow twin ───────────────────────────────────────────────────────────────────


class SlowTable:
    """A learner in plain Python; keys are positions, or positions and moves."""

    def __init__(self, graph: StateGraph, config: TrainConfig, role: int) -> None:
        self.graph, self.sim, self.config, self.role = (
            graph,
            graph.simulator,
            config,
            role,
        )
        against = config.opponent
        self.shared = isinstance(against, SelfPlay) and against.values == "shared"
        self.values: dict[bytes, float] = {}

    def credit(self, row: Row) -> float:
        """The men of both sides on the board, each by what it earns."""
        role = 0 if self.shared else self.role
        men = [str(fact) for fact in self.sim.facts(row) if str(fact)[:5] == "(cell"]
        total = 0.0
        for number, name in enumerate(self.sim.roles):
            count = sum(fact.endswith(f" {name})") for fact in men)
            total += (
                dict(self.config.shaping)[
                    "(men own)" if number == role else "(men other)"
                ]
                * count
            )
        return total

    def goal(self, row: Row) -> float:
        role = 0 if self.shared else self.role
        return float(self.sim.goals(row[None])[0, role])

    def learn(self, episode: Episode) -> None:
        movers = [self.mover(row) for row in episode.rows[:-1]]
        turns = [
            t for t, mover in enumerate(movers) if self.shared or mover == self.role
        ]
        if isinstance(self.config.learner, TDSettings):
            self.learn_afterstates(self.config.learner, episode, turns)
        else:
            assert isinstance(self.config.learner, QSettings)
            self.learn_actions(self.config.learner, episode, turns)

    def mover(self, row: Row) -> int:
        return self.graph.mover(self.graph.number(row))

    def learn_afterstates(
        self, rule: TDSettings, episode: Episode, turns: list[int]
    ) -> None:
        """V(s) += α e(s) (r + γ V(s') − V(s)), afterstate by afterstate."""
        end, values = episode.rows[-1], self.values
        path = [episode.rows[t + 1] for t in turns]
        if rule.terminal_afterstate and path[-1].tobytes() != end.tobytes():
            path.append(end)
        for row in path:
            values.setdefault(row.tobytes(), 50.0)
        for t, row in enumerate(path):
            following = path[t + 1] if t + 1 < len(path) else None
            target = self.credit(end if following is None else following)
            target -= self.credit(row)
            if following is None:
                target += self.goal(end)
            else:
                target += rule.discount * values[following.tobytes()]
            error = target - values[row.tobytes()]
            error *= 1 - rule.risk if error > 0 else 1 + rule.risk
            for p in range(t, -1, -1):
                share = rule.step_size * rule.trace_decay ** (t - p)
                values[path[p].tobytes()] += share * error

    def learn_actions(
        self, rule: QSettings, episode: Episode, turns: list[int]
    ) -> None:
        """Q(s, a) goes towards r + γ max Q(s', ·), from the end to the start."""
        following, best = episode.rows[-1], self.goal(episode.rows[-1]) / rule.discount
        for t in reversed(turns):
            row = episode.rows[t]
            key = row.tobytes() + np.uint64(episode.moves[t, self.role]).tobytes()
            value = self.values.setdefault(key, 0.0)
            earned = self.credit(following) - self.credit(row)
            error = earned + rule.discount * best - value
            error *= 1 - rule.risk if error > 0 else 1 + rule.risk
            self.values[key] = value + rule.step_size * error
            place, known = row.tobytes(), self.values
            best = max(known[k] for k in known if k.startswith(place))
            following = row


TWINS = {
    "td": TrainConfig(TDSettings(0.3, 0.9, 0.7)),
    "td-risk": TrainConfig(TDSettings(0.3, 1.0, 0.5, risk=-0.8)),
    "td-no-end": TrainConfig(TDSettings(0.3, 1.0, 0.7, terminal_afterstate=False)),
    "td-shared": TrainConfig(TDSettings(0.3, 0.9, 0.7), SelfPlay()),
    "q": TrainConfig(QSettings(0.3, 0.9)),
    "q-risk": TrainConfig(QSettings(0.3, 0.8, risk=0.4)),
}


@pytest.mark.parametrize("game", ["tictactoe", "breakthrough-6x6"])
@pytest.mark.parametrize("chosen", ["first", "second"])
@pytest.mark.parametrize("case", TWINS)
def test_tables_learn_as_defined(case: str, chosen: str, game: str) -> None:
    sim = sides(game)
    config = replace(TWINS[case], role=chosen, shaping=SHAPING)  # type: ignore[arg-type]
    trainer = Trainer(StateGraph(sim), config)
    role = 0 if chosen == "first" else 1
    slow = SlowTable(StateGraph(sim), config, role)
    learner = ValueLearner(trainer.values(role))
    for seed in range(12):
        episode = random_match(sim, seed % 8)
        learner.learn(episode)
        slow.learn(episode)
    assert len(learner.table) > 20
    found = {cell.row.tobytes(): cell.value for cell in learner.table}
    assert found == pytest.approx(slow.values, abs=1e-9)
    bare = Trainer(StateGraph(sim), replace(config, shaping=()))
    for seed in range(12):
        ValueLearner(bare.values(role)).learn(random_match(sim, seed % 8))
    assert np.abs(bare.table.values - learner.table.values).max() > 0.1


# ── by hand ─────────────────────────────────────────────────────────────────────────

WALK = """
(role agent)
(init (at s0))
(<= (legal agent (go ?b)) (true (at ?a)) (path ?a ?b))
(<= (next (at ?b)) (does agent (go ?b)))
(path s0 s1) (path s1 s2) (path s2 s3) (path s1 s4)
(<= terminal (true (at s3)))
(<= terminal (true (at s4)))
(<= (goal agent 100) (true (at s3)))
(<= (goal agent 0) (not (true (at s3))))
"""
COINS = "(<= (feature coins ?n) (true (at s1)) (n ?n)) (n 1) (n 2) (n 3)"


def test_a_walk_by_hand() -> None:
    """Three coins are found at S1 and gone at S2; each is worth 10."""
    game = Game.from_kif(WALK, name="walk")
    sim = simulator(game, features=FeatureRules.from_kif(COINS, game))
    match = random_match(sim, next(s for s in range(9) if lasts(sim, s, 3)))
    shaping = (("coins", 10.0),)
    td = TDLearner(StateGraph(sim), "agent", TDSettings(0.5, 1.0, 0.0), shaping=shaping)
    td.learn(match)
    # S1: 50 + half of -30; S2: 50; S3, the end: 50 + half of 50
    assert td.table.values.tolist() == [35, 50, 75]
    q = QLearner(StateGraph(sim), "agent", QSettings(0.5, 1.0), shaping=shaping)
    q.learn(match)
    # From S2, half of 100; from S1, half of -30 + 50; from S0, half of 30 + 10
    assert q.table.values.tolist() == [20, 10, 50]


def lasts(sim: Simulator, seed: int, moves: int) -> bool:
    return len(random_match(sim, seed).moves) == moves


# ── training runs ─────────────────────────────────────────────────────────────────

EXPLORING = Fixed(0.2)
CONFIGS = {
    "novice": TrainConfig(role="alternate", schedule=EXPLORING),
    "shared": TrainConfig(opponent=SelfPlay(), schedule=EXPLORING),
    "shared-copy": TrainConfig(
        opponent=SelfPlay(opponent_refresh=7), role="alternate", schedule=EXPLORING
    ),
    "own": TrainConfig(opponent=SelfPlay("own"), schedule=EXPLORING),
    "own-q": TrainConfig(QSettings(), SelfPlay("own"), "alternate", schedule=EXPLORING),
    "random-q": TrainConfig(QSettings(), PlayerSettings("random"), schedule=EXPLORING),
}


def shaped(case: str) -> TrainConfig:
    return replace(CONFIGS[case], shaping=SHAPING)


def assert_same(one: Trainer, other: Trainer) -> None:
    for mine, theirs in ((one.tables, other.tables), (one.copies, other.copies)):
        assert mine.keys() == theirs.keys()
        for role, table in mine.items():
            assert table.rows.tobytes() == theirs[role].rows.tobytes()
            assert table.values.tobytes() == theirs[role].values.tobytes()


@pytest.mark.parametrize("engine", ["circuit", "interpreter"])
@pytest.mark.parametrize("case", CONFIGS)
def test_bulk_and_open_path_are_one(case: str, engine: Engine) -> None:
    matches = 40 if engine == "circuit" else 8
    bulk = Trainer(StateGraph(sides(engine=engine)), shaped(case))
    opened = MatchTrainer(StateGraph(sides(engine=engine)), shaped(case))
    assert (bulk.run(matches).rewards == opened.run(matches).rewards).all()
    assert_same(bulk, opened)
    assert bulk.table.values.max() != bulk.table.values.min()


@pytest.mark.parametrize("case", ["novice", "random-q"])
def test_both_engines_count_the_same(case: str) -> None:
    """The same matches, played by name, leave the same values on both engines."""
    found = []
    compiled = sides(engine="circuit")
    for engine in ("circuit", "interpreter"):
        sim = sides(engine=engine)
        trainer = Trainer(StateGraph(sim), shaped(case))
        for seed in range(5):
            players = {r: RandomPlayer(seed + i) for i, r in enumerate(sim.roles)}
            match = play_match(compiled, players)
            ValueLearner(trainer.values(0)).learn(Episode.of(sim, match))
        found.append(trainer.table.values)
    assert found[0].tolist() == pytest.approx(found[1].tolist(), abs=1e-9)


@pytest.mark.parametrize("case", CONFIGS)
def test_a_run_goes_on_from_a_checkpoint(case: str, tmp_path: Path) -> None:
    whole, part = (Trainer(StateGraph(sides()), shaped(case)) for _ in range(2))
    rewards = whole.run(33).rewards
    save_checkpoint(Checkpoint.of(part, part.run(18).rewards), tmp_path / "a")
    found = load_checkpoint(tmp_path / "a")
    assert found.config == shaped(case)
    assert found.inputs is not None
    later = found.trainer(StateGraph(sides()))
    assert (later.run(15).rewards == rewards[18:]).all()
    assert_same(whole, later)
    with pytest.raises(CheckpointError, match="the game is given none"):
        found.trainer(StateGraph(simulator(load("tictactoe"))))


def test_a_learner_goes_after_what_it_is_paid_for() -> None:
    """Paid for long matches, which is men on the board, it no longer hurries to win."""
    lengths = []
    for shaping in ((), (("(all)", 50.0),)):
        config = TrainConfig(
            QSettings(0.2, 1.0),
            PlayerSettings("random"),
            schedule=Fixed(0.2, until=20_000),
            shaping=shaping,
        )
        trainer = Trainer(StateGraph(sides()), config)
        trainer.run(20_000)
        lengths.append(trainer.run(500).lengths.mean())
    assert lengths[1] > lengths[0] + 1.5


def test_the_settings_of_a_plan_are_single_values() -> None:
    settings = dict(flatten(to_json(shaped("novice"))))
    assert settings["shaping.(men own)"] == 2.5
    assert settings["learner.step_size"] == 0.3
    bare = flatten(to_json(TrainConfig()))
    assert not any("shaping" in name for name, _ in bare)


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="shaping of a must be finite, got inf"):
        TrainConfig(shaping=(("a", np.inf),))
    with pytest.raises(ValueError, match="shaping names a twice"):
        TrainConfig(shaping=(("a", 1.0), ("b", 1.0), ("a", 2.0)))
    config = TrainConfig(shaping=(("men", 1.0),))
    with pytest.raises(GameloreError, match=r"no feature men: .*, \(men own\)"):
        Trainer(StateGraph(sides()), config)
    with pytest.raises(GameloreError, match=r"no feature men: .*\(men own\)"):
        Trainer(StateGraph(sides(engine="interpreter")), config)
    for engine in ("circuit", "interpreter"):
        bare = simulator(load("tictactoe"), engine)
        with pytest.raises(GameloreError, match="no feature men: there are none"):
            Trainer(StateGraph(bare), config)
