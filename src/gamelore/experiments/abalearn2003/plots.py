"""Figures 2 to 5 and the curves behind Table 2, drawn from what we measured.

The paper's own numbers are in the report's table, not in the figures: it counts games
won, we count who is ahead in stones.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from gamelore.experiments.abalearn2003.claims import ReadingResult, win_rates
from gamelore.experiments.abalearn2003.report import DRAWN, AbalearnFindings
from gamelore.experiments.abalearn2003.run import STONES
from gamelore.experiments.abalearn2003.settings import (
    METHOD_I,
    METHOD_IA,
    METHOD_II,
    OPPONENTS,
    REFERENCES,
    Abalearn2003Settings,
    AbalearnCase,
)
from gamelore.experiments.plots import (
    BLUE,
    BROWN,
    GREEN,
    RED,
    FigureWriter,
    label_counts,
    plot_band,
)

_COLOURS = (BLUE, GREEN, BROWN, RED)


def draw_figures(findings: AbalearnFindings, figures: FigureWriter) -> None:
    """Draw every figure."""
    _draw_references(findings, figures)
    for name, title, cases in (
        (
            "figure-3",
            "Figure 3: training against different opponents",
            {case.name: case for case in OPPONENTS.values()},
        ),
        (
            "figure-4",
            "Figure 4: self-play by sensitivity to risk",
            {f"κ = {risk:g}": case for risk, case in METHOD_II.items()},
        ),
        (
            "figure-5",
            "Figure 5: the most risk-seeking agents",
            {"κ = -1": METHOD_II[-1.0]},
        ),
        (
            "table-2",
            "Table 2: Methods I and I(a)",
            {case.name: case for case in (METHOD_I, METHOD_IA)},
        ),
    ):
        _draw_curves(findings, figures, name, title, cases)


def _draw_references(findings: AbalearnFindings, figures: FigureWriter) -> None:
    settings = findings.settings
    with figures.figure(
        "figure-2",
        "Figure 2: networks of Method I against three of them",
        "Figure 2. The share of games in which a network of Method I is ahead of three "
        "networks of the same agent, by the games it was trained for.",
        columns=len(findings.readings),
    ) as panels:
        games = np.array([settings.scale_games(n) for n in METHOD_I.points], float)
        for axes, (reading, found) in zip(
            panels, findings.readings.items(), strict=True
        ):
            for place, reference in enumerate(REFERENCES):
                label = f"against Net {settings.scale_games(reference):,}"
                shares = 100 * found.references[:, :, place]
                plot_band(axes, games, shares, label, _COLOURS[place], marker=".")
            label_counts(axes, "training games")
            axes.set_title(f"choice by {reading}")
        panels[0].set_ylabel("games in which it is ahead, %")


def _draw_curves(
    findings: AbalearnFindings,
    figures: FigureWriter,
    name: str,
    title: str,
    cases: Mapping[str, AbalearnCase],
) -> None:
    """Draw win rates, and below them stones, by training games; a column a reading."""
    settings = findings.settings
    count = len(findings.readings)
    with figures.figure(
        name,
        title,
        f"{title}. Above, per cent of test games won against the heuristic player, "
        f"where a game that the move limit ends {DRAWN[settings.draws]}. Below, "
        "stones.",
        rows=2,
        columns=count,
        height=6.2,
        share_y=False,
    ) as panels:
        for column, (reading, found) in enumerate(findings.readings.items()):
            above, below = panels[column], panels[count + column]
            _draw_column(above, below, found, settings, cases)
            above.set_title(f"choice by {reading}")
        panels[0].set_ylabel("won against\nthe heuristic player, %")
        panels[count].set_ylabel("stones pushed off\nless stones lost")
        for one in panels[count:]:
            lowest, highest = (
                pick(axes.get_ylim()[i] for axes in panels[count:])
                for i, pick in ((0, min), (1, max))
            )
            one.set_ylim(lowest, highest)


def _draw_column(
    above: Axes,
    below: Axes,
    found: ReadingResult,
    settings: Abalearn2003Settings,
    cases: Mapping[str, AbalearnCase],
) -> None:
    """Draw the win rates and the stones of one reading."""
    for (label, case), colour in zip(cases.items(), _COLOURS, strict=False):
        result = found.results[case]
        games = np.array([settings.scale_games(n) for n in case.points], float)
        rates = win_rates(result, settings.draws)
        plot_band(above, games, rates, label, colour, marker=".")
        plot_band(below, games, result.scores[:, :, STONES], label, colour, marker=".")
    below.axhline(0, color="black", lw=0.8)
    above.set_ylim(-2, 102)
    above.tick_params(labelbottom=False)
    label_counts(above, "")
    label_counts(below, "training games")
