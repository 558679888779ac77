"""The report: each of the paper's numbers and statements beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gamelore.experiments.output import write_csv
from gamelore.experiments.report import (
    ExperimentReport,
    Findings,
    ReportTable,
    Section,
    compare_sections,
    remark_on_scale,
)
from gamelore.experiments.statistics import mean_interval
from gamelore.experiments.wang2018.best_response import PolicyScore
from gamelore.experiments.wang2018.claims import CLOSE
from gamelore.experiments.wang2018.extensions import RUNS, WangExtensions
from gamelore.experiments.wang2018.measures import (
    Measure,
    end_intervals,
    measure_curves,
)
from gamelore.experiments.wang2018.run import WangCaseResult
from gamelore.experiments.wang2018.settings import Wang2018Settings, WangCase


@dataclass(frozen=True)
class WangFindings(Findings[Wang2018Settings]):
    """All learning curves, and what follows from them."""

    results: Mapping[WangCase, WangCaseResult]
    measures: list[tuple[str, float]]
    """How far each measure is from the paper's levels, the nearest first."""
    best_responses: Mapping[str, PolicyScore]
    """By game, the best response to the random player, over both roles."""
    extensions: WangExtensions | None = None


def write_data(findings: WangFindings, folder: Path) -> None:
    """Write all curves, and all ends of curves."""
    if not findings.results:
        return
    write_csv(
        folder / "curves.csv",
        ["case", "game", "l", "match", "measure", "mean", "standard deviation"],
        _curve_rows(findings.results),
    )
    write_csv(
        folder / "levels.csv",
        ["case", "game", "l", "measure", "mean", "low", "high"],
        (
            [case.name, case.game, case.length, measure, *interval]
            for case, result in findings.results.items()
            for measure, interval in end_intervals(result).items()
        ),
    )


def _curve_rows(
    results: Mapping[WangCase, WangCaseResult],
) -> Iterator[list[object]]:
    for case, result in results.items():
        for measure in Measure:
            curves = measure_curves(result, measure).curves
            means, spread = curves.mean(axis=0), curves.std(axis=0, ddof=1)
            for i, (mean, deviation) in enumerate(zip(means, spread, strict=True)):
                match = (i + 1) * case.window
                name = [case.name, case.game, case.length, match, measure.value]
                yield [*name, float(mean), float(deviation)]


def make_report(findings: WangFindings) -> ExperimentReport:
    """Return the report of the experiment."""
    settings = findings.settings
    small = settings.scale != 1
    size = f", at {settings.scale:g} of the paper's size" if small else ""
    return ExperimentReport(
        title="Wang, Emmerich and Plaat (2018), rerun",
        introduction=f"{settings.runs} runs of 1.5 l matches each{size}, against the "
        "random player; the learner moves first in every other match, with a table for "
        f"each role; seed {settings.seed}; {settings.playouts} playouts per move for "
        "QMPlayer. Intervals are 95% bootstrap intervals over runs; with as few as "
        "five runs they are somewhat too short.\n\nA window is l/20 matches; a level "
        "is the mean over all matches after match l.",
        sections=[
            *compare_sections(findings, CLOSE),
            *_describe_measures(findings.measures),
            *_describe_best_responses(findings.best_responses),
            *_describe_extensions(findings.extensions),
        ],
        smoke_test=findings.smoke_test,
        remark=remark_on_scale(settings.scale),
    )


def _describe_measures(measures: list[tuple[str, float]]) -> Iterator[Section]:
    if measures:
        header = ["measure", "mean distance from the paper's levels, points"]
        rows = [[name, f"{gap:.1f}"] for name, gap in measures]
        text = f"The measure nearest to the paper's levels is **{measures[0][0]}**."
        yield Section(
            "Which win rate the paper means", [text, ReportTable(header, rows)]
        )


def _describe_best_responses(
    best_responses: Mapping[str, PolicyScore],
) -> Iterator[Section]:
    if best_responses:
        rows = [
            [game, f"{score.wins:.2f}", f"{score.goal:.2f}"]
            for game, score in best_responses.items()
        ]
        yield Section(
            "The best response",
            [
                "The policy with the highest mean goal (a draw counts half) against "
                "the random player, computed exactly over all positions; averaged "
                "over both roles.",
                ReportTable(["game", "wins, %", "mean goal, %"], rows),
            ],
        )


def _describe_extensions(extensions: WangExtensions | None) -> Iterator[Section]:
    if extensions:
        yield Section(
            "Extension: reaching the best response",
            [
                "The exact mean goal of the greedy policy after so many training "
                f"matches, in {RUNS} runs.",
                _tabulate_reach(extensions),
            ],
        )
        yield Section(
            "Extension: how the authors' program differs",
            [
                f"Win rate after match l of QPlayer in tic-tac-toe, in {RUNS} runs, "
                "with departures of the published program from Algorithm 1 added one "
                "by one. The paper has 55, 80, 86.5 and 86.5 for l = 5,000, 10,000, "
                "30,000 and 50,000.",
                _tabulate_programs(extensions),
            ],
        )
        yield Section(
            "Extension: how many playouts",
            [
                "The win rate of QMPlayer in tic-tac-toe, l = 5,000, in "
                f"{RUNS} runs; the paper has 67 and 85. Nested playouts search at each "
                "of their moves, by one random playout of every move there: what the "
                "paper leaves to future work.",
                _tabulate_playouts(extensions),
            ],
        )


def _tabulate_reach(extensions: WangExtensions) -> ReportTable:
    found = {
        (r.case.name, r.case.matches): mean_interval(
            np.array([s.goal for s in r.scores])
        )
        for r in extensions.reached
    }
    lengths = sorted({matches for _, matches in found})
    names = dict.fromkeys(name for name, _ in found)
    rows = [[name, *(found[name, length] for length in lengths)] for name in names]
    return ReportTable(["learner", *(f"{length:,}" for length in lengths)], rows)


def _tabulate_programs(extensions: WangExtensions) -> ReportTable:
    found = {(r.case.departures, r.case.label): r.level for r in extensions.programs}
    columns = list(dict.fromkeys(label for _, label in found))
    rows = [
        [str(departures), *(found.get((departures, label), "") for label in columns)]
        for departures in dict.fromkeys(departures for departures, _ in found)
    ]
    return ReportTable(["program", *columns], rows)


def _tabulate_playouts(extensions: WangExtensions) -> ReportTable:
    rows = [
        [
            result.learner.playouts,
            "nested" if result.learner.level > 1 else "flat",
            result.start,
            result.level,
        ]
        for result in extensions.playouts
    ]
    header = ["playouts per move", "search", "first window", "level after match l"]
    return ReportTable(header, rows)
