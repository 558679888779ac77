"""Training that was interrupted goes on as if it had not been."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from typing import get_args

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelore.engine import Simulator, simulator
from gamelore.errors import CheckpointError
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.graph import LOOKAHEAD_RULES, Pattern, PatternIndex, StateGraph
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.config import RoleChoice, TrainConfig
from gamelore.learn.role_values import PatternValues
from gamelore.learn.schedules import Cosine, Fixed, Geometric
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import Lookahead, QSettings, TDSettings
from gamelore.learn.state_codec import RowLayout
from gamelore.learn.trainer import Trainer
from gamelore.search.policies import KINDS, PlayerSettings
from gamelore.settings import (
    SettingError,
    flatten,
    from_json,
    from_options,
    to_json,
    to_options,
)
from gamelore.values.settings import LinearSettings, NetworkSettings

NOVICE = PlayerSettings("novice")
CONFIGS = {
    "td": TrainConfig(opponent=NOVICE, seed=1),
    "both roles": TrainConfig(opponent=NOVICE, role="alternate", seed=2),
    "lookahead": TrainConfig(
        TDSettings(initialise="candidates"),
        NOVICE,
        lookahead=Lookahead(2, "avgmax"),
        seed=3,
    ),
    "weak": TrainConfig(
        TDSettings(terminal_afterstate=False), PlayerSettings("weak"), "second", seed=4
    ),
    "minimax": TrainConfig(opponent=PlayerSettings("minimax", depth=3), seed=5),
    "monte-carlo": TrainConfig(
        opponent=PlayerSettings("monte-carlo", playouts=4), seed=6
    ),
    "q": TrainConfig(QSettings(), NOVICE, "alternate", Cosine(200), seed=7),
    "qm": TrainConfig(QSettings(playouts=4), NOVICE, schedule=Geometric(), seed=8),
    "q of a function": TrainConfig(
        QSettings(),
        SelfPlay(opponent_refresh=40),
        "alternate",
        Fixed(0.2),
        seed=9,
        function=NetworkSettings(hidden=3, initial_range=None),
    ),
}
MATCHES = 300

rates = st.floats(0, 1)
schedules = st.one_of(
    st.builds(Fixed, rates, st.none() | st.integers(0, 10**6)),
    st.builds(Cosine, st.integers(1, 10**6), st.floats(0, 0.5), st.floats(0, 0.5)),
    st.builds(Geometric, rates, rates),
)
learners = st.one_of(
    st.builds(
        TDSettings, st.floats(0.01, 1), rates, rates, st.none() | st.floats(0, 9)
    ),
    st.builds(QSettings, st.floats(0.01, 1), rates, st.integers(0, 99)),
)
configs = st.builds(
    TrainConfig,
    learners,
    st.builds(PlayerSettings, st.sampled_from(sorted(KINDS)), rates),
    st.sampled_from(get_args(RoleChoice)),
    schedules,
    lookahead=st.none()
    | st.builds(Lookahead, st.integers(1, 9), st.sampled_from(sorted(LOOKAHEAD_RULES))),
    seed=st.integers(0, 2**63 - 1),
    function=st.none()
    | st.builds(LinearSettings, output=st.sampled_from(["identity", "tanh"]))
    | st.builds(
        NetworkSettings, perspective=st.sampled_from(["first", "current-player"])
    ),
)


@cache
def engine(game: str, name: str = "circuit") -> Simulator:
    return simulator(load(game), name)  # type: ignore[arg-type]


def begin(
    config: TrainConfig, game: str = "tictactoe", *, carried: bool = False
) -> Trainer:
    """A training that shares nothing with others but the engine."""
    graph = StateGraph(engine(game))
    return Trainer(graph, config, feature_values(graph) if carried else None)


def feature_values(graph: StateGraph) -> PatternValues:
    pattern_index = PatternIndex(graph, 0)
    known: dict[Pattern, float] = {
        frozenset({"L", frozenset({"N", "W"})}): 31.25,
        frozenset({"W"}): 99.5,
        frozenset({frozenset({"D"}), frozenset({"W"})}): 0.1 + 0.2,
    }
    numbers = {pattern_index.intern(pattern): value for pattern, value in known.items()}
    values = np.full(len(pattern_index.shapes.first), np.nan)
    values[list(numbers)] = list(numbers.values())
    return PatternValues(pattern_index, values)


def interrupted(trainer: Trainer, stops: list[int]) -> Checkpoint:
    """Play to each stop, save, and go on with what the saved parts say."""
    rewards: npt.NDArray[np.float64] = np.zeros(0)
    for stop in stops:
        record = trainer.run(stop - trainer.matches)
        rewards = np.concatenate([rewards, record.rewards])
        saved = Checkpoint.of(trainer, rewards)
        checkpoint = Checkpoint.from_parts(saved.header(), saved.arrays())
        trainer = checkpoint.trainer(StateGraph(trainer.graph.simulator))
        assert checkpoint.key == saved.key
    return Checkpoint.of(trainer, rewards)


def assert_same(left: Checkpoint, right: Checkpoint) -> None:
    """Bit for bit."""
    assert left.header() == right.header()
    assert left.arrays().keys() == right.arrays().keys()
    for name, array in left.arrays().items():
        assert array.tobytes() == right.arrays()[name].tobytes(), name


# ── going on ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("seed", range(2))
def test_interrupted_training_equals_uninterrupted_training(
    name: str, seed: int
) -> None:
    stops = np.random.default_rng(seed).integers(0, MATCHES, 4)
    points = [*sorted(stops.tolist()), MATCHES]
    whole = begin(CONFIGS[name])
    record = whole.run(MATCHES)
    expected = Checkpoint.of(whole, record.rewards)
    assert_same(interrupted(begin(CONFIGS[name]), points), expected)
    cells = sum(map(len, whole.tables.values()))
    assert cells > 50 or whole.config.function is not None
    initial = begin(CONFIGS[name]).state().weights
    for weights, first in zip(expected.weights.values(), initial.values(), strict=True):
        assert np.abs(weights - first).max() > 1e-3


def test_values_carried_over_are_saved_too() -> None:
    whole = begin(CONFIGS["td"], carried=True)
    expected = Checkpoint.of(whole, whole.run(MATCHES).rewards)
    found = interrupted(begin(CONFIGS["td"], carried=True), [7, 120, MATCHES])
    assert_same(found, expected)
    without = begin(CONFIGS["td"])
    other = Checkpoint.of(without, without.run(MATCHES).rewards)
    assert other.key != expected.key
    assert other.rewards.tolist() != expected.rewards.tolist()


def test_a_dice_game_goes_on_with_the_same_dice() -> None:
    config = TrainConfig(opponent=PlayerSettings("random"), seed=3)
    whole = begin(config, "pig")
    expected = Checkpoint.of(whole, whole.run(60).rewards)
    assert_same(interrupted(begin(config, "pig"), [1, 25, 60]), expected)


def test_parts_of_any_size_learn_the_same() -> None:
    whole, parts = begin(CONFIGS["td"]), begin(CONFIGS["td"])
    rewards = whole.run(MATCHES).rewards
    sizes = [1, 0, 17, 2, 200, 80]
    pieces = [parts.run(size).rewards for size in sizes]
    assert_same(
        Checkpoint.of(whole, rewards), Checkpoint.of(parts, np.concatenate(pieces))
    )


def test_a_state_is_a_copy() -> None:
    trainer = begin(CONFIGS["td"])
    trainer.run(50)
    state = trainer.state()
    before = state.tables[0].values.copy(), state.streams.copy()
    trainer.run(50)
    assert (state.tables[0].values == before[0]).all()
    assert (state.streams == before[1]).all()
    assert state.matches == 50


def test_a_state_of_another_plan_is_refused() -> None:
    state = begin(CONFIGS["td"]).state()
    with pytest.raises(ValueError, match="tables must be of roles"):
        begin(CONFIGS["weak"]).restore(state)
    with pytest.raises(ValueError, match="keys must have 2 words, got 1"):
        begin(CONFIGS["qm"]).restore(state)


# ── other engines, other layouts ────────────────────────────────────────────────────


@pytest.mark.parametrize("learner", [TDSettings(), QSettings()])
def test_the_interpreter_goes_on_in_another_process(
    learner: TDSettings | QSettings,
) -> None:
    """Another interpreter numbers positions and moves in another order."""
    config = TrainConfig(learner, NOVICE, "alternate", Fixed(0.3), seed=5)
    whole = Trainer(StateGraph(simulator(load("nim-1-2-3"), "interpreter")), config)
    rewards = whole.run(40).rewards
    first = Trainer(StateGraph(simulator(load("nim-1-2-3"), "interpreter")), config)
    saved = Checkpoint.of(first, first.run(15).rewards)
    fresh = simulator(load("nim-1-2-3"), "interpreter")
    second = saved.trainer(StateGraph(fresh))
    again = np.concatenate([saved.rewards, second.run(25).rewards])
    assert again.tolist() == rewards.tolist()
    for role, table in whole.tables.items():
        found = second.tables[role]
        assert table.values.tobytes() == found.values.tobytes()
        assert table.visits.tobytes() == found.visits.tobytes()
        for left, right in zip(table.rows, found.rows, strict=True):
            width = fresh.width  # what follows a position is a move
            facts = whole.graph.simulator.facts(left[:width])
            assert facts == fresh.facts(right[:width])


@pytest.mark.parametrize("name", ["td", "q"])
def test_what_one_engine_learned_the_other_knows(name: str) -> None:
    slow = simulator(load("tictactoe"), "interpreter")
    trainer = begin(CONFIGS[name])
    saved = Checkpoint.of(trainer, trainer.run(100).rewards)
    there = saved.trainer(StateGraph(slow))
    back = Checkpoint.of(there, saved.rewards).trainer(StateGraph(engine("tictactoe")))
    for role, table in trainer.tables.items():
        assert (back.tables[role].rows == table.rows).all()
        assert (back.tables[role].values == table.values).all()
        assert len(there.tables[role]) == len(table)


@pytest.mark.parametrize("name", ["td", "q"])
def test_a_layout_that_changed_is_translated(name: str) -> None:
    trainer = begin(CONFIGS[name])
    saved = Checkpoint.of(trainer, trainer.run(100).rewards)
    fluents, moves = saved.layout.fluents, saved.layout.moves
    other = RowLayout(fluents[::-1], tuple(m[::-1] for m in moves))
    tables = {}
    for role, cells in saved.tables.items():
        bits = np.unpackbits(
            cells.rows[:, :1].view(np.uint8), axis=1, bitorder="little"
        )
        bits[:, : len(fluents)] = bits[:, : len(fluents)][:, ::-1]
        rows = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
        last = len(moves[0]) - 1 - cells.rows[:, 1:].astype(np.int64)
        rows = np.hstack([rows, last.astype(np.uint64)])
        tables[role] = cells._replace(rows=rows)
    changed = dataclasses.replace(saved, layout=other, tables=tables)
    back = changed.trainer(StateGraph(engine("tictactoe")))
    for number, table in trainer.tables.items():
        assert (back.tables[number].rows == table.rows).all()


# ── what is refused ─────────────────────────────────────────────────────────────────


def test_another_game_is_refused() -> None:
    trainer = begin(CONFIGS["td"])
    saved = Checkpoint.of(trainer, trainer.run(3).rewards)
    with pytest.raises(CheckpointError, match="it is about tictactoe, not nim"):
        saved.trainer(StateGraph(engine("nim")))
    text = load("tictactoe").to_kif() + "(extra rule)\n"
    changed = simulator(Game.from_kif(text, name="tictactoe"))
    with pytest.raises(CheckpointError, match="the rules of tictactoe have changed"):
        saved.trainer(StateGraph(changed))


def test_rewards_of_other_matches_are_refused() -> None:
    trainer = begin(CONFIGS["td"])
    trainer.run(3)
    with pytest.raises(ValueError, match="rewards must be of 3 matches, got 2"):
        Checkpoint.of(trainer, [100, 0])


@pytest.mark.parametrize("part", ["config", "roles", "fluents", "matches"])
def test_parts_that_do_not_fit_are_refused(part: str) -> None:
    trainer = begin(CONFIGS["td"])
    saved = Checkpoint.of(trainer, trainer.run(3).rewards)
    header = json.loads(saved.header())
    for wrong in (None, 7, [["x"]]):
        changed = json.dumps({**header, part: wrong}).encode()
        with pytest.raises(CheckpointError):
            Checkpoint.from_parts(changed, saved.arrays())
    del header[part]
    with pytest.raises(CheckpointError, match=part):
        Checkpoint.from_parts(json.dumps(header).encode(), saved.arrays())


# ── settings ────────────────────────────────────────────────────────────────────────


@given(configs)
def test_settings_are_read_as_they_were_written(config: TrainConfig) -> None:
    text = json.dumps(to_json(config))
    assert from_json(TrainConfig, json.loads(text)) == config


@given(configs)
def test_options_are_settings_and_back(config: TrainConfig) -> None:
    given = {k: v for k, v in to_options(config).items() if v is not None}
    if config.learner == QSettings(playouts=0):
        given.pop("playouts", None)
    for name in ("playouts", "search_time", "search_level"):
        if given["learner"] == "q":
            given.pop(name, None)
    assert from_options(TrainConfig, given) == config


def test_settings_by_path() -> None:
    flat = dict(flatten(to_json(TrainConfig())))
    assert flat["learner.step_size"] == 0.3
    assert flat["schedule.kind"] == "fixed"
    assert flat["lookahead"] is None


def test_a_schedule_of_ones_own_cannot_be_saved() -> None:
    def schedule(matches: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return np.zeros(len(matches))

    with pytest.raises(SettingError, match="nothing could read"):
        to_json(TrainConfig(schedule=schedule))


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (7, "TrainConfig must be an object, got 7"),
        ({"schedule": {"kind": "magic"}}, "schedule must be one of fixed, cosine"),
        ({"schedule": 3}, "schedule must be one of"),
        ({"colour": "red"}, "TrainConfig has no setting 'colour'"),
        ({"learner": {"kind": "td", "step_size": 2}}, "step_size must be in"),
        ({"learner": {"kind": "td", "step_size": "a"}}, "step_size cannot be 'a'"),
        ({"learner": {"kind": "td", "hidden": 3}}, "learner has no setting 'hidden'"),
    ],
)
def test_records_that_are_no_settings(record: object, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        from_json(TrainConfig, record)
