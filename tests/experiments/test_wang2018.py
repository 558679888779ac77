"""Wang, Emmerich and Plaat (2018): what is run and measured, and what is exact."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from gamelore.engine import simulator
from gamelore.errors import GameloreError
from gamelore.experiments import find_experiment
from gamelore.experiments.claims import PublishedNumber
from gamelore.experiments.statistics import Interval
from gamelore.experiments.sweep import Sweep, load_graph
from gamelore.experiments.wang2018.best_response import (
    WholeGame,
    average_scores,
    evaluate_policy,
    explore_game,
    find_best_response,
    make_greedy,
)
from gamelore.experiments.wang2018.claims import rank_measures
from gamelore.experiments.wang2018.measures import Measure, find_ends, measure_curves
from gamelore.experiments.wang2018.published_program import (
    ALL,
    Departures,
    PublishedLearner,
    play_program,
)
from gamelore.experiments.wang2018.reproduce import EXPERIMENT, count_matches
from gamelore.experiments.wang2018.run import (
    WangCaseResult,
    average_windows,
    run_cases,
)
from gamelore.experiments.wang2018.settings import (
    FIGURES,
    LENGTHS,
    WINDOWS,
    Wang2018Settings,
    WangCases,
)
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.schedules import Cosine, Fixed
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.trainer import Trainer

SMALL = Wang2018Settings(scale=0.01, runs=2)


@pytest.fixture(scope="module")
def tictactoe() -> WholeGame:
    return explore_game(load_graph("tictactoe"))


# ── what is run ─────────────────────────────────────────────────────────────────────


def test_the_cases_are_the_papers() -> None:
    cases = WangCases(Wang2018Settings())
    by_figure = {figure: cases.list_figure(figure) for figure in FIGURES}
    assert by_figure[1] == []
    assert [case.length for case in by_figure[4]] == [50_000, 80_000]
    assert [case.matches for case in by_figure[6][::2]] == [3 * n // 2 for n in LENGTHS]
    assert by_figure[6] == by_figure[7]
    dynamic, *fixed = by_figure[2]
    assert dynamic.learner == QSettings(step_size=0.1, discount=0.9)
    assert dynamic.schedule == Cosine(30_000, a=0.5, b=0.0)
    assert [c.schedule for c in fixed] == [Fixed(0.1, 30_000), Fixed(0.2, 30_000)]
    assert by_figure[3][1].learner == TDSettings(0.3, 1.0, 0.7)


def test_every_case_is_run_once() -> None:
    wanted = WangCases(Wang2018Settings()).list_all()
    assert len(wanted) == len(set(wanted)) == 20
    assert WangCases(Wang2018Settings(figure=4)).list_all() == sorted(
        WangCases(Wang2018Settings()).list_figure(4), key=lambda case: -case.matches
    )


def test_lengths_are_whole_windows_at_any_scale() -> None:
    for scale in (0.001, 0.0137, 0.5, 3):
        for case in WangCases(Wang2018Settings(scale=scale)).list_all():
            assert case.length % WINDOWS == 0
            assert 2 * case.matches == 3 * case.length


@pytest.mark.parametrize(
    ("name", "value"),
    [("figure", 0), ("figure", 8), ("runs", 1), ("scale", 0), ("playouts", 0)],
)
def test_settings_are_checked(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{name} must be .*, got {value}"):
        Wang2018Settings(**{name: value})  # type: ignore[arg-type]


# ── how it is measured ──────────────────────────────────────────────────────────────


def test_windows_count_wins_and_goals() -> None:
    rewards = np.array([100.0, 50.0, 0.0, 100.0])
    assert average_windows(rewards, 2, 100).tolist() == [[50.0, 50.0], [75.0, 50.0]]


def test_the_four_measures() -> None:
    case = WangCases(SMALL).q_player(5_000)
    wins = np.zeros((1, 30))
    wins[0, :10] = 30.0
    wins[0, 20:] = 90.0
    result = WangCaseResult(case, wins, wins + 5)
    assert find_ends(result, Measure.WINS).tolist() == [90]
    assert find_ends(result, Measure.WINS_SO_FAR) == pytest.approx([40])
    assert find_ends(result, Measure.GOAL).tolist() == [95]
    assert find_ends(result, Measure.GOAL_SO_FAR) == pytest.approx([45])
    assert measure_curves(result, Measure.WINS_SO_FAR).curves[0, 19] == pytest.approx(
        15
    )
    assert measure_curves(result, Measure.WINS).start.tolist() == [30]
    assert measure_curves(result, Measure.WINS).drift.tolist() == [0]


def test_the_measure_nearest_to_the_paper_comes_first() -> None:
    levels = dict(zip(Measure, (70.0, 81.0, 60.0, 50.0), strict=True))
    ours = {m.value: Interval(level, level, level) for m, level in levels.items()}
    number = PublishedNumber.compare("Figure 6", "level", 80.0, ours, tolerance=2.0)
    assert rank_measures([number])[0] == (Measure.WINS_SO_FAR.value, 1.0)


# ── what is exact ───────────────────────────────────────────────────────────────────


def test_every_position_of_tictactoe_comes_after_its_successors(
    tictactoe: WholeGame,
) -> None:
    assert len(tictactoe.order) == 5_478
    place = {node: i for i, node in enumerate(tictactoe.order)}
    for node, children in tictactoe.children.items():
        assert all(place[child] < place[node] for child in children)


def test_too_large_a_game_is_refused() -> None:
    with pytest.raises(GameloreError, match="more than 100 positions"):
        explore_game(StateGraph(simulator(load("hex-3x3"))), largest=100)


def test_random_play_gets_what_is_known(tictactoe: WholeGame) -> None:
    first = evaluate_policy(tictactoe, 0, lambda node: tictactoe.children[node])
    assert first.wins == pytest.approx(58.4920635)
    assert first.goal == pytest.approx(64.8412698)


def test_the_best_response_in_tictactoe(tictactoe: WholeGame) -> None:
    roles = [find_best_response(tictactoe, role) for role in (0, 1)]
    assert roles[0].wins == pytest.approx(100 * 191 / 192)
    assert average_scores(roles).wins == pytest.approx(96.459, abs=0.001)
    for role, best in enumerate(roles):
        most = find_best_response(tictactoe, role, aim="wins")
        assert most.wins >= best.wins
        assert most.goal <= best.goal


def test_nim_is_won_by_taking_the_last_object() -> None:
    game = explore_game(StateGraph(simulator(load("nim"))))
    best = find_best_response(game, 1)
    chance = evaluate_policy(game, 1, lambda node: game.children[node])
    assert chance.wins < best.wins <= 100
    assert best.wins == pytest.approx(best.goal), "there is no draw"


def test_the_greedy_policy_of_an_empty_table_is_random(tictactoe: WholeGame) -> None:
    trainer = Trainer(tictactoe.graph, TrainConfig(learner=QSettings()))
    chance = evaluate_policy(tictactoe, 0, lambda node: tictactoe.children[node])
    policy = make_greedy(tictactoe.graph, trainer.table)
    assert evaluate_policy(tictactoe, 0, policy) == pytest.approx(chance)


@pytest.mark.slow
def test_learning_for_long_comes_near_the_best_response(
    tictactoe: WholeGame,
) -> None:
    config = TrainConfig(
        learner=QSettings(step_size=0.02),
        role="alternate",
        schedule=Fixed(1.0),
        seed=1,
    )
    trainer = Trainer(tictactoe.graph, config)
    trainer.run(2_000_000)
    for role, table in trainer.tables.items():
        reached = evaluate_policy(tictactoe, role, make_greedy(tictactoe.graph, table))
        best = find_best_response(tictactoe, role)
        assert best.goal - 1 <= reached.goal <= best.goal + 1e-9


# ── the published program ───────────────────────────────────────────────────────────


@pytest.mark.slow
def test_without_departures_it_is_algorithm_1(tictactoe: WholeGame) -> None:
    schedule, matches = Cosine(4_000), 6_000
    slow = [
        play_program(tictactoe, Departures(), schedule, matches, seed)[4_000:].mean()
        for seed in range(6)
    ]
    fast = [
        Trainer(
            tictactoe.graph,
            TrainConfig(
                learner=QSettings(), role="alternate", schedule=schedule, seed=seed
            ),
        )
        .run(matches)
        .rewards[4_000:]
        .mean()
        for seed in range(6)
    ]
    spread = np.hypot(np.std(slow, ddof=1), np.std(fast, ddof=1)) / np.sqrt(6)
    assert abs(np.mean(slow) - np.mean(fast)) < 4 * spread


def test_departures_change_what_one_match_updates(tictactoe: WholeGame) -> None:
    def learned(departures: Departures) -> list[float]:
        for seed in range(100):
            learner = PublishedLearner(tictactoe, 0, departures, Random(seed))
            if learner.play(1.0) == 100:
                best = [max(known.values()) for known in learner.table.values()]
                return sorted(best, reverse=True)
        raise AssertionError("no match was won")

    plain = learned(Departures())
    assert plain[:3] == pytest.approx([10, 0.9, 0.081])
    doubled = learned(Departures(doubles_goal=True))
    assert doubled[:2] == pytest.approx([19, 1.71])
    waiting = learned(Departures(learns_waiting=True))
    assert waiting[:3] == pytest.approx([10, 0.9, 0.081])
    assert len(waiting) == 2 * len(plain) - 1, "the other's turns are steps as well"


def test_untried_moves_are_explored_first(tictactoe: WholeGame) -> None:
    learner = PublishedLearner(tictactoe, 0, ALL, Random(0))
    for _ in range(9):
        learner.play(1.0)
    tried = {move for move, _ in learner.table[tictactoe.graph.root]}
    assert tried == set(tictactoe.children[tictactoe.graph.root])


# ── the whole ───────────────────────────────────────────────────────────────────────


def test_what_comes_out_does_not_depend_on_what_else_runs() -> None:
    cases = WangCases(SMALL)
    alone = run_cases([cases.q_player(5_000)], 2, 7, Sweep())
    among = run_cases([cases.fixed(0.1), cases.q_player(5_000)], 2, 7, Sweep())
    case = cases.q_player(5_000)
    assert (alone[case].wins == among[case].wins).all()
    other = run_cases([case], 2, 8, Sweep())
    assert (alone[case].wins != other[case].wins).any()


def test_a_figure_is_written_with_its_data(tmp_path: Path) -> None:
    settings = Wang2018Settings(figure=2, scale=0.01, runs=2)
    done: list[int] = []
    _, report = EXPERIMENT.reproduce(settings, tmp_path / "out", Sweep(1, done.append))
    assert sum(done) == count_matches(settings)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        "claims.csv",
        "curves.csv",
        "figure-2.png",
        "figure-2.svg",
        "levels.csv",
        "report.md",
        "settings.json",
    }
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "dynamic ε ends above fixed 0.1 by" in text
    assert "verdicts mean little" in report.notice
    assert report.notice in text
    rows = (tmp_path / "out" / "curves.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + 3 * len(Measure) * 30


def test_schedules_are_drawn_without_a_match(tmp_path: Path) -> None:
    settings = Wang2018Settings(figure=1)
    assert count_matches(settings) == 0
    EXPERIMENT.reproduce(settings, tmp_path / "out")
    assert (tmp_path / "out" / "figure-1.svg").stat().st_size > 1000


def test_the_command_finds_it() -> None:
    assert find_experiment("wang2018").settings is Wang2018Settings
