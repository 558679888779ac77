"""The whole experiment: train, compare, draw, report."""

from __future__ import annotations

from gamelore.experiments.experiment import Experiment
from gamelore.experiments.sweep import Sweep, load_graph
from gamelore.experiments.wang2018.best_response import (
    PolicyScore,
    average_scores,
    explore_game,
    find_best_response,
)
from gamelore.experiments.wang2018.claims import (
    compare_differences,
    compare_levels,
    compare_statements,
    rank_measures,
)
from gamelore.experiments.wang2018.extensions import (
    GAME,
    count_extension_matches,
    run_extensions,
)
from gamelore.experiments.wang2018.plots import draw_figures
from gamelore.experiments.wang2018.report import WangFindings, make_report, write_data
from gamelore.experiments.wang2018.run import run_cases
from gamelore.experiments.wang2018.settings import GAMES, Wang2018Settings, WangCases

SOLVED = (GAME, *GAMES)
"""The games small enough for the best response to be computed."""


def run(settings: Wang2018Settings, sweep: Sweep) -> WangFindings:
    """Train all learners, and compare them with the paper's."""
    cases = WangCases(settings)
    results = run_cases(cases.list_all(), settings.runs, settings.seed, sweep)
    games = {case.game for case in results} | ({GAME} if settings.extensions else set())
    levels = list(compare_levels(cases, results))
    return WangFindings(
        settings=settings,
        results=results,
        measures=rank_measures(levels),
        best_responses={game: solve(game) for game in SOLVED if game in games},
        extensions=run_extensions(cases, sweep) if settings.extensions else None,
        claims=[
            *compare_differences(cases, results),
            *levels,
            *compare_statements(cases, results),
        ],
    )


def count_matches(settings: Wang2018Settings) -> int:
    """Return how many matches the settings ask for."""
    cases = WangCases(settings)
    matches = settings.runs * sum(case.matches for case in cases.list_all())
    return matches + (count_extension_matches(cases) if settings.extensions else 0)


def solve(game: str) -> PolicyScore:
    """Return the best response to the random player, averaged over both roles."""
    whole = explore_game(load_graph(game))
    return average_scores([find_best_response(whole, role) for role in (0, 1)])


EXPERIMENT = Experiment(
    settings=Wang2018Settings,
    count_matches=count_matches,
    run=run,
    write_data=write_data,
    draw_figures=draw_figures,
    make_report=make_report,
    quick={"scale": 0.04, "runs": 3},
)
