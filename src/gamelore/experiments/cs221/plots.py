"""Curves of learning, one panel a game, and where they end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from gamelore.experiments.cs221.run import Course
from gamelore.experiments.cs221.settings import TITLES, Case
from gamelore.experiments.plots import BLUE, RED, STYLE, count_along, plot_band, save
from gamelore.experiments.statistics import mean_interval

_COLOURS = {"td": BLUE, "q": RED}
_STROKES = {"linear": "--", "network": "-"}


def draw_curves(courses: Mapping[Case, Course], path: Path) -> list[Path]:
    """Scores against the random player by matches learned from."""
    games = list(dict.fromkeys(case.game for case in courses))
    with rc_context(STYLE):
        drawing = Figure(figsize=(3.4 * len(games), 3.6), layout="constrained")
        panels = np.atleast_1d(drawing.subplots(1, len(games), sharey=True))
        for axes, game in zip(panels, games, strict=True):
            for case, course in courses.items():
                if case.game == game:
                    curves = course.against_random
                    matches = case.step * np.arange(curves.shape[1], dtype=float)
                    colour, stroke = _COLOURS[case.method], _STROKES[case.model]
                    plot_band(axes, matches, curves, case.name, colour, stroke)
            axes.set_title(TITLES[game], fontsize=9)
            count_along(axes, "matches learned from")
        panels[0].set_ylabel("score against the random player, %")
        lines, names = panels[0].get_legend_handles_labels()
        drawing.legend(lines, names, loc="outside upper center", ncols=len(names))
        return save(drawing, path)


def draw_ends(courses: Mapping[Case, Course], playouts: int, path: Path) -> list[Path]:
    """Scores against Monte Carlo once all is learned."""
    games = list(dict.fromkeys(case.game for case in courses))
    ways = list(dict.fromkeys((case.method, case.model) for case in courses))
    with rc_context(STYLE):
        drawing = Figure(figsize=(6.4, 3.4), layout="constrained")
        axes = drawing.subplots()
        for place, way in enumerate(ways):
            own = [c for case, c in courses.items() if (case.method, case.model) == way]
            found = [mean_interval(course.against_playouts) for course in own]
            axes.bar(
                np.arange(len(own)) + 0.2 * (place - (len(ways) - 1) / 2),
                [i.mean for i in found],
                0.18,
                yerr=[
                    [i.mean - i.low for i in found],
                    [i.high - i.mean for i in found],
                ],
                color=_COLOURS[way[0]],
                alpha=0.45 if way[1] == "linear" else 0.9,
                capsize=3,
                label=own[0].case.name,
            )
        axes.set_xticks(range(len(games)), [TITLES[game] for game in games])
        axes.set_ylabel(f"score against {playouts} playouts a move, %")
        axes.set_ylim(0, 100)
        axes.set_axisbelow(True)
        axes.grid(visible=False, axis="x")
        drawing.legend(loc="outside upper center", ncols=len(ways))
        return save(drawing, path)
