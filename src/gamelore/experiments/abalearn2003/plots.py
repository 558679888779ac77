"""Figures 2 to 5 and the curves behind Table 2, drawn from what we measured.

The paper's own numbers are in the report's table, not in the figures: it counts games
won, we count who is ahead in stones.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gamelore.experiments.abalearn2003.claims import win_rates
from gamelore.experiments.abalearn2003.report import DRAWN, AbalearnFindings
from gamelore.experiments.abalearn2003.run import STONES
from gamelore.experiments.abalearn2003.settings import (
    METHOD_I,
    METHOD_IA,
    METHOD_II,
    OPPONENTS,
    REFERENCES,
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
    ) as (axes,):
        games = np.array([settings.scale_games(n) for n in METHOD_I.points], float)
        for place, reference in enumerate(REFERENCES):
            label = f"against Net {settings.scale_games(reference):,}"
            shares = 100 * findings.references[:, :, place]
            plot_band(axes, games, shares, label, _COLOURS[place], marker=".")
        label_counts(axes, "training games")
        axes.set_ylabel("games in which it is ahead, %")


def _draw_curves(
    findings: AbalearnFindings,
    figures: FigureWriter,
    name: str,
    title: str,
    cases: Mapping[str, AbalearnCase],
) -> None:
    """Draw win rates, and beside them stones, by training games."""
    settings = findings.settings
    with figures.figure(
        name,
        title,
        f"{title}. Left, per cent of test games won against the heuristic player, "
        f"where a game that the move limit ends {DRAWN[settings.draws]}. Right, "
        "stones.",
        columns=2,
        height=4.0,
        share_y=False,
    ) as (left, right):
        for (label, case), colour in zip(cases.items(), _COLOURS, strict=False):
            result = findings.results[case]
            games = np.array([settings.scale_games(n) for n in case.points], float)
            rates = win_rates(result, settings.draws)
            plot_band(left, games, rates, label, colour, marker=".")
            stones = result.scores[:, :, STONES]
            plot_band(right, games, stones, label, colour, marker=".")
        right.axhline(0, color="black", lw=0.8)
        left.set_ylim(0, 100)
        left.set_title("won against the heuristic player, %")
        right.set_title("stones pushed off less stones lost")
        for axes in (left, right):
            label_counts(axes, "training games")
