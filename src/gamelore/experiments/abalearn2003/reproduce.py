"""The whole experiment: train, test, draw, report."""

from __future__ import annotations

from pathlib import Path

from gamelore.experiments.abalearn2003.claims import claims, numbers
from gamelore.experiments.abalearn2003.games import DEPTHS, meet_references, play_duels
from gamelore.experiments.abalearn2003.plots import draw_figures
from gamelore.experiments.abalearn2003.report import (
    Findings,
    summarise,
    write_report,
    write_tables,
)
from gamelore.experiments.abalearn2003.run import run_cases
from gamelore.experiments.abalearn2003.settings import (
    CASES,
    METHOD_I,
    METHOD_II,
    Abalearn2003Settings,
)
from gamelore.experiments.abalearn2003.variants import matches_of_readings, try_readings
from gamelore.experiments.experiment import Advance
from gamelore.experiments.output import results_folder, write_text


def reproduce(
    settings: Abalearn2003Settings, folder: Path, jobs: int, advance: Advance
) -> str:
    """Run what the settings ask for and write a folder; a summary."""
    with results_folder(folder, "abalearn2003", settings) as draft:
        courses = run_cases(CASES, settings, jobs, advance)
        first, second = courses[METHOD_I], courses[METHOD_II[-1.0]]
        references = meet_references(first, settings, jobs, advance)
        duels = play_duels([first, second], settings, jobs, advance)
        findings = Findings(
            settings=settings,
            courses=courses,
            references=references,
            duels=duels,
            numbers=numbers(courses, settings.draws),
            claims=claims(courses, references, duels, settings.draws),
            figures=draw_figures(courses, references, settings, draft),
            tried=try_readings(settings, jobs, advance) if settings.readings else (),
        )
        write_tables(findings, draft)
        write_text(draft / "report.md", write_report(findings))
    return summarise(findings)


def count_matches(settings: Abalearn2003Settings) -> int:
    """How many games the settings ask for, as progress counts them."""
    trainer = sum(settings.scaled(case.games) for case in CASES)
    games = settings.agents * (trainer + settings.tests) + 2 * len(DEPTHS)
    return games + (matches_of_readings(settings) if settings.readings else 0)
