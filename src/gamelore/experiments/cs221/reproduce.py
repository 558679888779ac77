"""The whole comparison: learn, test, draw, report."""

from __future__ import annotations

from pathlib import Path

from gamelore.experiments.cs221.plots import draw_curves, draw_ends
from gamelore.experiments.cs221.report import (
    Findings,
    summarise,
    write_report,
    write_tables,
)
from gamelore.experiments.cs221.run import run_cases
from gamelore.experiments.cs221.settings import CS221Settings, cases
from gamelore.experiments.cs221.worked import work
from gamelore.experiments.experiment import Advance
from gamelore.experiments.output import results_folder, write_text


def reproduce(
    settings: CS221Settings, folder: Path, jobs: int, advance: Advance
) -> str:
    """Run what the settings ask for and write a folder; a summary."""
    with results_folder(folder, "cs221", settings) as draft:
        courses = run_cases(cases(settings), settings, jobs, advance)
        findings = Findings(settings, work(), courses)
        draw_curves(courses, draft / "curves")
        draw_ends(courses, settings.playouts, draft / "ends")
        write_tables(findings, draft)
        write_text(draft / "report.md", write_report(findings))
    return summarise(findings)


def count_matches(settings: CS221Settings) -> int:
    """How many matches the settings ask for."""
    return settings.runs * sum(case.matches for case in cases(settings))
