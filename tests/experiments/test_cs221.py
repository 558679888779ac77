"""The lecture on TD-learning: its worked example, and the comparison."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gamelore.experiments import find_experiment
from gamelore.experiments.cs221.claims import compare_learners
from gamelore.experiments.cs221.plots import draw_figures
from gamelore.experiments.cs221.report import (
    CS221Findings,
    format_example,
    make_report,
)
from gamelore.experiments.cs221.run import CS221CaseResult, train
from gamelore.experiments.cs221.settings import (
    POINTS,
    CS221Settings,
    list_cases,
    make_config,
)
from gamelore.experiments.cs221.worked_example import work_example
from gamelore.experiments.plots import FigureWriter
from gamelore.experiments.sweep import Repetition
from gamelore.learn.settings import TDSettings
from gamelore.values.settings import LinearSettings, NetworkSettings

SMALL = CS221Settings(runs=2, scale=0.0002, tests=6, playouts=1)


def test_the_worked_example_is_the_lectures_to_the_last_digit() -> None:
    steps = [
        (s.state, s.inputs, s.weights, s.prediction, s.target, s.reward)
        for s in work_example()
    ]
    assert steps == [
        ("s1", (0, 1), (0, 0), 0, 0, 0),
        ("s4", (1, 0), (0, 0), 0, 0, 0),
        ("s8", (1, 2), (0, 0), 0, 1, 1),
        ("s9", (1, 0), (0.5, 1), None, None, None),
        ("s1", (0, 1), (0.5, 1), 1, 0.5, 0),
        ("s2", (1, 0), (0.5, 0.75), 0.5, 0, 0),
        ("s6", (0, 0), (0.25, 0.75), 0, 0.25, 0),
        ("s10", (1, 0), (0.25, 0.75), None, None, None),
    ]


def test_the_table_has_a_column_for_each_state() -> None:
    first, second = format_example(work_example()).split("\n\n")
    assert first.splitlines()[0].split() == ["S1", "S4", "S8", "S9"]
    assert second.splitlines()[0].split() == ["S1", "S2", "S6", "S10"]
    assert second.splitlines()[-1].split() == ["p-t", "0.5", "0.5", "-0.25"]


def test_what_is_compared() -> None:
    found = list_cases(CS221Settings(learners="both"))
    assert len(found) == len(set(found)) == 12
    assert found == list_cases(CS221Settings())
    by_td = list_cases(CS221Settings(learners="td"))
    assert [case for case in found if case.method == "td"] == by_td
    for case in found:
        config = make_config(case, CS221Settings(), seed=1)
        kind = LinearSettings if case.model == "linear" else NetworkSettings
        assert isinstance(config.function, kind)
        assert config.function.output == "tanh"
        assert config.learner.discount == 1.0
        assert isinstance(config.learner, TDSettings) == (case.method == "td")
        if isinstance(config.learner, TDSettings):
            assert config.learner.trace_decay == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [("runs", 1), ("scale", 0), ("hidden", 0), ("epsilon", 2), ("tests", 0)],
)
def test_settings_are_checked(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{name} must be .*, got {value}"):
        CS221Settings(**{name: value})  # type: ignore[arg-type]


def test_the_lectures_own_functions_are_sums() -> None:
    settings = CS221Settings(output="identity")
    for case in list_cases(settings):
        function = make_config(case, settings, seed=1).function
        assert isinstance(function, LinearSettings | NetworkSettings)
        assert function.output == "identity"


def test_a_run_repeats_and_differs_from_another() -> None:
    case = list_cases(SMALL)[0]
    one, again, other = (train(Repetition(case, n), SMALL) for n in (0, 0, 1))
    assert one.shape == (POINTS + 2,)
    assert (one == again).all()
    assert (one != other).any()


def test_td_and_q_learn_differently_from_the_same_start() -> None:
    settings = replace(SMALL, scale=0.02, tests=40)
    by_td, by_q = (
        train(Repetition(case, 0), settings)
        for case in list_cases(settings)
        if (case.game, case.model) == ("tictactoe", "network")
    )
    assert by_td[0] == by_q[0]
    assert (by_td != by_q).any()


@pytest.fixture
def findings() -> CS221Findings:
    """Made up: the network is better by 10 points, TD by about 0."""
    random = np.random.default_rng(0)
    results = []
    for case in list_cases(SMALL):
        level = 60.0 if case.model == "network" else 50.0
        noise = random.normal(0, 0.5, (5, POINTS + 1))
        results.append(CS221CaseResult(case, level + noise, level + noise[:, 0]))
    claims = list(compare_learners(results))
    return CS221Findings(SMALL, work_example(), results, claims=claims)


def test_verdicts_follow_the_difference(findings: CS221Findings) -> None:
    found = findings.claims
    assert len(found) == 12
    networks = [one for one in found if "network is above" in one.statement]
    assert {one.verdict for one in networks} == {"holds"}
    assert networks[0].interval.mean == pytest.approx(10, abs=1)


def test_the_report_has_all_parts(findings: CS221Findings, tmp_path: Path) -> None:
    figures = FigureWriter(tmp_path)
    draw_figures(findings, figures)
    text = make_report(findings).to_markdown(figures.captions)
    assert "(0.25, 0.75)" in text
    assert text.count("breakthrough 6×6") == 8
    assert all(path.stat().st_size > 1000 for path in tmp_path.iterdir())
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{name}.{kind}" for name in ("curves", "ends") for kind in ("png", "svg")
    }


def test_the_experiment_is_known() -> None:
    experiment = find_experiment("cs221")
    settings = experiment.settings(learners="td", runs=2, scale=0.01)
    assert experiment.count_matches(settings) == 2 * 2 * 2_700
