"""Figures 2 to 5, drawn from what we measured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gamelore.experiments.abalearn2003.claims import rates
from gamelore.experiments.abalearn2003.published import RISKY_LEVEL, TABLE_2
from gamelore.experiments.abalearn2003.run import STONES, Course
from gamelore.experiments.abalearn2003.settings import (
    METHOD_I,
    METHOD_IA,
    METHOD_II,
    REFERENCES,
    TAUGHT,
    Abalearn2003Settings,
    Case,
)
from gamelore.experiments.plots import (
    BLUE,
    BROWN,
    GREEN,
    GREY,
    RED,
    STYLE,
    count_along,
    plot_band,
    save,
)
from gamelore.experiments.statistics import Floats

_COLOURS = (BLUE, GREEN, BROWN, RED)

Courses = Mapping[Case, Course]


def draw_figures(
    courses: Courses,
    references: Floats | None,
    settings: Abalearn2003Settings,
    folder: Path,
) -> list[str]:
    """Draw what can be drawn as PNG and SVG; the names without suffix."""
    lines = {
        "figure-3": {case.name: case for case in TAUGHT.values()},
        "figure-4": {f"κ = {risk:g}": case for risk, case in METHOD_II.items()},
        "figure-5": {"κ = -1": METHOD_II[-1.0]},
        "table-2": {case.name: case for case in (METHOD_I, METHOD_IA)},
    }
    names = []
    with rc_context(STYLE):
        if references is not None:
            save(_references(references, settings), folder / "figure-2")
            names.append("figure-2")
        for name, cases in lines.items():
            if all(case in courses for case in cases.values()):
                shown = {label: courses[case] for label, case in cases.items()}
                save(_curves(name, shown, settings), folder / name)
                names.append(name)
    return names


def _references(references: Floats, settings: Abalearn2003Settings) -> Figure:
    drawing, axes = _single()
    games = np.array([settings.scaled(point) for point in METHOD_I.points], float)
    for place, (games_then, colour) in enumerate(
        zip(REFERENCES, _COLOURS, strict=False)
    ):
        label = f"against Net {settings.scaled(games_then):,}"
        plot_band(axes, games, 100 * references[:, :, place], label, colour)
    _finish(axes, "games in which it is ahead, %")
    return drawing


def _curves(
    name: str, courses: Mapping[str, Course], settings: Abalearn2003Settings
) -> Figure:
    """Win rates, and beside them stones, by training games."""
    drawing = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = drawing.subplots(1, 2)
    for (label, course), colour in zip(courses.items(), _COLOURS, strict=False):
        games = np.array([settings.scaled(n) for n in course.case.points], float)
        plot_band(left, games, rates(course, settings.draws), label, colour)
        plot_band(right, games, course.scores[:, :, STONES], label, colour)
    if name == "table-2":
        published = np.array(list(TABLE_2.values()))
        counts = [settings.scaled(n) for n in TABLE_2]
        for column, colour in zip(published.T, _COLOURS, strict=False):
            left.plot(counts, column, color=colour, ls=":", marker="x", label="paper")
    if name == "figure-5":
        left.axhline(RISKY_LEVEL, color=GREY, lw=1, ls="--", label="paper")
    right.axhline(0, color=GREY, lw=1)
    _finish(left, "won against the heuristic player, %")
    _finish(right, "stones pushed off less stones lost")
    left.set_ylim(0, 100)
    return drawing


def _single() -> tuple[Figure, Axes]:
    drawing = Figure(figsize=(6.4, 3.8), layout="constrained")
    return drawing, drawing.subplots()


def _finish(axes: Axes, label: str) -> None:
    count_along(axes, "training games")
    axes.set_ylabel(label)
    axes.legend(fontsize=8)
