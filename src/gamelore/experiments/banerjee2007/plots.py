"""Figures 3 to 7 as the paper draws them, with bands; and intervals side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from gamelore.experiments.banerjee2007.claims import (
    EXTENSION,
    FIGURES,
    TITLES,
    name_runs,
)
from gamelore.experiments.banerjee2007.report import (
    BanerjeeFindings,
    Curve,
    group_variants,
)
from gamelore.experiments.banerjee2007.run import LEARNERS
from gamelore.experiments.banerjee2007.table1 import OPPONENTS, TABLE_1, TableFit
from gamelore.experiments.claims import FAILS, HOLDS, Claim
from gamelore.experiments.plots import (
    BLUE,
    GREEN,
    GREY,
    RED,
    FigureWriter,
    label_counts,
    name_rows,
    plot_interval,
    shade_band,
)
from gamelore.experiments.statistics import Interval

STYLES = {
    "transfer": (RED, "-"),
    "baseline": (GREEN, "--"),
    "minimax": (BLUE, "-."),
    "maxmax": (GREY, ":"),
    "avgmax": (GREY, ":"),
}
"""Colour and dashes of each learner."""

_COLOURS = {HOLDS: GREEN, FAILS: RED}
_ROW, _FRAME = 0.21, 1.5  # inches of a row of intervals, and of all around them


def draw_figures(findings: BanerjeeFindings, figures: FigureWriter) -> None:
    """Draw every figure."""
    _draw_claims(findings, figures)
    for number, curves in findings.curves.items():
        _draw_curves(number, curves, findings.settings.total, figures)
    if findings.fits:
        _draw_table(findings.fits[0], figures)
    variants = group_variants(findings)
    if variants:
        claims = zip(*variants.values(), strict=True)
        _draw_grid(
            figures,
            "variants",
            "Every claim in every variant",
            "Differences in average reward, one panel a claim, one row a variant.",
            {f"{own[0].statement}\n({own[0].where})": own for own in claims},
            list(variants),
        )
    extensions = findings.group(EXTENSION)
    if extensions:
        places = dict.fromkeys(claim.where for claim in extensions)
        own = {p: [c for c in extensions if c.where == p] for p in places}
        _draw_grid(
            figures,
            "extensions",
            "Learners beyond the paper, beside its transfer learner",
            "Average reward above that of the paper's transfer learner.",
            own,
            [claim.statement for claim in next(iter(own.values()))],
        )


def _draw_curves(
    number: int, curves: Sequence[Curve], runs: int, figures: FigureWriter
) -> None:
    game, opponent = FIGURES[number]
    title = f"Figure {number}: {TITLES[game]}, {opponent} opponent"
    with figures.figure(
        f"figure-{number}",
        title,
        f"{title}. Cumulative average reward, mean of {runs} runs with its 95% "
        "interval.",
    ) as (axes,):
        for curve in curves:
            colour, dashes = STYLES[curve.case.learner]
            label = LEARNERS[curve.case.learner].label
            mean, low, high = curve.band
            axes.plot(curve.matches, mean, ls=dashes, color=colour, label=label)
            shade_band(axes, curve.matches.astype(float), low, high, colour)
        axes.set_xlim(0, None)
        label_counts(axes, "matches played")
        axes.set_ylabel("cumulative average reward")


def _draw_table(fit: TableFit, figures: FigureWriter) -> None:
    with figures.figure(
        "table-1",
        f"Table 1: twelve tree patterns after {fit.matches} source matches",
        "Our values of tree patterns beside those of Table 1; the root mean square "
        f"difference is {fit.error:.1f}.",
    ) as (axes,):
        markers = dict(zip(OPPONENTS, "os^", strict=True))
        for column, opponent in enumerate(OPPONENTS):
            paper = [TABLE_1[letter][column] for letter in fit.letters]
            ours = [fit.values[letter][column] for letter in fit.letters]
            label = f"{opponent} opponent"
            axes.plot(paper, ours, markers[opponent], label=label, alpha=0.7)
        axes.axline((50, 50), slope=1, color="black", lw=0.8, label="equal values")
        axes.set_xlabel("value in the paper")
        axes.set_ylabel("our value")


def _draw_claims(findings: BanerjeeFindings, figures: FigureWriter) -> None:
    claims = [c for c in findings.group() if isinstance(c.decisive, Interval)]
    few = name_runs(findings.settings.runs)
    both = few != name_runs(findings.settings.total)
    with figures.figure(
        "claims",
        "The paper's claims: differences in average reward",
        f"Differences between learners with their 95% intervals over "
        f"{findings.settings.total} runs"
        + (f"; pale, over the first {few}." if both else "."),
        height=_FRAME + 2.2 * _ROW * len(claims),
    ) as (axes,):
        for row, claim in enumerate(claims):
            interval = claim.measured[few]
            if both and isinstance(interval, Interval):
                plot_interval(axes, row + 0.25, interval, _colour(claim), 0.35)
        _plot_claims(axes, claims)
        if both:
            axes.plot([], [], color=GREY, alpha=0.35, label=f"pale: {few}")
        name_rows(axes, [f"{c.statement}\n({c.where})" for c in claims])
        axes.set_xlabel("difference in reward")


def _draw_grid(
    figures: FigureWriter,
    name: str,
    title: str,
    caption: str,
    panels: Mapping[str, Sequence[Claim]],
    names: Sequence[str],
) -> None:
    rows = -(-len(panels) // 2)
    height = _FRAME + rows * (0.8 + _ROW * len(names))
    with figures.figure(
        name, title, caption, rows=rows, columns=2, height=height
    ) as grid:
        for axes, (heading, claims) in zip(grid, panels.items(), strict=False):
            _plot_claims(axes, claims)
            name_rows(axes, names)
            axes.set_title(heading)
            axes.tick_params("y", labelsize=8.5)
        for axes in grid[len(panels) :]:
            axes.set_visible(False)


def _plot_claims(axes: Axes, claims: Sequence[Claim]) -> None:
    """Plot what decides each claim, one row a claim, and explain the colours."""
    for row, claim in enumerate(claims):
        plot_interval(axes, row, claim.interval, _colour(claim))
    labels = {_colour(claim): _label(claim) for claim in claims}
    for colour, label in labels.items():
        axes.plot([], [], color=colour, marker="o", ms=4, label=label)


def _colour(claim: Claim) -> str:
    found = (_COLOURS[key] for key in _COLOURS if claim.verdict.startswith(key))
    return next(found, GREY)


def _label(claim: Claim) -> str:
    if not claim.verdict:
        return "no verdict"
    return {GREEN: "holds", RED: "the opposite holds"}.get(
        _colour(claim), "not decided"
    )
