"""The whole experiment: run, read, draw, report."""

from __future__ import annotations

from pathlib import Path

from gamelore.experiments.experiment import Advance
from gamelore.experiments.output import results_folder, write_text
from gamelore.experiments.sweep import graph_of
from gamelore.experiments.wang2018.best_response import (
    Outcome,
    best_response,
    over_seats,
    whole_game,
)
from gamelore.experiments.wang2018.claims import claims, numbers
from gamelore.experiments.wang2018.extensions import (
    GAME,
    Beyond,
    go_beyond,
    matches_beyond,
)
from gamelore.experiments.wang2018.plots import draw_figure, draw_reach
from gamelore.experiments.wang2018.report import (
    Findings,
    summarise,
    write_report,
    write_tables,
)
from gamelore.experiments.wang2018.run import run_cases
from gamelore.experiments.wang2018.settings import (
    FIGURES,
    GAMES,
    Cases,
    Wang2018Settings,
)

SOLVED = (GAME, *GAMES)
"""The games small enough for the best response to be worked out."""


def reproduce(
    settings: Wang2018Settings, folder: Path, jobs: int, advance: Advance
) -> str:
    """Run what the settings ask for and write a folder; a summary."""
    cases = Cases(settings)
    with results_folder(folder, "wang2018", settings) as draft:
        courses = run_cases(
            cases.wanted(), settings.rounds, settings.seed, jobs, advance
        )
        games = {case.game for case in courses}
        findings = Findings(
            settings=settings,
            figures=list(FIGURES) if settings.figure is None else [settings.figure],
            courses=courses,
            numbers=numbers(cases, courses),
            claims=claims(cases, courses),
            optima={game: optimum(game) for game in SOLVED if game in games},
            beyond=go_beyond(cases, jobs, advance) if settings.beyond else None,
        )
        _draw(findings, cases, draft)
        if courses:
            write_tables(findings, draft)
        write_text(draft / "report.md", write_report(findings))
    return summarise(findings)


def count_matches(settings: Wang2018Settings) -> int:
    """How many matches the settings ask for."""
    cases = Cases(settings)
    matches = settings.rounds * sum(case.matches for case in cases.wanted())
    return matches + (matches_beyond(cases) if settings.beyond else 0)


def optimum(game: str) -> Outcome:
    """The best response to the random player, for the mean goal, over both seats."""
    whole = whole_game(graph_of(game))
    return over_seats([best_response(whole, role) for role in (0, 1)])


def _draw(findings: Findings, cases: Cases, folder: Path) -> None:
    best = {game: outcome.wins for game, outcome in findings.optima.items()}
    for figure in findings.figures:
        draw_figure(figure, cases, findings.courses, best, folder)
    if findings.beyond:
        _draw_reach(findings.beyond, folder)


def _draw_reach(beyond: Beyond, folder: Path) -> None:
    lines = []
    for way in dict.fromkeys(reached.way for reached in beyond.reached):
        own = [reached for reached in beyond.reached if reached.way == way]
        by_round = zip(*([o.goal for o in r.outcomes] for r in own), strict=True)
        lines.append((way.name, [r.matches for r in own], list(by_round)))
    draw_reach(lines, optimum(GAME).goal, folder / "beyond-reach")
