"""The whole experiment: play all runs, compare, draw, report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gamelore.experiments.banerjee2007.claims import (
    FIGURES,
    Played,
    compare_extensions,
    compare_learners,
    compare_patterns,
    count_levels,
    list_comparisons,
    measure_convergence,
    measure_levels,
)
from gamelore.experiments.banerjee2007.plots import draw_figures
from gamelore.experiments.banerjee2007.report import (
    BanerjeeFindings,
    Curve,
    make_report,
    write_data,
)
from gamelore.experiments.banerjee2007.run import (
    SOURCE,
    BanerjeeCase,
    BanerjeeRunResult,
    BanerjeeTask,
    Rewards,
    list_extension_cases,
    list_paper_cases,
    play_run,
)
from gamelore.experiments.banerjee2007.settings import (
    QUICK,
    VARIANTS,
    Banerjee2007Settings,
)
from gamelore.experiments.banerjee2007.table1 import (
    DRAWS,
    GRID,
    MATCHED,
    OPPONENTS,
    PatternSample,
    fit_table,
)
from gamelore.experiments.claims import Claim
from gamelore.experiments.experiment import Experiment
from gamelore.experiments.statistics import (
    Interval,
    cumulative_average,
    mean_band,
    mean_interval,
)
from gamelore.experiments.sweep import Sweep, load_graph
from gamelore.transfer import find_patterns

SAMPLED_RUNS = 20
"""Runs that are compared with Table 1, at most: each is evaluated many times."""

CURVE_STEP = 20
"""Matches between points of a curve."""


def count_matches(settings: Banerjee2007Settings) -> int:
    """Return how many matches in target games the settings ask for."""
    return sum(task.matches for task in list_tasks(settings))


def list_tasks(settings: Banerjee2007Settings) -> list[BanerjeeTask]:
    """Return all runs: those of the settings first, then those of the variants."""
    paper = tuple(list_paper_cases())
    cases = (*paper, *(list_extension_cases() if settings.extensions else ()))
    tasks = [
        BanerjeeTask(settings, run, cases, GRID if run < SAMPLED_RUNS else ())
        for run in range(settings.total)
    ]
    for changes in VARIANTS.values() if settings.variants else ():
        changed = replace(settings, **changes)
        tasks += [BanerjeeTask(changed, run, paper) for run in range(settings.total)]
    return tasks


def run(settings: Banerjee2007Settings, sweep: Sweep) -> BanerjeeFindings:
    """Play all runs, and compare the learners as the paper does."""
    found = sweep.run(play_run, list_tasks(settings), lambda task: task.matches)
    total = settings.total
    first, *others = (
        _stack(found[start : start + total]) for start in range(0, len(found), total)
    )
    samples = [sample for result in found[:total] for sample in result.samples]
    claims = _compare(first, samples, settings)
    for name, played in zip(VARIANTS, others, strict=False):
        claims += [
            compare_learners(comparison, played, settings, name)
            for comparison in list_comparisons()
        ]
    return BanerjeeFindings(
        settings=settings,
        played=first,
        curves={
            number: [
                _make_curve(case, first[case], settings)
                for case in list_paper_cases()
                if (case.game, case.opponent) == place
            ]
            for number, place in FIGURES.items()
        },
        fits=fit_table(samples),
        claims=claims,
    )


def _compare(
    played: Played, samples: Sequence[PatternSample], settings: Banerjee2007Settings
) -> list[Claim]:
    levels = list(measure_levels(played, settings))
    patterns = len(find_patterns(load_graph(SOURCE), 0))
    return [
        *compare_patterns(patterns, _value_draws(samples), settings),
        *(compare_learners(each, played, settings) for each in list_comparisons()),
        measure_convergence(played, settings),
        count_levels(levels, settings),
        *levels,
        *compare_extensions(played, settings),
    ]


def _stack(results: Sequence[BanerjeeRunResult]) -> Played:
    cases = results[0].rewards
    return {case: np.stack([one.rewards[case] for one in results]) for case in cases}


def _value_draws(samples: Sequence[PatternSample]) -> dict[str, Interval]:
    """Return the value of the all-draws pattern against each opponent that has it."""
    values = {
        opponent: [
            value
            for sample in samples
            for pattern, value in sample.values.items()
            if sample.opponent == opponent and str(pattern) == MATCHED[DRAWS]
        ]
        for opponent in OPPONENTS
    }
    return {name: mean_interval(np.array(own)) for name, own in values.items() if own}


def _make_curve(
    case: BanerjeeCase, rewards: Rewards, settings: Banerjee2007Settings
) -> Curve:
    averages = cumulative_average(rewards.astype(float), settings.skipped)
    last = averages.shape[1] - 1
    # The first averages are of a match or two, and would hide the rest.
    points = np.append(np.arange(CURVE_STEP - 1, last, CURVE_STEP), last)
    return Curve(case, points + settings.skipped + 1, mean_band(averages[:, points]))


EXPERIMENT = Experiment(
    settings=Banerjee2007Settings,
    count_matches=count_matches,
    run=run,
    write_data=write_data,
    draw_figures=draw_figures,
    make_report=make_report,
    quick=QUICK,
)
