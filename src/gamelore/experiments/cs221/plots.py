"""Learning curves, one panel a game, and where they end."""

from __future__ import annotations

import numpy as np

from gamelore.experiments.cs221.report import CS221Findings
from gamelore.experiments.cs221.settings import TITLES
from gamelore.experiments.plots import (
    BLUE,
    RED,
    FigureWriter,
    interval_bars,
    label_counts,
    plot_band,
)
from gamelore.experiments.statistics import mean_interval

_COLOURS = {"td": BLUE, "q": RED}
_STROKES = {"linear": "--", "network": "-"}


def draw_figures(findings: CS221Findings, figures: FigureWriter) -> None:
    """Draw scores during training, and at its end."""
    _draw_curves(findings, figures)
    _draw_ends(findings, figures)


def _draw_curves(findings: CS221Findings, figures: FigureWriter) -> None:
    games = findings.games
    with figures.figure(
        "curves",
        "Score against the random player during training",
        "Scores against the random player, in per cent, a draw counting half.",
        columns=len(games),
    ) as panels:
        for result in findings.results:
            case, curves = result.case, result.against_random
            axes = panels[games.index(case.game)]
            matches = case.step * np.arange(curves.shape[1], dtype=float)
            colour, stroke = _COLOURS[case.method], _STROKES[case.model]
            plot_band(axes, matches, curves, case.name, colour, stroke)
        for axes, game in zip(panels, games, strict=True):
            axes.set_title(TITLES[game])
            label_counts(axes, "training matches")
            axes.tick_params("x", labelsize=8.5, rotation=30)
        panels[0].set_ylabel("score, %")


def _draw_ends(findings: CS221Findings, figures: FigureWriter) -> None:
    names = list(dict.fromkeys(result.case.name for result in findings.results))
    playouts = findings.settings.playouts
    with figures.figure(
        "ends",
        f"Score against Monte Carlo ({playouts} playouts a move) after training",
        f"Scores against Monte Carlo with {playouts} playouts a move, after training.",
    ) as (axes,):
        for place, name in enumerate(names):
            own = [result for result in findings.results if result.case.name == name]
            found = [mean_interval(result.against_playouts) for result in own]
            axes.bar(
                np.arange(len(own)) + 0.2 * (place - (len(names) - 1) / 2),
                [interval.mean for interval in found],
                0.18,
                yerr=interval_bars(found),
                color=_COLOURS[own[0].case.method],
                alpha=0.45 if own[0].case.model == "linear" else 0.9,
                capsize=3,
                label=name,
            )
        axes.plot([], [], color="black", label="bar: 95% interval over runs")
        games = findings.games
        axes.set_xticks(range(len(games)), [TITLES[game] for game in games])
        axes.set_ylabel("score, %")
        axes.set_ylim(0, 100)
        axes.grid(visible=False, axis="x")
