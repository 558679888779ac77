"""From settings to a folder: play all runs, read them, write what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from gamelore.experiments.banerjee2007.analysis import (
    Played,
    Results,
    Table,
    averages_of,
    beyond_findings,
    claims,
    convergence,
    curves_of,
    judge,
    level_findings,
)
from gamelore.experiments.banerjee2007.plots import draw_all
from gamelore.experiments.banerjee2007.report import (
    report_text,
    summary_text,
    write_data,
)
from gamelore.experiments.banerjee2007.run import (
    SOURCE,
    Outcome,
    Task,
    beyond_cases,
    paper_cases,
    play_run,
)
from gamelore.experiments.banerjee2007.settings import READINGS, Settings
from gamelore.experiments.banerjee2007.table1 import (
    DRAWS,
    GRID,
    MATCHED,
    OPPONENTS,
    fit_all,
)
from gamelore.experiments.experiment import Advance
from gamelore.experiments.output import results_folder, write_text
from gamelore.experiments.statistics import mean_interval
from gamelore.experiments.sweep import graph_of, run_tasks
from gamelore.transfer import find_patterns

FITTED_RUNS = 20
"""Runs that are compared with Table 1, at most: each is valued many times."""


def matches_of(settings: Settings) -> int:
    """How many matches in target games an experiment takes."""
    return sum(task.matches for task in tasks_of(settings))


def tasks_of(settings: Settings) -> list[Task]:
    """All runs: those of the default reading first, then of the others."""
    cases = tuple(paper_cases() + (beyond_cases() if settings.beyond else []))
    tasks = [
        Task(settings, run, cases, GRID if run < FITTED_RUNS else ())
        for run in range(settings.total)
    ]
    if settings.readings:
        for changes in READINGS.values():
            changed = replace(settings, **changes)
            tasks += [
                Task(changed, run, tuple(paper_cases()))
                for run in range(settings.total)
            ]
    return tasks


def reproduce(settings: Settings, folder: Path, jobs: int, advance: Advance) -> str:
    """Run the experiment, write its folder, sum it up in a few lines."""
    with results_folder(folder, "banerjee2007", settings) as draft:
        results, played = _measure(settings, jobs, advance)
        write_data(results, played, draft)
        draw_all(results, draft)
        write_text(draft / "report.md", report_text(results))
    return summary_text(results)


def _measure(settings: Settings, jobs: int, advance: Advance) -> tuple[Results, Played]:
    tasks = tasks_of(settings)
    outcomes = run_tasks(play_run, tasks, jobs, lambda task: advance(task.matches))
    groups = [
        outcomes[start : start + settings.total]
        for start in range(0, len(outcomes), settings.total)
    ]
    played = _stack(groups[0])
    asked = claims()
    findings = [judge(claim, played, settings) for claim in asked]
    others = dict(zip(READINGS, map(_stack, groups[1:]), strict=False))
    results = Results(
        settings=settings,
        averages={
            case: mean_interval(averages_of(rewards, settings))
            for case, rewards in played.items()
        },
        findings=[*findings, convergence(played, settings)],
        levels=level_findings(played, settings),
        curves=curves_of({case: played[case] for case in paper_cases()}, settings),
        table=_table(groups[0]),
        readings={
            name: [judge(claim, other, settings) for claim in asked]
            for name, other in others.items()
        },
        beyond=beyond_findings(played, settings),
    )
    return results, played


def _stack(outcomes: Sequence[Outcome]) -> Played:
    cases = outcomes[0].rewards
    return {case: np.stack([one.rewards[case] for one in outcomes]) for case in cases}


def _table(outcomes: Sequence[Outcome]) -> Table:
    valued = [one for outcome in outcomes for one in outcome.valued]
    draws = {
        opponent: [
            value
            for one in valued
            for pattern, value in one.values.items()
            if one.opponent == opponent and str(pattern) == MATCHED[DRAWS]
        ]
        for opponent in OPPONENTS
    }
    return Table(
        patterns=tuple(map(str, find_patterns(graph_of(SOURCE), 0))),
        draws={
            opponent: mean_interval(np.array(values))
            for opponent, values in draws.items()
            if values
        },
        fits=fit_all(valued),
    )
