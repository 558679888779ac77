"""Campos and Langlois (2003): what is run, how it is counted and compared."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gamelore.experiments import find_experiment
from gamelore.experiments.abalearn2003.claims import (
    ReadingResult,
    win_rates,
    win_rates_after,
)
from gamelore.experiments.abalearn2003.games import (
    DEPTHS,
    Duel,
    DuelTask,
    meet_references,
    pick_best,
    play_duel,
)
from gamelore.experiments.abalearn2003.plots import draw_figures
from gamelore.experiments.abalearn2003.report import (
    AbalearnFindings,
    make_report,
    write_data,
)
from gamelore.experiments.abalearn2003.run import (
    AHEAD,
    BEHIND,
    LOST,
    STONES,
    WON,
    AbalearnCaseResult,
    TrainedAgent,
    load_simulator,
    run_cases,
    score,
    train,
)
from gamelore.experiments.abalearn2003.settings import (
    CASES,
    CHOSEN,
    METHOD_I,
    METHOD_IA,
    METHOD_II,
    OPPONENTS,
    READINGS,
    RISKS,
    VALUE_ALONE,
    Abalearn2003Settings,
    AbalearnCase,
    apply_reading,
    make_config,
)
from gamelore.experiments.plots import FigureWriter
from gamelore.experiments.sweep import Repetition, Sweep
from gamelore.gdl import read_term
from gamelore.learn.schedules import Fixed, Geometric
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import TDSettings
from gamelore.match.batch import BatchResult
from gamelore.search.policies import PlayerSettings
from gamelore.values.settings import NetworkSettings

SMALL = Abalearn2003Settings(
    runs=2, scale=0.001, tests=2, move_limit=20, search_nodes=20
)


# ── what is run ─────────────────────────────────────────────────────────────────────


def test_the_methods_are_the_papers() -> None:
    settings = Abalearn2003Settings()
    assert [phase.opponent for phase in METHOD_I.phases] == ["random", "self"]
    assert (METHOD_I.features, METHOD_IA.features) == ("abalearn2", "abalearn3")
    assert METHOD_I.phases == METHOD_IA.phases
    config = make_config(METHOD_II[-0.8], "self", settings, seed=3)
    assert config.learner == TDSettings(0.1, 0.9, 0.7, risk=-0.8)
    assert config.schedule == Geometric(0.9, 0.99)
    assert isinstance(config.opponent, SelfPlay)
    assert isinstance(config.function, NetworkSettings)
    assert config.function.initial_range == 0.01
    assert (config.function.activation, config.function.output) == (
        "sigmoid",
        "sigmoid",
    )
    assert config.shaping == (("(lost other)", 1.0), ("(lost own)", -1.0))
    assert config.function.lowest_reward == -config.function.highest_reward == -1
    assert config.function.trace_includes == "current"
    assert not config.function.scaling
    first = make_config(METHOD_I, "random", settings, seed=3)
    assert first.opponent == PlayerSettings("random")
    assert first.schedule == Fixed(settings.epsilon)


def test_readings_differ_in_what_the_paper_leaves_open() -> None:
    settings = Abalearn2003Settings()
    functions = {}
    for reading in READINGS:
        chosen = apply_reading(reading, settings)
        config = make_config(METHOD_II[-0.8], "self", chosen, seed=3)
        assert isinstance(config.function, NetworkSettings)
        functions[reading] = config.function
    ours, other = functions[CHOSEN], functions[VALUE_ALONE]
    assert ours.reward_in_selection
    assert (ours.perspective, ours.risk_side) == ("learner", "mover")
    assert not other.reward_in_selection
    assert (other.perspective, other.risk_side) == ("current-player", "values")
    assert apply_reading(CHOSEN, settings) == settings


def test_every_case_is_tested_where_the_paper_was() -> None:
    assert len({case.name for case in CASES}) == len(CASES) == 9
    assert tuple(METHOD_II) == RISKS
    for case in CASES:
        assert case.points[-1] == case.games
        assert list(case.points) == sorted(set(case.points))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("runs", 1),
        ("scale", 0),
        ("tests", 1),
        ("epsilon", -1),
        ("move_limit", 0),
        ("opening", -1),
        ("hidden", 0),
        ("search_nodes", 0),
        ("draws", "all"),
        ("scale", math.inf),
        ("scale", math.nan),
        ("hidden", 10**8),
    ],
)
def test_settings_are_checked(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name} must .*, got {value!r}"):
        Abalearn2003Settings(**{name: value})  # type: ignore[arg-type]


# ── how it is counted ───────────────────────────────────────────────────────────────


def _outcomes(lost: list[tuple[int, int]]) -> BatchResult:
    """Matches that ended with so many stones lost by black and by white."""
    simulator = load_simulator(SMALL.game, "abalearn2")
    rows = np.stack(
        [
            simulator.encode(
                map(
                    read_term,
                    (f"(lost black {b})", f"(lost white {w})", "(control black)"),
                )
            )
            for b, w in lost
        ]
    )
    lengths = np.zeros(len(lost), np.int32)
    return BatchResult(rows, simulator.goals(rows), lengths)


def test_scores_count_wins_and_stones_of_either_role() -> None:
    simulator = load_simulator(SMALL.game, "abalearn2")
    as_black = _outcomes([(0, 6), (1, 0)])
    as_white = _outcomes([(6, 2), (0, 0)])
    found = score(simulator, (as_black, as_white))
    assert found[WON] == 0.5
    assert found[LOST] == 0
    assert found[AHEAD] == 0.5
    assert found[BEHIND] == 0.25
    assert found[STONES] == (6 - 1 + 4 + 0) / 4


def _weights(case: AbalearnCase) -> dict[str, np.ndarray]:
    inputs = {"abalearn2": 9, "abalearn3": 15}[case.features]
    random = np.random.default_rng(0)
    return {
        "hidden": random.normal(size=(inputs, 10)).astype(np.float32),
        "out": random.normal(size=11).astype(np.float32),
    }


def _make_result(
    case: AbalearnCase, ahead: float, agents: int = 4
) -> AbalearnCaseResult:
    """Agents that are ahead in so many games, give or take little."""
    random = np.random.default_rng(round(ahead))
    made = []
    for _ in range(agents):
        scores = np.zeros((len(case.points), 5))
        scores[:, AHEAD] = ahead / 100 + random.normal(0, 0.002, len(case.points))
        scores[:, WON] = 0.2
        scores[:, LOST] = 0.1
        made.append(TrainedAgent(scores, (_weights(case),) * len(case.points)))
    return AbalearnCaseResult(case, made)


def test_what_drawn_games_count() -> None:
    result = _make_result(METHOD_I, 70)
    assert win_rates(result, "stones").mean() == pytest.approx(70, abs=1)
    assert win_rates(result, "half") == pytest.approx(20 + 35)
    assert win_rates(result, "nothing") == pytest.approx(20)
    assert win_rates_after(result, 500, "nothing").shape == (4,)


# ── how it is compared ──────────────────────────────────────────────────────────────


def _findings(levels: dict[AbalearnCase, float]) -> AbalearnFindings:
    results = {case: _make_result(case, level) for case, level in levels.items()}
    duels = [
        Duel(CHOSEN, case, depth, won=0, lost=depth // 6, moves=40, reached=depth)
        for case in (METHOD_I, METHOD_II[-1.0])
        for depth in DEPTHS
    ]
    references = np.full((4, len(METHOD_I.points), 3), 0.5)
    references[:, METHOD_I.points.index(2_750), 0] = [0.9, 0.8, 0.9, 0.8]
    found = ReadingResult(results, references, duels)
    readings = {CHOSEN: found, VALUE_ALONE: found}
    return AbalearnFindings(
        settings=Abalearn2003Settings(),
        readings=readings,
        claims=[c for r in readings for c in found.claims(r, "stones")],
    )


def _verdicts(findings: AbalearnFindings) -> dict[str, str]:
    """Return the verdicts on statements of the first reading."""
    claims = findings.group(CHOSEN)[NUMBERS:]
    return {claim.statement: claim.verdict for claim in claims}


NUMBERS = 9
"""That the paper prints; statements follow them."""


AS_PUBLISHED = {
    METHOD_I: 52.0,
    METHOD_IA: 74.0,
    METHOD_II[0.0]: 15.0,
    METHOD_II[-0.3]: 60.0,
    METHOD_II[-0.8]: 88.0,
    METHOD_II[-1.0]: 90.0,
    OPPONENTS["random"]: 40.0,
    OPPONENTS["heuristic"]: 60.0,
    OPPONENTS["self"]: 30.0,
}


def test_what_the_paper_found_would_hold() -> None:
    found = _findings(AS_PUBLISHED)
    verdicts = _verdicts(found)
    undecided = verdicts.pop("κ = -1 improves with training")  # made-up curves are flat
    assert undecided != "holds"
    assert set(verdicts.values()) == {"holds"}, verdicts
    assert found.claims[NUMBERS - 1].verdict == "agrees"


def test_the_opposite_would_not_hold() -> None:
    worse = {case: 100 - level for case, level in AS_PUBLISHED.items()}
    verdicts = _verdicts(_findings(worse))
    opposite = "does not hold: the opposite does"
    skilled = "a skilled opponent is better to learn from than a random one"
    assert verdicts[skilled] == opposite
    assert verdicts["κ = -0.8 is above κ = 0"] == opposite
    assert verdicts["self-play fails for κ = 0: most games are not won"] == (
        "does not hold"
    )
    wins = "self-play succeeds for κ = -1: most games are won"
    assert verdicts[wins] == "does not hold"


def test_the_report_has_all_parts(tmp_path: Path) -> None:
    found = _findings(AS_PUBLISHED)
    figures = FigureWriter(tmp_path)
    draw_figures(found, figures)
    names = list(figures.captions)
    assert names == ["figure-2", "figure-3", "figure-4", "figure-5", "table-2"]
    assert all((tmp_path / f"{name}.svg").exists() for name in names)
    write_data(found, tmp_path)
    rows = (tmp_path / "scores.csv").read_text().splitlines()
    assert len(rows) == 1 + 2 * 4 * sum(len(case.points) for case in CASES)
    text = make_report(found).to_markdown(figures.captions)
    header = f"| where | claim | paper | {CHOSEN} | verdict | {VALUE_ALONE} | verdict |"
    assert header in text
    assert "| Table 2 | Method I(a) after 3,000 games | 79 |" in text
    assert "| Method I | 6 | 6.0 | 0 | 1 | 40 | 0 | 2 | 61 |" in text
    assert "features help" in text


# ── running it ──────────────────────────────────────────────────────────────────────


@pytest.mark.slow
def test_readings_train_agents_of_their_own() -> None:
    case = replace(METHOD_I, points=METHOD_I.points[-1:])
    found = run_cases(list(READINGS), [case], SMALL, Sweep())
    one, other = (found[reading][case].agents for reading in READINGS)
    assert len(one) == len(other) == SMALL.runs
    assert (one[0].weights[0]["out"] != other[0].weights[0]["out"]).any()


@pytest.mark.slow
@pytest.mark.parametrize("case", [METHOD_I, METHOD_II[-1.0], OPPONENTS["heuristic"]])
def test_training_repeats(case: AbalearnCase) -> None:
    case = replace(case, points=(case.points[0], case.points[-1]))
    one, again, other = (train(Repetition(case, n), SMALL) for n in (0, 0, 1))
    assert one.scores.shape == (2, 5)
    for mine, same in zip(one.weights, again.weights, strict=True):
        assert all((mine[name] == same[name]).all() for name in mine)
    assert (one.weights[-1]["hidden"] != other.weights[-1]["hidden"]).any()


@pytest.mark.slow
def test_agents_learn_in_both_phases() -> None:
    weights = train(Repetition(METHOD_I, 0), SMALL).weights
    basics = METHOD_I.points.index(1_000)
    for before, after in ((0, basics + 1), (basics, -1)):
        assert (weights[before]["out"] != weights[after]["out"]).any()


@pytest.mark.slow
def test_agents_meet_their_references_and_search() -> None:
    result = _make_result(METHOD_I, 50, agents=1)
    found = meet_references(result, SMALL, Sweep())
    assert found.shape == (1, len(METHOD_I.points), 3)
    assert ((found >= 0) & (found <= 1)).all()
    task = DuelTask(CHOSEN, METHOD_I, pick_best(result).weights[-1], 4, seed=0)
    duel = play_duel(task, SMALL)
    assert 0 < duel.moves <= SMALL.move_limit
    assert 1 <= duel.reached <= 4


def test_the_experiment_is_known() -> None:
    experiment = find_experiment("abalearn2003")
    settings = experiment.settings(runs=2, scale=0.001, tests=2)
    one = 2 * (2 * 3 + 4 * 2 + 3 * 1 + 2) + 6
    assert experiment.count_matches(settings) == 2 * one
    chosen = replace(settings, readings="chosen")
    assert experiment.count_matches(chosen) == one
