"""Campos and Langlois (2003): what is run, how it is counted and judged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gamelore.experiments import find_experiment
from gamelore.experiments.abalearn2003.claims import (
    Number,
    claims,
    numbers,
    rate_at,
    rates,
)
from gamelore.experiments.abalearn2003.games import (
    DEPTHS,
    Contest,
    Duel,
    best_of,
    duel,
    meet_references,
)
from gamelore.experiments.abalearn2003.plots import draw_figures
from gamelore.experiments.abalearn2003.report import (
    Findings,
    summarise,
    write_report,
    write_tables,
)
from gamelore.experiments.abalearn2003.run import (
    AHEAD,
    BEHIND,
    LOST,
    STONES,
    WON,
    Agent,
    Course,
    Trained,
    score,
    simulator_of,
    train,
)
from gamelore.experiments.abalearn2003.settings import (
    CASES,
    METHOD_I,
    METHOD_IA,
    METHOD_II,
    RISKS,
    TAUGHT,
    Abalearn2003Settings,
    Case,
    config_for,
)
from gamelore.experiments.statistics import Interval
from gamelore.gdl import read_term
from gamelore.learn.schedules import Fixed, Geometric
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import TDSettings
from gamelore.match.batch import BatchResult
from gamelore.search.policies import PlayerSettings
from gamelore.values.settings import NetworkSettings

SMALL = Abalearn2003Settings(
    agents=2, scale=0.001, tests=2, move_limit=20, search_nodes=20
)


# ── what is run ─────────────────────────────────────────────────────────────────────


def test_the_methods_are_the_papers() -> None:
    settings = Abalearn2003Settings()
    assert [lesson.opponent for lesson in METHOD_I.lessons] == ["random", "self"]
    assert (METHOD_I.features, METHOD_IA.features) == ("abalearn2", "abalearn3")
    assert METHOD_I.lessons == METHOD_IA.lessons
    config = config_for(METHOD_II[-0.8], "self", settings, seed=3)
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
    assert not config.function.reward_in_selection
    assert config.function.trace_includes == "current"
    assert not config.function.scaling
    first = config_for(METHOD_I, "random", settings, seed=3)
    assert first.opponent == PlayerSettings("random")
    assert first.schedule == Fixed(settings.epsilon)


def test_every_case_is_tested_where_the_paper_was() -> None:
    assert len({case.name for case in CASES}) == len(CASES) == 9
    assert tuple(METHOD_II) == RISKS
    for case in CASES:
        assert case.points[-1] == case.games
        assert list(case.points) == sorted(set(case.points))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("agents", 1),
        ("scale", 0),
        ("tests", 1),
        ("epsilon", -1),
        ("move_limit", 0),
        ("opening", -1),
        ("hidden", 0),
        ("search_nodes", 0),
    ],
)
def test_settings_are_checked(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{name} must .*, got {value}"):
        Abalearn2003Settings(**{name: value})  # type: ignore[arg-type]


# ── how it is counted ───────────────────────────────────────────────────────────────


def _outcomes(lost: list[tuple[int, int]]) -> BatchResult:
    """Matches that ended with so many stones lost by black and by white."""
    simulator = simulator_of(SMALL.game, "abalearn2")
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


def test_scores_count_wins_and_stones_of_either_seat() -> None:
    simulator = simulator_of(SMALL.game, "abalearn2")
    as_black = _outcomes([(0, 6), (1, 0)])
    as_white = _outcomes([(6, 2), (0, 0)])
    found = score(simulator, (as_black, as_white))
    assert found[WON] == 0.5
    assert found[LOST] == 0
    assert found[AHEAD] == 0.5
    assert found[BEHIND] == 0.25
    assert found[STONES] == (6 - 1 + 4 + 0) / 4


def _weights(case: Case) -> dict[str, np.ndarray]:
    inputs = {"abalearn2": 9, "abalearn3": 15}[case.features]
    random = np.random.default_rng(0)
    return {
        "hidden": random.normal(size=(inputs, 10)).astype(np.float32),
        "out": random.normal(size=11).astype(np.float32),
    }


def _course(case: Case, ahead: float, agents: int = 4) -> Course:
    """Agents that are ahead in so many games, give or take little."""
    random = np.random.default_rng(round(ahead))
    made = []
    for _ in range(agents):
        scores = np.zeros((len(case.points), 5))
        scores[:, AHEAD] = ahead / 100 + random.normal(0, 0.002, len(case.points))
        scores[:, WON] = 0.2
        scores[:, LOST] = 0.1
        made.append(Trained(scores, (_weights(case),) * len(case.points)))
    return Course(case, tuple(made))


def test_what_drawn_games_count() -> None:
    course = _course(METHOD_I, 70)
    assert rates(course, "stones").mean() == pytest.approx(70, abs=1)
    assert rates(course, "half") == pytest.approx(20 + 35)
    assert rates(course, "nothing") == pytest.approx(20)
    assert rate_at(course, 500, "nothing").shape == (4,)


# ── how it is judged ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        (Interval(74.9, 74.8, 75.0), "agrees"),
        (Interval(60.0, 50.0, 71.0), "not decided"),
        (Interval(80.0, 79.0, 81.0), "ours is 10.0 higher"),
        (Interval(50.0, 49.0, 51.0), "ours is 20.0 lower"),
    ],
)
def test_numbers_are_judged(ours: Interval, verdict: str) -> None:
    assert Number("Table 2", "x", 70.0, ours).verdict == verdict


def _findings(levels: dict[Case, float]) -> Findings:
    courses = {case: _course(case, level) for case, level in levels.items()}
    duels = [
        Duel(case, depth, won=0, lost=depth // 6, moves=40, reached=depth)
        for case in (METHOD_I, METHOD_II[-1.0])
        for depth in DEPTHS
    ]
    references = np.full((4, len(METHOD_I.points), 3), 0.5)
    references[:, METHOD_I.points.index(2_750), 0] = [0.9, 0.8, 0.9, 0.8]
    return Findings(
        settings=Abalearn2003Settings(),
        courses=courses,
        references=references,
        duels=duels,
        numbers=numbers(courses, "stones"),
        claims=claims(courses, references, duels, "stones"),
        figures=list[str](),
    )


AS_PUBLISHED = {
    METHOD_I: 52.0,
    METHOD_IA: 74.0,
    METHOD_II[0.0]: 15.0,
    METHOD_II[-0.3]: 50.0,
    METHOD_II[-0.8]: 88.0,
    METHOD_II[-1.0]: 90.0,
    TAUGHT["random"]: 40.0,
    TAUGHT["heuristic"]: 60.0,
    TAUGHT["self"]: 30.0,
}


def test_what_the_paper_found_would_hold() -> None:
    found = _findings(AS_PUBLISHED)
    verdicts = {claim.text: claim.verdict for claim in found.claims}
    undecided = verdicts.pop("κ = -1 improves with training")  # made-up curves are flat
    assert undecided != "holds"
    assert set(verdicts.values()) == {"holds"}, verdicts
    assert found.numbers[-1].verdict == "agrees"


def test_the_opposite_would_not_hold() -> None:
    worse = {case: 100 - level for case, level in AS_PUBLISHED.items()}
    verdicts = {c.where: c.verdict for c in _findings(worse).claims}
    assert verdicts["Figure 3"] == "does not hold: the opposite does"
    assert verdicts["Figure 4"] == "does not hold: the opposite does"


def test_the_report_has_all_parts(tmp_path: Path) -> None:
    found = _findings(AS_PUBLISHED)
    names = draw_figures(found.courses, found.references, found.settings, tmp_path)
    assert names == ["figure-2", "figure-3", "figure-4", "figure-5", "table-2"]
    assert all((tmp_path / f"{name}.svg").exists() for name in names)
    write_tables(found, tmp_path)
    rows = (tmp_path / "scores.csv").read_text().splitlines()
    assert len(rows) == 1 + 4 * sum(len(case.points) for case in CASES)
    text = write_report(found)
    assert "| Table 2 | Method I(a) after 3,000 games | 79 |" in text
    assert "| Method I | 6 | 6.0 | 0 | 1 | 40 | 0 | 2 | 61 |" in text
    assert "features help" in summarise(found)


# ── running it ──────────────────────────────────────────────────────────────────────


@pytest.mark.slow
@pytest.mark.parametrize("case", [METHOD_I, METHOD_II[-1.0], TAUGHT["heuristic"]])
def test_training_repeats(case: Case) -> None:
    one, again, other = (train(Agent(case, n), SMALL) for n in (0, 0, 1))
    assert one.scores.shape == (len(case.points), 5)
    for mine, same in zip(one.weights, again.weights, strict=True):
        assert all((mine[name] == same[name]).all() for name in mine)
    assert (one.weights[-1]["hidden"] != other.weights[-1]["hidden"]).any()


@pytest.mark.slow
def test_agents_learn_from_both_lessons() -> None:
    weights = train(Agent(METHOD_I, 0), SMALL).weights
    basics = METHOD_I.points.index(1_000)
    for before, after in ((0, basics + 1), (basics, -1)):
        assert (weights[before]["out"] != weights[after]["out"]).any()


@pytest.mark.slow
def test_agents_meet_their_references_and_search() -> None:
    course = _course(METHOD_I, 50, agents=2)
    found = meet_references(course, SMALL)
    assert found.shape == (2, len(METHOD_I.points), 3)
    assert ((found >= 0) & (found <= 1)).all()
    contest = Contest(METHOD_I, best_of(course).weights[-1], 4, seed=0)
    result = duel(contest, SMALL)
    assert 0 < result.moves <= SMALL.move_limit
    assert 1 <= result.reached <= 4


def test_the_experiment_is_known() -> None:
    experiment = find_experiment("abalearn2003")
    settings = experiment.settings(agents=2, scale=0.001, tests=2)
    assert experiment.matches(settings) == 2 * (2 * 3 + 4 * 2 + 3 * 1 + 2) + 6
