"""Figures 3 to 7 as the paper draws them, with bands; and intervals side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gamelore.experiments.banerjee2007.analysis import (
    FIGURES,
    TITLES,
    Curve,
    Finding,
    Results,
)
from gamelore.experiments.banerjee2007.run import LEARNERS
from gamelore.experiments.banerjee2007.table1 import OPPONENTS, TABLE_1, Fit

STYLES = {
    "transfer": ("#c0392b", "-"),
    "baseline": ("#2c7a3f", "--"),
    "minimax": ("#1f4e9c", "-."),
    "maxmax": ("#7f8c8d", ":"),
    "avgmax": ("#7f8c8d", ":"),
}
"""Colour and dashes of each learner."""

VERDICT_COLOURS = {"holds": "#2c7a3f", "does not hold": "#c0392b"}
UNDECIDED = "#7f7f7f"
DOTS_PER_INCH = 110


def draw_all(results: Results, folder: Path) -> None:
    """Write every figure, as PNG and as SVG."""
    for number, curves in results.curves.items():
        save(
            draw_curves(number, curves, results.settings.total),
            folder,
            f"figure-{number}",
        )
    if results.table.fits:
        save(draw_table(results.table.fits[0]), folder, "table-1")
    names = [finding.claim for finding in results.findings]
    save(draw_intervals(results.findings, names), folder, "claims")
    if results.readings:
        save(draw_readings(results), folder, "readings")
    if results.beyond:
        names = [finding.claim for finding in results.beyond]
        title = "reward above the paper's transfer learner"
        save(draw_intervals(results.beyond, names, title), folder, "beyond")


def save(figure: Figure, folder: Path, name: str) -> None:
    """Write a figure as PNG and SVG, the same bytes each time."""
    figure.savefig(folder / f"{name}.png", dpi=DOTS_PER_INCH, metadata={"Software": ""})
    with rc_context({"svg.hashsalt": name}):
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})


def draw_curves(number: int, curves: Sequence[Curve], runs: int) -> Figure:
    """Learning curves in one game against one opponent."""
    game, opponent = FIGURES[number]
    figure = Figure(figsize=(5.2, 4.0), layout="constrained")
    axes = figure.subplots()
    for curve in curves:
        colour, dashes = STYLES[curve.case.learner]
        label = LEARNERS[curve.case.learner].label
        axes.plot(
            curve.matches, curve.band.mean, dashes, color=colour, label=label, lw=1.4
        )
        axes.fill_between(
            curve.matches,
            curve.band.low,
            curve.band.high,
            color=colour,
            alpha=0.15,
            lw=0,
        )
    axes.set_xlim(0, None)
    axes.set_xlabel("Matches played")
    axes.set_ylabel(f"Mean cumulative average\nperformance over {runs} runs")
    axes.set_title(f"Figure {number}: {TITLES[game]}, {opponent} opponent", fontsize=10)
    axes.legend(loc="lower right", frameon=False, fontsize=9)
    return figure


def draw_table(fit: Fit) -> Figure:
    """Our feature values beside those of Table 1."""
    figure = Figure(figsize=(5.2, 4.0), layout="constrained")
    axes = figure.subplots()
    markers = dict(zip(OPPONENTS, "os^", strict=True))
    for column, opponent in enumerate(OPPONENTS):
        paper = [TABLE_1[letter][column] for letter in fit.letters]
        ours = [fit.values[letter][column] for letter in fit.letters]
        axes.plot(paper, ours, markers[opponent], label=opponent, alpha=0.7, ms=5)
    axes.axline((50, 50), slope=1, color="black", lw=0.6)
    axes.set_xlabel("value in the paper's Table 1")
    axes.set_ylabel(f"our value after {fit.matches} matches")
    axes.set_title(f"Twelve features, root mean square {fit.error:.1f}", fontsize=10)
    axes.legend(frameon=False, fontsize=9)
    return figure


def draw_intervals(
    findings: Sequence[Finding],
    names: Sequence[str],
    title: str = "difference in reward",
) -> Figure:
    """Differences with their intervals: few runs pale, all runs full."""
    figure = Figure(figsize=(8.0, 1.0 + 0.27 * len(findings)), layout="constrained")
    axes = figure.subplots()
    for row, finding in enumerate(findings):
        _interval(axes, row + 0.17, finding.few, finding.verdict_few, 0.35)
        _interval(axes, row - 0.17, finding.all, finding.verdict, 1.0)
    _rows(axes, names)
    axes.set_xlabel(f"{title} (pale: few runs)")
    return figure


def draw_readings(results: Results) -> Figure:
    """Each claim under each reading."""
    claims = results.findings[: len(next(iter(results.readings.values())))]
    columns = 2
    lines = -(-len(claims) // columns)
    names = ["default", *results.readings]
    figure = Figure(figsize=(9.5, 2.35 * lines), layout="constrained")
    grid = figure.subplots(lines, columns, sharey=True, squeeze=False)
    for place, claim in enumerate(claims):
        axes = grid[place // columns][place % columns]
        found = [claim, *(each[place] for each in results.readings.values())]
        for row, finding in enumerate(found):
            _interval(axes, row, finding.all, finding.verdict, 1.0)
        _rows(axes, names)
        axes.set_title(claim.claim, fontsize=8)
        axes.tick_params(labelsize=7)
    for place in range(len(claims), lines * columns):
        grid[place // columns][place % columns].set_visible(False)
    return figure


def _interval(
    axes: Axes,
    row: float,
    interval: tuple[float, float, float],
    verdict: str,
    alpha: float,
) -> None:
    mean, low, high = interval
    colour = next(
        (VERDICT_COLOURS[key] for key in VERDICT_COLOURS if verdict.startswith(key)),
        UNDECIDED,
    )
    axes.plot([low, high], [row, row], color=colour, alpha=alpha, lw=2)
    axes.plot([mean], [row], "o", color=colour, alpha=alpha, ms=3.5)


def _rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.axvline(0, color="black", lw=0.6)
    axes.grid(axis="x", alpha=0.3)
